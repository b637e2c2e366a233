//! How far consolidations have looked. The journal says so, in the entry of the one that looked: what is kept
//! can be undone, purged and compiled anew, but what was looked at stays looked at.

use crate::event::EventKind;
use crate::ids::Number;
use crate::journal::{JournalEntry, Who};
use crate::order;
use crate::row::MemoryRow;
use crate::timestamp::Timestamp;

/// What stands between the count of rows and the last row, where there was no room for all.
const UP_TO: &str = ", up to ";
const OF: &str = " of ";

/// A place in the order in which rows come to be looked at. Many come at one moment: a file brings thousands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub came: Timestamp,
    pub number: Number,
}

impl Place {
    /// When a row came: a candidate comes anew whenever it is said again.
    fn of(row: &MemoryRow) -> Self {
        let said = row.marks.last_confirmed_at.filter(|_| row.body.claim.held);
        Place {
            came: said.map_or(row.recorded_at, |said| said.max(row.recorded_at)),
            number: row.body.number,
        }
    }
}

/// Where a consolidation stopped looking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LookedAt {
    /// The count of the revision that it wrote.
    pub revision: u64,
    /// When: all that was recorded before was there to be looked at.
    pub at: Timestamp,
    /// The last row that it had room for, where more waited.
    pub through: Option<Place>,
}

impl LookedAt {
    /// What an entry says of that: nothing where it is not one of a consolidation's.
    pub(crate) fn read(entry: &JournalEntry) -> Option<Self> {
        let told = entry.line.strip_prefix(EventKind::Consolidated.word())?;
        let (count, rest) = told.strip_prefix(' ')?.split_once(" rows")?;
        let is_counted = !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit());
        let through = match rest {
            "" => None,
            rest => {
                let (number, came) = rest.strip_prefix(UP_TO)?.split_once(OF)?;
                let number = number.strip_prefix('#')?.parse().ok()?;
                Some(Place {
                    came: Timestamp::parse(came).ok()?,
                    number: Number::new(number)?,
                })
            }
        };
        let is_one = entry.who == Who::Consolidator && is_counted;
        is_one.then_some(LookedAt {
            revision: entry.revision,
            at: entry.stamp,
            through,
        })
    }

    /// Whether a row was not looked at.
    pub(crate) fn is_before(&self, row: &MemoryRow) -> bool {
        let place = Place::of(row);
        match self.through {
            Some(through) => place > through,
            None => place.came > self.at,
        }
    }
}

/// What a consolidation does, as the journal tells it.
pub(super) fn told(count: usize, through: Option<Place>) -> String {
    match through {
        None => format!("{count} rows"),
        Some(Place { came, number }) => format!("{count} rows{UP_TO}{number}{OF}{came}"),
    }
}

/// What is looked at, and the last of it where more waits than there is room for.
#[derive(Debug, PartialEq)]
pub(crate) struct Choice<'a> {
    pub rows: Vec<&'a MemoryRow>,
    pub through: Option<Place>,
}

