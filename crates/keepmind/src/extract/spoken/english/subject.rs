//! Of whom a clause speaks: the user, the user's close ones, or a thing of the user's.

use super::super::words::Word;
use super::people::{self, WHICH};

/// A subject at the beginning of a clause.
#[derive(Debug, Clone)]
pub(super) struct Subject {
    pub(super) who: Who,
    /// How many words it takes.
    pub(super) length: usize,
    /// How it is called when it is spoken about.
    pub(super) called: String,
    /// Verbs agree with more than one.
    pub(super) plural: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Who {
    User,
    Close,
}

/// The subject a clause begins with, if it is the user or somebody close.
pub(super) fn subject(words: &[Word<'_>]) -> Option<Subject> {
    let first = words.first()?;
    let user = |length: usize| Subject {
        who: Who::User,
        length,
        called: "User".to_owned(),
        plural: false,
    };
    if first.form == "i" && first.written.len() == 1 || first.form == "we" {
        let both = words.get(1).is_some_and(|word| word.is(&["both", "all"]));
        return Some(user(if both && first.form == "we" { 2 } else { 1 }));
    }
    let at_home = first.form == "the"
        && words
            .get(1)
            .is_some_and(|word| word.is(&["kids", "twins", "wife", "husband", "missus"]));
    if !first.is(&["my", "our", "both"]) && !at_home {
        return None;
    }
    close(words)
}

/// "my wife", "our son Leo", "my two older brothers", "my wife and I".
fn close(words: &[Word<'_>]) -> Option<Subject> {
    let mut at = 1;
    if words[0].form == "both" {
        words.get(1).filter(|word| word.is(&["my", "our"]))?;
        at = 2;
    }
    let from = at;
    while words
        .get(at)
        .is_some_and(|word| word.is(WHICH) && word.follows())
        && words
            .get(at + 1)
            .is_some_and(|next| next.follows() && (next.is(WHICH) || people::is_person(&next.form)))
    {
        at += 1;
    }
    // "my twin sister", "my baby girl": the last word that names somebody.
    let mut person = words.get(at).filter(|word| people::is_person(&word.form))?;
    while let Some(next) = words
        .get(at + 1)
        .filter(|next| next.follows() && people::is_person(&next.form))
    {
        (person, at) = (next, at + 1);
    }
    let which = (at > from).then(|| &*words[at - 1].form);
    if !people::is_close(&person.form, which) {
        return None;
    }
    let mut plural = people::PLURAL.contains(&&*person.form) && person.form != "family";
    let mut end = at + 1;
    // In-laws follow their kin, and are further away than the kin itself, but of the family.
    if words.get(end).is_some_and(|word| word.is(&["in-law"])) {
        end += 1;
    }
    if let Some(name) = words.get(end)
        && name.follows()
        && name.is_capital()
        && !name.is_shouted()
        && name.form != "i"
    {
        end += 1;
    }
    let mut called = format!("User's {}", super::rewrite::turned(&words[from..end]));
    let joined = |at: usize| words.get(at).filter(|word| word.follows());
    if joined(end).is_some_and(|word| word.form == "and")
        && joined(end + 1).is_some_and(|word| word.form == "i" && word.written.len() == 1)
    {
        called = format!(
            "User and their {}",
            super::rewrite::turned(&words[from..end])
        );
        plural = true;
        end += 2;
    }
    Some(Subject {
        who: Who::Close,
        length: end,
        called,
        plural,
    })
}
