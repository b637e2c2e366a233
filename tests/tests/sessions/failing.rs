//! A model that fails, is late, or answers nonsense: the chat is put aside, tried again later, and done by
//! code in the end.

use std::sync::Arc;
use std::time::Duration;

use keepmind::testing::{Scripted, ScriptedModel};
use keepmind::{
    Clock as _, Closed, Closing, MessageNumber, ModelByTask, ModelChain, PlugError, Policy, Push,
    SessionStatus, Task,
};
use keepmind_tests::chats::{
    chat, closed_half, closed_while, long_chat, short_transcripts, summaries,
};
use keepmind_tests::host::{Host, on_every_store_with, until};

fn answers(answer: &str) -> Scripted {
    Scripted::Answers(answer.to_owned())
}

/// In how many seconds it is tried again.
fn wait(host: &Host, closed: &Closed) -> i64 {
    let retry_at = closed.retry_at.expect("it is tried again");
    (retry_at.as_micros() - host.clock.now().as_micros()) / 1_000_000
}

#[tokio::test]
async fn each_failure_waits_twice_as_long_and_code_does_it_in_the_end() {
    on_every_store_with(
        Policy::default(),
        ScriptedModel::failing,
        async |host, model| {
            let session = chat(&host.alice(), "I have decided to drink oolong only").await;
            for (attempt, seconds) in [(1, 60), (2, 120), (3, 240), (4, 480)] {
                let closed = session.close().await.unwrap();
                assert_eq!(closed.closing, Closing::Deferred);
                assert_eq!(
                    closed.failure.as_ref().unwrap().message,
                    "the script says so"
                );
                assert_eq!((wait(host, &closed), closed.messages), (seconds, 0));
                let record = session.record().await.unwrap();
                assert_eq!(record.status, SessionStatus::Idle);
                assert_eq!(
                    (record.attempts, record.retry_at),
                    (attempt, closed.retry_at)
                );
                assert_eq!((record.extracted_through, record.lease), (None, None));

                // Whoever closes it again before that pays for nothing.
                host.seconds(seconds as u64 - 1);
                let again = session.close().await.unwrap();
                assert_eq!(
                    (again.closing, again.retry_at),
                    (Closing::Deferred, closed.retry_at)
                );
                assert_eq!(model.asked().len(), attempt as usize);
                host.seconds(1);
            }
            let closed = session.close().await.unwrap();
            assert_eq!(
                (closed.closing, closed.messages),
                (Closing::WithoutModel, 1)
            );
            assert!(closed.failure.is_some());
            assert_eq!(closed.retry_at, None);
            let record = session.record().await.unwrap();
            assert_eq!(record.extracted_through, MessageNumber::new(1));
            assert_eq!((record.attempts, record.retry_at), (0, None));
            assert!(record.recap.unwrap().text.contains("oolong"));
            let closed = session.close().await.unwrap();
            assert_eq!(closed.closing, Closing::NothingNew);
        },
    )
    .await;
}

#[tokio::test]
async fn no_wait_is_longer_than_the_limit() {
    let mut policy = Policy::default();
    policy.close.attempts = 100;
    policy.close.backoff_limit_seconds = 300;
    on_every_store_with(policy, ScriptedModel::failing, async |host, _| {
        let session = chat(&host.alice(), "I like oolong").await;
        let mut waits = Vec::new();
        for _ in 0..70 {
            waits.push(wait(host, &session.close().await.unwrap()));
            host.seconds(300);
        }
        assert_eq!(waits[..4], [60, 120, 240, 300]);
        assert!(waits[4..].iter().all(|wait| *wait == 300), "{waits:?}");
    })
    .await;
}

#[tokio::test]
async fn a_long_chat_is_put_off_as_a_whole_and_finished_as_a_whole() {
    on_every_store_with(
        short_transcripts(),
        ScriptedModel::failing,
        async |host, model| {
            let session = long_chat(&host.alice()).await;
            let closed = session.close().await.unwrap();
            assert_eq!(
                closed.closing,
                Closing::Deferred,
                "nobody said anything meanwhile"
            );
            assert_eq!(session.status().await.unwrap(), SessionStatus::Idle);

            host.seconds(60);
            model.follow([answers("They spoke of words.")]);
            let closed = session.close().await.unwrap();
            assert_eq!((closed.closing, closed.messages), (Closing::Learned, 40));
            let record = session.record().await.unwrap();
            assert_eq!(record.extracted_through, MessageNumber::new(40));
            assert_eq!(record.retry_at, None);
        },
    )
    .await;
}