/// Chooses what a consolidation looks at: what came since the last one, first come first; then the candidates
/// that wait on, those that wait the longest in front. In the order in which it became true.
pub(crate) fn choose<'a>(
    held: &'a [MemoryRow],
    facts: &[&'a MemoryRow],
    last: Option<&LookedAt>,
    most: usize,
) -> Choice<'a> {
    let is_new = |row: &&MemoryRow| last.is_none_or(|last| last.is_before(row));
    let (mut new, mut waiting): (Vec<&MemoryRow>, Vec<&MemoryRow>) = held.iter().partition(is_new);
    new.extend(facts.iter().copied().filter(is_new));
    let order = |row: &&MemoryRow| (Place::of(row), row.id);
    order::sort_by_key(&mut new, order);
    order::sort_by_key(&mut waiting, order);
    let mut room = most.min(new.len());
    // What stands at one place is looked at together.
    while room > 0 && new.get(room).map(|row| Place::of(row)) == Some(Place::of(new[room - 1])) {
        room += 1;
    }
    let is_cut = room < new.len();
    new.truncate(room);
    let through = new.last().filter(|_| is_cut).map(|row| Place::of(row));
    let mut rows = new;
    let left = most.saturating_sub(rows.len());
    rows.extend(waiting.into_iter().take(left));
    // What was true first is looked at first, so that what came later is held against it.
    order::sort_by_key(&mut rows, |row| {
        (row.body.claim.valid_from, row.body.number, row.id)
    });
    Choice { rows, through }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;
    use crate::ids::{OperationId, RowId, Version};
    use crate::memory::{Claim, Marks, Memory};

    fn moment(second: u64) -> Timestamp {
        Timestamp::UNIX_EPOCH.saturating_add(std::time::Duration::from_secs(second))
    }

    fn row(number: u64, came: u64, held: bool) -> MemoryRow {
        let id = RowId::new(Uuid::from_u128(u128::from(number)));
        let mut claim = Claim::note("fact", "likes tea", Timestamp::UNIX_EPOCH);
        claim.held = held;
        MemoryRow {
            id,
            origin: id.into(),
            recorded_at: moment(came),
            end: None,
            marks: Marks::default(),
            body: Memory {
                number: Number::new(number).unwrap(),
                version: Version::FIRST,
                claim,
            },
        }
    }

    fn entry(line: &str) -> JournalEntry {
        JournalEntry {
            revision: 7,
            operation: OperationId::new(Uuid::nil()),
            stamp: moment(50),
            who: Who::Consolidator,
            session: None,
            group: None,
            effects: Vec::new(),
            undoes: Default::default(),
            redoes: Default::default(),
            line: line.to_owned(),
        }
    }

    #[test]
    fn what_is_told_is_read_again_and_nothing_else_is() {
        let through = Some(Place {
            came: moment(5),
            number: Number::new(12).unwrap(),
        });
        for through in [None, through] {
            let line = format!("consolidated {}", told(3, through));
            let read = LookedAt::read(&entry(&line)).unwrap();
            assert_eq!((read.revision, read.at), (7, moment(50)), "{line}");
            assert_eq!(read.through, through, "{line}");
        }
        for line in [
            "compiled 3 digests",
            "consolidated",
            "consolidated  rows",
            "consolidated many rows",
            "consolidated 3 rows more",
            "consolidated 3 rows, up to 12 of 2026-03-01T00:00:00Z",
            "consolidated 3 rows, up to #0 of 2026-03-01T00:00:00Z",
            "consolidated 3 rows, up to #12 of then",
            "undone consolidated 3 rows",
        ] {
            assert_eq!(LookedAt::read(&entry(line)), None, "{line}");
        }
        let mut users = entry("consolidated 3 rows");
        users.who = Who::User;
        assert_eq!(LookedAt::read(&users), None);
    }

    #[test]
    fn candidates_that_wait_leave_room_for_what_is_new() {
        let held: Vec<MemoryRow> = (1..9).map(|number| row(number, 1, true)).collect();
        let new = row(20, 60, false);
        let last = LookedAt::read(&entry("consolidated 8 rows")).unwrap();
        let choice = choose(&held, &[&new], Some(&last), 4);
        assert_eq!(choice.through, None);
        let numbers: Vec<u64> = choice
            .rows
            .iter()
            .map(|row| row.body.number.get())
            .collect();
        assert_eq!(numbers, [1, 2, 3, 20]);
    }

    proptest! {
        #[test]
        fn everything_is_looked_at_sooner_or_later(
            came in prop::collection::vec((0_u64..6, any::<bool>()), 0..40),
            most in 1_usize..8,
        ) {
            let rows: Vec<MemoryRow> = came
                .iter()
                .zip(1..)
                .map(|((came, held), number)| row(number, *came, *held))
                .collect();
            let held: Vec<MemoryRow> =
                rows.iter().filter(|row| row.body.claim.held).cloned().collect();
            let facts: Vec<&MemoryRow> =
                rows.iter().filter(|row| !row.body.claim.held).collect();
            let mut last: Option<LookedAt> = None;
            let mut seen = std::collections::BTreeSet::new();
            for _ in 0..=rows.len() {
                let choice = choose(&held, &facts, last.as_ref(), most);
                prop_assert!(choice.rows.len() <= most);
                seen.extend(choice.rows.iter().map(|row| row.id));
                let line = format!("consolidated {}", told(0, choice.through));
                last = LookedAt::read(&entry(&line));
                if choice.through.is_none() {
                    break;
                }
            }
            prop_assert_eq!(seen.len(), rows.len());
        }
    }
}
