//! What is said and asked of the usage ledger.

use serde::{Deserialize, Serialize};

use crate::command::Which;
use crate::ids::SessionId;
use crate::store::Cursor;
use crate::timestamp::Timestamp;
use crate::usage::UsageKind;

/// What a fact was used for, in the host's words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct UsedAs {
    /// Which fact. In a chat the version that was in play there.
    pub target: Which,
    /// How: `applied`, `cited`, `conflicted` or `overridden`. What was retrieved is recorded by itself.
    pub kind: UsageKind,
    /// What it changed, in one line of at most 500 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub influence: Option<String>,
}

impl UsedAs {
    /// It was used like that.
    pub fn new(target: impl Into<Which>, kind: UsageKind) -> Self {
        UsedAs {
            target: target.into(),
            kind,
            influence: None,
        }
    }

    /// And changed that.
    #[must_use]
    pub fn influence(mut self, influence: impl Into<String>) -> Self {
        self.influence = Some(influence.into());
        self
    }
}

/// What was used in a chat.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct WhyQuery {
    /// Which chat; asked of a chat, that one when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
}

impl WhyQuery {
    /// What was used in that chat.
    pub fn of(session: SessionId) -> Self {
        WhyQuery {
            session: Some(session),
        }
    }
}

/// A page of the usage ledger.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct UsageList {
    /// Of this fact only, all versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<Which>,
    /// In this chat only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// Of this kind only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<UsageKind>,
    /// At this moment or later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// How many at most; the policy's number of results when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// Where the last page ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Cursor>,
}