#[tokio::test]
async fn what_is_left_of_a_long_chat_is_due_until_it_is_done() {
    on_every_store_with(
        short_transcripts(),
        ScriptedModel::failing,
        async |host, model| {
            let session = long_chat(&host.alice()).await;
            session.close().await.unwrap();
            host.seconds(60);
            // The host goes away after the first part.
            model.follow([
                answers("A summary."),
                answers("A title"),
                Scripted::NeverAnswers,
            ]);
            closed_half(&session, model, 3).await;
            let through = session.record().await.unwrap().extracted_through.unwrap();
            assert!(through.get() < 40);

            model.follow([answers("A summary.")]);
            host.days(1);
            host.keepmind.sweep().await.unwrap();
            let record = session.record().await.unwrap();
            assert_eq!(record.extracted_through, MessageNumber::new(40));
        },
    )
    .await;
}

#[tokio::test]
async fn after_the_last_attempt_code_does_all_of_a_long_chat_and_says_so() {
    let mut policy = short_transcripts();
    policy.close.attempts = 1;
    on_every_store_with(policy, ScriptedModel::failing, async |host, model| {
        let session = long_chat(&host.alice()).await;
        let closed = session.close().await.unwrap();
        assert_eq!(
            (closed.closing, closed.messages),
            (Closing::WithoutModel, 40)
        );
        assert!(closed.failure.is_some());
        assert_eq!(model.asked().len(), 1, "it failed for the last time");
    })
    .await;
}

#[tokio::test]
async fn what_is_said_while_the_model_fails_keeps_it_active() {
    on_every_store_with(
        Policy::default(),
        ScriptedModel::failing,
        async |host, model| {
            // Too long to be an answer: it fails, but only once it is let.
            let nonsense = "x".repeat(100_000);
            let session = chat(&host.alice(), "I like oolong").await;
            let spoken = session.push(Push::user("and sencha"));
            let (closed, spoken) = closed_while(&session, model, &nonsense, spoken).await;
            spoken.unwrap();
            let closed = closed.unwrap();
            assert_eq!(closed.closing, Closing::StillActive);
            assert!(closed.failure.is_some());
            let record = session.record().await.unwrap();
            assert_eq!(record.status, SessionStatus::Active);
            assert_eq!((record.lease, record.extracted_through), (None, None));

            model.follow([answers("They spoke of tea.")]);
            let closed = session.close().await.unwrap();
            assert_eq!((closed.closing, closed.messages), (Closing::Learned, 2));
        },
    )
    .await;
}

#[tokio::test]
async fn answers_that_say_nothing_or_too_much_are_failures() {
    for answer in ["", " \u{200b}\n", "<think>hm</think>", &"x".repeat(65_537)] {
        let model = || ScriptedModel::answering(answer);
        on_every_store_with(Policy::default(), model, async |host, _| {
            let session = chat(&host.alice(), "I like oolong").await;
            let closed = session.close().await.unwrap();
            assert_eq!(closed.closing, Closing::Deferred);
            assert_eq!(session.record().await.unwrap().recap, None);
        })
        .await;
    }
}

#[tokio::test]
async fn what_a_model_writes_is_cleaned_and_bounded() {
    let hostile = format!(
        "Tea\0 \u{202e}time.\u{7} {}",
        "All work and no play. ".repeat(1_500)
    );
    let model = || ScriptedModel::answering(hostile.as_str());
    on_every_store_with(Policy::default(), model, async |host, _| {
        let session = chat(&host.alice(), "I like oolong").await;
        session.close().await.unwrap();
        let recap = session.record().await.unwrap().recap.unwrap().text;
        assert!(recap.starts_with("Tea"), "{recap}");
        assert!(!recap.contains(['\0', '\u{202e}', '\u{7}']));
        assert!(recap.len() < 16_000, "{}", recap.len());
    })
    .await;
}

