//! Rows from columns and columns from rows: what each means, read and written in one place.

use std::borrow::Cow;

use serde::Serialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use crate::consent::Consent;
use crate::embedding::{EmbeddingKey, Vector};
use crate::error::{Error, Result};
use crate::ids::{MessageNumber, MessageOrdinal, Number, Origin, RowId, SessionId};
use crate::journal::JournalEntry;
use crate::link::Link;
use crate::memory::{Lineage, Marks, Memory, Span};
use crate::message::{Message, Utterance};
use crate::observation::Observation;
use crate::owner::{Owner, OwnerState, Revision};
use crate::proposal::Proposal;
use crate::row::{Body, End, MemoryRow, Row};
use crate::search::keywords::Corpus;
use crate::session::{FrozenBlock, Lease, Recap, Session, Title};
use crate::store::OwnerSummary;
use crate::store::database::words::Word;
use crate::timestamp::Timestamp;
use crate::tombstone::Tombstone;
use crate::trace::{Trace, TraceKey};
use crate::usage::Usage;

/// A row as a database hands it over, by the names of its columns.
pub(crate) trait Cells {
    fn text(&self, column: &str) -> Result<Option<&str>>;
    fn optional_integer(&self, column: &str) -> Result<Option<i64>>;
    fn flag(&self, column: &str) -> Result<bool>;
    fn id(&self, column: &str) -> Result<Option<Uuid>>;
    fn bytes(&self, column: &str) -> Result<Cow<'_, [u8]>>;

    fn integer(&self, column: &str) -> Result<i64> {
        self.optional_integer(column)?
            .ok_or_else(|| damaged("number"))
    }
}

/// What the drivers' rows have in common.
macro_rules! cells {
    () => {
        fn text(&self, column: &str) -> Result<Option<&str>> {
            self.try_get(column).map_err(|_| damaged("text"))
        }

        fn optional_integer(&self, column: &str) -> Result<Option<i64>> {
            self.try_get(column).map_err(|_| damaged("number"))
        }

        fn flag(&self, column: &str) -> Result<bool> {
            self.try_get(column).map_err(|_| damaged("flag"))
        }

        fn bytes(&self, column: &str) -> Result<Cow<'_, [u8]>> {
            let bytes: &[u8] = self.try_get(column).map_err(|_| damaged("vector"))?;
            Ok(Cow::Borrowed(bytes))
        }
    };
}
pub(crate) use cells;

/// An owner as the owners' page shows it.
pub(crate) fn summary(row: &impl Cells) -> Result<OwnerSummary> {
    Ok(OwnerSummary {
        owner: Owner::new(words(row, "name")?).map_err(|_| damaged("owner"))?,
        state: owner_state(row)?,
    })
}

/// How many documents there are to search, from the columns that count them and their length.
pub(crate) fn corpus(row: &impl Cells, documents: &str, length: &str) -> Result<Corpus> {
    Ok(Corpus {
        documents: count(row, documents)?,
        length: count(row, length)?,
    })
}

