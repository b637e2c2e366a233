//! German. The verb may stand before its subject, and a comma before "dass".

use crate::govern::phrasing::PhrasingKind::{Belief, Feeling, Personality, Thought, Type};
use crate::govern::phrasing::forms::Table;

#[rustfmt::skip]
pub(super) static TABLE: Table = Table {
    contractions: &[],
    adverbs: "wirklich offenbar offensichtlich wohl wahrscheinlich auch immer noch oft eigentlich ja \
        sicher bestimmt anscheinend grundsätzlich fest ganz echt nicht nie scheinbar eher also",
    forms: &[
        (Belief, "du ~ glaubst ?, dass"),
        (Belief, "du ~ glaubst ~ an"),
        (Belief, "du ~ bist ~ überzeugt ?davon ?, dass"),
        (Belief, "du ~ bist ~ der meinung|ansicht|überzeugung ?, ?dass"),
        (Belief, "du scheinst ~ zu glauben"),
        (Belief, "glaubst du ~ ?, dass"),
        (Thought, "du ~ denkst|meinst|findest ?, dass"),
        (Thought, "denkst|meinst|findest du ~ ?, dass"),
        (Thought, "du scheinst ~ zu denken"),
        (Feeling, "du ~ fühlst ?, dass"),
        (Feeling, "tief im inneren|innern ~ glaubst|denkst|fühlst|willst|weißt|bist du"),
        (Feeling, "tief in dir ~ glaubst|denkst|fühlst|willst|weißt|bist du"),
        (Type, "du ~ bist ~ der|die|ein|eine ~ typ|art|sorte ?von ?mensch|?person"),
        (Type, "du ~ bist ~ ein|eine mensch|person ?, der|die"),
        (Type, "du ~ bist ~ jemand ?, der|die"),
        (Type, "du ~ bist ~ einer|eine von denen"),
        (Personality, "deine|ihre persönlichkeit ~ deutet|zeigt|lässt|legt|verrät|sagt|spricht|bedeutet"),
        (Personality, "dein|ihr charakter|wesen ~ deutet|zeigt|legt|verrät"),
    ],
    leads: "und aber also ja nein ich weiß denke glaube erinnere mich da weil dass offenbar anscheinend \
        wahrscheinlich vielleicht sicher klar wohl deshalb daher natürlich nun gut ok okay",
    joints: "dass weil da und aber denn also",
    opens: "wenn falls ob was wie warum wieso weshalb wo wer welche welcher welches sobald solange bevor \
        frage sag hoffe froh je alles nichts etwas",
    turns: "",
    told: &[
        "du hast ~ ?mir ~ gesagt|erzählt|erwähnt|geschrieben|gemeint|erklärt", "hast du ~ gesagt|erzählt|erwähnt|geschrieben",
        "du sagtest|erzähltest|erwähntest|schriebst", "sagtest|erzähltest|erwähntest|schriebst du",
        "sie haben ~ ?mir ~ gesagt|erzählt|erwähnt|geschrieben", "wie du sagst", "mir ~ gesagt|erzählt",
    ],
    suggestions: &[
        (Belief, "du hast erwähnt, dass"), (Thought, "du hast mir erzählt, dass"),
        (Feeling, "ich erinnere mich, dass du gesagt hast, dass"),
        (Type, "du hast mir erzählt, dass du"), (Personality, "weil du gesagt hast, dass du"),
    ],
};
