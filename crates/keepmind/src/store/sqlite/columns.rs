//! Rows as columns: what each table's columns mean, read and written in one place.

use serde::Serialize;
use serde::de::DeserializeOwned;
use sqlx::Row as _;
use sqlx::sqlite::SqliteRow;
use uuid::Uuid;

use crate::consent::Consent;
use crate::embedding::{EmbeddingKey, Vector};
use crate::ids::{MessageNumber, MessageOrdinal, Number, Origin, RowId, SessionId};
use crate::journal::JournalEntry;
use crate::link::Link;
use crate::memory::{Lineage, Marks, Memory, Span};
use crate::message::{Message, Utterance};
use crate::observation::Observation;
use crate::order;
use crate::owner::{OwnerState, Revision};
use crate::proposal::Proposal;
use crate::row::{Body, End, MemoryRow, Row};
use crate::session::{FrozenBlock, Lease, Recap, Session, Title};
use crate::store::sqlite::failure::{Failure, Work, damaged};
use crate::store::sqlite::words::Word;
use crate::timestamp::Timestamp;
use crate::tombstone::Tombstone;
use crate::trace::{Trace, TraceKey};
use crate::usage::Usage;

/// The memories that a condition selects, as one text: handing rows from SQLite's thread to ours one by
/// one costs more than reading them. JSON holds no such separators.
macro_rules! memory_sql {
    ($($rest:literal),+) => {
        concat!(
            "SELECT group_concat(record || '\u{1e}' || coalesce(marks, '') || '\u{1e}' || coalesce(ending, ''), '\u{1f}') \
             FROM (SELECT record, marks, ending FROM memory WHERE ",
            $($rest,)+
            ")"
        )
    };
}
macro_rules! message_sql {
    ($rest:literal) => {
        concat!(
            "SELECT session, number, ordinal, role, content, hidden, origin, untrusted, calls, at, \
             rowid, owner_id FROM message WHERE ",
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
pub(super) use {memory_sql, message_sql, places_sql, session_columns, session_sql};

pub(super) fn owner_state(row: &SqliteRow) -> Work<OwnerState> {
    Ok(OwnerState {
        revision: Revision {
            epoch: crate::ids::Epoch::new(uuid(row, "epoch")?),
            count: count(row, "revision")?,
        },
        next_number: count(row, "next_number")?,
        last_stamp: optional_moment(row, "last_stamp")?,
        embedding_changes: count(row, "embedding_changes")?,
    })
}

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
            memory_of(part().ok_or_else(|| damaged("memory"))?, part(), part())
        })
        .collect::<Work<Vec<_>>>()?;
    order::sort_by_key(&mut memories, |row| (row.body.number, row.body.version));
    Ok(memories)
}

/// Reads a memory from its columns `record, marks, ending`, which come first.
pub(super) fn memory(row: &SqliteRow) -> Work<MemoryRow> {
    memory_of(row.try_get(0)?, row.try_get(1)?, row.try_get(2)?)
}

fn memory_of(record: &str, marks: Option<&str>, ending: Option<&str>) -> Work<MemoryRow> {
    let mut memory: MemoryRow = serde_json::from_str(record).map_err(|_| damaged("memory"))?;
    if let Some(marks) = json(marks)? {
        memory.marks = marks;
    }
    memory.end = json(ending)?;
    Ok(memory)
}

/// A memory as its record: without what may change.
pub(super) fn record(row: &Row<Body>, memory: &Memory) -> String {
    #[derive(Serialize)]
    struct Record<'a> {
        id: RowId,
        origin: Origin,
        recorded_at: Timestamp,
        body: &'a Memory,
    }
    to_json(&Record {
        id: row.id,
        origin: row.origin,
        recorded_at: row.recorded_at,
        body: memory,
    })
}

/// Marks as they are stored: the default as nothing.
pub(super) fn marks(marks: &Marks) -> Option<String> {
    list(marks, *marks == Marks::default())
}

/// An end as its two columns: when, and all of it.
pub(super) fn ending(end: Option<End>) -> (Option<i64>, Option<String>) {
    (end.map(|end| end.at.as_micros()), end.as_ref().map(to_json))
}

fn head<B>(row: &SqliteRow, body: B) -> Work<Row<B>> {
    Ok(Row {
        id: RowId::new(uuid(row, "id")?),
        origin: Origin::new(uuid(row, "origin")?),
        recorded_at: moment(row, "recorded_at")?,
        end: json(row.try_get("ending")?)?,
        marks: Marks::default(),
        body,
    })
}

pub(super) fn link(row: &SqliteRow) -> Work<Row<Link>> {
    let body = Link {
        from: number(row.try_get("from_number")?)?,
        to: number(row.try_get("to_number")?)?,
        relation: row.try_get("relation")?,
    };
    head(row, body)
}

