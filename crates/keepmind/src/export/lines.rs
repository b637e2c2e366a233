//! The lines of an export: what each holds, how they are written, and how they are read back. A file is
//! untrusted: its errors say which line is wrong, and quote none of it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::change::{
    ChangeSet, EmbeddingChange, NewMessage, Place, RowChange, SessionChange, Snapshot, TraceChange,
};
use crate::consent::Consent;
use crate::embedding::{EmbeddingKey, Vector};
use crate::error::{Error, ErrorKind, Result};
use crate::ids::RowId;
use crate::journal::JournalEntry;
use crate::link::Link;
use crate::memory::Lineage;
use crate::message::Message;
use crate::observation::Observation;
use crate::owner::Owner;
use crate::plan::Places;
use crate::proposal::Proposal;
use crate::row::{Body, MemoryRow, Row};
use crate::session::Session;
use crate::strict::{self, JsonProblemKind};
use crate::tombstone::Tombstone;
use crate::trace::Trace;
use crate::usage::Usage;

pub(super) const FORMAT: u32 = 1;

/// How deep a line may be nested: a structured value, and what it stands in.
const DEEPEST: usize = crate::change::limits::VALUE_DEPTH + 16;
/// Half of all numbers there are: a file that says more are gone leaves no room to live on.
const HIGHEST_NEXT_NUMBER: u64 = 1 << 38;

/// One line of an export.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Line {
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

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Header {
    pub format: u32,
    pub owner: Owner,
    pub next_number: u64,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EmbeddingLine {
    pub key: EmbeddingKey,
    pub vector: Vector,
}

/// How many lines stand between header and footer, so that a cut file is noticed.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Footer {
    pub lines: u64,
}

/// All that an owner has, between header and footer, in the order of an export.
pub(super) fn lines_of(data: &Snapshot) -> impl Iterator<Item = Line> {
    let memories = data.memories().cloned().map(Line::Memory);
    let links = data.links().cloned().map(Line::Link);
    let tombstones = data.tombstones().cloned().map(Line::Tombstone);
    let proposals = data.proposals().cloned().map(Line::Proposal);
    let lineage = data.lineage().map(Line::Lineage);
    let consents = data.consents().map(Line::Consent);
    let journal = data.journal().cloned().map(Line::Journal);
    let sessions = data.sessions().cloned().map(Line::Session);
    let messages = data.messages().cloned().map(Line::Message);
    let observations = data.observations().cloned().map(Line::Observation);
    let traces = data.traces().cloned().map(Line::Trace);
    let usage = data.usage().cloned().map(Line::Usage);
    let embeddings = data.embeddings().map(|(key, vector)| {
        Line::Embedding(EmbeddingLine {
            key: key.clone(),
            vector: vector.clone(),
        })
    });
    memories
        .chain(links)
        .chain(tombstones)
        .chain(proposals)
        .chain(lineage)
        .chain(consents)
        .chain(journal)
        .chain(sessions)
        .chain(messages)
        .chain(observations)
        .chain(traces)
        .chain(usage)
        .chain(embeddings)
}

#[derive(Default)]
pub(super) struct Writer {
    pub text: String,
    pub lines: u64,
}

