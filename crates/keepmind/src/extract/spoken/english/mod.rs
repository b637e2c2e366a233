//! English: deep, because most chats that are read without a model are in it. Clauses are read by subject,
//! verb group and what follows; the tables beside say which of these last.

mod before;
mod complement;
mod correct;
mod cues;
mod dates;
mod lasting;
mod lists;
mod nouns;
mod own_things;
mod people;
mod read;
mod rewrite;
mod style;
mod subject;
mod traits;
mod verbs;

pub(super) use before::Before;
pub(super) use correct::{anything, corrected};
pub(super) use lasting::is_habit;
pub(super) use own_things::role;
pub(super) use people::is_person;
pub(super) use read::{begins_with_verb, inverts, read};
pub(super) use rewrite::turned;
pub(super) use style::{is_standing, style};

use super::language::Language;

pub(super) static LANGUAGE: Language = Language {
    cues: cues::CUES,
    frames: &[],
    people: &[],
};
