//! The engine: loads a slice, plans, commits; answers queries. It holds no rules and no rows.

mod ahead;
mod answer;
mod condensing;
mod consolidating;
mod context;
mod editing;
mod ending;
mod episodes;
mod examine;
mod execute;
mod family;
mod findings;
mod forgotten;
mod importing;
mod known;
mod learning;
mod ledger;
mod locks;
mod looked;
mod measures;
mod observing;
mod open_rows;
mod plugs;
mod recall_cache;
mod recalled;
mod reviewing;
mod served;
mod together;
mod user;
mod uses;
mod waiting;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex};

use crate::change::{Slice, Snapshot, check_embedder};
use crate::consent;
use crate::error::{Error, Result};
use crate::govern::Metrics;
use crate::ids::SessionId;
use crate::memory::Layer;
use crate::model::{
    ApproximateTokens, Clock, Embedder, IdSource, Model, SystemClock, TimeOrderedIds, TokenCounter,
};
use crate::order::Gather;
use crate::owner::{Owner, Revision};
use crate::policy::Policy;
use crate::row::MemoryRow;
use crate::store::{Filter, ListQuery, MAX_LIMIT, MemoryStore};
use crate::timestamp::Timestamp;
use crate::visibility::{Visibility, visibility};

pub use answer::{Answer, Fact, Feed, Memories};
pub(crate) use context::Talk;
pub(crate) use episodes::{happened_in, is_users};
pub(crate) use execute::Request;
pub(crate) use ledger::Use;
pub use observing::Observations;
pub use plugs::Patience;
pub use recall_cache::RecallStats;
pub use recalled::Recalled;
pub(crate) use recalled::{FoundHit, Given};
pub use user::UserMemory;

use ledger::Ledger;
use locks::Locks;
use measures::Measures;
use open_rows::{OpenRows, Rows};
use recall_cache::RecallCache;
use together::Together;

/// A memory for every user of a host: a store, a policy, and what the host plugs in.
///
/// Cheap to clone; clones share everything. Data is reached through [`Keepmind::user`] only.
///
/// ```
/// use std::sync::Arc;
/// use keepmind::{InMemoryStore, Keepmind, Policy};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let keepmind = Keepmind::builder(Arc::new(InMemoryStore::new()))
///     .policy(Policy::advisor())
///     .build()?;
/// let alice = keepmind.user("alice")?;
///
/// let saved = alice.save("The user only invests in funds").await?;
/// let found = alice.recall("which funds?").await?;
/// assert_eq!(found[0].row.body.claim.content, "The user only invests in funds");
///
/// let token = saved.event.and_then(|event| event.undo).expect("a save can be undone");
/// alice.undo(token).await?;
/// assert!(alice.recall("which funds?").await?.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Keepmind {
    engine: Arc<Engine>,
}

impl Keepmind {
    /// Begins with a store; everything else has a default.
    pub fn builder(store: Arc<dyn MemoryStore>) -> KeepmindBuilder {
        KeepmindBuilder {
            store,
            policy: Policy::default(),
            clock: Arc::new(SystemClock),
            tokens: Arc::new(ApproximateTokens),
            model: None,
            embedder: None,
            patience: Patience::default(),
            ids: None,
        }
    }

    /// The memory of one user: the only door to data. The name is the host's stable id of the user.
    pub fn user(&self, name: impl Into<String>) -> Result<UserMemory> {
        let owner = Owner::new(name).map_err(|error| Error::invalid("user", error))?;
        Ok(UserMemory::new(Arc::clone(&self.engine), owner))
    }

    /// The policy it decides by.
    pub fn policy(&self) -> &Policy {
        &self.engine.policy
    }

    /// The store underneath, for export, import and maintenance.
    pub fn store(&self) -> &Arc<dyn MemoryStore> {
        &self.engine.store
    }

    /// What this process has done so far, for all users together: what was learned and refused, what prompts
    /// took, how long operations take. Counts and times only; they stay here.
    pub fn metrics(&self) -> Metrics {
        self.engine.metrics()
    }

    /// Finishes what was begun, writes what was used, and lets go of files and threads.
    pub async fn close(&self) -> Result<()> {
        let written = self.engine.write_all_uses().await;
        self.engine.store.close().await.and(written)
    }
}

