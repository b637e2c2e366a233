//! What the library itself said teaches nothing.

use keepmind::{Code, Fate, Policy, Push};
use keepmind_tests::answers::{add, answer, answers};
use keepmind_tests::host::{call, on_every_store, on_every_store_with};
use serde_json::json;

#[tokio::test]
async fn the_block_read_back_is_no_evidence() {
    let model = || {
        answers([answer([add(
            "User is fond of metric units",
            "User prefers metric units",
        )])])
    };
    on_every_store_with(Policy::default(), model, async |host, _| {
        let alice = host.alice();
        alice.save("User prefers metric units").await.unwrap();
        let session = alice.open_session().await.unwrap();
        session
            .push(Push::user("You wrote: User prefers metric units. Why?"))
            .await
            .unwrap();
        let report = session.close().await.unwrap().report;
        assert_eq!(report.lessons[0].fate, Fate::Refused);
        assert_eq!(report.lessons[0].codes, [Code::Echo]);
        assert_eq!(host.live(&alice).await.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn an_answer_of_a_tool_read_back_is_no_evidence() {
    let model = || {
        answers([answer([add(
            "User keeps bees",
            "User keeps bees on the roof",
        )])])
    };
    on_every_store_with(Policy::default(), model, async |host, _| {
        let alice = host.alice();
        // Too old for the block: only recall shows it.
        alice.save("User keeps bees on the roof").await.unwrap();
        let session = alice.open_session().await.unwrap();
        session
            .push(Push::user("what do you know of animals?"))
            .await
            .unwrap();
        call(&session, "recall_memories", json!({"query": "bees"})).await;
        session
            .push(Push::user("hm, User keeps bees on the roof, you say"))
            .await
            .unwrap();
        let report = session.close().await.unwrap().report;
        let lesson = &report.lessons[0];
        assert_eq!(
            lesson.fate,
            Fate::Skipped,
            "known, before it is an echo: {lesson:?}"
        );
        assert_eq!(host.live(&alice).await.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn without_a_model_the_block_is_not_learned_either() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        alice.save("User has two cats").await.unwrap();
        for _ in 0..3 {
            let session = alice.open_session().await.unwrap();
            let block = session.block().await.unwrap();
            session
                .push(Push::user(format!("What is this?\n{block}")))
                .await
                .unwrap();
            session.close().await.unwrap();
        }
        assert_eq!(host.live(&alice).await, ["User has two cats"]);
    })
    .await;
}
