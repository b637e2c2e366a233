//! Opening a file: it must be ours, sound, and no newer than this library, or it is left as it is.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Row, SqliteConnection};
use tokio::sync::Notify;

use crate::error::{Error, ErrorKind, Result};
use crate::store::database::runtime::OPEN;
use crate::store::sqlite::failure::{error_of, is_busy};
use crate::store::sqlite::options::{OpenCheck, SqliteOptions};
use crate::store::sqlite::schema::{APPLICATION_ID, SCHEMA_VERSION};
use crate::text::TERMS_VERSION;

/// Before this, a writer and a checkpoint in two processes could damage a file in WAL mode.
const OLDEST_SQLITE: [u32; 3] = [3, 51, 3];
/// Read through in a millisecond or two.
const SMALL_BYTES: u64 = 1 << 20;
/// What a check waits before it competes with what the store was opened for.
const FIRST_READS: Duration = Duration::from_secs(1);

/// Makes the file if it is not there, for its user alone. SQLite's other files inherit the mode.
///
/// Only ever opens a file that did not exist: closing a descriptor of a file in use would drop this
/// process's locks on it.
pub(super) fn create_file(path: &Path) -> Result<()> {
    let name = path.to_string_lossy();
    if name.is_empty() || name.starts_with(":memory:") {
        return Err(Error::invalid(
            OPEN,
            "a path is needed: for memory that is not kept, use InMemoryStore, or `memory:` from C and Python",
        ));
    }
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => {
            return Err(Error::new(
                ErrorKind::Unsupported,
                OPEN,
                "the path is that of a folder: name a file in it",
            ));
        }
        // Opening a pipe waits for whoever is at its other end.
        Ok(found) if !found.is_file() => {
            return Err(Error::new(
                ErrorKind::Unsupported,
                OPEN,
                "the path is that of a pipe, a socket or a device: name a file",
            ));
        }
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(Error::new(
            ErrorKind::Unsupported,
            OPEN,
            format_args!(
                "the file cannot be made ({}): check that its folder exists and can be written",
                error.kind()
            ),
        )),
    }
}

/// What is left to be done about a file that may be ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// It is new, or of an older version: its schema must be brought up to date.
    Outdated,
    /// It is up to date, and was looked at as far as was asked for.
    Current,
    /// It is up to date, and must be read through before anything is written.
    Unchecked,
}

/// Looks at the file without changing it, and refuses what is not ours or not sound.
pub(super) async fn probe(
    connection: &mut SqliteConnection,
    options: &SqliteOptions,
) -> Result<Found> {
    let (version, application, schema, tables) = identity(connection)
        .await
        .map_err(|error| error_of(OPEN, &error))?;
    check_version(&version)?;
    if application != i64::from(APPLICATION_ID) {
        if application == 0 && schema == 0 && tables == 0 {
            return Ok(Found::Outdated);
        }
        return Err(Error::new(
            ErrorKind::Foreign,
            OPEN,
            "the file belongs to another application: choose another path; nothing was changed",
        ));
    }
    if schema > i64::from(SCHEMA_VERSION) {
        return Err(Error::new(
            ErrorKind::Newer,
            OPEN,
            format_args!(
                "the file has schema {schema}, this version knows {SCHEMA_VERSION}: upgrade the library; nothing was changed"
            ),
        ));
    }
    let terms: i64 = sqlx::query_scalar("SELECT value FROM setting WHERE name = 'terms'")
        .fetch_one(&mut *connection)
        .await
        .map_err(|error| error_of(OPEN, &error))?;
    if terms > i64::from(TERMS_VERSION) {
        return Err(Error::new(
            ErrorKind::Newer,
            OPEN,
            format_args!(
                "the file's index has terms {terms}, this version knows {TERMS_VERSION}: upgrade the library; nothing was changed"
            ),
        ));
    }
    let size = std::fs::metadata(&options.path).map_or(0, |file| file.len());
    let is_migrated = schema < i64::from(SCHEMA_VERSION) || terms < i64::from(TERMS_VERSION);
    let is_small = size <= SMALL_BYTES || is_migrated;
    match options.check {
        OpenCheck::Header => {}
        OpenCheck::Automatic if !is_small => return Ok(Found::Unchecked),
        OpenCheck::Automatic | OpenCheck::Always => check(connection).await?,
    }
    Ok(if is_migrated {
        Found::Outdated
    } else {
        Found::Current
    })
}

