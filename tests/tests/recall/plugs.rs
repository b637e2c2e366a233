//! An embedder brings what words do not; one that is down, late or wrong costs only that.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use keepmind::command::{Recall, RecallBy};
use keepmind::testing::ScriptedModel;
use keepmind::{InMemoryStore, KeepmindBuilder, Patience, Policy};
use keepmind_tests::host::{Host, each};

use super::{Manner, Meanings, contents};

fn plugged(embedder: &Arc<Meanings>) -> impl Fn(KeepmindBuilder) -> KeepmindBuilder {
    // No deadline to wait for: who does not answer at once is late.
    let patience = Patience::default().embedder(Duration::ZERO);
    let embedder = Arc::clone(embedder);
    move |builder| builder.embedder(embedder.clone()).patience(patience)
}

#[tokio::test]
async fn a_memory_without_any_word_of_the_query_is_found_by_meaning() {
    let embedder = Meanings::new();
    each(Policy::chat(), plugged(&embedder), async |host| {
        let alice = host.alice();
        alice.save("User prefers dark theme").await.unwrap();
        alice.save("User has two cats").await.unwrap();
        let hits = alice.recall("something for night owls").await.unwrap();
        assert_eq!(contents(&hits)[0], "User prefers dark theme");
        assert_eq!(hits[0].words, None);
        assert!(hits[0].meaning.unwrap() > 0.9, "{}", host.store);
        assert!(hits[0].matched.is_empty() && hits[0].score > 0.0);
        assert!(hits[0].why().contains("meaning 1.00"), "{}", hits[0].why());
        let mut by_words = Recall::new("something for night owls");
        by_words.by = RecallBy::Words;
        assert!(alice.recall(by_words).await.unwrap().is_empty());
        // And a word that says nothing to the embedder still finds its memory first.
        let hits = alice.recall("cats").await.unwrap();
        assert_eq!(contents(&hits)[0], "User has two cats");
        assert_eq!(hits[0].matched, ["cat"]);
    })
    .await;
}

#[tokio::test]
async fn whatever_an_embedder_does_recall_answers_by_words() {
    let embedder = Meanings::new();
    each(Policy::default(), plugged(&embedder), async |host| {
        embedder.behaves(Manner::Answers);
        let alice = host.alice();
        alice.save("User prefers dark theme").await.unwrap();
        alice.save("User has two cats").await.unwrap();
        for manner in Manner::BAD {
            embedder.behaves(manner);
            let hits = alice.recall("cats").await.unwrap();
            assert_eq!(contents(&hits), ["User has two cats"], "{manner:?}");
            assert_eq!((hits[0].meaning, hits[0].words.is_some()), (None, true));
            let mut by_meaning = Recall::new("cats");
            by_meaning.by = RecallBy::Meaning;
            assert!(alice.recall(by_meaning).await.unwrap().is_empty());
            // What is kept meanwhile is found by its words, then and later.
            let content = format!("User owns a {manner:?} lamp");
            alice.save(content.as_str()).await.unwrap();
            let query = Recall::new(format!("{manner:?}"));
            assert_eq!(
                contents(&alice.recall(query).await.unwrap()),
                [content],
                "{}",
                host.store
            );
        }
        embedder.behaves(Manner::Answers);
        let hits = alice.recall("night").await.unwrap();
        assert_eq!(contents(&hits)[0], "User prefers dark theme");
    })
    .await;
}

#[tokio::test]
async fn an_embedder_that_changes_its_dimension_under_its_old_name_is_no_more_than_absent() {
    let embedder = Meanings::new();
    each(Policy::default(), plugged(&embedder), async |host| {
        embedder.dimensions.store(2, Ordering::SeqCst);
        let alice = host.alice();
        alice.save("User prefers dark theme").await.unwrap();
        embedder.dimensions.store(3, Ordering::SeqCst);
        let hits = alice.recall("theme").await.unwrap();
        assert_eq!(contents(&hits), ["User prefers dark theme"]);
        alice.save("User reads at night").await.unwrap();
        let hits = alice.recall("dim").await.unwrap();
        assert_eq!(contents(&hits), ["User reads at night"], "{}", host.store);
        embedder.dimensions.store(2, Ordering::SeqCst);
        let hits = alice.recall("dim").await.unwrap();
        assert_eq!(contents(&hits), ["User prefers dark theme"]);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_late_embedder_is_waited_for_as_long_as_the_host_said() {
    let embedder = Meanings::new();
    let store = Arc::new(InMemoryStore::new());
    let host = Host::on(store, Policy::default(), |builder| {
        let patience = Patience::default().embedder(Duration::from_millis(250));
        builder
            .embedder(embedder.clone())
            .model(Arc::new(ScriptedModel::failing()))
            .patience(patience)
    });
    let alice = host.alice();
    alice.save("User has two cats").await.unwrap();
    embedder.behaves(Manner::NeverAnswers);
    let begun = tokio::time::Instant::now();
    assert_eq!(alice.recall("cats").await.unwrap().len(), 1);
    let waited = begun.elapsed();
    assert!(waited >= Duration::from_millis(250) && waited < Duration::from_millis(300));
}
