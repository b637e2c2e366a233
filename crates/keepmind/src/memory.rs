//! A memory: what one row claims, how it knows, and how far it may be trusted.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ids::{MessageNumber, Number, ObservationId, RowId, SessionId, Version};
use crate::timestamp::Timestamp;

/// One version of a fact.
///
/// `#12` is the fact through all its versions; `v3` is one row of it. The pair is unique for an owner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    /// Which fact.
    pub number: Number,
    /// Which row of it.
    pub version: Version,
    /// What it says and how it knows.
    pub claim: Claim,
}

/// What a memory says and how it knows: everything about it that never changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Which layer it belongs to.
    pub layer: Layer,
    /// The policy's category.
    pub category: String,
    /// Whether it must be respected or only informs.
    pub authority: Authority,
    /// The policy's domain, where one is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// A structured key. At most one open `rule` holds a (domain, key).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// A structured value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// One line: what is injected and searched.
    pub content: String,
    /// A shorter line, injected in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Long detail: searched with lower weight, never injected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Free words.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub tags: BTreeSet<String>,
    /// How it came in.
    pub source: Source,
    /// The lowest trust of all it was made from.
    pub trust: Trust,
    /// A candidate: not yet believed. Promotion is a new version.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub held: bool,
    /// The chat it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// The messages of that chat it came from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<MessageNumber>,
    /// What it rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
    /// Since when it is true in the world; never later than when it was recorded.
    pub valid_from: Timestamp,
    /// When it stops being shown by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// Permits acting for the user.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub authorises_action: bool,
}

impl Claim {
    /// A plain note of the user's: a fact without domain, key, evidence or expiry.
    pub fn note(
        category: impl Into<String>,
        content: impl Into<String>,
        valid_from: Timestamp,
    ) -> Self {
        Claim {
            layer: Layer::Fact,
            category: category.into(),
            authority: Authority::Note,
            domain: None,
            key: None,
            value: None,
            content: content.into(),
            summary: None,
            body: None,
            tags: BTreeSet::new(),
            source: Source::User,
            trust: Trust::User,
            held: false,
            session: None,
            messages: Vec::new(),
            evidence: Vec::new(),
            valid_from,
            expires_at: None,
            authorises_action: false,
        }
    }
}

/// What may change about a memory while it is live. Other kinds of row leave it at its default.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Marks {
    /// How much it matters, 0 to 1.
    pub importance: f64,
    /// How sure the store is, 0 to 1; nothing for what was said explicitly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// When the user last affirmed it. Retrieval never counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_confirmed_at: Option<Timestamp>,
    /// How often it was affirmed.
    #[serde(default)]
    pub confirmations: u32,
    /// How often behaviour spoke against it.
    #[serde(default)]
    pub contradictions: u32,
}

impl Default for Marks {
    fn default() -> Self {
        Marks {
            importance: 0.5,
            confidence: None,
            last_confirmed_at: None,
            confirmations: 0,
            contradictions: 0,
        }
    }
}

impl Marks {
    /// True when nothing was ever marked.
    pub(crate) fn is_default(&self) -> bool {
        *self == Marks::default()
    }
}

/// The layer a memory belongs to; messages and observations lie below all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Layer {
    /// What happened in one chat.
    Episode,
    /// One claim.
    Fact,
    /// Compiled from facts: a cache.
    Digest,
}

/// Whether a memory must be respected or only informs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Authority {
    /// Informs judgement.
    Note,
    /// Must be respected. Only what is explicit or accepted becomes one.
    Rule,
}

/// How a memory came in. Stamped by the entry path, never read from a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Source {
    /// The host, on the user's behalf.
    User,
    /// A tool call of the assistant.
    Agent,
    /// Read from a chat.
    Extracted,
    /// Made from other rows or observations.
    Derived,
    /// Brought in from elsewhere.
    Imported,
}

impl Source {
    /// Said or saved on purpose: what automation may never overwrite.
    pub fn is_explicit(self) -> bool {
        matches!(self, Source::User | Source::Agent)
    }
}

/// How far a memory may be trusted; greater is better. Never raised by rewriting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// Concluded from other rows or behaviour.
    Derived,
    /// Read from what the user said.
    Extracted,
    /// The assistant's word.
    Agent,
    /// The user's word.
    User,
}

/// What a memory rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Evidence {
    /// The user's own words.
    Quote {
        /// In which chat.
        session: SessionId,
        /// In which message.
        message: MessageNumber,
        /// Where in it.
        span: Span,
        /// The words, verbatim.
        quote: String,
    },
    /// Behaviour a host saw.
    Observation {
        /// Which one.
        id: ObservationId,
    },
}

/// A range of bytes in a message's content, from `start` up to but without `end`, on character borders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Span {
    /// True when the two share at least one byte.
    pub fn overlaps(self, other: Span) -> bool {
        self.start < other.end && other.start < self.end
    }
}

/// One step of lineage: `row` was made from `from`. Provenance, so it joins rows, not facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lineage {
    /// The row that was made.
    pub row: RowId,
    /// The row it was made from.
    pub from: RowId,
}
