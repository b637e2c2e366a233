//! What a chat is called: by its first message, by a model after the first exchange, by the user for good.

use std::sync::Arc;

use keepmind::testing::{Gate, Scripted, ScriptedModel};
use keepmind::{
    Closing, ErrorKind, InMemoryStore, KeepmindBuilder, PlugError, Policy, Push, Role,
    SessionHandle, Task,
};
use keepmind_tests::chats::{chat, recaps, tasks, turn};
use keepmind_tests::host::{Host, by_task, on_every_store, on_every_store_naming, until};
use keepmind_tests::moody::Moody;

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

fn model() -> ScriptedModel {
    answers(&["Hot Drinks"])
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
async fn a_model_names_it_after_the_first_exchange_and_never_again() {
    let model = || answers(&["Tea at Home", "Another Title"]);
    on_every_store_naming(Policy::default(), model, async |host, model| {
        let session = chat(&host.alice(), "hello").await;
        session.close().await.unwrap();
        assert_eq!(title(&session).await, None);
        assert!(model.asked().is_empty(), "nobody has answered so far");

        turn(&session, "Which tea is best?").await;
        session.close().await.unwrap();
        assert_eq!(title(&session).await.unwrap(), "Tea at Home");
        let prompt = &model.asked()[0].prompt;
        for said in ["hello", "Which tea is best?", "I see."] {
            assert!(prompt.contains(said), "{prompt}");
        }
        for _ in 0..2 {
            turn(&session, "How do I grow tomatoes?").await;
            session.close().await.unwrap();
            assert_eq!(title(&session).await.unwrap(), "Tea at Home");
        }
        assert_eq!(tasks(model), [Task::Title]);
    })
    .await;
}

#[tokio::test]
async fn a_close_asks_nothing_but_what_to_learn() {
    let model = Arc::new(ScriptedModel::new([
        Scripted::Answers("Tea at Home".to_owned()),
        recaps("They spoke of tea."),
    ]));
    let host = Host::in_memory(Policy::default(), model.clone());
    let session = host.alice().open_session().await.unwrap();
    turn(&session, "Which tea is best?").await;
    turn(&session, "And which is cheapest?").await;
    session.close().await.unwrap();
    assert_eq!(tasks(&model), [Task::Title, Task::Extract]);
}

#[tokio::test]
async fn nobody_waits_for_the_name_but_a_close() {
    on_every_store_naming(Policy::default(), model, async |host, model| {
        let gate = Gate::closed();
        model.follow([Scripted::Waits(gate.clone(), "Tea at Home".to_owned())]);
        let session = host.alice().open_session().await.unwrap();
        turn(&session, "Which tea is best?").await;
        until(|| model.asked().len() == 1).await;
        // The model still thinks, and the chat goes on.
        turn(&session, "And which is cheapest?").await;
        assert_eq!(session.view().await.unwrap().messages.len(), 4);
        assert_eq!(title(&session).await.unwrap(), "Which tea is best");

        let closing = session.close();
        let others = async {
            for _ in 0..1_000 {
                tokio::task::yield_now().await;
            }
        };
        tokio::pin!(closing);
        tokio::select! {
            biased;
            closed = &mut closing => panic!("it did not wait: {closed:?}"),
            () = others => {}
        }
        gate.open();
        assert_eq!(closing.await.unwrap().closing, Closing::Learned);
        assert_eq!(title(&session).await.unwrap(), "Tea at Home");
        assert_eq!(tasks(model), [Task::Title]);
    })
    .await;
}

#[tokio::test]
async fn only_the_beginning_of_a_chat_names_it() {
    on_every_store_naming(Policy::default(), model, async |host, model| {
        let session = chat(&host.alice(), "Which tea is best?").await;
        for _ in 0..3 {
            session.push(Push::user("Anybody there?")).await.unwrap();
        }
        session.push(Push::assistant("I am.")).await.unwrap();
        session.close().await.unwrap();
        assert_eq!(title(&session).await.unwrap(), "Which tea is best");
        assert!(model.asked().is_empty());
    })
    .await;
}

#[tokio::test]
async fn who_takes_up_a_chat_that_was_answered_does_not_name_it_again() {
    on_every_store_naming(Policy::default(), model, async |host, model| {
        let session = host.alice().open_session().await.unwrap();
        turn(&session, "Which tea is best?").await;
        session.close().await.unwrap();
        let id = session.id();
        // As a server does that looks the chat up for every request: nobody remembers having asked.
        drop(session);
        let again = host.alice().session(id).await.unwrap();
        turn(&again, "And which is cheapest?").await;
        again.close().await.unwrap();
        assert_eq!(tasks(model), [Task::Title]);
        assert_eq!(title(&again).await.unwrap(), "Hot Drinks");
    })
    .await;
}

#[tokio::test]
async fn of_two_processes_one_names_it() {
    on_every_store_naming(Policy::default(), model, async |host, model| {
        let session = host.alice().open_session().await.unwrap();
        turn(&session, "Which tea is best?").await;
        let other = Arc::new(answers(&["Nobody Wants This"]));
        let elsewhere = host.elsewhere(other.clone()).user("alice").unwrap();
        let there = elsewhere.session(session.id()).await.unwrap();
        turn(&there, "And which is cheapest?").await;
        there.close().await.unwrap();
        session.close().await.unwrap();
        assert_eq!(tasks(model), [Task::Title]);
        assert!(!tasks(&other).contains(&Task::Title));
        assert_eq!(title(&session).await.unwrap(), "Hot Drinks");
    })
    .await;
}

#[tokio::test]
async fn the_first_words_do_not_replace_a_name_that_came_just_before() {
    let store = Arc::new(Moody::new(Arc::new(InMemoryStore::new())));
    let gate = Gate::closed();
    let waits = Scripted::Waits(gate.clone(), "Tea at Home".to_owned());
    let naming = Arc::new(ScriptedModel::new([waits]));
    let learning = Arc::new(ScriptedModel::new([recaps("They spoke of tea.")]));
    let plugged = |builder: KeepmindBuilder| builder.model(by_task(learning, naming.clone()));
    let host = Host::on(store.clone(), Policy::default(), plugged);
    // Greetings name nothing.
    let session = chat(&host.alice(), "hello").await;
    session.push(Push::assistant("Hello!")).await.unwrap();
    until(|| naming.asked().len() == 1).await;
    // The message looked whether there is a name, and just before it is appended there is.
    let there = session.clone();
    store.meanwhile(async move {
        gate.open();
        while title(&there).await.is_none() {
            tokio::task::yield_now().await;
        }
    });
    session
        .push(Push::user("Which tea is best?"))
        .await
        .unwrap();
    assert_eq!(title(&session).await.unwrap(), "Tea at Home");
    let said = session.messages(None, 10).await.unwrap().items;
    assert_eq!(said.len(), 3, "and it was said once");
}

#[tokio::test]
async fn the_users_name_beats_every_other() {
    on_every_store_naming(Policy::default(), model, async |host, model| {
        let alice = host.alice();
        let named = chat(&alice, "Which tea is best?").await;
        named.rename("  My\u{a0}own   name ").await.unwrap();
        turn(&named, "Something else").await;
        named.close().await.unwrap();
        assert_eq!(title(&named).await.unwrap(), "My own name");

        let unnamed = alice.open_session().await.unwrap();
        unnamed.rename("Before anything").await.unwrap();
        turn(&unnamed, "Which tea is best?").await;
        unnamed.close().await.unwrap();
        assert_eq!(title(&unnamed).await.unwrap(), "Before anything");
        assert!(
            model.asked().is_empty(),
            "nobody pays for a title that is not shown"
        );

        let renamed = alice.open_session().await.unwrap();
        turn(&renamed, "Which tea is best?").await;
        renamed.close().await.unwrap();
        assert_eq!(title(&renamed).await.unwrap(), "Hot Drinks");
        renamed.rename("Mine").await.unwrap();
        turn(&renamed, "Something else").await;
        renamed.close().await.unwrap();
        assert_eq!(title(&renamed).await.unwrap(), "Mine");
        assert_eq!(tasks(model), [Task::Title]);
    })
    .await;
}

#[tokio::test]
async fn a_name_given_while_the_model_thinks_stays() {
    on_every_store_naming(Policy::default(), model, async |host, model| {
        let gate = Gate::closed();
        model.follow([Scripted::Waits(
            gate.clone(),
            "The Model's Title".to_owned(),
        )]);
        let session = host.alice().open_session().await.unwrap();
        turn(&session, "Which tea is best?").await;
        until(|| model.asked().len() == 1).await;
        session.rename("Mine").await.unwrap();
        gate.open();
        assert_eq!(session.close().await.unwrap().closing, Closing::Learned);
        assert_eq!(title(&session).await.unwrap(), "Mine");
    })
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
        let model = || answers(&[answer]);
        on_every_store_naming(Policy::default(), model, async |host, model| {
            let session = host.alice().open_session().await.unwrap();
            turn(&session, "Which tea is best?").await;
            session.close().await.unwrap();
            assert_eq!(model.asked().len(), 1);
            assert_eq!(
                title(&session).await.unwrap(),
                "Which tea is best",
                "{answer}"
            );
        })
        .await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_model_that_fails_leaves_the_name_and_costs_the_close_nothing() {
    let busy = Scripted::Fails(PlugError::passing("busy"));
    let broken = Scripted::Fails(PlugError::lasting("no key"));
    for (fails, asked) in [(busy, 3), (broken, 1), (Scripted::NeverAnswers, 3)] {
        let learning = Arc::new(ScriptedModel::new([recaps("They spoke of tea.")]));
        let naming = Arc::new(ScriptedModel::new([fails]));
        let models = by_task(learning.clone(), naming.clone());
        let host = Host::in_memory(Policy::default(), models);
        let session = host.alice().open_session().await.unwrap();
        turn(&session, "Which tea is best?").await;
        let closed = session.close().await.unwrap();
        assert_eq!((closed.closing, closed.failure), (Closing::Learned, None));
        assert_eq!(title(&session).await.unwrap(), "Which tea is best");
        let record = session.record().await.unwrap();
        assert_eq!((record.attempts, record.retry_at), (0, None));
        assert_eq!(tasks(&naming), vec![Task::Title; asked]);
        assert_eq!(tasks(&learning), [Task::Extract]);

        // It is not asked again by the next turn, nor by the next close.
        turn(&session, "And which is cheapest?").await;
        session.close().await.unwrap();
        assert_eq!(naming.asked().len(), asked);
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
