//! Making one memory of many: candidates are believed or let go, what says the same becomes one, what cannot
//! be true together is settled or asked, what recurs becomes a habit. What the user said on purpose is never
//! touched.

mod believe;
mod digests;
mod episodes;
mod factoring;
mod grade;
mod habits;
mod last_seen;
mod lines;
mod looked_at;
mod pattern;
mod settle;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use time::UtcOffset;

use crate::change::{ChangeSet, Draft, EntryHeader, Slice, Snapshot};
use crate::consolidated::{Settled, Settling};
use crate::event::{EventKind, MemoryEvent, UndoToken};
use crate::ids::{GroupId, Number, Origin, RowId, SessionId};
use crate::memory::Layer;
use crate::model::IdSource;
use crate::order::Gather;
use crate::plan::learn::Near;
use crate::plan::learn::alike::Meaning;
use crate::plan::spans::observed;
use crate::plan::{Entry, Findings, Planner, Planning, Told};
use crate::policy::Policy;
use crate::row::{Kind, MemoryRow, Row, Why};
use crate::timestamp::Timestamp;
use crate::visibility::{Visibility, visibility};

pub(crate) use believe::is_let_go;
pub(crate) use digests::{Compiled, DigestsDue, is_compiling};
pub(crate) use last_seen::LastSeen;
pub(crate) use lines::{Answered, Offered, judge_lines};
pub(crate) use looked_at::{Choice, LookedAt, Place, choose};
pub(crate) use pattern::{Pattern, Sighting, patterns};

/// A row that is looked at: a candidate, or a fact that came since the last time.
#[derive(Debug, Clone)]
pub(crate) struct Subject {
    pub number: Number,
    pub row: RowId,
    pub near: Near,
    /// The chats that it quotes: what was forgotten there is not believed.
    pub chats: BTreeSet<SessionId>,
}

/// Everything that is to be made one.
#[derive(Clone, Copy)]
pub(crate) struct Gathered<'a> {
    pub subjects: &'a [Subject],
    pub patterns: &'a [(Pattern, Near)],
    /// Episodes that came since the last time.
    pub episodes: &'a [&'a MemoryRow],
    /// All facts in force, as far as they may be shown.
    pub facts: &'a [&'a MemoryRow],
    pub group: GroupId,
    /// The last that is looked at, where more waits.
    pub through: Option<Place>,
    /// Something came since the last time: that it was looked at is written down, whatever comes of it.
    pub is_new: bool,
}

/// What will be written, and what became of each row.
pub(crate) struct Consolidation {
    /// Nothing where there was nothing to look at; no event where nothing changes.
    pub written: Option<(ChangeSet, Option<MemoryEvent>)>,
    pub settled: Vec<Settled>,
}

/// What a consolidation must read.
pub(crate) fn reads_consolidation(gathered: Gathered<'_>) -> Slice {
    let near = |near: &Near| {
        let numbers = near.by_words.iter().chain(&near.by_vectors);
        numbers.chain(&near.forgotten).copied().collect::<Vec<_>>()
    };
    let subjects = gathered.subjects.iter();
    let mut numbers: BTreeSet<Number> = subjects
        .flat_map(|subject| near(&subject.near).into_iter().chain([subject.number]))
        .gather();
    numbers.extend(gathered.patterns.iter().flat_map(|(_, found)| near(found)));
    numbers.extend(gathered.episodes.iter().map(|row| row.body.number));
    let chats = gathered.subjects.iter().flat_map(|subject| &subject.chats);
    let patterns = gathered.patterns.iter();
    let seen = patterns.flat_map(|(pattern, _)| pattern.seen.iter().map(|(_, id)| observed(*id)));
    Slice {
        numbers,
        tombstones: chats.copied().chain(seen).gather(),
        consents: true,
        unaccepted_proposals: true,
        ..Slice::default()
    }
}

/// Plans what becomes of everything that was gathered.
pub(crate) fn consolidate(
    gathered: Gathered<'_>,
    policy: &Policy,
    base: &Snapshot,
    (clock, offset): (Timestamp, UtcOffset),
    ids: &mut dyn IdSource,
) -> Planning<Consolidation> {
    let findings = Findings::default();
    let planner = Planner {
        draft: Draft::new(base, clock, ids)?,
        policy,
        entry: Entry::Consolidator,
        findings: &findings,
        offset,
        readings: Default::default(),
    };
    let mut work = Work {
        planner,
        gathered,
        meanings: BTreeMap::new(),
        believed: BTreeMap::new(),
        gone: BTreeSet::new(),
        settled: Vec::new(),
    };
    for subject in gathered.subjects {
        work.subject(subject)?;
    }
    for (pattern, near) in gathered.patterns {
        work.habit(pattern, near)?;
    }
    for episode in gathered.episodes {
        work.episode(episode)?;
    }
    work.finish()
}

