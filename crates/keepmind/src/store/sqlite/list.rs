//! Memories by filter, page by page. SQL narrows down; the filter itself decides, as everywhere.

use std::collections::BTreeSet;

use serde::Serialize;
use sqlx::SqliteConnection;

use crate::order::Gather;
use crate::owner::{Owner, OwnerState};
use crate::row::MemoryRow;
use crate::search::keywords::memory_document;
use crate::store::paging::{self, MemoryPlace};
use crate::store::sqlite::columns::{self, integer};
use crate::store::sqlite::failure::Work;
use crate::store::sqlite::load;
use crate::store::sqlite::words::Word;
use crate::store::{Filter, ListQuery, Page, Selection, UnembeddedQuery};
use crate::visibility::{AsOf, Status, as_of};

pub(super) async fn list(
    connection: &mut SqliteConnection,
    owner: &Owner,
    query: &ListQuery,
) -> Work<Page<MemoryRow>> {
    query.filter.validate("list")?;
    let after = MemoryPlace::read(query.after.as_ref(), owner)?;
    let Some((owner_id, state)) = load::owner(connection, owner).await? else {
        return Ok(Page {
            items: Vec::new(),
            next: None,
            state: OwnerState::NONE,
        });
    };
    let wanted = paging::limit(query.limit) + 1;
    let mut reading = Reading {
        connection,
        owner_id,
        filter: &query.filter,
        narrowing: Narrowing::of(&query.filter),
    };
    let items = match query.filter.selection {
        Selection::AsOf { question } => reading.answers(question, after, wanted).await?,
        _ => reading.rows(after, wanted).await?,
    };
    Ok(paging::page(items.into_iter(), query.limit, state, |row| {
        MemoryPlace::of(row).cursor(owner)
    }))
}

/// The parts of a filter that SQL can look at without reading the row into memory.
struct Narrowing {
    categories: Option<String>,
    domains: Option<String>,
    layers: Option<String>,
}

impl Narrowing {
    fn of(filter: &Filter) -> Self {
        fn json<T: Serialize>(items: &BTreeSet<T>) -> Option<String> {
            columns::list(items, items.is_empty())
        }
        let layers: BTreeSet<&str> = filter.layers.iter().map(Word::word).gather();
        Narrowing {
            categories: json(&filter.categories),
            domains: json(&filter.domains),
            layers: json(&layers),
        }
    }
}

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
             ORDER BY number, version LIMIT ?4"
        )
    };
}
const LIVE: &str =
    selected!("ended_at IS NULL AND held = 0 AND (expires_at IS NULL OR expires_at > ?8)");
const EXPIRED: &str = selected!("ended_at IS NULL AND expires_at <= ?8");
const HELD: &str = selected!("ended_at IS NULL AND held = 1 AND ?8 IS NULL");
const ENDED: &str = selected!("ended_at IS NOT NULL AND ?8 IS NULL");
const ALL: &str = selected!("?8 IS NULL");

struct Reading<'a> {
    connection: &'a mut SqliteConnection,
    owner_id: i64,
    filter: &'a Filter,
    narrowing: Narrowing,
}

impl Reading<'_> {
    async fn rows(
        &mut self,
        mut after: Option<MemoryPlace>,
        wanted: usize,
    ) -> Work<Vec<MemoryRow>> {
        let mut items = Vec::new();
        let mut chunk = wanted.max(32);
        loop {
            let rows = self.chunk(after, chunk).await?;
            let is_last = rows.len() < chunk;
            after = rows.last().map(MemoryPlace::of).or(after);
            items.extend(rows.into_iter().filter(|row| self.filter.matches(row)));
            if is_last || items.len() >= wanted {
                return Ok(items);
            }
            chunk = (2 * chunk).min(4_096);
        }
    }

    /// The row of each fact that answers an as-of question: that takes all versions of a fact at once.
    async fn answers(
        &mut self,
        question: AsOf,
        after: Option<MemoryPlace>,
        wanted: usize,
    ) -> Work<Vec<MemoryRow>> {
        let mut items = Vec::new();
        let mut from = after.map_or(0, |place| place.number.get());
        let mut chunk = wanted + wanted / 4 + 16;
        loop {
            let rows = self.versions(from, chunk).await?;
            let is_last = rows.len() < chunk;
            // The last fact of a full chunk may go on beyond it: it is read again with the next one.
            let open_end = rows.last().map(|row| row.body.number).filter(|_| !is_last);
            for versions in rows.chunk_by(|one, next| one.body.number == next.body.number) {
                if Some(versions[0].body.number) == open_end {
                    break;
                }
                let versions: Vec<&MemoryRow> = versions.iter().collect();
                items.extend(
                    as_of(&versions, question)
                        .filter(|row| after.is_none_or(|after| MemoryPlace::of(row) > after))
                        .filter(|row| self.filter.matches(row))
                        .cloned(),
                );
            }
            match open_end {
                None => return Ok(items),
                Some(_) if items.len() >= wanted => return Ok(items),
                Some(number) if number.get() == from => chunk *= 2,
                Some(number) => from = number.get(),
            }
        }
    }

    async fn chunk(&mut self, after: Option<MemoryPlace>, limit: usize) -> Work<Vec<MemoryRow>> {
        let (number, version) =
            after.map_or((0, 0), |place| (place.number.get(), place.version.get()));
        let (sql, moment) = match self.filter.selection {
            Selection::Live { at } => (LIVE, Some(at.as_micros())),
            Selection::Expired { at } => (EXPIRED, Some(at.as_micros())),
            Selection::Held => (HELD, None),
            Selection::Ended => (ENDED, None),
            Selection::Status {
                status: Status::Active,
                at,
            } => (LIVE, Some(at.as_micros())),
            // Which of the others it is, the filter says.
            Selection::All | Selection::AsOf { .. } | Selection::Status { .. } => (ALL, None),
        };
        let rows = sqlx::query(sql)
            .bind(self.owner_id)
            .bind(integer(number))
            .bind(integer(version))
            .bind(limit as i64)
            .bind(&self.narrowing.categories)
            .bind(&self.narrowing.domains)
            .bind(&self.narrowing.layers)
            .bind(moment)
            .fetch_all(&mut *self.connection)
            .await?;
        columns::memories(&rows)
    }

    async fn versions(&mut self, from: u64, limit: usize) -> Work<Vec<MemoryRow>> {
        let rows = sqlx::query(columns::memory_sql!(
            "owner_id = ?1 AND number >= ?2 ORDER BY number, version LIMIT ?3"
        ))
        .bind(self.owner_id)
        .bind(integer(from))
        .bind(limit as i64)
        .fetch_all(&mut *self.connection)
        .await?;
        columns::memories(&rows)
    }
}

/// Open memories without a vector of an embedder.
pub(super) async fn unembedded(
    connection: &mut SqliteConnection,
    owner: &Owner,
    query: &UnembeddedQuery,
) -> Work<Vec<MemoryRow>> {
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
         AND embedder = ?3 AND length(vector) = ?4) ORDER BY number, version LIMIT ?5"
    ))
    .bind(owner.as_str())
    .bind(integer(after.unwrap_or(0)))
    .bind(embedder)
    .bind(integer(4 * *dimensions as u64))
    .bind(integer(paging::limit(*limit) as u64))
    .fetch_all(connection)
    .await?;
    columns::memories(&rows)
}