pub(super) fn tombstone(row: &SqliteRow) -> Work<Row<Tombstone>> {
    let body = Tombstone {
        number: number(row.try_get("number")?)?,
        session: SessionId::new(uuid(row, "session")?),
        message: message_number(row.try_get("message")?)?,
        span: Span {
            start: row.try_get("span_start")?,
            end: row.try_get("span_end")?,
        },
    };
    head(row, body)
}

pub(super) fn proposal(row: &SqliteRow) -> Work<Row<Proposal>> {
    let body = json(row.try_get("proposal")?)?.ok_or_else(|| damaged("proposal"))?;
    head(row, body)
}

pub(super) fn lineage(row: &SqliteRow) -> Work<Lineage> {
    Ok(Lineage {
        row: RowId::new(uuid(row, "row_id")?),
        from: RowId::new(uuid(row, "from_id")?),
    })
}

pub(super) fn consent(row: &SqliteRow) -> Work<Consent> {
    Ok(Consent {
        domain: row.try_get("domain")?,
        recorded_at: moment(row, "recorded_at")?,
        granted: row.try_get("granted")?,
    })
}

pub(super) fn entry(row: &SqliteRow) -> Work<JournalEntry> {
    Ok(JournalEntry {
        revision: count(row, "revision")?,
        operation: crate::ids::OperationId::new(uuid(row, "operation")?),
        stamp: moment(row, "stamp")?,
        who: word(row, "who")?,
        session: optional_uuid(row, "session")?.map(SessionId::new),
        group: optional_uuid(row, "group_id")?.map(crate::ids::GroupId::new),
        effects: json(row.try_get("effects")?)?.unwrap_or_default(),
        undoes: json(row.try_get("undoes")?)?.unwrap_or_default(),
        redoes: json(row.try_get("redoes")?)?.unwrap_or_default(),
        line: row.try_get("line")?,
    })
}

/// A chat of which only its state was read: enough to check what a plan expects of it.
pub(super) fn session_state(id: SessionId, row: &SqliteRow) -> Work<Session> {
    Ok(Session {
        status: word(row, "status")?,
        deleted_at: optional_moment(row, "deleted_at")?,
        ..Session::open(id, Timestamp::UNIX_EPOCH)
    })
}

pub(super) fn session(row: &SqliteRow) -> Work<Session> {
    let title: Option<String> = row.try_get("title")?;
    let recap: Option<String> = row.try_get("recap")?;
    let block: Option<String> = row.try_get("block")?;
    let lease_holder = optional_uuid(row, "lease_holder")?;
    Ok(Session {
        id: SessionId::new(uuid(row, "id")?),
        opened_at: moment(row, "opened_at")?,
        active_at: moment(row, "active_at")?,
        status: word(row, "status")?,
        deleted_at: optional_moment(row, "deleted_at")?,
        title: match title {
            Some(text) => Some(Title {
                text,
                by_user: row.try_get("title_by_user")?,
            }),
            None => None,
        },
        extracted_through: optional_message_number(row, "extracted_through")?,
        attempts: row.try_get("attempts")?,
        retry_at: optional_moment(row, "retry_at")?,
        lease: match lease_holder {
            Some(holder) => Some(Lease {
                holder: crate::ids::LeaseHolder::new(holder),
                until: moment(row, "lease_until")?,
            }),
            None => None,
        },
        recap: match recap {
            Some(text) => Some(Recap {
                text,
                through: message_number(row.try_get("recap_through")?)?,
            }),
            None => None,
        },
        block: match block {
            Some(text) => Some(FrozenBlock {
                text,
                revision: count(row, "block_revision")?,
                rows: json(row.try_get("block_rows")?)?.unwrap_or_default(),
            }),
            None => None,
        },
        served: json(row.try_get("served")?)?.unwrap_or_default(),
    })
}

pub(super) fn message(row: &SqliteRow) -> Work<Message> {
    Ok(Message {
        session: SessionId::new(uuid(row, "session")?),
        number: message_number(row.try_get("number")?)?,
        ordinal: as_count(row.try_get("ordinal")?)
            .and_then(MessageOrdinal::new)
            .ok_or_else(|| damaged("ordinal"))?,
        utterance: Utterance {
            role: word(row, "role")?,
            content: row.try_get("content")?,
            hidden: row.try_get("hidden")?,
            origin: word(row, "origin")?,
            untrusted: json(row.try_get("untrusted")?)?.unwrap_or_default(),
            calls: json(row.try_get("calls")?)?.unwrap_or_default(),
            at: moment(row, "at")?,
        },
    })
}

pub(super) fn observation(row: &SqliteRow) -> Work<Observation> {
    Ok(Observation {
        id: crate::ids::ObservationId::new(uuid(row, "id")?),
        source: row.try_get("source")?,
        payload: json(row.try_get("payload")?)?.ok_or_else(|| damaged("payload"))?,
        at: moment(row, "at")?,
    })
}

