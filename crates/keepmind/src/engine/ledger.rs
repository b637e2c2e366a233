//! Uses of memories that wait to be written, so that no read and no chat waits for it. Bounded; what is written
//! with what is the engine's business.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::ids::{RowId, SessionId, UsageId};
use crate::owner::Owner;
use crate::timestamp::Timestamp;
use crate::usage::{Usage, UsageKind};

/// From how many uses of one owner on somebody is asked to write them.
const MANY: usize = 256;
/// How many of one owner may wait; where nobody can write them, newer ones are lost.
const MOST_OF_ONE: usize = 1_024;
/// How many may wait in all.
const MOST: usize = 32_768;
/// From how many in all on somebody is asked to write everybody's: owners who only read commit nothing.
const MANY_IN_ALL: usize = MOST / 2;
/// How many travel with a commit that is made for something else.
pub(super) const MOST_ALONG: usize = 64;
/// How many are written at once where nothing else is.
pub(super) const MOST_ALONE: usize = 1_024;

/// How a row was used. The same use twice, while the first still waits, is one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Use {
    pub session: Option<SessionId>,
    pub memory: RowId,
    pub kind: UsageKind,
    pub influence: Option<String>,
}

/// What somebody should write by now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Due {
    /// Nothing.
    Nothing,
    /// The owner's uses.
    Owners,
    /// Everybody's.
    All,
}

/// The uses that wait.
#[derive(Debug, Default)]
pub(super) struct Ledger(Mutex<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    owners: HashMap<Owner, Owned>,
    /// Of all owners.
    count: usize,
    lost: u64,
    is_asked: bool,
}

#[derive(Debug, Default)]
struct Owned {
    /// When each was, and its name once it was on its way to the store: the same use is entered once, also
    /// where nobody knows whether it has arrived.
    uses: BTreeMap<Use, (Timestamp, Option<UsageId>)>,
    is_asked: bool,
}

impl Ledger {
    /// Lets uses wait. Where there are so many that somebody should write them, whoever is told so is the
    /// only one until they were.
    pub(super) fn add(
        &self,
        owner: &Owner,
        at: Timestamp,
        uses: impl IntoIterator<Item = Use>,
    ) -> Due {
        let mut waiting = self.waiting();
        let Waiting {
            owners,
            count,
            lost,
            is_asked,
        } = &mut *waiting;
        let mut uses = uses.into_iter().peekable();
        if uses.peek().is_none() {
            return Due::Nothing;
        }
        let owned = owners.entry(owner.clone()).or_default();
        for one in uses {
            if owned.uses.contains_key(&one) {
                continue;
            }
            if owned.uses.len() >= MOST_OF_ONE || *count >= MOST {
                *lost += 1;
                continue;
            }
            owned.uses.insert(one, (at, None));
            *count += 1;
        }
        if *count >= MANY_IN_ALL && !std::mem::replace(is_asked, true) {
            Due::All
        } else if owned.uses.len() >= MANY && !std::mem::replace(&mut owned.is_asked, true) {
            Due::Owners
        } else {
            Due::Nothing
        }
    }

    /// Somebody tried to write what was due; what could not be written is due again with the next use.
    pub(super) fn tried(&self, owner: &Owner, due: Due) {
        let mut waiting = self.waiting();
        if due == Due::All {
            waiting.is_asked = false;
        }
        if let Some(owned) = waiting.owners.get_mut(owner) {
            owned.is_asked = false;
        }
    }

