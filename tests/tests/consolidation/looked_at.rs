//! How far consolidations have looked: nothing is left out for good, and nothing is looked at for nothing.

use keepmind::command::Observe;
use keepmind::export::Reader;
use keepmind::{MarkdownFate, Policy, Settling};
use keepmind_tests::host::on_every_store;
use serde_json::json;

use super::{BLUE, GREEN, facts, said, save};

#[tokio::test]
async fn what_came_before_an_undo_is_looked_at_after_it() {
    on_every_store(Policy::personal(), async |host| {
        let alice = host.alice();
        said(&alice, "My favourite colour is green.").await;
        alice.consolidate().await.unwrap();
        host.days(1);
        said(&alice, "I work as a nurse.").await;
        let done = alice.consolidate().await.unwrap();
        save(&alice, BLUE).await;
        alice.undo(done.event.unwrap().undo.unwrap()).await.unwrap();
        host.days(1);
        let done = alice.consolidate().await.unwrap();
        assert_eq!(done.count(Settling::Overruled), 1, "{done:?}");
        assert_eq!(facts(&alice).await, [BLUE], "{}", host.store);
    })
    .await;
}

#[tokio::test]
async fn what_one_consolidation_has_no_room_for_the_next_ones_look_at() {
    on_every_store(Policy::personal(), async |host| {
        let alice = host.alice();
        said(&alice, "My favourite colour is green.").await;
        alice.consolidate().await.unwrap();
        host.days(1);
        // All of it is written at one moment.
        let copy = alice.markdown(Reader::User).await.unwrap();
        let front = copy.split_once("\n## ").unwrap().0;
        let many: String = (0..2_050).map(|n| format!("- Xq{n} vw{n}\n")).collect();
        let edited = format!("{front}\n## profile\n\n{many}- {BLUE}\n");
        let report = alice.read_markdown(edited).await.unwrap();
        assert_eq!(report.count(MarkdownFate::Saved), 2_051);
        let mut overruled = 0;
        for _ in 0..3 {
            let done = alice.consolidate().await.unwrap();
            overruled += done.count(Settling::Overruled);
        }
        assert_eq!(overruled, 1, "{}", host.store);
        assert!(!facts(&alice).await.contains(&GREEN.to_owned()));
    })
    .await;
}

#[tokio::test]
async fn a_sweep_consolidates_once_for_what_has_changed() {
    for policy in [Policy::personal(), Policy::observer(), without_digests()] {
        on_every_store(policy, async |host| {
            let alice = host.alice();
            let times = || {
                let operations = host.keepmind.metrics().operations;
                operations.get("consolidate").map_or(0, |told| told.count)
            };
            alice
                .observe(Observe::new("phone", json!("woke up")))
                .await
                .unwrap();
            alice.save(BLUE).await.unwrap();
            for expected in [1, 1, 1] {
                host.keepmind.sweep().await.unwrap();
                assert_eq!(times(), expected, "{}", host.store);
                host.seconds(60);
            }
            for _ in 0..3 {
                host.days(1);
                host.keepmind.sweep().await.unwrap();
                assert_eq!(times(), 1, "nothing has changed on {}", host.store);
            }
            alice
                .observe(Observe::new("phone", json!("woke up")))
                .await
                .unwrap();
            alice.save("User likes tea").await.unwrap();
            host.keepmind.sweep().await.unwrap();
            assert_eq!(times(), 2, "{}", host.store);
            host.days(1);
            host.keepmind.sweep().await.unwrap();
            assert_eq!(times(), 2, "{}", host.store);
        })
        .await;
    }
}

fn without_digests() -> Policy {
    let mut policy = Policy::personal();
    let budgets = &mut policy.digests;
    for budget in [
        &mut budgets.profile,
        &mut budgets.procedures,
        &mut budgets.briefing,
        &mut budgets.domain,
    ] {
        *budget = 0;
    }
    policy
}
