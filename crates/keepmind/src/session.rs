//! One chat: its state, how far it has been learned from, and the block it was opened with.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::ids::{LeaseHolder, MessageNumber, RowId, SessionId};
use crate::timestamp::Timestamp;

/// One chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Session {
    /// Which chat.
    pub id: SessionId,
    /// When it was opened.
    pub opened_at: Timestamp,
    /// When it was last opened, resumed or pushed to: what recency means.
    pub active_at: Timestamp,
    /// Where it is in its life.
    pub status: SessionStatus,
    /// When it was put in the trash: an axis of its own beside the status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Timestamp>,
    /// What it is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Title>,
    /// The last message that has been learned from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extracted_through: Option<MessageNumber>,
    /// How often extraction has failed since it last succeeded.
    #[serde(default)]
    pub attempts: u32,
    /// When the next attempt is due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_at: Option<Timestamp>,
    /// Who is closing it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease: Option<Lease>,
    /// The running summary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recap: Option<Recap>,
    /// The block it was opened with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<FrozenBlock>,
    /// The lines of every block served to it: what it must not learn from.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub served: BTreeSet<String>,
}

impl Session {
    /// A chat opened at that moment, with nothing in it.
    pub fn open(id: SessionId, at: Timestamp) -> Self {
        Session {
            id,
            opened_at: at,
            active_at: at,
            status: SessionStatus::Active,
            deleted_at: None,
            title: None,
            extracted_through: None,
            attempts: 0,
            retry_at: None,
            lease: None,
            recap: None,
            block: None,
            served: BTreeSet::new(),
        }
    }
}

/// Where a chat is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionStatus {
    /// Being talked in.
    Active,
    /// Closed, recent.
    Idle,
    /// Closed long ago.
    Archived,
}

/// What a chat is called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Title {
    /// The words.
    pub text: String,
    /// The user's own title beats an automatic one.
    pub by_user: bool,
}

/// The right to close a chat, until a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lease {
    /// Who has it.
    pub holder: LeaseHolder,
    /// Until when.
    pub until: Timestamp,
}

/// The running summary of a chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recap {
    /// The summary.
    pub text: String,
    /// The last message it covers.
    pub through: MessageNumber,
}

/// The block a chat was opened with, byte for byte.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrozenBlock {
    /// What goes into the prompt.
    pub text: String,
    /// The revision it was rendered at.
    pub revision: u64,
    /// The rows in it.
    pub rows: Vec<RowId>,
}
