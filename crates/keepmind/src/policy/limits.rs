//! How large the things people and models hand in may be. Enforcing it lives at each door.

use super::PolicyError;
use super::check;
use serde::{Deserialize, Serialize};

/// Sizes beyond which input is refused. A policy may tighten them; the ceilings that `validate` names are
/// what rows, parsers and prompts are built for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Limits {
    /// A memory's content, in characters; at most 500.
    pub content_characters: u32,
    /// A memory's summary, in characters; at most 500.
    pub summary_characters: u32,
    /// A memory's body, in characters; at most 100,000.
    pub body_characters: u32,
    /// How many tags a memory has; at most 64.
    pub tags: u32,
    /// One tag, in characters; at most 200.
    pub tag_characters: u32,
    /// A structured key, in characters; at most 200.
    pub key_characters: u32,
    /// A structured value as JSON, in bytes; at most 65,536.
    pub value_bytes: u32,
    /// One message, in bytes; at most 64 MiB.
    pub message_bytes: u32,
    /// A search query, in characters; what follows is not searched. At most 100,000.
    pub query_characters: u32,
    /// How many hits or rows one query returns; at most 1,000.
    pub results: u32,
    /// A model's reply to extraction, in bytes; at most 65,536.
    pub reply_bytes: u32,
    /// How many operations such a reply holds; at most 32.
    pub reply_operations: u32,
    /// How deep such a reply and a tool's arguments nest; at most 16.
    pub reply_depth: u32,
    /// How many operations may rest on one quote before all of them are dropped; at most 32.
    pub operations_per_quote: u32,
}

impl Limits {
    pub(super) fn validate(&self) -> Result<(), PolicyError> {
        for (field, value, ceiling) in [
            ("content_characters", self.content_characters, 500),
            ("summary_characters", self.summary_characters, 500),
            ("body_characters", self.body_characters, 100_000),
            ("tags", self.tags, 64),
            ("tag_characters", self.tag_characters, 200),
            ("key_characters", self.key_characters, 200),
            ("value_bytes", self.value_bytes, 65_536),
            ("message_bytes", self.message_bytes, 64 * 1024 * 1024),
            ("query_characters", self.query_characters, 100_000),
            ("results", self.results, 1_000),
            ("reply_bytes", self.reply_bytes, 65_536),
            ("reply_operations", self.reply_operations, 32),
            ("reply_depth", self.reply_depth, 16),
            ("operations_per_quote", self.operations_per_quote, 32),
        ] {
            check::range(&format!("limits.{field}"), value, 1..=ceiling)?;
        }
        Ok(())
    }
}
