//! What is asked for with one message: the memories that help to answer it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::visibility::AsOf;

/// A message, and how much room there is for what is told with it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct ContextRequest {
    /// What the user said. It may be empty: then there is only what is told always.
    pub message: String,
    /// How many tokens the text may take; memories' share of the window when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<u32>,
    /// How many tokens the model's window holds; the policy's `compression.context_budget` when left out.
    /// Memories take at most their share of it (`recall.window_share`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<u32>,
    /// How many of the chat's last messages may be told too; a few when left out. 0 where the model is sent
    /// the chat itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recent_messages: Option<u32>,
    /// Domains whose memories are wanted, besides those that the message speaks of.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub domains: BTreeSet<String>,
    /// As it would have been at a moment in the past: from what was true and known then, without what the user
    /// has forgotten, thrown away or taken back since, and without what was said later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub as_of: Option<AsOf>,
}

impl ContextRequest {
    /// For that message, within memories' share of the window.
    pub fn new(message: impl Into<String>) -> Self {
        ContextRequest {
            message: message.into(),
            ..ContextRequest::default()
        }
    }

    /// Within so many tokens.
    #[must_use]
    pub fn budget(mut self, tokens: u32) -> Self {
        self.budget = Some(tokens);
        self
    }

    /// For a model whose window holds so many tokens.
    #[must_use]
    pub fn window(mut self, tokens: u32) -> Self {
        self.window = Some(tokens);
        self
    }

    /// With the memories of that domain, whatever the message speaks of.
    #[must_use]
    pub fn domain(mut self, domain: impl Into<String>) -> Self {
        self.domains.insert(domain.into());
        self
    }

    /// As it would have been then.
    #[must_use]
    pub fn as_of(mut self, question: AsOf) -> Self {
        self.as_of = Some(question);
        self
    }

    /// With so many of the chat's last messages.
    #[must_use]
    pub fn recent_messages(mut self, count: u32) -> Self {
        self.recent_messages = Some(count);
        self
    }
}

impl From<&str> for ContextRequest {
    fn from(message: &str) -> Self {
        ContextRequest::new(message)
    }
}
