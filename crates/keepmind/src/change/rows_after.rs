//! What a set may do to rows: what every commit keeps, checked before anything is written.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use crate::change::snapshot::{Snapshot, rule_in};
use crate::change::{ChangeSet, RowChange};
use crate::error::{Error, Result};
use crate::ids::{Number, Origin, RowId, Version};
use crate::memory::Memory;
use crate::order::Gather;
use crate::owner::OwnerState;
use crate::row::{Body, Kind, Row};

const COMMIT: &str = "commit";

impl Snapshot {
    /// Whether the rows would keep what every commit keeps. Only what the set reaches is looked at.
    pub(super) fn check_rows(&self, changes: &ChangeSet) -> Result<()> {
        let mut after = RowsAfter::new(self, changes);
        for (id, change) in &changes.rows {
            match change {
                RowChange::Insert(row) => {
                    if self.row(row.body.kind(), *id).is_some() {
                        return Err(invalid_row(*id, "there is such a row already"));
                    }
                    if let Body::Memory(memory) = &row.body {
                        changes.check_number(memory, &self.state)?;
                        let taken = self
                            .version(memory.number, memory.version)
                            .is_some_and(|other| !after.purged(other.id));
                        if taken || !after.is_first_version(memory) {
                            return Err(invalid_row(*id, "its version is taken"));
                        }
                    }
                    after.open(row)?;
                }
                RowChange::Alter(alteration) => {
                    let row = self.row(alteration.kind, *id);
                    if !row.is_some_and(|row| row.is_open()) {
                        return Err(invalid_row(*id, "it is not there, or has ended"));
                    }
                }
                RowChange::Purge(kind) => {
                    if self.row(*kind, *id).is_none() {
                        return Err(invalid_row(*id, "it is not there"));
                    }
                }
            }
        }
        after.check_links()?;
        for step in &changes.lineage {
            if !after.is_memory(step.row) || !after.is_memory(step.from) {
                return Err(Error::invalid(
                    COMMIT,
                    "lineage names a row that is not there",
                ));
            }
        }
        for (domain, moment) in changes.consents.keys() {
            if self.consents.contains_key(&(domain.clone(), *moment)) {
                return Err(Error::invalid(
                    COMMIT,
                    "consent was recorded at that moment already",
                ));
            }
        }
        Ok(())
    }

    fn row(&self, kind: Kind, id: RowId) -> Option<Row<()>> {
        fn head<B>(row: &Row<B>) -> Row<()> {
            Row {
                id: row.id,
                origin: row.origin,
                recorded_at: row.recorded_at,
                end: row.end,
                marks: row.marks,
                body: (),
            }
        }
        match kind {
            Kind::Memory => self.memories.get(&id).map(head),
            Kind::Link => self.links.get(&id).map(head),
            Kind::Tombstone => self.tombstones.get(&id).map(head),
            Kind::Proposal => self.proposals.get(&id).map(head),
        }
    }
}

impl ChangeSet {
    /// Whether an inserted memory's number was given out, by this set at the latest.
    pub(crate) fn check_number(&self, memory: &Memory, stored: &OwnerState) -> Result<()> {
        if memory.number.get() >= self.next_number.unwrap_or(stored.next_number) {
            return Err(Error::invalid(
                COMMIT,
                format_args!(
                    "{} was not given out yet: take numbers from the draft",
                    memory.number
                ),
            ));
        }
        Ok(())
    }
}

/// What the rows will be, as far as a set's changes reach.
struct RowsAfter<'a> {
    before: &'a Snapshot,
    changes: &'a ChangeSet,
    /// No other row of the set can stand in the place of one: as in most sets, there is none.
    is_alone: bool,
    /// Made when somebody asks: only what links facts does.
    inserted_numbers: OnceCell<BTreeSet<Number>>,
    versions: BTreeSet<(Number, Version)>,
    open_origins: BTreeSet<(Kind, Origin)>,
    open_numbers: BTreeSet<Number>,
    open_rules: BTreeSet<(String, String)>,
}

impl<'a> RowsAfter<'a> {
    fn new(before: &'a Snapshot, changes: &'a ChangeSet) -> Self {
        RowsAfter {
            before,
            changes,
            is_alone: changes.rows.len() == 1,
            inserted_numbers: OnceCell::new(),
            versions: BTreeSet::new(),
            open_origins: BTreeSet::new(),
            open_numbers: BTreeSet::new(),
            open_rules: BTreeSet::new(),
        }
    }

