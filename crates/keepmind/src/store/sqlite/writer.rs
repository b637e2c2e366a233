//! The one writer: a thread the library owns, with the only connection that writes.
//!
//! Callers send jobs and wait on a channel, so a caller who gives up changes nothing. Commits that
//! wait together share one transaction and one fsync. After SQLite reports an error, nothing more runs
//! on that connection: it may have rolled back by itself, and the next statement would commit alone.

mod closing;
mod scrub;

use std::collections::{HashMap, VecDeque};
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;

use sqlx::{Connection, SqliteConnection};
use tokio::runtime::Builder;
use tokio::sync::{mpsc, oneshot};
use tokio::task::{JoinError, JoinHandle};

use crate::change::{ChangeSet, Receipt};
use crate::error::{Error, ErrorKind, Result};
use crate::owner::Owner;
use crate::store::database::cache::Caches;
use crate::store::database::pool::Pool;
use crate::store::database::prepare::CommitRequest;
use crate::store::database::runtime::{OPEN, no_thread};
use crate::store::database::segments::MUCH_TEXT;
use crate::store::sqlite::commit::{self, Backlog, Done};
use crate::store::sqlite::failure::{Failure, Work};
use crate::store::sqlite::log::{self, Log, Standing};
use crate::store::sqlite::open::Checking;
use crate::store::sqlite::options::SqliteOptions;
use crate::store::sqlite::prepare;
use crate::store::sqlite::transaction::Transaction;
use crate::store::sqlite::{Reading, maintenance, open, segments};
use crate::store::{Retained, Retention};

/// Enough to fill an fsync; few enough that nobody waits long for the others.
const LARGEST_BATCH: usize = 64;
/// Of how many owners it is kept in mind how much was said. It is forgotten beyond: then messages are counted alone.
const MOST_OWNERS: usize = 1_024;

pub(super) enum Job {
    Commit(Box<CommitJob>),
    Retain {
        owner: Owner,
        retention: Retention,
        reply: oneshot::Sender<Result<Retained>>,
    },
    Erase {
        owner: Owner,
        reply: oneshot::Sender<Result<bool>>,
    },
    Close {
        readers: Arc<Pool<Reading>>,
        reply: oneshot::Sender<Result<()>>,
    },
}

pub(super) struct CommitJob {
    pub(super) request: CommitRequest,
    pub(super) reply: oneshot::Sender<Result<Receipt>>,
}

pub(super) struct Writer {
    options: SqliteOptions,
    connection: Option<SqliteConnection>,
    /// One that only reads, and holds the lock until there is one that writes.
    anchor: Option<SqliteConnection>,
    /// What the connection writes to.
    log: Log,
    /// Whether that holds what was committed here, so that it matters to anybody.
    has_committed: bool,
    is_log_lost: Arc<AtomicBool>,
    caches: Arc<Caches>,
    check: Check,
    /// How much text came for an owner since messages were last put into the keyword index.
    said: HashMap<i64, usize>,
    /// Owners of whom enough waits for that.
    due: VecDeque<i64>,
}

/// What is known of the file's soundness. Nothing is written before it has passed.
enum Check {
    Passed,
    /// It is read through by a task, which can be told to hurry or to stop.
    Running(JoinHandle<Result<SqliteConnection>>, Arc<Checking>),
    /// Reading failed for another reason than damage: it is read again before the next write.
    Needed,
    /// The file is damaged, or its log was taken away: nothing is written any more.
    Failed(Error),
}

impl Check {
    fn of(verdict: &Result<()>) -> Self {
        match verdict {
            Ok(()) => Check::Passed,
            Err(error) if error.kind() == ErrorKind::Damaged => Check::Failed(error.clone()),
            Err(_) => Check::Needed,
        }
    }
}

impl Writer {
    pub(super) fn new(
        options: SqliteOptions,
        connection: Option<SqliteConnection>,
        caches: Arc<Caches>,
        is_log_lost: Arc<AtomicBool>,
    ) -> Self {
        // Whoever has looked at the file still has it open.
        let mut log = Log::beside(&options.path);
        log.note();
        Writer {
            options,
            connection,
            anchor: None,
            log,
            has_committed: false,
            is_log_lost,
            caches,
            check: Check::Passed,
            said: HashMap::new(),
            due: VecDeque::new(),
        }
    }

