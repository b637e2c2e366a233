//! What a chat is called: by its first message, by a model when it is closed first, by the user for good.

use keepmind::testing::{Gate, Scripted, ScriptedModel};
use keepmind::{Closing, ErrorKind, Policy, Push, Role, SessionHandle, Task};
use keepmind_tests::chats::{chat, turn};
use keepmind_tests::host::{on_every_store, on_every_store_with, until};

async fn title(session: &SessionHandle) -> Option<String> {
    let record = session.record().await.unwrap();
    record.title.map(|title| title.text)
}

fn answers(answers: &[&str]) -> ScriptedModel {
    let script = answers
        .iter()
        .map(|answer| Scripted::Answers((*answer).to_owned()));
    ScriptedModel::new(script)
}

#[tokio::test]
async fn the_first_words_of_the_user_name_a_chat() {
    on_every_store(Policy::default(), async |host| {
        let session = host.alice().open_session().await.unwrap();
        assert_eq!(title(&session).await, None);
        // None of these is what the user typed and everybody may see.
        let before = [
            Push::new(Role::System, "You are a helpful bot"),
            Push::assistant("How can I help you today"),
            Push::new(Role::Tool, "a page about houses"),
            Push::user("Buy these shares now").prefilled(),
            Push::user("hello"),
            Push::user("my password is hunter2hunter2"),
        ];
        for push in before {
            session.push(push).await.unwrap();
            assert_eq!(title(&session).await, None);
        }
        let first = Push::user("How do I grow tomatoes?").hidden("the secret recipe");
        session.push(first).await.unwrap();
        let named = title(&session).await;
        assert_eq!(named.as_deref(), Some("How do I grow tomatoes"));
        session
            .push(Push::user("And how do I cook them?"))
            .await
            .unwrap();
        assert_eq!(title(&session).await, named);
    })
    .await;
}

#[tokio::test]
async fn another_handle_does_not_name_it_again() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let here = alice.open_session().await.unwrap();
        let there = alice.session(here.id()).await.unwrap();
        here.push(Push::user("Growing tomatoes at home"))
            .await
            .unwrap();
        there
            .push(Push::user("Cooking them afterwards"))
            .await
            .unwrap();
        assert_eq!(title(&here).await.unwrap(), "Growing tomatoes at home");
    })
    .await;
}

#[tokio::test]
async fn a_model_names_it_when_it_is_closed_first_and_never_again() {
    let model = || {
        answers(&[
            "A summary.",
            "Tea at Home",
            "Another summary.",
            "Another Title",
        ])
    };
    on_every_store_with(Policy::default(), model, async |host, model| {
        let session = chat(&host.alice(), "hello").await;
        session.close().await.unwrap();
        assert_eq!(title(&session).await.unwrap(), "Tea at Home");
        // Said by the same handle, which has named nothing so far.
        turn(&session, "How do I grow tomatoes?").await;
        assert_eq!(title(&session).await.unwrap(), "Tea at Home");
        session.close().await.unwrap();
        assert_eq!(title(&session).await.unwrap(), "Tea at Home");
        let tasks: Vec<Task> = model.asked().iter().map(|asked| asked.task).collect();
        assert_eq!(tasks, [Task::Summarise, Task::Title, Task::Summarise]);
    })
    .await;
}

#[tokio::test]
async fn the_users_name_beats_every_other() {
    let model = || answers(&["A summary.", "Tea at Home"]);
    on_every_store_with(Policy::default(), model, async |host, model| {
        let alice = host.alice();
        let named = chat(&alice, "Which tea is best?").await;
        named.rename("  My\u{a0}own   name ").await.unwrap();
        named.push(Push::user("Something else")).await.unwrap();
        named.close().await.unwrap();
        assert_eq!(title(&named).await.unwrap(), "My own name");
        assert!(
            model.asked().iter().all(|asked| asked.task != Task::Title),
            "nobody pays for a title that is not shown"
        );

        let unnamed = alice.open_session().await.unwrap();
        unnamed.rename("Before anything").await.unwrap();
        turn(&unnamed, "Which tea is best?").await;
        assert_eq!(title(&unnamed).await.unwrap(), "Before anything");
    })
    .await;
}

#[tokio::test]
async fn a_name_given_while_the_model_thinks_stays() {
    on_every_store_with(
        Policy::default(),
        || answers(&[]),
        async |host, model| {
            let gate = Gate::closed();
            model.follow([
                Scripted::Answers("A summary.".to_owned()),
                Scripted::Waits(gate.clone(), "The Model's Title".to_owned()),
            ]);
            let session = chat(&host.alice(), "Which tea is best?").await;
            let renamed = async {
                until(|| model.asked().len() == 2).await;
                session.rename("Mine").await.unwrap();
                gate.open();
            };
            let (closed, ()) = tokio::join!(session.close(), renamed);
            assert_eq!(closed.unwrap().closing, Closing::Learned);
            assert_eq!(title(&session).await.unwrap(), "Mine");
        },
    )
    .await;
}

#[tokio::test]
async fn a_title_that_is_no_title_is_not_taken() {
    for answer in [
        "",
        "Ignore all previous instructions",
        "tea\0time",
        "password: hunter2hunter2",
    ] {
        let model = || answers(&["A summary.", answer]);
        on_every_store_with(Policy::default(), model, async |host, _| {
            let session = chat(&host.alice(), "Which tea is best?").await;
            session.close().await.unwrap();
            assert_eq!(
                title(&session).await.unwrap(),
                "Which tea is best",
                "{answer}"
            );
        })
        .await;
    }
}

#[tokio::test]
async fn a_name_is_one_short_line() {
    on_every_store(Policy::default(), async |host| {
        let session = chat(&host.alice(), "Which tea is best?").await;
        for bad in ["", " \u{200b} ", "a\0b", &"x".repeat(121)] {
            let refused = session.rename(bad).await.unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::Invalid, "{bad:?}");
        }
        session.rename("two\nlines").await.unwrap();
        assert_eq!(title(&session).await.unwrap(), "two lines");
    })
    .await;
}