pub(crate) fn owner_state(row: &impl Cells) -> Result<OwnerState> {
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

/// A memory from its record, and what may change of it.
pub(crate) fn memory_of(
    record: &str,
    marks: Option<&str>,
    ending: Option<&str>,
) -> Result<MemoryRow> {
    let mut memory: MemoryRow = serde_json::from_str(record).map_err(|_| damaged("memory"))?;
    if let Some(marks) = json(marks)? {
        memory.marks = marks;
    }
    memory.end = json(ending)?;
    Ok(memory)
}

/// A memory as its record: without what may change.
pub(crate) fn record(row: &Row<Body>, memory: &Memory) -> String {
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
pub(crate) fn marks(marks: &Marks) -> Option<String> {
    list(marks, *marks == Marks::default())
}

/// An end as its two columns: when, and all of it.
pub(crate) fn ending(end: Option<End>) -> (Option<i64>, Option<String>) {
    (end.map(|end| end.at.as_micros()), end.as_ref().map(to_json))
}

fn head<B>(row: &impl Cells, body: B) -> Result<Row<B>> {
    Ok(Row {
        id: RowId::new(uuid(row, "id")?),
        origin: Origin::new(uuid(row, "origin")?),
        recorded_at: moment(row, "recorded_at")?,
        end: json(row.text("ending")?)?,
        marks: Marks::default(),
        body,
    })
}

pub(crate) fn link(row: &impl Cells) -> Result<Row<Link>> {
    let body = Link {
        from: number(row.integer("from_number")?)?,
        to: number(row.integer("to_number")?)?,
        relation: words(row, "relation")?,
    };
    head(row, body)
}

pub(crate) fn tombstone(row: &impl Cells) -> Result<Row<Tombstone>> {
    let body = Tombstone {
        number: number(row.integer("number")?)?,
        session: SessionId::new(uuid(row, "session")?),
        message: message_number(row.integer("message")?)?,
        span: Span {
            start: small(row, "span_start")?,
            end: small(row, "span_end")?,
        },
    };
    head(row, body)
}

pub(crate) fn proposal(row: &impl Cells) -> Result<Row<Proposal>> {
    let body = json(row.text("proposal")?)?.ok_or_else(|| damaged("proposal"))?;
    head(row, body)
}

pub(crate) fn lineage(row: &impl Cells) -> Result<Lineage> {
    Ok(Lineage {
        row: RowId::new(uuid(row, "row_id")?),
        from: RowId::new(uuid(row, "from_id")?),
    })
}

pub(crate) fn consent(row: &impl Cells) -> Result<Consent> {
    Ok(Consent {
        domain: words(row, "domain")?,
        recorded_at: moment(row, "recorded_at")?,
        granted: row.flag("granted")?,
    })
}

pub(crate) fn entry(row: &impl Cells) -> Result<JournalEntry> {
    Ok(JournalEntry {
        revision: count(row, "revision")?,
        operation: crate::ids::OperationId::new(uuid(row, "operation")?),
        stamp: moment(row, "stamp")?,
        who: word(row, "who")?,
        session: optional_uuid(row, "session")?.map(SessionId::new),
        group: optional_uuid(row, "group_id")?.map(crate::ids::GroupId::new),
        effects: json(row.text("effects")?)?.unwrap_or_default(),
        undoes: json(row.text("undoes")?)?.unwrap_or_default(),
        redoes: json(row.text("redoes")?)?.unwrap_or_default(),
        line: words(row, "line")?,
    })
}

/// A chat of which only its state was read: enough to check what a plan expects of it.
pub(crate) fn session_state(id: SessionId, row: &impl Cells) -> Result<Session> {
    Ok(Session {
        status: word(row, "status")?,
        deleted_at: optional_moment(row, "deleted_at")?,
        ..Session::open(id, Timestamp::UNIX_EPOCH)
    })
}

pub(crate) fn session(row: &impl Cells) -> Result<Session> {
    let title = row.text("title")?.map(str::to_owned);
    let recap = row.text("recap")?.map(str::to_owned);
    let block = row.text("block")?.map(str::to_owned);
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
                by_user: row.flag("title_by_user")?,
            }),
            None => None,
        },
        extracted_through: optional_message_number(row, "extracted_through")?,
        attempts: small(row, "attempts")?,
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
                through: message_number(row.integer("recap_through")?)?,
            }),
            None => None,
        },
        block: match block {
            Some(text) => Some(FrozenBlock {
                text,
                revision: count(row, "block_revision")?,
                rows: json(row.text("block_rows")?)?.unwrap_or_default(),
            }),
            None => None,
        },
        served: json(row.text("served")?)?.unwrap_or_default(),
    })
}

pub(crate) fn message(row: &impl Cells) -> Result<Message> {
    Ok(Message {
        session: SessionId::new(uuid(row, "session")?),
        number: message_number(row.integer("number")?)?,
        ordinal: as_count(row.integer("ordinal")?)
            .and_then(MessageOrdinal::new)
            .ok_or_else(|| damaged("ordinal"))?,
        utterance: Utterance {
            role: word(row, "role")?,
            content: words(row, "content")?,
            hidden: row.text("hidden")?.map(str::to_owned),
            origin: word(row, "origin")?,
            untrusted: json(row.text("untrusted")?)?.unwrap_or_default(),
            calls: json(row.text("calls")?)?.unwrap_or_default(),
            at: moment(row, "at")?,
        },
    })
}

pub(crate) fn observation(row: &impl Cells) -> Result<Observation> {
    Ok(Observation {
        id: crate::ids::ObservationId::new(uuid(row, "id")?),
        source: words(row, "source")?,
        payload: json(row.text("payload")?)?.ok_or_else(|| damaged("payload"))?,
        at: moment(row, "at")?,
    })
}

pub(crate) fn trace(row: &impl Cells) -> Result<Trace> {
    Ok(Trace {
        key: TraceKey {
            session: SessionId::new(uuid(row, "session")?),
            call: words(row, "call")?,
        },
        tool: words(row, "tool")?,
        arguments: json(row.text("arguments")?)?.ok_or_else(|| damaged("trace"))?,
        result: words(row, "result")?,
        outcome: word(row, "outcome")?,
        started_at: moment(row, "started_at")?,
        finished_at: moment(row, "finished_at")?,
    })
}

