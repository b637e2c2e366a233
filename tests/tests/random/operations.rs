//! What is done next: plans made by drafts, sets bent by hand, records, retention, erasure, reopening.

use std::collections::BTreeMap;

use keepmind::store::Retention;
use keepmind::{ChangeSet, Expected, IdSource, OperationId, Owner, Slice, Snapshot, Timestamp};
use keepmind_tests::claims::{any_moment, moment};
use keepmind_tests::{Random, drafts};

/// Something done to every store.
#[derive(Debug, Clone)]
pub enum Operation {
    /// A commit, sound or not.
    Commit {
        /// Whose.
        owner: Owner,
        /// At what revision.
        expected: Expected,
        /// What.
        changes: Box<ChangeSet>,
    },
    /// Retention.
    Retain {
        /// Whose.
        owner: Owner,
        /// What goes.
        retention: Retention,
    },
    /// Erasure.
    Erase {
        /// Whose.
        owner: Owner,
    },
    /// Export, erasure and restore.
    MoveOut {
        /// Whose.
        owner: Owner,
    },
    /// Every store is copied into a new one of the next kind, and life goes on there.
    MoveAll,
    /// Stores that last are opened again.
    Reopen {
        /// Closed before, or only dropped.
        is_closed: bool,
    },
}

impl Operation {
    /// Whose data it touches.
    pub fn owner(&self) -> Option<&Owner> {
        match self {
            Operation::Commit { owner, .. }
            | Operation::Retain { owner, .. }
            | Operation::Erase { owner }
            | Operation::MoveOut { owner } => Some(owner),
            Operation::MoveAll | Operation::Reopen { .. } => None,
        }
    }
}

/// Decides what is done next.
pub struct World {
    pub(crate) random: Random,
    pub(crate) ids: Random,
    owners: Vec<Owner>,
    past: Vec<(Owner, Expected, ChangeSet)>,
    step: i64,
}

impl World {
    /// A world that goes the way of its seed.
    pub fn new(seed: u64) -> Self {
        let owners = ["alice", "Alice", "bob%_"];
        World {
            random: Random::new(seed),
            ids: Random::new(seed.rotate_left(32)),
            owners: owners
                .map(|name| Owner::new(name).expect("a name"))
                .to_vec(),
            past: Vec::new(),
            step: 0,
        }
    }

    /// Who has data in it.
    pub fn owners(&self) -> &[Owner] {
        &self.owners
    }

    /// What is done next, to owners with these data.
    pub fn next(&mut self, data: &BTreeMap<Owner, Snapshot>) -> Operation {
        self.step += 1;
        let owner = self.random.one_of(&self.owners);
        let data = &data[&owner];
        match self.random.below(1_000) {
            0..3 => Operation::Erase { owner },
            3..5 => Operation::MoveOut { owner },
            5..7 => Operation::MoveAll,
            7..16 => Operation::Reopen {
                is_closed: self.random.chance(50),
            },
            16..40 => Operation::Retain {
                owner,
                retention: self.retention(),
            },
            40..70 if !self.past.is_empty() => {
                let (whose, expected, changes) = self.random.one_of(&self.past);
                let owner = if self.random.chance(90) { whose } else { owner };
                Operation::Commit {
                    owner,
                    expected,
                    changes: Box::new(changes),
                }
            }
            70..520 => self.commit(owner, data, 0),
            520..720 => self.commit(owner, data, 1),
            720..760 => self.commit(owner, data, 2),
            _ => {
                let mut changes = self.unchecked();
                self.add_records(data, &mut changes);
                let at = Expected::At(data.state().revision);
                let expected = if self.random.chance(90) {
                    Expected::Any
                } else {
                    at
                };
                self.remember(owner, expected, changes)
            }
        }
    }

    /// A set with nothing in it yet.
    fn unchecked(&mut self) -> ChangeSet {
        ChangeSet::new(OperationId::new(self.ids.next_id()), self.clock())
    }

    /// A clock that jumps: on the whole on, often back.
    fn clock(&mut self) -> Timestamp {
        moment(self.step / 3 + self.random.between(-40, 41))
    }

    /// A set planned by a draft, sometimes with records in it, bent so many times.
    fn commit(&mut self, owner: Owner, data: &Snapshot, bends: usize) -> Operation {
        let clock = self.clock();
        let part = self.random.sometimes(25, |random| {
            let numbers: Vec<_> = data.memories().map(|row| row.body.number).collect();
            data.slice(&Slice {
                numbers: (0..4).filter_map(|_| random.pick(&numbers)).collect(),
                proposals: true,
                journal_since: Some(data.state().revision.count.saturating_sub(5)),
                ..Slice::default()
            })
        });
        let base = part.as_ref().unwrap_or(data);
        let (_, planned) = drafts::plan(&mut self.random, &mut self.ids, base, clock);
        let mut changes = match planned {
            Ok(changes) => changes,
            Err(_) => self.unchecked(),
        };
        if self.random.chance(15) {
            self.add_records(data, &mut changes);
        }
        let mut expected = Expected::At(data.state().revision);
        for _ in 0..bends {
            self.bend(data, &mut expected, &mut changes);
        }
        self.remember(owner, expected, changes)
    }

    fn remember(&mut self, owner: Owner, expected: Expected, changes: ChangeSet) -> Operation {
        if self.past.len() >= 60 {
            let place = self.random.below(self.past.len());
            self.past.swap_remove(place);
        }
        self.past.push((owner.clone(), expected, changes.clone()));
        Operation::Commit {
            owner,
            expected,
            changes: Box::new(changes),
        }
    }

    /// The id of a commit that was tried before.
    pub(crate) fn past_operation(&mut self) -> Option<OperationId> {
        self.random
            .pick(&self.past)
            .map(|(_, _, changes)| changes.operation)
    }

    fn retention(&mut self) -> Retention {
        let now = self.step / 3;
        let before = |random: &mut Random| {
            random.sometimes(50, |random| match random.below(4) {
                0 => any_moment(random),
                _ => moment(now - random.between(0, 200)),
            })
        };
        Retention {
            usage_before: before(&mut self.random),
            traces_before: before(&mut self.random),
            operations_before: before(&mut self.random),
        }
    }
}
