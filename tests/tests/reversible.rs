//! Compaction can be taken back: whatever is deleted, nothing cites what is not there; and everything above the
//! raw layer is the same when it is made from scratch.

use std::collections::BTreeSet;

use keepmind::command::{Observe, Save};
use keepmind::{Clock as _, Layer, Number, Policy, Slice, Timestamp, UserMemory, Why};
use keepmind_tests::Random;
use keepmind_tests::chats::chat;
use keepmind_tests::host::{Host, on_every_store};
use serde_json::json;

const SAID: &[&str] = &[
    "I live in Lyon.",
    "I work as a nurse.",
    "My dog is called Rex.",
    "My favourite colour is green.",
    "My favourite colour is red.",
    "I like chess.",
    "I don't like chess any more.",
    "I play the cello.",
    "Please compare two trains to Oslo for me.",
];
const SEEN: &[&str] = &[
    "opened the calendar",
    "answered within a minute",
    "locked the screen",
];
const SAVED: &[&str] = &["Was born in Namur", "Speaks Danish", "Owns a red bicycle"];

/// Something that happens on a day, whoever it happens to.
#[derive(Debug, Clone, Copy)]
enum Raw {
    Said(&'static str),
    Seen(&'static str),
    Saved(&'static str),
}

fn raw(random: &mut Random) -> Raw {
    match random.below(6) {
        0..=2 => Raw::Said(SAID[random.below(SAID.len())]),
        3..=4 => Raw::Seen(SEEN[random.below(SEEN.len())]),
        _ => Raw::Saved(SAVED[random.below(SAVED.len())]),
    }
}

async fn happens(user: &UserMemory, raw: Raw) {
    match raw {
        Raw::Said(words) => {
            chat(user, words).await.close().await.unwrap();
        }
        Raw::Seen(what) => {
            user.observe(Observe::new("desktop", json!(what)))
                .await
                .unwrap();
        }
        Raw::Saved(content) => {
            user.save(Save::new(content)).await.unwrap();
        }
    }
}

fn policy() -> Policy {
    let mut policy = Policy::personal();
    policy.consolidation.observations = true;
    policy
}

/// What is believed, and what digests say, without numbers: they count what came and went.
async fn told(user: &UserMemory) -> (BTreeSet<String>, Vec<(String, BTreeSet<String>)>) {
    let rows = user.list(Default::default()).await.unwrap().rows;
    let facts = rows.into_iter();
    let facts = facts.filter(|row| row.body.claim.layer == Layer::Fact);
    let facts = facts.map(|row| row.body.claim.content).collect();
    let digests = user.digests().await.unwrap().into_iter();
    let digests = digests.map(|digest| {
        // What comes up often is counted in episodes, and those end with the facts of their day.
        let lines = digest.lines.into_iter().map(|line| line.text);
        let lines: BTreeSet<String> = lines.filter(|line| !line.starts_with("Comes up")).collect();
        (digest.title, lines)
    });
    let digests = digests.filter(|(_, lines)| !lines.is_empty());
    (facts, digests.collect())
}

/// Nothing cites what is not there, and no digest tells what has ended.
async fn is_sound(host: &Host, user: &UserMemory) {
    let store = host.keepmind.store();
    let all = store
        .load(user.owner(), &Slice::everything())
        .await
        .unwrap();
    for step in all.lineage() {
        assert!(all.memory(step.row).is_some() && all.memory(step.from).is_some());
    }
    let live: BTreeSet<Number> = user
        .list(Default::default())
        .await
        .unwrap()
        .rows
        .into_iter()
        .map(|row| row.body.number)
        .collect();
    for digest in user.digests().await.unwrap() {
        for line in digest.lines {
            assert!(
                line.cites.iter().all(|number| live.contains(number)),
                "{line:?}"
            );
        }
    }
    for row in all.memories() {
        if let Some(end) = row.end
            && let Why::Absorbed { by: Some(by), .. } = end.why
        {
            let copies = all.memories().filter(|other| other.origin == by);
            let is_gone = copies.count() == 0;
            let is_purged = all.journal().any(|entry| entry.line.contains("purged"));
            assert!(!is_gone || is_purged, "{}", host.store);
        }
    }
}

#[tokio::test]
async fn whatever_is_deleted_nothing_cites_what_is_not_there() {
    for seed in 0..12 {
        on_every_store(policy(), async |host| {
            let mut random = Random::new(seed);
            let alice = host.alice();
            let mut tokens = Vec::new();
            for _ in 0..40 {
                match random.below(10) {
                    0 => {
                        let done = alice.consolidate().await.unwrap();
                        tokens.extend(done.event.and_then(|event| event.undo));
                    }
                    1..=2 => {
                        let rows = alice.list(Default::default()).await.unwrap().rows;
                        if rows.is_empty() {
                            continue;
                        }
                        let number = rows[random.below(rows.len())].body.number;
                        let done = match random.below(3) {
                            0 => alice.forget(number).await,
                            1 => alice.trash(number).await,
                            _ => alice.purge(number).await,
                        };
                        let _ = done.unwrap();
                    }
                    3 => {
                        if let Some(token) = tokens.pop() {
                            // Refused once something it touched has changed again.
                            let _ = alice.undo(token).await;
                        }
                    }
                    _ => happens(&alice, raw(&mut random)).await,
                }
                host.seconds(3_600);
                is_sound(host, &alice).await;
            }
        })
        .await;
    }
}

#[tokio::test]
async fn from_scratch_everything_is_the_same() {
    for seed in 0..8 {
        on_every_store(policy(), async |host| {
            let alice = host.alice();
            let bob = host.keepmind.user("bob").unwrap();
            let mut random = Random::new(100 + seed);
            let mut happened = Vec::new();
            for _ in 0..30 {
                let raw = raw(&mut random);
                happened.push(raw);
                happens(&alice, raw).await;
                alice.consolidate().await.unwrap();
                happens(&bob, raw).await;
                host.seconds(4 * 3_600);
            }
            // What came in between can be let go of: it is made anew.
            let rows = alice.list(Default::default()).await.unwrap().rows;
            for row in rows
                .iter()
                .filter(|row| row.body.claim.layer == Layer::Episode)
            {
                alice.trash(row.body.number).await.unwrap();
            }
            alice.consolidate().await.unwrap();
            bob.consolidate().await.unwrap();
            let (one, other) = (told(&alice).await, told(&bob).await);
            assert_eq!(one, other, "{} seed {seed}: {happened:?}", host.store);
        })
        .await;
    }
}

#[tokio::test]
async fn a_clock_that_jumps_takes_nothing_away() {
    on_every_store(policy(), async |host| {
        let alice = host.alice();
        happens(&alice, Raw::Said("I live in Lyon.")).await;
        host.at("2031-01-01T00:00:00Z");
        for _ in 0..5 {
            happens(&alice, Raw::Seen("opened the calendar")).await;
        }
        alice.save("Was born in Namur").await.unwrap();
        alice.consolidate().await.unwrap();
        host.at("2026-03-02T09:00:00Z");
        let back: Timestamp = host.clock.now();
        happens(&alice, Raw::Said("I work as a nurse.")).await;
        alice.consolidate().await.unwrap();
        is_sound(host, &alice).await;
        let (facts, _) = told(&alice).await;
        assert!(
            facts.contains("Was born in Namur") && facts.contains("User works as a nurse"),
            "{back}: {facts:?}"
        );
    })
    .await;
}
