//! Sets bent by hand: most are refused, and every store must refuse the same ones for the same reason.

use keepmind::{
    Alteration, Authority, Body, ChangeSet, End, Expected, IdSource, Kind, Lineage, Link, Marks,
    Memory, Number, Origin, Revision, Row, RowChange, RowId, Snapshot, Version, Why,
};
use keepmind_tests::claims::{any_moment, claim, domain, marks, words};
use keepmind_tests::invariants::rows;

use crate::operations::World;

impl World {
    /// Bends a set, or what it expects, in one of many ways.
    pub(crate) fn bend(
        &mut self,
        data: &Snapshot,
        expected: &mut Expected,
        changes: &mut ChangeSet,
    ) {
        match self.random.below(8) {
            0 => self.bend_expectation(data, expected),
            1 => self.bend_journal(changes),
            2 => self.bend_counters(data, changes),
            3 | 4 => self.add_row(data, changes),
            5 => self.bend_row(changes),
            6 => self.touch_row(data, changes),
            _ => self.bend_neighbours(data, changes),
        }
    }

    fn bend_expectation(&mut self, data: &Snapshot, expected: &mut Expected) {
        let Revision { epoch, count } = data.state().revision;
        *expected = match self.random.below(4) {
            0 => Expected::Any,
            1 => Expected::At(Revision::NONE),
            2 => Expected::At(Revision {
                epoch,
                count: count + 1,
            }),
            _ => Expected::At(Revision {
                epoch,
                count: count.saturating_sub(1),
            }),
        };
    }

    fn bend_journal(&mut self, changes: &mut ChangeSet) {
        let moment = any_moment(&mut self.random);
        match (self.random.below(8), changes.entries.first().cloned()) {
            (0, _) => changes.entries.clear(),
            (1, _) => {
                // Known already: answered as the first time, whatever the set holds.
                changes.operation = self.past_operation().unwrap_or(changes.operation);
                if self.random.chance(70) {
                    let operation = changes.operation;
                    changes
                        .entries
                        .iter_mut()
                        .for_each(|entry| entry.operation = operation);
                }
            }
            (2, _) => changes
                .entries
                .iter_mut()
                .for_each(|entry| entry.revision += 1),
            (3, _) => changes.at = moment,
            (4, _) => {
                changes.at = moment;
                changes
                    .entries
                    .iter_mut()
                    .for_each(|entry| entry.stamp = moment);
            }
            (5 | 6, Some(mut entry)) => {
                // Two entries, as a restore has them: sound, where the stamps rise.
                let mut last = entry.clone();
                last.revision += 1;
                entry.stamp = keepmind::Timestamp::from_micros(entry.stamp.as_micros() - 1)
                    .unwrap_or(entry.stamp);
                changes.entries = vec![entry, last];
            }
            (_, Some(entry)) => {
                changes.entries = vec![keepmind::JournalEntry {
                    line: String::new(),
                    ..entry
                }];
            }
            (_, None) => {}
        }
    }

    fn bend_counters(&mut self, data: &Snapshot, changes: &mut ChangeSet) {
        let next = data.state().next_number;
        changes.next_number = match self.random.below(5) {
            0 => None,
            1 => Some(next.saturating_sub(1)),
            2 => Some(0),
            3 => Some(next + self.random.below(5) as u64),
            _ => Some(u64::MAX),
        };
    }

    /// A row that no draft would have inserted just so.
    fn add_row(&mut self, data: &Snapshot, changes: &mut ChangeSet) {
        let id = RowId::new(self.ids.next_id());
        let body = self.body(data, changes);
        let is_alike = |known: &Row<Body>| known.body.kind() == body.kind();
        let alike: Vec<Row<Body>> = rows(data).into_iter().filter(is_alike).collect();
        let known = self.random.pick(&alike);
        let mut row = Row {
            id,
            origin: Origin::from(id),
            recorded_at: changes.at,
            end: None,
            marks: Marks::default(),
            body,
        };
        match self.random.below(8) {
            0 => row.id = known.as_ref().map_or(id, |known| known.id),
            1 | 2 => row.origin = known.as_ref().map_or(row.origin, |known| known.origin),
            3 => {
                let until = any_moment(&mut self.random);
                let why = self.random.one_of(&[
                    Why::Undone,
                    Why::Trashed,
                    Why::Forgotten,
                    Why::Done { until },
                ]);
                row.end = Some(End {
                    at: changes.at,
                    why,
                });
            }
            4 => row.recorded_at = any_moment(&mut self.random),
            5 => row.marks = marks(&mut self.random),
            _ => {}
        }
        changes.rows.insert(row.id, RowChange::Insert(row));
    }

    fn number(&mut self, data: &Snapshot, changes: &ChangeSet) -> Number {
        let next = changes
            .next_number
            .unwrap_or(data.state().next_number)
            .clamp(1, 1 << 30);
        let count = 1 + self.random.below(next as usize + 1) as u64;
        Number::new(count).unwrap_or(Number::FIRST)
    }