    /// Reads the file through while it is read from already; nothing is written before that has passed.
    pub(super) fn check_first(&mut self) {
        let checking = Arc::new(Checking::default());
        let task = open::check_apart(self.options.clone(), Arc::clone(&checking));
        self.check = Check::Running(tokio::spawn(task), checking);
    }

    async fn sound(&mut self, operation: &'static str) -> Result<()> {
        let verdict = match std::mem::replace(&mut self.check, Check::Needed) {
            Check::Passed => Ok(()),
            Check::Running(task, checking) => {
                checking.hurry();
                self.checked(operation, task.await)
            }
            Check::Needed => open::check(self.connection().await?).await,
            Check::Failed(error) => {
                self.check = Check::Failed(error.clone());
                return Err(error);
            }
        };
        self.check = Check::of(&verdict);
        verdict
    }

    /// What the task that read the file through came to.
    fn checked(
        &mut self,
        operation: &'static str,
        ended: std::result::Result<Result<SqliteConnection>, JoinError>,
    ) -> Result<()> {
        let ended = ended.unwrap_or_else(|_| {
            let what = "the file could not be checked: call again";
            Err(Error::new(ErrorKind::Io, operation, what))
        });
        self.anchor = Some(ended?);
        Ok(())
    }

    /// Starts to work, on a thread of its own: it is woken for every statement, and a runtime with several
    /// threads wakes another of them each time.
    pub(super) fn start(self, jobs: mpsc::Receiver<Job>) -> Result<()> {
        let runtime = Builder::new_current_thread()
            .enable_time()
            .build()
            .map_err(|error| no_thread(&error))?;
        std::thread::Builder::new()
            .name("keepmind-writer".to_owned())
            .spawn(move || runtime.block_on(self.run(jobs)))
            .map_err(|error| no_thread(&error))?;
        Ok(())
    }

    /// Works until the store is closed or dropped.
    async fn run(mut self, mut jobs: mpsc::Receiver<Job>) {
        let mut waiting = None;
        loop {
            let next = waiting.take().or_else(|| jobs.try_recv().ok());
            // Between two jobs one step of it, so that neither keeps the other waiting for long.
            let has_indexed = self.index_messages().await;
            let job = match next {
                Some(job) => job,
                None if has_indexed => continue,
                None => match self.next(&mut jobs).await {
                    Some(job) => job,
                    None => return self.let_go(),
                },
            };
            match job {
                Job::Commit(first) => {
                    let mut batch = vec![*first];
                    while batch.len() < LARGEST_BATCH {
                        match jobs.try_recv() {
                            Ok(Job::Commit(next)) => batch.push(*next),
                            Ok(other) => {
                                waiting = Some(other);
                                break;
                            }
                            Err(_) => break,
                        }
                    }
                    self.commit_batch(batch).await;
                }
                Job::Retain {
                    owner,
                    retention,
                    reply,
                } => {
                    reply.send(self.retain(&owner, &retention).await).ok();
                }
                Job::Erase { owner, reply } => {
                    reply.send(self.erase(&owner).await).ok();
                }
                Job::Close { readers, reply } => {
                    while self.index_messages().await {}
                    reply.send(self.close(&readers).await).ok();
                    return;
                }
            }
        }
    }

    /// Waits for a job, with the connection open as soon as the file has passed its check: while it is open, no other process
    /// takes the log away.
    async fn next(&mut self, jobs: &mut mpsc::Receiver<Job>) -> Option<Job> {
        if let Check::Running(task, _) = &mut self.check {
            let first = poll_fn(|context| match jobs.poll_recv(context) {
                Poll::Ready(job) => Poll::Ready(Ok(job)),
                Poll::Pending => Pin::new(&mut *task).poll(context).map(Err),
            });
            match first.await {
                Ok(job) => return job,
                Err(ended) => self.check = Check::of(&self.checked(OPEN, ended)),
            }
        }
        // A file without a log has none to be taken away, and would get one.
        if matches!(self.check, Check::Passed) && self.log.is_known() {
            // Why it cannot be made is told to whoever writes.
            self.connection().await.ok();
        }
        jobs.recv().await
    }

