//! What was taken up by a fact that says the same ends with that fact.

use keepmind::command::{List, Save};
use keepmind::store::{Filter, Selection};
use keepmind::{Number, Policy, Settling, Slice, UserMemory};
use keepmind_tests::host::on_every_store;

use super::{facts, said, save};

/// A fact of the user's own, and one of a chat that was taken up by it.
async fn twins(user: &UserMemory) -> Number {
    said(user, "I like green tea.").await;
    let number = save(user, "User likes green tea").await;
    let done = user.consolidate().await.unwrap();
    assert_eq!(done.count(Settling::Merged), 1, "{done:?}");
    number
}

#[tokio::test]
async fn what_was_taken_up_by_a_fact_is_forgotten_with_it() {
    on_every_store(Policy::personal(), async |host| {
        let alice = host.alice();
        let number = twins(&alice).await;
        let entombed = async || {
            let store = host.keepmind.store();
            let all = store.load(alice.owner(), &Slice::everything()).await;
            let all = all.unwrap();
            all.tombstones().filter(|row| row.is_open()).count()
        };
        alice.forget(number).await.unwrap();
        assert_eq!(entombed().await, 1, "{}", host.store);
        assert!(
            host.kept(&alice)
                .await
                .iter()
                .all(|told| !told.contains("tea"))
        );
        alice.restore(number).await.unwrap();
        assert_eq!(entombed().await, 0);
    })
    .await;
}

#[tokio::test]
async fn what_was_taken_up_by_a_fact_is_purged_with_it() {
    on_every_store(Policy::personal(), async |host| {
        let alice = host.alice();
        let number = twins(&alice).await;
        alice.purge(number).await.unwrap();
        let store = host.keepmind.store();
        let all = store.load(alice.owner(), &Slice::everything()).await;
        let all = all.unwrap();
        let told: Vec<_> = all.memories().map(|row| &row.body.claim.content).collect();
        assert!(told.iter().all(|told| !told.contains("tea")), "{told:?}");
        assert_eq!(all.tombstones().count(), 1, "{}", host.store);
    })
    .await;
}

#[tokio::test]
async fn what_an_undo_has_parted_again_is_not_purged_along() {
    on_every_store(Policy::personal(), async |host| {
        let alice = host.alice();
        said(&alice, "I like green tea.").await;
        let number = save(&alice, "User likes green tea").await;
        let done = alice.consolidate().await.unwrap();
        alice.undo(done.event.unwrap().undo.unwrap()).await.unwrap();
        alice.purge(number).await.unwrap();
        let mut held = List::default();
        held.filter = Some(Filter::new(Selection::Held));
        let held = alice.list(held).await.unwrap().rows;
        assert_eq!(held.len(), 1, "{}", host.store);
    })
    .await;
}

#[tokio::test]
async fn what_was_taken_up_does_not_come_back_once_the_fact_is_forgotten() {
    on_every_store(Policy::personal(), async |host| {
        let alice = host.alice();
        said(&alice, "I like green tea.").await;
        let number = save(&alice, "User likes green tea").await;
        let done = alice.consolidate().await.unwrap();
        let token = done.event.unwrap().undo.unwrap();
        alice.forget(number).await.unwrap();
        let refused = alice.undo(token).await.unwrap_err();
        assert_eq!(refused.code(), Some("E_STALE"), "{refused}");
        assert!(facts(&alice).await.is_empty(), "{}", host.store);
    })
    .await;
}

#[tokio::test]
async fn a_fact_that_has_taken_up_another_is_not_undone_alone() {
    on_every_store(Policy::personal(), async |host| {
        let alice = host.alice();
        said(&alice, "I like green tea.").await;
        alice.consolidate().await.unwrap();
        let content = Save::new("User likes green tea").category("knowledge");
        let saved = alice.save(content).await.unwrap();
        let done = alice.consolidate().await.unwrap();
        assert_eq!(done.count(Settling::Merged), 1, "{done:?}");
        let token = saved.event.unwrap().undo.unwrap();
        let refused = alice.undo(token).await.unwrap_err();
        assert_eq!(refused.code(), Some("E_STALE"), "{refused}");
        alice.undo(done.event.unwrap().undo.unwrap()).await.unwrap();
        alice.undo(token).await.unwrap();
        assert_eq!(facts(&alice).await, ["User likes green tea"]);
    })
    .await;
}