/// Puts a [`Keepmind`] together.
#[derive(Debug)]
#[must_use]
pub struct KeepmindBuilder {
    store: Arc<dyn MemoryStore>,
    policy: Policy,
    clock: Arc<dyn Clock>,
    tokens: Arc<dyn TokenCounter>,
    model: Option<Arc<dyn Model>>,
    pub(crate) embedder: Option<Arc<dyn Embedder>>,
    patience: Patience,
    ids: Option<Ids>,
}

impl KeepmindBuilder {
    /// Decides by this policy instead of the default one.
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// Tells the time by this clock.
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Counts tokens with this counter.
    pub fn tokens(mut self, tokens: Arc<dyn TokenCounter>) -> Self {
        self.tokens = tokens;
        self
    }

    /// Asks this model for summaries and titles, what is worth remembering, and, where the policy says so, in
    /// which order memories answer a query. One that fails or is late costs what it would have said, never
    /// the chat. The tokio runtime must have its timers enabled.
    pub fn model(mut self, model: Arc<dyn Model>) -> Self {
        self.model = Some(model);
        self
    }

    /// Waits that long for the model and the embedder.
    pub fn patience(mut self, patience: Patience) -> Self {
        self.patience = patience;
        self
    }

    /// Keeps a vector for every memory, so that it is found by meaning too. An embedder that fails or is
    /// late costs its vectors, never the memory. The tokio runtime must have its timers enabled.
    pub fn embedder(mut self, embedder: Arc<dyn Embedder>) -> Self {
        self.embedder = Some(embedder);
        self
    }

    /// Takes new ids from here: for tests and replays.
    pub fn ids(mut self, ids: impl IdSource + 'static) -> Self {
        self.ids = Some(Ids(Mutex::new(Box::new(ids))));
        self
    }

    /// Checks the policy, and what the embedder says of itself, and puts everything together.
    pub fn build(self) -> Result<Keepmind> {
        self.policy
            .validate()
            .map_err(|error| Error::invalid("build", error))?;
        if let Some(embedder) = &self.embedder {
            check_embedder(embedder.id(), embedder.dimensions())
                .map_err(|error| Error::invalid("build", error))?;
        }
        Ok(Keepmind {
            engine: Arc::new(Engine {
                store: self.store,
                policy: self.policy,
                clock: self.clock,
                tokens: self.tokens,
                model: self.model,
                embedder: self.embedder,
                patience: self.patience,
                ids: self.ids,
                locks: Locks::default(),
                open_rows: OpenRows::default(),
                recall_cache: RecallCache::default(),
                ledger: Ledger::default(),
                measures: Measures::default(),
                together: Together::default(),
            }),
        })
    }
}

/// A source of ids that a host gave.
pub(crate) struct Ids(Mutex<Box<dyn IdSource>>);

impl fmt::Debug for Ids {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Ids")
    }
}

/// New ids for one plan: the host's, or time-ordered ones.
pub(crate) enum PlanIds<'a> {
    Given(&'a Ids),
    Made(TimeOrderedIds),
}

impl IdSource for PlanIds<'_> {
    fn next_id(&mut self) -> uuid::Uuid {
        match self {
            PlanIds::Given(ids) => {
                let mut ids = ids
                    .0
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner);
                ids.next_id()
            }
            PlanIds::Made(ids) => ids.next_id(),
        }
    }
}

/// What all handles share.
#[derive(Debug)]
pub(crate) struct Engine {
    pub(crate) store: Arc<dyn MemoryStore>,
    pub(crate) policy: Policy,
    clock: Arc<dyn Clock>,
    pub(crate) tokens: Arc<dyn TokenCounter>,
    model: Option<Arc<dyn Model>>,
    pub(crate) embedder: Option<Arc<dyn Embedder>>,
    patience: Patience,
    ids: Option<Ids>,
    locks: Locks,
    open_rows: OpenRows,
    recall_cache: RecallCache,
    ledger: Ledger,
    pub(crate) measures: Measures,
    together: Together,
}

