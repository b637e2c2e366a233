//! What the engine does in a tool call besides asking its store: reading the call, holding it against
//! what was said, planning, answering. Measured on a store that counts its own time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use keepmind::store::{
    FoundRow, Hit, KeywordQuery, ListQuery, MessageHit, MessageQuery, MessageSearch,
    ObservationQuery, OwnerSummary, Page, RecallQuery, Retained, Retention, SessionQuery,
    StoreInfo, TraceQuery, UnembeddedQuery, UsageQuery, VectorQuery,
};
use keepmind::{
    ChangeSet, Expected, JournalEntry, MemoryRow, MemoryStore, Message, Observation, Owner,
    Receipt, Session, Slice, Snapshot, Trace, Usage,
};

use crate::Result;
use crate::measure::{Timings, clock_cost, thread_cpu_time};
use crate::operation::Input;
use crate::ours::{Host, Ours};

/// Ids above all that the store in memory has seen.
const LAST_ID: u128 = 1 << 120;

/// The engine's own share of saves through the tool, on the store in memory.
pub struct Alone {
    host: Host,
    store: Arc<Counting>,
    /// What a look at the clock takes.
    look: Duration,
}

impl Alone {
    pub fn new(ours: &Ours) -> Result<Self> {
        let store = Arc::new(Counting::new(ours.store()));
        Ok(Alone {
            host: Host::new(Arc::<Counting>::clone(&store), LAST_ID)?,
            store,
            look: clock_cost(),
        })
    }

    /// Saves, of each owner in one chat. The store in memory answers at once and on the same thread, so that the
    /// thread's clock counts all of it and nothing else.
    pub async fn save(&mut self, inputs: &[Input]) -> Result<Timings> {
        let mut timings = Timings::default();
        self.host.leave_chats();
        for input in inputs {
            let fact = input.facts.first().ok_or("the input has no fact")?;
            let chat = self.host.said(&input.owner, fact, input.at).await?;
            let (in_store, looks) = (self.store.spent(), self.store.looks());
            let begun = thread_cpu_time();
            self.host.tool_save(&chat, fact).await?;
            let whole = thread_cpu_time().saturating_sub(begun);
            let in_store = self.store.spent().saturating_sub(in_store);
            // Each time the clock is looked at on the way, and once for the two looks around it all.
            let looks = self.store.looks() - looks + 1;
            let looking = self.look * looks;
            timings.add(whole.saturating_sub(in_store + looking));
        }
        Ok(timings)
    }
}

/// A store that counts the CPU time spent in it, and between its answers and the commits that follow.
#[derive(Debug)]
pub struct Counting {
    store: Arc<dyn MemoryStore>,
    nanos: AtomicU64,
    /// The thread's clock when the store last answered.
    answered_at: AtomicU64,
    planning: AtomicU64,
    /// The thread's clock when a model answered, until the store is asked again; otherwise 0.
    noted_at: AtomicU64,
    reading: AtomicU64,
    /// How many looks at the clock were taken that count as somebody else's time.
    looks: AtomicU32,
}

impl Counting {
    pub fn new(store: Arc<dyn MemoryStore>) -> Self {
        Counting {
            store,
            nanos: AtomicU64::new(0),
            answered_at: AtomicU64::new(0),
            planning: AtomicU64::new(0),
            noted_at: AtomicU64::new(0),
            reading: AtomicU64::new(0),
            looks: AtomicU32::new(0),
        }
    }

    /// A model has answered.
    pub fn note_answer(&self) {
        let noted_at = nanos(thread_cpu_time());
        self.noted_at.store(noted_at, Ordering::Relaxed);
    }

    /// What was spent from a model's answers to the next questions to the store.
    pub fn reading(&self) -> Duration {
        Duration::from_nanos(self.reading.load(Ordering::Relaxed))
    }

    /// How many looks at the clock fell outside of what [`Counting::spent`] counts.
    pub fn looks(&self) -> u32 {
        self.looks.load(Ordering::Relaxed)
    }

    pub fn spent(&self) -> Duration {
        Duration::from_nanos(self.nanos.load(Ordering::Relaxed))
    }

    /// What was spent from the answers before commits to these commits: on planning what is committed.
    pub fn planning(&self) -> Duration {
        Duration::from_nanos(self.planning.load(Ordering::Relaxed))
    }

