//! Taking over what an export holds: what comes in, what waits for the user's word, what stays out. The file is
//! somebody's word, not the user's: nothing in it decides how far it is trusted.

mod joined;
mod memory;

use std::collections::{BTreeMap, BTreeSet};

use time::UtcOffset;

use crate::change::{ChangeSet, Draft, EntryHeader, Slice, Snapshot};
use crate::event::{EventKind, MemoryEvent, UndoToken};
use crate::ids::{GroupId, MessageNumber, Number, RowId, SessionId};
use crate::imported::{ImportFate, ImportedLine};
use crate::memory::{Claim, Layer, Lineage};
use crate::message::Utterance;
use crate::model::IdSource;
use crate::order::{self, Gather};
use crate::plan::learn::Near;
use crate::plan::spans::stretches;
use crate::plan::{Entry, Findings, Planner, Planning, Told};
use crate::policy::Policy;
use crate::refusal::Refusal;
use crate::row::{MemoryRow, Why};
use crate::text;
use crate::timestamp::Timestamp;
use crate::visibility::{Visibility, visibility};

/// On which line of a file each thing stands.
#[derive(Debug, Default)]
pub(crate) struct Places {
    /// Memories and links.
    pub rows: BTreeMap<RowId, u64>,
    pub lineage: BTreeMap<Lineage, u64>,
}

/// A file that is to be taken over.
#[derive(Clone, Copy)]
pub(crate) struct Shipment<'a> {
    /// What it would be restored to.
    pub file: &'a Snapshot,
    pub places: &'a Places,
    /// What of the owner's is like each memory of the file.
    pub near: &'a BTreeMap<RowId, Near>,
    /// Messages of the owner's that the file quotes.
    pub said: &'a BTreeMap<MessagePlace, Utterance>,
    pub group: GroupId,
}

/// A message of a chat.
pub(crate) type MessagePlace = (SessionId, MessageNumber);

/// What will be written, and what became of each line.
pub(crate) struct Arrived {
    /// Nothing where nothing comes in.
    pub written: Option<(ChangeSet, MemoryEvent)>,
    pub lines: Vec<ImportedLine>,
}

/// The memories of a file that may come in: what it holds in force.
pub(crate) fn in_force(file: &Snapshot, now: Timestamp) -> impl Iterator<Item = &MemoryRow> {
    file.memories().filter(move |row| {
        visibility(row, now) == Visibility::Live && row.body.claim.layer != Layer::Digest
    })
}

/// What an import must read of the owner's, given what was read so far. Called until it no longer grows.
pub(crate) fn reads_import(
    shipment: Shipment<'_>,
    now: Timestamp,
    seen: Option<&Snapshot>,
) -> Slice {
    let near = shipment.near.values();
    let mut slice = Slice {
        numbers: near
            .flat_map(|near| near.by_words.iter().chain(&near.forgotten).copied())
            .gather(),
        consents: true,
        all_proposals: true,
        ..Slice::default()
    };
    for row in in_force(shipment.file, now) {
        let claim = &row.body.claim;
        slice.contents.extend(text::line(&claim.content));
        if let (Some(domain), Some(key)) = (&claim.domain, &claim.key) {
            slice.rules.insert((domain.clone(), key.clone()));
        }
        let chats: BTreeSet<SessionId> = quoted(claim).chain(claim.session).gather();
        slice.tombstones.extend(&chats);
        slice.sessions.extend(chats);
    }
    // What a tombstone was laid for says whether it still counts.
    let tombstones = seen.into_iter().flat_map(Snapshot::tombstones);
    slice.numbers.extend(tombstones.map(|row| row.body.number));
    slice
}

/// Plans what becomes of a file.
pub(crate) fn import(
    shipment: Shipment<'_>,
    policy: &Policy,
    base: &Snapshot,
    (clock, offset): (Timestamp, UtcOffset),
    ids: &mut dyn IdSource,
) -> Planning<Arrived> {
    let findings = Findings::default();
    let planner = Planner {
        draft: Draft::new(base, clock, ids)?,
        policy,
        entry: Entry::Import,
        findings: &findings,
        offset,
        readings: Default::default(),
    };
    let mut arrival = Arrival {
        planner,
        shipment,
        lines: Vec::new(),
        contents: BTreeMap::new(),
        numbers: BTreeMap::new(),
        new: BTreeSet::new(),
        rows: BTreeMap::new(),
        joined: BTreeSet::new(),
        live: BTreeMap::new(),
    };
    let now = arrival.planner.now();
    for row in base.memories() {
        if visibility(row, now) == Visibility::Live {
            let folded = text::fold(&row.body.claim.content);
            arrival.live.entry(folded).or_default().push(row);
        }
    }
    for row in shipment.file.memories() {
        arrival.memory(row)?;
    }
    for row in shipment.file.links() {
        arrival.link(row)?;
    }
    for step in shipment.file.lineage() {
        arrival.lineage(step);
    }
    arrival.finish()
}

