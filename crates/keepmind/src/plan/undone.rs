//! What taking writes back says of itself: the facts that they touched, and what they did to each.

use std::collections::BTreeMap;

use crate::event::EventKind;
use crate::ids::{Number, Origin};
use crate::journal::JournalEntry;
use crate::memory::Layer;
use crate::row::{Kind, MemoryRow, State, Why};

/// How many are named; of the others it is said that there are more.
const MOST_NAMED: usize = 5;

/// The facts that writes touched, in the order of their numbers, each with what was done to it.
pub(super) fn touched(
    entries: &[&JournalEntry],
    memory: impl Fn(Origin) -> Option<MemoryRow>,
) -> Vec<(Number, &'static str)> {
    let mut touched: BTreeMap<Number, Deed> = BTreeMap::new();
    for effect in entries.iter().flat_map(|entry| &entry.effects) {
        let row = Some(effect.origin).filter(|_| effect.kind == Kind::Memory);
        let row = row.and_then(&memory);
        let Some(row) = row.filter(|row| row.body.claim.layer == Layer::Fact) else {
            continue;
        };
        let deed = touched.entry(row.body.number).or_default();
        match (&effect.before, &effect.after) {
            (State::Absent, State::Live { .. }) => deed.is_made = true,
            (State::Ended { .. }, State::Live { .. }) => deed.is_back = true,
            (_, State::Ended { why, .. }) => deed.end = Some(*why),
            (_, State::Live { .. } | State::Absent) => {}
        }
    }
    let told = touched.into_iter();
    told.map(|(number, deed)| (number, deed.word())).collect()
}

/// `3 changes: saved #1, updated #4, forgot #5`.
pub(super) fn line(touched: &[(Number, &'static str)]) -> String {
    let named = touched.iter().take(MOST_NAMED);
    let mut named: Vec<String> = named
        .map(|(number, word)| format!("{word} {number}"))
        .collect();
    if touched.len() > MOST_NAMED {
        named.push("…".to_owned());
    }
    format!("{} changes: {}", touched.len(), named.join(", "))
}

/// What was done to one fact.
#[derive(Default)]
struct Deed {
    is_made: bool,
    is_back: bool,
    end: Option<Why>,
}

impl Deed {
    fn word(&self) -> &'static str {
        match (self.is_made, self.end) {
            (true, None) => EventKind::Saved.word(),
            (true, Some(_)) => EventKind::Updated.word(),
            (false, _) if self.is_back => EventKind::Restored.word(),
            (false, Some(Why::Forgotten)) => EventKind::Forgotten.word(),
            (false, Some(Why::Trashed)) => EventKind::Trashed.word(),
            (false, Some(_)) => "ended",
            (false, None) => "changed",
        }
    }
}
