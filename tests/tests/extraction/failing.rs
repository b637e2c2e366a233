//! A model that fails or answers nonsense: nothing is lost that a later try can learn.

use std::time::Duration;

use keepmind::testing::{Scripted, ScriptedModel};
use keepmind::{Closing, Code, Fate, PlugError, Policy, Push};
use keepmind_tests::answers::{add, answer, answers};
use keepmind_tests::chats::chat;
use keepmind_tests::host::on_every_store_with;
use serde_json::json;

const SAID: &str = "I play the cello";

fn cello() -> String {
    answer([add("User plays the cello", SAID)])
}

#[tokio::test]
async fn an_answer_that_cannot_be_used_is_asked_for_once_more() {
    let cut = cello()[..30].to_owned();
    let model = move || answers([cut.clone(), cello()]);
    on_every_store_with(Policy::default(), model, async |host, model| {
        let alice = host.alice();
        let closed = chat(&alice, SAID).await.close().await.unwrap();
        assert_eq!(closed.closing, Closing::Learned);
        let asked = model.asked();
        assert_eq!(asked.len(), 2);
        assert!(asked[1].prompt.starts_with(&asked[0].prompt));
        assert!(
            asked[1].prompt.contains("could not be used"),
            "{}",
            asked[1].prompt
        );
        assert_eq!(host.live(&alice).await, ["User plays the cello"]);
    })
    .await;
}

#[tokio::test]
async fn twice_nonsense_is_put_off_and_told_and_learned_later() {
    let model = || answers(["nonsense".to_owned(), "{\"ops\":7}".to_owned(), cello()]);
    on_every_store_with(Policy::default(), model, async |host, model| {
        let alice = host.alice();
        let closed = chat(&alice, SAID).await.close().await.unwrap();
        assert_eq!(closed.closing, Closing::Deferred);
        assert_eq!(closed.report.lessons[0].codes, [Code::Schema]);
        assert_eq!(model.asked().len(), 2, "one call and one retry");
        assert!(host.kept(&alice).await.is_empty());
        host.days(1);
        host.keepmind.sweep().await.unwrap();
        assert_eq!(host.live(&alice).await, ["User plays the cello"]);
        assert_eq!(model.asked().len(), 3);
    })
    .await;
}

#[tokio::test]
async fn after_the_last_try_code_learns_what_it_can() {
    let model = || ScriptedModel::new([Scripted::Fails(PlugError::lasting("no key"))]);
    let mut policy = Policy::default();
    policy.close.attempts = 2;
    on_every_store_with(policy, model, async |host, model| {
        let alice = host.alice();
        let session = chat(&alice, "I have a dog named Rex").await;
        assert_eq!(session.close().await.unwrap().closing, Closing::Deferred);
        host.days(1);
        let closed = session.close().await.unwrap();
        assert_eq!(closed.closing, Closing::WithoutModel);
        assert_eq!(closed.report.count(Fate::Learned), 1, "{:?}", closed.report);
        assert_eq!(
            model.asked().len(),
            2,
            "what will not get better is asked once"
        );
        assert_eq!(host.live(&alice).await, ["User has a dog named Rex"]);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_model_that_fails_in_passing_is_asked_twice_at_most() {
    let store = std::sync::Arc::new(keepmind::InMemoryStore::new());
    let busy = || Scripted::Fails(PlugError::passing("busy"));
    let model = std::sync::Arc::new(ScriptedModel::new([busy(), busy(), busy()]));
    let plugged = model.clone();
    let host = keepmind_tests::host::Host::on(store, Policy::default(), |builder| {
        let patience = keepmind::Patience::default().retries(9, Duration::from_secs(1));
        builder.model(plugged).patience(patience)
    });
    let closed = chat(&host.alice(), SAID).await.close().await.unwrap();
    assert_eq!(closed.closing, Closing::Deferred);
    assert_eq!(model.asked().len(), 2);
}

#[tokio::test]
async fn an_answer_that_is_all_made_up_is_asked_for_once_more() {
    let update = |id: u64| json!({"op": "update", "id": id, "content": "User plays the cello", "quote": SAID});
    for made_up in [
        vec![add("User plays the cello", "I swear that I play the cello")],
        vec![add("User plays the cello", "")],
        vec![add("User plays the cello for Zorblax", SAID)],
        vec![add("User does not play the cello", SAID)],
        vec![update(900_001)],
        vec![add("User plays the cello", SAID); 4],
    ] {
        let model = || answers([answer(made_up.clone()), cello()]);
        on_every_store_with(Policy::default(), model, async |host, model| {
            let alice = host.alice();
            let closed = chat(&alice, SAID).await.close().await.unwrap();
            assert_eq!(closed.closing, Closing::Learned);
            let asked = model.asked();
            assert_eq!(asked.len(), 2, "{made_up:?}");
            assert!(
                asked[1]
                    .prompt
                    .contains("nothing in it is what the user said")
            );
            assert_eq!(closed.report.count(Fate::Refused), 0);
            assert_eq!(host.live(&alice).await, ["User plays the cello"]);
        })
        .await;
    }
}

#[tokio::test]
async fn who_answers_with_anything_the_user_said_is_not_asked_again() {
    let invented = add("User has a yacht", "I have a yacht");
    for operations in [
        vec![],
        vec![add("User plays the cello", SAID), invented],
        vec![json!({"op": "skip"})],
        vec![add("User agrees", "Go on.")],
    ] {
        let model = || answers([answer(operations.clone())]);
        on_every_store_with(Policy::default(), model, async |host, model| {
            let session = chat(&host.alice(), SAID).await;
            session.push(Push::assistant("Go on.")).await.unwrap();
            session.close().await.unwrap();
            assert_eq!(model.asked().len(), 1, "{operations:?}");
        })
        .await;
    }
}

#[tokio::test]
async fn what_is_made_up_twice_is_refused_and_told() {
    let yacht = answer([add("User has a yacht", "I have a yacht")]);
    for second in [
        Scripted::Answers(answer([add("User met Zorblax", "I met Zorblax")])),
        Scripted::Answers("nonsense".to_owned()),
        Scripted::Fails(PlugError::passing("busy")),
    ] {
        let first = Scripted::Answers(yacht.clone());
        let model = || ScriptedModel::new([first.clone(), second.clone()]);
        on_every_store_with(Policy::default(), model, async |host, model| {
            let alice = host.alice();
            let closed = chat(&alice, SAID).await.close().await.unwrap();
            assert_eq!(closed.closing, Closing::Learned);
            assert_eq!(model.asked().len(), 2);
            let lesson = &closed.report.lessons[0];
            assert_eq!(lesson.fate, Fate::Refused);
            assert!(lesson.codes.contains(&Code::QuoteNotFound));
            assert!(host.live(&alice).await.is_empty());
        })
        .await;
    }
}
