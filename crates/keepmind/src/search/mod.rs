//! Ranking, the same on every backend: BM25 over terms, cosine over vectors. No rows and no I/O here.

pub(crate) mod index;
pub(crate) mod keywords;
pub(crate) mod vectors;

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// What is searched, named by a number that is the same on every backend. Of equal scores the greater
/// name, which is the newer, comes first.
pub(crate) type Document = u64;

/// Scored documents, best first. Heaped, not sorted: a search wants a few of many.
pub(crate) struct Ranked(BinaryHeap<Scored>);

#[derive(Debug, Clone, Copy)]
pub(crate) struct Scored {
    pub(crate) document: Document,
    pub(crate) score: f64,
}

impl Ranked {
    pub(crate) fn new(scored: Vec<Scored>) -> Self {
        Ranked(BinaryHeap::from(scored))
    }

    /// The next best `count`.
    pub(crate) fn take(&mut self, count: usize) -> Vec<Scored> {
        std::iter::from_fn(|| self.0.pop()).take(count).collect()
    }
}

impl Ord for Scored {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score
            .total_cmp(&other.score)
            .then(self.document.cmp(&other.document))
    }
}

impl PartialOrd for Scored {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Scored {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Scored {}
