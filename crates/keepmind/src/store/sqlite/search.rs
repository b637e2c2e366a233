//! Searches: what SQL is asked for them.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;

use sqlx::sqlite::SqliteRow;
use sqlx::{Row as _, SqliteConnection};

use crate::message::Message;
use crate::owner::Owner;
use crate::search::Document;
use crate::search::gathering::Gathering;
use crate::search::keywords::Posting;
use crate::search::scenes::Scene;
use crate::search::vectors::Matrix;
use crate::store::database::postings::Lists;
use crate::store::database::search::Searches;
use crate::store::database::stored::StoredMemories;
use crate::store::database::{Counters, Edition, Shelf, Standing};
use crate::store::sqlite::columns::{self, integer};
use crate::store::sqlite::failure::{Failure, Work, damaged};
use crate::store::sqlite::{postings, scenes, segments};

impl Shelf for SqliteConnection {
    type Failure = Failure;
    type Key = i64;

    async fn begin(&mut self, owner: &Owner) -> Work<Option<Standing<i64>>> {
        let row = sqlx::query(
            "BEGIN; SELECT id, epoch, revision, next_number, last_stamp, embedding_changes, \
             memory_documents, memory_length, message_documents, message_length FROM owner WHERE name = ?1",
        )
        .bind(owner.as_str())
        .fetch_optional(self)
        .await?;
        let Some(row) = row else {
            return Ok(None);
        };
        Ok(Some(Standing {
            key: row.try_get("id")?,
            counters: columns::owner_state(&row)?.into(),
            memories: columns::corpus(&row, "memory_documents", "memory_length")?,
            messages: columns::corpus(&row, "message_documents", "message_length")?,
        }))
    }

    async fn end(&mut self) -> Work<()> {
        sqlx::query("COMMIT").execute(self).await?;
        Ok(())
    }
}

/// How many vectors are read together: a few hundred kilobytes.
const VECTORS_AT_ONCE: i64 = 256;

impl Searches for SqliteConnection {
    async fn postings(&mut self, owner_id: i64, terms: &[String]) -> Work<Lists> {
        postings::read(self, owner_id, terms).await
    }

    async fn postings_of(
        &mut self,
        owner: &Owner,
        edition: Edition,
        terms: &[String],
    ) -> Work<Option<Lists>> {
        postings::read_of(self, owner, edition.revision(), terms).await
    }

    async fn said(&mut self, owner_id: i64, terms: &[String]) -> Work<Vec<Arc<Vec<Posting>>>> {
        segments::read(self, owner_id, terms).await
    }

    async fn messages_at(&mut self, owner_id: i64, ordinals: &[Document]) -> Work<Vec<Message>> {
        let rows = sqlx::query(columns::message_sql!(
            "owner_id = ?1 AND ordinal IN (SELECT value FROM json_each(?2))"
        ))
        .bind(owner_id)
        .bind(columns::to_json(&ordinals))
        .fetch_all(self)
        .await?;
        columns::each(&rows, columns::message)
    }

    /// Many rows as one, built inside SQLite: a row for each would cost many times as much. In the order of an
    /// index, which is nearly that of documents; to sort vectors there would cost as much again. While the next are
    /// read on the driver's thread, the last ones are taken in on this.
    async fn matrix(&mut self, owner_id: i64, embedder: &str, dimensions: usize) -> Work<Matrix> {
        let at_once = match columns::keeps_bytes(self).await? {
            true => VECTORS_AT_ONCE,
            false => 1,
        };
        let mut gathering = Gathering::new(dimensions);
        let mut read: Option<SqliteRow> = None;
        loop {
            let last: &[u8] = match &read {
                Some(row) => row.try_get(2)?,
                None => &[],
            };
            let next = sqlx::query(
                "SELECT group_concat(document), \
                 CASE count(*) WHEN 1 THEN max(vector) ELSE CAST(group_concat(vector, '') AS BLOB) END, max(memory) FROM (\
                 SELECT memory, document, vector FROM embedding WHERE owner_id = ?1 AND memory > ?2 AND embedder = ?3 \
                 AND length(vector) = ?4 ORDER BY memory LIMIT ?5 + 0)",
            )
            .bind(owner_id)
            .bind(last)
            .bind(embedder)
            .bind(integer(4 * dimensions as u64))
            .bind(at_once)
            .fetch_one(&mut *self);
            let mut gathered = Ok(());
            let next = meanwhile(next, || {
                if let Some(row) = &read {
                    gathered = gather(row, dimensions, &mut gathering);
                }
            })
            .await?;
            gathered?;
            if next.try_get::<Option<&str>, _>(0)?.is_none() {
                return Ok(gathering.finish());
            }
            read = Some(next);
        }
    }

    async fn scenes(&mut self, owner_id: i64) -> Work<Vec<(Document, Scene)>> {
        scenes::read(self, owner_id).await
    }

