//! A chat's cache: the same answer without a search, and never one that a search would not give.

use std::sync::atomic::Ordering;

use keepmind::command::{Recall, Save, Update};
use keepmind::policy::TimeToLive;
use keepmind::testing::ScriptedModel;
use keepmind::{Policy, Push};
use keepmind_tests::Random;
use keepmind_tests::host::{Host, each, on_every_store};

use super::{Manner, Meanings, contents};

#[tokio::test]
async fn the_same_question_within_minutes_takes_no_search() {
    let embedder = Meanings::new();
    let plugged = |builder: keepmind::KeepmindBuilder| builder.embedder(embedder.clone());
    each(Policy::chat(), plugged, async |host| {
        let alice = host.alice();
        alice.save("Likes green tea").await.unwrap();
        let chat = alice.open_session().await.unwrap();
        let first = chat.recall("tea").await.unwrap();
        let asked = embedder.asked.load(Ordering::SeqCst);
        host.seconds(10);
        chat.push(Push::user("And another thing")).await.unwrap();
        assert_eq!(chat.recall("tea").await.unwrap(), first);
        assert_eq!(
            embedder.asked.load(Ordering::SeqCst),
            asked,
            "{}",
            host.store
        );
        let stats = chat.recall_stats();
        assert_eq!((stats.recalls, stats.cached), (2, 1));
        assert!((stats.hit_rate() - 0.5).abs() < 1e-9);
        // Another handle of the chat shares it, another chat does not.
        let again = alice.session(chat.id()).await.unwrap();
        again.recall("tea").await.unwrap();
        assert_eq!(again.recall_stats().cached, 2);
        let other = alice.open_session().await.unwrap();
        other.recall("tea").await.unwrap();
        assert_eq!(other.recall_stats().cached, 0);
        host.seconds(300);
        chat.recall("tea").await.unwrap();
        assert_eq!(chat.recall_stats().cached, 2, "five minutes are over");
        let json = chat.request(r#"{"request":"recall_stats"}"#).await.unwrap();
        assert!(json.contains(r#""cached":2"#), "{json}");
    })
    .await;
}

#[tokio::test]
async fn a_write_here_or_elsewhere_ends_it_and_nothing_withdrawn_is_served() {
    on_every_store(Policy::advisor(), async |host| {
        let alice = host.alice();
        let mut save = Save::new("Drinks tea against a cough");
        save.domain = Some("health".to_owned());
        alice.save(save).await.unwrap();
        alice.save("Likes green tea").await.unwrap();
        let chat = alice.open_session().await.unwrap();
        assert_eq!(chat.recall("tea").await.unwrap().len(), 2);
        alice.consent("health", false).await.unwrap();
        assert_eq!(
            contents(&chat.recall("tea").await.unwrap()),
            ["Likes green tea"]
        );

        let model = std::sync::Arc::new(ScriptedModel::failing());
        let elsewhere = host.elsewhere(model);
        let there = elsewhere.user("alice").unwrap();
        there
            .update(Update::new("#2", "Likes black tea"))
            .await
            .unwrap();
        assert_eq!(
            contents(&chat.recall("tea").await.unwrap()),
            ["Likes black tea"]
        );
        there.purge("#2").await.unwrap();
        assert!(
            chat.recall("tea").await.unwrap().is_empty(),
            "{}",
            host.store
        );
        alice.erase().await.unwrap();
        assert!(chat.recall("tea").await.unwrap().is_empty());
    })
    .await;
}

#[tokio::test]
async fn an_answer_that_was_not_whole_is_not_kept() {
    let embedder = Meanings::new();
    let plugged = |builder: keepmind::KeepmindBuilder| builder.embedder(embedder.clone());
    each(Policy::default(), plugged, async |host| {
        embedder.behaves(Manner::Answers);
        let alice = host.alice();
        alice.save("User prefers dark theme").await.unwrap();
        let chat = alice.open_session().await.unwrap();
        embedder.behaves(Manner::Fails);
        assert!(chat.recall("night owls").await.unwrap().is_empty());
        embedder.behaves(Manner::Answers);
        assert_eq!(
            chat.recall("night owls").await.unwrap().len(),
            1,
            "{}",
            host.store
        );
    })
    .await;
}

/// Whatever is done in between, a chat finds what its user finds.
#[tokio::test]
async fn cached_and_fresh_answers_are_the_same() {
    let mut policy = Policy::default();
    policy.recall.cache_memories = 6;
    on_every_store(policy, async |host| {
        let mut random = Random::new(7);
        let alice = host.alice();
        let chat = alice.open_session().await.unwrap();
        for _ in 0..300 {
            step(host, &mut random).await;
            let words = random.one_of(&["tea", "green tea", "coffee", "milk tea"]);
            let recall = Recall::new(words).limit(1 + random.below(4));
            let fresh = alice.recall(recall.clone()).await.unwrap();
            assert_eq!(chat.recall(recall).await.unwrap(), fresh, "{}", host.store);
        }
        assert!(chat.recall_stats().cached > 20);
    })
    .await;
}

async fn step(host: &Host, random: &mut Random) {
    let alice = host.alice();
    match random.below(20) {
        0 => {
            let words = random.one_of(&["green tea", "coffee", "milk", "tea with milk"]);
            let mut save = Save::new(format!("Likes {words} {}", random.below(1_000)));
            if random.chance(40) {
                save.ttl = Some(TimeToLive::Temporary);
            }
            alice.save(save).await.unwrap();
        }
        1 => {
            // The number may be of nobody, or have ended.
            let number = keepmind::Number::new(1 + random.below(20) as u64).unwrap();
            let _ = alice.trash(number).await;
        }
        2 => host.seconds(3_600),
        3 | 4 => host.seconds(60),
        _ => {}
    }
}