    fn purged(&self, id: RowId) -> bool {
        matches!(self.changes.rows.get(&id), Some(RowChange::Purge(_)))
    }

    fn closed(&self, id: RowId) -> bool {
        match self.changes.rows.get(&id) {
            Some(RowChange::Purge(_)) => true,
            Some(RowChange::Alter(alteration)) => alteration.end.is_some(),
            Some(RowChange::Insert(_)) | None => false,
        }
    }

    /// Whether no row before it in the set is that version of its fact.
    fn is_first_version(&mut self, memory: &Memory) -> bool {
        self.is_alone || self.versions.insert((memory.number, memory.version))
    }

    /// Counts an inserted row, and refuses it where another open one stands in its place.
    fn open(&mut self, row: &Row<Body>) -> Result<()> {
        if !row.is_open() {
            return Ok(());
        }
        let kind = row.body.kind();
        let another_copy = self.before.copies(kind, row.origin).any(|id| {
            !self.closed(id) && self.before.row(kind, id).is_some_and(|copy| copy.is_open())
        });
        let is_first = self.is_alone || self.open_origins.insert((kind, row.origin));
        if another_copy || !is_first {
            return Err(invalid_row(row.id, "another row of its origin is open"));
        }
        let Some(memory) = row.memory() else {
            return Ok(());
        };
        if memory.claim.held {
            return Ok(());
        }
        let another_version = self
            .before
            .versions(memory.number)
            .any(|other| other.is_open() && !other.body.claim.held && !self.closed(other.id));
        let is_first = self.is_alone || self.open_numbers.insert(memory.number);
        if another_version || !is_first {
            return Err(invalid_row(row.id, "another version of its fact is open"));
        }
        if let Some(rule) = rule_in(&memory.claim) {
            let another_rule = self
                .before
                .open_rule(&rule.0, &rule.1)
                .is_some_and(|other| !self.closed(other.id));
            let is_first = self.is_alone || self.open_rules.insert(rule);
            if another_rule || !is_first {
                return Err(invalid_row(
                    row.id,
                    "another rule for its domain and key is open",
                ));
            }
        }
        Ok(())
    }

    fn has_fact(&self, number: Number) -> bool {
        self.before.versions(number).any(|row| !self.purged(row.id))
            || self.inserted_numbers().contains(&number)
    }

    fn inserted_numbers(&self) -> &BTreeSet<Number> {
        self.inserted_numbers.get_or_init(|| {
            let memories = inserted(self.changes).filter_map(Row::memory);
            memories.map(|memory| memory.number).gather()
        })
    }

    fn is_memory(&self, id: RowId) -> bool {
        match self.changes.rows.get(&id) {
            Some(RowChange::Insert(row)) => row.memory().is_some(),
            Some(RowChange::Purge(_)) => false,
            Some(RowChange::Alter(_)) | None => self.before.memory(id).is_some(),
        }
    }

    fn check_links(&self) -> Result<()> {
        for row in inserted(self.changes) {
            if let Body::Link(link) = &row.body
                && !(self.has_fact(link.from) && self.has_fact(link.to))
            {
                return Err(invalid_row(row.id, "it links a fact that is not there"));
            }
        }
        for (id, change) in &self.changes.rows {
            let RowChange::Purge(Kind::Memory) = change else {
                continue;
            };
            let Some(row) = self.before.memory(*id) else {
                continue;
            };
            let number = row.body.number;
            let linked = self
                .before
                .links_of(number)
                .any(|link| !self.purged(link.id));
            if linked && !self.has_fact(number) {
                return Err(invalid_row(
                    *id,
                    "a link to its fact would be left: purge it too",
                ));
            }
        }
        Ok(())
    }
}

fn inserted(changes: &ChangeSet) -> impl Iterator<Item = &Row<Body>> {
    changes.rows.values().filter_map(|change| match change {
        RowChange::Insert(row) => Some(row),
        RowChange::Alter(_) | RowChange::Purge(_) => None,
    })
}

fn invalid_row(id: RowId, what: &str) -> Error {
    Error::invalid(COMMIT, format_args!("row {id}: {what}"))
}
