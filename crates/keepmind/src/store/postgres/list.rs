//! Memories by filter: what SQL is asked for them.

use crate::owner::Owner;
use crate::row::MemoryRow;
use crate::store::database::list::{Chosen, Chunk, Lists};
use crate::store::postgres::columns::{self, integer, key};
use crate::store::postgres::connection::Line;
use crate::store::postgres::failure::Work;
use crate::store::{UnembeddedQuery, paging};
use uuid::Uuid;

/// The next rows of a selection, in order. The moment is the eighth parameter, where one matters.
macro_rules! selected {
    ($clause:literal) => {
        concat!(
            "SELECT record, marks, ending FROM @memory WHERE owner_id = $1 AND ",
            $clause,
            " AND (number, version) > ($2, $3) AND ($5::text[] IS NULL OR category = ANY($5)) \
             AND ($6::text[] IS NULL OR domain = ANY($6)) AND ($7::text[] IS NULL OR layer = ANY($7)) \
             ORDER BY number, version LIMIT $4"
        )
    };
}
const LIVE: &str =
    selected!("ended_at IS NULL AND NOT held AND (expires_at IS NULL OR expires_at > $8)");
const EXPIRED: &str = selected!("ended_at IS NULL AND expires_at <= $8");
const HELD: &str = selected!("ended_at IS NULL AND held AND $8::bigint IS NULL");
const ENDED: &str = selected!("ended_at IS NOT NULL AND $8::bigint IS NULL");
const ALL: &str = selected!("$8::bigint IS NULL");

impl Lists for Line {
    async fn selected(&mut self, owner_id: Uuid, chunk: &Chunk<'_>) -> Work<Vec<MemoryRow>> {
        let sql = match chunk.chosen {
            Chosen::Live => LIVE,
            Chosen::Expired => EXPIRED,
            Chosen::Held => HELD,
            Chosen::Ended => ENDED,
            Chosen::All => ALL,
        };
        let names = |names: Option<&std::collections::BTreeSet<String>>| {
            names.map(|names| {
                names
                    .iter()
                    .filter(|name| !name.contains('\0'))
                    .cloned()
                    .collect()
            })
        };
        let categories: Option<Vec<String>> = names(chunk.categories);
        let domains: Option<Vec<String>> = names(chunk.domains);
        let asked = self
            .query(sql)
            .bind(owner_id)
            .bind(integer(chunk.after.0))
            .bind(integer(chunk.after.1))
            .bind(chunk.limit as i64)
            .bind(categories)
            .bind(domains)
            .bind(chunk.layers.clone())
            .bind(chunk.moment);
        let rows = self.read(Some(owner_id), asked).await?;
        columns::each(&rows, columns::memory)
    }

    async fn versions(&mut self, owner_id: Uuid, from: u64, limit: usize) -> Work<Vec<MemoryRow>> {
        let asked = self
            .query(
                "SELECT record, marks, ending FROM @memory WHERE owner_id = $1 AND number >= $2 \
             ORDER BY number, version LIMIT $3",
            )
            .bind(owner_id)
            .bind(integer(from))
            .bind(limit as i64);
        let rows = self.read(Some(owner_id), asked).await?;
        columns::each(&rows, columns::memory)
    }

    async fn unembedded(&mut self, owner: &Owner, query: &UnembeddedQuery) -> Work<Vec<MemoryRow>> {
        let UnembeddedQuery {
            embedder,
            dimensions,
            after,
            limit,
        } = query;
        let (number, version) = after.map_or((0, 0), |(number, version)| {
            (integer(number.get()), integer(version.get()))
        });
        let asked = self.query(
            "SELECT record, marks, ending FROM @memory WHERE owner_id = $1 AND ended_at IS NULL \
             AND (number, version) > ($2, $3) AND NOT EXISTS (SELECT 1 FROM @embedding \
             WHERE embedding.owner_id = $1 AND embedding.memory = memory.id AND embedder = $4 \
             AND length(vector) = $5) ORDER BY number, version LIMIT $6",
        )
        .bind(key(owner))
        .bind(number)
        .bind(version)
        .bind(columns::plain(embedder))
        .bind(i32::try_from(4 * dimensions).unwrap_or(i32::MAX))
        .bind(paging::limit(*limit) as i64);
        let rows = self.read(Some(key(owner)), asked).await?;
        columns::each(&rows, columns::memory)
    }
}
