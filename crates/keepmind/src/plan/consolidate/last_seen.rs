//! How far what was seen had come when a habit ended: up to there it does not bring the habit back.

use std::collections::{BTreeMap, BTreeSet};

use crate::ids::ObservationId;
use crate::memory::Evidence;
use crate::order::Gather;
use crate::plan::consolidate::pattern::Sighting;
use crate::row::MemoryRow;
use crate::text;
use crate::timestamp::Timestamp;

/// Looks for what was last seen of the behaviour that a fact was concluded from.
///
/// Not only among what the fact cites: a habit goes on being seen after it became one.
#[derive(Debug)]
pub(crate) struct LastSeen {
    said: BTreeSet<String>,
    cited: BTreeSet<ObservationId>,
    /// Where the fact has ended already: what was seen later is new.
    until: Option<Timestamp>,
    groups: BTreeMap<String, Group>,
}

#[derive(Debug)]
struct Group {
    is_it: bool,
    last: (Timestamp, ObservationId),
}

impl LastSeen {
    /// Of a fact, by all its versions and by what it has taken up; nothing where none was concluded from what a
    /// host saw.
    pub(crate) fn of(versions: &[MemoryRow], absorbed: &[MemoryRow]) -> Option<Self> {
        let rows = || versions.iter().chain(absorbed);
        let pieces = rows().flat_map(|row| &row.body.claim.evidence);
        let cited: BTreeSet<ObservationId> = pieces
            .filter_map(|piece| match piece {
                Evidence::Observation { id } => Some(*id),
                Evidence::Quote { .. } => None,
            })
            .gather();
        let said = rows();
        let said = said.map(|row| text::fold(&row.body.claim.content));
        (!cited.is_empty()).then(|| LastSeen {
            said: said.gather(),
            cited,
            until: versions.last().and_then(|row| row.end).map(|end| end.at),
            groups: BTreeMap::new(),
        })
    }

    /// Takes note of something that was seen.
    pub(crate) fn add(&mut self, sighting: &Sighting) {
        let seen = sighting.seen();
        if self.until.is_some_and(|until| seen.0 > until) {
            return;
        }
        let says_it = || self.said.contains(&text::fold(&sighting.content()));
        let is_it = self.cited.contains(&seen.1) || says_it();
        let group = self
            .groups
            .entry(sighting.group())
            .or_insert(Group { is_it, last: seen });
        group.is_it |= is_it;
        group.last = group.last.max(seen);
    }

    /// The last observation of each behaviour that makes the fact.
    pub(crate) fn finish(self) -> Vec<ObservationId> {
        let groups = self.groups.into_values();
        let its_own = groups.filter(|group| group.is_it);
        its_own.map(|group| group.last.1).collect()
    }
}
