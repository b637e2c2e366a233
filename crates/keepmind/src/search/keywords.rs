//! BM25 over the library's own terms: what a document is made of, and how a query scores it.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::ids::{MessageOrdinal, Number, Version};
use crate::memory::Claim;
use crate::message::Utterance;
use crate::observation::Observation;
use crate::order;
use crate::search::{Document, Ranked, Scored};
use crate::text;

/// What suits a kind of document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    /// How soon repeating a term stops helping.
    saturation: f64,
    /// How much a long document must share its score.
    length_share: f64,
}

/// Memories, whose lines count more than once.
pub(crate) const MEMORIES: Shape = Shape {
    saturation: 0.9 * LINE_WEIGHT as f64,
    length_share: 0.6,
};
/// What was said.
pub(crate) const MESSAGES: Shape = Shape {
    saturation: 0.9,
    length_share: 0.4,
};

/// How often a term counts in the line that is shown, against once in the long detail.
const LINE_WEIGHT: u32 = 2;
const BODY_WEIGHT: u32 = 1;

/// A document's terms and how long it is, in weighted occurrences.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Terms {
    pub(crate) frequencies: BTreeMap<String, u32>,
    pub(crate) length: u32,
}

impl Terms {
    fn add(&mut self, text: &str, weight: u32) {
        for term in text::terms(text) {
            *self.frequencies.entry(term).or_default() += weight;
            self.length += weight;
        }
    }

    /// What a memory is found by.
    pub(crate) fn of_memory(claim: &Claim) -> Self {
        let mut terms = Terms::default();
        terms.add(&claim.content, LINE_WEIGHT);
        for tag in &claim.tags {
            terms.add(tag, LINE_WEIGHT);
        }
        if let Some(key) = &claim.key {
            terms.add(key, LINE_WEIGHT);
        }
        if let Some(value) = &claim.value {
            terms.add_strings(value, LINE_WEIGHT);
        }
        if let Some(body) = &claim.body {
            terms.add(body, BODY_WEIGHT);
        }
        terms
    }

    /// What a message is found by: what was said, never the hidden part.
    pub(crate) fn of_message(utterance: &Utterance) -> Self {
        Terms::of_content(&utterance.content)
    }

    /// What a message is found by, from the words of it that count.
    pub(crate) fn of_content(content: &str) -> Self {
        let mut terms = Terms::default();
        terms.add(content, 1);
        terms
    }

    /// What an observation is found by.
    pub(crate) fn of_observation(observation: &Observation) -> Self {
        let mut terms = Terms::default();
        terms.add(&observation.source, 1);
        terms.add_strings(&observation.payload, 1);
        terms
    }

    fn add_strings(&mut self, value: &Value, weight: u32) {
        match value {
            Value::String(text) => self.add(text, weight),
            Value::Number(number) => self.add(&number.to_string(), weight),
            Value::Array(items) => items.iter().for_each(|item| self.add_strings(item, weight)),
            Value::Object(fields) => fields
                .values()
                .for_each(|item| self.add_strings(item, weight)),
            Value::Null | Value::Bool(_) => {}
        }
    }

    pub(crate) fn contains_all(&self, terms: &[String]) -> bool {
        terms.iter().all(|term| self.frequencies.contains_key(term))
    }
}

/// The name of a memory's row among an owner's documents.
pub(crate) fn memory_document(number: Number, version: Version) -> Document {
    number.get() << 24 | version.get()
}

/// The row that a document names.
pub(crate) fn memory_of_document(document: Document) -> Option<(Number, Version)> {
    Some((
        Number::new(document >> 24)?,
        Version::new(document & 0xff_ffff)?,
    ))
}

/// The name of a message among an owner's documents.
pub(crate) fn message_document(ordinal: MessageOrdinal) -> Document {
    ordinal.get()
}

/// One occurrence of a term: in which document, how often, and how long that document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Posting {
    pub(crate) document: Document,
    pub(crate) frequency: u32,
    pub(crate) length: u32,
}

/// How many documents an owner has, and how long they are together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Corpus {
    pub(crate) documents: u64,
    pub(crate) length: u64,
}

impl Corpus {
    /// How much a term says that so many documents hold: the rarer, the more.
    pub(crate) fn weight(self, holding: usize) -> f64 {
        let holding = holding as f64;
        let without = self.documents as f64 - holding;
        ((without.max(0.0) + 0.5) / (holding + 0.5)).ln_1p()
    }

