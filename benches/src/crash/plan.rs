//! What a lane of the child does next: drawn from a seed, among what it may do with the facts and chats
//! that are its own.

use keepmind::{Number, UndoToken};

use crate::workload::Random;

/// What to do next, and how often, out of the sum of all.
const WEIGHTS: [(Next, usize); 15] = [
    (Next::Save, 20),
    (Next::Update, 14),
    (Next::Forget, 6),
    (Next::Trash, 4),
    (Next::Restore, 6),
    (Next::Purge, 2),
    (Next::Undo, 10),
    (Next::Redo, 8),
    (Next::Open, 5),
    (Next::Push, 30),
    (Next::Close, 9),
    (Next::CloseWhilePushing, 6),
    (Next::Resume, 4),
    (Next::TrashOrRestoreSession, 6),
    (Next::PurgeSession, 1),
];
const THINGS: [&str; 8] = [
    "lantern", "basket", "ladder", "kettle", "blanket", "whistle", "mirror", "anchor",
];
const PLACES: [&str; 6] = ["porch", "attic", "cellar", "shed", "hallway", "balcony"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    Save,
    Update,
    Forget,
    Trash,
    Restore,
    Purge,
    Undo,
    Redo,
    Open,
    Push,
    Close,
    CloseWhilePushing,
    Resume,
    TrashOrRestoreSession,
    PurgeSession,
}

/// Draws what a lane does. No two lanes of any two cycles say the same words.
#[derive(Debug)]
pub struct Plan {
    random: Random,
    mark: String,
    said: u64,
}

impl Plan {
    pub fn new(seed: u64, cycle: u64, lane: u64) -> Self {
        Plan {
            random: Random::of(&[seed, cycle, 3, lane]),
            mark: format!("c{cycle}l{lane}"),
            said: 0,
        }
    }

    pub fn next(&mut self) -> Next {
        let sum = WEIGHTS.iter().map(|(_, weight)| weight).sum();
        let mut drawn = self.random.below(sum);
        for (next, weight) in WEIGHTS {
            match drawn.checked_sub(weight) {
                Some(rest) => drawn = rest,
                None => return next,
            }
        }
        Next::Save
    }

    /// A sentence that nobody has said: its mark is looked for when it was purged.
    pub fn sentence(&mut self) -> String {
        self.said += 1;
        format!(
            "The {} marked {}n{} belongs to the {}",
            self.random.choose(&THINGS),
            self.mark,
            self.said,
            self.random.choose(&PLACES),
        )
    }

    /// One that fits, of the last few: so that things happen to the same one.
    pub fn pick<T>(&mut self, from: &[T], fits: impl Fn(&T) -> bool) -> Option<usize> {
        let mut places: Vec<usize> = (0..from.len())
            .filter(|place| fits(&from[*place]))
            .collect();
        let recent = places.len().saturating_sub(6);
        let recent = places.split_off(recent);
        (!recent.is_empty()).then(|| recent[self.random.below(recent.len())])
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.random.below(bound)
    }
}

/// A fact of a lane's, as far as it must know it to ask for what may be asked.
#[derive(Debug, Clone)]
pub struct OwnFact {
    pub number: Number,
    pub state: FactState,
    /// The last write, while it can be undone, or its undo redone.
    pub last: Option<LastWrite>,
}

#[derive(Debug, Clone, Copy)]
pub struct LastWrite {
    pub token: UndoToken,
    pub is_undone: bool,
    /// What the fact is once the write is undone, or redone.
    pub other: FactState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactState {
    Live,
    /// Forgotten or in the trash: can be restored.
    Aside,
    /// Undone or purged.
    Out,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_same_seed_plans_the_same_and_no_sentence_twice() {
        let draw = |seed, cycle, lane| {
            let mut plan = Plan::new(seed, cycle, lane);
            let steps: Vec<Next> = (0..50).map(|_| plan.next()).collect();
            (steps, plan.sentence())
        };
        assert_eq!(draw(1, 2, 3), draw(1, 2, 3));
        assert_ne!(draw(1, 2, 3).0, draw(2, 2, 3).0);
        let sentences: BTreeSet<String> = (0..4)
            .flat_map(|place| {
                let mut plan = Plan::new(1, place / 2, place % 2);
                (0..20).map(move |_| plan.sentence()).collect::<Vec<_>>()
            })
            .collect();
        assert_eq!(sentences.len(), 80);
    }
}