impl Engine {
    pub(crate) fn recall_stats(&self, owner: &Owner, session: SessionId) -> RecallStats {
        self.recall_cache.stats(owner, session)
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        self.clock.as_ref()
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// New ids for a plan made at that moment.
    pub(crate) fn plan_ids(&self, now: Timestamp) -> PlanIds<'_> {
        match &self.ids {
            Some(ids) => PlanIds::Given(ids),
            None => PlanIds::Made(TimeOrderedIds::at(now)),
        }
    }

    /// What the handles of a chat have in common.
    pub(crate) fn shared<T: std::any::Any + Send + Sync>(
        &self,
        owner: &Owner,
        session: SessionId,
        new: impl FnOnce() -> T,
    ) -> Arc<T> {
        self.together.of(owner, session, new)
    }

    pub(crate) fn new_id(&self) -> uuid::Uuid {
        self.plan_ids(self.now()).next_id()
    }

    /// Where an owner's data stands, and what no prompt, recall or tool shows of it: the domains whose
    /// consent was withdrawn.
    pub(crate) async fn standing(&self, owner: &Owner) -> Result<Standing> {
        let slice = Slice {
            consents: true,
            ..Slice::default()
        };
        let seen = self.store.load(owner, &slice).await?;
        Ok(Standing::of(&seen, self.now()))
    }

    /// An owner's open rows that are believed, expired ones too, and the revision they are at.
    ///
    /// `at` is where the data was just seen to stand: rows known at that revision need not be read.
    pub(crate) async fn open_rows(
        &self,
        owner: &Owner,
        at: Revision,
    ) -> Result<(Arc<Rows>, Revision)> {
        if let Some(rows) = self.open_rows.get(owner, at) {
            return Ok((rows, at));
        }
        let mut query = ListQuery {
            filter: Filter::live(Timestamp::MIN),
            limit: MAX_LIMIT,
            after: None,
        };
        let mut page = self.store.list(owner, &query).await?;
        let revision = page.state.revision;
        let mut is_one_revision = true;
        let mut rows = page.items;
        while page.next.is_some() {
            query.after = page.next;
            page = self.store.list(owner, &query).await?;
            is_one_revision &= page.state.revision == revision;
            rows.append(&mut page.items);
        }
        let rows = Arc::new(Rows::from(rows));
        if is_one_revision {
            self.open_rows.put(owner, revision, Arc::clone(&rows));
        }
        Ok((rows, revision))
    }
}

/// Where an owner's data stands when it is read.
pub(crate) struct Standing {
    pub revision: Revision,
    pub next_number: u64,
    /// How often vectors have changed: they move no revision.
    pub embedding_changes: u64,
    /// The moment the read speaks of: never before the last stamp.
    pub now: Timestamp,
    /// The domains whose consent was withdrawn.
    pub withdrawn: BTreeSet<String>,
}

impl Standing {
    /// Where the data stands that was seen, consents among it, by that clock.
    pub(crate) fn of(seen: &Snapshot, clock: Timestamp) -> Self {
        let state = seen.state();
        Standing {
            revision: state.revision,
            next_number: state.next_number,
            embedding_changes: state.embedding_changes,
            now: state.reading_time(clock),
            withdrawn: consent::withdrawn(seen.consents()).into_keys().gather(),
        }
    }

    /// What is live, and may be shown. A digest only repeats what other rows say.
    pub(crate) fn live(&self) -> Filter {
        let mut filter = self.live_in_all_layers();
        filter.layers = [Layer::Episode, Layer::Fact].into_iter().gather();
        filter
    }

    /// What is live, and may be shown, for whoever says of which layers.
    pub(crate) fn live_in_all_layers(&self) -> Filter {
        let mut filter = Filter::live(self.now);
        filter.excluded_domains.clone_from(&self.withdrawn);
        filter
    }

    /// Whether a row is live, and may be shown.
    pub(crate) fn shows(&self, row: &MemoryRow) -> bool {
        visibility(row, self.now) == Visibility::Live && !self.withholds(row)
    }

    /// Whether consent was withdrawn for what a row is about.
    pub(crate) fn withholds(&self, row: &MemoryRow) -> bool {
        let domain = row.body.claim.domain.as_ref();
        domain.is_some_and(|domain| self.withdrawn.contains(domain))
    }
}