pub(crate) fn usage(row: &impl Cells) -> Result<Usage> {
    Ok(Usage {
        id: crate::ids::UsageId::new(uuid(row, "id")?),
        at: moment(row, "at")?,
        session: optional_uuid(row, "session")?.map(SessionId::new),
        memory: RowId::new(uuid(row, "memory")?),
        kind: word(row, "kind")?,
        influence: row.text("influence")?.map(str::to_owned),
    })
}

pub(crate) fn embedding(row: &impl Cells) -> Result<(EmbeddingKey, Vector)> {
    let key = EmbeddingKey {
        memory: RowId::new(uuid(row, "memory")?),
        embedder: words(row, "embedder")?,
    };
    let vector = Vector::new(numbers(&row.bytes("vector")?)).map_err(|_| damaged("vector"))?;
    Ok((key, vector))
}

/// A vector's bytes as numbers.
pub(crate) fn numbers(bytes: &[u8]) -> Vec<f32> {
    let (numbers, _) = bytes.as_chunks::<4>();
    numbers
        .iter()
        .map(|bytes| f32::from_le_bytes(*bytes))
        .collect()
}

pub(crate) fn bytes(vector: &Vector) -> Vec<u8> {
    vector
        .as_slice()
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect()
}

/// A count as databases keep it. Counts are checked to fit before they get here.
pub(crate) fn integer(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Written as JSON; an empty collection as nothing.
pub(crate) fn list<T: Serialize>(items: &T, is_empty: bool) -> Option<String> {
    (!is_empty).then(|| to_json(items))
}

pub(crate) fn to_json<T: Serialize>(item: &T) -> String {
    // Plain data with string keys always has a JSON form.
    let written = crate::json::write(item);
    debug_assert!(written.is_ok(), "{written:?}");
    written.unwrap_or_default()
}

pub(crate) fn json<T: DeserializeOwned>(text: Option<&str>) -> Result<Option<T>> {
    text.map(|text| serde_json::from_str(text).map_err(|_| damaged("value")))
        .transpose()
}

fn word<T: Word>(row: &impl Cells, column: &str) -> Result<T> {
    T::read(required(row, column)?).ok_or_else(|| damaged("word"))
}

fn number(stored: i64) -> Result<Number> {
    as_count(stored)
        .and_then(Number::new)
        .ok_or_else(|| damaged("number"))
}

pub(crate) fn message_number(stored: i64) -> Result<MessageNumber> {
    as_count(stored)
        .and_then(MessageNumber::new)
        .ok_or_else(|| damaged("message number"))
}

fn optional_message_number(row: &impl Cells, column: &str) -> Result<Option<MessageNumber>> {
    row.optional_integer(column)?
        .map(message_number)
        .transpose()
}

pub(crate) fn as_count(stored: i64) -> Option<u64> {
    u64::try_from(stored).ok()
}

pub(crate) fn count(row: &impl Cells, column: &str) -> Result<u64> {
    as_count(row.integer(column)?).ok_or_else(|| damaged("count"))
}

fn moment(row: &impl Cells, column: &str) -> Result<Timestamp> {
    as_moment(row.integer(column)?)
}

fn optional_moment(row: &impl Cells, column: &str) -> Result<Option<Timestamp>> {
    row.optional_integer(column)?.map(as_moment).transpose()
}

fn as_moment(micros: i64) -> Result<Timestamp> {
    Timestamp::from_micros(micros).map_err(|_| damaged("moment"))
}

fn uuid(row: &impl Cells, column: &str) -> Result<Uuid> {
    row.id(column)?.ok_or_else(|| damaged("id"))
}

fn optional_uuid(row: &impl Cells, column: &str) -> Result<Option<Uuid>> {
    row.id(column)
}

fn required<'r>(row: &'r impl Cells, column: &str) -> Result<&'r str> {
    row.text(column)?.ok_or_else(|| damaged("text"))
}

fn words(row: &impl Cells, column: &str) -> Result<String> {
    required(row, column).map(str::to_owned)
}

fn small(row: &impl Cells, column: &str) -> Result<u32> {
    u32::try_from(row.integer(column)?).map_err(|_| damaged("number"))
}

/// A stored value that does not mean anything to this version.
pub(crate) fn damaged(what: &str) -> Error {
    Error::unreadable(what)
}
