//! Told anew: where an episode is thrown away, or a fact that it tells is forgotten or purged.

use super::{telling, told};
use keepmind::export::{EditedMarkdown, Reader};
use keepmind::{MemoryRow, Policy, UserMemory};
use keepmind::{Push, Why};
use keepmind_tests::answers::{add, answer, answers};
use keepmind_tests::chats::chat;
use keepmind_tests::host::{Host, on_every_store, on_every_store_with};
use serde_json::json;

const SAID: &str = "I play the cello. My sister moved to Ghent.";
const WHOLE: &str = r#"On 2026-03-01: "I play the cello."; "My sister moved to Ghent.""#;
const REST: &str = r#"On 2026-03-01: "My sister moved to Ghent.""#;

/// The number of the fact with that word.
async fn number_of(user: &UserMemory, word: &str) -> String {
    let rows = user.list(Default::default()).await.unwrap().rows;
    let is_it = |row: &&MemoryRow| {
        let claim = &row.body.claim;
        claim.layer == keepmind::Layer::Fact && claim.content.contains(word)
    };
    rows.iter().find(is_it).unwrap().body.number.to_string()
}

/// The number of the only episode.
async fn episode(user: &UserMemory) -> String {
    let rows = told(user).await;
    let open: Vec<&MemoryRow> = rows.iter().filter(|row| row.is_open()).collect();
    assert_eq!(open.len(), 1);
    open[0].body.number.to_string()
}

async fn closed(host: &Host) -> UserMemory {
    let alice = host.alice();
    chat(&alice, SAID).await.close().await.unwrap();
    assert_eq!(host.episodes(&alice).await, [WHOLE], "{}", host.store);
    alice
}

#[tokio::test]
async fn forgetting_a_fact_has_its_chat_told_without_it() {
    on_every_store(Policy::default(), async |host| {
        let alice = closed(host).await;
        let cello = number_of(&alice, "cello").await;
        let outcome = alice.forget(cello).await.unwrap();
        assert_eq!(host.episodes(&alice).await, [REST]);
        alice
            .undo(outcome.event.unwrap().undo.unwrap())
            .await
            .unwrap();
        assert_eq!(host.episodes(&alice).await, [WHOLE]);
    })
    .await;
}

#[tokio::test]
async fn taking_a_line_out_of_a_copy_is_forgetting_like_any_other() {
    on_every_store(Policy::default(), async |host| {
        let alice = closed(host).await;
        let copy = alice.markdown(Reader::User).await.unwrap();
        let is_kept = |line: &&str| !(line.starts_with("- [#") && line.contains("cello"));
        let lines: Vec<&str> = copy.lines().filter(is_kept).collect();
        let edited = EditedMarkdown::from(lines.join("\n"));
        let dry = alice.read_markdown(edited.clone().dry_run()).await.unwrap();
        assert_eq!(host.episodes(&alice).await, [WHOLE]);
        let report = alice.read_markdown(edited).await.unwrap();
        assert_eq!(dry.lines, report.lines);
        assert_eq!(host.episodes(&alice).await, [REST], "{}", host.store);
        let undo = report.event.unwrap().undo.unwrap();
        alice.undo(undo).await.unwrap();
        assert_eq!(host.episodes(&alice).await, [WHOLE]);
    })
    .await;
}

#[tokio::test]
async fn a_chat_with_nothing_left_to_tell_has_no_episode() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        chat(&alice, "I play the cello.")
            .await
            .close()
            .await
            .unwrap();
        assert_eq!(host.kept(&alice).await.len(), 2);
        alice.trash(number_of(&alice, "cello").await).await.unwrap();
        assert!(host.kept(&alice).await.is_empty());
        assert_eq!(told(&alice).await[0].end.unwrap().why, Why::Discarded);
    })
    .await;
}

#[tokio::test]
async fn purging_a_fact_has_its_chat_told_without_it_at_once() {
    on_every_store(Policy::default(), async |host| {
        let alice = closed(host).await;
        let before = alice.changes(Default::default()).await.unwrap().next;
        alice.purge(number_of(&alice, "cello").await).await.unwrap();
        assert_eq!(host.episodes(&alice).await, [REST]);
        let rows = told(&alice).await;
        assert!(
            rows.iter()
                .all(|row| !row.body.claim.content.contains("cello"))
        );
        let mut since = keepmind::command::Changes::default();
        since.since = Some(before);
        let feed = alice.changes(since).await.unwrap();
        assert_eq!(feed.entries.len(), 1, "one commit");
    })
    .await;
}

#[tokio::test]
async fn what_a_model_told_is_told_anew_in_the_users_words() {
    let script = json!({
        "ops": [add("User plays the cello", "I play the cello")],
        "episode": "User spoke of music and of a sister",
    });
    let model = move || answers([script.to_string()]);
    on_every_store_with(Policy::default(), model, async |host, _| {
        for is_purged in [false, true] {
            let user = host
                .keepmind
                .user(if is_purged { "alice" } else { "bob" })
                .unwrap();
            chat(&user, SAID).await.close().await.unwrap();
            assert_eq!(
                host.episodes(&user).await,
                ["User spoke of music and of a sister"]
            );
            let cello = number_of(&user, "cello").await;
            match is_purged {
                true => user.purge(cello).await.unwrap(),
                false => user.forget(cello).await.unwrap(),
            };
            assert_eq!(host.episodes(&user).await, [REST]);
        }
    })
    .await;
}

