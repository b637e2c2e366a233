//! French: a few sure frames.

use super::StatementKind::{Preference, Profile, Relationship, Style, Work};
use super::frame::Frame;
use super::frame::Hole::{self, Capital, Close, In, None, Number, Words};
use super::language::{
    AND, ASKS, CITES, COMMON, CORRECTS, DENIES, DOUBTS, ENDS, FILLER, JOINT, Language, MAKES,
    MOCKS, MOMENT, PLAYS, POINTS, REMEMBERS, REPORTS, SEEKS, STILL, SUBJECT, SUPPOSES, TAG, UNREAL,
};
use super::phrases::Classes;

pub(super) static LANGUAGE: Language = Language {
    cues: CUES,
    frames: FRAMES,
    people: PEOPLE,
};

#[rustfmt::skip]
const CUES: &[(Classes, &str)] = &[
    (COMMON, "je j'ai j'habite le la les des et est un une mon ma mes suis à de en pour que qui dans avec \
        pas nous du au ce c'est tu il elle me plus mais très m'appelle sur ne si moi vous par cette"),
    (FILLER, "salut bonjour au_fait en_fait alors bon oui ok merci du_coup euh ben franchement d'ailleurs"),
    (JOINT, "mais parce_que car donc alors_que puisque du_coup"),
    (AND, "et"),
    (SUBJECT, "je j'habite j'ai j'aime j'étudie j'adore mon ma mes il elle nous tu vous on c'est \
        je_n'aime"),
    (ASKS, "est-ce_que qui quoi où quand comment pourquoi quel quelle quels peux-tu pouvez-vous \
        pourrais-tu tu_peux_me_dire qu'est-ce_que combien sais-tu dois-je as-tu"),
    (TAG, "non hein pas_vrai n'est-ce_pas"),
    (UNREAL, "si s'il étais avais voudrais aimerais"),
    (SUPPOSES, "imagine imaginons imaginez supposons admettons disons_que mettons tu_es_un tu_es_une"),
    (PLAYS, "jeu_de_rôle jouons_à faisons_comme_si fais_semblant"),
    (DOUBTS, "peut-être sans_doute probablement je_pense je_crois j'envisage j'hésite j'aimerais \
        je_voudrais je_songe un_jour éventuellement"),
    (REPORTS, "dit disent pense pensent croit trouve affirme selon d'après prétend raconte"),
    (DENIES, "je_n'ai_jamais_dit ce_n'est_pas_que je_ne_dis_pas_que"),
    (MOCKS, "ben_voyons bien_sûr_que oh_génial super_encore j'adore_quand j'adore_que"),
    (MAKES, "écris rédige traduis corrige reformule résume traduisez écrivez comment_dit-on traduire"),
    (SEEKS, "donne-moi montre-moi trouve propose aide-moi explique dis-moi fais j'ai_besoin je_cherche \
        je_veux"),
    (REMEMBERS, "souviens-toi souviens-toi_que rappelle-toi rappelle-toi_que note_que retiens_que \
        n'oublie_pas n'oublie_pas_que"),
    (CORRECTS, "en_fait en_réalité pardon correction désormais maintenant"),
    (ENDS, "ne_plus plus_du_tout"),
    (STILL, "toujours encore"),
    (MOMENT, "aujourd'hui demain hier ce_soir ce_matin cette_semaine en_ce_moment tout_à_l'heure"),
    (POINTS, "ça cela ceci ici cette cet celui"),
    (CITES, "voici voilà cette_phrase ce_texte le_texte phrase texte mail lettre article"),
];

#[rustfmt::skip]
const PEOPLE: &[(&str, &str)] = &[
    ("fille", "daughter"), ("fils", "son"), ("filles", "daughters"), ("femme", "wife"), ("mari", "husband"),
    ("copine", "girlfriend"), ("copain", "boyfriend"), ("mère", "mother"), ("père", "father"),
    ("maman", "mum"), ("papa", "dad"), ("soeur", "sister"), ("sœur", "sister"), ("frère", "brother"),
    ("enfants", "children"), ("enfant", "child"), ("chien", "dog"), ("chienne", "dog"), ("chat", "cat"),
    ("chatte", "cat"), ("chats", "cats"), ("chiens", "dogs"), ("parents", "parents"), ("jumeaux", "twins"),
    ("jumelles", "twins"), ("cheval", "horse"), ("conjoint", "partner"), ("compagne", "partner"),
];

const fn frame(
    said: &'static str,
    hole: Hole,
    means: &'static str,
    denied: &'static str,
    kind: super::StatementKind,
) -> Frame {
    Frame {
        said,
        hole,
        means,
        denied,
        kind,
    }
}

#[rustfmt::skip]
const FRAMES: &[Frame] = &[
    frame("je m'appelle", Capital, "User's name is {}", "", Profile),
    frame("appelle-moi", Capital, "User wants to be called {}", "", Style),
    frame("tu peux me tutoyer", None, "User prefers to be addressed with tu", "", Style),
    frame("j'habite à|en|au|aux", Capital, "User lives in {}", "", Profile),
    frame("je vis à|en|au|aux", Capital, "User lives in {}", "", Profile),
    frame("je viens de", Capital, "User is from {}", "", Profile),
    frame("j'ai {} ans", Number, "User is {} years old", "", Profile),
    frame("je suis allergique à|au|aux", Words, "User is allergic to {}", "", Profile),
    frame("je suis né|née à|en|au", Words, "User was born in {}", "", Profile),
    frame("je suis", In(&["végétarien", "végétarienne", "végane", "vegan", "végan", "marié", "mariée", "divorcé", "divorcée", "diabétique", "retraité", "retraitée", "enceinte", "daltonien", "daltonienne", "gaucher", "gauchère", "célibataire"]), "User is {}", "", Profile),
    frame("je travaille comme", Words, "User works as {}", "", Work),
    frame("je travaille à|chez|dans|pour", Words, "User works at {}", "", Work),
    frame("j'étudie", Words, "User studies {}", "", Work),
    frame("je parle", Words, "User speaks {}", "", Profile),
    frame("je joue du|de|au", Words, "User plays {}", "", Profile),
    frame("je préfère", Words, "User prefers {}", "", Preference),
    frame("j'aime", Words, "User likes {}", "", Preference),
    frame("j'adore", Words, "User loves {}", "", Preference),
    frame("je déteste", Words, "User hates {}", "", Preference),
    frame("je n'aime pas", Words, "User doesn't like {}", "", Preference),
    frame("je ne mange pas de", Words, "User doesn't eat {}", "", Preference),
    frame("je ne bois pas d'alcool", None, "User drinks no alcohol", "", Preference),
    frame("je ne fume pas", None, "User doesn't smoke", "", Profile),
    frame("j'ai un|une|deux|trois|quatre", Close, "User has {}", "", Relationship),
    frame("mon|ma|notre @ s'appelle", Capital, "User's @ is named {}", "", Relationship),
    frame("mon|ma|notre @ a {} ans", Number, "User's @ is {} years old", "", Relationship),
    frame("mon|ma|notre @ est allergique à|au|aux", Words, "User's @ is allergic to {}", "", Relationship),
];
