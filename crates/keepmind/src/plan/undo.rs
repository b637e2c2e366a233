//! Taking writes back, and taking that back: all of it or nothing, from the journal alone.

use std::collections::{BTreeMap, BTreeSet};

use crate::change::{Direction, EntryHeader, Slice, Snapshot};
use crate::event::{EventKind, UndoToken};
use crate::ids::{Number, Origin, RowId};
use crate::journal::{Effect, JournalEntry};
use crate::link::Link;
use crate::memory::{Evidence, Layer};
use crate::order::Gather;
use crate::plan::consolidate::is_compiling;
use crate::plan::ending::rule_key;
use crate::plan::spans::{Stretch, stretches};
use crate::plan::{Planned, Planner, Planning, Told, undone};
use crate::refusal::{Code, Refusal};
use crate::row::{Body, Kind, MemoryRow, Row, State, Why};
use crate::timestamp::Timestamp;

/// What undoing must read: the entries named, everything journalled since, and what they touched.
pub(super) fn reads(token: &UndoToken, seen: Option<&Snapshot>, slice: &mut Slice) {
    match token {
        UndoToken::Operation(id) => slice.operations.insert(*id),
        UndoToken::Group(id) => slice.groups.insert(*id),
    };
    let Some(seen) = seen else { return };
    let named = entries_of(token, seen);
    let revisions: BTreeSet<u64> = named.iter().map(|entry| entry.revision).gather();
    slice.journal_since = revisions.first().copied();
    let undoing = seen
        .journal()
        .filter(|entry| !entry.undoes.is_disjoint(&revisions));
    for effect in named
        .into_iter()
        .chain(undoing)
        .flat_map(|entry| &entry.effects)
    {
        slice.origins.insert((effect.kind, effect.origin));
        slice
            .origins
            .extend(absorber(effect.after).map(|by| (Kind::Memory, by)));
        let Some(row) = seen.last_copy(effect.kind, effect.origin) else {
            continue;
        };
        // What it has taken up since.
        let copies = seen.copies(effect.kind, effect.origin);
        let steps = copies.flat_map(|id| seen.lineage_of(id).filter(move |step| step.row == id));
        slice.rows.extend(steps.map(|step| step.from));
        match row.body {
            // A link that comes back needs both of its facts.
            Body::Link(link) => slice.numbers.extend([link.from, link.to]),
            Body::Memory(_) => slice
                .rules
                .extend(row.into_memory().as_ref().and_then(rule_key)),
            Body::Tombstone(_) | Body::Proposal(_) => {}
        }
    }
}

fn entries_of<'a>(token: &UndoToken, base: &'a Snapshot) -> Vec<&'a JournalEntry> {
    base.journal()
        .filter(|entry| match token {
            UndoToken::Operation(id) => entry.operation == *id,
            UndoToken::Group(id) => entry.group == Some(*id),
        })
        .collect()
}

/// What took up a row that is in this state, if one did.
fn absorber(state: State) -> Option<Origin> {
    match state {
        State::Ended {
            why: Why::Absorbed { by, .. },
            ..
        } => by,
        _ => None,
    }
}

/// What was done at first, of a line that tells of an undo of an undo.
fn root(line: &str) -> &str {
    let undone = [EventKind::Undone, EventKind::Redone];
    let inner = undone
        .iter()
        .find_map(|kind| line.strip_prefix(kind.word())?.strip_prefix(' '));
    inner.map_or(line, root)
}

/// The revisions that an entry in force has taken back.
fn taken_back(base: &Snapshot) -> BTreeSet<u64> {
    let entries: Vec<&JournalEntry> = base.journal().collect();
    let mut taken = BTreeSet::new();
    for entry in entries.into_iter().rev() {
        if !taken.contains(&entry.revision) {
            taken.extend(&entry.undoes);
            taken.extend(&entry.redoes);
        }
    }
    taken
}

