//! The ledger of what memories were used for.

use serde::{Deserialize, Serialize};

use crate::ids::{RowId, SessionId, UsageId};
use crate::timestamp::Timestamp;

/// One use of a memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Usage {
    /// Which entry.
    pub id: UsageId,
    /// When.
    pub at: Timestamp,
    /// In which chat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// Which row was used.
    pub memory: RowId,
    /// How.
    pub kind: UsageKind,
    /// What it changed, in the host's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub influence: Option<String>,
}

/// How a memory was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum UsageKind {
    /// It was found.
    Retrieved,
    /// It shaped an action.
    Applied,
    /// The answer named it.
    Cited,
    /// It spoke against something.
    Conflicted,
    /// The user decided otherwise.
    Overridden,
}

impl UsageKind {
    /// The word for it: `retrieved`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            UsageKind::Retrieved => "retrieved",
            UsageKind::Applied => "applied",
            UsageKind::Cited => "cited",
            UsageKind::Conflicted => "conflicted",
            UsageKind::Overridden => "overridden",
        }
    }
}
