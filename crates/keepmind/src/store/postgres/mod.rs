//! The store for a fleet of hosts: memory in PostgreSQL, shared by as many processes as write to it.
//!
//! The owner leads every key and index, and no statement of a hot path speaks of two owners. What is kept in
//! memory is good at the counters it was read at, which every answer brings along.

mod columns;
mod commit;
mod connection;
mod facts;
mod failure;
mod known;
mod list;
mod load;
mod maintenance;
mod migrate;
mod near;
mod options;
mod prepare;
mod reading;
mod records;
mod reindex;
mod rows;
mod schema;
mod search;
mod security;
mod segments;
mod sessions;
mod statement;
mod turns;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::MutexGuard;

use crate::error::Error;
use crate::store::database::cache::Caches;
use crate::store::database::pool::{Pool, WhenAllAreBusy};
use crate::store::database::runtime::{self, OPEN, OwnRuntime};
use crate::store::database::store::{answer, memory_store, vocabulary::*};

use connection::Server;
use failure::{Failure, Work};
use known::KnownOwners;
use maintenance::Erasing;
use near::Near;
use turns::Turns;

pub use options::PostgresOptions;

/// How long closing waits for what is under way.
const CLOSING: Duration = Duration::from_secs(30);
/// How often a read is tried when the way to the server is lost, or others are in the way.
const MOST_READS: u32 = 3;

/// Memory in a PostgreSQL database.
///
/// As many processes as there are may open the same database. Works under any async runtime: it brings its
/// own. Dropping it loses nothing that was acknowledged.
///
/// Erased and purged rows are gone from every answer; their bytes stay in the server's files until it reuses
/// them, and in its log and backups as long as those are kept.
///
/// ```no_run
/// use keepmind::{MemoryStore, Owner, PostgresStore, Slice};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let store = PostgresStore::connect("postgres://keepmind@localhost/memories").await?;
/// let alice = Owner::new("alice")?;
/// let all = store.load(&alice, &Slice::everything()).await?;
/// println!("{} memories", all.memories().count());
/// store.close().await?;
/// # Ok(()) }
/// ```
pub struct PostgresStore {
    shared: Arc<Shared>,
    runtime: OwnRuntime,
}

/// What waits for the keyword index.
#[derive(Debug, Clone, Copy)]
enum Waiting {
    Messages,
    Facts,
}

struct Shared {
    pool: Arc<Pool<Server>>,
    caches: Caches,
    known: Arc<KnownOwners>,
    near: Arc<Near>,
    turns: Arc<Turns>,
    /// How long a writer waits for others of the same owner.
    patience: Option<Duration>,
    index_after: usize,
}

impl PostgresStore {
    /// Connects to the database that a URL names, and makes or updates its tables.
    pub async fn connect(url: &str) -> Result<Self> {
        PostgresStore::connect_with(PostgresOptions::new(url)?).await
    }

    /// Connects as told.
    pub async fn connect_with(options: PostgresOptions) -> Result<Self> {
        let runtime = OwnRuntime::new(|builder| {
            builder.enable_io();
        })?;
        let shared = runtime
            .run(OPEN, Box::pin(Shared::connect(options)))
            .await?;
        Ok(PostgresStore {
            shared: Arc::new(shared),
            runtime,
        })
    }

    /// What waits for the server does so on the threads of the library, small or not: they were told to watch its
    /// connections.
    async fn read<T: Send + 'static>(
        &self,
        operation: &'static str,
        _is_small: bool,
        work: runtime::Work<T>,
    ) -> Result<T> {
        self.runtime.run(operation, work).await
    }

    async fn put(&self, request: CommitRequest) -> Result<Receipt> {
        let shared = Arc::clone(&self.shared);
        let work = async move { commit::commit(&shared, &request).await };
        self.runtime.run("commit", Box::pin(work)).await
    }

    async fn let_go(&self, owner: Owner, retention: Retention) -> Result<Retained> {
        let shared = Arc::clone(&self.shared);
        let work = async move { shared.retain(&owner, &retention).await };
        self.runtime.run("retain", Box::pin(work)).await
    }

    async fn wipe(&self, owner: Owner) -> Result<bool> {
        let shared = Arc::clone(&self.shared);
        let work = async move { shared.erase(&owner).await };
        self.runtime.run("erase", Box::pin(work)).await
    }

    async fn shut(&self) -> Result<()> {
        let shared = Arc::clone(&self.shared);
        let work = async move {
            shared.pool.close(CLOSING).await;
            Ok(())
        };
        self.runtime.run("close", Box::pin(work)).await
    }
}

