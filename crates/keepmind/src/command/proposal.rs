//! What waits for the user's word, and the user's word on it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::command::{Forget, Save, Update};
use crate::ids::RowId;

/// Something that waits for the user's word.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Propose {
    /// What accepting does.
    pub change: ProposedChange,
    /// Why, in a line.
    pub reasoning: String,
    /// The user's words that speak for it, as they stand in the chat: for a tool's call, which is made in
    /// one. A host's own call is the user's word and needs none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
}

impl Propose {
    /// That change, for that reason.
    pub fn new(change: ProposedChange, reasoning: impl Into<String>) -> Self {
        Propose {
            change,
            reasoning: reasoning.into(),
            evidence: None,
        }
    }
}

/// What accepting a proposal will do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ProposedChange {
    /// Saves a fact.
    Save(Box<Save>),
    /// Updates a fact.
    Update(Box<Update>),
    /// Forgets a fact.
    Forget(Forget),
}

/// Accepts a proposal: exactly what it holds is stored, as the user's own word.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Accept {
    /// Which proposal.
    pub proposal: RowId,
    /// Other words for it, where the user wrote some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Another value for it, with the words that say it. Other words without one leave it without a value: the
    /// old one spoke of the old words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
}

impl Accept {
    /// As it was proposed.
    pub fn new(proposal: RowId) -> Self {
        Accept {
            proposal,
            content: None,
            value: None,
        }
    }

    /// In these words instead.
    #[must_use]
    pub fn content(mut self, content: impl Into<String>) -> Self {
        self.content = Some(content.into());
        self
    }

    /// With this value instead.
    #[must_use]
    pub fn value(mut self, value: Value) -> Self {
        self.value = Some(value);
        self
    }
}

/// Turns a proposal down: its words are not learned from again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Reject {
    /// Which proposal.
    pub proposal: RowId,
}

impl Reject {
    /// Turns that proposal down.
    pub fn new(proposal: RowId) -> Self {
        Reject { proposal }
    }
}
