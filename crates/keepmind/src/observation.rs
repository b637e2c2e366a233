//! Behaviour a host saw: the raw layer beside messages, evidence for derived memories only.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ids::ObservationId;
use crate::timestamp::Timestamp;

/// Behaviour a host saw. Appended, never rewritten.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observation {
    /// Which one.
    pub id: ObservationId,
    /// What saw it: the host's word.
    pub source: String,
    /// What was seen.
    pub payload: Value,
    /// When.
    pub at: Timestamp,
}
