//! What happened in a chat, told once it is closed: from a model's words or the user's own, found by recall, and
//! told anew where something of it is taken away.

#[path = "episodes/again.rs"]
mod again;
#[path = "episodes/refused.rs"]
mod refused;
#[path = "episodes/turns.rs"]
mod turns;

use keepmind::command::{List, Recall};
use keepmind::store::{Filter, Selection};
use keepmind::testing::ScriptedModel;
use keepmind::{
    Evidence, Layer, MemoryRow, Policy, Push, Source, Timestamp, Trust, UndoToken, UserMemory,
};
use keepmind_tests::answers::{add, answer, answers};
use keepmind_tests::chats::{chat, turn};
use keepmind_tests::host::{on_every_store, on_every_store_with};
use serde_json::json;

/// Every row of every episode.
async fn told(user: &UserMemory) -> Vec<MemoryRow> {
    let mut filter = Filter::new(Selection::All);
    filter.layers.insert(Layer::Episode);
    let mut list = List::default();
    list.filter = Some(filter);
    user.list(list).await.unwrap().rows
}

/// A model that finds nothing to learn and tells that.
fn telling(episode: &str) -> ScriptedModel {
    answers([json!({"ops": [], "episode": episode}).to_string()])
}

#[tokio::test]
async fn a_chat_is_told_in_the_users_own_words() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let session = chat(&alice, "Hi! I play the cello. Which scales should I practise?").await;
        session.push(Push::assistant("Scales.")).await.unwrap();
        host.seconds(60);
        session.push(Push::user("ok thanks")).await.unwrap();
        let closed = session.close().await.unwrap();
        let expected = r#"On 2026-03-01: "I play the cello."; asked "Which scales should I practise?""#;
        assert_eq!(host.episodes(&alice).await, [expected], "{}", host.store);

        let [row] = &told(&alice).await[..] else {
            panic!("one episode");
        };
        let claim = &row.body.claim;
        assert_eq!(closed.report.episode, Some(row.body.number));
        assert_eq!(
            (claim.layer, claim.source, claim.trust),
            (Layer::Episode, Source::Extracted, Trust::Extracted)
        );
        assert_eq!(claim.session, Some(session.id()));
        let cited: Vec<u64> = claim.messages.iter().map(|number| number.get()).collect();
        assert_eq!(cited, [1]);
        let begins = Timestamp::parse("2026-03-01T09:00:00Z").unwrap();
        assert_eq!(claim.valid_from, begins);
        let span = json!({"first": 1, "last": 3, "from": "2026-03-01T09:00:00Z", "until": "2026-03-01T09:01:00Z"});
        assert_eq!(claim.value, Some(span));
        let topics: Vec<&str> = claim.tags.iter().map(String::as_str).collect();
        assert_eq!(topics, ["cello", "play", "practise", "scales"]);
        let quotes: Vec<&str> = claim
            .evidence
            .iter()
            .filter_map(|piece| match piece {
                Evidence::Quote { quote, .. } => Some(quote.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(quotes, ["I play the cello.", "Which scales should I practise?"]);
    })
    .await;
}

#[tokio::test]
async fn it_is_recalled_and_never_in_the_block() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        chat(&alice, "Which hikes around Graz can you recommend?")
            .await
            .close()
            .await
            .unwrap();
        let found = alice.recall("hikes").await.unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].row.body.claim.layer, Layer::Episode);
        let session = alice.open_session().await.unwrap();
        assert!(!session.block().await.unwrap().contains("hikes"));
        let context =
            session.context("Tell me again about those hikes around Graz, please: what did I ask?");
        let context = context.await.unwrap().text;
        let section = "### Past conversations\n";
        assert!(
            context.contains(section) && context.contains("hikes"),
            "{context}"
        );
    })
    .await;
}

#[tokio::test]
async fn a_fact_comes_before_the_episode_that_repeats_it() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        chat(&alice, "I play the cello. My sister lives in Ghent.")
            .await
            .close()
            .await
            .unwrap();
        assert_eq!(host.episodes(&alice).await.len(), 1);
        for limit in [1, 5] {
            let found = alice
                .recall(Recall::new("cello").limit(limit))
                .await
                .unwrap();
            let layers: Vec<Layer> = found.iter().map(|hit| hit.row.body.claim.layer).collect();
            assert_eq!(layers.len(), limit.min(2));
            assert_eq!(layers[0], Layer::Fact, "{}", host.store);
        }
        let asked = "Do you remember which instrument it is, the cello or something else?";
        let context = alice.context(asked).await.unwrap().text;
        assert!(
            context.contains("cello") && !context.contains("Past conversations"),
            "{context}"
        );
    })
    .await;
}

