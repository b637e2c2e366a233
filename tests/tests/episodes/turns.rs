//! A chat that is learned from as it goes, or part by part, is told once and whole.

use super::told;
use keepmind::policy::{ExtractionMode, WithoutConsent};
use keepmind::testing::ScriptedModel;
use keepmind::{Closing, Policy, SessionStatus};
use keepmind_tests::answers::{add, answer, answers, with};
use keepmind_tests::chats::{chat, short_transcripts, turn};
use keepmind_tests::host::{on_every_store, on_every_store_with, until};
use serde_json::json;

fn every_turn() -> Policy {
    let mut policy = Policy::default();
    policy.extraction.mode = ExtractionMode::EveryTurn;
    policy
}

#[tokio::test]
async fn turns_are_told_at_the_close_and_not_each() {
    let model = || ScriptedModel::answering(r#"{"ops": [], "episode": "User spoke"}"#);
    on_every_store_with(every_turn(), model, async |host, model| {
        let alice = host.alice();
        let session = alice.open_session().await.unwrap();
        for (count, said) in (1..).zip(["I play the cello.", "My sister moved to Ghent."]) {
            turn(&session, said).await;
            until(|| model.asked().len() == count).await;
        }
        let closed = session.close().await.unwrap();
        assert_eq!(
            closed.closing,
            Closing::NothingNew,
            "each turn was learned from"
        );
        assert_eq!(session.record().await.unwrap().status, SessionStatus::Idle);
        let expected = r#"On 2026-03-01: "I play the cello."; "My sister moved to Ghent.""#;
        assert_eq!(host.episodes(&alice).await, [expected], "{}", host.store);
        assert!(closed.report.episode.is_some() && closed.undo.is_some());

        // Closed again, and gone on.
        assert_eq!(session.close().await.unwrap().report.episode, None);
        turn(&session, "I bought a bow in Bruges.").await;
        until(|| model.asked().len() == 3).await;
        session.close().await.unwrap();
        let told = told(&alice).await;
        let span = told[1].body.claim.value.as_ref().unwrap();
        assert_eq!((told.len(), &span["first"]), (2, &json!(5)));
        assert!(told[1].body.claim.content.contains("Bruges"));
    })
    .await;
}

#[tokio::test]
async fn a_chat_nobody_closed_is_told_by_the_sweep() {
    on_every_store(every_turn(), async |host| {
        let alice = host.alice();
        let session = chat(&alice, "We talked about trains to Oslo and what they cost.").await;
        drop(session);
        host.days(2);
        host.keepmind.sweep().await.unwrap();
        assert_eq!(host.episodes(&alice).await.len(), 1);
        host.keepmind.sweep().await.unwrap();
        assert_eq!(told(&alice).await.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_chat_that_was_learned_from_in_parts_is_told_whole() {
    on_every_store(short_transcripts(), async |host| {
        let alice = host.alice();
        let session = alice.open_session().await.unwrap();
        turn(&session, "I play the cello in Ghent.").await;
        for _ in 0..20 {
            turn(&session, &"word ".repeat(100)).await;
        }
        turn(&session, "My sister moved to Bruges.").await;
        session.close().await.unwrap();
        let told = host.episodes(&alice).await;
        assert_eq!(told.len(), 1);
        assert!(
            told[0].contains("Ghent") && told[0].contains("Bruges"),
            "{told:?}"
        );
    })
    .await;
}

const WAITS: &str = "I see Marta every Friday.";

fn asking(mut policy: Policy) -> Policy {
    policy.governance.without_consent = WithoutConsent::Propose;
    policy
}

/// What a model hears of that, knowing of what it speaks.
fn sensitive() -> String {
    let visit = add("User sees Marta every Friday", WAITS);
    answer([with(visit, "domain", "health")])
}

#[tokio::test]
async fn what_waits_for_the_users_word_since_an_earlier_turn_is_not_told() {
    for is_rejected in [false, true] {
        let moved = "My sister moved to Ghent.";
        let model = || {
            let cello = answer([add("User plays the cello", "I play the cello.")]);
            let sister = answer([add("User's sister moved to Ghent", moved)]);
            answers([sensitive(), cello, sister])
        };
        on_every_store_with(asking(every_turn()), model, async |host, model| {
            let alice = host.alice();
            let session = alice.open_session().await.unwrap();
            for (count, said) in (1..).zip([WAITS, "I play the cello.", moved]) {
                turn(&session, said).await;
                until(|| model.asked().len() == count).await;
            }
            // A turn is only asked of once the one before it is learned from.
            let [waiting] = &alice.pending().await.unwrap()[..] else {
                panic!("one proposal waits");
            };
            if is_rejected {
                alice.reject(waiting.id).await.unwrap();
            }
            session.close().await.unwrap();
            let both = r#"On 2026-03-01: "I play the cello."; "My sister moved to Ghent.""#;
            assert_eq!(host.episodes(&alice).await, [both], "{}", host.store);
            // Told anew, it is not told either.
            alice.forget("sister").await.unwrap();
            let rest = r#"On 2026-03-01: "I play the cello.""#;
            assert_eq!(host.episodes(&alice).await, [rest], "{}", host.store);
        })
        .await;
    }
}

#[tokio::test]
async fn what_waits_since_an_earlier_part_of_a_close_is_not_told() {
    let model = || {
        let nothing = std::iter::repeat_n(answer([]), 40);
        answers([sensitive()].into_iter().chain(nothing))
    };
    on_every_store_with(asking(short_transcripts()), model, async |host, model| {
        let alice = host.alice();
        let session = alice.open_session().await.unwrap();
        turn(&session, WAITS).await;
        for _ in 0..20 {
            turn(&session, &"word ".repeat(100)).await;
        }
        turn(&session, "I play the cello.").await;
        session.close().await.unwrap();
        assert!(model.asked().len() > 1, "in parts");
        assert_eq!(alice.pending().await.unwrap().len(), 1);
        let expected = r#"On 2026-03-01: "I play the cello.""#;
        assert_eq!(host.episodes(&alice).await, [expected], "{}", host.store);
    })
    .await;
}
