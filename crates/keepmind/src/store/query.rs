//! What a store can be asked page by page, and what it answers. Which memories is in `filter`, searches are in
//! `searches`.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::ids::{MessageNumber, Number, ObservationId, RowId, SessionId, Version};
use crate::message::{Message, Role};
use crate::observation::Observation;
use crate::owner::{Owner, OwnerState};
use crate::search::keywords::Terms;
use crate::session::{Session, SessionStatus};
use crate::store::{Cursor, Filter};
use crate::text;
use crate::timestamp::Timestamp;
use crate::usage::{Usage, UsageKind};

/// The most items a page or a search answers; more is asked for with the cursor.
pub const MAX_LIMIT: usize = 10_000;

/// A list of memories, in order of number and version.
#[derive(Debug, Clone, PartialEq)]
pub struct ListQuery {
    /// Which ones.
    pub filter: Filter,
    /// How many at most; larger than [`MAX_LIMIT`] means that.
    pub limit: usize,
    /// Where the last page ended.
    pub after: Option<Cursor>,
}

/// Which memories an embedder has still to see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnembeddedQuery {
    /// Without a vector of this embedder,
    pub embedder: String,
    /// of so many dimensions.
    pub dimensions: usize,
    /// After this one.
    pub after: Option<(Number, Version)>,
    /// How many at most; larger than [`MAX_LIMIT`] means that.
    pub limit: usize,
}

/// Chats, the most recently active first.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionQuery {
    /// In one of these states; empty for all.
    pub statuses: BTreeSet<SessionStatus>,
    /// In the trash, or not; `None` for both.
    pub deleted: Option<bool>,
    /// Not active since: what a sweep closes.
    pub inactive_since: Option<Timestamp>,
    /// With an attempt that is due at this moment.
    pub retry_due: Option<Timestamp>,
    /// How many at most.
    pub limit: usize,
    /// Where the last page ended.
    pub after: Option<Cursor>,
}

/// Messages of a chat in order of their numbers, or of all chats in the order they were said; or backwards.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageQuery {
    /// Of this chat; `None` for all.
    pub session: Option<SessionId>,
    /// After this one in its chat. Only with `session`.
    pub after_number: Option<MessageNumber>,
    /// The latest first.
    pub newest_first: bool,
    /// How many at most.
    pub limit: usize,
    /// Where the last page ended.
    pub after: Option<Cursor>,
}

/// A search over what was said.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageSearch {
    /// What to look for.
    pub text: String,
    /// In this chat; `None` for all.
    pub session: Option<SessionId>,
    /// By these speakers; empty for all.
    pub roles: BTreeSet<Role>,
    /// How many at most.
    pub limit: usize,
}

/// A message that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageHit {
    /// The message.
    pub message: Message,
    /// How well it fits. Best first; of equals the newest.
    pub score: f64,
    /// The terms of the query it holds.
    pub matched: Vec<String>,
}

/// Observations, oldest first, or backwards.
#[derive(Debug, Clone, PartialEq)]
pub struct ObservationQuery {
    /// Only these; empty for all.
    pub ids: BTreeSet<ObservationId>,
    /// Seen by this source; `None` for all.
    pub source: Option<String>,
    /// Holding every term of this text.
    pub text: Option<String>,
    /// Seen at or after.
    pub from: Option<Timestamp>,
    /// Seen before.
    pub until: Option<Timestamp>,
    /// The latest first.
    pub newest_first: bool,
    /// How many at most.
    pub limit: usize,
    /// Where the last page ended.
    pub after: Option<Cursor>,
}

/// Records of tool calls, oldest first.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceQuery {
    /// Of this chat; `None` for all.
    pub session: Option<SessionId>,
    /// How many at most.
    pub limit: usize,
    /// Where the last page ended.
    pub after: Option<Cursor>,
}

/// The usage ledger, oldest first.
#[derive(Debug, Clone, PartialEq)]
pub struct UsageQuery {
    /// In this chat; `None` for all.
    pub session: Option<SessionId>,
    /// Of these rows; empty for all.
    pub memories: BTreeSet<RowId>,
    /// Of these kinds; empty for all.
    pub kinds: BTreeSet<UsageKind>,
    /// At this moment or later; `None` for all.
    pub since: Option<Timestamp>,
    /// How many at most.
    pub limit: usize,
    /// Where the last page ended.
    pub after: Option<Cursor>,
}

impl UsageQuery {
    /// The whole ledger.
    pub fn all(limit: usize) -> Self {
        UsageQuery {
            session: None,
            memories: BTreeSet::new(),
            kinds: BTreeSet::new(),
            since: None,
            limit,
            after: None,
        }
    }

