//! The part of an owner's data that a plan must read.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::change::Snapshot;
use crate::ids::{GroupId, Number, OperationId, Origin, RowId, SessionId};
use crate::order::Gather;
use crate::proposal::Proposal;
use crate::row::{Kind, Row, Why};
use crate::text;

/// The part of an owner's data that a plan must read; every field adds to it.
///
/// What reaches a memory reaches its whole fact: all versions, the links and proposals that name it,
/// its tombstones, and the lineage of its rows. The owner's counters always come along.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Slice {
    /// All there is: for export and comparison, never for a command.
    pub everything: bool,
    /// These facts.
    pub numbers: BTreeSet<Number>,
    /// The facts these rows belong to, and these rows of any kind.
    pub rows: BTreeSet<RowId>,
    /// The facts these bodies belong to, and all copies of these bodies of any kind.
    pub origins: BTreeSet<(Kind, Origin)>,
    /// The facts that hold an open rule for these (domain, key) pairs.
    pub rules: BTreeSet<(String, String)>,
    /// The facts with an open row whose content folds to the same as one of these.
    pub contents: BTreeSet<String>,
    /// Open proposals.
    pub proposals: bool,
    /// Proposals that were not accepted: what waits, and what was turned down, ran out or was taken back. Of a
    /// proposal that was both, by an undo, all copies.
    pub unaccepted_proposals: bool,
    /// All proposals, settled ones too: what a purge must look through.
    pub all_proposals: bool,
    /// Open tombstones in these chats.
    pub tombstones: BTreeSet<SessionId>,
    /// Every word on consent.
    pub consents: bool,
    /// These chats, without their messages.
    pub sessions: BTreeSet<SessionId>,
    /// Journal entries from this revision on.
    pub journal_since: Option<u64>,
    /// The journal entries of these operations.
    pub operations: BTreeSet<OperationId>,
    /// The journal entries of these groups.
    pub groups: BTreeSet<GroupId>,
}

impl Slice {
    /// All there is.
    pub fn everything() -> Self {
        Slice {
            everything: true,
            ..Slice::default()
        }
    }

    /// One fact.
    pub fn number(number: Number) -> Self {
        Slice {
            numbers: [number].into_iter().gather(),
            ..Slice::default()
        }
    }

    /// One chat.
    pub fn session(session: SessionId) -> Self {
        Slice {
            sessions: [session].into_iter().gather(),
            ..Slice::default()
        }
    }
}

/// A short number that equal folded contents share. It finds rows; equality is checked on the text.
pub(crate) fn content_hash(content: &str) -> i64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let hash = text::fold(content).bytes().fold(OFFSET, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(PRIME)
    });
    hash.cast_signed()
}

fn is_accepted(row: &Row<Proposal>) -> bool {
    row.end
        .is_some_and(|end| matches!(end.why, Why::Done { .. }))
}

impl Snapshot {
    /// The part of this snapshot that a slice asks for: what loading means.
    pub fn slice(&self, slice: &Slice) -> Snapshot {
        if slice.everything {
            let mut all = self.clone();
            all.operations.clear();
            return all;
        }
        let mut part = Snapshot::empty(*self.state());
        let numbers = self.numbers_in(slice);
        for &number in &numbers {
            for memory in self.versions(number) {
                part.put_memory(memory.clone());
                for step in self.lineage_of(memory.id) {
                    part.put_lineage(step);
                }
            }
            for link in self.links_of(number) {
                part.put_link(link.clone());
            }
        }
        let wanted = |kind: Kind, id: RowId, origin: Origin| {
            slice.rows.contains(&id) || slice.origins.contains(&(kind, origin))
        };
        for row in self.links() {
            if wanted(Kind::Link, row.id, row.origin) {
                part.put_link(row.clone());
            }
        }
        for row in self.tombstones() {
            let in_session = row.is_open() && slice.tombstones.contains(&row.body.session);
            let of_fact = numbers.contains(&row.body.number);
            if in_session || of_fact || wanted(Kind::Tombstone, row.id, row.origin) {
                part.put_tombstone(row.clone());
            }
        }
        let unaccepted: BTreeSet<Origin> = match slice.unaccepted_proposals {
            true => {
                let rows = self.proposals().filter(|row| !is_accepted(row));
                rows.map(|row| row.origin).gather()
            }
            false => BTreeSet::new(),
        };
        for row in self.proposals() {
            let pending = slice.proposals && row.is_open();
            let of_fact = || {
                let mut targets = row.body.targets();
                targets.any(|target| numbers.contains(&target.number))
            };
            if pending
                || slice.all_proposals
                || unaccepted.contains(&row.origin)
                || of_fact()
                || wanted(Kind::Proposal, row.id, row.origin)
            {
                part.put_proposal(row.clone());
            }
        }
        if slice.consents {
            for consent in self.consents() {
                part.put_consent(consent);
            }
        }
        for session in &slice.sessions {
            if let Some(session) = self.sessions.get(session) {
                part.put_session(Arc::clone(session));
            }
        }
        if let Some(since) = slice.journal_since {
            for entry in self.journal_since(since) {
                part.put_entry(entry.clone());
            }
        }
        if !slice.operations.is_empty() || !slice.groups.is_empty() {
            let in_group =
                |group: Option<GroupId>| group.is_some_and(|group| slice.groups.contains(&group));
            for entry in self.journal() {
                if slice.operations.contains(&entry.operation) || in_group(entry.group) {
                    part.put_entry(entry.clone());
                }
            }
        }
        part
    }

    fn numbers_in(&self, slice: &Slice) -> BTreeSet<Number> {
        let mut numbers = slice.numbers.clone();
        numbers.extend(
            slice
                .rows
                .iter()
                .filter_map(|id| self.memory(*id))
                .map(|row| row.body.number),
        );
        numbers.extend(
            slice
                .origins
                .iter()
                .filter(|(kind, _)| *kind == Kind::Memory)
                .flat_map(|(_, origin)| self.copies(Kind::Memory, *origin))
                .filter_map(|id| self.memory(id))
                .map(|row| row.body.number),
        );
        numbers.extend(
            slice
                .rules
                .iter()
                .filter_map(|(domain, key)| self.open_rule(domain, key))
                .map(|row| row.body.number),
        );
        for content in &slice.contents {
            let folded = text::fold(content);
            numbers.extend(
                self.hashed(content_hash(content))
                    .filter(|row| row.is_open() && text::fold(&row.body.claim.content) == folded)
                    .map(|row| row.body.number),
            );
        }
        numbers
    }
}