    async fn commit_batch(&mut self, batch: Vec<CommitJob>) {
        if let Err(error) = self.sound("commit").await {
            for job in batch {
                job.reply.send(Err(error.clone())).ok();
            }
            return;
        }
        if batch.len() > 1 {
            let outcomes = match self.commit_together(&batch).await {
                Ok(outcomes) => Some(outcomes),
                // The lock was not to be had, and nobody waits for it a second time; or nothing is written any more.
                Err(Failure::Refused(error))
                    if error.kind() == ErrorKind::Busy
                        || matches!(self.check, Check::Failed(_)) =>
                {
                    Some(batch.iter().map(|_| Err(error.clone())).collect())
                }
                Err(_) => None,
            };
            if let Some(outcomes) = outcomes {
                for (job, outcome) in batch.into_iter().zip(outcomes) {
                    job.reply.send(outcome).ok();
                }
                return;
            }
        }
        // Alone, each one's fate is its own; those that were committed already are recognised.
        for job in batch {
            let outcome = self.commit_alone(&job.request).await;
            job.reply.send(outcome).ok();
        }
    }

    /// Commits all in one transaction. An error means that none was, as far as is known.
    async fn commit_together(&mut self, batch: &[CommitJob]) -> Work<Vec<Result<Receipt>>> {
        let outcomes = self
            .transaction(async |transaction| {
                let mut outcomes = Vec::with_capacity(batch.len());
                for job in batch {
                    let request = &job.request;
                    outcomes.push(match prepare::prepare(transaction, request).await {
                        Ok(prepared) => Ok(commit::write(transaction, prepared, request).await?),
                        Err(Failure::Refused(error)) => Err(error),
                        Err(broken) => return Err(broken),
                    });
                }
                Ok(outcomes)
            })
            .await?;
        let removes_text = batch.iter().any(|job| job.request.changes.removes_text());
        let cleared = if removes_text {
            self.scrub("commit").await
        } else {
            Ok(())
        };
        Ok(batch
            .iter()
            .zip(outcomes)
            .map(|(job, outcome)| {
                let (receipt, committed) = outcome?;
                self.remember(&job.request.owner, committed);
                match &cleared {
                    Err(error) if job.request.changes.removes_text() => Err(error.clone()),
                    _ => Ok(receipt),
                }
            })
            .collect())
    }

    async fn commit_alone(&mut self, request: &CommitRequest) -> Result<Receipt> {
        let CommitRequest { owner, changes, .. } = request;
        let outcome = self
            .transaction(async |transaction| {
                let prepared = prepare::prepare(transaction, request).await?;
                commit::write(transaction, prepared, request).await
            })
            .await;
        let (receipt, committed) = match outcome {
            Ok(outcome) => outcome,
            Err(Failure::Refused(error)) => return Err(error),
            // The COMMIT itself may have failed after the fact: only the file knows.
            Err(failure @ (Failure::Broken(_) | Failure::Uncertain(_))) => {
                match self.find_receipt(owner, changes).await {
                    Ok(Some(receipt)) => (receipt, None),
                    Ok(None) => return Err(failure.into_known_error("commit")),
                    Err(_) => return Err(failure.into_error("commit")),
                }
            }
        };
        self.remember(owner, committed);
        if changes.removes_text() {
            self.scrub("commit").await?;
        }
        Ok(receipt)
    }

    fn remember(&mut self, owner: &Owner, done: Option<Done>) {
        let Some((committed, backlog)) = done else {
            return;
        };
        self.caches.committed(owner, &committed);
        let Some(Backlog {
            owner_id,
            messages,
            bytes,
        }) = backlog
        else {
            return;
        };
        if self.said.len() >= MOST_OWNERS {
            self.said.clear();
        }
        let text = self.said.entry(owner_id).or_default();
        *text += bytes;
        let is_due = messages >= self.options.index_after as u64 || *text >= MUCH_TEXT;
        if is_due && !self.due.contains(&owner_id) {
            self.due.push_back(owner_id);
        }
    }

