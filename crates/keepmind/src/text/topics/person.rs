//! Of whom each word of a text speaks, told from the grammatical subject where that is simple.

use std::ops::Range;

use super::classes::*;
use crate::text::lexicon::{Classes, Words};

/// How far after the user's name what is theirs is looked for: "User's old school friend".
const OWNED_WITHIN: usize = 4;

/// Of whom something is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    User,
    /// Another person.
    Other,
    /// An animal, or people in general: nobody whose privacy it touches.
    Nobody,
}

/// The subject that holds at each word.
///
/// A clause keeps the subject of the one before when it names none. Somebody who is only mentioned
/// becomes the subject of what is said about them with "with" and "who".
pub(super) fn subjects(words: &Words, classes: &[Classes], starts: &[bool]) -> Vec<Subject> {
    let mut found = Vec::with_capacity(words.len());
    let mut main = Subject::User;
    let mut start = 0;
    while start < words.len() {
        let end = (start + 1..words.len())
            .find(|index| starts[*index])
            .unwrap_or(words.len());
        let apart = start > 0 && is_apposition(words, classes, start..end);
        // German writes its relative pronouns like its articles.
        let relative = start > 0
            && classes[start] & OF_PERSON != 0
            && classes
                .get(start + 1)
                .is_none_or(|next| named(*next).is_none());
        if !relative && !apart {
            main = clause_subject(words, classes, start..end).unwrap_or(main);
        }
        let mut current = main;
        for index in start..end {
            if classes[index] & OF_PERSON != 0
                && let Some(mentioned) = mentioned(classes, start, index)
            {
                current = mentioned;
            }
            found.push(current);
        }
        start = end;
    }
    found
}

/// Who a clause is about, when it says so before its verb.
fn clause_subject(words: &Words, classes: &[Classes], clause: Range<usize>) -> Option<Subject> {
    if is_name(words, classes, clause.start) {
        return Some(Subject::Other);
    }
    for index in clause.clone() {
        let class = classes[index];
        if let Some(named) = named(class) {
            return Some(named);
        }
        if class & (USER | OF_USER) != 0 {
            let owner = class & OF_USER != 0
                || words.get(index).is_some_and(|word| word.possessive)
                || classes
                    .get(index + 1)
                    .is_some_and(|next| next & GENITIVE != 0);
            if !owner {
                return Some(Subject::User);
            }
            let owned = (index + 1..clause.end.min(index + 1 + OWNED_WITHIN))
                .take_while(|at| classes[*at] & VERB == 0)
                .find_map(|at| named(classes[at]));
            return Some(owned.unwrap_or(Subject::User));
        }
        if class & VERB != 0 && index > clause.start {
            break;
        }
    }
    None
}

fn named(class: Classes) -> Option<Subject> {
    if class & PERSON != 0 {
        Some(Subject::Other)
    } else if class & (ANIMAL | GROUP) != 0 {
        Some(Subject::Nobody)
    } else {
        None
    }
}

/// Whether a clause begins with a word or two that can only be somebody's name, and a verb.
fn is_name(words: &Words, classes: &[Classes], start: usize) -> bool {
    let unknown = |index: usize| {
        words.get(index).is_some_and(|word| word.capital)
            && classes.get(index).is_some_and(|class| *class == 0)
    };
    let verb = |index: usize| {
        classes
            .get(index)
            .is_some_and(|class| class & VERB != 0 && class & (PERSON | USER | ANIMAL) == 0)
    };
    unknown(start) && (verb(start + 1) || unknown(start + 1) && verb(start + 2))
}

/// Whether a clause only says what somebody is: "User, a mother of two, ...".
fn is_apposition(words: &Words, classes: &[Classes], clause: Range<usize>) -> bool {
    const ARTICLES: [&str; 8] = ["a", "an", "ein", "eine", "une", "una", "uma", "een"];
    ARTICLES.contains(&words.text(clause.start))
        && classes[clause.start + 1..clause.end]
            .iter()
            .all(|class| class & VERB == 0)
}

/// The last one mentioned before `index`, unless it is what the subject is said to be.
fn mentioned(classes: &[Classes], start: usize, index: usize) -> Option<Subject> {
    const NAME: usize = 3;
    let at = (index.saturating_sub(NAME)..index)
        .rev()
        .find(|at| named(classes[*at]).is_some())?;
    let predicate = classes[at.saturating_sub(3).max(start.min(at))..at]
        .iter()
        .any(|class| class & COPULA != 0);
    if predicate { None } else { named(classes[at]) }
}
