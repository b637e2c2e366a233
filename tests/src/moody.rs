//! A store whose commits fail as told, and which otherwise does what the one underneath does.

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use keepmind::store::{
    Hit, KeywordQuery, ListQuery, MessageHit, MessageQuery, MessageSearch, ObservationQuery,
    OwnerSummary, Page, Retained, Retention, SessionQuery, StoreInfo, TraceQuery, UsageQuery,
    VectorQuery,
};
use keepmind::{
    ChangeSet, Error, ErrorKind, Expected, JournalEntry, MemoryRow, MemoryStore, Message,
    Observation, OperationId, Owner, Receipt, Result, Session, Slice, Snapshot, Trace, Usage,
};

/// What becomes of one commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mood {
    /// It is written and answered.
    Good,
    /// It is not written, and answered with an error of that kind.
    Refuses(ErrorKind),
    /// It is written, and nobody is told.
    WritesInSilence,
}

/// A store with moods: one for each commit to come, good ones when none are left.
#[derive(Debug)]
pub struct Moody {
    inner: Arc<dyn MemoryStore>,
    moods: Mutex<VecDeque<Mood>>,
    asked: Mutex<Vec<OperationId>>,
    meanwhile: Mutex<Option<Meanwhile>>,
}

/// What somebody else does just before a commit.
struct Meanwhile(Pin<Box<dyn Future<Output = ()> + Send>>);

impl fmt::Debug for Meanwhile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Meanwhile")
    }
}

impl Moody {
    /// In a good mood.
    pub fn new(inner: Arc<dyn MemoryStore>) -> Self {
        Moody {
            inner,
            moods: Mutex::default(),
            asked: Mutex::default(),
            meanwhile: Mutex::default(),
        }
    }

    /// Lets somebody else do that before the next commit goes through.
    pub fn meanwhile(&self, done: impl Future<Output = ()> + Send + 'static) {
        *lock(&self.meanwhile) = Some(Meanwhile(Box::pin(done)));
    }

    /// What becomes of the next commits, and forgets which were asked for.
    pub fn expects(&self, moods: impl IntoIterator<Item = Mood>) {
        *lock(&self.moods) = moods.into_iter().collect();
        lock(&self.asked).clear();
    }

    /// The operations that were asked for since.
    pub fn asked(&self) -> Vec<OperationId> {
        lock(&self.asked).clone()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

type Answering<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

macro_rules! forwarded {
    ($($name:ident<$($life:lifetime),*>($($argument:ident: $type:ty),*) -> $answer:ty;)+) => {$(
        fn $name<'store, $($life,)* 'async_trait>(
            &'store self,
            $($argument: $type),*
        ) -> Answering<'async_trait, $answer>
        where
            'store: 'async_trait,
            $($life: 'async_trait,)*
            Self: 'async_trait,
        {
            self.inner.$name($($argument),*)
        }
    )+};
}

impl MemoryStore for Moody {
    fn commit<'store, 'owner, 'async_trait>(
        &'store self,
        owner: &'owner Owner,
        expected: Expected,
        changes: ChangeSet,
    ) -> Answering<'async_trait, Receipt>
    where
        'store: 'async_trait,
        'owner: 'async_trait,
        Self: 'async_trait,
    {
        lock(&self.asked).push(changes.operation);
        let mood = lock(&self.moods).pop_front().unwrap_or(Mood::Good);
        let meanwhile = lock(&self.meanwhile).take();
        Box::pin(async move {
            if let Some(Meanwhile(done)) = meanwhile {
                done.await;
            }
            let failed = |kind| Err(Error::new(kind, "commit", "the store is in a bad mood"));
            match mood {
                Mood::Good => self.inner.commit(owner, expected, changes).await,
                Mood::Refuses(kind) => failed(kind),
                Mood::WritesInSilence => {
                    self.inner.commit(owner, expected, changes).await?;
                    failed(ErrorKind::OutcomeUnknown)
                }
            }
        })
    }

    forwarded! {
        load<'a, 'b>(owner: &'a Owner, slice: &'b Slice) -> Snapshot;
        list<'a, 'b>(owner: &'a Owner, query: &'b ListQuery) -> Page<MemoryRow>;
        search<'a, 'b>(owner: &'a Owner, query: &'b KeywordQuery) -> Vec<Hit>;
        search_vectors<'a, 'b>(owner: &'a Owner, query: &'b VectorQuery) -> Vec<Hit>;
        sessions<'a, 'b>(owner: &'a Owner, query: &'b SessionQuery) -> Page<Session>;
        messages<'a, 'b>(owner: &'a Owner, query: &'b MessageQuery) -> Page<Message>;
        search_messages<'a, 'b>(owner: &'a Owner, query: &'b MessageSearch) -> Vec<MessageHit>;
        observations<'a, 'b>(owner: &'a Owner, query: &'b ObservationQuery) -> Page<Observation>;
        traces<'a, 'b>(owner: &'a Owner, query: &'b TraceQuery) -> Page<Trace>;
        usage<'a, 'b>(owner: &'a Owner, query: &'b UsageQuery) -> Page<Usage>;
        journal<'a>(owner: &'a Owner, since: u64, limit: usize) -> Vec<JournalEntry>;
        owners<'a>(after: Option<&'a Owner>, limit: usize) -> Vec<OwnerSummary>;
        retain<'a, 'b>(owner: &'a Owner, retention: &'b Retention) -> Retained;
        erase<'a>(owner: &'a Owner) -> bool;
        info<>() -> StoreInfo;
        close<>() -> ();
    }
}
