//! Which memories are meant: by what they are, where in their life they are, and what they say.

use std::borrow::Borrow;
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::ids::SessionId;
use crate::memory::{Authority, Layer, Source};
use crate::order::Gather;
use crate::row::MemoryRow;
use crate::store::outline::Outline;
use crate::strict::no_fields;
use crate::text;
use crate::timestamp::Timestamp;
use crate::visibility::{AsOf, Status, Visibility, status};

/// How long a text may be that rows are filtered by.
const LONGEST_TEXT: usize = 1_000;

/// Which memories. Empty sets and `None` let everything pass.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Filter {
    /// Which rows of the facts.
    pub selection: Selection,
    /// These facts' layers.
    #[serde(default)]
    pub layers: BTreeSet<Layer>,
    /// These categories.
    #[serde(default)]
    pub categories: BTreeSet<String>,
    /// These domains.
    #[serde(default)]
    pub domains: BTreeSet<String>,
    /// Not these domains: how withdrawn consent takes effect.
    #[serde(default)]
    pub excluded_domains: BTreeSet<String>,
    /// These authorities.
    #[serde(default)]
    pub authorities: BTreeSet<Authority>,
    /// These sources.
    #[serde(default)]
    pub sources: BTreeSet<Source>,
    /// At least one of these tags.
    #[serde(default)]
    pub tags: BTreeSet<String>,
    /// All of these tags.
    #[serde(default)]
    pub all_tags: BTreeSet<String>,
    /// From these chats.
    #[serde(default)]
    pub sessions: BTreeSet<SessionId>,
    /// Stored confidence at least this; explicit rows always pass.
    #[serde(default)]
    pub min_confidence: Option<f64>,
    /// Recorded at or after.
    #[serde(default)]
    pub recorded_from: Option<Timestamp>,
    /// Recorded before.
    #[serde(default)]
    pub recorded_until: Option<Timestamp>,
    /// True in the world since this moment, or since a later one.
    #[serde(default)]
    pub since_from: Option<Timestamp>,
    /// True in the world since before this.
    #[serde(default)]
    pub since_until: Option<Timestamp>,
    /// With all of these words, in any form, in its line, its summary, its detail, its key, its value or its tags.
    #[serde(default)]
    pub text: Option<String>,
}

/// Which rows of a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "rows", rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Selection {
    /// What is live at a moment.
    Live {
        /// The moment.
        at: Timestamp,
    },
    /// The row that answers an as-of question.
    AsOf {
        /// The question.
        question: AsOf,
    },
    /// Open candidates.
    #[serde(deserialize_with = "no_fields")]
    Held,
    /// Open rows whose time has run out at a moment: what a sweep ends.
    Expired {
        /// The moment.
        at: Timestamp,
    },
    /// Rows that are there in their life, whether or not a sweep has been by.
    Status {
        /// Where.
        status: Status,
        /// At which moment.
        at: Timestamp,
    },
    /// Ended rows.
    #[serde(deserialize_with = "no_fields")]
    Ended,
    /// Every row: the history.
    #[serde(deserialize_with = "no_fields")]
    All,
}

impl Filter {
    /// All rows of that selection.
    pub fn new(selection: Selection) -> Self {
        Filter {
            selection,
            layers: BTreeSet::new(),
            categories: BTreeSet::new(),
            domains: BTreeSet::new(),
            excluded_domains: BTreeSet::new(),
            authorities: BTreeSet::new(),
            sources: BTreeSet::new(),
            tags: BTreeSet::new(),
            all_tags: BTreeSet::new(),
            sessions: BTreeSet::new(),
            min_confidence: None,
            recorded_from: None,
            recorded_until: None,
            since_from: None,
            since_until: None,
            text: None,
        }
    }

    /// Whatever is live at a moment.
    pub fn live(at: Timestamp) -> Self {
        Filter::new(Selection::Live { at })
    }

    /// Whether a row passes. For [`Selection::AsOf`] the row must already be the one that answers:
    /// that takes all versions of its fact (see [`as_of`](crate::visibility::as_of)).
    pub fn matches(&self, row: &MemoryRow) -> bool {
        let Filter {
            selection,
            layers: _,
            categories: _,
            domains: _,
            excluded_domains: _,
            authorities: _,
            sources: _,
            tags,
            all_tags,
            sessions: _,
            min_confidence: _,
            recorded_from,
            recorded_until,
            since_from,
            since_until,
            text,
        } = self;
        let claim = &row.body.claim;
        let is_there = match *selection {
            Selection::Status { status: wanted, at } => status(row, at) == wanted,
            _ => true,
        };
        is_there
            && self.passes(&Outline::of(row))
            && (tags.is_empty() || !tags.is_disjoint(&claim.tags))
            && all_tags.is_subset(&claim.tags)
            && recorded_from.is_none_or(|from| row.recorded_at >= from)
            && recorded_until.is_none_or(|until| row.recorded_at < until)
            && since_from.is_none_or(|from| claim.valid_from >= from)
            && since_until.is_none_or(|until| claim.valid_from < until)
            && text.as_ref().is_none_or(|text| says(row, text))
    }

