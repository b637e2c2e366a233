//! Whether a row is live now, and which row of a fact answers for a moment in the past.
//! Block, recall, tools and the stores' filters all derive from what is here.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::row::{MemoryRow, Why};
use crate::timestamp::Timestamp;

/// What a row is to a reader at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Visibility {
    /// Believed, and shown.
    Live,
    /// A candidate that is not yet believed.
    Held,
    /// Its time has run out, though no sweep has ended it yet.
    Expired,
    /// Ended.
    Ended,
}

/// What a row is to a reader at `now`.
pub fn visibility(row: &MemoryRow, now: Timestamp) -> Visibility {
    let claim = &row.body.claim;
    visibility_of(row.is_open(), claim.held, claim.expires_at, now)
}

/// The same of a row of which no more is known.
pub(crate) fn visibility_of(
    is_open: bool,
    is_held: bool,
    expires_at: Option<Timestamp>,
    now: Timestamp,
) -> Visibility {
    if !is_open {
        Visibility::Ended
    } else if is_held {
        Visibility::Held
    } else if expires_at.is_some_and(|expires| expires <= now) {
        Visibility::Expired
    } else {
        Visibility::Live
    }
}

/// Where a row is in its life: what a list is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Status {
    /// Believed, and shown.
    Active,
    /// A candidate that is not yet believed.
    Candidate,
    /// Its time has run out.
    Expired,
    /// Another version took its place.
    Superseded,
    /// Ended otherwise: forgotten, in the trash, turned down, undone, done.
    Inactive,
}

/// Where a row is in its life at `now`.
pub fn status(row: &MemoryRow, now: Timestamp) -> Status {
    match (visibility(row, now), row.end.map(|end| end.why)) {
        (Visibility::Live, _) => Status::Active,
        (Visibility::Held, _) => Status::Candidate,
        (Visibility::Expired, _) | (_, Some(Why::Expired { .. })) => Status::Expired,
        (_, Some(Why::Superseded { .. } | Why::Corrected { .. })) => Status::Superseded,
        (Visibility::Ended, _) => Status::Inactive,
    }
}

/// A question about the past: what was true at one moment, as the store knew it at another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AsOf {
    /// When it was true in the world.
    pub valid: Timestamp,
    /// When the store knew it.
    pub known: Timestamp,
}

impl AsOf {
    /// What is true now, as known now: the live set.
    pub fn now(now: Timestamp) -> Self {
        AsOf {
            valid: now,
            known: now,
        }
    }
}

/// The one row of a fact that answers an as-of question, if any does.
///
/// `versions` are all rows of one number, in order of version. Of the rows recorded by then and not
/// held, only the last copy of each origin counts, and what was known to be undone does not; an end
/// that came later is unknown. A fact whose highest version was forgotten, trashed or rejected does
/// not answer. Otherwise the highest version that was already true decides alone.
pub fn as_of<'a>(versions: &[&'a MemoryRow], question: AsOf) -> Option<&'a MemoryRow> {
    let AsOf { valid, known } = question;
    let end_known = |row: &MemoryRow| row.end.filter(|end| end.at <= known).map(|end| end.why);

    let recorded: Vec<&MemoryRow> = versions
        .iter()
        .copied()
        .filter(|row| row.recorded_at <= known && !row.body.claim.held)
        .collect();
    let mut seen = BTreeSet::new();
    let mut remaining: Vec<&MemoryRow> = recorded
        .into_iter()
        .rev()
        .filter(|row| seen.insert(row.origin) && end_known(row) != Some(Why::Undone))
        .collect();
    remaining.reverse();

    if let Some(Why::Forgotten | Why::Trashed | Why::Rejected) =
        remaining.last().copied().and_then(end_known)
    {
        return None;
    }
    let row = remaining
        .into_iter()
        .rev()
        .find(|row| row.body.claim.valid_from <= valid)?;
    let unexpired = row
        .body
        .claim
        .expires_at
        .is_none_or(|expires| valid < expires);
    let still_true = match end_known(row) {
        None => true,
        Some(why) => why.valid_until().is_some_and(|until| valid < until),
    };
    (unexpired && still_true).then_some(row)
}
