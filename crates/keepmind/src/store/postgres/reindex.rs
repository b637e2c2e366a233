//! Makes the keyword index anew when it was made with other terms: for all owners, while nobody writes.

use sqlx::{PgConnection, Row as _};
use uuid::Uuid;

use crate::search::keywords::{Terms, memory_document};
use crate::store::database::columns::integer;
use crate::store::database::postings::Counts;
use crate::store::postgres::columns::{self, Cells as _};
use crate::store::postgres::failure::Work;
use crate::text;

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

async fn memories(connection: &mut PgConnection, owner_id: Uuid) -> Work<Counts> {
    let mut counts = Counts::default();
    let mut after = Uuid::nil();
    loop {
        let rows = sqlx::query(
            "SELECT id, record, marks, ending FROM memory WHERE owner_id = $1 AND id > $2 ORDER BY id LIMIT $3",
        )
        .bind(owner_id)
        .bind(after)
        .bind(CHUNK)
        .fetch_all(&mut *connection)
        .await?;
        let Some(last) = rows.last() else {
            return Ok(counts);
        };
        after = last.try_get("id")?;
        for row in &rows {
            let id: Uuid = row.try_get("id")?;
            let memory = columns::memory(row)?.body;
            let terms = Terms::of_memory(&memory.claim);
            counts.add(Counts::of(&terms));
            let (words, frequencies): (Vec<&String>, Vec<i64>) = terms
                .frequencies
                .iter()
                .map(|(term, frequency)| (term, i64::from(*frequency)))
                .unzip();
            sqlx::query(
                "INSERT INTO posting (owner_id, term, document, frequency, length) \
                 SELECT $1, term, $2, frequency, $3 FROM unnest($4::text[], $5::bigint[]) AS new (term, frequency)",
            )
            .bind(owner_id)
            .bind(integer(memory_document(memory.number, memory.version)))
            .bind(i64::from(terms.length))
            .bind(words)
            .bind(frequencies)
            .execute(&mut *connection)
            .await?;
            sqlx::query(
                "UPDATE memory SET speaker = $3 WHERE owner_id = $1 AND id = $2 AND speaker IS DISTINCT FROM $3",
            )
            .bind(owner_id)
            .bind(id)
            .bind(text::speaker(&memory.claim.content))
            .execute(&mut *connection)
            .await?;
        }
    }
}

async fn messages(connection: &mut PgConnection, owner_id: Uuid) -> Work<Counts> {
    let mut counts = Counts::default();
    let mut after = 0;
    loop {
        let rows = sqlx::query(
            "SELECT ordinal, content FROM message WHERE owner_id = $1 AND ordinal > $2 ORDER BY ordinal LIMIT $3",
        )
        .bind(owner_id)
        .bind(after)
        .bind(CHUNK)
        .fetch_all(&mut *connection)
        .await?;
        let Some(last) = rows.last() else {
            return Ok(counts);
        };
        after = last.integer("ordinal")?;
        for row in &rows {
            let content = row.text("content")?.unwrap_or_default();
            counts.add(Counts::of(&Terms::of_content(content)));
        }
    }
}
