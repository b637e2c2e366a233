//! The store in memory: [`Snapshot::apply`] behind a lock, and the same ranking as everywhere.
//! What demos and tests use, and what every other backend is compared with.

mod commit;
mod list;
mod maintenance;
mod records;
mod search;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use async_trait::async_trait;

use crate::change::{ChangeSet, Expected, Receipt, Slice, Snapshot};
use crate::error::{Error, ErrorKind, Result};
use crate::journal::JournalEntry;
use crate::memory::Layer;
use crate::message::Message;
use crate::observation::Observation;
use crate::owner::{Owner, OwnerState};
use crate::row::MemoryRow;
use crate::search::Document;
use crate::search::index::Index;
use crate::search::scenes::Scenes;
use crate::search::vectors::Matrix;
use crate::session::Session;
use crate::store::{
    FoundRow, Hit, KeywordQuery, ListQuery, MemoryStore, MessageHit, MessageQuery, MessageSearch,
    ObservationQuery, OwnerSummary, Page, RecallQuery, Retained, Retention, SessionQuery,
    StoreInfo, TraceQuery, UnembeddedQuery, UsageQuery, VectorQuery,
};
use crate::trace::Trace;
use crate::usage::Usage;

/// Memory that lives as long as the process. Pure Rust; answers as every other store does.
///
/// ```
/// use keepmind::{InMemoryStore, MemoryStore, Owner, Slice};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let store = InMemoryStore::new();
/// let alice = Owner::new("alice")?;
/// let nothing_yet = store.load(&alice, &Slice::everything()).await?;
/// assert_eq!(nothing_yet.memories().count(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[derive(Debug, Default)]
pub struct InMemoryStore {
    owners: RwLock<BTreeMap<Owner, Owned>>,
    is_closed: AtomicBool,
}

/// All that is one owner's.
#[derive(Debug)]
struct Owned {
    snapshot: Snapshot,
    memories: Index,
    /// Which documents are of a layer: whoever looks for facts need not walk past every episode.
    layers: BTreeMap<Layer, BTreeSet<Document>>,
    /// Which documents have ended: of most owners they are few, and every chat that is learned from asks for
    /// them.
    ended: BTreeSet<Document>,
    scenes: Scenes,
    messages: Index,
    matrices: BTreeMap<(String, usize), Matrix>,
}

impl Owned {
    fn new() -> Self {
        Owned {
            snapshot: Snapshot::empty(OwnerState::NONE),
            memories: Index::complete(),
            layers: BTreeMap::new(),
            ended: BTreeSet::new(),
            scenes: Scenes::default(),
            messages: Index::complete(),
            matrices: BTreeMap::new(),
        }
    }
}

impl InMemoryStore {
    /// A store with nothing in it.
    pub fn new() -> Self {
        InMemoryStore::default()
    }

    /// What is known of an owner; nothing at all for one never written to.
    fn read<T>(
        &self,
        owner: &Owner,
        operation: &'static str,
        answer: impl FnOnce(&Owned) -> Result<T>,
    ) -> Result<T> {
        let owners = self.owners(operation)?;
        match owners.get(owner) {
            Some(owned) => answer(owned),
            None => answer(&Owned::new()),
        }
    }

    // A panic elsewhere cannot have left half a commit: `apply` checks first and then only moves values.
    fn owners(
        &self,
        operation: &'static str,
    ) -> Result<RwLockReadGuard<'_, BTreeMap<Owner, Owned>>> {
        let owners = self.owners.read().unwrap_or_else(PoisonError::into_inner);
        self.check_open(operation)?;
        Ok(owners)
    }

    fn owners_mut(
        &self,
        operation: &'static str,
    ) -> Result<RwLockWriteGuard<'_, BTreeMap<Owner, Owned>>> {
        let owners = self.owners.write().unwrap_or_else(PoisonError::into_inner);
        self.check_open(operation)?;
        Ok(owners)
    }

    fn check_open(&self, operation: &'static str) -> Result<()> {
        if self.is_closed.load(Ordering::Acquire) {
            return Err(Error::new(
                ErrorKind::Closed,
                operation,
                "the store was closed: open another",
            ));
        }
        Ok(())
    }
}

