//! The keyword index of memories in the file: postings by owner, term and document.

use std::collections::BTreeMap;

use sqlx::SqliteConnection;

use crate::search::Document;
use crate::search::keywords::{Posting, Terms};
use crate::store::database::postings::parse;
use crate::store::sqlite::batch::Batch;
use crate::store::sqlite::columns::{self, integer, to_json};
use crate::store::sqlite::failure::Work;

/// Writes a document's postings. `OR FAIL`, since what fails is rolled back as a whole: otherwise SQLite copies
/// every page that it changes for the statement alone.
pub(super) fn post(batch: &mut Batch, owner_id: i64, document: Document, terms: &Terms) {
    batch
        .add(
            "INSERT OR FAIL INTO posting (owner_id, term, document, frequency, length) \
         SELECT ?1, key, ?2, value, ?3 FROM json_each(?4)",
        )
        .bind(owner_id)
        .bind(integer(document))
        .bind(terms.length)
        .bind(to_json(&terms.frequencies));
}

/// Takes a document's postings away.
pub(super) fn unpost(batch: &mut Batch, owner_id: i64, document: Document, terms: &Terms) {
    batch
        .add(
            "DELETE FROM posting WHERE owner_id = ?1 AND document = ?2 \
         AND term IN (SELECT key FROM json_each(?3))",
        )
        .bind(owner_id)
        .bind(integer(document))
        .bind(to_json(&terms.frequencies));
}

/// The postings of these terms, in order of document.
///
/// One text for each term, built inside SQLite: a row for each posting would cost many times as much.
pub(super) async fn read(
    connection: &mut SqliteConnection,
    owner_id: i64,
    terms: &[String],
) -> Work<BTreeMap<String, Vec<Posting>>> {
    let rows: Vec<(String, String)> = sqlx::query_as(
        "SELECT term, group_concat(document || ' ' || frequency || ' ' || length, ' ') FROM posting \
         WHERE owner_id = ?1 AND term IN (SELECT value FROM json_each(?2)) GROUP BY term",
    )
    .bind(owner_id)
    .bind(columns::to_json(&terms))
    .fetch_all(connection)
    .await?;
    let mut postings = BTreeMap::new();
    for (term, text) in rows {
        postings.insert(term, parse(&text)?);
    }
    Ok(postings)
}
