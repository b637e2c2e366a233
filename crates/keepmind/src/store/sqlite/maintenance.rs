//! What a host does for all owners: the owners' page, retention, erasure, and what the store is.

use sqlx::{Row as _, SqliteConnection};

use crate::owner::Owner;
use crate::store::sqlite::columns;
use crate::store::sqlite::failure::Work;
use crate::store::sqlite::transaction::Transaction;
use crate::store::sqlite::{load, schema};
use crate::store::{OwnerSummary, Retained, Retention, StoreInfo};
use crate::timestamp::Timestamp;

pub(super) async fn owners(
    connection: &mut SqliteConnection,
    after: Option<&Owner>,
    limit: usize,
) -> Work<Vec<OwnerSummary>> {
    let rows = sqlx::query(
        "SELECT name, epoch, revision, next_number, last_stamp, embedding_changes FROM owner \
         WHERE name > ?1 ORDER BY name LIMIT ?2 + 0",
    )
    .bind(after.map_or("", Owner::as_str))
    .bind(limit as i64)
    .fetch_all(connection)
    .await?;
    columns::each(&rows, columns::summary)
}

pub(super) async fn retain(
    connection: &mut SqliteConnection,
    owner: &Owner,
    retention: &Retention,
) -> Work<Retained> {
    let Retention {
        usage_before,
        traces_before,
        operations_before,
    } = *retention;
    let Some((owner_id, _)) = load::owner(connection, owner).await? else {
        return Ok(Retained::default());
    };
    let mut let_go = async |sql: &'static str, before: Option<Timestamp>| -> Work<u64> {
        let Some(before) = before else {
            return Ok(0);
        };
        let gone = sqlx::query(sql)
            .bind(owner_id)
            .bind(before.as_micros())
            .execute(&mut *connection)
            .await?;
        Ok(gone.rows_affected())
    };
    Ok(Retained {
        usage: let_go(
            "DELETE FROM usage WHERE owner_id = ?1 AND at < ?2",
            usage_before,
        )
        .await?,
        traces: let_go(
            "DELETE FROM trace WHERE owner_id = ?1 AND finished_at < ?2",
            traces_before,
        )
        .await?,
        operations: let_go(
            "DELETE FROM operation WHERE owner_id = ?1 AND at < ?2",
            operations_before,
        )
        .await?,
    })
}

/// Every table that holds an owner's rows, those that refer to others first.
const OWNED: [&str; 17] = [
    "DELETE FROM message_posting WHERE owner_id = ?1",
    "DELETE FROM message_segment WHERE owner_id = ?1",
    "DELETE FROM posting WHERE owner_id = ?1",
    "DELETE FROM operation WHERE owner_id = ?1",
    "DELETE FROM embedding WHERE owner_id = ?1",
    "DELETE FROM usage WHERE owner_id = ?1",
    "DELETE FROM trace WHERE owner_id = ?1",
    "DELETE FROM observation WHERE owner_id = ?1",
    "DELETE FROM message WHERE owner_id = ?1",
    "DELETE FROM session WHERE owner_id = ?1",
    "DELETE FROM journal WHERE owner_id = ?1",
    "DELETE FROM consent WHERE owner_id = ?1",
    "DELETE FROM lineage WHERE owner_id = ?1",
    "DELETE FROM proposal WHERE owner_id = ?1",
    "DELETE FROM tombstone WHERE owner_id = ?1",
    "DELETE FROM link WHERE owner_id = ?1",
    "DELETE FROM memory WHERE owner_id = ?1",
];

pub(super) async fn erase(transaction: &mut Transaction<'_>, owner: &Owner) -> Work<bool> {
    let known = load::owner(transaction.connection().await?, owner).await?;
    let Some((owner_id, _)) = known else {
        return Ok(false);
    };
    for sql in OWNED.into_iter().chain([
        "DELETE FROM fact WHERE owner_id = ?1",
        "DELETE FROM owner WHERE id = ?1",
    ]) {
        transaction.add(sql).bind(owner_id);
    }
    Ok(true)
}

pub(super) async fn info(connection: &mut SqliteConnection) -> Work<StoreInfo> {
    let row = sqlx::query(
        "SELECT sqlite_version() AS version, (SELECT count(*) FROM owner) AS owners, \
         (SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM pragma_page_size) AS bytes",
    )
    .fetch_one(connection)
    .await?;
    let version: String = row.try_get("version")?;
    let mut info = StoreInfo::new("sqlite", format!("SQLite {version}"));
    info.schema = schema::SCHEMA_VERSION;
    info.owners = columns::count(&row, "owners")?;
    info.bytes = Some(columns::count(&row, "bytes")?);
    Ok(info)
}
