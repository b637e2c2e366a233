//! The keyword index of memories in the file: postings by owner, term and document.

use std::collections::BTreeMap;

use sqlx::SqliteConnection;

use crate::owner::{Owner, Revision};
use crate::search::Document;
use crate::search::keywords::Terms;
use crate::store::database::postings::{Lists, all_lists, parse};
use crate::store::sqlite::batch::Batch;
use crate::store::sqlite::columns::{self, blob, integer, to_json};
use crate::store::sqlite::failure::{Work, damaged};

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

/// The postings of an owner's terms as one text, built inside SQLite: a row for each posting would cost many times as much,
/// and for each row whoever waits is woken.
macro_rules! lists {
    ($owner_id:literal) => {
        concat!(
            "SELECT json_group_object(term, list) FROM (\
             SELECT term, group_concat(document || ' ' || frequency || ' ' || length, ' ') AS list FROM posting \
             WHERE owner_id = ",
            $owner_id,
            " AND term IN (SELECT value FROM json_each(?2)) GROUP BY term)"
        )
    };
}

/// The postings of these terms, in order of document.
pub(super) async fn read(
    connection: &mut SqliteConnection,
    owner_id: i64,
    terms: &[String],
) -> Work<Lists> {
    let lists: String = sqlx::query_scalar(lists!("?1"))
        .bind(owner_id)
        .bind(columns::to_json(&terms))
        .fetch_one(connection)
        .await?;
    lists_of(terms, &lists)
}

/// The same of one revision: `None` where the owner is at another, and then none is put together.
pub(super) async fn read_of(
    connection: &mut SqliteConnection,
    owner: &Owner,
    revision: Revision,
    terms: &[String],
) -> Work<Option<Lists>> {
    let lists: Option<String> = sqlx::query_scalar(concat!(
        "SELECT (",
        lists!("(SELECT id FROM owner WHERE name = ?1)"),
        ") FROM owner WHERE name = ?1 AND epoch = ?3 AND revision = ?4"
    ))
    .bind(owner.as_str())
    .bind(columns::to_json(&terms))
    .bind(blob(revision.epoch.uuid()))
    .bind(integer(revision.count))
    .fetch_optional(connection)
    .await?;
    lists.map(|lists| lists_of(terms, &lists)).transpose()
}

fn lists_of(terms: &[String], text: &str) -> Work<Lists> {
    // There is nothing in a list that JSON escapes.
    let texts: BTreeMap<String, &str> =
        serde_json::from_str(text).map_err(|_| damaged("posting"))?;
    let mut found = BTreeMap::new();
    for (term, list) in texts {
        found.insert(term, parse(list)?);
    }
    Ok(all_lists(terms, found))
}
