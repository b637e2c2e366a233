//! Makes the keyword index anew when it was made with other terms: for all owners, while nobody writes.

use sqlx::PgConnection;
use sqlx::postgres::PgRow;
use uuid::Uuid;

use crate::search::keywords::Terms;
use crate::search::scenes::Scene;
use crate::store::database::postings::Counts;
use crate::store::postgres::columns::{self, Cells as _};
use crate::store::postgres::failure::Work;

/// How many rows are read at a time.
const CHUNK: i64 = 500;

/// In the transaction that migrates. Messages wait to be indexed anew; they are found all the while.
pub(super) async fn reindex(connection: &mut PgConnection) -> Work<()> {
    sqlx::raw_sql(
        "LOCK TABLE owner IN EXCLUSIVE MODE; DELETE FROM posting; DELETE FROM message_posting; DELETE FROM message_segment",
    )
    .execute(&mut *connection)
    .await?;
    let owners: Vec<Uuid> = sqlx::query_scalar("SELECT id FROM owner")
        .fetch_all(&mut *connection)
        .await?;
    for owner_id in owners {
        let memories = memories(connection, owner_id).await?;
        let messages = messages(connection, owner_id).await?;
        sqlx::query(
            "UPDATE owner SET writes = writes + 1, memory_documents = $2, memory_length = $3, message_documents = $4, \
             message_length = $5, indexed_through = 0 WHERE id = $1",
        )
        .bind(owner_id)
        .bind(memories.documents)
        .bind(memories.length)
        .bind(messages.documents)
        .bind(messages.length)
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

/// The next rows in order of their places.
async fn next(
    connection: &mut PgConnection,
    owner_id: Uuid,
    sql: &'static str,
    after: &mut i64,
) -> Work<Vec<PgRow>> {
    let rows = sqlx::query(sql)
        .bind(owner_id)
        .bind(*after)
        .bind(CHUNK)
        .fetch_all(connection)
        .await?;
    if let Some(last) = rows.last() {
        *after = last.integer("place")?;
    }
    Ok(rows)
}

async fn memories(connection: &mut PgConnection, owner_id: Uuid) -> Work<Counts> {
    let sql = "SELECT number << 24 | version AS place, id, record, marks, ending FROM memory WHERE owner_id = $1 \
               AND (number, version) > ($2 >> 24, $2 & 16777215) ORDER BY number, version LIMIT $3";
    let (mut counts, mut after) = (Counts::default(), 0);
    loop {
        let rows = next(connection, owner_id, sql, &mut after).await?;
        if rows.is_empty() {
            return Ok(counts);
        }
        for row in &rows {
            let memory = columns::memory(row)?;
            let claim = &memory.body.claim;
            let terms = Terms::of_memory(claim);
            counts.add(Counts::of(&terms));
            let words: Vec<&str> = terms.frequencies.keys().map(String::as_str).collect();
            let frequencies: Vec<i64> =
                terms.frequencies.values().copied().map(i64::from).collect();
            sqlx::query(
                "WITH told AS (UPDATE memory SET speaker = $6 WHERE owner_id = $1 AND id = $7) \
                 INSERT INTO posting (owner_id, term, document, frequency, length) \
                 SELECT $1, term, $2, frequency, $3 FROM unnest($4::text[], $5::bigint[]) AS new (term, frequency)",
            )
            .bind(owner_id)
            .bind(row.integer("place")?)
            .bind(i64::from(terms.length))
            .bind(words)
            .bind(frequencies)
            .bind(Scene::of(memory.id, claim).speaker)
            .bind(memory.id.uuid())
            .execute(&mut *connection)
            .await?;
        }
    }
}

async fn messages(connection: &mut PgConnection, owner_id: Uuid) -> Work<Counts> {
    let sql = "SELECT ordinal AS place, content FROM message WHERE owner_id = $1 AND ordinal > $2 ORDER BY ordinal LIMIT $3";
    let (mut counts, mut after) = (Counts::default(), 0);
    loop {
        let rows = next(connection, owner_id, sql, &mut after).await?;
        if rows.is_empty() {
            return Ok(counts);
        }
        for row in &rows {
            let content = row.text("content")?.unwrap_or_default();
            counts.add(Counts::of(&Terms::of_content(content)));
        }
    }
}
