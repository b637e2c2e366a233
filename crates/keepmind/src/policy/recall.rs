//! How lists are fused, how many memories a message gets, what is cached. Searching and ranking live
//! with recall; the order in which categories are left out comes from their priorities.

use super::PolicyError;
use super::check::{self, MAX_SECONDS};
use serde::{Deserialize, Serialize};

/// How the keyword list and the vector list become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FusionMethod {
    /// Each list gives 1 ÷ (`rank_constant` + rank): needs no comparable scores, but a weak list counts
    /// as much as a strong one.
    ReciprocalRank,
    /// Scores brought to about 0..1 in each list, words by how much of the query is found at all, then weighed
    /// by `keyword_share`.
    Score,
}

/// Fusion, flat so that a partial policy can change the method alone: each method reads its own field
/// and ignores the other's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Fusion {
    /// How the lists become one.
    pub method: FusionMethod,
    /// `reciprocal_rank` only: the k of 1 ÷ (k + rank), from 1 to 10,000.
    pub rank_constant: u32,
    /// `score` only: the weight of the keyword list, from 0 to 1; the vector list has the rest.
    pub keyword_share: f64,
}

/// How many memories are recalled for a message, by what the message looks like. Lengths are in
/// characters; counts are from 0 (nothing is searched) to `limits.results`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct MessageLimits {
    /// A message of fewer characters is short. 0: none is.
    pub short_below_characters: u32,
    /// For a short message.
    pub short: u32,
    /// For a message that only carries the talk on.
    pub continuation: u32,
    /// A message of more characters is long.
    pub long_above_characters: u32,
    /// For a long message, or one that speaks of remembering.
    pub long: u32,
    /// For every other message.
    pub otherwise: u32,
}

/// Recall and the context made from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Recall {
    /// How lists are fused.
    pub fusion: Fusion,
    /// How many of the first hits a model may reorder. 0: no model is asked.
    pub rerank_candidates: u32,
    /// How many hits a query gets that names no limit, from 1 to `limits.results`.
    pub limit: u32,
    /// How many memories a message gets.
    pub message_limits: MessageLimits,
    /// How long a session's recalled memories are served again, in seconds. 0: no cache.
    pub cache_seconds: u32,
    /// How many memories a session's cache holds.
    pub cache_memories: u32,
    /// The share of the model's window, above 0 and up to 1, that memories may take before categories
    /// are left out in the order of [`Policy::truncation_order`](super::Policy::truncation_order).
    pub window_share: f64,
}

impl Recall {
    pub(super) fn validate(&self, results: u32) -> Result<(), PolicyError> {
        check::range(
            "recall.fusion.rank_constant",
            self.fusion.rank_constant,
            1..=10_000,
        )?;
        check::share("recall.fusion.keyword_share", self.fusion.keyword_share)?;
        check::range(
            "recall.rerank_candidates",
            self.rerank_candidates,
            0..=1_000,
        )?;
        check::range("recall.limit", self.limit, 1..=results)?;
        self.message_limits.validate(results)?;
        check::range("recall.cache_seconds", self.cache_seconds, 0..=MAX_SECONDS)?;
        check::range("recall.cache_memories", self.cache_memories, 1..=10_000)?;
        check::positive_share("recall.window_share", self.window_share)
    }
}

impl MessageLimits {
    fn validate(&self, results: u32) -> Result<(), PolicyError> {
        for (field, count) in [
            ("short", self.short),
            ("continuation", self.continuation),
            ("long", self.long),
            ("otherwise", self.otherwise),
        ] {
            check::range(
                &format!("recall.message_limits.{field}"),
                count,
                0..=results,
            )?;
        }
        check::range(
            "recall.message_limits.short_below_characters",
            self.short_below_characters,
            0..=100_000,
        )?;
        // A message cannot be short and long at once.
        check::range(
            "recall.message_limits.long_above_characters",
            self.long_above_characters,
            self.short_below_characters..=1_000_000,
        )
    }
}