    fn average(self) -> f64 {
        self.length.max(1) as f64 / self.documents.max(1) as f64
    }
}

impl Shape {
    /// What one occurrence of a term adds to a document's score.
    fn add(self, weight: f64, average: f64, posting: &Posting) -> f64 {
        let Shape {
            saturation,
            length_share,
        } = self;
        let frequency = f64::from(posting.frequency);
        let share = 1.0 - length_share + length_share * f64::from(posting.length) / average;
        weight * frequency * (saturation + 1.0) / (frequency + saturation * share)
    }
}

/// What a memory could score at best: one full of every term, also of those that are found nowhere.
pub(crate) fn ideal(corpus: Corpus, lists: &[Arc<Vec<Posting>>]) -> f64 {
    let most = |list: &Arc<Vec<Posting>>| corpus.weight(list.len()) * (MEMORIES.saturation + 1.0);
    lists.iter().map(most).sum()
}

/// What each memory that holds a term scores by it, in order of document.
pub(crate) fn term_scores(
    corpus: Corpus,
    list: &[Posting],
) -> impl Iterator<Item = (Document, f64)> {
    let (weight, average) = (corpus.weight(list.len()), corpus.average());
    list.iter()
        .map(move |posting| (posting.document, MEMORIES.add(weight, average, posting)))
}

/// What one memory scores, if it holds any of the terms.
pub(crate) fn score_of(
    corpus: Corpus,
    lists: &[Arc<Vec<Posting>>],
    document: Document,
) -> Option<f64> {
    let (held, score) = held_and_score(corpus, lists, document);
    (held > 0).then_some(score)
}

/// How many of the terms a memory holds, and what it scores by them.
fn held_and_score(corpus: Corpus, lists: &[Arc<Vec<Posting>>], document: Document) -> (usize, f64) {
    let (mut held, mut score) = (0, 0.0);
    for list in lists {
        if let Ok(place) = list.binary_search_by_key(&document, |posting| posting.document) {
            let weight = corpus.weight(list.len());
            held += 1;
            score += MEMORIES.add(weight, corpus.average(), &list[place]);
        }
    }
    (held, score)
}

/// How often a term occurs in a memory, counted in occurrences in its line.
pub(crate) fn in_lines(posting: &Posting) -> f64 {
    f64::from(posting.frequency) / f64::from(LINE_WEIGHT)
}

/// Scores every document that holds a term. Lists are in order of document; their order fixes the
/// order of addition, so equal input gives equal bits everywhere.
fn score(shape: Shape, corpus: Corpus, lists: &[&[Posting]]) -> Vec<Scored> {
    let average = corpus.average();
    let mut heads: Vec<(&[Posting], f64)> = lists
        .iter()
        .map(|list| (*list, corpus.weight(list.len())))
        .collect();
    let mut scored = Vec::with_capacity(lists.iter().map(|list| list.len()).max().unwrap_or(0));
    while let Some(document) = heads
        .iter()
        .filter_map(|(list, _)| list.first())
        .map(|head| head.document)
        .min()
    {
        let mut score = 0.0;
        for (list, weight) in &mut heads {
            if let Some((head, rest)) = list.split_first()
                && head.document == document
            {
                score += shape.add(*weight, average, head);
                *list = rest;
            }
        }
        scored.push(Scored { document, score });
    }
    scored
}

/// The memories that hold so many of the terms, and one at least, in order of document.
pub(crate) fn scored_holding(
    corpus: Corpus,
    lists: &[Arc<Vec<Posting>>],
    least: usize,
) -> Vec<Scored> {
    match least {
        0 | 1 => scored(corpus, lists),
        _ => scored_among(corpus, lists, least, in_rare(lists, least).into_iter()),
    }
}

/// The documents in the shortest lists: one that is in `least` of all lists is in one of these, and the longest,
/// of words that nearly every memory has, are not walked through.
fn in_rare(lists: &[Arc<Vec<Posting>>], least: usize) -> Vec<Document> {
    let mut by_length = slices(lists);
    order::sort_by_key(&mut by_length, |list| list.len());
    by_length.truncate((lists.len() + 1).saturating_sub(least));
    let postings = by_length.into_iter().flatten();
    let mut documents: Vec<Document> = postings.map(|posting| posting.document).collect();
    documents.sort_unstable();
    documents.dedup();
    documents
}