    async fn ended(&mut self, owner_id: i64, most: usize) -> Work<Option<Vec<Document>>> {
        let all: Option<String> = sqlx::query_scalar(
            "SELECT group_concat(number << 24 | version) FROM (SELECT number, version FROM memory INDEXED BY memory_ended \
             WHERE owner_id = ?1 AND ended_at IS NOT NULL ORDER BY number, version LIMIT ?2 + 0)",
        )
        .bind(owner_id)
        .bind(integer(most as u64 + 1))
        .fetch_one(self)
        .await?;
        let documents = documents(all.as_deref())?;
        Ok((documents.len() <= most).then_some(documents))
    }

    async fn memories_at(
        &mut self,
        owner_id: i64,
        documents: &[Document],
        by_fact: bool,
    ) -> Work<StoredMemories> {
        let sql = match by_fact {
            true => columns::stored_sql!(
                "owner_id = ?1 AND number IN (SELECT value >> 24 FROM json_each(?2))"
            ),
            false => columns::stored_sql!(
                "owner_id = ?1 AND (number, version) IN (SELECT value >> 24, value & 16777215 FROM json_each(?2))"
            ),
        };
        let row = sqlx::query(sql)
            .bind(owner_id)
            .bind(columns::to_json(&documents))
            .fetch_one(self)
            .await?;
        columns::stored(&row)
    }

    async fn memories_and_state(
        &mut self,
        owner: &Owner,
        documents: &[Document],
        by_fact: bool,
    ) -> Work<Option<(StoredMemories, Counters)>> {
        let read = sqlx::query(if by_fact {
            FACTS_AND_STATE
        } else {
            ROWS_AND_STATE
        })
        .bind(owner.as_str())
        .bind(columns::to_json(&documents))
        .fetch_optional(self)
        .await?;
        // An owner without a row was erased in between.
        let Some(row) = read else {
            return Ok(None);
        };
        let memories = columns::stored(&row)?;
        Ok(Some((memories, columns::owner_state(&row)?.into())))
    }
}

/// Memories and the owner's counters, as one row of one statement: each row and each statement that ends has the caller
/// woken once more, which takes longer than reading it.
macro_rules! and_state {
    ($memories:literal) => {
        concat!(
            "SELECT (",
            columns::stored_sql!(
                "owner_id = (SELECT id FROM owner WHERE name = ?1) AND ",
                $memories
            ),
            "), epoch, revision, next_number, last_stamp, embedding_changes FROM owner WHERE name = ?1"
        )
    };
}
const ROWS_AND_STATE: &str =
    and_state!("(number, version) IN (SELECT value >> 24, value & 16777215 FROM json_each(?2))");
const FACTS_AND_STATE: &str = and_state!("number IN (SELECT value >> 24 FROM json_each(?2))");

/// Documents that SQLite put together as one text.
fn documents(together: Option<&str>) -> Work<Vec<Document>> {
    let each = together.into_iter().flat_map(|text| text.split(','));
    let documents: Result<Vec<i64>, _> = each.map(str::parse).collect();
    let documents = documents.map_err(|_| damaged("memory"))?;
    Ok(documents.into_iter().map(i64::cast_unsigned).collect())
}

/// Begins something that others do, and does something else until they have.
async fn meanwhile<T>(begun: impl Future<Output = T>, other: impl FnOnce()) -> T {
    let mut begun = pin!(begun);
    let mut other = Some(other);
    poll_fn(|context| {
        let polled = begun.as_mut().poll(context);
        if let Some(other) = other.take() {
            other();
        }
        polled
    })
    .await
}

