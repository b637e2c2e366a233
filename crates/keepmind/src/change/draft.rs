//! A change set in the making: it reads its own writes and folds them to one change for each key.

use std::collections::{BTreeMap, BTreeSet};

use crate::change::validate::moves_watermark;
use crate::change::{Alteration, ChangeSet, Expected, RowChange, Snapshot};
use crate::error::{Error, Result};
use crate::ids::{GroupId, Number, OperationId, Origin, RowId, SessionId, Version};
use crate::journal::{Effect, JournalEntry, Who};
use crate::memory::{Claim, Layer, Marks, Memory};
use crate::model::IdSource;
use crate::order::Gather;
use crate::row::{Body, End, Kind, Row, State, Why};
use crate::timestamp::Timestamp;

const PLAN: &str = "plan";

/// A change set in the making.
///
/// Built on the slice a plan has read. Whatever is written is seen by what is read afterwards; whatever
/// is written twice becomes one change; whatever is taken back becomes none. [`Draft::finish`] checks
/// the invariants once and writes the journal entry, with the state of each touched origin before and
/// after.
///
/// ```
/// use keepmind::{
///     Claim, Clock, Draft, EntryHeader, Expected, InMemoryStore, Marks, MemoryStore, Owner, Slice,
///     SystemClock, TimeOrderedIds, Who,
/// };
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let store = InMemoryStore::new();
/// let alice = Owner::new("alice")?;
/// let now = SystemClock.now();
///
/// let base = store.load(&alice, &Slice::default()).await?;
/// let mut ids = TimeOrderedIds::at(now);
/// let mut draft = Draft::new(&base, now, &mut ids)?;
/// let number = draft.new_number()?;
/// let claim = Claim::note("fact", "The user lives in Ghent", draft.stamp());
/// draft.insert_version(number, claim, Marks::default())?;
/// let changes = draft.finish(EntryHeader::new(Who::User, format!("saved {number}")))?;
/// store.commit(&alice, Expected::At(base.state().revision), changes.into()).await?;
///
/// let fact = store.load(&alice, &Slice::number(number)).await?;
/// assert_eq!(fact.open_version(number).unwrap().body.claim.content, "The user lives in Ghent");
/// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Draft<'a> {
    base: &'a Snapshot,
    ids: &'a mut dyn IdSource,
    stamp: Timestamp,
    next_number: u64,
    rows: BTreeMap<RowId, Working>,
    touched: BTreeMap<(Origin, Kind), Option<RowId>>,
    /// The highest version of each fact that was inserted here.
    versions: BTreeMap<Number, Version>,
    others: ChangeSet,
    /// It is journalled even where nothing else asks for it.
    is_journalled: bool,
}

struct Working {
    row: Row<Body>,
    is_new: bool,
    is_purged: bool,
}

/// What a journal entry says besides what happened to the rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryHeader {
    /// Who writes.
    pub who: Who,
    /// In which chat.
    pub session: Option<SessionId>,
    /// What it is undone together with.
    pub group: Option<GroupId>,
    /// The revisions it takes back.
    pub undoes: BTreeSet<u64>,
    /// The undos it takes back.
    pub redoes: BTreeSet<u64>,
    /// What happened, for a person, without any content.
    pub line: String,
}

impl EntryHeader {
    /// A header with nothing but who and what.
    pub fn new(who: Who, line: impl Into<String>) -> Self {
        EntryHeader {
            who,
            session: None,
            group: None,
            undoes: BTreeSet::new(),
            redoes: BTreeSet::new(),
            line: line.into(),
        }
    }
}

/// Which way effects are replayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// To what was before: an undo.
    Back,
    /// To what was after: a redo.
    Forth,
}

impl<'a> Draft<'a> {
    /// A draft on that slice, at that clock.
    pub fn new(base: &'a Snapshot, clock: Timestamp, ids: &'a mut dyn IdSource) -> Result<Self> {
        let stamp = base.state().stamp(clock).ok_or_else(|| {
            Error::invalid(
                PLAN,
                "time has run out: the last stamp is the last moment there is",
            )
        })?;
        let operation = OperationId::new(ids.next_id());
        Ok(Draft {
            base,
            ids,
            stamp,
            next_number: base.state().next_number,
            rows: BTreeMap::new(),
            touched: BTreeMap::new(),
            versions: BTreeMap::new(),
            others: ChangeSet::new(operation, stamp),
            is_journalled: false,
        })
    }

    /// The stamp the commit will carry.
    pub fn stamp(&self) -> Timestamp {
        self.stamp
    }

