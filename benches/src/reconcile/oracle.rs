//! What a good model would make of a turn, mechanically: the sentence that has most to do with what is
//! asked later, in the third person. It is asked nothing but that, so whatever goes wrong is code's fault.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use keepmind::{Model, ModelRequest, PlugError, text};
use serde_json::json;

use crate::known::number_of;
use crate::reconcile::case::Case;

/// What the model says of one turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub content: String,
    pub quote: String,
}

/// A step for each turn of evidence.
pub fn steps(case: &Case) -> Vec<Step> {
    let about: BTreeSet<String> = text::terms(&case.question)
        .into_iter()
        .chain(text::terms(&case.answer))
        .filter(|term| !text::is_stop_word(term))
        .collect();
    let turns = case.evidence.iter();
    turns
        .map(|turn| {
            let quote = nearest(&turn.text, &about);
            Step {
                content: third_person(quote),
                quote: quote.to_owned(),
            }
        })
        .collect()
}

/// The sentence of a text that shares most words with what it is about: the first of equals.
fn nearest<'a>(text: &'a str, about: &BTreeSet<String>) -> &'a str {
    let shared = |sentence: &str| {
        let terms: BTreeSet<String> = text::terms(sentence).into_iter().collect();
        terms.intersection(about).count()
    };
    let first_best = |best: (usize, &'a str), sentence: &'a str| match shared(sentence) {
        more if more > best.0 => (more, sentence),
        _ => best,
    };
    let all = sentences(text);
    let begin = (0, all.first().copied().unwrap_or(text));
    all.into_iter().fold(begin, first_best).1
}

/// Titles that end with a full stop and do not end a sentence.
const TITLES: &[&str] = &["Dr", "Mr", "Mrs", "Ms", "St"];

fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, character) in text.char_indices() {
        let end = at + character.len_utf8();
        let is_title = TITLES.iter().any(|title| text[..at].ends_with(title));
        let is_over = text[end..].chars().next().is_none_or(char::is_whitespace);
        let ends = matches!(character, '.' | '!' | '?' | '\n') && is_over && !is_title;
        if ends || end == text.len() {
            found.push(text[start..end].trim());
            start = end;
        }
    }
    found.retain(|sentence| !sentence.is_empty());
    found
}

/// A sentence of the user's as it is said of them.
fn third_person(sentence: &str) -> String {
    let mut said = String::new();
    let mut rest = sentence;
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '\'' | '’');
    while let Some(start) = rest.find(is_part) {
        let (before, from) = rest.split_at(start);
        let (word, after) = from.split_at(from.find(|l| !is_part(l)).unwrap_or(from.len()));
        said.push_str(before);
        said.push_str(match word.replace('’', "'").to_lowercase().as_str() {
            "i" | "me" | "myself" => "User",
            "i'm" => "User is",
            "i've" => "User has",
            "i'd" => "User would",
            "i'll" => "User will",
            "am" => "is",
            "my" | "mine" => "User's",
            _ => word,
        });
        rest = after;
    }
    said.push_str(rest);
    said.trim_end_matches(['.', '!']).to_owned()
}

/// Adds what it reads first, and from then on updates the memory that it was shown.
#[derive(Debug)]
pub struct Oracle {
    /// What is still to come.
    steps: Mutex<VecDeque<Step>>,
    /// What it said last.
    last: Mutex<Option<Step>>,
}

impl Oracle {
    pub fn new(steps: Vec<Step>) -> Self {
        Oracle {
            steps: Mutex::new(steps.into()),
            last: Mutex::new(None),
        }
    }
}

#[async_trait]
impl Model for Oracle {
    async fn complete(&self, request: &ModelRequest) -> Result<String, PlugError> {
        let mut steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let none = || PlugError::lasting("asked more often than there are turns");
        let step = steps.pop_front().ok_or_else(none)?;
        let shown = last
            .as_ref()
            .and_then(|last| number_of(&request.prompt, &last.content));
        let Step { content, quote } = &step;
        let operation = match shown {
            Some(id) => {
                json!({"op": "update", "id": id, "content": content, "quote": quote, "confidence": 0.9})
            }
            None => json!({"op": "add", "content": content, "quote": quote, "confidence": 0.9}),
        };
        *last = Some(step);
        Ok(json!({"ops": [operation]}).to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_that_is_asked_about_is_found() {
        let text = "Thanks! By the way, I see Dr. Moss every week. Any tips? Bye";
        let all = sentences(text);
        assert_eq!(all.len(), 4);
        let about = text::terms("How often do I see Dr. Moss?")
            .into_iter()
            .collect();
        assert_eq!(nearest(text, &about), all[1]);
        assert_eq!(nearest("", &about), "");
    }

    #[test]
    fn sentences_are_said_of_the_user() {
        for (said, told) in [
            ("I keep my bees in Kent.", "User keep User's bees in Kent"),
            ("I’ve got me a hive!", "User has got User a hive"),
            ("Am I late, Ida?", "is User late, Ida?"),
        ] {
            assert_eq!(third_person(said), told);
        }
    }
}
