//! Undo and redo, in any order and for any length.

use keepmind::command::Update;
use keepmind::{Number, Policy};
use keepmind_tests::host::on_every_store;
use keepmind_tests::invariants::assert_sound;

use crate::{everything, token};

fn number(count: u64) -> Number {
    Number::new(count).expect("a number")
}

/// §3: undo is refused while a later entry *in force* touches the same origin. An update that was
/// undone is not in force.
#[tokio::test]
async fn a_stack_of_undos_unwinds_and_winds_up_again() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let saved = token(&alice.save("Likes tea").await.unwrap());
        let updated = token(
            &alice
                .update(Update::new("#1", "Likes coffee"))
                .await
                .unwrap(),
        );
        let forgotten = token(&alice.forget("#1").await.unwrap());
        alice.undo(forgotten).await.unwrap();
        assert_eq!(host.live(&alice).await, ["Likes coffee"]);
        alice.undo(updated).await.unwrap();
        assert_eq!(host.live(&alice).await, ["Likes tea"]);
        alice.undo(saved).await.unwrap();
        assert!(host.kept(&alice).await.is_empty());
        let early = alice.redo(updated).await.unwrap_err();
        assert_eq!(early.code(), Some("E_STALE"), "{early}");
        alice.redo(saved).await.unwrap();
        alice.redo(updated).await.unwrap();
        assert_eq!(host.live(&alice).await, ["Likes coffee"]);
        alice.redo(forgotten).await.unwrap();
        assert!(host.kept(&alice).await.is_empty());
        assert_sound(&everything(host, &alice).await);
    })
    .await;
}

#[tokio::test]
async fn what_was_redone_can_be_undone_again_with_the_same_token() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let saved = token(&alice.save("Likes tea").await.unwrap());
        for _ in 0..3 {
            alice.undo(saved).await.unwrap();
            assert!(host.kept(&alice).await.is_empty());
            alice.redo(saved).await.unwrap();
            assert_eq!(host.live(&alice).await, ["Likes tea"]);
        }
    })
    .await;
}

#[tokio::test]
async fn undoing_the_undo_can_go_on_for_ever() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let mut last = token(&alice.save("Likes tea").await.unwrap());
        for turn in 1..=60 {
            let taken_back = alice.undo(last).await;
            last = token(&taken_back.unwrap_or_else(|error| panic!("turn {turn}: {error}")));
            assert_eq!(
                host.kept(&alice).await.is_empty(),
                turn % 2 == 1,
                "turn {turn}"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn a_link_that_is_redone_is_not_there_twice() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        alice.save("Only buys funds").await.unwrap();
        alice.save("Lost money with stocks").await.unwrap();
        let linked = token(&alice.link(number(2), number(1), "supports").await.unwrap());
        alice.undo(linked).await.unwrap();
        alice.link(number(2), number(1), "supports").await.unwrap();
        let redone = alice.redo(linked).await;
        let links = alice.get("#1").await.unwrap().links;
        assert_eq!(links.len(), 1, "{redone:?}");
    })
    .await;
}
