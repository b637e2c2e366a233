//! Ranking, the same on every backend: BM25 over terms, cosine over vectors, and where documents were said.
//! No I/O here.

pub(crate) mod index;
pub(crate) mod keywords;
pub(crate) mod recall;
pub(crate) mod scenes;
pub(crate) mod vectors;

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use vectors::Matrix;

/// What is searched, named by a number that is the same on every backend. Of equal scores the greater
/// name, which is the newer, comes first.
pub(crate) type Document = u64;

/// Scored documents, best first: a search wants a few of many.
pub(crate) enum Ranked<'a> {
    /// Those that were not taken yet, in no order.
    Scored(Vec<Scored>),
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

/// Why a document was found.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Reasons {
    /// The words of the query that it holds.
    pub(crate) matched: Vec<String>,
    pub(crate) words: Option<f64>,
    pub(crate) meaning: Option<f64>,
    pub(crate) around: Vec<Around>,
}

/// What speaks for a memory besides its own words and meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Around {
    /// What somebody else said right before or after it in the same chat holds words of the question.
    Neighbour,
    /// The question names who said it.
    Speaker,
    /// It is of the time that the question names.
    Time,
}

impl Reasons {
    pub(crate) fn of_words(scored: Scored, matched: Vec<String>) -> Self {
        Reasons {
            matched,
            words: Some(scored.score),
            ..Reasons::default()
        }
    }

    pub(crate) fn of_meaning(scored: Scored) -> Self {
        Reasons {
            meaning: Some(scored.score),
            ..Reasons::default()
        }
    }
}

impl Ranked<'_> {
    pub(crate) fn scored(scored: Vec<Scored>) -> Self {
        Ranked::Scored(scored)
    }

    /// The next best `count`.
    pub(crate) fn take(&mut self, count: usize) -> Vec<Scored> {
        match self {
            Ranked::Scored(rest) => {
                let left = rest.len().saturating_sub(count);
                if left > 0 && count > 0 {
                    rest.select_nth_unstable(left - 1);
                }
                let mut best = rest.split_off(left);
                best.sort_unstable_by(|one, other| other.cmp(one));
                best
            }
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