impl Writer {
    pub fn line(&mut self, line: &Line) -> Result<()> {
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

/// What a file holds.
pub(super) struct Contents {
    /// Whose it is, as it says.
    pub owner: Owner,
    /// What would make an owner of it.
    pub changes: ChangeSet,
    /// Where each row stands.
    pub places: Places,
    /// How many lines of each kind there are.
    pub kinds: BTreeMap<&'static str, u64>,
}

/// Reads a file from its header to its end, every line strictly, into a change set that is empty so far.
/// An editor's byte-order mark and line ends change nothing.
pub(super) fn read(lines: &str, operation: &'static str, changes: ChangeSet) -> Result<Contents> {
    let lines = lines.strip_prefix('\u{feff}').unwrap_or(lines);
    let mut contents: Option<Contents> = None;
    let mut changes = Some(changes);
    let mut is_done = false;
    let mut count = 0;
    for (place, text) in (1_u64..).zip(lines.split_terminator('\n')) {
        let refused = |why: &str| Error::invalid(operation, format_args!("line {place}: {why}"));
        if is_done {
            return Err(refused("nothing follows the end of an export"));
        }
        let line = line(text).map_err(refused)?;
        let Some(contents) = &mut contents else {
            let (Line::Keepmind(header), Some(mut changes)) = (line, changes.take()) else {
                return Err(refused("an export begins with its header"));
            };
            if header.format != FORMAT {
                return Err(refused(
                    "the export has a format this version does not know",
                ));
            }
            if header.next_number > HIGHEST_NEXT_NUMBER {
                return Err(refused("it leaves no numbers for further facts"));
            }
            count_on(&mut changes, header.next_number);
            contents = Some(Contents {
                owner: header.owner,
                changes,
                places: Places::default(),
                kinds: BTreeMap::new(),
            });
            continue;
        };
        match line {
            Line::Keepmind(_) => return Err(refused("a second header")),
            Line::End(footer) if footer.lines == count => is_done = true,
            Line::End(_) => return Err(refused("lines are missing from the export")),
            line => {
                count += 1;
                if !contents.take(line, place) {
                    return Err(refused("the same thing stands in the export twice"));
                }
            }
        }
    }
    let cut = || {
        let message = "the export was cut off: its last line is missing";
        Error::invalid(operation, message)
    };
    let mut contents = contents.filter(|_| is_done).ok_or_else(cut)?;
    stamp_as_last(&mut contents.changes);
    Ok(contents)
}

/// What makes an owner who has exactly that, of a change set that is empty so far.
pub(super) fn made_of(data: &Snapshot, mut changes: ChangeSet) -> ChangeSet {
    count_on(&mut changes, data.state().next_number);
    for line in lines_of(data) {
        take(&mut changes, line);
    }
    stamp_as_last(&mut changes);
    changes
}

fn count_on(changes: &mut ChangeSet, next_number: u64) {
    changes.next_number = (next_number != 1).then_some(next_number);
}

fn stamp_as_last(changes: &mut ChangeSet) {
    if let Some(last) = changes.entries.last() {
        changes.at = last.stamp;
    }
}

fn line(text: &str) -> Result<Line, &'static str> {
    let value = strict::json(text, DEEPEST).map_err(|problem| match problem.kind {
        JsonProblemKind::Syntax => "it is not JSON",
        JsonProblemKind::NumberTooLarge => "a number is too large",
        JsonProblemKind::KeyTwice => "a field is given twice",
        JsonProblemKind::TooDeep => "it is nested too deep",
    })?;
    serde_json::from_value(value).map_err(|_| "it is not a line of an export")
}

impl Contents {
    /// Takes one line over; false when its key is taken.
    fn take(&mut self, line: Line, place: u64) -> bool {
        match &line {
            Line::Memory(Row { id, .. }) => drop(self.places.rows.insert(*id, place)),
            Line::Link(Row { id, .. }) => drop(self.places.rows.insert(*id, place)),
            Line::Lineage(step) => drop(self.places.lineage.insert(*step, place)),
            _ => {}
        }
        let Some((kind, is_new)) = take(&mut self.changes, line) else {
            return false;
        };
        *self.kinds.entry(kind).or_default() += 1;
        is_new
    }
}

/// Takes one line over: its kind, and false when its key is taken. `None` for what only frames the others.
fn take(changes: &mut ChangeSet, line: Line) -> Option<(&'static str, bool)> {
    Some(match line {
        Line::Keepmind(_) | Line::End(_) => return None,
        Line::Memory(row) => ("memory", insert(changes, row, Body::Memory)),
        Line::Link(row) => ("link", insert(changes, row, Body::Link)),
        Line::Tombstone(row) => ("tombstone", insert(changes, row, Body::Tombstone)),
        Line::Proposal(row) => ("proposal", insert(changes, row, Body::Proposal)),
        Line::Lineage(step) => ("lineage", changes.lineage.insert(step)),
        Line::Consent(Consent {
            domain,
            recorded_at,
            granted,
        }) => {
            let said = changes.consents.insert((domain, recorded_at), granted);
            ("consent", said.is_none())
        }
        Line::Journal(entry) => {
            changes.entries.push(entry);
            ("journal", true)
        }
        Line::Session(session) => {
            let id = session.id;
            let before = changes.sessions.insert(id, SessionChange::Open(session));
            ("session", before.is_none())
        }
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
            ("message", true)
        }
        Line::Observation(observation) => {
            let before = changes.observations.insert(observation.id, observation);
            ("observation", before.is_none())
        }
        Line::Trace(trace) => {
            let key = trace.key.clone();
            let before = changes.traces.insert(key, TraceChange::Record(trace));
            ("trace", before.is_none())
        }
        Line::Usage(usage) => ("usage", changes.usage.insert(usage.id, usage).is_none()),
        Line::Embedding(EmbeddingLine { key, vector }) => {
            let before = changes.embeddings.insert(key, EmbeddingChange::Set(vector));
            ("embedding", before.is_none())
        }
    })
}

/// Inserts a row; false where its id is taken, by a row of any kind.
fn insert<B>(changes: &mut ChangeSet, row: Row<B>, body: impl FnOnce(B) -> Body) -> bool {
    let row = row.map(body);
    let id: RowId = row.id;
    changes.rows.insert(id, RowChange::Insert(row)).is_none()
}