#[tokio::test]
async fn a_trashed_episode_is_told_from_what_is_left() {
    let model = || telling("User spoke of music");
    on_every_store_with(Policy::default(), model, async |host, _| {
        let alice = host.alice();
        chat(&alice, SAID).await.close().await.unwrap();
        let number = episode(&alice).await;
        let outcome = alice.trash(number.as_str()).await.unwrap();
        assert_eq!(
            host.episodes(&alice).await,
            [WHOLE],
            "from the messages, without a model"
        );
        // Either comes back, and the other goes.
        alice
            .undo(outcome.event.unwrap().undo.unwrap())
            .await
            .unwrap();
        assert_eq!(host.episodes(&alice).await, ["User spoke of music"]);
        alice.trash(number.as_str()).await.unwrap();
        assert_eq!(host.episodes(&alice).await, [WHOLE]);
        let outcome = alice.restore(number.as_str()).await.unwrap();
        assert_eq!(host.episodes(&alice).await, ["User spoke of music"]);
        alice
            .undo(outcome.event.unwrap().undo.unwrap())
            .await
            .unwrap();
        assert_eq!(host.episodes(&alice).await, [WHOLE]);
    })
    .await;
}

#[tokio::test]
async fn what_was_thrown_away_word_for_word_is_not_told_again() {
    on_every_store(Policy::default(), async |host| {
        let alice = closed(host).await;
        alice.trash(episode(&alice).await).await.unwrap();
        assert!(
            host.episodes(&alice).await.is_empty(),
            "its sentences teach nothing meanwhile"
        );
    })
    .await;
}

#[tokio::test]
async fn a_purged_episode_is_told_anew_and_a_forgotten_one_is_not() {
    let model = || telling("User spoke of music");
    on_every_store_with(Policy::default(), model, async |host, model| {
        let alice = host.alice();
        let session = chat(&alice, SAID).await;
        session.close().await.unwrap();
        alice.purge(episode(&alice).await).await.unwrap();
        assert_eq!(host.episodes(&alice).await, [WHOLE]);
        alice.forget(episode(&alice).await).await.unwrap();
        assert!(host.episodes(&alice).await.is_empty());
        model.follow([keepmind::testing::Scripted::Answers(answer([]))]);
        session.push(Push::user("ok")).await.unwrap();
        session.close().await.unwrap();
        assert!(host.episodes(&alice).await.is_empty(), "{}", host.store);
    })
    .await;
}

#[tokio::test]
async fn another_part_of_the_chat_stays_as_it_was_told() {
    let model = || telling("User spoke of music");
    on_every_store_with(Policy::default(), model, async |host, model| {
        let alice = host.alice();
        let session = chat(&alice, SAID).await;
        session.close().await.unwrap();
        let second = json!({"ops": [], "episode": "User spoke of rain"}).to_string();
        model.follow([keepmind::testing::Scripted::Answers(second)]);
        session
            .push(Push::user("It rained in Bruges all day."))
            .await
            .unwrap();
        session.close().await.unwrap();
        let first = told(&alice).await[0].body.number.to_string();
        alice.purge(first).await.unwrap();
        assert_eq!(host.episodes(&alice).await, ["User spoke of rain", WHOLE]);
    })
    .await;
}

#[tokio::test]
async fn a_purged_chat_tells_nothing() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let session = chat(&alice, SAID).await;
        session.close().await.unwrap();
        session.trash().await.unwrap();
        session.purge().await.unwrap();
        // Facts stay; what was told of the chat is made of nothing but its words.
        assert!(told(&alice).await.is_empty());
        assert!(!host.live(&alice).await.is_empty());
        alice.purge(number_of(&alice, "cello").await).await.unwrap();
        assert!(told(&alice).await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn accepting_that_something_is_forgotten_tells_it_no_more() {
    on_every_store(Policy::default(), async |host| {
        let alice = closed(host).await;
        chat(&alice, "please forget that I play the cello")
            .await
            .close()
            .await
            .unwrap();
        let [waiting] = &alice.pending().await.unwrap()[..] else {
            panic!("one proposal waits");
        };
        alice.accept(waiting.id).await.unwrap();
        assert_eq!(host.episodes(&alice).await, [REST]);
    })
    .await;
}

#[tokio::test]
async fn what_is_told_anew_needs_consent_too() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        alice.consent("health", true).await.unwrap();
        chat(
            &alice,
            "I play the cello. I take insulin every morning. My sister moved to Ghent.",
        )
        .await
        .close()
        .await
        .unwrap();
        assert!(
            host.kept(&alice)
                .await
                .iter()
                .any(|told| told.contains("insulin"))
        );
        alice.consent("health", false).await.unwrap();
        alice.purge("#1").await.unwrap();
        assert_eq!(host.episodes(&alice).await, [REST], "{}", host.store);
    })
    .await;
}