/// A consolidation in the making.
struct Work<'a> {
    planner: Planner<'a>,
    gathered: Gathered<'a>,
    meanings: BTreeMap<RowId, Rc<Meaning>>,
    /// The row of each fact that was made, or changed, here.
    believed: BTreeMap<Number, MemoryRow>,
    /// What has ended here.
    gone: BTreeSet<Origin>,
    settled: Vec<Settled>,
}

impl Work<'_> {
    fn subject(&mut self, subject: &Subject) -> Planning<()> {
        // What was read for one row is of no use to the next.
        self.planner.readings.borrow_mut().clear();
        let Some(row) = self.planner.base().memory(subject.row).cloned() else {
            return Ok(());
        };
        if self.gone.contains(&row.origin) {
            return Ok(());
        }
        match visibility(&row, self.planner.now()) {
            Visibility::Held => self.candidate(&row, &subject.near),
            Visibility::Live if is_brought_back(&row) => Ok(()),
            Visibility::Live => self.fact(&row, &subject.near),
            Visibility::Expired | Visibility::Ended => Ok(()),
        }
    }

    /// The row that a fact stands with, as it will be.
    fn believed(&self, number: Number) -> Option<&MemoryRow> {
        if let Some(row) = self.believed.get(&number) {
            return Some(row);
        }
        let row = self.planner.base().open_version(number)?;
        let is_live = visibility(row, self.planner.now()) == Visibility::Live;
        let is_fact = row.body.claim.layer == Layer::Fact;
        (is_live && is_fact && !self.gone.contains(&row.origin)).then_some(row)
    }

    /// The facts in force that are like a row, each once.
    fn like<'r>(&'r self, near: &'r Near) -> impl Iterator<Item = &'r MemoryRow> {
        let numbers: BTreeSet<Number> = near
            .by_words
            .iter()
            .chain(&near.by_vectors)
            .copied()
            .gather();
        numbers
            .into_iter()
            .filter_map(|number| self.believed(number))
    }

    fn meaning_of(&mut self, row: &MemoryRow) -> Rc<Meaning> {
        let meaning = self.meanings.entry(row.id);
        let new = || Rc::new(Meaning::of(&row.body.claim.content));
        Rc::clone(meaning.or_insert_with(new))
    }

    fn end(&mut self, row: &MemoryRow, why: Why) -> Planning<()> {
        self.planner.draft.end(Kind::Memory, row.origin, why)?;
        self.gone.insert(row.origin);
        self.believed.retain(|_, kept| kept.origin != row.origin);
        Ok(())
    }

    /// Takes note of a row that stands from now on.
    fn stands(&mut self, id: RowId) {
        let last = self.planner.draft.last_copy(Kind::Memory, id.into());
        if let Some(row) = last.and_then(Row::into_memory) {
            self.believed.insert(row.body.number, row);
        }
    }

    fn told(&mut self, settled: Settled) {
        self.settled.push(settled);
    }

    fn finish(mut self) -> Planning<Consolidation> {
        let settled = self.settled;
        let is_written = |one: &&Settled| one.fate != Settling::Refused;
        let count = settled.iter().filter(is_written).count();
        if count == 0 && !self.gathered.is_new {
            let written = None;
            return Ok(Consolidation { written, settled });
        }
        self.planner.draft.journal();
        let mut header = EntryHeader::new(Entry::Consolidator.who(), String::new());
        header.group = Some(self.gathered.group);
        let told = Told {
            header: Some(header),
            ..Told::default()
        };
        let subject = looked_at::told(count, self.gathered.through);
        let planned = self.planner.done(EventKind::Consolidated, subject, told)?;
        let undo = Some(UndoToken::Group(self.gathered.group));
        let event = planned.outcome.event.filter(|_| count > 0);
        let event = event.map(|event| MemoryEvent { undo, ..event });
        let written = planned.changes.map(|changes| (changes, event));
        Ok(Consolidation { written, settled })
    }
}

/// Whether a row was settled before, and an undo or the user brought it back: it waits for somebody to say it
/// anew.
fn is_brought_back(row: &MemoryRow) -> bool {
    Origin::from(row.id) != row.origin
}
