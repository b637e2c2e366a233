//! A store whose commits fail as told, or everything of one owner's, and which otherwise does what the one
//! underneath does. It counts how often it is read, and the messages and the observations it hands out.

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use keepmind::store::{
    FoundRow, Hit, KeywordQuery, ListQuery, MessageHit, MessageQuery, MessageSearch,
    ObservationQuery, OwnerSummary, Page, RecallQuery, Retained, Retention, SessionQuery,
    StoreInfo, TraceQuery, UnembeddedQuery, UsageQuery, VectorQuery,
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
    once_loaded: Mutex<Option<Meanwhile>>,
    reads: AtomicUsize,
    sick: Mutex<Option<Owner>>,
    messages_read: AtomicUsize,
    observations_read: AtomicUsize,
}

/// What somebody else does in between.
struct Meanwhile(Pin<Box<dyn Future<Output = ()> + Send>>);

impl Meanwhile {
    fn of<T: Send + 'static>(done: impl Future<Output = T> + Send + 'static) -> (Self, Awaited<T>) {
        let awaited = Awaited(Arc::default());
        let result = Arc::clone(&awaited.0);
        let kept = async move {
            let done = done.await;
            *lock(&result) = Some(done);
        };
        (Meanwhile(Box::pin(kept)), awaited)
    }
}

impl fmt::Debug for Meanwhile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Meanwhile")
    }
}

/// What somebody else is to do, and what comes of it.
pub struct Awaited<T>(Arc<Mutex<Option<T>>>);

impl<T> Awaited<T> {
    /// What came of it.
    pub fn result(self) -> T {
        lock(&self.0).take().expect("it was done")
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
            once_loaded: Mutex::default(),
            reads: AtomicUsize::new(0),
            sick: Mutex::default(),
            messages_read: AtomicUsize::new(0),
            observations_read: AtomicUsize::new(0),
        }
    }

    /// Whose data cannot be reached from now on.
    pub fn fails_for(&self, owner: Option<Owner>) {
        *lock(&self.sick) = owner;
    }

    /// How often something was read that was not searched for, since this was asked last.
    pub fn reads(&self) -> usize {
        self.reads.swap(0, Ordering::SeqCst)
    }

    /// How many messages were read since this was asked last.
    pub fn messages_read(&self) -> usize {
        self.messages_read.swap(0, Ordering::SeqCst)
    }

    /// How many observations were read since this was asked last.
    pub fn observations_read(&self) -> usize {
        self.observations_read.swap(0, Ordering::SeqCst)
    }

    fn reach(&self, owner: &Owner) -> Result<()> {
        match lock(&self.sick).as_ref() == Some(owner) {
            true => Err(Error::new(
                ErrorKind::Io,
                "read",
                "the owner cannot be reached",
            )),
            false => Ok(()),
        }
    }

    /// Lets somebody else do that before the next commit goes through.
    pub fn meanwhile<T: Send + 'static>(
        &self,
        done: impl Future<Output = T> + Send + 'static,
    ) -> Awaited<T> {
        let (meanwhile, awaited) = Meanwhile::of(done);
        *lock(&self.meanwhile) = Some(meanwhile);
        awaited
    }

    /// Lets somebody else do that once the next slice was loaded, before whoever asked for it gets it.
    pub fn once_loaded<T: Send + 'static>(
        &self,
        done: impl Future<Output = T> + Send + 'static,
    ) -> Awaited<T> {
        let (meanwhile, awaited) = Meanwhile::of(done);
        *lock(&self.once_loaded) = Some(meanwhile);
        awaited
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

/// Those that read an owner's rows: not where the owner cannot be reached.
macro_rules! reached {
    ($($name:ident(query: &$query:ty) -> $answer:ty;)+) => {$(
        fn $name<'store, 'owner, 'query, 'async_trait>(
            &'store self,
            owner: &'owner Owner,
            query: &'query $query,
        ) -> Answering<'async_trait, $answer>
        where
            'store: 'async_trait,
            'owner: 'async_trait,
            'query: 'async_trait,
            Self: 'async_trait,
        {
            Box::pin(async move {
                self.reads.fetch_add(1, Ordering::SeqCst);
                self.reach(owner)?;
                let answer = self.inner.$name(owner, query).await?;
                self.messages_read
                    .fetch_add(answer.messages_held(), Ordering::SeqCst);
                self.observations_read
                    .fetch_add(answer.observations_held(), Ordering::SeqCst);
                Ok(answer)
            })
        }
    )+};
}

impl MemoryStore for Moody {
    fn commit<'store, 'owner, 'async_trait>(
        &'store self,
        owner: &'owner Owner,
        expected: Expected,
        changes: Arc<ChangeSet>,
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

    fn load<'store, 'owner, 'slice, 'async_trait>(
        &'store self,
        owner: &'owner Owner,
        slice: &'slice Slice,
    ) -> Answering<'async_trait, Snapshot>
    where
        'store: 'async_trait,
        'owner: 'async_trait,
        'slice: 'async_trait,
        Self: 'async_trait,
    {
        self.reads.fetch_add(1, Ordering::SeqCst);
        let once_loaded = lock(&self.once_loaded).take();
        Box::pin(async move {
            self.reach(owner)?;
            let seen = self.inner.load(owner, slice).await?;
            if let Some(Meanwhile(done)) = once_loaded {
                done.await;
            }
            Ok(seen)
        })
    }

    reached! {
        list(query: &ListQuery) -> Page<MemoryRow>;
        sessions(query: &SessionQuery) -> Page<Session>;
        messages(query: &MessageQuery) -> Page<Message>;
        observations(query: &ObservationQuery) -> Page<Observation>;
        retain(query: &Retention) -> Retained;
    }

    forwarded! {
        search<'a, 'b>(owner: &'a Owner, query: &'b KeywordQuery) -> Vec<Hit>;
        search_vectors<'a, 'b>(owner: &'a Owner, query: &'b VectorQuery) -> Vec<Hit>;
        recall<'a, 'b>(owner: &'a Owner, query: &'b RecallQuery) -> Vec<Hit<FoundRow>>;
        unembedded<'a, 'b>(owner: &'a Owner, query: &'b UnembeddedQuery) -> Vec<MemoryRow>;
        search_messages<'a, 'b>(owner: &'a Owner, query: &'b MessageSearch) -> Vec<MessageHit>;
        traces<'a, 'b>(owner: &'a Owner, query: &'b TraceQuery) -> Page<Trace>;
        usage<'a, 'b>(owner: &'a Owner, query: &'b UsageQuery) -> Page<Usage>;
        journal<'a>(owner: &'a Owner, since: u64, limit: usize) -> Vec<JournalEntry>;
        owners<'a>(after: Option<&'a Owner>, limit: usize) -> Vec<OwnerSummary>;
        erase<'a>(owner: &'a Owner) -> bool;
        info<>() -> StoreInfo;
        close<>() -> ();
    }
}

/// How many messages, and how much of what a host saw, an answer holds.
trait Raw {
    fn messages_held(&self) -> usize {
        0
    }

    fn observations_held(&self) -> usize {
        0
    }
}

impl Raw for Page<MemoryRow> {}
impl Raw for Page<Session> {}
impl Raw for Retained {}
impl Raw for Page<Observation> {
    fn observations_held(&self) -> usize {
        self.items.len()
    }
}
impl Raw for Page<Message> {
    fn messages_held(&self) -> usize {
        self.items.len()
    }
}
