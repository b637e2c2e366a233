//! Where evidence stands, and the tombstones that keep it from being learned again.

use crate::ids::{MessageNumber, Number, ObservationId, SessionId};
use crate::memory::{Evidence, Span};
use crate::plan::{Planner, Planning};
use crate::row::{Body, Kind, State, Why};
use crate::tombstone::Tombstone;

/// A range of one message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Stretch {
    pub session: SessionId,
    pub message: MessageNumber,
    pub span: Span,
}

impl Stretch {
    pub(super) fn overlaps(self, other: Stretch) -> bool {
        self.session == other.session
            && self.message == other.message
            && self.span.overlaps(other.span)
    }

    /// Where an observation stands: it is a place of its own.
    pub(super) fn of_observation(id: ObservationId) -> Self {
        Stretch {
            session: observed(id),
            message: MessageNumber::FIRST,
            span: Span { start: 0, end: 1 },
        }
    }

    pub(super) fn of_tombstone(tombstone: &Tombstone) -> Self {
        Stretch {
            session: tombstone.session,
            message: tombstone.message,
            span: tombstone.span,
        }
    }
}

/// What stands for a chat in the tombstone of an observation.
pub(super) fn observed(id: ObservationId) -> SessionId {
    SessionId::new(id.uuid())
}

/// The ranges that pieces of evidence quote.
pub(super) fn stretches(evidence: &[Evidence]) -> impl Iterator<Item = Stretch> {
    evidence.iter().filter_map(|piece| match *piece {
        Evidence::Quote {
            session,
            message,
            span,
            ..
        } => Some(Stretch {
            session,
            message,
            span,
        }),
        Evidence::Observation { .. } => None,
    })
}

impl Planner<'_> {
    /// Whether a tombstone in force covers any part of a range.
    pub(super) fn is_entombed(&self, stretch: Stretch) -> bool {
        self.base()
            .tombstones()
            .any(|row| row.is_open() && Stretch::of_tombstone(&row.body).overlaps(stretch))
    }

    /// Lays tombstones for a fact on ranges, where the same is not laid already.
    pub(super) fn entomb(
        &mut self,
        number: Number,
        ranges: impl IntoIterator<Item = Stretch>,
    ) -> Planning<()> {
        let mut laid: Vec<Stretch> = self
            .base()
            .tombstones()
            .filter(|row| row.body.number == number)
            .filter(|row| {
                matches!(
                    self.draft.state(Kind::Tombstone, row.origin),
                    State::Live { .. }
                )
            })
            .map(|row| Stretch::of_tombstone(&row.body))
            .collect();
        for range in ranges {
            if laid.contains(&range) {
                continue;
            }
            laid.push(range);
            self.draft.insert(Body::Tombstone(Tombstone {
                number,
                session: range.session,
                message: range.message,
                span: range.span,
            }))?;
        }
        Ok(())
    }

    /// Everything that any version of a fact quotes, or of one that it has taken up, and what was last seen
    /// of it.
    pub(super) fn rests_on(&self, number: Number) -> Vec<Stretch> {
        let trail = self.findings.trails.get(&number);
        let seen = trail.into_iter().flat_map(|trail| &trail.seen);
        let absorbed = trail.into_iter().flat_map(|trail| &trail.absorbed);
        let absorbed = absorbed.filter_map(|id| self.base().memory(*id));
        self.base()
            .versions(number)
            .chain(absorbed)
            .flat_map(|row| stretches(&row.body.claim.evidence))
            .chain(seen.copied().map(Stretch::of_observation))
            .collect()
    }

    /// Lays tombstones on everything that a fact rests on.
    pub(super) fn entomb_fact(&mut self, number: Number) -> Planning<()> {
        let ranges = self.rests_on(number);
        self.entomb(number, ranges)
    }

    /// Lifts the tombstones in force that a test picks.
    pub(super) fn lift(&mut self, is_lifted: impl Fn(&Tombstone) -> bool) -> Planning<()> {
        let origins: Vec<_> = self
            .base()
            .tombstones()
            .filter(|row| row.is_open() && is_lifted(&row.body))
            .map(|row| row.origin)
            .collect();
        for origin in origins {
            self.draft.end(Kind::Tombstone, origin, Why::Discarded)?;
        }
        Ok(())
    }

    /// Lifts every tombstone that overlaps one of these ranges.
    pub(super) fn lift_over(&mut self, ranges: &[Stretch]) -> Planning<()> {
        self.lift(|tombstone| {
            let laid = Stretch::of_tombstone(tombstone);
            ranges.iter().any(|range| range.overlaps(laid))
        })
    }
}
