//! What SQL reads of each table, and how PostgreSQL hands it over. What it means is in `database::columns`.

use std::borrow::Cow;

use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use sqlx::Row as _;
use sqlx::postgres::PgRow;
use uuid::Uuid;

use crate::error::Result;
use crate::owner::Owner;
use crate::row::MemoryRow;
use crate::store::database::Counters;
use crate::store::postgres::failure::Work;

pub(super) use crate::store::database::columns::*;

macro_rules! session_columns {
    () => {
        "id, opened_at, active_at, status, deleted_at, title, title_by_user, extracted_through, attempts, \
         retry_at, lease_holder, lease_until, recap, recap_through, block, block_revision, block_rows, served"
    };
}
macro_rules! message_columns {
    () => {
        "session, number, ordinal, role, content, hidden, origin, untrusted, calls, at"
    };
}
macro_rules! owner_columns {
    () => {
        "epoch, revision, next_number, last_stamp, embedding_changes, revised, embedded"
    };
}
pub(super) use {message_columns, owner_columns, session_columns};

/// By what the database knows an owner: a digest of the name, so that whoever knows the name knows the rows'
/// place, with no table of all owners between.
pub(super) fn key(owner: &Owner) -> Uuid {
    let digest = Sha256::digest(owner.as_str().as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    Uuid::from_bytes(bytes)
}

/// An owner's counters, and which writes moved them.
pub(super) fn counters(row: &impl Cells) -> Result<Counters> {
    let id = |column: &str| row.id(column)?.ok_or_else(|| damaged("id"));
    Ok(Counters {
        state: owner_state(row)?,
        revised: id("revised")?,
        embedded: id("embedded")?,
    })
}

/// Reads each row.
pub(super) fn each<T>(rows: &[PgRow], read: impl Fn(&PgRow) -> Result<T>) -> Work<Vec<T>> {
    Ok(rows.iter().map(read).collect::<Result<_>>()?)
}

/// Reads a memory from its columns `record`, `marks` and `ending`.
pub(super) fn memory(row: &impl Cells) -> Result<MemoryRow> {
    let record = row.text("record")?.ok_or_else(|| damaged("memory"))?;
    memory_of(record, row.text("marks")?, row.text("ending")?)
}

/// A name that is looked for, which may be any text: none that is stored holds NUL, and PostgreSQL takes none.
pub(super) fn plain(name: &str) -> Option<&str> {
    Some(name).filter(|name| !name.contains('\0'))
}

/// A column of many rows.
pub(super) fn column<T, U>(items: &[T], read: impl Fn(&T) -> U) -> Vec<U> {
    items.iter().map(read).collect()
}

impl Cells for PgRow {
    cells!();

    fn id(&self, column: &str) -> Result<Option<Uuid>> {
        self.try_get(column).map_err(|_| damaged("id"))
    }
}

/// A row that came as JSON, with rows of other tables in one answer. A column that was not asked for is empty.
impl Cells for Map<String, Value> {
    fn text(&self, column: &str) -> Result<Option<&str>> {
        match self.get(column) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => value.as_str().map(Some).ok_or_else(|| damaged("text")),
        }
    }

    fn optional_integer(&self, column: &str) -> Result<Option<i64>> {
        match self.get(column) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => value.as_i64().map(Some).ok_or_else(|| damaged("number")),
        }
    }

    fn flag(&self, column: &str) -> Result<bool> {
        let flag = self.get(column).and_then(Value::as_bool);
        flag.ok_or_else(|| damaged("flag"))
    }

    fn id(&self, column: &str) -> Result<Option<Uuid>> {
        let id = self.text(column)?.map(Uuid::try_parse).transpose();
        id.map_err(|_| damaged("id"))
    }

    fn bytes(&self, column: &str) -> Result<Cow<'_, [u8]>> {
        let text = self.text(column)?.and_then(|text| text.strip_prefix("\\x"));
        let digits = text.ok_or_else(|| damaged("vector"))?.as_bytes();
        let byte = |pair: &[u8]| {
            let digit = |at: usize| char::from(pair[at]).to_digit(16);
            u8::try_from(digit(0)? << 4 | digit(1)?).ok()
        };
        let (pairs, _) = digits.as_chunks::<2>();
        let bytes: Option<Vec<u8>> = pairs.iter().map(|pair| byte(pair)).collect();
        bytes.map(Cow::Owned).ok_or_else(|| damaged("vector"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_is_known_by_a_digest_that_never_changes() {
        let alice = key(&Owner::new("alice").unwrap());
        assert_eq!(alice.to_string(), "2bd806c9-7f0e-00af-1a1f-c3328fa763a9");
        assert_ne!(alice, key(&Owner::new("Alice").unwrap()));
    }

    #[test]
    fn bytes_come_back_from_json() {
        let row = serde_json::json!({"vector": "\\x00ff7f", "broken": "\\x0g"});
        let row = row.as_object().unwrap();
        assert_eq!(*row.bytes("vector").unwrap(), [0, 255, 127]);
        assert!(row.bytes("broken").is_err());
        assert!(row.bytes("missing").is_err());
    }
}
