//! Which rows may be in the block, and which go first when not all of them fit.
//! How much fits is the budget's business; in what order they are shown, the layout's.

use std::collections::BTreeSet;

use crate::confidence;
use crate::memory::Authority;
use crate::order;
use crate::plan;
use crate::policy::Policy;
use crate::row::MemoryRow;
use crate::timestamp::Timestamp;
use crate::visibility::{Visibility, visibility};

use super::line::Line;

/// A row that may be in the block, with its line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate<'a> {
    pub(super) row: &'a MemoryRow,
    pub(super) line: &'a Line,
    /// What decides who goes first, in one number: a block compares every row with many others.
    rank: u128,
}

impl Candidate<'_> {
    /// Where it stands among all that are shown: by heading, then by number.
    pub(super) fn place(&self) -> impl Ord + use<> {
        (self.line.section, self.number())
    }

    /// Where it stands in order of number. The version and id only matter for rows that no store would
    /// hold live together.
    fn number(&self) -> impl Ord + use<> {
        (self.row.body.number, self.row.body.version, self.row.id)
    }
}

/// The rows that may be in the block, those that go first in front.
///
/// They are live, outside the excluded domains, and explicit or at least as sure as the inject floor.
pub(super) fn candidates<'a>(
    lines: impl Iterator<Item = (&'a MemoryRow, &'a Line)>,
    policy: &Policy,
    excluded_domains: &BTreeSet<String>,
    now: Timestamp,
) -> Vec<Candidate<'a>> {
    let lines: Vec<(&MemoryRow, &Line)> = lines.collect();
    let floors = plan::floors(lines.iter().map(|(row, _)| *row), policy);
    let floor = |row: &MemoryRow| floors.get(&row.body.claim.category).copied();
    let mut found: Vec<Candidate<'a>> = lines
        .into_iter()
        .filter_map(|(row, line)| {
            let floor = floor(row).unwrap_or(policy.floors.inject);
            candidate(row, line, floor, policy, excluded_domains, now)
        })
        .collect();
    order::sort_by(&mut found, |one, other| {
        // What is left of ties goes by number, so that the order is total and does not depend on how
        // the rows came.
        let later = || one.number().cmp(&other.number());
        other.rank.cmp(&one.rank).then_with(later)
    });
    found
}

fn candidate<'a>(
    row: &'a MemoryRow,
    line: &'a Line,
    floor: f64,
    policy: &Policy,
    excluded_domains: &BTreeSet<String>,
    now: Timestamp,
) -> Option<Candidate<'a>> {
    let claim = &row.body.claim;
    let excluded = |domain: &String| excluded_domains.contains(domain);
    if visibility(row, now) != Visibility::Live || claim.domain.as_ref().is_some_and(excluded) {
        return None;
    }
    let confidence = confidence::effective(row, policy, now);
    let is_explicit = claim.source.is_explicit();
    if !is_explicit && confidence < floor {
        return None;
    }
    Some(Candidate {
        row,
        line,
        rank: rank(
            claim.authority == Authority::Rule,
            is_explicit,
            row.marks.importance * confidence,
            row.recorded_at,
        ),
    })
}

/// Rules first, then what was said on purpose, then by weight, then the newest.
fn rank(is_rule: bool, is_explicit: bool, weight: f64, recorded_at: Timestamp) -> u128 {
    let flags = u128::from(is_rule) << 1 | u128::from(is_explicit);
    // The bits of numbers that are not negative are in the order of the numbers.
    let weight = u128::from(weight.max(0.0).to_bits());
    let since = recorded_at.as_micros() - Timestamp::MIN.as_micros();
    flags << 126 | weight << 62 | u128::from(since.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inject::tests::{day, note};
    use crate::memory::{Layer, Source};
    use crate::model::ApproximateTokens;
    use crate::row::{End, Why};

    fn numbers(rows: &[MemoryRow]) -> Vec<u64> {
        let excluded = BTreeSet::from(["health".to_owned()]);
        let policy = Policy::advisor();
        let lines: Vec<(&MemoryRow, Line)> = rows
            .iter()
            .filter_map(|row| Some((row, Line::of(row, &policy, &ApproximateTokens)?)))
            .collect();
        let lines = lines.iter().map(|(row, line)| (*row, line));
        candidates(lines, &policy, &excluded, day(10))
            .iter()
            .map(|candidate| candidate.row.body.number.get())
            .collect()
    }

    fn with(number: u64, change: impl FnOnce(&mut MemoryRow)) -> MemoryRow {
        let mut row = note(number, "fact", "likes tea");
        change(&mut row);
        row
    }

    fn extracted(number: u64, confidence: Option<f64>) -> MemoryRow {
        with(number, |row| {
            row.body.claim.source = Source::Extracted;
            row.marks.confidence = confidence;
        })
    }

    #[test]
    fn only_what_is_believed_and_wanted_is_a_candidate() {
        let rows = [
            with(1, |_| {}),
            with(2, |row| row.body.claim.held = true),
            with(3, |row| row.body.claim.expires_at = Some(day(10))),
            with(4, |row| row.body.claim.expires_at = Some(day(11))),
            with(5, |row| {
                row.end = Some(End {
                    at: day(9),
                    why: Why::Forgotten,
                });
            }),
            with(6, |row| row.body.claim.category = "nowhere".to_owned()),
            with(7, |row| row.body.claim.layer = Layer::Episode),
            with(8, |row| row.body.claim.layer = Layer::Digest),
            with(9, |row| row.body.claim.domain = Some("health".to_owned())),
            with(10, |row| row.body.claim.domain = Some("food".to_owned())),
            extracted(11, Some(0.69)),
            extracted(12, Some(0.9)),
            extracted(13, None),
            // Decayed below the floor by the tenth day.
            with(14, |row| {
                row.body.claim.source = Source::Derived;
                row.body.claim.category = "response_style".to_owned();
                row.marks.confidence = Some(0.72);
            }),
            with(15, |row| row.marks.confidence = Some(0.1)),
        ];
        let mut found = numbers(&rows);
        found.sort_unstable();
        assert_eq!(found, [1, 4, 10, 12, 13, 15]);
    }

    #[test]
    fn a_value_equal_to_the_floor_passes_it() {
        let mut row = extracted(1, Some(0.7));
        row.body.claim.category = "profile".to_owned();
        assert_eq!(numbers(&[row]), [1]);
    }

    #[test]
    fn rules_go_first_then_the_explicit_the_weighty_the_new_and_the_low_numbers() {
        let rows = [
            with(1, |_| {}),
            with(2, |_| {}),
            with(3, |row| row.recorded_at = day(1)),
            with(4, |row| row.marks.importance = 0.6),
            extracted(5, Some(0.9)),
            with(6, |row| {
                row.body.claim.source = Source::Extracted;
                row.marks.confidence = Some(1.0);
                row.marks.importance = 1.0;
            }),
            with(7, |row| {
                row.body.claim.authority = Authority::Rule;
                row.marks.importance = 0.0;
            }),
        ];
        assert_eq!(numbers(&rows), [7, 4, 3, 1, 2, 6, 5]);
    }
}
