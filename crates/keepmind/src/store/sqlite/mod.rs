//! The embedded store: one SQLite file, nothing else to install.
//!
//! One connection writes, on a thread the library owns; a few read. Rules live elsewhere: here are rows,
//! and the traps of SQLite that must not reach a caller.

mod batch;
mod cache;
mod columns;
mod commit;
mod failure;
mod list;
mod load;
mod maintenance;
mod migrate;
mod open;
mod options;
mod postings;
mod prepare;
mod readers;
mod recall;
mod records;
mod rows;
mod schema;
mod search;
mod segments;
mod sessions;
mod transaction;
mod words;
mod writer;

use std::fmt;
use std::future::Future;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use sqlx::{Connection as _, SqliteConnection};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{mpsc, oneshot};

use crate::change::{ChangeSet, Expected, Receipt, Slice, Snapshot};
use crate::error::{Error, ErrorKind, Result};
use crate::journal::JournalEntry;
use crate::message::Message;
use crate::observation::Observation;
use crate::owner::Owner;
use crate::row::MemoryRow;
use crate::session::Session;
use crate::store::{
    Hit, KeywordQuery, ListQuery, MemoryStore, MessageHit, MessageQuery, MessageSearch,
    ObservationQuery, OwnerSummary, Page, RecallQuery, Retained, Retention, SessionQuery,
    StoreInfo, TraceQuery, UnembeddedQuery, UsageQuery, VectorQuery,
};
use crate::trace::Trace;
use crate::usage::Usage;

use cache::Caches;
use failure::Work;
use open::Found;
use prepare::CommitRequest;
use readers::Readers;
use writer::{CommitJob, Job, Writer};

pub use options::{Durability, OpenCheck, SqliteOptions};

/// Memory in one SQLite file.
///
/// Several processes may open the same file. Works under any async runtime: it brings its own. Dropping
/// it loses nothing that was acknowledged, but leaves SQLite's log beside the file;
/// [`close`](MemoryStore::close) leaves the file alone.
///
/// ```no_run
/// use keepmind::{MemoryStore, Owner, Slice, SqliteStore};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let store = SqliteStore::open("memories.db").await?;
/// let alice = Owner::new("alice")?;
/// let all = store.load(&alice, &Slice::everything()).await?;
/// println!("{} memories", all.memories().count());
/// store.close().await?;
/// # Ok(()) }
/// ```
pub struct SqliteStore {
    shared: Arc<Shared>,
    runtime: OwnRuntime,
    process: u32,
}

/// A runtime that may be dropped anywhere, an async context included.
struct OwnRuntime(Option<Runtime>);

impl OwnRuntime {
    async fn run<T: Send + 'static>(
        &self,
        operation: &'static str,
        work: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        let runtime = self.0.as_ref().ok_or_else(|| closed(operation))?;
        // The task ends early only when the runtime does: when the store is dropped while it works.
        runtime.spawn(work).await.map_err(|_| closed(operation))?
    }
}

impl Drop for OwnRuntime {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

struct Shared {
    readers: Arc<Readers>,
    jobs: mpsc::Sender<Job>,
    caches: Arc<Caches>,
}

impl SqliteStore {
    /// Opens the file at that path, making it if it is not there.
    ///
    /// A file that is damaged, another application's, or written by a newer version is refused and left
    /// as it is.
    pub async fn open(path: impl AsRef<Path>) -> Result<Self> {
        SqliteStore::open_with(SqliteOptions::new(path)).await
    }

    /// Opens a file as told.
    pub async fn open_with(options: SqliteOptions) -> Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("keepmind")
            .enable_time()
            .build()
            .map_err(|error| no_thread(&error))?;
        let runtime = OwnRuntime(Some(runtime));
        let shared = runtime.run(options::OPEN, Shared::open(options)).await?;
        Ok(SqliteStore {
            shared: Arc::new(shared),
            runtime,
            process: std::process::id(),
        })
    }

    /// Runs work as a task of the library's, so that a caller who gives up changes nothing.
    async fn run<T: Send + 'static>(
        &self,
        operation: &'static str,
        work: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        self.check_process(operation)?;
        self.runtime.run(operation, work).await
    }

    fn check_process(&self, operation: &'static str) -> Result<()> {
        if std::process::id() == self.process {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::Unsupported,
            operation,
            "the process was forked: the store belongs to the parent; open it anew after the fork",
        ))
    }

    async fn job<T: Send + 'static>(
        &self,
        operation: &'static str,
        job: impl FnOnce(oneshot::Sender<Result<T>>) -> Job,
    ) -> Result<T> {
        self.check_process(operation)?;
        let (reply, answer) = oneshot::channel();
        // The writer has a thread of its own: whoever gives up now has sent the whole job or nothing.
        let sent = self.shared.jobs.send(job(reply)).await;
        sent.map_err(|_| closed(operation))?;
        answer.await.map_err(|_| closed(operation))?
    }
}

