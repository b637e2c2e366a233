//! Ranking, the same on every backend: BM25 over terms, cosine over vectors, and where documents were said.
//! No I/O here.

#[cfg(any(feature = "sqlite", feature = "postgres"))]
#[cfg_attr(
    not(feature = "postgres"),
    allow(dead_code, reason = "only a server measures")
)]
pub(crate) mod distant;
#[cfg(feature = "sqlite")]
pub(crate) mod gathering;
pub(crate) mod index;
pub(crate) mod keywords;
mod planes;
pub(crate) mod recall;
pub(crate) mod scenes;
pub(crate) mod vectors;

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use recall::Found;
use vectors::Cosines;

/// What is searched, named by a number that is the same on every backend. Of equal scores the greater
/// name, which is the newer, comes first.
pub(crate) type Document = u64;

/// Scored documents, best first: a search wants a few of many.
pub(crate) enum Ranked<'a> {
    /// Those that were not taken yet, in no order.
    Scored(Vec<Scored>),
    /// The nearest. Asking for more looks through all again, which is rare and cheaper than keeping every exact score.
    Nearest { cosines: Cosines<'a>, taken: usize },
    /// The best of what a question found, in the same way.
    Found { found: &'a Found<'a>, taken: usize },
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

    /// Whether what was taken was ranked by what is only roughly known.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) fn is_lacking(&self) -> bool {
        match self {
            Ranked::Scored(_) => false,
            Ranked::Nearest { cosines, .. } => cosines.are_lacking(),
            Ranked::Found { found, .. } => found.is_lacking(),
        }
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
            Ranked::Nearest { cosines, taken } => {
                let nearest = cosines.nearest(taken.saturating_add(count));
                rest_of(nearest, taken)
            }
            Ranked::Found { found, taken } => {
                let best = found.best(taken.saturating_add(count));
                rest_of(best, taken)
            }
        }
    }
}

/// What was not taken yet, which is taken with that.
fn rest_of(mut best: Vec<Scored>, taken: &mut usize) -> Vec<Scored> {
    let next = best.split_off(best.len().min(*taken));
    *taken += next.len();
    next
}

/// The last of so many greatest scores: what is less is not among them. Where there are not so many, nothing
/// is less.
fn floor_of_best(scores: impl Iterator<Item = f64>, count: usize) -> f64 {
    if count == 0 {
        return f64::INFINITY;
    }
    let mut floor = f64::NEG_INFINITY;
    let mut kept = Vec::new();
    let last_of = |kept: &mut Vec<f64>| {
        kept.select_nth_unstable_by(count - 1, |one, other| other.total_cmp(one));
        kept.truncate(count);
        kept[count - 1]
    };
    for score in scores {
        if score > floor {
            kept.push(score);
            if kept.len() >= count.saturating_mul(2) {
                floor = last_of(&mut kept);
            }
        }
    }
    match kept.len() >= count {
        true => last_of(&mut kept),
        false => f64::NEG_INFINITY,
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