impl Shared {
    async fn connect(options: PostgresOptions) -> Result<Shared> {
        let known = Arc::new(KnownOwners::default());
        let mut way = options.way();
        let mut server = Server {
            options: options.connection(),
            patience: options.connect_timeout,
            known: Arc::clone(&known),
            way: Arc::new(way.clone()),
        };
        let mut first = server.reach().await?;
        way.is_secured = migrate::migrate(&mut first, options.row_security).await?;
        way.near = near::find(&mut first).await;
        first.hang_up().await;
        let near = Arc::clone(&way.near);
        server.way = Arc::new(way);
        let refuse = WhenAllAreBusy::Refuse(options.acquire_timeout);
        Ok(Shared {
            pool: Arc::new(Pool::new(server, options.connections, refuse)),
            caches: Caches::new(options.cache_bytes),
            known,
            near,
            turns: Arc::new(Turns::new()),
            patience: Some(options.lock_timeout).filter(|timeout| !timeout.is_zero()),
            index_after: options.index_after,
        })
    }

    /// Whether a read that failed is worth another: nothing was changed by it.
    fn may_read_again(&self, failure: &Failure, attempts: u32) -> bool {
        if failure.is_cut() {
            // The other connections have been idle for as long: they are likely cut as well.
            self.pool.forget_idle();
        }
        if failure.is_of_what_is_missing() {
            self.near.go_without();
            return attempts < MOST_READS;
        }
        (failure.is_cut() || failure.is_momentary()) && attempts < MOST_READS
    }

    /// Waits for this process's other writers of an owner.
    async fn turn(&self, owner: &Owner, operation: &'static str) -> Result<MutexGuard<'_, ()>> {
        self.turns.take(owner, operation, self.patience).await
    }

    async fn erase(&self, owner: &Owner) -> Result<bool> {
        let _turn = self.turn(owner, "erase").await?;
        let mut erasing = Erasing::default();
        let mut attempts = 0;
        loop {
            let erased: Work<bool> = async {
                let mut pooled = self.pool.acquire("erase").await?;
                let erased = maintenance::erase(&mut pooled.connection, owner, &mut erasing).await;
                if erased.as_ref().err().is_none_or(Failure::is_harmless) {
                    pooled.give_back();
                }
                erased
            }
            .await;
            self.known.forget(owner);
            self.caches.forget(owner);
            attempts += 1;
            match erased {
                // It may be this call that has erased the owner, without hearing of it.
                Ok(erased) => return Ok(erased || erasing.is_sent),
                Err(failure) if self.may_read_again(&failure, attempts) => {}
                Err(_) if erasing.is_sent => return Err(outcome_unknown("erase")),
                Err(failure) => return Err(failure.into_error("erase")),
            }
        }
    }

    /// What a lost answer told of what was let go is not told again.
    async fn retain(&self, owner: &Owner, retention: &Retention) -> Result<Retained> {
        let mut is_uncertain = false;
        let mut attempts = 0;
        loop {
            let retained: Work<Retained> = async {
                let mut pooled = self.pool.acquire("retain").await?;
                let retained = maintenance::retain(&mut pooled.connection, owner, retention).await;
                is_uncertain |= retained.as_ref().is_err_and(Failure::is_cut);
                if retained.as_ref().err().is_none_or(Failure::is_harmless) {
                    pooled.give_back();
                }
                retained
            }
            .await;
            attempts += 1;
            match retained {
                Ok(retained) => return Ok(retained),
                Err(failure) if self.may_read_again(&failure, attempts) => {}
                Err(_) if is_uncertain => return Err(outcome_unknown("retain")),
                Err(failure) => return Err(failure.into_error("retain")),
            }
        }
    }

    /// Puts messages or facts that have waited into the keyword index, in a task that nobody waits for. What fails is
    /// tried again with the next one.
    fn index_soon(&self, owner: &Owner, waiting: Waiting) {
        let (pool, turns) = (Arc::clone(&self.pool), Arc::clone(&self.turns));
        let (owner, most, patience) = (owner.clone(), self.index_after, self.patience);
        tokio::spawn(async move {
            // One step at a time, so that no writer waits long.
            loop {
                let Ok(_turn) = turns.take(&owner, "commit", patience).await else {
                    return;
                };
                let Ok(mut pooled) = pool.acquire("commit").await else {
                    return;
                };
                let line = &mut pooled.connection;
                let gathered = match waiting {
                    Waiting::Messages => segments::gather(line, &owner, most).await,
                    Waiting::Facts => facts::gather(line, &owner).await,
                };
                let Ok(is_more) = gathered else {
                    return;
                };
                pooled.give_back();
                if !is_more {
                    return;
                }
            }
        });
    }
}

/// The server was lost with something under way that may have come about.
fn outcome_unknown(operation: &'static str) -> Error {
    Error::new(
        ErrorKind::OutcomeUnknown,
        operation,
        "the server was lost before it answered: do the same again",
    )
}

memory_store!(PostgresStore);

impl fmt::Debug for PostgresStore {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("PostgresStore")
            .finish_non_exhaustive()
    }
}
