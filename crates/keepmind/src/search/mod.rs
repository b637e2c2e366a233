//! Ranking, the same on every backend: BM25 over terms, cosine over vectors. No rows and no I/O here.

pub(crate) mod index;
pub(crate) mod keywords;
pub(crate) mod vectors;

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use vectors::Matrix;

/// What is searched, named by a number that is the same on every backend. Of equal scores the greater
/// name, which is the newer, comes first.
pub(crate) type Document = u64;

/// Scored documents, best first: a search wants a few of many.
pub(crate) enum Ranked<'a> {
    /// All of them, heaped and not sorted.
    Scored(BinaryHeap<Scored>),
    /// The nearest of a matrix. Asking for more scans it again, which is rare and cheaper than keeping
    /// every score.
    Nearest {
        matrix: &'a Matrix,
        query: &'a [f32],
        taken: usize,
    },
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Scored {
    pub(crate) document: Document,
    pub(crate) score: f64,
}

impl Ranked<'_> {
    pub(crate) fn scored(scored: Vec<Scored>) -> Self {
        Ranked::Scored(BinaryHeap::from(scored))
    }

    /// The next best `count`.
    pub(crate) fn take(&mut self, count: usize) -> Vec<Scored> {
        match self {
            Ranked::Scored(heap) => std::iter::from_fn(|| heap.pop()).take(count).collect(),
            Ranked::Nearest {
                matrix,
                query,
                taken,
            } => {
                let mut nearest = matrix.nearest(query, *taken + count);
                let next = nearest.split_off(nearest.len().min(*taken));
                *taken += next.len();
                next
            }
        }
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
