//! Where rows live. A store holds rows, never rules: what a commit means is
//! [`Snapshot::apply`](crate::Snapshot::apply), and every backend answers as that function does.

mod cursor;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod database;
mod filter;
mod found;
pub mod in_memory;
mod outline;
mod paging;
mod place;
#[cfg(feature = "postgres")]
pub mod postgres;
mod query;
mod searches;
#[cfg(feature = "sqlite")]
pub mod sqlite;

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;

use crate::change::{ChangeSet, Expected, Receipt, Slice, Snapshot};
use crate::error::Result;
use crate::journal::JournalEntry;
use crate::message::Message;
use crate::observation::Observation;
use crate::owner::Owner;
use crate::row::MemoryRow;
use crate::session::Session;
use crate::trace::Trace;
use crate::usage::Usage;

pub use cursor::Cursor;
pub(crate) use cursor::CursorKind;
pub use filter::{Filter, Selection};
pub use found::FoundRow;
pub use place::StorePlace;
pub use query::{
    ListQuery, MAX_LIMIT, MessageHit, MessageQuery, MessageSearch, ObservationQuery, OwnerSummary,
    Page, Retained, Retention, SessionQuery, StoreInfo, TraceQuery, UnembeddedQuery, UsageQuery,
};
pub use searches::{Hit, KeywordQuery, Meaning, RecallQuery, VectorQuery, WordMeaning};

/// A place for rows.
///
/// # The contract
///
/// `Ok` means durable. An error means nothing changed, but for
/// [`OutcomeUnknown`](crate::ErrorKind::OutcomeUnknown), which is cured by committing the same
/// operation again. One owner never sees another's row: every method that touches data takes an
/// [`Owner`], the owners' page aside, and an owner of whom nothing is known has no data, not an error.
/// A caller who drops a future changes nothing: what was begun is finished or undone as a whole.
/// Ranking and cost do not depend on other owners.
///
/// Every method is required: a wrapper that forgets one does not compile. The `conformance` feature
/// exports the suite a store must pass.
#[async_trait]
pub trait MemoryStore: Send + Sync + fmt::Debug {
    /// The part of an owner's data that a slice asks for, at one revision.
    async fn load(&self, owner: &Owner, slice: &Slice) -> Result<Snapshot>;

    /// Commits a change set: all of it, or nothing. See [`ChangeSet`]. It is shared, not handed over: whoever commits
    /// may have to ask again, and often goes on with what was written.
    async fn commit(
        &self,
        owner: &Owner,
        expected: Expected,
        changes: Arc<ChangeSet>,
    ) -> Result<Receipt>;

    /// Memories by filter, in order of number and version.
    async fn list(&self, owner: &Owner, query: &ListQuery) -> Result<Page<MemoryRow>>;

    /// Memories by words, ranked by BM25 over this owner's rows only.
    async fn search(&self, owner: &Owner, query: &KeywordQuery) -> Result<Vec<Hit>>;

    /// Memories by meaning, ranked by cosine, exactly.
    async fn search_vectors(&self, owner: &Owner, query: &VectorQuery) -> Result<Vec<Hit>>;

    /// The memories that answer a question, ranked by all that speaks for them.
    async fn recall(&self, owner: &Owner, query: &RecallQuery) -> Result<Vec<Hit<FoundRow>>>;

    /// Open memories that have no vector of an embedder yet, in order of number and version.
    async fn unembedded(&self, owner: &Owner, query: &UnembeddedQuery) -> Result<Vec<MemoryRow>>;

    /// Chats, the most recently active first.
    async fn sessions(&self, owner: &Owner, query: &SessionQuery) -> Result<Page<Session>>;

    /// What was said, in order.
    async fn messages(&self, owner: &Owner, query: &MessageQuery) -> Result<Page<Message>>;

    /// What was said, by words, ranked by BM25 over this owner's messages only.
    async fn search_messages(
        &self,
        owner: &Owner,
        query: &MessageSearch,
    ) -> Result<Vec<MessageHit>>;

    /// What a host saw.
    async fn observations(
        &self,
        owner: &Owner,
        query: &ObservationQuery,
    ) -> Result<Page<Observation>>;

    /// What tools were called.
    async fn traces(&self, owner: &Owner, query: &TraceQuery) -> Result<Page<Trace>>;

    /// What memories were used for.
    async fn usage(&self, owner: &Owner, query: &UsageQuery) -> Result<Page<Usage>>;

    /// The journal from a revision's count on, oldest first: the change feed.
    async fn journal(&self, owner: &Owner, since: u64, limit: usize) -> Result<Vec<JournalEntry>>;

    /// Owners in order of name, after one: for maintenance only.
    async fn owners(&self, after: Option<&Owner>, limit: usize) -> Result<Vec<OwnerSummary>>;

    /// Lets go of what is older than told. Moves no revision.
    async fn retain(&self, owner: &Owner, retention: &Retention) -> Result<Retained>;

    /// Everything of an owner is gone, from every file, before it answers. True when there was anything.
    async fn erase(&self, owner: &Owner) -> Result<bool>;

    /// What the store is.
    async fn info(&self) -> Result<StoreInfo>;

    /// Finishes what was begun and lets go of files and threads. Afterwards every call answers
    /// [`Closed`](crate::ErrorKind::Closed); closing again is fine. Dropping without it loses nothing.
    async fn close(&self) -> Result<()>;
}
