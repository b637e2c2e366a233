//! Who the owners are: most have said little, few have said much. Made from a seed, the same in every run.

use crate::workload::Random;

/// Three quarters of what is known is known of a fifth of the owners.
const EXPONENT: f64 = 1.16;
const MOST_FACTS: u32 = 500;
/// How many facts come of a chat.
const FACTS_OF_A_CHAT: u32 = 25;

/// The owners of a fleet, by what is known of each.
#[derive(Debug)]
pub struct Population {
    seed: u64,
    facts: Vec<u32>,
}

/// Whom one meets.
#[derive(Debug, Clone, Copy)]
pub enum Draw {
    /// Who has said much is met often: whoever talks.
    ByFacts,
    /// Everybody alike: the sweep.
    Evenly,
}

impl Population {
    pub fn new(seed: u64, owners: usize) -> Self {
        Population {
            seed,
            facts: (0..owners).map(|owner| facts_of(seed, owner)).collect(),
        }
    }

    /// How many facts an owner has.
    pub fn facts(&self, owner: usize) -> u32 {
        self.facts.get(owner).copied().unwrap_or(1)
    }

    /// How many of the facts come of each chat of an owner, in order.
    pub fn chats(&self, owner: usize) -> Vec<u32> {
        let facts = self.facts(owner);
        let chats = facts.div_ceil(FACTS_OF_A_CHAT);
        (0..chats)
            .map(|chat| (facts - chat * FACTS_OF_A_CHAT).min(FACTS_OF_A_CHAT))
            .collect()
    }

    /// How much those know of whom so many are drawn among the first owners, nobody twice; from little to much.
    pub fn drawn(&self, among: usize, count: usize, draw: Draw) -> Vec<u32> {
        // The largest u^(1/w) are a draw without repetition by the weights w.
        let key = |owner: usize| {
            let weight = match draw {
                Draw::ByFacts => f64::from(self.facts(owner)),
                Draw::Evenly => 1.0,
            };
            let chance = Random::of(&[12, self.seed, owner as u64]).unit();
            chance.powf(1.0 / weight)
        };
        let mut owners: Vec<(f64, u32)> = (0..among)
            .map(|owner| (key(owner), self.facts(owner)))
            .collect();
        owners.sort_by(|one, other| other.0.total_cmp(&one.0));
        let mut facts: Vec<u32> = owners
            .into_iter()
            .take(count)
            .map(|(_, facts)| facts)
            .collect();
        facts.sort_unstable();
        facts
    }

    /// Owners of whom as much is known, anywhere among so many, nobody twice: so that fleets of all sizes are asked
    /// the same of the same kind of owners. `turn` picks others.
    pub fn like(&self, facts: &[u32], among: usize, turn: u64) -> Vec<usize> {
        let chance =
            |owner: usize| Random::of(&[13, self.seed, turn, among as u64, owner as u64]).next();
        let mut owners: Vec<usize> = (0..among).collect();
        owners.sort_by_cached_key(|&owner| (self.facts(owner), chance(owner)));
        let mut next = 0;
        let mut picked = Vec::with_capacity(facts.len());
        for &wanted in facts {
            let first = owners.partition_point(|&owner| self.facts(owner) < wanted);
            next = next.max(first);
            picked.extend(owners.get(next));
            next += 1;
        }
        picked.sort_by_cached_key(|&owner| chance(owner));
        picked
    }

    /// How much is known of the first owners, in words.
    pub fn told(&self, among: usize) -> String {
        let mut facts: Vec<u32> = self.facts.iter().take(among).copied().collect();
        facts.sort_unstable();
        let at = |share: f64| facts[((facts.len() - 1) as f64 * share) as usize];
        let few = facts.partition_point(|&facts| facts <= 3) as f64 / facts.len() as f64;
        let all: u64 = facts.iter().map(|&facts| u64::from(facts)).sum();
        format!(
            "facts of an owner: {:.0} % have 1 to 3, mean {:.1}, p50 {}, p95 {}, p99 {}, most {}",
            few * 100.0,
            all as f64 / facts.len() as f64,
            at(0.5),
            at(0.95),
            at(0.99),
            at(1.0)
        )
    }
}

fn facts_of(seed: u64, owner: usize) -> u32 {
    // Never 0: nobody is an owner of whom nothing is known.
    let chance = 1.0 - Random::of(&[11, seed, owner as u64]).unit();
    (chance.powf(-1.0 / EXPONENT) as u32).clamp(1, MOST_FACTS)
}

/// A tenth and a hundredth of the owners first, where enough are left to pick from.
pub fn sizes(owners: usize) -> Vec<usize> {
    const FEWEST: usize = 200;
    [owners / 100, owners / 10, owners]
        .into_iter()
        .filter(|&size| size >= FEWEST || size == owners)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_owners_have_little_and_few_have_much() {
        let population = Population::new(1, 20_000);
        let share = |least: u32| {
            let many = population.facts.iter().filter(|facts| **facts >= least);
            many.count() as f64 / 20_000.0
        };
        assert!((0.15..0.25).contains(&share(4)), "{}", share(4));
        assert!((0.002..0.01).contains(&share(100)), "{}", share(100));
        assert_eq!(share(MOST_FACTS + 1), 0.0);
        assert_eq!(population.facts, Population::new(1, 20_000).facts);
        assert_ne!(population.facts, Population::new(2, 20_000).facts);
    }

    #[test]
    fn the_facts_of_the_chats_are_all_facts() {
        let population = Population::new(3, 5_000);
        for owner in 0..5_000 {
            let chats = population.chats(owner);
            assert!(!chats.is_empty() && chats.iter().all(|facts| *facts > 0));
            assert_eq!(chats.iter().sum::<u32>(), population.facts(owner));
        }
    }

    #[test]
    fn fleets_of_all_sizes_are_asked_of_owners_alike() {
        let population = Population::new(1, 10_000);
        let wanted = population.drawn(1_000, 100, Draw::ByFacts);
        let evenly = population.drawn(1_000, 100, Draw::Evenly);
        let mean = |facts: &[u32]| f64::from(facts.iter().sum::<u32>()) / facts.len() as f64;
        assert!(mean(&wanted) > 2.0 * mean(&evenly));
        for among in [1_000, 10_000] {
            for turn in 0..3 {
                let owners = population.like(&wanted, among, turn);
                let mut distinct = owners.clone();
                distinct.sort_unstable();
                distinct.dedup();
                assert_eq!(distinct.len(), 100);
                let facts: Vec<u32> = owners
                    .iter()
                    .map(|owner| population.facts(*owner))
                    .collect();
                let ratio = mean(&facts) / mean(&wanted);
                assert!((1.0..1.2).contains(&ratio), "{ratio}");
            }
        }
        let (one, other) = (
            population.like(&wanted, 10_000, 0),
            population.like(&wanted, 10_000, 1),
        );
        assert_ne!(one, other);
    }

    #[test]
    fn sizes_grow_tenfold_as_long_as_there_are_enough() {
        assert_eq!(sizes(100_000), [1_000, 10_000, 100_000]);
        assert_eq!(sizes(2_000), [200, 2_000]);
        assert_eq!(sizes(50), [50]);
    }
}
