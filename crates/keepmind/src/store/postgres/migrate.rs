//! Brings a database to the schema of this version, safely from many processes at once.

use sqlx::Row as _;

use crate::error::{Error, ErrorKind, Result};
use crate::store::database::runtime::OPEN;
use crate::store::postgres::connection::Line;
use crate::store::postgres::failure::{Failure, Work};
use crate::store::postgres::schema::{self, MIGRATIONS, SCHEMA_VERSION, Settings};
use crate::store::postgres::{reindex, security};
use crate::text::TERMS_VERSION;

/// What all processes lock, with the schema, while one of them migrates: "kmnd".
const LOCK: i32 = 0x6b6d_6e64;
/// How often others may be in the way.
const MOST_TRIES: u32 = 5;

/// What there is in a database.
struct Found {
    has_schema: bool,
    /// What it says of itself, where there are any tables.
    settings: Option<Settings>,
}

impl Found {
    fn is_secured(&self) -> bool {
        let settings = self.settings.as_ref();
        settings.is_some_and(|settings| settings.get(security::SETTING) == Some(&1))
    }

    /// Whether nothing is left to do; an error where it is newer than what is known.
    fn is_done(&self, is_secured: bool) -> Result<bool> {
        match &self.settings {
            Some(settings) => {
                let is_current = schema::is_current(OPEN, settings)?;
                Ok(is_current && (self.is_secured() || !is_secured))
            }
            None => Ok(false),
        }
    }
}

/// Applies what is missing, and tells whether the server keeps owners apart itself. A database that is up to date is
/// only looked at.
pub(super) async fn migrate(line: &mut Line, is_secured: bool) -> Result<bool> {
    let mut tries = 0;
    loop {
        match try_migrate(line, is_secured).await {
            Ok(is_secured) => return Ok(is_secured),
            // Whoever reads and writes meanwhile takes locks in an order of its own.
            Err(failure) if failure.is_momentary() && tries < MOST_TRIES => {
                tries += 1;
                let ended = line.raw("ROLLBACK").await;
                ended.map_err(|failure| failure.into_error(OPEN))?;
            }
            Err(failure) => return Err(failure.into_error(OPEN)),
        }
    }
}

async fn try_migrate(line: &mut Line, is_secured: bool) -> Work<bool> {
    let found = look(line).await?;
    if found.is_done(is_secured)? {
        return Ok(found.is_secured());
    }
    begin(line, "0").await?;
    // Under the lock it is looked at again, so that of many processes one migrates and the others find it done.
    let found = look(line).await?;
    let is_secured = is_secured || found.is_secured();
    if !found.is_done(is_secured)? {
        apply(line, &found, is_secured).await?;
    }
    line.raw_patiently("COMMIT").await?;
    Ok(is_secured)
}

/// Begins a transaction in which nobody else changes tables; a lock is waited for as long as that, 0 as long as it takes.
///
/// Everything is for the transaction alone: also behind a pooler nothing of it stays. A statement takes as long as it needs,
/// and whatever the server's usual isolation, who has waited for the lock sees what was done meanwhile.
pub(super) async fn begin(line: &mut Line, patience: &str) -> Work<()> {
    let begin = format!(
        "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '{patience}'; \
         SET LOCAL idle_in_transaction_session_timeout = '60s'; SET LOCAL search_path = \"{name}\"; \
         SELECT pg_advisory_xact_lock({LOCK}, hashtext('{name}'))",
        name = line.schema().name()
    );
    line.raw_patiently(&begin).await?;
    Ok(())
}

async fn look(line: &mut Line) -> Work<Found> {
    let sql = format!(
        "SELECT current_setting('server_encoding') AS encoding, \
         EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = '{name}') AS has_schema, \
         EXISTS (SELECT 1 FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace \
         WHERE relname = 'setting' AND nspname = '{name}') AS has_tables",
        name = line.schema().name()
    );
    let rows = line.raw(&sql).await?;
    let row = rows.first().ok_or(sqlx::Error::RowNotFound)?;
    let encoding: &str = row.try_get("encoding")?;
    if encoding != "UTF8" {
        return Err(Failure::Refused(Error::new(
            ErrorKind::Unsupported,
            OPEN,
            format_args!(
                "the database keeps text as {encoding}, which cannot hold all of it: \
                 create one with ENCODING 'UTF8' TEMPLATE template0"
            ),
        )));
    }
    let mut found = Found {
        has_schema: row.try_get("has_schema")?,
        settings: None,
    };
    if row.try_get("has_tables")? {
        let mut settings = Settings::new();
        for row in line.raw("SELECT name, value FROM @setting").await? {
            settings.insert(row.try_get("name")?, row.try_get("value")?);
        }
        found.settings = Some(settings);
    }
    Ok(found)
}

async fn apply(line: &mut Line, found: &Found, is_secured: bool) -> Work<()> {
    // A role may be allowed to use a schema that is there, and not to make one.
    if !found.has_schema {
        let make = format!("CREATE SCHEMA IF NOT EXISTS \"{}\"", line.schema().name());
        line.raw_patiently(&make).await?;
    }
    let (schema, terms) = match &found.settings {
        Some(settings) => {
            let version = |name: &str| {
                let stored = settings.get(name).copied().unwrap_or_default();
                u32::try_from(stored).unwrap_or_default()
            };
            (version("schema"), version("terms"))
        }
        None => {
            line.raw_patiently(
                "CREATE TABLE @setting (name TEXT NOT NULL PRIMARY KEY, value BIGINT NOT NULL)",
            )
            .await?;
            (0, TERMS_VERSION)
        }
    };
    if found.is_secured() {
        security::loosen(line).await?;
    }
    for script in MIGRATIONS.iter().skip(schema as usize) {
        line.raw_patiently(script).await?;
    }
    if terms < TERMS_VERSION {
        reindex::reindex(line).await?;
    }
    if is_secured {
        security::put_on(line).await?;
    }
    line.raw_patiently(&format!(
        "INSERT INTO @setting (name, value) VALUES ('schema', {SCHEMA_VERSION}), ('terms', {TERMS_VERSION}), \
         ('{}', {}) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        security::SETTING,
        u32::from(is_secured)
    ))
    .await?;
    Ok(())
}
