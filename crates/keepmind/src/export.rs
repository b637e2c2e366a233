//! An owner's data as JSON Lines, and back: lossless, canonical, one thing a line.
//! Equal data gives equal bytes on every backend, so exports are what stores are compared by.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::change::{
    ChangeSet, EmbeddingChange, Expected, NewMessage, Place, Receipt, RowChange, SessionChange,
    Slice, TraceChange,
};
use crate::consent::Consent;
use crate::embedding::{EmbeddingKey, Vector};
use crate::error::{Error, ErrorKind, Result};
use crate::ids::OperationId;
use crate::journal::JournalEntry;
use crate::link::Link;
use crate::memory::Lineage;
use crate::message::Message;
use crate::model::{Clock, IdSource};
use crate::observation::Observation;
use crate::owner::{Owner, Revision};
use crate::proposal::Proposal;
use crate::row::{Body, MemoryRow, Row};
use crate::session::Session;
use crate::store::MemoryStore;
use crate::tombstone::Tombstone;
use crate::trace::Trace;
use crate::usage::Usage;

const FORMAT: u32 = 1;
const RESTORE: &str = "restore";

/// One line of an export.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Line {
    Keepmind(Header),
    Memory(MemoryRow),
    Link(Row<Link>),
    Tombstone(Row<Tombstone>),
    Proposal(Row<Proposal>),
    Lineage(Lineage),
    Consent(Consent),
    Journal(JournalEntry),
    Session(Session),
    Message(Message),
    Observation(Observation),
    Trace(Trace),
    Usage(Usage),
    Embedding(EmbeddingLine),
    End(Footer),
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    format: u32,
    owner: Owner,
    next_number: u64,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EmbeddingLine {
    key: EmbeddingKey,
    vector: Vector,
}

/// How many lines stand between header and footer, so that a cut file is noticed.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Footer {
    lines: u64,
}

/// Everything of an owner, at one revision, as JSON Lines.
///
/// Left out is only what is the store's own: the operation ids it remembers, its epoch, its indexes.
pub async fn export(store: &dyn MemoryStore, owner: &Owner) -> Result<String> {
    let snapshot = store.load(owner, &Slice::everything()).await?;
    let mut writer = Writer::default();
    writer.line(&Line::Keepmind(Header {
        format: FORMAT,
        owner: owner.clone(),
        next_number: snapshot.state().next_number,
    }))?;
    for row in snapshot.memories() {
        writer.line(&Line::Memory(row.clone()))?;
    }
    for row in snapshot.links() {
        writer.line(&Line::Link(row.clone()))?;
    }
    for row in snapshot.tombstones() {
        writer.line(&Line::Tombstone(row.clone()))?;
    }
    for row in snapshot.proposals() {
        writer.line(&Line::Proposal(row.clone()))?;
    }
    for step in snapshot.lineage() {
        writer.line(&Line::Lineage(step))?;
    }
    for consent in snapshot.consents() {
        writer.line(&Line::Consent(consent))?;
    }
    for entry in snapshot.journal() {
        writer.line(&Line::Journal(entry.clone()))?;
    }
    for session in snapshot.sessions() {
        writer.line(&Line::Session(session.clone()))?;
    }
    for message in snapshot.messages() {
        writer.line(&Line::Message(message.clone()))?;
    }
    for observation in snapshot.observations() {
        writer.line(&Line::Observation(observation.clone()))?;
    }
    for trace in snapshot.traces() {
        writer.line(&Line::Trace(trace.clone()))?;
    }
    for usage in snapshot.usage() {
        writer.line(&Line::Usage(usage.clone()))?;
    }
    for (key, vector) in snapshot.embeddings() {
        writer.line(&Line::Embedding(EmbeddingLine {
            key: key.clone(),
            vector: vector.clone(),
        }))?;
    }
    let lines = writer.lines - 1;
    writer.line(&Line::End(Footer { lines }))?;
    Ok(writer.text)
}

#[derive(Default)]
struct Writer {
    text: String,
    lines: u64,
}

impl Writer {
    fn line(&mut self, line: &Line) -> Result<()> {
        let json = serde_json::to_string(line).map_err(|_| {
            Error::new(
                ErrorKind::Damaged,
                "export",
                "a row cannot be written as JSON",
            )
        })?;
        self.lines += 1;
        writeln!(self.text, "{json}").map_err(|_| {
            Error::new(
                ErrorKind::Full,
                "export",
                "no memory is left for the export",
            )
        })
    }
}

