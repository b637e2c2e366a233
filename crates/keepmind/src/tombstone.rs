//! A span that must not be learned from again. It holds no text and no hash of any.
//!
//! What a host saw is one place of its own: the observation's id stands where a chat's would.

use serde::{Deserialize, Serialize};

use crate::ids::{MessageNumber, Number, SessionId};
use crate::memory::Span;

/// Part of a message that must not be learned from again; any overlap counts. Laid on an observation, it says
/// that neither this one nor what was seen of the same before it makes a habit.
///
/// Survives the purge of the fact it names, not the erasure of the owner. Lifted by undo, restore and accept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tombstone {
    /// The fact that was forgotten.
    pub number: Number,
    /// The chat the evidence stood in; of an observation its own id.
    pub session: SessionId,
    /// The message it stood in.
    pub message: MessageNumber,
    /// Where in it.
    pub span: Span,
}
