//! The keyword index in the file: postings by owner, space, term and document.

use std::collections::BTreeMap;

use sqlx::SqliteConnection;

use crate::search::Document;
use crate::search::keywords::{Posting, Terms};
use crate::store::sqlite::batch::Batch;
use crate::store::sqlite::columns::{self, integer, to_json};
use crate::store::sqlite::failure::{Work, damaged};

/// What postings belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Space {
    Memories = 1,
    Messages = 2,
}

impl Space {
    /// Adds to an owner's count of documents and their length.
    pub(super) fn count_sql(self) -> &'static str {
        match self {
            Space::Memories => {
                "UPDATE owner SET memory_documents = memory_documents + ?2, memory_length = memory_length + ?3 WHERE id = ?1"
            }
            Space::Messages => {
                "UPDATE owner SET message_documents = message_documents + ?2, message_length = message_length + ?3 WHERE id = ?1"
            }
        }
    }
}

/// Writes a document's postings. `OR FAIL`, since what fails is rolled back as a whole: otherwise SQLite copies
/// every page that it changes for the statement alone.
pub(super) fn post(
    batch: &mut Batch,
    owner_id: i64,
    space: Space,
    document: Document,
    terms: &Terms,
) {
    batch
        .add(
            "INSERT OR FAIL INTO posting (owner_id, space, term, document, frequency, length) \
         SELECT ?1, ?2, key, ?3, value, ?4 FROM json_each(?5)",
        )
        .bind(owner_id)
        .bind(space as i64)
        .bind(integer(document))
        .bind(terms.length)
        .bind(to_json(&terms.frequencies));
}

/// Takes a document's postings away.
pub(super) fn unpost(
    batch: &mut Batch,
    owner_id: i64,
    space: Space,
    document: Document,
    terms: &Terms,
) {
    batch
        .add(
            "DELETE FROM posting WHERE owner_id = ?1 AND space = ?2 AND document = ?3 \
         AND term IN (SELECT key FROM json_each(?4))",
        )
        .bind(owner_id)
        .bind(space as i64)
        .bind(integer(document))
        .bind(to_json(&terms.frequencies));
}

/// The postings of these terms, in order of document.
///
/// One text for each term, built inside SQLite: a row for each posting would cost many times as much.
pub(super) async fn read(
    connection: &mut SqliteConnection,
    owner_id: i64,
    space: Space,
    terms: &[String],
) -> Work<BTreeMap<String, Vec<Posting>>> {
    let rows: Vec<(String, String)> = sqlx::query_as(
        "SELECT term, group_concat(document || ' ' || frequency || ' ' || length, ' ') FROM posting \
         WHERE owner_id = ?1 AND space = ?2 AND term IN (SELECT value FROM json_each(?3)) GROUP BY term",
    )
    .bind(owner_id)
    .bind(space as i64)
    .bind(columns::to_json(&terms))
    .fetch_all(connection)
    .await?;
    rows.into_iter()
        .map(|(term, text)| {
            let mut numbers = text.split(' ').map(str::parse::<u64>);
            let mut next = || numbers.next().transpose().map_err(|_| damaged("posting"));
            let mut list = Vec::new();
            while let Some(document) = next()? {
                let (Some(frequency), Some(length)) = (next()?, next()?) else {
                    return Err(damaged("posting"));
                };
                let small = |number: u64| u32::try_from(number).map_err(|_| damaged("posting"));
                list.push(Posting {
                    document,
                    frequency: small(frequency)?,
                    length: small(length)?,
                });
            }
            list.sort_unstable_by_key(|posting| posting.document);
            Ok((term, list))
        })
        .collect()
}

/// How an owner's count of documents and their length change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) documents: i64,
    pub(super) length: i64,
}

impl Counts {
    pub(super) fn of(terms: &Terms) -> Self {
        Counts {
            documents: 1,
            length: i64::from(terms.length),
        }
    }

    pub(super) fn add(&mut self, other: Counts) {
        self.documents += other.documents;
        self.length += other.length;
    }

    pub(super) fn subtract(&mut self, other: Counts) {
        self.documents -= other.documents;
        self.length -= other.length;
    }
}
