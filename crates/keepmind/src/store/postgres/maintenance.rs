//! What a host does for all owners: the owners' page, retention, erasure, and what the store is.

use std::time::Duration;

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
    let asked = line
        .query(concat!(
            "SELECT name, ",
            owner_columns!(),
            " FROM @owner WHERE name > $1 ORDER BY name LIMIT $2"
        ))
        .bind(after.map_or("", Owner::as_str))
        .bind(limit as i64);
    let rows = line.read(None, asked).await?;
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
    let asked = line.query(
        "WITH old_usage AS (DELETE FROM @usage WHERE owner_id = $1 AND at < $2 RETURNING 1), \
         old_trace AS (DELETE FROM @trace WHERE owner_id = $1 AND finished_at < $3 RETURNING 1), \
         old_operation AS (DELETE FROM @operation WHERE owner_id = $1 AND at < $4 RETURNING 1) \
         SELECT (SELECT count(*) FROM old_usage) AS uses, (SELECT count(*) FROM old_trace) AS traces, \
         (SELECT count(*) FROM old_operation) AS operations",
    )
    .bind(key(owner))
    .bind(usage_before.map(Timestamp::as_micros))
    .bind(traces_before.map(Timestamp::as_micros))
    .bind(operations_before.map(Timestamp::as_micros));
    let rows = line.write(key(owner), asked).await?;
    let row = rows.first().ok_or(sqlx::Error::RowNotFound)?;
    Ok(Retained {
        usage: columns::count(row, "uses")?,
        traces: columns::count(row, "traces")?,
        operations: columns::count(row, "operations")?,
    })
}

/// Every table that holds an owner's rows, and the part that takes them away.
macro_rules! owned {
    ($($table:literal),+ $(,)?) => {
        [$((
            $table,
            concat!("erased_", $table),
            concat!("DELETE FROM @", $table, " USING guard WHERE owner_id = guard.id"),
        )),+]
    };
}
pub(super) const OWNED: [(&str, &str, &str); 18] = owned![
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

/// How long taking all of an owner's rows may last: as long as it needs, but not for ever where the line is dead.
const ERASING: Duration = Duration::from_secs(3600);

/// What is known of an erasure that failed.
#[derive(Debug, Default)]
pub(super) struct Erasing {
    /// There was an owner, and its end was sent: nobody knows whether it came about.
    pub(super) is_sent: bool,
}

/// One statement takes all. It sees what was there when it began, so the owner's row is locked before: whoever
/// writes meanwhile waits, and then finds no owner.
pub(super) async fn erase(line: &mut Line, owner: &Owner, erasing: &mut Erasing) -> Work<bool> {
    let owner_id = key(owner);
    line.begin_writing(owner_id).await?;
    if !line.lock(owner_id).await? {
        return Ok(false);
    }
    let mut statement = Statement::default();
    statement
        .part("guard", "DELETE FROM @owner WHERE id = $1 RETURNING id")
        .bind(owner_id);
    for (_, name, sql) in OWNED {
        statement.part(name, sql);
    }
    let asked = statement.asked("SELECT id FROM guard", line)?;
    line.fetch_within(ERASING, asked).await?;
    erasing.is_sent = true;
    line.commit().await?;
    Ok(true)
}

pub(super) async fn info(line: &mut Line) -> Work<StoreInfo> {
    let asked = line.query(
        "SELECT current_setting('server_version') AS version, (SELECT count(*) FROM @owner) AS owners, \
         (SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class \
         WHERE relkind = 'r' AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1)) AS bytes",
    )
    .bind(line.schema().name().to_owned());
    let rows = line.read(None, asked).await?;
    let row = rows.first().ok_or(sqlx::Error::RowNotFound)?;
    let version = row.text("version")?.unwrap_or_default();
    let mut info = StoreInfo::new("postgres", format!("PostgreSQL {version}"));
    info.schema = SCHEMA_VERSION;
    info.owners = columns::count(row, "owners")?;
    info.bytes = Some(columns::count(row, "bytes")?);
    Ok(info)
}
