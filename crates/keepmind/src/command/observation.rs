//! What is said and asked of what a host saw.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::store::Cursor;
use crate::timestamp::Timestamp;

/// Behaviour that a host saw: the raw layer beside messages. It is kept as it is given and never changed;
/// nothing is believed because of one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Observe {
    /// What saw it: a name of the host's, in one line.
    pub source: String,
    /// What was seen: any JSON but null.
    pub payload: Value,
    /// When; now when left out, never later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
}

impl Observe {
    /// That was seen just now.
    pub fn new(source: impl Into<String>, payload: Value) -> Self {
        Observe {
            source: source.into(),
            payload,
            at: None,
        }
    }

    /// It was seen then.
    #[must_use]
    pub fn at(mut self, moment: Timestamp) -> Self {
        self.at = Some(moment);
        self
    }
}

/// A page of what a host saw, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct ObservationList {
    /// By this source only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// With all of these words, in any form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Seen at this moment or later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// Seen before this moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// How many at most; the policy's number of results when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// Where the last page ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Cursor>,
}