/// What a check that runs by itself is told.
#[derive(Default)]
pub(super) struct Checking {
    is_stopped: AtomicBool,
    is_needed: Notify,
}

impl Checking {
    /// Somebody waits for it now.
    pub(super) fn hurry(&self) {
        self.is_needed.notify_one();
    }

    /// Nobody needs it any more.
    pub(super) fn stop(&self) {
        self.is_stopped.store(true, Ordering::Release);
        self.hurry();
    }

    fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Acquire)
    }
}

/// Reads the whole file on a connection of its own, until it is told to stop. The first reads after opening
/// go before it, unless somebody waits for it. Where the file is sound the connection, which holds the lock from the
/// beginning, is handed on.
pub(super) async fn check_apart(
    options: SqliteOptions,
    checking: Arc<Checking>,
) -> Result<SqliteConnection> {
    let mut connection = connect(&options.reader()).await?;
    hold(&mut connection).await?;
    let needed = checking.is_needed.notified();
    tokio::time::timeout(FIRST_READS, needed).await.ok();
    if checking.is_stopped() {
        let what = "the file was not checked: it was closed before";
        return Err(Error::new(ErrorKind::Closed, OPEN, what));
    }
    if let Ok(mut handle) = connection.lock_handle().await {
        handle.set_progress_handler(10_000, move || !checking.is_stopped());
    }
    check(&mut connection).await?;
    Ok(connection)
}

/// Has a connection hold the lock that keeps other processes from taking the log away, which only one does that has read.
pub(super) async fn hold(connection: &mut SqliteConnection) -> Result<()> {
    sqlx::query("SELECT count(*) FROM sqlite_schema")
        .execute(connection)
        .await
        .map_err(|error| error_of(OPEN, &error))?;
    Ok(())
}

/// Reads the whole file.
pub(super) async fn check(connection: &mut SqliteConnection) -> Result<()> {
    let verdict: String = sqlx::query_scalar("PRAGMA quick_check(1)")
        .fetch_one(connection)
        .await
        .map_err(|error| error_of(OPEN, &error))?;
    if verdict != "ok" {
        return Err(Error::new(
            ErrorKind::Damaged,
            OPEN,
            "the file is damaged: restore it from a copy; nothing was changed",
        ));
    }
    Ok(())
}

async fn identity(connection: &mut SqliteConnection) -> sqlx::Result<(String, i64, i64, i64)> {
    let row = sqlx::query(
        "SELECT sqlite_version(), \
         (SELECT application_id FROM pragma_application_id), \
         (SELECT user_version FROM pragma_user_version), \
         (SELECT count(*) FROM sqlite_schema)",
    )
    .fetch_one(connection)
    .await?;
    Ok((
        row.try_get(0)?,
        row.try_get(1)?,
        row.try_get(2)?,
        row.try_get(3)?,
    ))
}

/// Refuses an SQLite that could damage a file.
fn check_version(version: &str) -> Result<()> {
    let mut parts = version
        .split('.')
        .map(|part| part.parse::<u32>().unwrap_or(0));
    let found = [(); 3].map(|()| parts.next().unwrap_or(0));
    if found < OLDEST_SQLITE {
        return Err(Error::new(
            ErrorKind::Unsupported,
            OPEN,
            format_args!("SQLite {version} can damage files in WAL mode: link 3.51.3 or later"),
        ));
    }
    Ok(())
}

/// Connects, outlasting a process that is making the file.
pub(super) async fn connect(options: &SqliteConnectOptions) -> Result<SqliteConnection> {
    let mut patience = Patience::new();
    loop {
        match options.connect().await {
            Ok(connection) => return Ok(connection),
            Err(error) => patience.wait(error).await?,
        }
    }
}

/// Outlasts another process that is switching the file to WAL, which takes no busy timeout.
struct Patience(u32);

impl Patience {
    fn new() -> Self {
        Patience(600)
    }

    async fn wait(&mut self, error: sqlx::Error) -> Result<()> {
        if !is_busy(&error) || self.0 == 0 {
            return Err(error_of(OPEN, &error));
        }
        self.0 -= 1;
        tokio::time::sleep(Duration::from_millis(10)).await;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_sqlite_that_can_damage_files_is_refused() {
        for refused in ["3.46.0", "3.51.2", "3.7.17", "2.8.17", "", "x.y.z"] {
            let error = check_version(refused).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unsupported, "{refused}");
        }
        for taken in ["3.51.3", "3.52.0", "4.0.0"] {
            check_version(taken).unwrap();
        }
    }
}
