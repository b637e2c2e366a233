//! What a fact has taken up because it said the same: it ends with the fact.

use std::collections::BTreeSet;

use crate::change::Snapshot;
use crate::ids::{Number, Origin, RowId};
use crate::memory::Layer;
use crate::order::Gather;
use crate::row::{Kind, MemoryRow, Row, Why};

/// The rows, of those that were read, that a fact has taken up, or that were taken up by such a row. Of a fact
/// that ended in this way, all versions. What was parted again by an undo is not among them.
pub(crate) fn absorbed_by(seen: &Snapshot, number: Number) -> BTreeSet<RowId> {
    let mut origins: BTreeSet<Origin> = seen.versions(number).map(|row| row.origin).gather();
    let mut absorbed: BTreeSet<RowId> = BTreeSet::new();
    loop {
        let before = absorbed.len();
        let others = seen.memories().filter(|row| row.body.number != number);
        for row in others.filter(|row| row.body.claim.layer == Layer::Fact) {
            let last = seen.last_copy(Kind::Memory, row.origin);
            let last = last.and_then(Row::into_memory);
            if !last.is_some_and(|last| is_taken_up(&last, &origins)) {
                continue;
            }
            absorbed.insert(row.id);
            let versions = || seen.versions(row.body.number);
            if versions()
                .last()
                .is_some_and(|last| is_taken_up(last, &origins))
            {
                absorbed.extend(versions().map(|row| row.id));
            }
        }
        if absorbed.len() == before {
            return absorbed;
        }
        let rows = absorbed.iter().filter_map(|id| seen.memory(*id));
        origins.extend(rows.map(|row| row.origin));
    }
}

fn is_taken_up(row: &MemoryRow, by: &BTreeSet<Origin>) -> bool {
    let why = row.end.map(|end| end.why);
    matches!(why, Some(Why::Absorbed { by: Some(one), .. }) if by.contains(&one))
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::ids::Version;
    use crate::memory::{Claim, Marks, Memory};
    use crate::owner::OwnerState;
    use crate::row::End;
    use crate::timestamp::Timestamp;

    fn id(id: u128) -> RowId {
        RowId::new(Uuid::from_u128(id))
    }

    /// A version of a fact: its row, the row it is a copy of, and the row that has taken it up.
    fn row((number, version): (u64, u64), own: u128, origin: u128, by: Option<u128>) -> MemoryRow {
        let at = Timestamp::UNIX_EPOCH;
        let by = by.map(|by| Some(id(by).into()));
        let why = by.map(|by| Why::Absorbed { by, until: at });
        MemoryRow {
            id: id(own),
            origin: id(origin).into(),
            recorded_at: Timestamp::parse(&format!("2026-03-01T00:00:{own:02}Z")).unwrap(),
            end: why.map(|why| End { at, why }),
            marks: Marks::default(),
            body: Memory {
                number: Number::new(number).unwrap(),
                version: (1..version).fold(Version::FIRST, |last, _| last.next().unwrap()),
                claim: Claim::note("fact", "likes tea", at),
            },
        }
    }

    #[test]
    fn all_that_was_taken_up_step_by_step_is_found_and_nothing_that_came_back() {
        let mut seen = Snapshot::empty(OwnerState::NONE);
        for row in [
            row((1, 1), 1, 1, None),
            // Taken up by the first, after having said something else.
            row((2, 1), 2, 2, Some(90)),
            row((2, 2), 3, 3, Some(1)),
            // Taken up by one that was taken up.
            row((3, 1), 4, 4, Some(3)),
            // Parted again by an undo.
            row((4, 1), 5, 5, Some(1)),
            row((4, 2), 6, 5, None),
            // A candidate for a fact that stands.
            row((5, 1), 7, 7, None),
            row((5, 2), 8, 8, Some(1)),
            row((5, 3), 9, 9, None),
            // Another's.
            row((6, 1), 10, 10, Some(7)),
        ] {
            seen.put_memory(row);
        }
        let found = absorbed_by(&seen, Number::FIRST);
        assert_eq!(found, [2, 3, 4, 8].map(id).into());
    }
}
