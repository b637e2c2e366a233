//! Rows as columns: what each table's columns mean, read and written in one place.

use std::borrow::Cow;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sqlx::Row as _;
use sqlx::sqlite::SqliteRow;
use uuid::Uuid;

use crate::consent::Consent;
use crate::embedding::{EmbeddingKey, Vector};
use crate::ids::{MessageNumber, MessageOrdinal, Number, Origin, RowId, SessionId, Version};
use crate::journal::JournalEntry;
use crate::link::Link;
use crate::memory::{Claim, Lineage, Memory, Span};
use crate::message::{Message, Utterance};
use crate::observation::Observation;
use crate::owner::{OwnerState, Revision};
use crate::proposal::Proposal;
use crate::row::{End, Marks, MemoryRow, Row, Why};
use crate::session::{FrozenBlock, Lease, Recap, Session, Title};
use crate::store::sqlite::failure::{Failure, Work, damaged};
use crate::store::sqlite::words::Word;
use crate::timestamp::Timestamp;
use crate::tombstone::Tombstone;
use crate::trace::{Trace, TraceKey};
use crate::usage::Usage;

/// A memory as two numbers and one text that SQLite puts together: reading a row through the driver costs
/// by the column, several times what parsing the text does. The numbers stay apart because JSON in
/// SQLite keeps fifteen digits of them.
macro_rules! memory_columns {
    () => {
        "importance, confidence, json_array(hex(id), hex(origin), recorded_at, number, version, layer, \
         category, authority, domain, key, value, content, summary, body, tags, source, trust, held, \
         hex(session), messages, evidence, valid_from, expires_at, authorises_action, \
         last_confirmed_at, confirmations, contradictions, ended_at, end_reason, hex(superseded_by), \
         valid_until)"
    };
}
macro_rules! memory_sql {
    ($rest:literal) => {
        concat!(
            "SELECT ",
            $crate::store::sqlite::columns::memory_columns!(),
            " FROM memory WHERE ",
            $rest
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
macro_rules! session_sql {
    ($rest:literal) => {
        concat!(
            "SELECT id, opened_at, active_at, status, deleted_at, title, title_by_user, \
             extracted_through, attempts, retry_at, lease_holder, lease_until, recap, recap_through, \
             block, block_revision, block_rows, served FROM session WHERE ",
            $rest
        )
    };
}
pub(super) use {memory_columns, memory_sql, message_sql, session_sql};

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

/// The text of a memory, in the order of `memory_columns`. JSON columns are texts in it.
#[derive(Deserialize)]
struct MemoryColumns<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    #[serde(borrow)]
    origin: Cow<'a, str>,
    recorded_at: i64,
    number: i64,
    version: i64,
    #[serde(borrow)]
    layer: Cow<'a, str>,
    category: String,
    #[serde(borrow)]
    authority: Cow<'a, str>,
    domain: Option<String>,
    key: Option<String>,
    value: Option<String>,
    content: String,
    summary: Option<String>,
    body: Option<String>,
    tags: Option<String>,
    #[serde(borrow)]
    source: Cow<'a, str>,
    #[serde(borrow)]
    trust: Cow<'a, str>,
    held: u8,
    #[serde(borrow)]
    session: Cow<'a, str>,
    messages: Option<String>,
    evidence: Option<String>,
    valid_from: i64,
    expires_at: Option<i64>,
    authorises_action: u8,
    last_confirmed_at: Option<i64>,
    confirmations: u32,
    contradictions: u32,
    ended_at: Option<i64>,
    end_reason: Option<String>,
    #[serde(borrow)]
    superseded_by: Cow<'a, str>,
    valid_until: Option<i64>,
}

pub(super) fn memory(row: &SqliteRow) -> Work<MemoryRow> {
    let columns: MemoryColumns<'_> =
        serde_json::from_str(row.try_get(2)?).map_err(|_| damaged("memory"))?;
    let moment = |micros: Option<i64>| micros.map(as_moment).transpose();
    let from_hex = |hex: &str| Uuid::try_parse(hex).map_err(|_| damaged("id"));
    // What is NULL in the file has no digits here.
    let optional_id = |hex: &str| match hex {
        "" => Ok(None),
        hex => from_hex(hex).map(Some),
    };
    let by = optional_id(&columns.superseded_by)?.map(Origin::new);
    Ok(Row {
        id: RowId::new(from_hex(&columns.id)?),
        origin: Origin::new(from_hex(&columns.origin)?),
        recorded_at: as_moment(columns.recorded_at)?,
        end: end_of(
            columns.ended_at,
            columns.end_reason.as_deref(),
            by,
            columns.valid_until,
        )?,
        marks: Marks {
            importance: row.try_get(0)?,
            confidence: row.try_get(1)?,
            last_confirmed_at: moment(columns.last_confirmed_at)?,
            confirmations: columns.confirmations,
            contradictions: columns.contradictions,
        },
        body: Memory {
            number: number(columns.number)?,
            version: as_count(columns.version)
                .and_then(Version::new)
                .ok_or_else(|| damaged("version"))?,
            claim: Claim {
                layer: read_word(&columns.layer)?,
                category: columns.category,
                authority: read_word(&columns.authority)?,
                domain: columns.domain,
                key: columns.key,
                value: json(columns.value.as_deref())?,
                content: columns.content,
                summary: columns.summary,
                body: columns.body,
                tags: json(columns.tags.as_deref())?.unwrap_or_default(),
                source: read_word(&columns.source)?,
                trust: read_word(&columns.trust)?,
                held: columns.held == 1,
                session: optional_id(&columns.session)?.map(SessionId::new),
                messages: json(columns.messages.as_deref())?.unwrap_or_default(),
                evidence: json(columns.evidence.as_deref())?.unwrap_or_default(),
                valid_from: as_moment(columns.valid_from)?,
                expires_at: moment(columns.expires_at)?,
                authorises_action: columns.authorises_action == 1,
            },
        },
    })
}

/// Reads `ended_at, end_reason, superseded_by, valid_until` from four columns in a row.
fn end(row: &SqliteRow, from: usize) -> Work<Option<End>> {
    let by = row
        .try_get::<Option<&[u8]>, _>(from + 2)?
        .map(as_uuid)
        .transpose()?;
    let by = by.map(Origin::new);
    end_of(
        row.try_get(from)?,
        row.try_get(from + 1)?,
        by,
        row.try_get(from + 3)?,
    )
}

fn end_of(
    at: Option<i64>,
    reason: Option<&str>,
    by: Option<Origin>,
    until: Option<i64>,
) -> Work<Option<End>> {
    let (Some(at), Some(reason)) = (at, reason) else {
        return Ok(None);
    };
    let until = until.map(as_moment).transpose()?;
    let why = match (reason, by, until) {
        ("superseded", Some(by), Some(until)) => Why::Superseded { by, until },
        ("corrected", Some(by), None) => Why::Corrected { by },
        ("forgotten", None, None) => Why::Forgotten,
        ("trashed", None, None) => Why::Trashed,
        ("expired", None, Some(until)) => Why::Expired { until },
        ("rejected", None, None) => Why::Rejected,
        ("undone", None, None) => Why::Undone,
        ("faded", None, Some(until)) => Why::Faded { until },
        ("absorbed", by, Some(until)) => Why::Absorbed { by, until },
        ("discarded", None, None) => Why::Discarded,
        ("done", None, Some(until)) => Why::Done { until },
        _ => return Err(damaged("end")),
    };
    Ok(Some(End {
        at: as_moment(at)?,
        why,
    }))
}

/// An end as its four columns.
pub(super) type EndColumns = (
    Option<i64>,
    Option<&'static str>,
    Option<Vec<u8>>,
    Option<i64>,
);

pub(super) fn end_columns(end: Option<End>) -> EndColumns {
    let Some(End { at, why }) = end else {
        return (None, None, None, None);
    };
    let reason = match why {
        Why::Superseded { .. } => "superseded",
        Why::Corrected { .. } => "corrected",
        Why::Forgotten => "forgotten",
        Why::Trashed => "trashed",
        Why::Expired { .. } => "expired",
        Why::Rejected => "rejected",
        Why::Undone => "undone",
        Why::Faded { .. } => "faded",
        Why::Absorbed { .. } => "absorbed",
        Why::Discarded => "discarded",
        Why::Done { .. } => "done",
    };
    (
        Some(at.as_micros()),
        Some(reason),
        why.successor().map(|origin| blob(origin.uuid())),
        why.valid_until().map(Timestamp::as_micros),
    )
}

fn head<B>(row: &SqliteRow, body: B) -> Work<Row<B>> {
    let ended_at = row
        .columns()
        .iter()
        .position(|column| sqlx::Column::name(column) == "ended_at");
    Ok(Row {
        id: RowId::new(uuid(row, "id")?),
        origin: Origin::new(uuid(row, "origin")?),
        recorded_at: moment(row, "recorded_at")?,
        end: end(row, ended_at.ok_or_else(|| damaged("row"))?)?,
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

fn word<T: Word>(row: &SqliteRow, column: impl sqlx::ColumnIndex<SqliteRow>) -> Work<T> {
    read_word(row.try_get(column)?)
}

fn read_word<T: Word>(word: &str) -> Work<T> {
    T::read(word).ok_or_else(|| damaged("word"))
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

fn as_count(stored: i64) -> Option<u64> {
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
