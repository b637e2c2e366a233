//! What SQL reads of each table, and how SQLite hands it over. What it means is in `database::columns`.

use std::borrow::Cow;

use sqlx::sqlite::SqliteRow;
use sqlx::{Row as _, SqliteConnection};
use uuid::Uuid;

use crate::error::Result;
use crate::order;
use crate::row::MemoryRow;
use crate::store::database::stored::StoredMemories;
use crate::store::sqlite::failure::Work;

pub(super) use crate::store::database::columns::*;

/// The memories that a condition selects, as one text: handing rows from SQLite's thread to ours one by
/// one costs more than reading them. JSON holds no such separators.
macro_rules! memory_sql {
    ($($rest:literal),+) => {
        concat!(
            "SELECT group_concat(",
            columns::memory_text!(),
            ", '\u{1f}') FROM (SELECT record, marks, ending FROM memory WHERE ",
            $($rest,)+
            ")"
        )
    };
}
/// The same, each after the document that it is.
macro_rules! stored_sql {
    ($($rest:literal),+) => {
        concat!(
            "SELECT group_concat((number << 24 | version) || '\u{1e}' || ",
            columns::memory_text!(),
            ", '\u{1f}') FROM (SELECT number, version, record, marks, ending FROM memory WHERE ",
            $($rest,)+
            ")"
        )
    };
}
macro_rules! memory_text {
    () => {
        "record || '\u{1e}' || coalesce(marks, '') || '\u{1e}' || coalesce(ending, '')"
    };
}
macro_rules! message_columns {
    () => {
        "session, number, ordinal, role, content, hidden, origin, untrusted, calls, at"
    };
}
macro_rules! message_sql {
    ($rest:literal) => {
        concat!(
            "SELECT ",
            columns::message_columns!(),
            ", rowid, owner_id FROM message WHERE ",
            $rest
        )
    };
}
macro_rules! session_columns {
    () => {
        "id, opened_at, active_at, status, deleted_at, title, title_by_user, extracted_through, attempts, \
         retry_at, lease_holder, lease_until, recap, recap_through, block, block_revision, block_rows, served"
    };
}
macro_rules! session_sql {
    ($rest:literal) => {
        concat!(
            "SELECT ",
            columns::session_columns!(),
            " FROM session WHERE ",
            $rest
        )
    };
}
/// Some columns of a chat, and where its next message goes.
macro_rules! places_sql {
    ($columns:expr) => {
        concat!(
            "SELECT ",
            $columns,
            ", (SELECT max(number) FROM message WHERE owner_id = session.owner_id AND session = session.id) AS last_number, \
             (SELECT max(ordinal) FROM message WHERE owner_id = session.owner_id) AS last_ordinal \
             FROM session WHERE owner_id = (SELECT id FROM owner WHERE name = ?1) AND id = ?2"
        )
    };
}
pub(super) use {
    memory_sql, memory_text, message_columns, message_sql, places_sql, session_columns,
    session_sql, stored_sql,
};

/// Reads what `memory_sql` selects, in order of number and version.
pub(super) fn memories(rows: &[SqliteRow]) -> Work<Vec<MemoryRow>> {
    let Some(row) = rows.first() else {
        return Ok(Vec::new());
    };
    let Some(text) = row.try_get::<Option<&str>, _>(0)? else {
        return Ok(Vec::new());
    };
    let mut memories = text
        .split('\u{1f}')
        .map(|memory| {
            let mut parts = memory.split('\u{1e}');
            let mut part = || parts.next().filter(|part| !part.is_empty());
            let record = part().ok_or_else(|| damaged("memory"))?;
            Ok(memory_of(record, part(), part())?)
        })
        .collect::<Work<Vec<_>>>()?;
    order::sort_by_key(&mut memories, |row| (row.body.number, row.body.version));
    Ok(memories)
}

/// What `stored_sql` selects, before it is read.
pub(super) fn stored(row: &SqliteRow) -> Work<StoredMemories> {
    let Some(text) = row.try_get::<Option<&str>, _>(0)? else {
        return Ok(StoredMemories::default());
    };
    StoredMemories::parted(text).ok_or_else(|| damaged("memory").into())
}

/// Reads a memory from its columns `record, marks, ending`, which come first.
pub(super) fn memory(row: &SqliteRow) -> Work<MemoryRow> {
    Ok(memory_of(
        row.try_get(0)?,
        row.try_get(1)?,
        row.try_get(2)?,
    )?)
}

/// Reads each row.
pub(super) fn each<T>(rows: &[SqliteRow], read: impl Fn(&SqliteRow) -> Result<T>) -> Work<Vec<T>> {
    Ok(rows.iter().map(read).collect::<Result<_>>()?)
}

impl Cells for SqliteRow {
    cells!();

    fn id(&self, column: &str) -> Result<Option<Uuid>> {
        let bytes: Option<&[u8]> = self.try_get(column).map_err(|_| damaged("id"))?;
        let id = bytes.map(Uuid::from_slice).transpose();
        id.map_err(|_| damaged("id"))
    }
}

pub(super) fn blob(id: Uuid) -> Vec<u8> {
    id.into_bytes().to_vec()
}

/// Whether bytes that SQLite puts together stay what they are: they go through the text of the file. One alone
/// does not.
pub(super) async fn keeps_bytes(connection: &mut SqliteConnection) -> Work<bool> {
    let encoding: String = sqlx::query_scalar("PRAGMA encoding")
        .fetch_one(connection)
        .await?;
    Ok(encoding == "UTF-8")
}
