//! Without a model code reads what the user said, through the same gates.

use keepmind::{Fate, Policy};
use keepmind_tests::chats::chat;
use keepmind_tests::host::on_every_store;

#[tokio::test]
async fn lasting_facts_are_kept_and_the_rest_is_not() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        for said in [
            "Hi, I work as a carpenter. Can you plan a trip?",
            "If I had a boat, I would sail to Norway",
            "Translate: I have three wives",
            "my brother says he likes golf",
            "What is the capital of Peru?",
        ] {
            chat(&alice, said).await.close().await.unwrap();
        }
        assert_eq!(host.live(&alice).await, ["User works as a carpenter"]);
    })
    .await;
}

#[tokio::test]
async fn said_again_it_is_known_and_changed_it_is_changed() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        for said in [
            "I live in Ghent",
            "You know I live in Ghent",
            "I still live in Ghent, yes",
        ] {
            chat(&alice, said).await.close().await.unwrap();
        }
        assert_eq!(host.live(&alice).await, ["User lives in Ghent"]);
        let moved = chat(&alice, "actually I live in Bruges now, not in Ghent").await;
        let report = moved.close().await.unwrap().report;
        assert_eq!(report.count(Fate::Updated), 1, "{report:?}");
        assert_eq!(host.live(&alice).await, ["User lives in Bruges"]);
        assert_eq!(alice.history("#1").await.unwrap().rows.len(), 2);
    })
    .await;
}

#[tokio::test]
async fn what_needs_consent_is_not_read_without_it() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let said = "I have diabetes";
        let report = chat(&alice, said).await.close().await.unwrap().report;
        assert_eq!(report.count(Fate::Learned), 0, "{report:?}");
        alice.consent("health", true).await.unwrap();
        chat(&alice, said).await.close().await.unwrap();
        assert_eq!(host.live(&alice).await, ["User has diabetes"]);
    })
    .await;
}