/// Brings an export back, without loss, for an owner of whom nothing is known.
///
/// One commit: all of it or nothing. The file is untrusted: every line is checked, and the error says
/// which line is wrong. What the rows say of their source and trust is taken over, so restore only what
/// this library exported for the same user.
pub async fn restore(
    store: &dyn MemoryStore,
    owner: &Owner,
    lines: &str,
    clock: &dyn Clock,
    ids: &mut dyn IdSource,
) -> Result<Receipt> {
    let present = store.load(owner, &Slice::default()).await?;
    if present.state().revision != Revision::NONE {
        return Err(Error::new(
            ErrorKind::Conflict,
            RESTORE,
            "the owner has data already: restore into an owner without any, or erase it first",
        ));
    }
    let mut changes = ChangeSet::new(OperationId::new(ids.next_id()), clock.now());
    let mut reading = Reading::Header;
    let mut count = 0;
    for (place, text) in lines.split_terminator('\n').enumerate() {
        let refused =
            |why: &str| Error::invalid(RESTORE, format_args!("line {}: {why}", place + 1));
        let line: Line = serde_json::from_str(text).map_err(|error| {
            refused(&format!(
                "it is not a line of an export (column {})",
                error.column()
            ))
        })?;
        reading = match (reading, line) {
            (Reading::Header, Line::Keepmind(header)) => {
                if header.format != FORMAT {
                    return Err(refused(
                        "the export has a format this version does not know",
                    ));
                }
                changes.next_number = (header.next_number != 1).then_some(header.next_number);
                Reading::Rows
            }
            (Reading::Rows, Line::End(footer)) if footer.lines == count => Reading::Done,
            (Reading::Rows, Line::End(_)) => {
                return Err(refused("lines are missing from the export"));
            }
            (Reading::Rows, Line::Keepmind(_)) => return Err(refused("a second header")),
            (Reading::Rows, line) => {
                count += 1;
                if !take(&mut changes, line) {
                    return Err(refused("the same thing stands in the export twice"));
                }
                Reading::Rows
            }
            (Reading::Header, _) => return Err(refused("an export begins with its header")),
            (Reading::Done, _) => return Err(refused("nothing follows the end of an export")),
        };
    }
    if !matches!(reading, Reading::Done) {
        return Err(Error::invalid(
            RESTORE,
            "the export was cut off: its last line is missing",
        ));
    }
    if let Some(last) = changes.entries.last() {
        changes.at = last.stamp;
    }
    store
        .commit(owner, Expected::At(Revision::NONE), changes)
        .await
}

enum Reading {
    Header,
    Rows,
    Done,
}

/// Takes one line over; false when its key is taken.
fn take(changes: &mut ChangeSet, line: Line) -> bool {
    fn insert<B>(changes: &mut ChangeSet, row: Row<B>, body: impl FnOnce(B) -> Body) -> bool {
        let row = row.map(body);
        changes
            .rows
            .insert(row.id, RowChange::Insert(row))
            .is_none()
    }
    match line {
        Line::Keepmind(_) | Line::End(_) => false,
        Line::Memory(row) => insert(changes, row, Body::Memory),
        Line::Link(row) => insert(changes, row, Body::Link),
        Line::Tombstone(row) => insert(changes, row, Body::Tombstone),
        Line::Proposal(row) => insert(changes, row, Body::Proposal),
        Line::Lineage(step) => changes.lineage.insert(step),
        Line::Consent(Consent {
            domain,
            recorded_at,
            granted,
        }) => changes
            .consents
            .insert((domain, recorded_at), granted)
            .is_none(),
        Line::Journal(entry) => {
            changes.entries.push(entry);
            true
        }
        Line::Session(session) => changes
            .sessions
            .insert(session.id, SessionChange::Open(session))
            .is_none(),
        Line::Message(Message {
            session,
            number,
            ordinal,
            utterance,
        }) => {
            let place = Some(Place { number, ordinal });
            changes.messages.push(NewMessage {
                session,
                place,
                utterance,
            });
            true
        }
        Line::Observation(observation) => changes
            .observations
            .insert(observation.id, observation)
            .is_none(),
        Line::Trace(trace) => changes
            .traces
            .insert(trace.key.clone(), TraceChange::Record(trace))
            .is_none(),
        Line::Usage(usage) => changes.usage.insert(usage.id, usage).is_none(),
        Line::Embedding(EmbeddingLine { key, vector }) => changes
            .embeddings
            .insert(key, EmbeddingChange::Set(vector))
            .is_none(),
    }
}
