//! Hosts and models at random through the front door: the same steps on every store, comparing every
//! outcome and every answer, with what the engine promises checked after each step.
//!
//! `KEEPMIND_SEED`, `KEEPMIND_LIVES` and `KEEPMIND_STEPS` choose another run; a failure says which.

#[path = "engine_random/promises.rs"]
mod promises;
#[path = "engine_random/side.rs"]
mod side;
#[path = "engine_random/steps.rs"]
mod steps;

use std::collections::BTreeSet;

use keepmind::{EventKind, Policy};
use keepmind_tests::random::setting;
use keepmind_tests::{Random, stores};

use promises::Promises;
use side::Side;
use steps::{Known, Step};

/// Says which run it was when something fails, wherever it does.
struct Witness {
    seed: u64,
    life: u64,
    steps: Vec<Step>,
}

impl Drop for Witness {
    #[expect(clippy::print_stderr, reason = "a failure must say how to repeat it")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            let Witness { seed, life, steps } = self;
            eprintln!(
                "KEEPMIND_SEED={seed}, life {life}, {} steps, the last of them:",
                steps.len()
            );
            for (at, step) in steps
                .iter()
                .enumerate()
                .skip(steps.len().saturating_sub(40))
            {
                eprintln!("{at:4} {step:?}");
            }
        }
    }
}

/// Policies that differ in what the rules ask of them.
fn policy(life: u64) -> Policy {
    let mut policy = Policy::default();
    match life % 4 {
        1 => policy.retention.trash_days = 0,
        2 => policy.governance.without_consent = keepmind::policy::WithoutConsent::Propose,
        3 => return Policy::advisor(),
        _ => {}
    }
    policy
}

#[tokio::test]
async fn every_store_is_the_same_host_and_keeps_every_promise() {
    let seed = setting("KEEPMIND_SEED", 1);
    let lives = setting("KEEPMIND_LIVES", 4);
    let steps = setting("KEEPMIND_STEPS", 220);
    let mut kinds = BTreeSet::new();
    for life in 0..lives {
        live(seed, life, steps, &mut kinds).await;
    }
    let is_long = lives * steps >= 400;
    assert!(
        !is_long || kinds.len() >= 14,
        "too little happened: {kinds:?}"
    );
}

async fn live(seed: u64, life: u64, steps: u64, kinds: &mut BTreeSet<EventKind>) {
    let mut witness = Witness {
        seed,
        life,
        steps: Vec::new(),
    };
    let mut random = Random::new(seed.wrapping_mul(1_000_003).wrapping_add(life));
    let policy = policy(life);
    let mut sides = Vec::new();
    for backend in stores() {
        sides.push(Side::open(backend, policy.clone()).await);
    }
    let mut known = Known::new(&policy);
    let mut promises = Promises::new(sides[0].everything().await);
    for _ in 0..steps {
        let step = known.next(&mut random, promises.last());
        witness.steps.push(step.clone());
        let first = sides[0].take(&step).await;
        for side in &mut sides[1..] {
            let other = side.take(&step).await;
            assert_eq!(other.told, first.told, "{} tells something else", side.name);
        }
        let data = sides[0].everything().await;
        for side in &sides[1..] {
            assert!(
                side.everything().await == data,
                "{} holds something else",
                side.name
            );
        }
        promises.check(&sides[0], &step, &first, &data).await;
        kinds.extend(first.kind());
        known.learn(&step, &first);
        promises.learn(data);
        compare_answers(&sides, &mut random).await;
    }
    for side in &sides {
        side.keepmind.close().await.expect("a store can be closed");
    }
}

/// A question at random, the same for every store.
async fn compare_answers(sides: &[Side], random: &mut Random) {
    let question = steps::question(random, sides[0].now());
    let first = sides[0].ask(&question).await;
    for side in &sides[1..] {
        let other = side.ask(&question).await;
        assert_eq!(
            other, first,
            "{} answers something else to {question:?}",
            side.name
        );
    }
}
