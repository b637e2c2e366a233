//! The embedded store: one SQLite file, nothing else to install.
//!
//! One connection writes, on a thread the library owns; a few read. Rules live elsewhere: here are rows,
//! and the traps of SQLite that must not reach a caller.
//!
//! A limit is written `LIMIT ?1 + 0`. Where it is a parameter alone, SQLite plans for its value, and parses and plans
//! the statement again each time another is bound, which takes longer than many a read.

mod batch;
mod columns;
mod commit;
mod failure;
mod list;
mod load;
mod log;
mod maintenance;
mod migrate;
mod open;
mod options;
mod postings;
mod prepare;
mod records;
mod rows;
mod scenes;
mod schema;
mod search;
mod segments;
mod sessions;
mod transaction;
mod writer;

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sqlx::{Connection as _, SqliteConnection};
use tokio::sync::{mpsc, oneshot};

use crate::store::database::cache::Caches;
use crate::store::database::pool::{Connecting, Pool, WhenAllAreBusy};
use crate::store::database::runtime::{self, OPEN, OwnRuntime, closed};
use crate::store::database::store::{answer, memory_store, vocabulary::*};

use failure::{Failure, Work};
use open::Found;
use writer::{CommitJob, Job, Writer};

pub use options::{Durability, OpenCheck, SqliteOptions};

/// How long a read waits for those before it. They run where their callers are, and a caller may have put one
/// aside, half done, until this one is.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// Memory in one SQLite file.
///
/// Several processes may open the same file. Works under any async runtime: it brings its own. Dropping
/// it loses nothing that was acknowledged, but leaves SQLite's log beside the file;
/// [`close`](crate::store::MemoryStore::close) leaves the file alone.
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
}

struct Shared {
    /// The connections that read.
    pool: Arc<Pool<Reading>>,
    jobs: mpsc::Sender<Job>,
    caches: Arc<Caches>,
    /// Set when the writer's log was taken away: what is read then may be what nobody else finds.
    is_log_lost: Arc<AtomicBool>,
}

/// How connections are made that read.
struct Reading(SqliteOptions);

impl Connecting for Reading {
    type Connection = SqliteConnection;

    async fn connect(&self) -> Result<SqliteConnection> {
        open::connect(&self.0.reader()).await
    }

    fn is_restless(_: &SqliteConnection) -> bool {
        false
    }

    async fn rest(_: &mut SqliteConnection) -> bool {
        true
    }

    async fn close(connection: SqliteConnection) {
        connection.close().await.ok();
    }
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
        let runtime = OwnRuntime::new(|_| {})?;
        let shared = runtime.run(OPEN, Box::pin(Shared::open(options))).await?;
        Ok(SqliteStore {
            shared: Arc::new(shared),
            runtime,
        })
    }

    /// Small things are read where the caller is; what takes long must not hold up the caller's thread.
    async fn read<T: Send + 'static>(
        &self,
        operation: &'static str,
        is_small: bool,
        work: runtime::Work<T>,
    ) -> Result<T> {
        if self.shared.is_log_lost.load(Ordering::Acquire) {
            return Err(log::lost(operation));
        }
        match is_small {
            true => self.runtime.run_here(operation, work).await,
            false => self.runtime.run(operation, work).await,
        }
    }

    async fn job<T: Send + 'static>(
        &self,
        operation: &'static str,
        job: impl FnOnce(oneshot::Sender<Result<T>>) -> Job,
    ) -> Result<T> {
        self.runtime.check_process(operation)?;
        let (reply, answer) = oneshot::channel();
        // The writer has a thread of its own: whoever gives up now has sent the whole job or nothing.
        let sent = self.shared.jobs.send(job(reply)).await;
        sent.map_err(|_| closed(operation))?;
        answer.await.map_err(|_| closed(operation))?
    }

    async fn put(&self, request: CommitRequest) -> Result<Receipt> {
        self.job("commit", |reply| {
            Job::Commit(Box::new(CommitJob { request, reply }))
        })
        .await
    }

    async fn let_go(&self, owner: Owner, retention: Retention) -> Result<Retained> {
        self.job("retain", |reply| Job::Retain {
            owner,
            retention,
            reply,
        })
        .await
    }

    async fn wipe(&self, owner: Owner) -> Result<bool> {
        self.job("erase", |reply| Job::Erase { owner, reply }).await
    }

    async fn shut(&self) -> Result<()> {
        let readers = Arc::clone(&self.shared.pool);
        self.job("close", |reply| Job::Close { readers, reply })
            .await
    }
}

impl Shared {
    async fn open(mut options: SqliteOptions) -> Result<Shared> {
        open::create_file(&options.path)?;
        // Connections are made later too, when the process may be in another folder.
        if let Ok(path) = std::path::absolute(&options.path) {
            options.path = path;
        }
        let readers = options.readers;
        let lend = WhenAllAreBusy::Lend(LONGEST_WAIT);
        let pool = Arc::new(Pool::new(Reading(options.clone()), readers, lend));
        let (found, connection) = match Shared::look(&options, &pool).await {
            Ok(found) => found,
            Err(error) => {
                pool.close(Duration::ZERO).await;
                return Err(error);
            }
        };
        let caches = Arc::new(Caches::new(options.cache_bytes));
        let (jobs, queue) = mpsc::channel(1_024);
        let is_log_lost = Arc::default();
        let lost = Arc::clone(&is_log_lost);
        let mut writer = Writer::new(options, connection, Arc::clone(&caches), lost);
        if found == Found::Unchecked {
            writer.check_first();
        }
        writer.start(queue)?;
        Ok(Shared {
            pool,
            jobs,
            caches,
            is_log_lost,
        })
    }

    /// Looks at the file and brings it up to date. For one that is so already, nobody waits for a connection that writes.
    async fn look(
        options: &SqliteOptions,
        readers: &Arc<Pool<Reading>>,
    ) -> Result<(Found, Option<SqliteConnection>)> {
        let mut first = readers.acquire(OPEN).await?;
        let found = open::probe(&mut first.connection, options).await?;
        first.give_back();
        if found != Found::Outdated {
            return Ok((found, None));
        }
        let mut connection = open::connect(&options.writer()).await?;
        migrate::migrate(&mut connection, options.busy_timeout).await?;
        Ok((found, Some(connection)))
    }

    /// What a file does not answer once, it does not answer the second time.
    fn may_read_again(&self, _: &Failure, _attempts: u32) -> bool {
        false
    }
}

memory_store!(SqliteStore);

impl fmt::Debug for SqliteStore {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("SqliteStore")
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::MemoryStore;

    #[tokio::test]
    async fn a_forked_process_touches_no_handle_of_its_parent() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = SqliteStore::open(folder.path().join("memories.db"))
            .await
            .unwrap();
        store.runtime.pretend_to_be_of(std::process::id() + 1);
        let alice = Owner::new("alice").unwrap();
        let load = store.load(&alice, &Slice::everything()).await.unwrap_err();
        assert_eq!(load.kind(), ErrorKind::Unsupported);
        let erase = store.erase(&alice).await.unwrap_err();
        assert_eq!(erase.kind(), ErrorKind::Unsupported);
        assert_eq!(
            store.close().await.unwrap_err().kind(),
            ErrorKind::Unsupported
        );
        store.runtime.pretend_to_be_of(std::process::id());
        store.close().await.unwrap();
    }
}
