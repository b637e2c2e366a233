//! The record of one tool call.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ids::SessionId;
use crate::timestamp::Timestamp;

/// What a trace is found by: one for each call id in a chat.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceKey {
    /// The chat the call was made in.
    pub session: SessionId,
    /// The call's id, as the model's provider gave it.
    pub call: String,
}

/// The record of one finished tool call. The first record of a call stays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    /// Which call.
    pub key: TraceKey,
    /// The tool's name.
    pub tool: String,
    /// What it was called with.
    pub arguments: Value,
    /// What it answered.
    pub result: String,
    /// Whether it did what was asked.
    pub outcome: TraceOutcome,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended.
    pub finished_at: Timestamp,
}

/// Whether a call did what was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TraceOutcome {
    /// It did.
    Complete,
    /// It did not; the result says why.
    Failed,
}
