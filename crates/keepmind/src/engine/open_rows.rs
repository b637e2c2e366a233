//! The open rows of owners that were looked at lately: what a block is made from and a text is looked
//! for in. Keyed by revision, moved along by this process's own commits, bounded.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::change::{ChangeSet, RowChange};
use crate::owner::{Owner, Revision};
use crate::row::{Body, MemoryRow};

/// How many rows are kept in all; the owner that was looked at least lately goes first.
const MOST_ROWS: usize = 50_000;
/// An owner with more rows than this is read anew each time.
const MOST_ROWS_OF_ONE: usize = 25_000;

/// The open rows of some owners, each at one revision. A row is never served at another.
#[derive(Debug, Default)]
pub(super) struct OpenRows(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    owners: HashMap<Owner, Entry>,
    rows: usize,
    clock: u64,
}

#[derive(Debug)]
struct Entry {
    revision: Revision,
    rows: Arc<Vec<MemoryRow>>,
    used: u64,
}

impl OpenRows {
    /// The rows, if they are known at that revision.
    pub(super) fn get(&self, owner: &Owner, revision: Revision) -> Option<Arc<Vec<MemoryRow>>> {
        let mut kept = self.kept();
        kept.clock += 1;
        let clock = kept.clock;
        let entry = kept.owners.get_mut(owner)?;
        if entry.revision != revision {
            return None;
        }
        entry.used = clock;
        Some(Arc::clone(&entry.rows))
    }

    /// Keeps rows as they are at a revision.
    pub(super) fn put(&self, owner: &Owner, revision: Revision, rows: Arc<Vec<MemoryRow>>) {
        let mut kept = self.kept();
        kept.forget(owner);
        if rows.len() > MOST_ROWS_OF_ONE {
            return;
        }
        while kept.rows + rows.len() > MOST_ROWS {
            let oldest = kept.owners.iter().min_by_key(|(_, entry)| entry.used);
            let Some(oldest) = oldest.map(|(owner, _)| owner.clone()) else {
                break;
            };
            kept.forget(&oldest);
        }
        kept.clock += 1;
        kept.rows += rows.len();
        let entry = Entry {
            revision,
            rows,
            used: kept.clock,
        };
        kept.owners.insert(owner.clone(), entry);
    }

    /// Moves the rows along with a commit of this process, or lets go of them.
    pub(super) fn advance(&self, owner: &Owner, from: Revision, changes: &ChangeSet, to: Revision) {
        let mut kept = self.kept();
        let Some(mut entry) = kept.forget(owner) else {
            return;
        };
        if entry.revision != from {
            return;
        }
        apply(Arc::make_mut(&mut entry.rows), changes);
        if entry.rows.len() > MOST_ROWS_OF_ONE {
            return;
        }
        entry.revision = to;
        kept.rows += entry.rows.len();
        kept.owners.insert(owner.clone(), entry);
    }

    /// Lets go of an owner's rows.
    pub(super) fn let_go(&self, owner: &Owner) {
        self.kept().forget(owner);
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn forget(&mut self, owner: &Owner) -> Option<Entry> {
        let entry = self.owners.remove(owner)?;
        self.rows -= entry.rows.len();
        Some(entry)
    }
}

fn apply(rows: &mut Vec<MemoryRow>, changes: &ChangeSet) {
    for (id, change) in &changes.rows {
        match change {
            RowChange::Insert(row) => {
                let is_shown = match &row.body {
                    Body::Memory(memory) => row.is_open() && !memory.claim.held,
                    _ => false,
                };
                rows.extend(row.clone().into_memory().filter(|_| is_shown));
            }
            RowChange::Alter(alteration) => {
                if alteration.end.is_some() {
                    rows.retain(|row| row.id != *id);
                } else if let Some(row) = rows.iter_mut().find(|row| row.id == *id)
                    && let Some(marks) = alteration.marks
                {
                    row.marks = marks;
                }
            }
            RowChange::Purge(_) => rows.retain(|row| row.id != *id),
        }
    }
}