    /// Whether an outline says all that is asked of a row.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) fn is_plain(&self) -> bool {
        let Filter {
            selection,
            layers: _,
            categories: _,
            domains: _,
            excluded_domains: _,
            authorities: _,
            sources: _,
            tags,
            all_tags,
            sessions: _,
            min_confidence: _,
            recorded_from,
            recorded_until,
            since_from,
            since_until,
            text,
        } = self;
        let is_told = match selection {
            Selection::Live { .. }
            | Selection::Expired { .. }
            | Selection::Held
            | Selection::Ended
            | Selection::All => true,
            Selection::Status { .. } | Selection::AsOf { .. } => false,
        };
        let moments = [recorded_from, recorded_until, since_from, since_until];
        is_told
            && tags.is_empty()
            && all_tags.is_empty()
            && moments.into_iter().all(Option::is_none)
            && text.is_none()
    }

    /// Whether a row passes as far as its outline says.
    pub(crate) fn passes(&self, row: &Outline<'_>) -> bool {
        fn among<T: Ord + ?Sized, K: Ord + Borrow<T>>(wanted: &BTreeSet<K>, item: &T) -> bool {
            wanted.is_empty() || wanted.contains(item)
        }
        let Filter {
            selection,
            layers,
            categories,
            domains,
            excluded_domains,
            authorities,
            sources,
            tags: _,
            all_tags: _,
            sessions,
            min_confidence,
            recorded_from: _,
            recorded_until: _,
            since_from: _,
            since_until: _,
            text: _,
        } = self;
        let is_selected = match *selection {
            Selection::Live { at } => row.visibility(at) == Visibility::Live,
            Selection::Expired { at } => {
                row.is_open && row.expires_at.is_some_and(|expires| expires <= at)
            }
            Selection::Held => row.is_open && row.is_held,
            Selection::Ended => !row.is_open,
            Selection::Status { .. } | Selection::AsOf { .. } | Selection::All => true,
        };
        let is_of = |domains: &BTreeSet<String>| {
            let domain = row.domain.as_deref();
            domain.is_some_and(|domain| domains.contains(domain))
        };
        is_selected
            && among(layers, &row.layer)
            && among(categories, &*row.category)
            && (domains.is_empty() || is_of(domains))
            && !is_of(excluded_domains)
            && among(authorities, &row.authority)
            && among(sources, &row.source)
            && (sessions.is_empty()
                || row
                    .session
                    .is_some_and(|session| sessions.contains(&session)))
            && min_confidence.is_none_or(|floor| row.confidence.is_none_or(|sure| sure >= floor))
    }

    pub(crate) fn validate(&self, operation: &'static str) -> Result<()> {
        if self
            .min_confidence
            .is_some_and(|floor| !(0.0..=1.0).contains(&floor))
        {
            let message = "min_confidence must be a number from 0 to 1";
            return Err(Error::invalid(operation, message));
        }
        // It is looked for in every row.
        if self
            .text
            .as_ref()
            .is_some_and(|text| text.len() > LONGEST_TEXT)
        {
            let message = format!("text must have at most {LONGEST_TEXT} bytes");
            return Err(Error::invalid(operation, message));
        }
        Ok(())
    }
}

/// Whether a row has all words of a text; of one without any, whether it stands there as it is written.
fn says(row: &MemoryRow, text: &str) -> bool {
    let claim = &row.body.claim;
    let value = claim.value.as_ref().map(ToString::to_string);
    let parts = [&claim.summary, &claim.body, &claim.key, &value]
        .into_iter()
        .flatten();
    let mut parts = parts.chain(&claim.tags).chain([&claim.content]);
    let wanted = text::query_terms(text);
    if wanted.is_empty() {
        let folded = text::fold(text.trim());
        return parts.any(|part| text::fold(part).contains(&folded));
    }
    let terms: BTreeSet<String> = parts.flat_map(|part| text::terms(part)).gather();
    wanted.iter().all(|term| terms.contains(term))
}