    /// The slice it is built on, as it was loaded.
    pub fn base(&self) -> &'a Snapshot {
        self.base
    }

    /// Everything but rows: lineage, consent, chats, messages, traces, usage, embeddings.
    pub fn others(&mut self) -> &mut ChangeSet {
        &mut self.others
    }

    /// Writes a journal entry even where nothing is changed: what happened is what is kept.
    pub(crate) fn journal(&mut self) {
        self.is_journalled = true;
    }

    /// An id that nothing has had.
    pub(crate) fn new_id(&mut self) -> uuid::Uuid {
        self.ids.next_id()
    }

    /// A number that no fact has had.
    pub fn new_number(&mut self) -> Result<Number> {
        let number = Number::new(self.next_number)
            .ok_or_else(|| Error::invalid(PLAN, "this owner has no room for another fact"))?;
        self.next_number += 1;
        Ok(number)
    }

    /// Inserts the next version of a fact.
    pub fn insert_version(&mut self, number: Number, claim: Claim, marks: Marks) -> Result<RowId> {
        let version = self.next_version(number)?;
        let body = Body::Memory(Memory {
            number,
            version,
            claim,
        });
        Ok(self.insert_row(None, body, marks, None))
    }

    /// Inserts a link, a tombstone or a proposal. A memory belongs to [`Draft::insert_version`].
    pub fn insert(&mut self, body: Body) -> Result<RowId> {
        match body {
            Body::Memory(_) => Err(Error::invalid(
                PLAN,
                "a memory is inserted as a version of its fact",
            )),
            body => Ok(self.insert_row(None, body, Marks::default(), None)),
        }
    }

    /// The last row of a body, as it will be.
    pub fn last_copy(&self, kind: Kind, origin: Origin) -> Option<Row<Body>> {
        let purged = |id: &RowId| self.rows.get(id).is_some_and(|working| working.is_purged);
        if let Some(Some(id)) = self.touched.get(&(origin, kind))
            && !purged(id)
        {
            return self.rows.get(id).map(|working| working.row.clone());
        }
        let last = self
            .base
            .copies(kind, origin)
            .filter(|id| !purged(id))
            .last();
        self.base.row_of(kind, last?)
    }

    /// What an origin is, as it will be.
    pub fn state(&self, kind: Kind, origin: Origin) -> State {
        if let Some(Some(id)) = self.touched.get(&(origin, kind))
            && let Some(working) = self.rows.get(id).filter(|working| !working.is_purged)
        {
            return working.row.state();
        }
        self.last_copy(kind, origin)
            .map_or(State::Absent, |row| row.state())
    }

    /// Brings an origin to a state, whatever it is in now: by new marks, by an end, or by a copy of its
    /// last row. To be [`State::Absent`] again is to be ended as undone.
    pub fn set(&mut self, kind: Kind, origin: Origin, target: State) -> Result<()> {
        let last = self.last_copy(kind, origin).ok_or_else(|| {
            Error::invalid(
                PLAN,
                format_args!("there is no {kind:?} of origin {origin}"),
            )
        })?;
        let (marks, why) = match target {
            State::Live { marks } => (marks, None),
            State::Ended { why, marks } => (marks, Some(why)),
            State::Absent => (last.marks, Some(Why::Undone)),
        };
        let end = why.map(|why| End {
            at: self.stamp,
            why,
        });
        if last.marks == marks && last.end.map(|end| end.why) == why {
            return Ok(());
        }

        let stored = self.base.last_copy(kind, origin);
        let is_stored = stored.as_ref().is_some_and(|row| row.id == last.id);
        let ended_for_good = is_stored && stored.as_ref().is_some_and(|row| !row.is_open());
        let before = stored.as_ref().map_or(State::Absent, Row::state);
        let after = why.map_or(State::Live { marks }, |why| State::Ended { why, marks });

        if ended_for_good {
            self.insert_row(Some((kind, origin)), last.body, marks, end);
        } else if !is_stored
            && (after == before || before == State::Absent && why == Some(Why::Undone))
        {
            self.rows.remove(&last.id);
            self.touched.insert((origin, kind), None);
        } else {
            let is_new = !is_stored;
            let row = Row { marks, end, ..last };
            self.touch(row, is_new);
        }
        Ok(())
    }

    /// Ends the open row of an origin.
    pub fn end(&mut self, kind: Kind, origin: Origin, why: Why) -> Result<()> {
        match self.state(kind, origin) {
            State::Live { marks } => self.set(kind, origin, State::Ended { why, marks }),
            State::Absent | State::Ended { .. } => Err(Error::invalid(
                PLAN,
                format_args!("there is no open {kind:?} of origin {origin} to end"),
            )),
        }
    }

    /// Brings every origin of these effects to what it was before them, or after them.
    pub fn replay(&mut self, effects: &[Effect], direction: Direction) -> Result<()> {
        effects.iter().try_for_each(|effect| {
            let target = match direction {
                Direction::Back => effect.before,
                Direction::Forth => effect.after,
            };
            self.set(effect.kind, effect.origin, target)
        })
    }

    /// Purges a row for good.
    pub fn purge(&mut self, kind: Kind, id: RowId) -> Result<()> {
        if let Some(working) = self.rows.get_mut(&id) {
            working.is_purged = true;
            return Ok(());
        }
        let row = self.base.row_of(kind, id).ok_or_else(|| {
            Error::invalid(PLAN, format_args!("there is no {kind:?} {id} to purge"))
        })?;
        self.touched.entry((row.origin, kind)).or_insert(None);
        let working = Working {
            row,
            is_new: false,
            is_purged: true,
        };
        self.rows.insert(id, working);
        Ok(())
    }

    /// The change set, checked. Without anything to journal it is an unchecked one.
    pub fn finish(self, header: EntryHeader) -> Result<ChangeSet> {
        if !self.others.rows.is_empty() || !self.others.entries.is_empty() {
            return Err(Error::invalid(
                PLAN,
                "rows and entries are the draft's own to write",
            ));
        }
        let effects = self.effects();
        let Draft {
            base,
            stamp,
            next_number,
            rows,
            mut others,
            is_journalled,
            ..
        } = self;
        others.rows = rows
            .into_iter()
            .filter_map(|(id, working)| Some((id, working.change(base)?)))
            .gather();
        if next_number != base.state().next_number {
            others.next_number = Some(next_number);
        }
        let is_checked = is_journalled
            || !others.rows.is_empty()
            || !others.lineage.is_empty()
            || !others.consents.is_empty()
            || others.next_number.is_some()
            || others.sessions.values().any(moves_watermark);
        if is_checked {
            others.entries.push(JournalEntry {
                revision: base.state().revision.count + 1,
                operation: others.operation,
                stamp,
                who: header.who,
                session: header.session,
                group: header.group,
                effects,
                undoes: header.undoes,
                redoes: header.redoes,
                line: header.line,
            });
        }
        others.validate()?;
        others.next_state(base.state(), Expected::At(base.state().revision))?;
        base.check_rows(&others)?;
        Ok(others)
    }

    fn effects(&self) -> Vec<Effect> {
        self.touched
            .iter()
            .filter(|&(&(origin, kind), &last)| !self.is_digest(kind, origin, last))
            .filter_map(|(&(origin, kind), _)| {
                let before = self
                    .base
                    .last_copy(kind, origin)
                    .map_or(State::Absent, |row| row.state());
                let after = self.state(kind, origin);
                (before != after).then_some(Effect {
                    kind,
                    origin,
                    before,
                    after,
                })
            })
            .collect()
    }

    /// A digest is a cache of what its facts say: it has no past, and there is nothing in it to take back.
    fn is_digest(&self, kind: Kind, origin: Origin, last: Option<RowId>) -> bool {
        if kind != Kind::Memory {
            return false;
        }
        let working = last.and_then(|id| self.rows.get(&id));
        let layer = match working.and_then(|working| working.row.memory()) {
            Some(memory) => Some(memory.claim.layer),
            None => {
                let stored = self.base.copies(kind, origin).last();
                stored.and_then(|id| Some(self.base.memory(id)?.body.claim.layer))
            }
        };
        layer == Some(Layer::Digest)
    }

    fn insert_row(
        &mut self,
        copy_of: Option<(Kind, Origin)>,
        mut body: Body,
        marks: Marks,
        end: Option<End>,
    ) -> RowId {
        let id = RowId::new(self.ids.next_id());
        if let (Some(_), Body::Memory(memory)) = (copy_of, &mut body) {
            memory.version = self.next_version(memory.number).unwrap_or(Version::LAST);
        }
        let origin = copy_of.map_or(id.into(), |(_, origin)| origin);
        self.touch(
            Row {
                id,
                origin,
                recorded_at: self.stamp,
                end,
                marks,
                body,
            },
            true,
        );
        id
    }

    fn touch(&mut self, row: Row<Body>, is_new: bool) {
        if let (true, Some(memory)) = (is_new, row.memory()) {
            let highest = self.versions.entry(memory.number).or_insert(memory.version);
            *highest = memory.version.max(*highest);
        }
        self.touched
            .insert((row.origin, row.body.kind()), Some(row.id));
        self.rows.insert(
            row.id,
            Working {
                row,
                is_new,
                is_purged: false,
            },
        );
    }

    fn next_version(&self, number: Number) -> Result<Version> {
        let stored = self.base.versions(number).map(|row| row.body.version);
        stored
            .chain(self.versions.get(&number).copied())
            .max()
            .map_or(Some(Version::FIRST), Version::next)
            .ok_or_else(|| {
                Error::invalid(
                    PLAN,
                    format_args!("{number} has no room for another version"),
                )
            })
    }
}

impl Working {
    fn change(self, base: &Snapshot) -> Option<RowChange> {
        let Working {
            row,
            is_new,
            is_purged,
        } = self;
        let kind = row.body.kind();
        match (is_new, is_purged) {
            (true, true) => None,
            (true, false) => Some(RowChange::Insert(row)),
            (false, true) => Some(RowChange::Purge(kind)),
            (false, false) => {
                let stored = base.row_of(kind, row.id)?;
                let marks = (row.marks != stored.marks).then_some(row.marks);
                let end = if stored.end.is_none() { row.end } else { None };
                (marks.is_some() || end.is_some()).then_some(RowChange::Alter(Alteration {
                    kind,
                    marks,
                    end,
                }))
            }
        }
    }
}
