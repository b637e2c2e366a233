//! French.

use crate::govern::phrasing::PhrasingKind::{Belief, Feeling, Personality, Thought, Type};
use crate::govern::phrasing::forms::Table;

#[rustfmt::skip]
pub(super) static TABLE: Table = Table {
    contractions: &[
        ("qu'il", "que il"), ("qu'elle", "que elle"), ("qu'on", "que on"), ("qu'un", "que un"),
        ("qu'une", "que une"), ("qu'ils", "que ils"), ("t'es", "tu es"), ("n'es", "ne es"),
    ],
    adverbs: "vraiment clairement sûrement toujours aussi encore probablement ne pas plus jamais sans \
        doute évidemment fermement bien",
    forms: &[
        (Belief, "tu ~ crois|croyais ~ que|en|à|au|aux"),
        (Belief, "vous ~ croyez ~ que|en|à|au|aux"),
        (Belief, "tu ~ sembles ~ croire"),
        (Belief, "vous ~ semblez ~ croire"),
        (Belief, "tu ~ es ~ convaincu|convaincue|persuadé|persuadée que|de"),
        (Thought, "tu ~ penses|pensais|estimes ~ que"),
        (Thought, "vous ~ pensez|estimez ~ que"),
        (Feeling, "tu ~ sens|ressens ~ que"),
        (Feeling, "au fond ?de ?toi ?, tu ~ ?crois|?penses|?sens|?veux|?sais|?es ?que"),
        (Type, "tu ~ es ~ le|un|ce genre|type|style de ~ personne|gens|homme|femme"),
        (Type, "vous ~ êtes ~ le|un|ce genre|type|style de ~ personne|gens|homme|femme"),
        (Type, "tu ~ es quelqu'un qui"),
        (Type, "vous ~ êtes quelqu'un qui"),
        (Type, "tu ~ es une personne qui"),
        (Personality, "ta|votre personnalité ~ suggère|indique|montre|révèle|signifie|laisse"),
        (Personality, "ton|votre caractère|tempérament ~ suggère|indique|montre|révèle"),
    ],
    leads: "et mais oui non bon alors donc je sais vois que car comme aussi bien sûr peut être il semble \
        crois pense parce puisque en fait bonjour",
    joints: "que car et mais puisque",
    opens: "si quand lorsque ce comment pourquoi où quel quelle quels quelles qui quoi espère content \
        contente demande dès tant",
    turns: "",
    told: &[
        "tu ~ as ~ dit|mentionné|raconté|écrit|expliqué", "tu m'as ~ dit|mentionné|raconté|écrit|expliqué|parlé",
        "vous m'avez ~ dit|mentionné|raconté|écrit|expliqué|parlé", "vous avez ~ dit|mentionné|raconté|écrit",
        "selon toi", "selon vous", "tu disais", "vous disiez",
    ],
    suggestions: &[
        (Belief, "tu as mentionné que"), (Thought, "tu m'as dit que"),
        (Feeling, "je me souviens que tu as dit que"), (Type, "tu m'as dit que tu"),
        (Personality, "d'après ta préférence pour"),
    ],
};