impl<'a> Planner<'a> {
    pub(super) fn undo(self, token: UndoToken) -> Planning<Planned> {
        let taken = taken_back(self.base());
        let named = self.named(&token)?;
        let in_force: Vec<&JournalEntry> = named
            .into_iter()
            .filter(|entry| !taken.contains(&entry.revision))
            .collect();
        if in_force.is_empty() {
            return Err(Refusal::new(Code::Stale, "this was undone already").into());
        }
        // Undoing an undo is redoing.
        let is_redo = in_force.iter().all(|entry| !entry.undoes.is_empty());
        self.take_back(&in_force, &taken, is_redo)
    }

    pub(super) fn redo(self, token: UndoToken) -> Planning<Planned> {
        let taken = taken_back(self.base());
        let named = self.named(&token)?;
        let revisions: BTreeSet<u64> = named.iter().map(|entry| entry.revision).gather();
        let undos: Vec<&JournalEntry> = self
            .base()
            .journal()
            .filter(|entry| !taken.contains(&entry.revision) && !entry.undoes.is_empty())
            .filter(|entry| {
                revisions.contains(&entry.revision) || !entry.undoes.is_disjoint(&revisions)
            })
            .collect();
        if undos.is_empty() {
            return Err(Refusal::new(Code::Stale, "there is no undo of this in force").into());
        }
        self.take_back(&undos, &taken, true)
    }