/// Takes in vectors that were read as one row.
fn gather(row: &SqliteRow, dimensions: usize, gathering: &mut Gathering) -> Work<()> {
    let documents = row.try_get::<&str, _>(0)?.split(',');
    let bytes: &[u8] = row.try_get(1)?;
    let mut vectors = bytes.chunks(4 * dimensions);
    let mut vector = vec![0.0; dimensions];
    for document in documents {
        let document: i64 = document.parse().map_err(|_| damaged("embedding"))?;
        let (numbers, rest) = vectors.next().unwrap_or_default().as_chunks::<4>();
        if numbers.len() != dimensions || !rest.is_empty() {
            return Err(damaged("embedding"));
        }
        for (number, bytes) in vector.iter_mut().zip(numbers) {
            *number = f32::from_le_bytes(*bytes);
        }
        gathering.add(document.cast_unsigned(), &vector);
    }
    match vectors.next() {
        None => Ok(()),
        Some(_) => Err(damaged("embedding")),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::MemoryStore;
    use crate::conformance::fixtures::{Scribe, owner};
    use crate::row::MemoryRow;
    use crate::search::vectors::Matrix;
    use crate::search::{Ranked, Reasons, Scored};
    use crate::store::database::Shelf;
    use crate::store::database::cache::Caches;
    use crate::store::database::search::{
        Found, Searches as _, Wanted, hits_at_once, known_lists, lists,
    };
    use crate::store::sqlite::{SqliteOptions, SqliteStore};
    use crate::store::{Filter, Selection};
    use sqlx::{ConnectOptions, Connection as _, SqliteConnection};

    /// Bytes that are no text in any encoding.
    #[tokio::test]
    async fn vectors_are_read_as_they_were_written_whatever_the_file_keeps_text_as() {
        let vector = |row: u16| {
            [1.0_f32, 0.5]
                .map(|number| f32::from_bits(number.to_bits() | (0xd800 + u32::from(row))))
        };
        for encoding in ["UTF-8", "UTF-16le"] {
            let mut connection = SqliteConnection::connect("sqlite::memory:").await.unwrap();
            let make = format!(
                "PRAGMA encoding = '{encoding}'; \
                 CREATE TABLE embedding (owner_id INTEGER, memory BLOB, document INTEGER, embedder TEXT, vector BLOB)"
            );
            sqlx::raw_sql(sqlx::AssertSqlSafe(make))
                .execute(&mut connection)
                .await
                .unwrap();
            let mut expected = Matrix::new(2);
            for row in 0..600 {
                let bytes: Vec<u8> = vector(row).into_iter().flat_map(f32::to_le_bytes).collect();
                sqlx::query("INSERT INTO embedding VALUES (1, ?1, ?2, 'e', ?3)")
                    .bind(row.to_be_bytes().to_vec())
                    .bind(i64::from(1_000 - row))
                    .bind(bytes)
                    .execute(&mut connection)
                    .await
                    .unwrap();
                expected.set(u64::from(1_000 - row), &vector(row));
            }
            let matrix = connection.matrix(1, "e", 2).await.unwrap();
            let query = [0.6, 0.8];
            assert_eq!(
                matrix.cosines(&query).nearest(600),
                expected.cosines(&query).nearest(600),
                "{encoding}"
            );
        }
    }

    #[tokio::test]
    async fn lists_that_are_not_cached_are_read_without_a_transaction_until_the_owner_moves() {
        let folder = tempfile::tempdir().unwrap();
        let options = SqliteOptions::new(folder.path().join("memories.db"));
        let store: Arc<dyn MemoryStore> =
            Arc::new(SqliteStore::open_with(options.clone()).await.unwrap());
        let mut alice = Scribe::new(&store, "alice");
        alice.note("the user met a bee").await;
        let mut connection = options.reader().connect().await.unwrap();
        let (owner, caches) = (owner("alice"), Caches::new(1 << 20));
        let terms = ["bee", "met", "absent"].map(str::to_owned);
        let known = async |connection: &mut SqliteConnection| {
            let known = known_lists(connection, &caches, &owner, &terms).await;
            known.unwrap().map(|known| known.lists)
        };
        assert_eq!(known(&mut connection).await, None);
        let standing = Shelf::begin(&mut connection, &owner).await.unwrap();
        let standing = standing.unwrap();
        let read = lists(&mut connection, &caches, &owner, &standing, &terms[..1]).await;
        connection.end().await.unwrap();
        let read = read.unwrap();
        let all = known(&mut connection).await.unwrap();
        assert_eq!(all[0], read[0]);
        assert_eq!(
            all.iter().map(|list| list.len()).collect::<Vec<_>>(),
            [1, 1, 0]
        );

        let more = ["user".to_owned()];
        alice.note("the user met a wasp").await;
        let known = known_lists(&mut connection, &caches, &owner, &more).await;
        assert!(known.unwrap().is_none());
        connection.close().await.unwrap();
        store.close().await.unwrap();
    }

    #[tokio::test]
    async fn a_warm_search_takes_one_round_trip() {
        let folder = tempfile::tempdir().unwrap();
        let options = SqliteOptions::new(folder.path().join("memories.db"));
        let store: Arc<dyn MemoryStore> =
            Arc::new(SqliteStore::open_with(options.clone()).await.unwrap());
        let mut alice = Scribe::new(&store, "alice");
        for place in 0..20 {
            alice.note(&format!("the user met bee {place}")).await;
        }
        let mut connection = options.reader().connect().await.unwrap();
        let owner = owner("alice");
        let documents = (1..=20).map(|number| Scored {
            document: number << 24 | 1,
            score: number as f64,
        });
        let ranked = Ranked::scored(documents.collect());
        let filter = Filter::new(Selection::All);
        let reasons = |_| Reasons::default();
        let found: Found<MemoryRow> = hits_at_once(
            &mut connection,
            &owner,
            ranked,
            Wanted::new(&filter, 10),
            reasons,
        )
        .await
        .unwrap();
        assert_eq!(found.counters.state, *alice.everything().await.state());
        assert_eq!(found.hits.map(|hits| hits.len()), Some(10));
        connection.close().await.unwrap();
        store.close().await.unwrap();
    }
}