/// An import in the making.
struct Arrival<'a> {
    planner: Planner<'a>,
    shipment: Shipment<'a>,
    lines: Vec<ImportedLine>,
    /// What came in, by its folded content; nothing for what waits.
    contents: BTreeMap<String, Option<Number>>,
    /// Which fact here each fact of the file became, or was already.
    numbers: BTreeMap<Number, Number>,
    /// The facts here that came with the file.
    new: BTreeSet<Number>,
    /// Which row each row of the file became.
    rows: BTreeMap<RowId, RowId>,
    /// The links that came in.
    joined: BTreeSet<(Number, Number, String)>,
    /// The live facts that say the same as something in the file, by their folded content.
    live: BTreeMap<String, Vec<&'a MemoryRow>>,
}

impl Arrival<'_> {
    fn memory(&mut self, row: &MemoryRow) -> Planning<()> {
        // What was read for one memory is of no use to the next.
        self.planner.readings.borrow_mut().clear();
        let place = place(self.shipment.places.rows.get(&row.id));
        let line = match left_out(row, self.planner.now()) {
            Some(reason) => told(place, ImportFate::LeftOut, reason),
            None => self.claim(row, place)?,
        };
        if let Some(number) = line.number {
            self.numbers.insert(row.body.number, number);
            if line.fate == ImportFate::Imported {
                self.new.insert(number);
            }
        }
        self.lines.push(line);
        Ok(())
    }

    fn finish(mut self) -> Planning<Arrived> {
        order::sort_by_key(&mut self.lines, |line| line.line);
        let lines = self.lines;
        let count = |fate| lines.iter().filter(|line| line.fate == fate).count();
        let (came, waits) = (count(ImportFate::Imported), count(ImportFate::Proposed));
        if came + waits == 0 {
            let written = None;
            return Ok(Arrived { written, lines });
        }
        let subject = match waits {
            0 => format!("{came} lines"),
            _ => format!("{came} lines, {waits} wait"),
        };
        let mut header = EntryHeader::new(Entry::Import.who(), String::new());
        header.group = Some(self.shipment.group);
        let told = Told {
            header: Some(header),
            ..Told::default()
        };
        let planned = self.planner.done(EventKind::Imported, subject, told)?;
        let written = planned.changes.zip(planned.outcome.event);
        let undo = Some(UndoToken::Group(self.shipment.group));
        let written = written.map(|(changes, event)| (changes, MemoryEvent { undo, ..event }));
        Ok(Arrived { written, lines })
    }
}

const ENDED: &str = "it is not in force in the file";
const ALONE: &str = "what it joins did not come in";

/// Whether a row ended because the user no longer wants its fact known: with all that it ever said.
pub(crate) fn is_unwanted(row: &MemoryRow) -> bool {
    let why = row.end.map(|end| end.why);
    matches!(why, Some(Why::Forgotten | Why::Trashed))
}

/// Whether a row ended because it was never right, whatever became of its fact.
pub(crate) fn was_wrong(row: &MemoryRow) -> bool {
    let why = row.end.map(|end| end.why);
    matches!(why, Some(Why::Corrected { .. }))
}

/// Why a memory of the file stays there.
fn left_out(row: &MemoryRow, now: Timestamp) -> Option<&'static str> {
    match visibility(row, now) {
        Visibility::Live if row.body.claim.layer == Layer::Digest => {
            Some("a digest is compiled anew from what it was made from")
        }
        Visibility::Live => None,
        Visibility::Held => Some("it was not believed yet"),
        Visibility::Expired => Some("its time has run out"),
        Visibility::Ended => Some(ENDED),
    }
}

/// Where the quotes of what a file holds in force stand.
pub(crate) fn quotes(file: &Snapshot, now: Timestamp) -> BTreeSet<MessagePlace> {
    let evidence = in_force(file, now).flat_map(|row| stretches(&row.body.claim.evidence));
    evidence
        .map(|range| (range.session, range.message))
        .gather()
}

/// The chats that a claim quotes.
fn quoted(claim: &Claim) -> impl Iterator<Item = SessionId> {
    stretches(&claim.evidence).map(|range| range.session)
}

fn place(known: Option<&u64>) -> u64 {
    known.copied().unwrap_or_default()
}

fn told(line: u64, fate: ImportFate, reason: impl Into<String>) -> ImportedLine {
    ImportedLine {
        line,
        fate,
        number: None,
        proposal: None,
        codes: Vec::new(),
        reason: reason.into(),
    }
}

fn refused(line: u64, refusal: &Refusal) -> ImportedLine {
    ImportedLine {
        codes: refusal.codes().collect(),
        ..told(line, ImportFate::Refused, refusal.message.clone())
    }
}