    fn named(&self, token: &UndoToken) -> Planning<Vec<&'a JournalEntry>> {
        let named = entries_of(token, self.base());
        if named.is_empty() {
            let message = "this token names no write of this user that is still journalled";
            return Err(Refusal::new(Code::NotFound, message).into());
        }
        Ok(named)
    }

    /// Brings everything that these entries touched to what it was before them.
    fn take_back(
        mut self,
        entries: &[&JournalEntry],
        taken: &BTreeSet<u64>,
        is_redo: bool,
    ) -> Planning<Planned> {
        let mut effects = entries.iter().flat_map(|entry| &entry.effects).peekable();
        let is_compiled = entries.iter().any(|entry| is_compiling(entry));
        if effects.peek().is_none() && !is_compiled {
            let message = match is_redo {
                false => "this changed nothing that can be undone",
                true => "there is nothing to do again: the next consolidation compiles digests",
            };
            return Err(Refusal::new(Code::NotApplicable, message).into());
        }
        if effects.any(|effect| effect.after == State::Absent) {
            return Err(Refusal::new(Code::NotApplicable, "a purge cannot be undone").into());
        }
        self.check_overtaken(entries, taken)?;

        let touched = undone::touched(entries, |origin| self.memory(Kind::Memory, origin));
        let number = match touched[..] {
            [(number, _)] => Some(number),
            [] => {
                let mut effects = entries.iter().flat_map(|entry| &entry.effects);
                effects.find_map(|effect| {
                    let row = self.memory(effect.kind, effect.origin)?;
                    Some(row.body.number)
                })
            }
            // The words of one would pass for all that was done.
            _ => None,
        };
        let before = number
            .and_then(|number| self.base().open_version(number))
            .cloned();

        for entry in entries.iter().rev() {
            for effect in &entry.effects {
                if self.base().last_copy(effect.kind, effect.origin).is_none() {
                    let message = "what this wrote was purged: nothing is left to undo";
                    return Err(Refusal::new(Code::Stale, message).into());
                }
            }
            self.draft.replay(&entry.effects, Direction::Back)?;
        }
        if is_compiled {
            self.take_digests_of(entries)?;
        }
        self.check_absorbed(entries)?;
        self.check_rules(entries)?;
        self.check_links(entries)?;
        if !is_redo {
            self.entomb_undone(entries)?;
        }

        let revisions: BTreeSet<u64> = entries.iter().map(|entry| entry.revision).gather();
        let mut header = EntryHeader::new(self.entry.who(), String::new());
        let kind = if is_redo {
            header.redoes = revisions;
            EventKind::Redone
        } else {
            header.undoes = revisions;
            EventKind::Undone
        };
        let subject = match entries {
            // It says what was done at first, and not what undoing did.
            [entry] if is_redo || touched.len() < 2 => root(&entry.line).to_owned(),
            _ if is_redo || touched.len() < 2 => format!("{} writes", entries.len()),
            _ => undone::line(&touched),
        };
        let told = Told {
            number,
            after: number.and_then(|number| self.open_origin(number)),
            before,
            header: Some(header),
            ..Told::default()
        };
        self.done(kind, subject, told)
    }

    /// Digests that were compiled and have not been since go: what is read then is what the facts say.
    fn take_digests_of(&mut self, entries: &[&JournalEntry]) -> Planning<()> {
        let stamps: BTreeSet<Timestamp> = entries.iter().map(|entry| entry.stamp).gather();
        let numbers = self.findings.digests.iter();
        let open = numbers.filter_map(|number| self.base().open_version(*number));
        let theirs: Vec<RowId> = open
            .filter(|row| stamps.contains(&row.recorded_at))
            .map(|row| row.id)
            .collect();
        for id in theirs {
            self.draft.purge(Kind::Memory, id)?;
        }
        // That it was taken back is said also where all of it was made anew since.
        self.draft.journal();
        Ok(())
    }

    /// Refuses where something touched has been touched again since, by what is still in force.
    fn check_overtaken(&self, entries: &[&JournalEntry], taken: &BTreeSet<u64>) -> Planning<()> {
        let mut first: BTreeMap<(Kind, Origin), u64> = BTreeMap::new();
        for entry in entries {
            for effect in &entry.effects {
                first
                    .entry((effect.kind, effect.origin))
                    .or_insert(entry.revision);
            }
        }
        let own: BTreeSet<u64> = entries.iter().map(|entry| entry.revision).gather();
        let mut later = self
            .base()
            .journal()
            .filter(|entry| !own.contains(&entry.revision) && !taken.contains(&entry.revision))
            // What an undo or a redo did is judged by what it left, below.
            .filter(|entry| entry.undoes.is_empty() && entry.redoes.is_empty());
        let overtaker = later.find(|entry| {
            entry.effects.iter().any(|effect| {
                first
                    .get(&(effect.kind, effect.origin))
                    .is_some_and(|since| *since < entry.revision)
            })
        });
        if let Some(entry) = overtaker {
            let message = format!(
                "it has changed again since ({}): undo that first",
                entry.line
            );
            return Err(Refusal::new(Code::Stale, message).into());
        }
        let mut left: BTreeMap<(Kind, Origin), State> = BTreeMap::new();
        for entry in entries {
            let after = |effect: &Effect| ((effect.kind, effect.origin), effect.after);
            left.extend(entry.effects.iter().map(after));
        }
        let moved = left.into_iter().any(|((kind, origin), after)| {
            let now = self.base().last_copy(kind, origin);
            now.is_some_and(|row| row.state() != after)
        });
        if moved {
            let message = "it has changed again since: undo that first";
            return Err(Refusal::new(Code::Stale, message).into());
        }
        Ok(())
    }

    /// Refuses where a fact would come back that another had taken up, once that one has ended too; and where one
    /// would end that has taken up another since. What says the same ends and comes back together.
    fn check_absorbed(&self, entries: &[&JournalEntry]) -> Planning<()> {
        let is_live = |origin| matches!(self.draft.state(Kind::Memory, origin), State::Live { .. });
        let is_fact = |row: &MemoryRow| row.body.claim.layer == Layer::Fact;
        let effects = entries.iter().flat_map(|entry| &entry.effects);
        for effect in effects.filter(|effect| effect.kind == Kind::Memory) {
            let origin = effect.origin;
            if !self
                .memory(effect.kind, origin)
                .is_some_and(|row| is_fact(&row))
            {
                continue;
            }
            if is_live(origin) {
                if absorber(effect.after).is_some_and(|by| !is_live(by)) {
                    let message = "what took it up has changed or ended since: undo that first";
                    return Err(Refusal::new(Code::Stale, message).into());
                }
                continue;
            }
            let mut others = self.base().memories().filter(|row| is_fact(row));
            let taken_up = others.find(|row| {
                let state = self.draft.state(Kind::Memory, row.origin);
                absorber(state) == Some(origin)
            });
            if let Some(row) = taken_up {
                let number = row.body.number;
                let message = format!("it has taken up {number} since: undo that first");
                return Err(Refusal::new(Code::Stale, message).into());
            }
        }
        Ok(())
    }

    /// Refuses where a link would come back beside another that says the same.
    fn check_links(&self, entries: &[&JournalEntry]) -> Planning<()> {
        for effect in entries.iter().flat_map(|entry| &entry.effects) {
            let is_live = matches!(
                self.draft.state(effect.kind, effect.origin),
                State::Live { .. }
            );
            let last = self.draft.last_copy(effect.kind, effect.origin);
            let Some(Body::Link(link)) = last.filter(|_| is_live).map(|row| row.body) else {
                continue;
            };
            let is_twin = |row: &Row<Link>| {
                row.body == link
                    && row.origin != effect.origin
                    && matches!(self.draft.state(Kind::Link, row.origin), State::Live { .. })
            };
            if self.base().links_of(link.from).any(is_twin) {
                return Err(Refusal::new(Code::Taken, "another link says the same by now").into());
            }
        }
        Ok(())
    }

    /// Refuses where a row would come back as a second rule for one domain and key.
    fn check_rules(&self, entries: &[&JournalEntry]) -> Planning<()> {
        for effect in entries.iter().flat_map(|entry| &entry.effects) {
            let is_live = matches!(
                self.draft.state(effect.kind, effect.origin),
                State::Live { .. }
            );
            let Some(row) = self.memory(effect.kind, effect.origin).filter(|_| is_live) else {
                continue;
            };
            if let Some(holder) = self.rule_taken(&row)
                && self.open_origin(holder).is_some()
            {
                let message = format!(
                    "{holder} holds the rule for the same domain and key by now: end it first"
                );
                return Err(Refusal::new(Code::Taken, message).into());
            }
        }
        Ok(())
    }

    /// What was undone must not be learned again, unless a version that stands rests on it too.
    fn entomb_undone(&mut self, entries: &[&JournalEntry]) -> Planning<()> {
        let mut numbers: BTreeMap<Number, Vec<Evidence>> = BTreeMap::new();
        for effect in entries.iter().flat_map(|entry| &entry.effects) {
            let is_live = matches!(
                self.draft.state(effect.kind, effect.origin),
                State::Live { .. }
            );
            // What was told of a chat is told once: its sentences teach nothing by themselves.
            let is_fact = |row: &MemoryRow| row.body.claim.layer != Layer::Episode;
            let row = self.memory(effect.kind, effect.origin).filter(is_fact);
            if let Some(row) = row.filter(|_| !is_live) {
                numbers
                    .entry(row.body.number)
                    .or_default()
                    .extend(row.body.claim.evidence);
            }
        }
        for (number, evidence) in numbers {
            let cited: BTreeSet<Stretch> = self
                .open_origin(number)
                .and_then(|origin| self.memory(Kind::Memory, origin))
                .map(|row| stretches(&row.body.claim.evidence).gather())
                .unwrap_or_default();
            let ranges: Vec<Stretch> = stretches(&evidence)
                .filter(|range| !cited.contains(range))
                .collect();
            self.entomb(number, ranges)?;
        }
        Ok(())
    }

    fn memory(&self, kind: Kind, origin: Origin) -> Option<MemoryRow> {
        if kind != Kind::Memory {
            return None;
        }
        self.draft.last_copy(kind, origin)?.into_memory()
    }

    /// The origin of the row that will be open.
    fn open_origin(&self, number: Number) -> Option<Origin> {
        let mut origins: BTreeSet<Origin> =
            self.base().versions(number).map(|row| row.origin).gather();
        origins
            .retain(|origin| matches!(self.draft.state(Kind::Memory, *origin), State::Live { .. }));
        origins.into_iter().next()
    }
}
