//! What a host may plug in: a model, an embedder, a token counter, a clock, a source of ids.
//! Every one is optional; the defaults need nothing. Deadlines and retries are the engine's.

mod clock;
mod combined;
mod ids;
mod tokens;

use std::fmt;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use clock::{Clock, ManualClock, SystemClock};
pub use combined::{ModelByTask, ModelChain};
pub use ids::{CountingIds, IdSource, TimeOrderedIds};
pub use tokens::{ApproximateTokens, TokenCounter};

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
    /// Say facts of a digest in few lines, when a consolidation compiles it.
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct PlugError {
    /// What happened, without any user's words.
    pub message: String,
    /// Whether asking again can help.
    pub retryable: bool,
}

impl PlugError {
    /// What asking again may mend: a time-out, a busy server, a broken connection.
    pub fn passing(message: impl Into<String>) -> Self {
        PlugError {
            message: message.into(),
            retryable: true,
        }
    }

    /// What asking again will not mend: a wrong key, a model that is not there.
    pub fn lasting(message: impl Into<String>) -> Self {
        PlugError {
            message: message.into(),
            retryable: false,
        }
    }
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
    /// A name that changes whenever the vectors would: one line of at most 128 characters.
    fn id(&self) -> &str;
    /// How many dimensions its vectors have, at most [`Vector::MAX_DIMENSIONS`](crate::Vector::MAX_DIMENSIONS).
    fn dimensions(&self) -> usize;
    /// One vector for each text, in order; an empty one for a text whose meaning it cannot tell, such as one in
    /// a language it has not learned: that is found by its words.
    async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, PlugError>;

    /// What each word adds to the vector of a text, where that vector is the sum of its words', brought to unit
    /// length. Then a question is looked for with its rare words weighing more. `None`, the default, where a text
    /// means more than its words. Must not wait.
    fn word_vectors(&self, words: &[&str]) -> Option<Vec<Vec<f32>>> {
        let _ = words;
        None
    }
}
