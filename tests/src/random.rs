//! Numbers without a pattern, the same for the same seed.

use std::env;

use keepmind::{IdSource, Uuid};

/// Numbers without a pattern (SplitMix64): equal seeds give equal runs on every machine.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Begins at a seed.
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`; 0 when there is none.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.bits() % bound.max(1) as u64) as usize
    }

    /// A number from `low` up to but without `high`.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low) as usize) as i64
    }

    /// True so many times out of a hundred.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Something, so many times out of a hundred.
    pub fn sometimes<T>(&mut self, percent: usize, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.chance(percent) {
            Some(make(self))
        } else {
            None
        }
    }

    /// One of these, where there are any.
    pub fn pick<T: Clone>(&mut self, items: &[T]) -> Option<T> {
        items.get(self.below(items.len())).cloned()
    }

    /// One of these, which are not none.
    pub fn one_of<T: Clone>(&mut self, items: &[T]) -> T {
        self.pick(items).expect("something to pick from")
    }

    /// A number from 0 to 1, in steps that are no round binary fractions.
    pub fn fraction(&mut self) -> f64 {
        self.below(1_001) as f64 / 1_000.0
    }
}

/// Ids in no order: what a set means must not depend on which of its rows sorts first.
impl IdSource for Random {
    fn next_id(&mut self) -> Uuid {
        Uuid::from_u64_pair(self.bits(), self.bits())
    }
}

/// A number from the environment, or the one that stands in for it.
pub fn setting(name: &str, otherwise: u64) -> u64 {
    match env::var(name) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{name} must be a number, not {text:?}")),
        Err(_) => otherwise,
    }
}
