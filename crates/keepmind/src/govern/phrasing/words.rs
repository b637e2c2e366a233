//! A reply as sentences of words, each with its place. What is quoted is not there.

use std::ops::Range;

/// One sentence.
#[derive(Debug)]
pub(super) struct Sentence {
    pub words: Vec<Word>,
    pub is_question: bool,
}

/// A word, or a mark that parts clauses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// In small letters, with a plain apostrophe.
    pub text: String,
    pub start: usize,
    pub end: usize,
}

impl Word {
    /// Whether it parts clauses.
    pub fn is_border(&self) -> bool {
        !self.text.chars().any(char::is_alphanumeric)
    }
}

/// The sentences of a text outside of those ranges, which are in order.
pub(super) fn sentences(text: &str, without: &[Range<usize>]) -> Vec<Sentence> {
    let mut found = Vec::new();
    let mut words: Vec<Word> = Vec::new();
    let mut word: Option<Word> = None;
    let mut holes = without.iter().peekable();
    let mut is_asked = false;
    for (place, character) in text.char_indices() {
        while holes.next_if(|hole| hole.end <= place).is_some() {}
        let is_hidden = holes.peek().is_some_and(|hole| hole.contains(&place));
        if is_hidden {
            // What is quoted stands between what is around it.
            words.extend(word.take());
            if words.last().is_none_or(|last| !last.is_border()) {
                words.push(mark(place, character, "\""));
            }
            continue;
        }
        let is_apostrophe = matches!(character, '\'' | '’' | 'ʼ');
        if character.is_alphanumeric() || (is_apostrophe && word.is_some()) {
            let end = place + character.len_utf8();
            let word = word.get_or_insert_with(|| Word {
                text: String::new(),
                start: place,
                end,
            });
            match is_apostrophe {
                true => word.text.push('\''),
                false => word.text.extend(character.to_lowercase()),
            }
            word.end = end;
            continue;
        }
        words.extend(word.take());
        match character {
            '¿' => is_asked = true,
            '.' | '!' | '?' | '\n' | '…' | '。' | '？' | '！' => {
                let is_question = is_asked || matches!(character, '?' | '？');
                if !words.is_empty() {
                    let words = std::mem::take(&mut words);
                    found.push(Sentence { words, is_question });
                }
                is_asked = false;
            }
            ',' | ';' | ':' | '(' | ')' | '—' | '–' | '[' | ']' | '|' | '"' => {
                words.push(mark(place, character, &character.to_string()));
            }
            // Blanks, and marks of emphasis, are no pause.
            _ => {}
        }
    }
    words.extend(word);
    if !words.is_empty() {
        let is_question = is_asked;
        found.push(Sentence { words, is_question });
    }
    found
}

fn mark(place: usize, character: char, text: &str) -> Word {
    Word {
        text: text.to_owned(),
        start: place,
        end: place + character.len_utf8(),
    }
}