async fn closed_in_memory(model: ScriptedModel) -> (Closed, usize) {
    let model = Arc::new(model);
    let host = Host::in_memory(Policy::default(), model.clone());
    let session = chat(&host.alice(), "I like oolong").await;
    let closed = session.close().await.unwrap();
    (closed, summaries(&model).len())
}

#[tokio::test(start_paused = true)]
async fn a_model_is_waited_for_only_so_long_and_asked_only_so_often() {
    let late = || Scripted::After(Duration::from_secs(61), "Late.".to_owned());
    let busy = || Scripted::Fails(PlugError::passing("busy"));
    let table = [
        (vec![Scripted::NeverAnswers], Closing::Deferred, 3),
        (vec![late()], Closing::Deferred, 3),
        (vec![busy(), late(), answers("Tea.")], Closing::Learned, 3),
        (
            vec![Scripted::Fails(PlugError::lasting("no key"))],
            Closing::Deferred,
            1,
        ),
        (
            vec![Scripted::After(Duration::from_secs(59), "Tea.".to_owned())],
            Closing::Learned,
            1,
        ),
    ];
    for (script, closing, asked) in table {
        let case = format!("{script:?}");
        let (closed, times) = closed_in_memory(ScriptedModel::new(script)).await;
        assert_eq!((closed.closing, times), (closing, asked), "{case}");
        assert_eq!(closed.failure.is_some(), closing == Closing::Deferred);
    }
}

#[tokio::test(start_paused = true)]
async fn nobody_takes_the_lease_while_the_model_is_waited_for() {
    let model = Arc::new(ScriptedModel::new([Scripted::NeverAnswers]));
    let host = Host::in_memory(Policy::default(), model.clone());
    let session = chat(&host.alice(), "I like oolong").await;
    let begun = tokio::time::Instant::now();
    let lease = async {
        until(|| model.asked().len() == 1).await;
        session.record().await.unwrap().lease.unwrap()
    };
    let (closed, lease) = tokio::join!(session.close(), lease);
    closed.unwrap();
    let waited = i64::try_from(begun.elapsed().as_micros()).unwrap();
    let held = lease.until.as_micros() - host.clock.now().as_micros();
    assert!(held > waited, "held {held}, waited {waited}");
}

#[tokio::test]
async fn models_can_be_put_together() {
    let broken = Arc::new(ScriptedModel::new([Scripted::Fails(PlugError::lasting(
        "no key",
    ))]));
    let careful = Arc::new(ScriptedModel::answering("They spoke of tea."));
    let cheap = Arc::new(ScriptedModel::answering("Hot Drinks"));
    let chain = Arc::new(ModelChain::new(broken.clone()).then(careful.clone()));
    let models = ModelByTask::new(chain).with(Task::Title, cheap.clone());
    let host = Host::in_memory(Policy::default(), Arc::new(models));
    let session = chat(&host.alice(), "I like oolong").await;
    assert_eq!(session.close().await.unwrap().closing, Closing::Learned);
    let record = session.record().await.unwrap();
    assert_eq!(record.recap.unwrap().text, "They spoke of tea.");
    assert_eq!(record.title.unwrap().text, "Hot Drinks");
    let asked = [&broken, &careful, &cheap].map(|model| model.asked().len());
    assert_eq!(asked, [1, 1, 1]);
}

#[tokio::test(start_paused = true)]
async fn a_chain_is_asked_again_as_long_as_one_of_it_may_recover() {
    let busy = Arc::new(ScriptedModel::new([
        Scripted::Fails(PlugError::passing("busy")),
        answers("Tea."),
    ]));
    let broken = Arc::new(ScriptedModel::new([Scripted::Fails(PlugError::lasting(
        "no key",
    ))]));
    let chain = ModelChain::new(busy.clone()).then(broken.clone());
    let host = Host::in_memory(Policy::default(), Arc::new(chain));
    let session = chat(&host.alice(), "I like oolong").await;
    assert_eq!(session.close().await.unwrap().closing, Closing::Learned);
    assert_eq!(broken.asked().len(), 1);
}