    fn body(&mut self, data: &Snapshot, changes: &ChangeSet) -> Body {
        let number = self.number(data, changes);
        if self.random.chance(20) {
            let to = self.number(data, changes);
            return Body::Link(Link {
                from: number,
                to,
                relation: "supports".to_owned(),
            });
        }
        let last = data.versions(number).last().map(|row| row.body.version);
        let next = last.and_then(Version::next).unwrap_or(Version::FIRST);
        let version = if self.random.chance(80) {
            next
        } else {
            Version::FIRST
        };
        let valid_from = any_moment(&mut self.random).min(changes.at);
        let mut claim = claim(&mut self.random, valid_from, &[]);
        claim.held = self.random.chance(25);
        if self.random.chance(40) {
            claim.authority = Authority::Rule;
            claim.domain = Some(domain(&mut self.random));
            claim.key = Some("home".to_owned());
        }
        Body::Memory(Memory {
            number,
            version,
            claim,
        })
    }

    /// Spoils a row that the draft inserted.
    fn bend_row(&mut self, changes: &mut ChangeSet) {
        let ids: Vec<RowId> = changes.rows.keys().copied().collect();
        let Some(id) = self.random.pick(&ids) else {
            return;
        };
        if self.random.chance(15) {
            changes.rows.remove(&id);
            return;
        }
        let Some(RowChange::Insert(row)) = changes.rows.get_mut(&id) else {
            return;
        };
        let random = &mut self.random;
        if random.chance(10) {
            row.marks.importance = random.one_of(&[f64::NAN, -1.0, 2.0, f64::INFINITY]);
        }
        let Body::Memory(memory) = &mut row.body else {
            return;
        };
        match random.below(9) {
            0 => memory.claim.content = random.one_of(&["", "a\0b", "a\nb", " a"]).to_owned(),
            1 => memory.claim.content = "x".repeat(501),
            2 => memory.claim.valid_from = any_moment(random),
            3 => memory.claim.held = !memory.claim.held,
            4 => {
                memory.version = Version::new(1 + random.below(4) as u64).unwrap_or(Version::FIRST)
            }
            5 => memory.number = Number::new(1 + random.below(30) as u64).unwrap_or(Number::FIRST),
            6 => row.id = RowId::new(self.ids.next_id()),
            7 => memory.claim.body = Some(format!("{}\n\n{}", words(random), words(random))),
            _ => {
                memory.claim.authority = Authority::Rule;
                memory.claim.domain = Some(domain(random));
                memory.claim.key = Some("home".to_owned());
            }
        }
    }

    /// Alters or purges a row, whatever its state.
    fn touch_row(&mut self, data: &Snapshot, changes: &mut ChangeSet) {
        let Some(row) = self.random.pick(&rows(data)) else {
            return;
        };
        let kinds = [Kind::Memory, Kind::Link, Kind::Tombstone, Kind::Proposal];
        let kind = if self.random.chance(92) {
            row.body.kind()
        } else {
            self.random.one_of(&kinds)
        };
        let id = if self.random.chance(92) {
            row.id
        } else {
            RowId::new(self.ids.next_id())
        };
        let random = &mut self.random;
        let change = if random.chance(40) {
            RowChange::Purge(kind)
        } else {
            let until = any_moment(random);
            let why = random.one_of(&[
                Why::Forgotten,
                Why::Trashed,
                Why::Expired { until },
                Why::Discarded,
            ]);
            let at = if random.chance(95) {
                changes.at
            } else {
                any_moment(random)
            };
            RowChange::Alter(Alteration {
                kind,
                marks: random.sometimes(50, |random| {
                    if random.chance(80) {
                        marks(random)
                    } else {
                        Marks::default()
                    }
                }),
                end: random.sometimes(60, |_| End { at, why }),
            })
        };
        changes.rows.insert(id, change);
    }

    /// Lineage and consent that may not stand.
    fn bend_neighbours(&mut self, data: &Snapshot, changes: &mut ChangeSet) {
        let mut ids: Vec<RowId> = data.memories().map(|row| row.id).collect();
        ids.extend(changes.rows.keys());
        if self.random.chance(10) {
            ids = vec![RowId::new(self.ids.next_id())];
        }
        if let (Some(row), Some(from)) = (self.random.pick(&ids), self.random.pick(&ids)) {
            changes.lineage.insert(Lineage { row, from });
        }
        if self.random.chance(40) {
            let known: Vec<_> = data
                .consents()
                .map(|consent| (consent.domain, consent.recorded_at))
                .collect();
            let fresh = (
                domain(&mut self.random),
                any_moment(&mut self.random).min(changes.at),
            );
            let key = self
                .random
                .pick(&known)
                .filter(|_| self.random.chance(50))
                .unwrap_or(fresh);
            changes.consents.insert(key, self.random.chance(50));
        }
    }
}