#[tokio::test]
async fn nothing_worth_telling_is_no_episode() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        for said in ["hi", "ok thanks!", "Hello there", "👍", "…"] {
            let closed = chat(&alice, said).await.close().await.unwrap();
            assert_eq!((closed.report.episode, closed.undo), (None, None), "{said}");
        }
        assert!(host.kept(&alice).await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn a_policy_without_a_place_for_episodes_keeps_none() {
    for policy in [Policy::advisor(), Policy::chat()] {
        on_every_store(policy, async |host| {
            let alice = host.alice();
            let session = chat(&alice, "I play the cello.").await;
            assert_eq!(session.close().await.unwrap().report.episode, None);
            assert!(told(&alice).await.is_empty());
        })
        .await;
    }
}

#[tokio::test]
async fn a_model_may_tell_it() {
    let model = || telling("User asked what to practise on the cello");
    on_every_store_with(Policy::default(), model, async |host, _| {
        let alice = host.alice();
        let session = chat(&alice, "I play the cello, what should I practise?").await;
        session.close().await.unwrap();
        let expected = ["User asked what to practise on the cello"];
        assert_eq!(host.episodes(&alice).await, expected);
        let claim = &told(&alice).await[0].body.claim;
        assert_eq!(claim.value.as_ref().unwrap()["last"], json!(1));
        assert_eq!(
            (claim.source, claim.trust),
            (Source::Extracted, Trust::Extracted)
        );
    })
    .await;
}

#[tokio::test]
async fn a_chat_that_goes_on_is_told_on() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let session = chat(&alice, "I play the cello.").await;
        session.close().await.unwrap();
        host.days(2);
        turn(&session, "My sister moved to Ghent.").await;
        session.close().await.unwrap();
        let again = session.close().await.unwrap();
        assert_eq!(again.report.episode, None, "nothing is told twice");
        assert_eq!(
            host.episodes(&alice).await,
            [
                r#"On 2026-03-01: "I play the cello.""#,
                r#"On 2026-03-03: "My sister moved to Ghent.""#
            ]
        );
        let second = &told(&alice).await[1].body.claim;
        let span = second.value.as_ref().unwrap();
        assert_eq!((&span["first"], &span["last"]), (&json!(2), &json!(3)));
    })
    .await;
}

#[tokio::test]
async fn days_are_the_users_own() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice().at_offset(-10 * 60).unwrap();
        let session = chat(&alice, "I play the cello.").await;
        host.days(1);
        session
            .push(Push::user("Does rosin matter?"))
            .await
            .unwrap();
        session.close().await.unwrap();
        let expected =
            r#"From 2026-02-28 to 2026-03-01: "I play the cello."; asked "Does rosin matter?""#;
        assert_eq!(host.episodes(&alice).await, [expected]);
    })
    .await;
}

#[tokio::test]
async fn every_script_is_told() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        for said in [
            "我养了一只猫，它叫小白。",
            "ผมชอบกินข้าวมันไก่",
            "Я играю на виолончели.",
        ] {
            chat(&alice, said).await.close().await.unwrap();
            let told = host.episodes(&alice).await;
            assert!(told.last().unwrap().contains(said), "{told:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_long_chat_is_one_line_within_the_limit() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let session = alice.open_session().await.unwrap();
        for number in 10..60 {
            let said =
                format!("In year {number} I went to the town of Placename{number}, which I liked.");
            turn(&session, &said.repeat(3)).await;
        }
        session.close().await.unwrap();
        let told = host.episodes(&alice).await;
        let longest = Policy::default().limits.content_characters as usize;
        assert!(
            told.len() == 1 && told[0].chars().count() <= longest,
            "{told:?}"
        );
    })
    .await;
}

#[tokio::test]
async fn undoing_a_close_takes_its_episode_along_and_tells_it_no_more() {
    let model = || answers([answer([add("User plays the cello", "I play the cello")])]);
    on_every_store_with(Policy::default(), model, async |host, _| {
        let alice = host.alice();
        let session = chat(&alice, "I play the cello. It rained in Ghent.").await;
        let closed = session.close().await.unwrap();
        let token = closed.undo.unwrap();
        assert!(matches!(token, UndoToken::Group(_)));
        assert_eq!(host.kept(&alice).await.len(), 2);
        alice.undo(token).await.unwrap();
        assert!(host.kept(&alice).await.is_empty());
        session.push(Push::user("ok")).await.unwrap();
        session.close().await.unwrap();
        assert!(host.kept(&alice).await.is_empty());
        alice.redo(token).await.unwrap();
        assert_eq!(host.kept(&alice).await.len(), 2);
    })
    .await;
}

#[tokio::test]
async fn a_target_in_words_means_the_fact() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        chat(&alice, "I play the cello.")
            .await
            .close()
            .await
            .unwrap();
        assert_eq!(host.kept(&alice).await.len(), 2);
        alice.forget("cello").await.unwrap();
        assert!(host.kept(&alice).await.is_empty());
    })
    .await;
}
