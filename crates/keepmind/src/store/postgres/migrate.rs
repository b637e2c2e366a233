//! Brings a database to the schema of this version, safely from many processes at once.

use sqlx::{AssertSqlSafe, PgConnection, Row as _};

use crate::error::{Error, ErrorKind, Result};
use crate::store::database::runtime::OPEN;
use crate::store::postgres::failure::{Failure, Work};
use crate::store::postgres::options::PostgresOptions;
use crate::store::postgres::schema::{MIGRATIONS, SCHEMA_VERSION};
use crate::text::TERMS_VERSION;

/// What all processes lock while one of them migrates: "kmnd".
const LOCK: i64 = 0x6b6d_6e64;

/// Applies what is missing. A database that is up to date is only looked at.
pub(super) async fn migrate(
    connection: &mut PgConnection,
    options: &PostgresOptions,
) -> Result<()> {
    let migrated = async {
        if found(connection).await? == Some((SCHEMA_VERSION, TERMS_VERSION)) {
            return Ok(());
        }
        sqlx::raw_sql("BEGIN").execute(&mut *connection).await?;
        // For the transaction alone: also behind a pooler nothing of it stays.
        sqlx::query("SELECT pg_advisory_xact_lock($1)")
            .bind(LOCK)
            .execute(&mut *connection)
            .await?;
        apply(connection, options).await?;
        sqlx::raw_sql("COMMIT").execute(&mut *connection).await?;
        Ok(())
    };
    let migrated: Work<()> = migrated.await;
    migrated.map_err(|failure| failure.into_error(OPEN))
}

/// The versions of the schema and of the terms, where there are any tables.
async fn found(connection: &mut PgConnection) -> Work<Option<(u32, u32)>> {
    let is_there: bool = sqlx::query_scalar(
        "SELECT EXISTS (SELECT 1 FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace \
         WHERE relname = 'setting' AND nspname = current_setting('search_path'))",
    )
    .fetch_one(&mut *connection)
    .await?;
    if !is_there {
        return Ok(None);
    }
    let row = sqlx::query(
        "SELECT (SELECT value FROM setting WHERE name = 'schema') AS schema, \
         (SELECT value FROM setting WHERE name = 'terms') AS terms",
    )
    .fetch_one(connection)
    .await?;
    let version = |column: &str| -> Work<u32> {
        let stored: i64 = row.try_get(column)?;
        Ok(u32::try_from(stored).unwrap_or(u32::MAX))
    };
    Ok(Some((version("schema")?, version("terms")?)))
}

async fn apply(connection: &mut PgConnection, options: &PostgresOptions) -> Work<()> {
    // Under the lock it is read again, so that of many processes one migrates and the others find it done.
    let (schema, terms) = match found(connection).await? {
        Some(found) => found,
        None => {
            // The name is checked to be letters, digits and underscores.
            let make = format!(
                "CREATE SCHEMA IF NOT EXISTS \"{}\"; \
                 CREATE TABLE setting (name TEXT NOT NULL PRIMARY KEY, value BIGINT NOT NULL)",
                options.schema
            );
            sqlx::raw_sql(AssertSqlSafe(make))
                .execute(&mut *connection)
                .await?;
            (0, TERMS_VERSION)
        }
    };
    newer("schema", schema, SCHEMA_VERSION)?;
    newer("terms", terms, TERMS_VERSION)?;
    for script in &MIGRATIONS[schema as usize..] {
        sqlx::raw_sql(*script).execute(&mut *connection).await?;
    }
    if terms < TERMS_VERSION {
        super::reindex::reindex(connection).await?;
    }
    sqlx::query(
        "INSERT INTO setting (name, value) VALUES ('schema', $1), ('terms', $2) \
         ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    )
    .bind(i64::from(SCHEMA_VERSION))
    .bind(i64::from(TERMS_VERSION))
    .execute(connection)
    .await?;
    Ok(())
}

fn newer(what: &str, found: u32, known: u32) -> Work<()> {
    if found <= known {
        return Ok(());
    }
    Err(Failure::Refused(Error::new(
        ErrorKind::Newer,
        OPEN,
        format_args!(
            "the database has {what} {found}, this version knows {known}: upgrade the library; nothing was changed"
        ),
    )))
}
