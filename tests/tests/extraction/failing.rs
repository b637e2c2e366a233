//! A model that fails or answers nonsense: nothing is lost that a later try can learn.

use std::time::Duration;

use keepmind::testing::{Scripted, ScriptedModel};
use keepmind::{Closing, Code, Fate, PlugError, Policy};
use keepmind_tests::answers::{add, answer, answers};
use keepmind_tests::chats::chat;
use keepmind_tests::host::on_every_store_with;

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
