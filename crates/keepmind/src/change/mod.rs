//! The only way to write: a set of changes, made by a pure plan and committed as a whole.

mod apply;
mod draft;
mod rows_after;
mod sessions;
mod slice;
mod snapshot;
mod validate;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::embedding::{EmbeddingKey, Vector};
use crate::ids::{
    MessageNumber, MessageOrdinal, ObservationId, OperationId, RowId, SessionId, UsageId,
};
use crate::journal::JournalEntry;
use crate::memory::{Lineage, Marks};
use crate::message::Utterance;
use crate::observation::Observation;
use crate::owner::Revision;
use crate::row::{Body, End, Kind, Row};
use crate::session::{FrozenBlock, Lease, Recap, Session, SessionStatus, Title};
use crate::timestamp::Timestamp;
use crate::trace::{Trace, TraceKey};
use crate::usage::Usage;

pub use draft::{Direction, Draft, EntryHeader};
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) use sessions::Placement;
pub use slice::Slice;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) use slice::content_hash;
pub use snapshot::Snapshot;
pub(crate) use validate::check_embedder;
pub use validate::limits;

/// What is written, all of it or nothing.
///
/// # The contract
///
/// *Definition.* A change set holds at most one change for each key, so the order of its changes cannot
/// matter. Rows are inserted, altered (their marks, and their end, once) or purged; messages and
/// observations are appended; sessions are opened, edited or purged. There is no other kind of write,
/// erasure and retention aside. What a change set means is [`Snapshot::apply`]; every store answers as
/// that function does.
///
/// *Checked and unchecked.* Rows, lineage, consent and a session's watermark are the checked part: it
/// travels with a journal entry, is committed only at the revision it was planned at
/// ([`Expected::At`]), and moves the revision. Messages, observations, traces, usage, embeddings and a
/// session's other columns are unchecked: they never conflict and do not move the revision. A lease is
/// its own compare-and-set, and so is what a [`SessionEdit`] expects.
///
/// *Always.* After a commit: an ended row is unchanged for ever; of each origin at most one row is
/// open; of each number at most one row is open and not held; of each (domain, key) at most one open
/// rule is not held; links join facts that exist; lineage joins rows that exist; versions of a number
/// are unique; stamps go up; journal entries count up without gaps.
///
/// *Ids.* A row's id is its own among all kinds of rows; seeing to that is the plan's part.
///
/// *Repeating.* A store remembers each operation id (until retention lets it go) and answers a
/// repeated one with the first answer, whatever the second set holds.
///
/// *Purging* a row takes its lineage, embeddings, index entries and usage with it. Links, proposals,
/// traces, recaps and blocks that speak of it are the plan's to purge or clear: a set that would leave
/// a link without its fact is refused.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangeSet {
    /// Names this commit.
    pub operation: OperationId,
    /// The stamp of a checked commit; of an unchecked one, when it was made.
    pub at: Timestamp,
    /// What the journal keeps: one entry for a checked commit, none for an unchecked one, and all of
    /// them when an export is restored.
    pub entries: Vec<JournalEntry>,
    /// The number the next fact gets from now on, where it moves.
    pub next_number: Option<u64>,
    /// Memories, links, tombstones and proposals.
    pub rows: BTreeMap<RowId, RowChange>,
    /// New lineage. It goes with either of its rows, never by itself.
    pub lineage: BTreeSet<Lineage>,
    /// Consent given (`true`) or withdrawn, by domain and stamp.
    pub consents: BTreeMap<(String, Timestamp), bool>,
    /// Chats.
    pub sessions: BTreeMap<SessionId, SessionChange>,
    /// Messages, in the order they were said.
    pub messages: Vec<NewMessage>,
    /// Observations. One whose id is known already is left as it is.
    pub observations: BTreeMap<ObservationId, Observation>,
    /// Records of tool calls. The first record of a call stays; one whose session is gone is dropped.
    pub traces: BTreeMap<TraceKey, TraceChange>,
    /// Uses of memories. One whose memory is gone is dropped.
    pub usage: BTreeMap<UsageId, Usage>,
    /// Embeddings. One whose memory is gone is dropped.
    pub embeddings: BTreeMap<EmbeddingKey, EmbeddingChange>,
}

/// What becomes of a row.
#[derive(Debug, Clone, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "almost every change is an insertion"
)]
pub enum RowChange {
    /// A new row, possibly one that has ended already.
    Insert(Row<Body>),
    /// New marks, an end, or both, for an open row.
    Alter(Alteration),
    /// The row is gone for good.
    Purge(Kind),
}

/// New marks, an end, or both, for an open row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Alteration {
    /// Which kind of row it is.
    pub kind: Kind,
    /// The marks from now on.
    pub marks: Option<Marks>,
    /// The end, set once.
    pub end: Option<End>,
}