#[async_trait]
impl MemoryStore for InMemoryStore {
    async fn load(&self, owner: &Owner, slice: &Slice) -> Result<Snapshot> {
        self.read(owner, "load", |owned| Ok(owned.snapshot.slice(slice)))
    }

    async fn commit(
        &self,
        owner: &Owner,
        expected: Expected,
        changes: Arc<ChangeSet>,
    ) -> Result<Receipt> {
        commit::commit(&mut *self.owners_mut("commit")?, owner, expected, &changes)
    }

    async fn list(&self, owner: &Owner, query: &ListQuery) -> Result<Page<MemoryRow>> {
        self.read(owner, "list", |owned| list::list(owned, owner, query))
    }

    async fn search(&self, owner: &Owner, query: &KeywordQuery) -> Result<Vec<Hit>> {
        self.read(owner, "search", |owned| search::search(owned, query))
    }

    async fn search_vectors(&self, owner: &Owner, query: &VectorQuery) -> Result<Vec<Hit>> {
        self.read(owner, "search_vectors", |owned| {
            search::search_vectors(owned, query)
        })
    }

    async fn recall(&self, owner: &Owner, query: &RecallQuery) -> Result<Vec<Hit<FoundRow>>> {
        self.read(owner, "recall", |owned| search::recall(owned, query))
    }

    async fn unembedded(&self, owner: &Owner, query: &UnembeddedQuery) -> Result<Vec<MemoryRow>> {
        self.read(owner, "unembedded", |owned| {
            Ok(list::unembedded(owned, query))
        })
    }

    async fn sessions(&self, owner: &Owner, query: &SessionQuery) -> Result<Page<Session>> {
        self.read(owner, "sessions", |owned| {
            records::sessions(owned, owner, query)
        })
    }

    async fn messages(&self, owner: &Owner, query: &MessageQuery) -> Result<Page<Message>> {
        self.read(owner, "messages", |owned| {
            records::messages(owned, owner, query)
        })
    }

    async fn search_messages(
        &self,
        owner: &Owner,
        query: &MessageSearch,
    ) -> Result<Vec<MessageHit>> {
        self.read(owner, "search_messages", |owned| {
            Ok(search::search_messages(owned, query))
        })
    }

    async fn observations(
        &self,
        owner: &Owner,
        query: &ObservationQuery,
    ) -> Result<Page<Observation>> {
        self.read(owner, "observations", |owned| {
            records::observations(owned, owner, query)
        })
    }

    async fn traces(&self, owner: &Owner, query: &TraceQuery) -> Result<Page<Trace>> {
        self.read(owner, "traces", |owned| {
            records::traces(owned, owner, query)
        })
    }

    async fn usage(&self, owner: &Owner, query: &UsageQuery) -> Result<Page<Usage>> {
        self.read(owner, "usage", |owned| records::usage(owned, owner, query))
    }

    async fn journal(&self, owner: &Owner, since: u64, limit: usize) -> Result<Vec<JournalEntry>> {
        self.read(owner, "journal", |owned| {
            Ok(records::journal(owned, since, limit))
        })
    }

    async fn owners(&self, after: Option<&Owner>, limit: usize) -> Result<Vec<OwnerSummary>> {
        Ok(maintenance::owners(
            &*InMemoryStore::owners(self, "owners")?,
            after,
            limit,
        ))
    }

    async fn retain(&self, owner: &Owner, retention: &Retention) -> Result<Retained> {
        Ok(maintenance::retain(
            &mut *self.owners_mut("retain")?,
            owner,
            retention,
        ))
    }

    async fn erase(&self, owner: &Owner) -> Result<bool> {
        Ok(self.owners_mut("erase")?.remove(owner).is_some())
    }

    async fn info(&self) -> Result<StoreInfo> {
        let mut info = StoreInfo::new("memory", "pure Rust");
        info.owners = InMemoryStore::owners(self, "info")?.len() as u64;
        Ok(info)
    }

    async fn close(&self) -> Result<()> {
        let mut owners = self.owners.write().unwrap_or_else(PoisonError::into_inner);
        self.is_closed.store(true, Ordering::Release);
        owners.clear();
        Ok(())
    }
}