impl Shared {
    async fn open(options: SqliteOptions) -> Result<Shared> {
        open::create_file(&options.path)?;
        let readers = Arc::new(Readers::new(options.clone()));
        let (found, connection) = match Shared::look(&options, &readers).await {
            Ok(found) => found,
            Err(error) => {
                readers.close(Duration::ZERO).await;
                return Err(error);
            }
        };
        let caches = Arc::new(Caches::new(options.cache_bytes));
        let (jobs, queue) = mpsc::channel(1_024);
        let mut writer = Writer::new(options, connection, Arc::clone(&caches));
        if found == Found::Unchecked {
            writer.check_first();
        }
        writer.start(queue)?;
        Ok(Shared {
            readers,
            jobs,
            caches,
        })
    }

    /// Looks at the file and brings it up to date. One that is so already waits for its first write
    /// before a connection for writing is made.
    async fn look(
        options: &SqliteOptions,
        readers: &Arc<Readers>,
    ) -> Result<(Found, Option<SqliteConnection>)> {
        let mut first = readers.acquire(options::OPEN).await?;
        let found = open::probe(&mut first.connection, options).await?;
        first.give_back();
        if found != Found::Outdated {
            return Ok((found, None));
        }
        let mut connection = open::connect(&options.writer()).await?;
        migrate::migrate(&mut connection, options.busy_timeout).await?;
        Ok((found, Some(connection)))
    }
}

/// Runs a read on a connection of its own. It sees to it by itself that what it reads fits together.
macro_rules! connect {
    ($store:ident, $operation:literal, |$connection:ident, $caches:ident| $work:expr, $($owned:ident),*) => {{
        $(let $owned = $owned.clone();)*
        let shared = Arc::clone(&$store.shared);
        $store
            .run($operation, async move {
                let $caches = &shared.caches;
                let answer: Work<_> = async {
                    let mut reader = shared.readers.acquire($operation).await?;
                    let $connection = &mut reader.connection;
                    let answer = $work.await?;
                    reader.give_back();
                    Ok(answer)
                }
                .await;
                answer.map_err(|failure| failure.into_error($operation))
            })
            .await
    }};
}

/// Runs a read in one transaction, so that all of it sees the same revision.
macro_rules! read {
    ($store:ident, $operation:literal, |$connection:ident, $caches:ident| $work:expr, $($owned:ident),*) => {{
        $(let $owned = $owned.clone();)*
        let shared = Arc::clone(&$store.shared);
        $store
            .run($operation, async move {
                let $caches = &shared.caches;
                let answer: Work<_> = async {
                    let mut reader = shared.readers.acquire($operation).await?;
                    let mut transaction = reader.connection.begin().await?;
                    let $connection = &mut *transaction;
                    let answer = $work.await?;
                    transaction.commit().await?;
                    reader.give_back();
                    Ok(answer)
                }
                .await;
                answer.map_err(|failure| failure.into_error($operation))
            })
            .await
    }};
}

#[async_trait]
impl MemoryStore for SqliteStore {
    async fn load(&self, owner: &Owner, slice: &Slice) -> Result<Snapshot> {
        connect!(
            self,
            "load",
            |connection, _caches| load::load(connection, &owner, &slice),
            owner,
            slice
        )
    }

    async fn commit(
        &self,
        owner: &Owner,
        expected: Expected,
        changes: ChangeSet,
    ) -> Result<Receipt> {
        let request = CommitRequest::new(owner.clone(), expected, changes);
        self.job("commit", |reply| {
            Job::Commit(Box::new(CommitJob { request, reply }))
        })
        .await
    }

    async fn list(&self, owner: &Owner, query: &ListQuery) -> Result<Page<MemoryRow>> {
        read!(
            self,
            "list",
            |connection, _caches| list::list(connection, &owner, &query),
            owner,
            query
        )
    }

    async fn search(&self, owner: &Owner, query: &KeywordQuery) -> Result<Vec<Hit>> {
        connect!(
            self,
            "search",
            |connection, caches| search::search(connection, caches, &owner, &query),
            owner,
            query
        )
    }

    async fn search_vectors(&self, owner: &Owner, query: &VectorQuery) -> Result<Vec<Hit>> {
        connect!(
            self,
            "search_vectors",
            |connection, caches| search::search_vectors(connection, caches, &owner, &query),
            owner,
            query
        )
    }

