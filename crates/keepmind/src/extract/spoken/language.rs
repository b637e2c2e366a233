//! A language is a table: the words that say what a clause is, and the frames by which facts are read.
//! What is done with them is the same for all.

use super::frame::Frame;
use super::phrases::{Classes, Phrases};

/// Stands before a clause and says nothing: "btw", "to be honest", "I should say that".
pub(super) const FILLER: Classes = 1;
/// Begins a clause: "because", "but".
pub(super) const JOINT: Classes = 1 << 1;
/// "And": begins a clause only where a subject or a verb follows.
pub(super) const AND: Classes = 1 << 2;
/// Begins a question.
pub(super) const ASKS: Classes = 1 << 3;
/// Makes what stands before it a question: ", right?".
pub(super) const TAG: Classes = 1 << 4;
/// What follows in the sentence is not said to be so: "if", "wish".
pub(super) const UNREAL: Classes = 1 << 5;
/// The rest of the message is made up: "suppose", "imagine".
pub(super) const SUPPOSES: Classes = 1 << 6;
/// The rest of the chat is played: "role play".
pub(super) const PLAYS: Classes = 1 << 7;
/// The clause is uncertain or only considered: "might", "thinking of".
pub(super) const DOUBTS: Classes = 1 << 8;
/// Somebody else's words or thoughts follow.
pub(super) const REPORTS: Classes = 1 << 9;
/// What follows is denied without its opposite being said: "I never said".
pub(super) const DENIES: Classes = 1 << 10;
/// The sentence means the opposite, or nothing.
pub(super) const MOCKS: Classes = 1 << 11;
/// Asks for a text: what follows in the sentence belongs into it.
pub(super) const MAKES: Classes = 1 << 12;
/// Asks for something else.
pub(super) const SEEKS: Classes = 1 << 13;
/// "Remember that".
pub(super) const REMEMBERS: Classes = 1 << 14;
/// "Forget".
pub(super) const FORGETS: Classes = 1 << 15;
/// What follows puts something right.
pub(super) const CORRECTS: Classes = 1 << 16;
/// Something held and holds no longer.
pub(super) const ENDS: Classes = 1 << 17;
/// Something holds as before.
pub(super) const STILL: Classes = 1 << 18;
/// The clause is about this day or hour.
pub(super) const MOMENT: Classes = 1 << 19;
/// Begins a clause of its own after "and".
pub(super) const SUBJECT: Classes = 1 << 20;
/// What the clause says is about what lies before the speakers: "this", "it".
pub(super) const POINTS: Classes = 1 << 21;
/// Introduces words that are not the speaker's, before a colon.
pub(super) const CITES: Classes = 1 << 22;
/// A common word of the language: how the language is told.
pub(super) const COMMON: Classes = 1 << 23;
/// Ends the playing.
pub(super) const STOPS_PLAYING: Classes = 1 << 24;

/// Says since when or how long, before or after what it is about: "these days".
pub(super) const WHEN: Classes = 1 << 25;

/// A language.
pub(super) struct Language {
    /// Words and phrases by class.
    pub(super) cues: &'static [(Classes, &'static str)],
    /// How facts are said; English has its own reader.
    pub(super) frames: &'static [Frame],
    /// Close people and pets: the words of the language, and the English word.
    pub(super) people: &'static [(&'static str, &'static str)],
}

/// A language with its tables made ready.
pub(super) struct Ready {
    pub(super) language: &'static Language,
    pub(super) cues: Phrases,
    pub(super) is_english: bool,
}
