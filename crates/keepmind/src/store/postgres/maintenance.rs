//! What a host does for all owners: the owners' page, retention, erasure, and what the store is.

use crate::owner::Owner;
use crate::store::postgres::columns::{self, Cells as _, key, owner_columns};
use crate::store::postgres::connection::Line;
use crate::store::postgres::failure::Work;
use crate::store::postgres::schema::SCHEMA_VERSION;
use crate::store::postgres::statement::Statement;
use crate::store::{OwnerSummary, Retained, Retention, StoreInfo};
use crate::timestamp::Timestamp;

pub(super) async fn owners(
    line: &mut Line,
    after: Option<&Owner>,
    limit: usize,
) -> Work<Vec<OwnerSummary>> {
    let rows = sqlx::query(concat!(
        "SELECT name, ",
        owner_columns!(),
        " FROM owner WHERE name > $1 ORDER BY name LIMIT $2"
    ))
    .bind(after.map_or("", Owner::as_str))
    .bind(limit as i64)
    .fetch_all(&mut line.connection)
    .await?;
    columns::each(&rows, columns::summary)
}

pub(super) async fn retain(
    line: &mut Line,
    owner: &Owner,
    retention: &Retention,
) -> Work<Retained> {
    let Retention {
        usage_before,
        traces_before,
        operations_before,
    } = *retention;
    let row = sqlx::query(
        "WITH old_usage AS (DELETE FROM usage WHERE owner_id = $1 AND at < $2 RETURNING 1), \
         old_trace AS (DELETE FROM trace WHERE owner_id = $1 AND finished_at < $3 RETURNING 1), \
         old_operation AS (DELETE FROM operation WHERE owner_id = $1 AND at < $4 RETURNING 1) \
         SELECT (SELECT count(*) FROM old_usage) AS uses, (SELECT count(*) FROM old_trace) AS traces, \
         (SELECT count(*) FROM old_operation) AS operations",
    )
    .bind(key(owner))
    .bind(usage_before.map(Timestamp::as_micros))
    .bind(traces_before.map(Timestamp::as_micros))
    .bind(operations_before.map(Timestamp::as_micros))
    .fetch_one(&mut line.connection)
    .await?;
    Ok(Retained {
        usage: columns::count(&row, "uses")?,
        traces: columns::count(&row, "traces")?,
        operations: columns::count(&row, "operations")?,
    })
}

/// A part for every table that holds an owner's rows.
macro_rules! owned {
    ($($table:literal),+ $(,)?) => {
        [$((
            concat!("erased_", $table),
            concat!("DELETE FROM ", $table, " USING guard WHERE owner_id = guard.id"),
        )),+]
    };
}
const OWNED: [(&str, &str); 18] = owned![
    "message_posting",
    "message_segment",
    "posting",
    "operation",
    "embedding",
    "usage",
    "trace",
    "observation",
    "message",
    "session",
    "journal",
    "consent",
    "lineage",
    "proposal",
    "tombstone",
    "link",
    "memory",
    "fact",
];

/// One statement takes all. It sees what was there when it began, so the owner's row is locked before: whoever
/// writes meanwhile waits, and then finds no owner.
pub(super) async fn erase(line: &mut Line, owner: &Owner) -> Work<bool> {
    let connection = &mut line.connection;
    sqlx::raw_sql("BEGIN").execute(&mut *connection).await?;
    sqlx::query("SELECT 1 FROM owner WHERE id = $1 FOR UPDATE")
        .bind(key(owner))
        .execute(&mut *connection)
        .await?;
    let mut statement = Statement::default();
    statement
        .part("guard", "DELETE FROM owner WHERE id = $1 RETURNING id")
        .bind(key(owner));
    for (name, sql) in OWNED {
        statement.part(name, sql);
    }
    let gone = statement
        .run("SELECT id FROM guard", &mut *connection)
        .await?;
    sqlx::raw_sql("COMMIT").execute(connection).await?;
    Ok(!gone.is_empty())
}

pub(super) async fn info(line: &mut Line) -> Work<StoreInfo> {
    let row = sqlx::query(
        "SELECT current_setting('server_version') AS version, (SELECT count(*) FROM owner) AS owners, \
         (SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class \
         WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace) AS bytes",
    )
    .fetch_one(&mut line.connection)
    .await?;
    let version = row.text("version")?.unwrap_or_default();
    let mut info = StoreInfo::new("postgres", format!("PostgreSQL {version}"));
    info.schema = SCHEMA_VERSION;
    info.owners = columns::count(&row, "owners")?;
    info.bytes = Some(columns::count(&row, "bytes")?);
    Ok(info)
}