    async fn recall(&self, owner: &Owner, query: &RecallQuery) -> Result<Vec<Hit>> {
        connect!(
            self,
            "recall",
            |connection, caches| recall::recall(connection, caches, &owner, &query),
            owner,
            query
        )
    }

    async fn unembedded(&self, owner: &Owner, query: &UnembeddedQuery) -> Result<Vec<MemoryRow>> {
        read!(
            self,
            "unembedded",
            |connection, _caches| list::unembedded(connection, &owner, &query),
            owner,
            query
        )
    }

    async fn sessions(&self, owner: &Owner, query: &SessionQuery) -> Result<Page<Session>> {
        read!(
            self,
            "sessions",
            |connection, _caches| records::sessions(connection, &owner, &query),
            owner,
            query
        )
    }

    async fn messages(&self, owner: &Owner, query: &MessageQuery) -> Result<Page<Message>> {
        read!(
            self,
            "messages",
            |connection, _caches| records::messages(connection, &owner, &query),
            owner,
            query
        )
    }

    async fn search_messages(
        &self,
        owner: &Owner,
        query: &MessageSearch,
    ) -> Result<Vec<MessageHit>> {
        read!(
            self,
            "search_messages",
            |connection, _caches| search::search_messages(connection, &owner, &query),
            owner,
            query
        )
    }

    async fn observations(
        &self,
        owner: &Owner,
        query: &ObservationQuery,
    ) -> Result<Page<Observation>> {
        read!(
            self,
            "observations",
            |connection, _caches| records::observations(connection, &owner, &query),
            owner,
            query
        )
    }

    async fn traces(&self, owner: &Owner, query: &TraceQuery) -> Result<Page<Trace>> {
        read!(
            self,
            "traces",
            |connection, _caches| records::traces(connection, &owner, &query),
            owner,
            query
        )
    }

    async fn usage(&self, owner: &Owner, query: &UsageQuery) -> Result<Page<Usage>> {
        read!(
            self,
            "usage",
            |connection, _caches| records::usage(connection, &owner, &query),
            owner,
            query
        )
    }

    async fn journal(&self, owner: &Owner, since: u64, limit: usize) -> Result<Vec<JournalEntry>> {
        read!(
            self,
            "journal",
            |connection, _caches| records::journal(connection, &owner, since, limit),
            owner
        )
    }

    async fn owners(&self, after: Option<&Owner>, limit: usize) -> Result<Vec<OwnerSummary>> {
        let after = after.cloned();
        read!(
            self,
            "owners",
            |connection, _caches| maintenance::owners(connection, after.as_ref(), limit),
            after
        )
    }

    async fn retain(&self, owner: &Owner, retention: &Retention) -> Result<Retained> {
        let (owner, retention) = (owner.clone(), *retention);
        self.job("retain", |reply| Job::Retain {
            owner,
            retention,
            reply,
        })
        .await
    }

    async fn erase(&self, owner: &Owner) -> Result<bool> {
        let owner = owner.clone();
        self.job("erase", |reply| Job::Erase { owner, reply }).await
    }

    async fn info(&self) -> Result<StoreInfo> {
        read!(self, "info", |connection, _caches| maintenance::info(
            connection
        ),)
    }

    async fn close(&self) -> Result<()> {
        let readers = Arc::clone(&self.shared.readers);
        match self
            .job("close", |reply| Job::Close { readers, reply })
            .await
        {
            // Closed before: that is what was asked for.
            Err(error) if error.kind() == ErrorKind::Closed => Ok(()),
            outcome => outcome,
        }
    }
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("SqliteStore")
            .finish_non_exhaustive()
    }
}

fn no_thread(error: &std::io::Error) -> Error {
    let why = format_args!("no thread could be started ({})", error.kind()).to_string();
    Error::new(ErrorKind::Unsupported, options::OPEN, why)
}

fn closed(operation: &'static str) -> Error {
    Error::new(
        ErrorKind::Closed,
        operation,
        "the store was closed: open another",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_forked_process_touches_no_handle_of_its_parent() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = SqliteStore::open(folder.path().join("memories.db"))
            .await
            .unwrap();
        store.process += 1;
        let alice = Owner::new("alice").unwrap();
        let load = store.load(&alice, &Slice::everything()).await.unwrap_err();
        assert_eq!(load.kind(), ErrorKind::Unsupported);
        let erase = store.erase(&alice).await.unwrap_err();
        assert_eq!(erase.kind(), ErrorKind::Unsupported);
        assert_eq!(
            store.close().await.unwrap_err().kind(),
            ErrorKind::Unsupported
        );
        store.process -= 1;
        store.close().await.unwrap();
    }
}
