//! How a file is opened.

use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};

use crate::store::database::segments::MOST_WAITING;

/// What survives what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Durability {
    /// What was acknowledged survives a power failure.
    #[default]
    Full,
    /// What was acknowledged survives a crash of the process; a power failure may take the last commits.
    Normal,
    /// Nothing is promised after a power failure, the file itself included. For tests and imports.
    Off,
}

/// When the file is checked for damage as it is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum OpenCheck {
    /// The whole file is read: a small one before opening answers, a larger one while it is read from
    /// already. Nothing is written before the check has passed.
    #[default]
    Automatic,
    /// The whole file is read before opening answers, however large.
    Always,
    /// Only header and schema are checked.
    Header,
}

/// How a file is opened. Made from a path, then changed.
///
/// ```
/// use keepmind::store::sqlite::{Durability, SqliteOptions};
///
/// let options = SqliteOptions::new("memories.db")
///     .durability(Durability::Normal)
///     .cache_bytes(8 << 20);
/// ```
#[derive(Debug, Clone)]
pub struct SqliteOptions {
    pub(super) path: PathBuf,
    pub(super) durability: Durability,
    pub(super) check: OpenCheck,
    pub(super) readers: u32,
    pub(super) cache_bytes: usize,
    pub(super) busy_timeout: Duration,
    pub(super) max_bytes: Option<u64>,
    pub(super) index_after: usize,
}

impl SqliteOptions {
    /// The file at that path, made if it is not there, with full durability.
    pub fn new(path: impl AsRef<Path>) -> Self {
        SqliteOptions {
            path: path.as_ref().to_path_buf(),
            durability: Durability::default(),
            check: OpenCheck::default(),
            readers: 3,
            cache_bytes: 64 << 20,
            busy_timeout: Duration::from_secs(60),
            max_bytes: None,
            index_after: MOST_WAITING,
        }
    }

    /// What survives what. [`Durability::Full`] unless told.
    pub fn durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }

    /// How the file is checked for damage. [`OpenCheck::Automatic`] unless told.
    pub fn check(mut self, check: OpenCheck) -> Self {
        self.check = check;
        self
    }

    /// How many reads may run at once, at least 1. 3 unless told.
    pub fn readers(mut self, readers: u32) -> Self {
        self.readers = readers.max(1);
        self
    }

    /// How much memory postings and vectors may take. 64 MiB unless told. One owner's data is kept
    /// even when it takes more.
    pub fn cache_bytes(mut self, bytes: usize) -> Self {
        self.cache_bytes = bytes;
        self
    }

    /// How long a write waits for other processes before it answers
    /// [`Busy`](crate::ErrorKind::Busy). A minute unless told.
    pub fn busy_timeout(mut self, timeout: Duration) -> Self {
        self.busy_timeout = timeout;
        self
    }

    /// The most the file may grow to; a write beyond it answers [`Full`](crate::ErrorKind::Full).
    /// Without a limit unless told.
    pub fn max_bytes(mut self, bytes: u64) -> Self {
        self.max_bytes = Some(bytes);
        self
    }

    /// How many messages of an owner wait until they are put into the keyword index together, at least 1.
    /// 64 unless told. They are found all the while: more of them make a message cheaper to store, and a
    /// search of what was said dearer.
    pub fn index_after(mut self, messages: u32) -> Self {
        self.index_after = messages.max(1) as usize;
        self
    }

    /// Where SQLite keeps its write-ahead log.
    pub(super) fn log(&self) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push("-wal");
        name.into()
    }

    /// Reads only: it also looks at a file for the first time, and must not change a byte of it.
    pub(super) fn reader(&self) -> SqliteConnectOptions {
        self.base().read_only(true).pragma("query_only", "ON")
    }

    pub(super) fn writer(&self) -> SqliteConnectOptions {
        let synchronous = match self.durability {
            Durability::Full => SqliteSynchronous::Full,
            Durability::Normal => SqliteSynchronous::Normal,
            Durability::Off => SqliteSynchronous::Off,
        };
        let options = self
            .base()
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(synchronous)
            .foreign_keys(true)
            // Each holds all statements of a call: fewer than the readers' are enough, and larger.
            .statement_cache_capacity(64)
            .pragma("secure_delete", "ON")
            .pragma("journal_size_limit", "4194304");
        match self.max_bytes {
            Some(bytes) => options.pragma("max_page_count", (bytes / PAGE_SIZE).max(1).to_string()),
            None => options,
        }
    }

    fn base(&self) -> SqliteConnectOptions {
        SqliteConnectOptions::new()
            .filename(&self.path)
            .create_if_missing(false)
            // Longer waits are the library's own: SQLite's handler cannot be told to stop.
            .busy_timeout(self.busy_timeout.min(Duration::from_secs(5)))
            .foreign_keys(false)
            .statement_cache_capacity(256)
            .pragma("trusted_schema", "OFF")
            .pragma("cell_size_check", "ON")
            .pragma("temp_store", "MEMORY")
            .thread_name(|place| format!("keepmind-sqlite-{place}"))
    }
}

pub(super) const PAGE_SIZE: u64 = 4_096;
