//! Spanish. The subject is in the verb.

use crate::govern::phrasing::PhrasingKind::{Belief, Feeling, Personality, Thought, Type};
use crate::govern::phrasing::forms::Table;

#[rustfmt::skip]
pub(super) static TABLE: Table = Table {
    contractions: &[],
    adverbs: "realmente claramente siempre también aún todavía probablemente seguramente no ya \
        firmemente de verdad sinceramente obviamente nunca",
    forms: &[
        (Belief, "?tú ~ crees|creías|creíste ~ que"),
        (Belief, "?tú ~ crees ~ en"),
        (Belief, "usted ~ cree ~ que|en"),
        (Belief, "?tú ~ pareces creer"),
        (Belief, "?tú ~ estás ~ convencido|convencida de"),
        (Thought, "?tú ~ piensas|opinas|pensabas ~ que"),
        (Thought, "usted ~ piensa|opina ~ que"),
        (Thought, "?tú ~ pareces pensar"),
        (Feeling, "?tú ~ sientes ~ que"),
        (Feeling, "en el fondo ?, ~ ?tú ~ crees|piensas|sientes|quieres|sabes|eres|temes ?que"),
        (Type, "?tú ~ eres ~ el|la|un|ese tipo|clase de ~ persona|gente|hombre|mujer ?que"),
        (Type, "?tú ~ eres ~ una persona|alguien que"),
        (Type, "?tú ~ eres ~ alguien que"),
        (Type, "?tú ~ eres de los|las|esas|esos ?personas que"),
        (Personality, "tu|su personalidad ~ sugiere|indica|muestra|revela|dice|significa"),
        (Personality, "tu|su carácter|forma ?de ?ser ~ sugiere|indica|muestra|revela"),
        (Personality, "por|según tu personalidad"),
    ],
    leads: "y pero sí no bueno pues claro entonces ya sé recuerdo veo que porque como supongo además \
        también quizás tal vez parece así tú es cierto evidentemente hola",
    joints: "que porque y pero pues",
    opens: "si cuando qué cómo quién quiénes cuál cuáles dónde por_qué cuándo lo ojalá espero alegra \
        pregunto dime dónde cuánto siempre_que aunque mientras",
    turns: "",
    told: &[
        "?me dijiste|mencionaste|contaste|comentaste|escribiste|explicaste", "has dicho|mencionado|contado|escrito",
        "según tus palabras", "me has dicho|contado|mencionado", "como dices",
    ],
    suggestions: &[
        (Belief, "mencionaste que"), (Thought, "me dijiste que"), (Feeling, "recuerdo que dijiste que"),
        (Type, "me dijiste que"), (Personality, "según tu preferencia por"),
    ],
};
