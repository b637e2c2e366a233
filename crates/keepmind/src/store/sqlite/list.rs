//! Memories by filter: what SQL is asked for them.

use serde::Serialize;
use sqlx::SqliteConnection;

use crate::owner::Owner;
use crate::row::MemoryRow;
use crate::search::keywords::memory_document;
use crate::store::database::list::{Chosen, Chunk, Lists};
use crate::store::sqlite::columns::{self, integer};
use crate::store::sqlite::failure::Work;
use crate::store::{UnembeddedQuery, paging};

/// The next rows of a selection, in order. The moment is the eighth parameter, where one matters.
macro_rules! selected {
    ($clause:literal) => {
        columns::memory_sql!(
            "owner_id = ?1 AND ",
            $clause,
            " AND number >= ?2 AND (number > ?2 OR version > ?3) \
             AND (?5 IS NULL OR category IN (SELECT value FROM json_each(?5))) \
             AND (?6 IS NULL OR domain IN (SELECT value FROM json_each(?6))) \
             AND (?7 IS NULL OR layer IN (SELECT value FROM json_each(?7))) \
             ORDER BY number, version LIMIT ?4 + 0"
        )
    };
}
const LIVE: &str =
    selected!("ended_at IS NULL AND held = 0 AND (expires_at IS NULL OR expires_at > ?8)");
const EXPIRED: &str = selected!("ended_at IS NULL AND expires_at <= ?8");
const HELD: &str = selected!("ended_at IS NULL AND held = 1 AND ?8 IS NULL");
const ENDED: &str = selected!("ended_at IS NOT NULL AND ?8 IS NULL");
const ALL: &str = selected!("?8 IS NULL");

impl Lists for SqliteConnection {
    async fn selected(&mut self, owner_id: i64, chunk: &Chunk<'_>) -> Work<Vec<MemoryRow>> {
        fn json<T: Serialize>(items: Option<T>) -> Option<String> {
            items.as_ref().map(columns::to_json)
        }
        let sql = match chunk.chosen {
            Chosen::Live => LIVE,
            Chosen::Expired => EXPIRED,
            Chosen::Held => HELD,
            Chosen::Ended => ENDED,
            Chosen::All => ALL,
        };
        let (number, version) = chunk.after;
        let rows = sqlx::query(sql)
            .bind(owner_id)
            .bind(integer(number))
            .bind(integer(version))
            .bind(chunk.limit as i64)
            .bind(json(chunk.categories))
            .bind(json(chunk.domains))
            .bind(json(chunk.layers.as_ref()))
            .bind(chunk.moment)
            .fetch_all(self)
            .await?;
        columns::memories(&rows)
    }

    async fn versions(&mut self, owner_id: i64, from: u64, limit: usize) -> Work<Vec<MemoryRow>> {
        let rows = sqlx::query(columns::memory_sql!(
            "owner_id = ?1 AND number >= ?2 ORDER BY number, version LIMIT ?3 + 0"
        ))
        .bind(owner_id)
        .bind(integer(from))
        .bind(limit as i64)
        .fetch_all(self)
        .await?;
        columns::memories(&rows)
    }

    async fn unembedded(&mut self, owner: &Owner, query: &UnembeddedQuery) -> Work<Vec<MemoryRow>> {
        let UnembeddedQuery {
            embedder,
            dimensions,
            after,
            limit,
        } = query;
        let after = after.map(|(number, version)| memory_document(number, version));
        let rows = sqlx::query(columns::memory_sql!(
            "owner_id = (SELECT id FROM owner WHERE name = ?1) AND ended_at IS NULL AND (number, version) > (?2 >> 24, ?2 & 16777215) \
             AND NOT EXISTS (SELECT 1 FROM embedding WHERE embedding.owner_id = memory.owner_id AND embedding.memory = memory.id \
             AND embedder = ?3 AND length(vector) = ?4) ORDER BY number, version LIMIT ?5 + 0"
        ))
        .bind(owner.as_str())
        .bind(integer(after.unwrap_or(0)))
        .bind(embedder)
        .bind(integer(4 * *dimensions as u64))
        .bind(integer(paging::limit(*limit) as u64))
        .fetch_all(self)
        .await?;
        columns::memories(&rows)
    }
}
