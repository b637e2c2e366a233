//! When facts are learned from a chat, from how much of it, and whether they are believed at once. The
//! stages of extraction live with extraction; what they may read at most is in the limits.

use super::PolicyError;
use super::check::{self, MAX_TOKENS};
use serde::{Deserialize, Serialize};

/// When a chat is read for facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ExtractionMode {
    /// Once, when its session closes.
    AtClose,
    /// After every turn, off the chat's path, and at close for what is left.
    EveryTurn,
}

/// Whether what extraction found is believed at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum WriteMode {
    /// Active at once.
    Direct,
    /// Held as candidates until consolidation.
    Staged,
}

/// Learning from chats.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Extraction {
    /// When a chat is read.
    pub mode: ExtractionMode,
    /// Whether what was found is believed at once.
    pub write: WriteMode,
    /// How many of the latest messages an every-turn extraction sees.
    pub context_messages: u32,
    /// How many turns may wait for an every-turn extraction; more are left to the close.
    pub queue_turns: u32,
    /// The most of a transcript that the model is shown, in tokens; the rest is cut with a marker.
    pub transcript_tokens: u32,
    /// How many existing memories the model is shown: all when there are no more, otherwise the closest.
    pub known_memories: u32,
}

impl Extraction {
    pub(super) fn validate(&self) -> Result<(), PolicyError> {
        check::range(
            "extraction.context_messages",
            self.context_messages,
            1..=1_000,
        )?;
        check::range("extraction.queue_turns", self.queue_turns, 1..=10_000)?;
        check::range(
            "extraction.transcript_tokens",
            self.transcript_tokens,
            100..=MAX_TOKENS,
        )?;
        check::range("extraction.known_memories", self.known_memories, 0..=1_000)
    }
}