    pub(crate) fn matches(&self, usage: &Usage) -> bool {
        let in_session = |session| usage.session == Some(session);
        self.session.is_none_or(in_session)
            && (self.memories.is_empty() || self.memories.contains(&usage.memory))
            && (self.kinds.is_empty() || self.kinds.contains(&usage.kind))
            && self.since.is_none_or(|since| usage.at >= since)
    }
}

impl SessionQuery {
    /// All chats that are not in the trash.
    pub fn recent(limit: usize) -> Self {
        SessionQuery {
            statuses: BTreeSet::new(),
            deleted: Some(false),
            inactive_since: None,
            retry_due: None,
            limit,
            after: None,
        }
    }

    pub(crate) fn matches(&self, session: &Session) -> bool {
        (self.statuses.is_empty() || self.statuses.contains(&session.status))
            && self
                .deleted
                .is_none_or(|deleted| session.deleted_at.is_some() == deleted)
            && self
                .inactive_since
                .is_none_or(|since| session.active_at < since)
            && self
                .retry_due
                .is_none_or(|now| session.retry_at.is_some_and(|due| due <= now))
    }
}

impl MessageQuery {
    /// Where a message stands in the order of the answer: in its chat, or among all.
    pub(crate) fn place(&self, message: &Message) -> u64 {
        match self.session {
            Some(_) => message.number.get(),
            None => message.ordinal.get(),
        }
    }

    /// A chat from its beginning.
    pub fn of(session: SessionId, limit: usize) -> Self {
        MessageQuery {
            session: Some(session),
            after_number: None,
            newest_first: false,
            limit,
            after: None,
        }
    }

    pub(crate) fn validate(&self) -> Result<()> {
        if self.after_number.is_some() && self.session.is_none() {
            return Err(Error::invalid(
                "messages",
                "a message number means nothing without its session: pass the session too",
            ));
        }
        Ok(())
    }

    pub(crate) fn matches(&self, message: &Message) -> bool {
        self.session
            .is_none_or(|session| message.session == session)
            && self
                .after_number
                .is_none_or(|number| message.number > number)
    }
}

impl MessageSearch {
    pub(crate) fn matches(&self, message: &Message) -> bool {
        self.session
            .is_none_or(|session| message.session == session)
            && (self.roles.is_empty() || self.roles.contains(&message.utterance.role))
    }
}

impl ObservationQuery {
    /// All observations, oldest first.
    pub fn all(limit: usize) -> Self {
        ObservationQuery {
            ids: BTreeSet::new(),
            source: None,
            text: None,
            from: None,
            until: None,
            newest_first: false,
            limit,
            after: None,
        }
    }

    pub(crate) fn matcher(&self) -> impl Fn(&Observation) -> bool {
        let terms = self.text.as_deref().map(text::query_terms);
        move |seen| {
            (self.ids.is_empty() || self.ids.contains(&seen.id))
                && self
                    .source
                    .as_ref()
                    .is_none_or(|source| seen.source == *source)
                && self.from.is_none_or(|from| seen.at >= from)
                && self.until.is_none_or(|until| seen.at < until)
                && terms.as_ref().is_none_or(|terms| {
                    !terms.is_empty() && Terms::of_observation(seen).contains_all(terms)
                })
        }
    }
}

/// One page of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Page<T> {
    /// What is on it.
    pub items: Vec<T>,
    /// Where it ended, when there may be more.
    pub next: Option<Cursor>,
    /// The owner's counters when it was read.
    pub state: OwnerState,
}

/// What a store lets go of by age. Moments; what is older goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Retention {
    /// Usage before this.
    pub usage_before: Option<Timestamp>,
    /// Records of tool calls finished before this.
    pub traces_before: Option<Timestamp>,
    /// Operation ids committed before this: repeating one is no longer recognised.
    pub operations_before: Option<Timestamp>,
}

/// How much retention let go of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Retained {
    /// Uses.
    pub usage: u64,
    /// Records of tool calls.
    pub traces: u64,
    /// Operation ids.
    pub operations: u64,
}

/// An owner, as the owners' page shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnerSummary {
    /// Whose memory.
    pub owner: Owner,
    /// Its counters.
    pub state: OwnerState,
}

/// What a store says about itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StoreInfo {
    /// `memory`, `sqlite`, `postgres` or a host's own word.
    pub backend: String,
    /// The engine underneath and its version.
    pub engine: String,
    /// The version of the schema.
    pub schema: u32,
    /// The version of the terms the keyword index is made of.
    pub terms: u32,
    /// How many owners have data.
    pub owners: u64,
    /// How many bytes it takes, where that is known.
    pub bytes: Option<u64>,
}

impl StoreInfo {
    /// What a store of that kind says about itself.
    pub fn new(backend: impl Into<String>, engine: impl Into<String>) -> Self {
        StoreInfo {
            backend: backend.into(),
            engine: engine.into(),
            schema: 1,
            terms: crate::text::TERMS_VERSION,
            owners: 0,
            bytes: None,
        }
    }
}
