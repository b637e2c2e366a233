//! What the user's sentences must hold before a content counts as their word, and which of them do.

use crate::plan::details::{content_terms, details, folded_words, links};
use crate::plan::said::{Clause, Said, Sentence, denies_alike};
use crate::text::{self, Cut, StringSet};

/// What must be found before a content counts as the user's word.
pub(super) struct Wanted {
    pub terms: StringSet,
    /// The terms that say what a number or a name is about; all of them where there is none.
    plain: Option<StringSet>,
    /// Numbers and names, folded.
    details: StringSet,
    links: StringSet,
    is_negated: bool,
}

impl Wanted {
    pub(super) fn of(content: &str, cut: &Cut, known: &str) -> Self {
        let mut terms = content_terms(content, cut);
        let mut details: StringSet = details(content).flat_map(folded_words).collect();
        let mut links: StringSet = links(content).map(text::fold).collect();
        if !known.is_empty() {
            let known_terms = content_terms(known, &Cut::of(known));
            if terms.iter().any(|term| !known_terms.contains(term)) {
                terms.retain(|term| !known_terms.contains(term));
            }
            let known_words: StringSet = folded_words(known).collect();
            details.retain(|word| !known_words.contains(word));
            let known = text::fold(known);
            links.retain(|link| !known.contains(link));
        }
        let plain = (!details.is_empty()).then(|| {
            let of_details: StringSet = details.iter().flat_map(text::terms).collect();
            let mut plain = terms.clone();
            plain.retain(|term| !of_details.contains(term));
            plain
        });
        Wanted {
            terms,
            plain,
            details,
            links,
            is_negated: text::is_negated(content),
        }
    }

    /// The fewest sentences, greedily, that hold all details and half of the words.
    ///
    /// Where the user speaks of what it is about, a number or a name said of something else supports
    /// nothing.
    pub(super) fn support<'s>(
        &self,
        mut sentences: Vec<&'s Sentence>,
        speaks_of_it: bool,
    ) -> Option<Vec<&'s Sentence>> {
        let mut missing = Missing::all(self);
        let mut chosen = Vec::new();
        while !missing.is_little(self) {
            let best = match sentences.len() {
                // Nearly always, and there is nothing to weigh.
                1 => 0,
                count => (0..count).max_by_key(|&index| {
                    let gain = missing.held_by(self, sentences[index], speaks_of_it);
                    (gain, std::cmp::Reverse(index))
                })?,
            };
            let sentence = sentences.remove(best);
            if missing.leave_out(self, sentence, speaks_of_it) == 0 {
                return None;
            }
            chosen.push(sentence);
        }
        Some(chosen)
    }

    /// Whether a sentence holds anything of it.
    pub(super) fn touches(&self, sentence: &Sentence) -> bool {
        self.terms
            .iter()
            .any(|term| sentence.terms().contains(term))
            || self
                .details
                .iter()
                .any(|word| sentence.words().contains(word))
            || self.links.iter().any(|link| sentence.folded.contains(link))
    }

    /// Whether the numbers and names of a sentence are said of the same thing.
    fn takes_details(&self, sentence: &Sentence, speaks_of_it: bool) -> bool {
        !speaks_of_it || self.plain().is_empty() || self.is_about(sentence)
    }

    fn plain(&self) -> &StringSet {
        self.plain.as_ref().unwrap_or(&self.terms)
    }

    /// Whether a sentence holds a word that says what the content's numbers and names are about.
    pub(super) fn is_about(&self, sentence: &Sentence) -> bool {
        let mut plain = self.plain().iter();
        plain.any(|term| sentence.terms().contains(term))
    }

    /// Whether what the user said of each thing is denied just where the content denies it: for each of
    /// its clauses one of those that hold most of its words.
    pub(super) fn agrees_with(&self, content: &str, said: &Said, chosen: &[&Sentence]) -> bool {
        if !self.is_negated && !chosen.iter().any(|sentence| sentence.is_negated) {
            return true;
        }
        let said: Vec<Clause> = chosen
            .iter()
            .flat_map(|sentence| Clause::all(said.slice(sentence.span)))
            .collect();
        denies_alike(content, &said, &self.terms)
    }
}

/// What of the wanted was not found yet, each sorted.
struct Missing<'w> {
    terms: Vec<&'w str>,
    details: Vec<&'w str>,
    links: Vec<&'w str>,
}

impl<'w> Missing<'w> {
    fn all(wanted: &'w Wanted) -> Self {
        Missing {
            terms: wanted.terms.iter().collect(),
            details: wanted.details.iter().collect(),
            links: wanted.links.iter().collect(),
        }
    }

    /// How much of it a sentence holds.
    fn held_by(&self, wanted: &Wanted, sentence: &Sentence, speaks_of_it: bool) -> usize {
        let count = |missing: &[&str], is_held: &dyn Fn(&str) -> bool| {
            missing.iter().filter(|text| is_held(text)).count()
        };
        let mut held = count(&self.terms, &|term| sentence.terms().contains(term))
            + count(&self.links, &|link| sentence.folded.contains(link));
        if wanted.takes_details(sentence, speaks_of_it) {
            held += count(&self.details, &|word| sentence.words().contains(word));
        }
        held
    }

    /// Takes out what a sentence holds; returns how much that is.
    fn leave_out(&mut self, wanted: &Wanted, sentence: &Sentence, speaks_of_it: bool) -> usize {
        let before = self.len();
        sentence.terms().take_out_of(&mut self.terms);
        self.links.retain(|link| !sentence.folded.contains(link));
        if wanted.takes_details(sentence, speaks_of_it) {
            sentence.words().take_out_of(&mut self.details);
        }
        before - self.len()
    }

    fn len(&self) -> usize {
        self.terms.len() + self.details.len() + self.links.len()
    }

    /// Whether what was found is enough: all details and links, and half of the words.
    fn is_little(&self, wanted: &Wanted) -> bool {
        let found = wanted.terms.len() - self.terms.len();
        found * 2 >= wanted.terms.len() && self.details.is_empty() && self.links.is_empty()
    }
}
