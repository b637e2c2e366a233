//! Everything that reads: the table of queries. Answering them is the engine's.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::command::{Get, History, LineageOf, ObservationList, TimelineOf, UsageList, WhyQuery};
use crate::ids::SessionId;
use crate::memory::{Authority, Layer, Source};
use crate::owner::Revision;
use crate::store::{Cursor, Filter};
use crate::timestamp::Timestamp;
use crate::visibility::{AsOf, Status};

/// Everything that reads. In JSON: `{"query":"recall","text":"…"}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "query", rename_all = "snake_case")]
#[non_exhaustive]
#[expect(
    clippy::large_enum_variant,
    reason = "one is made for each question and read where it is made"
)]
pub enum Query {
    /// The live row of a fact, with its links.
    Get(Get),
    /// What a fact is to a reader now.
    Visibility(Get),
    /// Facts by filter, page by page; live ones unless told otherwise.
    List(List),
    /// Every row of a fact, oldest first.
    History(History),
    /// What a memory was made from, and what was made from it.
    Lineage(LineageOf),
    /// A fact's life: its versions, what happened to them, and what it used to be.
    Timeline(TimelineOf),
    /// What was forgotten or put in the trash and can be restored, the latest first, page by page.
    Forgotten(Forgotten),
    /// What was true at one moment, as known at another.
    AsOf(AsOfQuery),
    /// Live facts by words or by meaning.
    Recall(Recall),
    /// Proposals that wait.
    Pending(Pending),
    /// The user's last word on each domain.
    Consents(Consents),
    /// What was written since a revision: the change feed.
    Changes(Changes),
    /// What was used in a chat, and how.
    Why(WhyQuery),
    /// The usage ledger, page by page, oldest first.
    Usage(UsageList),
    /// What the host saw.
    Observations(ObservationList),
    /// How much is kept.
    Stats(NoArguments),
    /// How well the memory does.
    Metrics(NoArguments),
    /// What wants a look.
    Health(NoArguments),
    /// What is known, what is new and what is doubtful.
    Review(NoArguments),
}

impl Query {
    /// The same, asked of a chat: about it where it does not say otherwise.
    pub(crate) fn in_session(mut self, session: SessionId) -> Self {
        match &mut self {
            Query::Why(WhyQuery { session: about })
            | Query::Usage(UsageList { session: about, .. }) => {
                about.get_or_insert(session);
            }
            _ => {}
        }
        self
    }
}

/// Facts by filter.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct List {
    /// Which rows; live ones when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<Filter>,
    /// Of this category only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Of this domain only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// Only rules, or only notes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authority: Option<Authority>,
    /// Only what is there in its life; what is live when left out. What waits for the user's word is not a
    /// memory yet: see [`Pending`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// Only what has all of these words, in any form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// How many at most; the policy's number of results when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// Where the last page ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Cursor>,
}

/// What can be restored.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Forgotten {
    /// How many at most; the policy's number of results when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// Where the last page ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Cursor>,
}

impl Forgotten {
    /// At most so many.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = Some(limit);
        self
    }
}

/// A question about the past.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct AsOfQuery {
    /// When it was true in the world.
    pub valid: Timestamp,
    /// When the store knew it; now when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<Timestamp>,
    /// How many at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// Where the last page ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Cursor>,
}

impl AsOfQuery {
    /// What was true at that moment, as it is known now.
    pub fn at(valid: Timestamp) -> Self {
        AsOfQuery {
            valid,
            known: None,
            limit: None,
            after: None,
        }
    }
}

/// A search over the live set, also over what the block leaves out. Every filter narrows it down.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Recall {
    /// What to look for: plain words in any script.
    pub text: String,
    /// How many at most; the policy's limit when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// Of this category only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Of this domain only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// Of this layer only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<Layer>,
    /// From this source only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// With all of these tags.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub tags: BTreeSet<String>,
    /// With a stored confidence of at least this, 0 to 1, where the policy asks for no more. What was said
    /// on purpose always passes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_confidence: Option<f64>,
    /// True in the world since this moment, or since a later one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since_from: Option<Timestamp>,
    /// True in the world since before this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since_until: Option<Timestamp>,
    /// Among what answers this question about the past instead of what is live. What is withdrawn stays
    /// out all the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub as_of: Option<AsOf>,
    /// How to look.
    #[serde(skip_serializing_if = "RecallBy::is_default")]
    pub by: RecallBy,
}

impl Recall {
    /// By words and meaning, as many as the policy says.
    pub fn new(text: impl Into<String>) -> Self {
        Recall {
            text: text.into(),
            ..Recall::default()
        }
    }

    /// At most so many.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = Some(limit);
        self
    }
}

impl From<&str> for Recall {
    fn from(text: &str) -> Self {
        Recall::new(text)
    }
}

/// How to look for memories.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RecallBy {
    /// By words and by meaning, as the policy fuses them; by words alone without an embedder, and where it
    /// fails or is late.
    #[default]
    Both,
    /// By words, ranked by BM25.
    Words,
    /// By meaning, where an embedder is plugged in.
    Meaning,
}

impl RecallBy {
    fn is_default(&self) -> bool {
        *self == RecallBy::default()
    }
}

/// Proposals that wait.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Pending {}

/// A query that takes nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct NoArguments {}

/// The user's last word on each domain.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Consents {}

/// What was written since a revision.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Changes {
    /// The revision of the last answer; from the beginning when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Revision>,
    /// How many entries at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}