pub(super) fn trace(row: &SqliteRow) -> Work<Trace> {
    Ok(Trace {
        key: TraceKey {
            session: SessionId::new(uuid(row, "session")?),
            call: row.try_get("call")?,
        },
        tool: row.try_get("tool")?,
        arguments: json(row.try_get("arguments")?)?.ok_or_else(|| damaged("trace"))?,
        result: row.try_get("result")?,
        outcome: word(row, "outcome")?,
        started_at: moment(row, "started_at")?,
        finished_at: moment(row, "finished_at")?,
    })
}

pub(super) fn usage(row: &SqliteRow) -> Work<Usage> {
    Ok(Usage {
        id: crate::ids::UsageId::new(uuid(row, "id")?),
        at: moment(row, "at")?,
        session: optional_uuid(row, "session")?.map(SessionId::new),
        memory: RowId::new(uuid(row, "memory")?),
        kind: word(row, "kind")?,
        influence: row.try_get("influence")?,
    })
}

pub(super) fn embedding(row: &SqliteRow) -> Work<(EmbeddingKey, Vector)> {
    let key = EmbeddingKey {
        memory: RowId::new(uuid(row, "memory")?),
        embedder: row.try_get("embedder")?,
    };
    let vector = Vector::new(numbers(row.try_get("vector")?)).map_err(|_| damaged("vector"))?;
    Ok((key, vector))
}

/// A vector's bytes as numbers.
pub(super) fn numbers(bytes: &[u8]) -> Vec<f32> {
    let (numbers, _) = bytes.as_chunks::<4>();
    numbers
        .iter()
        .map(|bytes| f32::from_le_bytes(*bytes))
        .collect()
}

pub(super) fn bytes(vector: &Vector) -> Vec<u8> {
    vector
        .as_slice()
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect()
}

pub(super) fn blob(id: Uuid) -> Vec<u8> {
    id.into_bytes().to_vec()
}

/// A count as SQLite keeps it. Counts are checked to fit before they get here.
pub(super) fn integer(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Written as JSON; an empty collection as nothing.
pub(super) fn list<T: Serialize>(items: &T, is_empty: bool) -> Option<String> {
    (!is_empty).then(|| to_json(items))
}

pub(super) fn to_json<T: Serialize>(item: &T) -> String {
    // Plain data with string keys always has a JSON form.
    serde_json::to_string(item).unwrap_or_default()
}

pub(super) fn json<T: DeserializeOwned>(text: Option<&str>) -> Work<Option<T>> {
    text.map(|text| serde_json::from_str(text).map_err(|_| damaged("value")))
        .transpose()
}

fn word<T: Word>(row: &SqliteRow, column: &str) -> Work<T> {
    T::read(row.try_get(column)?).ok_or_else(|| damaged("word"))
}

fn number(stored: i64) -> Work<Number> {
    as_count(stored)
        .and_then(Number::new)
        .ok_or_else(|| damaged("number"))
}

pub(super) fn message_number(stored: i64) -> Work<MessageNumber> {
    as_count(stored)
        .and_then(MessageNumber::new)
        .ok_or_else(|| damaged("message number"))
}

fn optional_message_number(row: &SqliteRow, column: &str) -> Work<Option<MessageNumber>> {
    row.try_get::<Option<i64>, _>(column)?
        .map(message_number)
        .transpose()
}

pub(super) fn as_count(stored: i64) -> Option<u64> {
    u64::try_from(stored).ok()
}

pub(super) fn count(row: &SqliteRow, column: &str) -> Work<u64> {
    as_count(row.try_get(column)?).ok_or_else(|| damaged("count"))
}

fn moment(row: &SqliteRow, column: &str) -> Work<Timestamp> {
    as_moment(row.try_get(column)?)
}

fn optional_moment(row: &SqliteRow, column: &str) -> Work<Option<Timestamp>> {
    row.try_get::<Option<i64>, _>(column)?
        .map(as_moment)
        .transpose()
}

fn as_moment(micros: i64) -> Work<Timestamp> {
    Timestamp::from_micros(micros).map_err(|_| damaged("moment"))
}

fn uuid(row: &SqliteRow, column: &str) -> Work<Uuid> {
    as_uuid(row.try_get(column)?)
}

fn optional_uuid(row: &SqliteRow, column: &str) -> Work<Option<Uuid>> {
    row.try_get::<Option<&[u8]>, _>(column)?
        .map(as_uuid)
        .transpose()
}

fn as_uuid(bytes: &[u8]) -> Work<Uuid> {
    Uuid::from_slice(bytes).map_err(|_| damaged("id"))
}

impl From<uuid::Error> for Failure {
    fn from(_: uuid::Error) -> Self {
        damaged("id")
    }
}