/// What becomes of a chat.
#[derive(Debug, Clone, PartialEq)]
pub enum SessionChange {
    /// It is new.
    Open(Session),
    /// Some of its columns change.
    Edit(SessionEdit),
    /// It is gone for good, with its messages and traces.
    Purge,
}

/// The columns of a chat that change; `None` leaves one as it is.
///
/// Column by column, so that a title set by one process and a recap set by another both stay.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SessionEdit {
    /// The whole set conflicts unless this is the chat's last message (`Some(None)`: it has none).
    pub expect_last_message: Option<Option<MessageNumber>>,
    /// The whole set conflicts unless the chat has this status.
    pub expect_status: Option<SessionStatus>,
    /// The whole set conflicts unless the chat is (`true`) or is not in the trash.
    pub expect_deleted: Option<bool>,
    /// The whole set conflicts unless the chat has (`true`) or has no title.
    pub expect_titled: Option<bool>,
    /// Takes, renews or gives back the lease.
    pub lease: Option<LeaseChange>,
    /// See [`Session::active_at`].
    pub active_at: Option<Timestamp>,
    /// See [`Session::status`].
    pub status: Option<SessionStatus>,
    /// See [`Session::deleted_at`].
    pub deleted_at: Option<Option<Timestamp>>,
    /// See [`Session::title`]. An automatic title leaves the user's own as it is.
    pub title: Option<Option<Title>>,
    /// See [`Session::extracted_through`]. The one checked column.
    pub extracted_through: Option<MessageNumber>,
    /// See [`Session::attempts`].
    pub attempts: Option<u32>,
    /// See [`Session::retry_at`].
    pub retry_at: Option<Option<Timestamp>>,
    /// See [`Session::recap`]. One that reaches less far leaves the one that is there.
    pub recap: Option<Option<Recap>>,
    /// See [`Session::block`].
    pub block: Option<Option<FrozenBlock>>,
    /// See [`Session::served`].
    pub served: Option<BTreeSet<String>>,
}

/// A lease's compare-and-set: the whole set conflicts unless the lease is what the plan saw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaseChange {
    /// What the plan saw.
    pub expected: Option<Lease>,
    /// What it becomes.
    pub to: Option<Lease>,
}

/// A message to append.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMessage {
    /// The chat it belongs to.
    pub session: SessionId,
    /// Its place, when an export is restored; otherwise the store gives it the next one.
    pub place: Option<Place>,
    /// What was said.
    pub utterance: Utterance,
}

/// A message's place in its chat and among all messages of its owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// Its place in the chat.
    pub number: MessageNumber,
    /// Its place among all messages of the owner.
    pub ordinal: MessageOrdinal,
}

/// What becomes of the record of a tool call.
#[derive(Debug, Clone, PartialEq)]
pub enum TraceChange {
    /// The call has finished.
    Record(Trace),
    /// The record is gone for good.
    Purge,
}

/// What becomes of an embedding.
#[derive(Debug, Clone, PartialEq)]
pub enum EmbeddingChange {
    /// The vector of the row's text from now on.
    Set(Vector),
    /// There is none from now on.
    Remove,
}

/// What must hold for a commit to happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// The owner's data stands at this revision. What a set with a checked part needs.
    At(Revision),
    /// Whatever the revision. Only for a set without a checked part.
    Any,
}

/// What a commit answers, and answers again when it is repeated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Receipt {
    /// Where the owner's data stands after it.
    pub revision: Revision,
    /// The commit's stamp.
    pub at: Timestamp,
    /// The places its messages got, in order.
    pub places: Vec<Place>,
}

impl ChangeSet {
    /// A set with nothing in it yet.
    pub fn new(operation: OperationId, at: Timestamp) -> Self {
        ChangeSet {
            operation,
            at,
            entries: Vec::new(),
            next_number: None,
            rows: BTreeMap::new(),
            lineage: BTreeSet::new(),
            consents: BTreeMap::new(),
            sessions: BTreeMap::new(),
            messages: Vec::new(),
            observations: BTreeMap::new(),
            traces: BTreeMap::new(),
            usage: BTreeMap::new(),
            embeddings: BTreeMap::new(),
        }
    }

    /// True when the set moves the revision and so needs [`Expected::At`].
    pub fn is_checked(&self) -> bool {
        !self.entries.is_empty()
    }

    /// True when text must be gone for good, from every file, before the commit is answered: what a
    /// store must see to.
    pub fn removes_text(&self) -> bool {
        self.rows
            .values()
            .any(|change| matches!(change, RowChange::Purge(_)))
            || self.sessions.values().any(|change| match change {
                SessionChange::Open(_) => false,
                SessionChange::Edit(edit) => edit.recap == Some(None) || edit.block == Some(None),
                SessionChange::Purge => true,
            })
            || self
                .traces
                .values()
                .any(|change| matches!(change, TraceChange::Purge))
    }
}
