//! Makes the keyword index anew when it was made with other terms: for all owners, while nobody writes.

use sqlx::Row as _;
use sqlx::postgres::PgRow;
use uuid::Uuid;

use crate::search::keywords::Terms;
use crate::search::scenes::Scene;
use crate::store::database::postings::Counts;
use crate::store::postgres::columns::{self, Cells as _};
use crate::store::postgres::connection::Line;
use crate::store::postgres::failure::Work;

/// How many rows are read at a time.
const CHUNK: i64 = 500;

/// In the transaction that migrates. Messages wait to be indexed anew; they are found all the while.
pub(super) async fn reindex(line: &mut Line) -> Work<()> {
    let owners = line
        .raw_patiently(
            "LOCK TABLE @owner IN EXCLUSIVE MODE; TRUNCATE @posting, @message_posting, @message_segment; \
             SELECT id FROM @owner",
        )
        .await?;
    for owner in owners {
        let owner_id: Uuid = owner.try_get(0)?;
        let memories = memories(line, owner_id).await?;
        let messages = messages(line, owner_id).await?;
        // What others have cached of the index is no longer it.
        let asked = line
            .query(
                "UPDATE @owner SET writes = writes + 1, last_write = $6, revised = $6, memory_documents = $2, \
                 memory_length = $3, message_documents = $4, message_length = $5, indexed_through = 0, \
                 facts_indexed_through = next_number - 1 WHERE id = $1",
            )
            .bind(owner_id)
            .bind(memories.documents)
            .bind(memories.length)
            .bind(messages.documents)
            .bind(messages.length)
            .bind(Uuid::new_v4());
        line.fetch_patiently(asked).await?;
    }
    Ok(())
}

/// The next rows in order of their places.
async fn next(
    line: &mut Line,
    owner_id: Uuid,
    sql: &'static str,
    after: &mut i64,
) -> Work<Vec<PgRow>> {
    let asked = line.query(sql).bind(owner_id).bind(*after).bind(CHUNK);
    let rows = line.fetch_patiently(asked).await?;
    if let Some(last) = rows.last() {
        *after = last.integer("place")?;
    }
    Ok(rows)
}

async fn memories(line: &mut Line, owner_id: Uuid) -> Work<Counts> {
    let sql = "SELECT number << 24 | version AS place, id, record, marks, ending FROM @memory WHERE owner_id = $1 \
               AND (number, version) > ($2 >> 24, $2 & 16777215) ORDER BY number, version LIMIT $3";
    let (mut counts, mut after) = (Counts::default(), 0);
    loop {
        let rows = next(line, owner_id, sql, &mut after).await?;
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
            let asked = line.query(
                "WITH told AS (UPDATE @memory SET speaker = $6 WHERE owner_id = $1 AND id = $7) \
                 INSERT INTO @posting (owner_id, term, document, frequency, length) \
                 SELECT $1, term, $2, frequency, $3 FROM unnest($4::text[], $5::bigint[]) AS new (term, frequency)",
            )
            .bind(owner_id)
            .bind(row.integer("place")?)
            .bind(i64::from(terms.length))
            .bind(words)
            .bind(frequencies)
            .bind(Scene::of(memory.id, claim).speaker)
            .bind(memory.id.uuid());
            line.fetch_patiently(asked).await?;
        }
    }
}

async fn messages(line: &mut Line, owner_id: Uuid) -> Work<Counts> {
    let sql = "SELECT ordinal AS place, content FROM @message WHERE owner_id = $1 AND ordinal > $2 ORDER BY ordinal LIMIT $3";
    let (mut counts, mut after) = (Counts::default(), 0);
    loop {
        let rows = next(line, owner_id, sql, &mut after).await?;
        if rows.is_empty() {
            return Ok(counts);
        }
        for row in &rows {
            let content = row.text("content")?.unwrap_or_default();
            counts.add(Counts::of(&Terms::of_content(content)));
        }
    }
}
