//! How a reply speaks of what is remembered: what was said may be told, what somebody thinks, feels or is may
//! not be presumed. A language is a table.

mod english;
mod forms;
mod french;
mod german;
mod quoted;
mod spanish;
mod words;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::memory::Span;
use crate::order;
use crate::text;

use forms::Table;
use quoted::quoted;
use words::{Sentence, sentences};

/// How many words after a form must stand in the user's messages too for it to be a repetition of theirs.
const REPEATED_WORDS: usize = 2;

/// A place in a reply that presumes what the user thinks, feels or is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Phrasing {
    /// Where it stands: bytes of the reply.
    pub span: Span,
    /// What it presumes.
    pub kind: PhrasingKind,
    /// How to begin instead, in the reply's language: it tells what the user said. What follows must be put to
    /// fit.
    pub suggestion: String,
}

/// What a reply presumes about the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PhrasingKind {
    /// "You believe …"
    Belief,
    /// "You think that …"
    Thought,
    /// "Deep down you feel …"
    Feeling,
    /// "You are the type of person who …"
    Type,
    /// "Your personality suggests …"
    Personality,
}

/// How much of a reply is looked at, in bytes.
const LONGEST_REPLY: usize = 64 << 10;
/// How many findings are told, or a few more.
const MOST_FINDINGS: usize = 100;

/// Finds where a reply presumes what the user thinks, feels or is, instead of telling what they said: in order,
/// without overlaps.
///
/// Code, block quotes, quotation marks and what repeats `said`, the user's own messages, are not the reply's
/// words. Questions, conditions ("if you think about it") and what is told as said ("you mentioned that you
/// believe …") presume nothing. It rather misses a form than accuses a harmless one. English, German, Spanish
/// and French are known. Looked at are the first 64 KiB, until there are about a hundred findings.
///
/// ```
/// use keepmind::govern::check_phrasing;
///
/// let found = check_phrasing("You believe in early starts, so I kept 8 am.", &[]);
/// assert_eq!(found[0].suggestion, "You mentioned that");
/// assert!(check_phrasing("You told me that you believe in early starts.", &[]).is_empty());
/// ```
pub fn check_phrasing(reply: &str, said: &[&str]) -> Vec<Phrasing> {
    let tables = [
        &english::TABLE,
        &german::TABLE,
        &spanish::TABLE,
        &french::TABLE,
    ];
    let mut end = reply.len().min(LONGEST_REPLY);
    while !reply.is_char_boundary(end) {
        end -= 1;
    }
    let reply = &reply[..end];
    let foreign = quoted(reply);
    let said: Vec<String> = said.iter().map(|message| flat(message)).collect();
    let mut found = Vec::new();
    for sentence in sentences(reply, &foreign) {
        if found.len() >= MOST_FINDINGS {
            break;
        }
        if sentence.is_question {
            continue;
        }
        for table in tables {
            found.extend(presumptions(reply, &sentence, table, &said));
        }
    }
    order::sort_by_key(&mut found, |one: &Phrasing| {
        (one.span.start, u32::MAX - one.span.end)
    });
    let mut end = 0;
    found.retain(|one| {
        let is_apart = one.span.start >= end;
        if is_apart {
            end = one.span.end;
        }
        is_apart
    });
    found
}

fn presumptions(
    reply: &str,
    sentence: &Sentence,
    table: &'static Table,
    said: &[String],
) -> Vec<Phrasing> {
    let words = table.expanded(&sentence.words);
    if table.tells(&words) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let Some((kind, length)) = table.form_at(&words, at) else {
            at += 1;
            continue;
        };
        let (first, last) = (&words[at], &words[at + length - 1]);
        let follows = words.get(at + length + REPEATED_WORDS - 1);
        let shown = flat(&reply[first.start..follows.unwrap_or(last).end]);
        let is_repeated = said.iter().any(|message| message.contains(&shown));
        if table.presumes(&words, at, length, kind) && !is_repeated {
            let begins = reply[first.start..].chars().next();
            found.extend(phrasing(
                (first.start, last.end),
                kind,
                table.suggestion(kind),
                begins.is_some_and(char::is_uppercase),
            ));
        }
        at += length;
    }
    found
}

fn phrasing(
    (start, end): (usize, usize),
    kind: PhrasingKind,
    form: &str,
    is_capital: bool,
) -> Option<Phrasing> {
    let mut letters = form.chars();
    let suggestion = match letters.next() {
        Some(first) if is_capital => first.to_uppercase().chain(letters).collect(),
        _ => form.to_owned(),
    };
    Some(Phrasing {
        span: Span {
            start: u32::try_from(start).ok()?,
            end: u32::try_from(end).ok()?,
        },
        kind,
        suggestion,
    })
}

/// A text as it is compared: folded, with one blank between words and nothing else.
fn flat(given: &str) -> String {
    let folded = text::fold(given);
    let words = folded.split(|character: char| !character.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}