    async fn counted<T>(&self, asked: impl Future<Output = T>) -> T {
        let begun = nanos(thread_cpu_time());
        let noted_at = self.noted_at.swap(0, Ordering::Relaxed);
        if noted_at > 0 {
            let read = begun.saturating_sub(noted_at);
            self.reading.fetch_add(read, Ordering::Relaxed);
        }
        let answer = asked.await;
        let answered_at = nanos(thread_cpu_time());
        self.answered_at.store(answered_at, Ordering::Relaxed);
        let took = answered_at.saturating_sub(begun);
        self.nanos.fetch_add(took, Ordering::Relaxed);
        // Of two looks around the store's own time, one half each is outside.
        self.looks.fetch_add(1, Ordering::Relaxed);
        answer
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

type Answer<T> = keepmind::Result<T>;

#[async_trait]
impl MemoryStore for Counting {
    async fn load(&self, owner: &Owner, slice: &Slice) -> Answer<Snapshot> {
        self.counted(self.store.load(owner, slice)).await
    }

    async fn commit(
        &self,
        owner: &Owner,
        expected: Expected,
        changes: Arc<ChangeSet>,
    ) -> Answer<Receipt> {
        let answered_at = self.answered_at.load(Ordering::Relaxed);
        let planned = nanos(thread_cpu_time()).saturating_sub(answered_at);
        self.planning.fetch_add(planned, Ordering::Relaxed);
        self.looks.fetch_add(1, Ordering::Relaxed);
        self.counted(self.store.commit(owner, expected, changes))
            .await
    }

    async fn list(&self, owner: &Owner, query: &ListQuery) -> Answer<Page<MemoryRow>> {
        self.counted(self.store.list(owner, query)).await
    }

    async fn search(&self, owner: &Owner, query: &KeywordQuery) -> Answer<Vec<Hit>> {
        self.counted(self.store.search(owner, query)).await
    }

    async fn search_vectors(&self, owner: &Owner, query: &VectorQuery) -> Answer<Vec<Hit>> {
        self.counted(self.store.search_vectors(owner, query)).await
    }

    async fn recall(&self, owner: &Owner, query: &RecallQuery) -> Answer<Vec<Hit<FoundRow>>> {
        self.counted(self.store.recall(owner, query)).await
    }

    async fn unembedded(&self, owner: &Owner, query: &UnembeddedQuery) -> Answer<Vec<MemoryRow>> {
        self.counted(self.store.unembedded(owner, query)).await
    }

    async fn sessions(&self, owner: &Owner, query: &SessionQuery) -> Answer<Page<Session>> {
        self.counted(self.store.sessions(owner, query)).await
    }

    async fn messages(&self, owner: &Owner, query: &MessageQuery) -> Answer<Page<Message>> {
        self.counted(self.store.messages(owner, query)).await
    }

    async fn search_messages(
        &self,
        owner: &Owner,
        query: &MessageSearch,
    ) -> Answer<Vec<MessageHit>> {
        self.counted(self.store.search_messages(owner, query)).await
    }

    async fn observations(
        &self,
        owner: &Owner,
        query: &ObservationQuery,
    ) -> Answer<Page<Observation>> {
        self.counted(self.store.observations(owner, query)).await
    }

    async fn traces(&self, owner: &Owner, query: &TraceQuery) -> Answer<Page<Trace>> {
        self.counted(self.store.traces(owner, query)).await
    }

    async fn usage(&self, owner: &Owner, query: &UsageQuery) -> Answer<Page<Usage>> {
        self.counted(self.store.usage(owner, query)).await
    }

    async fn journal(&self, owner: &Owner, since: u64, limit: usize) -> Answer<Vec<JournalEntry>> {
        self.counted(self.store.journal(owner, since, limit)).await
    }

    async fn owners(&self, after: Option<&Owner>, limit: usize) -> Answer<Vec<OwnerSummary>> {
        self.counted(self.store.owners(after, limit)).await
    }

    async fn retain(&self, owner: &Owner, retention: &Retention) -> Answer<Retained> {
        self.counted(self.store.retain(owner, retention)).await
    }

    async fn erase(&self, owner: &Owner) -> Answer<bool> {
        self.counted(self.store.erase(owner)).await
    }

    async fn info(&self) -> Answer<StoreInfo> {
        self.store.info().await
    }

    async fn close(&self) -> Answer<()> {
        self.store.close().await
    }
}