/// The documents that hold a term, ready to be taken best first.
pub(crate) fn rank(shape: Shape, corpus: Corpus, lists: &[Arc<Vec<Posting>>]) -> Ranked<'static> {
    Ranked::scored(score(shape, corpus, &slices(lists)))
}

/// Those of these memories that hold so many of the terms, and one at least: scored as if all had been.
pub(crate) fn scored_among(
    corpus: Corpus,
    lists: &[Arc<Vec<Posting>>],
    least: usize,
    documents: impl Iterator<Item = Document>,
) -> Vec<Scored> {
    let scored = documents.filter_map(|document| {
        let (held, score) = held_and_score(corpus, lists, document);
        (held >= least.max(1)).then_some(Scored { document, score })
    });
    scored.collect()
}

/// The memories that hold a term, in order of document.
pub(crate) fn scored(corpus: Corpus, lists: &[Arc<Vec<Posting>>]) -> Vec<Scored> {
    score(MEMORIES, corpus, &slices(lists))
}

fn slices(lists: &[Arc<Vec<Posting>>]) -> Vec<&[Posting]> {
    lists.iter().map(|list| list.as_slice()).collect()
}

/// The terms that a document holds.
pub(crate) fn matched(
    terms: &[String],
    lists: &[Arc<Vec<Posting>>],
    document: Document,
) -> Vec<String> {
    let holds = |list: &[Posting]| {
        list.binary_search_by_key(&document, |posting| posting.document)
            .is_ok()
    };
    let held = terms.iter().zip(lists).filter(|(_, list)| holds(list));
    held.map(|(term, _)| term.clone()).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn posting(document: Document, frequency: u32, length: u32) -> Posting {
        Posting {
            document,
            frequency,
            length,
        }
    }

    #[test]
    fn rare_terms_and_short_documents_score_higher() {
        let corpus = Corpus {
            documents: 100,
            length: 1_000,
        };
        let rare = [posting(1, 1, 10)];
        let common: Vec<Posting> = (1..=60).map(|document| posting(document, 1, 10)).collect();
        let scored = score(MEMORIES, corpus, &[&rare, &common]);
        assert_eq!(scored.len(), 60);
        assert!(scored[0].score > 2.0 * scored[1].score);
        let short = score(MEMORIES, corpus, &[&[posting(1, 1, 5)]])[0].score;
        let long = score(MEMORIES, corpus, &[&[posting(1, 1, 50)]])[0].score;
        assert!(short > long);
        assert!(
            scored.iter().all(|hit| hit.score > 0.0),
            "a term in most documents still counts for"
        );
    }

    proptest! {
        #[test]
        fn what_holds_so_many_terms_is_what_the_plain_way_leaves(
            held in prop::collection::vec(prop::collection::btree_set(0_u64..40, 0..30), 0..6),
            least in 0_usize..8,
        ) {
            let list = |held: &BTreeSet<Document>| {
                let postings = held.iter().map(|document| posting(*document, 1 + (*document % 3) as u32, 10));
                Arc::new(postings.collect())
            };
            let lists: Vec<Arc<Vec<Posting>>> = held.iter().map(list).collect();
            let corpus = Corpus { documents: 40, length: 400 };
            let count = |document| held.iter().filter(|held| held.contains(&document)).count();
            let mut expected = scored(corpus, &lists);
            expected.retain(|scored| count(scored.document) >= least);
            prop_assert_eq!(scored_holding(corpus, &lists, least), expected.clone());
            let among = (0..40).filter(|document| document % 2 == 0);
            expected.retain(|scored| scored.document % 2 == 0);
            prop_assert_eq!(scored_among(corpus, &lists, least, among), expected);
        }
    }

    #[test]
    fn a_memory_is_named_by_number_and_version() {
        let number = Number::new(12).unwrap();
        let version = Version::new(3).unwrap();
        let document = memory_document(number, version);
        assert_eq!(memory_of_document(document), Some((number, version)));
        let last = memory_document(Number::LAST, Version::LAST);
        assert!(i64::try_from(last).is_ok(), "it fits where stores keep it");
    }
}
