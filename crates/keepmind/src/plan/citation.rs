//! Whether an answer says what a memory says: what grounds a content in the user's words, asked the other way
//! round, and stricter.

use crate::ids::MessageNumber;
use crate::plan::details::{content_terms, details, folded_words};
use crate::plan::said::{Clause, Said, denies_alike};
use crate::text::{Cut, StringSet};

/// How many sentences of an answer are looked at.
const MOST_SENTENCES: usize = 256;

/// How many terms of a memory a sentence must hold at least: one alone may be there by chance.
const LEAST_TERMS: usize = 2;

/// Of three terms of a memory a sentence holds two.
const SHARE: (usize, usize) = (2, 3);

/// An answer, cut into sentences.
pub(crate) struct Replied(Said);

impl Replied {
    pub(crate) fn new(answer: &str) -> Self {
        Replied(Said::new(MessageNumber::FIRST, answer, &[]))
    }

    /// The first sentence that says what a content says, and the terms they share: all its names and numbers,
    /// two of three of its terms and at least two, denied just where the content denies them.
    pub(crate) fn says(&self, content: &str) -> Option<(&str, Vec<String>)> {
        let terms = content_terms(content, &Cut::of(content));
        if terms.len() < LEAST_TERMS {
            return None;
        }
        let names: StringSet = details(content).flat_map(folded_words).collect();
        let sentences = self.0.sentences().iter().take(MOST_SENTENCES);
        sentences.into_iter().find_map(|sentence| {
            let common = terms.common(sentence.terms());
            let is_enough = common >= LEAST_TERMS && common * SHARE.1 >= terms.len() * SHARE.0;
            if !is_enough || !names.iter().all(|name| sentence.words().contains(name)) {
                return None;
            }
            let text = self.0.slice(sentence.span);
            let clauses: Vec<Clause> = Clause::all(text).collect();
            if !denies_alike(content, &clauses, &terms) {
                return None;
            }
            let shared = terms.iter().filter(|term| sentence.terms().contains(term));
            Some((text, shared.map(str::to_owned).collect()))
        })
    }
}
