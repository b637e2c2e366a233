//! What a host may plug in: a model, an embedder, a token counter, a clock, a source of ids.
//! Every one is optional; the defaults need nothing. Deadlines and retries are not here.

use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use time::OffsetDateTime;
use uuid::{NoContext, Uuid};

use crate::text;
use crate::timestamp::Timestamp;

/// What a model is asked to do. A host may use another model for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Task {
    /// Read memories from a chat.
    Extract,
    /// Summarise older messages.
    Summarise,
    /// Name a chat.
    Title,
    /// Reorder what was found.
    Rerank,
    /// Make facts from episodes and candidates.
    Consolidate,
    /// Compile digests.
    Compile,
}

/// One question to a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModelRequest {
    /// What it is for.
    pub task: Task,
    /// The instructions.
    pub system: String,
    /// The material, fenced as data.
    pub prompt: String,
    /// The JSON Schema the answer should follow, where one is wanted.
    pub schema: Option<Value>,
    /// The most tokens the answer may have.
    pub max_output_tokens: u32,
}

impl ModelRequest {
    /// A question without a schema.
    pub fn new(task: Task, system: impl Into<String>, prompt: impl Into<String>) -> Self {
        ModelRequest {
            task,
            system: system.into(),
            prompt: prompt.into(),
            schema: None,
            max_output_tokens: 2_048,
        }
    }
}

/// Why a model or an embedder did not answer. It never reaches the chat: memory degrades instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PlugError {
    /// What happened, without any user's words.
    pub message: String,
    /// Whether asking again can help.
    pub retryable: bool,
}

/// A language model. Its answers are untrusted input.
#[async_trait]
pub trait Model: Send + Sync + fmt::Debug {
    /// Answers one question with text.
    async fn complete(&self, request: &ModelRequest) -> Result<String, PlugError>;
}

/// Turns texts into vectors.
#[async_trait]
pub trait Embedder: Send + Sync + fmt::Debug {
    /// A name that changes whenever the vectors would.
    fn id(&self) -> &str;
    /// How many dimensions its vectors have.
    fn dimensions(&self) -> usize;
    /// One vector for each text, in order.
    async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, PlugError>;
}

/// Counts the tokens a text costs in a prompt.
///
/// Asked often, also while other writers of the owner wait: it must not call back into the library.
pub trait TokenCounter: Send + Sync + fmt::Debug {
    /// How many tokens the text costs.
    fn count(&self, text: &str) -> usize;
}

/// Counts a token for every four characters, rounded up: no tokenizer needed.
#[derive(Debug, Clone, Copy, Default)]
pub struct ApproximateTokens;

impl TokenCounter for ApproximateTokens {
    fn count(&self, text: &str) -> usize {
        text::approximate_tokens(text)
    }
}

/// Tells the time. Nothing in the library reads a clock but through this. It must not call back into
/// the library.
pub trait Clock: Send + Sync + fmt::Debug {
    /// The moment now is.
    fn now(&self) -> Timestamp;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::try_from(OffsetDateTime::now_utc()).unwrap_or(Timestamp::MAX)
    }
}

/// A clock that stands still until it is moved: for tests, demos and replays.
#[derive(Debug)]
pub struct ManualClock(AtomicI64);

impl ManualClock {
    /// A clock that shows that moment.
    pub fn new(moment: Timestamp) -> Self {
        ManualClock(AtomicI64::new(moment.as_micros()))
    }

    /// Makes it show that moment; back is allowed.
    pub fn set(&self, moment: Timestamp) {
        self.0.store(moment.as_micros(), Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.0.load(Ordering::SeqCst)).unwrap_or(Timestamp::UNIX_EPOCH)
    }
}

/// Makes new identifiers. Planning takes them from here, so a plan can be repeated exactly.
///
/// Asked while other writers of the owner wait: it must not call back into the library.
pub trait IdSource: Send {
    /// An identifier that was never made before.
    fn next_id(&mut self) -> Uuid;
}

/// Identifiers of UUID version 7: sorted by the moment given, random beyond it.
#[derive(Debug, Clone, Copy)]
pub struct TimeOrderedIds(Timestamp);

impl TimeOrderedIds {
    /// Identifiers of that moment.
    pub fn at(moment: Timestamp) -> Self {
        TimeOrderedIds(moment)
    }
}

impl IdSource for TimeOrderedIds {
    fn next_id(&mut self) -> Uuid {
        let micros = u64::try_from(self.0.as_micros()).unwrap_or(0);
        let nanos = u32::try_from(micros % 1_000_000).unwrap_or(0) * 1_000;
        Uuid::new_v7(uuid::Timestamp::from_unix(
            NoContext,
            micros / 1_000_000,
            nanos,
        ))
    }
}

/// Identifiers that count up: for tests and replays.
#[derive(Debug, Clone, Default)]
pub struct CountingIds(u128);

impl CountingIds {
    /// Identifiers that count up from after `start`.
    pub fn after(start: u128) -> Self {
        CountingIds(start)
    }
}

impl IdSource for CountingIds {
    fn next_id(&mut self) -> Uuid {
        self.0 += 1;
        Uuid::from_u128(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_by_their_moment() {
        let early = TimeOrderedIds::at(Timestamp::parse("2026-01-01T00:00:00Z").unwrap()).next_id();
        let late = TimeOrderedIds::at(Timestamp::parse("2026-01-01T00:00:01Z").unwrap()).next_id();
        assert!(early < late);
        assert_eq!(early.get_version_num(), 7);
    }

    #[test]
    fn a_manual_clock_goes_where_it_is_set() {
        let clock = ManualClock::new(Timestamp::UNIX_EPOCH);
        clock.set(Timestamp::MIN);
        assert_eq!(clock.now(), Timestamp::MIN);
        assert_eq!(ApproximateTokens.count("12345"), 2);
    }
}
