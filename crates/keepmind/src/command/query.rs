//! Everything that reads: the table of queries. Answering them is the engine's.

use serde::{Deserialize, Serialize};

use crate::command::{Get, History};
use crate::owner::Revision;
use crate::store::{Cursor, Filter};
use crate::timestamp::Timestamp;

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
    /// How many at most; the policy's number of results when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// Where the last page ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Cursor>,
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

/// A search over the live set, also over what the block leaves out.
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