    /// Puts messages that have waited into the keyword index: some of one owner. Whether there was anything to do.
    /// What fails is tried again with the next message that is said.
    async fn index_messages(&mut self) -> bool {
        if matches!(self.check, Check::Failed(_)) {
            return false;
        }
        let Some(owner_id) = self.due.pop_front() else {
            return false;
        };
        self.said.remove(&owner_id);
        let most = self.options.index_after;
        let gathered = self
            .transaction(async |transaction| {
                segments::gather(transaction.connection().await?, owner_id, most).await
            })
            .await;
        if let Ok(true) = gathered {
            self.due.push_back(owner_id);
        }
        true
    }

    async fn find_receipt(&mut self, owner: &Owner, changes: &ChangeSet) -> Work<Option<Receipt>> {
        let connection = self.connection().await?;
        let found = prepare::receipt(connection, owner, changes.operation).await;
        self.findable()?;
        if found.is_err() {
            self.discard().await;
        }
        found
    }

    async fn retain(&mut self, owner: &Owner, retention: &Retention) -> Result<Retained> {
        self.sound("retain").await?;
        self.transaction(async |transaction| {
            maintenance::retain(transaction.connection().await?, owner, retention).await
        })
        .await
        .map_err(|failure| failure.into_error("retain"))
    }

    async fn erase(&mut self, owner: &Owner) -> Result<bool> {
        self.sound("erase").await?;
        let erased = self
            .transaction(async |transaction| maintenance::erase(transaction, owner).await)
            .await
            .map_err(|failure| failure.into_error("erase"))?;
        self.caches.forget(owner);
        // Also when nothing was found: an erasure that was cut short here is finished by calling again.
        self.scrub("erase").await?;
        Ok(erased)
    }

    /// Runs work in one transaction: committed when it succeeds, otherwise nothing of it stays.
    async fn transaction<T>(
        &mut self,
        work: impl AsyncFnOnce(&mut Transaction<'_>) -> Work<T>,
    ) -> Work<T> {
        let patience = self.options.busy_timeout;
        self.findable()?;
        let mut transaction = Transaction::begin(self.connection().await?, patience);
        let outcome = match work(&mut transaction).await {
            Ok(done) => transaction.commit().await.map(|()| done),
            Err(Failure::Refused(error)) => match transaction.roll_back().await {
                Ok(()) => return Err(Failure::Refused(error)),
                Err(broken) => Err(broken),
            },
            Err(broken) => Err(broken),
        };
        // What went wrong may have gone wrong for that.
        self.findable()?;
        match outcome.is_ok() {
            true => self.has_committed = true,
            false => self.discard().await,
        }
        outcome
    }

    /// Fails where what is committed is in a log that nobody finds. From then on nothing is written; the connection is left
    /// as it is, for the close.
    fn findable(&mut self) -> Result<()> {
        let is_nothing_known = self.connection.is_none() && !self.log.is_known();
        if is_nothing_known || self.log.standing() == Standing::Ours {
            return Ok(());
        }
        self.is_log_lost.store(true, Ordering::Release);
        let error = log::lost("commit");
        self.check = Check::Failed(error.clone());
        Err(error)
    }

    async fn connection(&mut self) -> Result<&mut SqliteConnection> {
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => {
                // One that is made now would go on with what the others have, and they may have what nobody finds.
                self.findable()?;
                let connection = open::connect(&self.options.writer()).await?;
                if !self.log.is_known() {
                    self.log.note();
                }
                if let Some(anchor) = self.anchor.take() {
                    anchor.close().await.ok();
                }
                connection
            }
        };
        Ok(self.connection.insert(connection))
    }

    async fn discard(&mut self) {
        if let Some(connection) = self.connection.take() {
            connection.close_hard().await.ok();
        }
        self.log.forget();
        self.has_committed = false;
    }
}