    /// Takes the owner's first uses. Those that do not arrive wait again, with what they were called.
    pub(super) fn take(
        &self,
        owner: &Owner,
        most: usize,
        mut name: impl FnMut() -> UsageId,
    ) -> Taken<'_> {
        let mut waiting = self.waiting();
        let mut kept = Vec::new();
        if let Some(owned) = waiting.owners.get_mut(owner) {
            while kept.len() < most
                && let Some((one, (at, id))) = owned.uses.pop_first()
            {
                kept.push(Usage {
                    id: id.unwrap_or_else(&mut name),
                    at,
                    session: one.session,
                    memory: one.memory,
                    kind: one.kind,
                    influence: one.influence,
                });
            }
            owned.is_asked &= owned.uses.len() >= MANY;
            if owned.uses.is_empty() {
                waiting.owners.remove(owner);
            }
        }
        waiting.count -= kept.len();
        Taken {
            ledger: self,
            owner: owner.clone(),
            kept,
        }
    }

    /// Whether any of the owner's wait.
    pub(super) fn has(&self, owner: &Owner) -> bool {
        self.waiting().owners.contains_key(owner)
    }

    /// Whose uses wait.
    pub(super) fn owners(&self) -> Vec<Owner> {
        self.waiting().owners.keys().cloned().collect()
    }

    /// How many wait, and how many were lost because there was no more room.
    pub(super) fn counts(&self) -> (usize, u64) {
        let waiting = self.waiting();
        (waiting.count, waiting.lost)
    }

    /// Lets go of everything of an owner.
    pub(super) fn let_go(&self, owner: &Owner) {
        let mut waiting = self.waiting();
        if let Some(gone) = waiting.owners.remove(owner) {
            waiting.count -= gone.uses.len();
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Uses on their way; those that did not arrive wait again.
pub(super) struct Taken<'a> {
    ledger: &'a Ledger,
    owner: Owner,
    kept: Vec<Usage>,
}

impl Taken<'_> {
    pub(super) fn uses(&self) -> &[Usage] {
        &self.kept
    }

    /// They are written, or may not be.
    pub(super) fn arrived(mut self) {
        self.kept.clear();
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        if self.kept.is_empty() {
            return;
        }
        let mut waiting = self.ledger.waiting();
        let mut count = 0;
        let owned = waiting.owners.entry(self.owner.clone()).or_default();
        for usage in self.kept.drain(..) {
            let one = Use {
                session: usage.session,
                memory: usage.memory,
                kind: usage.kind,
                influence: usage.influence,
            };
            let again = owned.uses.insert(one, (usage.at, Some(usage.id)));
            count += usize::from(again.is_none());
        }
        waiting.count += count;
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn uses(rows: std::ops::Range<u128>) -> Vec<Use> {
        rows.map(|row| Use {
            session: None,
            memory: RowId::new(Uuid::from_u128(row)),
            kind: UsageKind::Retrieved,
            influence: None,
        })
        .collect()
    }

    fn alice() -> Owner {
        Owner::new("alice").unwrap()
    }

    fn names() -> impl FnMut() -> UsageId {
        let mut next = 0;
        move || {
            next += 1;
            UsageId::new(Uuid::from_u128(next))
        }
    }

    fn count(ledger: &Ledger) -> usize {
        ledger.counts().0
    }

    #[test]
    fn the_same_use_waits_once_and_is_another_once_it_was_taken() {
        let (ledger, now) = (Ledger::default(), Timestamp::UNIX_EPOCH);
        assert_eq!(ledger.add(&alice(), now, uses(0..2)), Due::Nothing);
        assert_eq!(ledger.add(&alice(), now, uses(1..3)), Due::Nothing);
        assert_eq!(count(&ledger), 3);
        let taken = ledger.take(&alice(), 2, names());
        assert_eq!(taken.uses().len(), 2);
        taken.arrived();
        assert_eq!(count(&ledger), 1);
        ledger.add(&alice(), now, uses(0..1));
        assert_eq!(count(&ledger), 2);
        assert_eq!(ledger.owners(), [alice()]);
        ledger.let_go(&alice());
        assert_eq!((count(&ledger), ledger.owners().len()), (0, 0));
    }

    #[test]
    fn what_does_not_arrive_waits_again_under_its_name() {
        let (ledger, now) = (Ledger::default(), Timestamp::UNIX_EPOCH);
        ledger.add(&alice(), now, uses(0..3));
        let first = ledger.take(&alice(), 9, names());
        let before = first.uses().to_vec();
        ledger.add(&alice(), now, uses(2..4));
        drop(first);
        assert_eq!(count(&ledger), 4);
        let again = ledger.take(&alice(), 9, || UsageId::new(Uuid::max()));
        assert_eq!(again.uses()[..3], before);
        again.arrived();
        assert_eq!(count(&ledger), 0);
    }

    #[test]
    fn it_is_bounded_and_one_is_asked_to_write() {
        let (ledger, now) = (Ledger::default(), Timestamp::UNIX_EPOCH);
        let many = || uses(0..MANY as u128);
        assert_eq!(ledger.add(&alice(), now, many()), Due::Owners);
        assert_eq!(ledger.add(&alice(), now, uses(0..5_000)), Due::Nothing);
        assert_eq!(ledger.counts(), (MOST_OF_ONE, 5_000 - MOST_OF_ONE as u64));
        ledger.take(&alice(), MOST_OF_ONE, names()).arrived();
        assert_eq!(ledger.add(&alice(), now, many()), Due::Owners, "anew");
        // Owners who only read, each a little.
        let mut due = Vec::new();
        for owner in 0..10_000 {
            let owner = Owner::new(format!("user {owner}")).unwrap();
            due.push(ledger.add(&owner, now, uses(0..10)));
        }
        assert_eq!(due.iter().filter(|due| **due == Due::All).count(), 1);
        assert_eq!(count(&ledger), MOST);
        ledger.tried(&alice(), Due::All);
        assert_eq!(ledger.add(&alice(), now, uses(0..1_000)), Due::All, "anew");
    }
}
