//! A model that fails, is late, or answers nonsense: the chat is put aside, tried again later, and done by
//! code in the end.

use std::sync::Arc;
use std::time::Duration;

use keepmind::testing::{Scripted, ScriptedModel};
use keepmind::{
    Clock as _, Closed, Closing, Code, Fate, InMemoryStore, KeepmindBuilder, MessageNumber,
    ModelByTask, ModelChain, Patience, PlugError, Policy, Push, SessionStatus, Task,
};
use keepmind_tests::chats::{
    chat, closed_half, closed_while, long_chat, recapped, recaps, short_transcripts, tasks, turn,
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
                let asked = vec![Task::Extract; 2 * attempt as usize];
                assert_eq!(tasks(model), asked, "twice for each attempt");
                host.seconds(1);
            }
            let closed = session.close().await.unwrap();
            assert_eq!(
                (closed.closing, closed.messages),
                (Closing::WithoutModel, 1)
            );
            assert!(closed.failure.is_some());
            assert_eq!(closed.retry_at, None);
            assert_eq!(model.asked().len(), 10);
            let record = session.record().await.unwrap();
            assert_eq!(record.extracted_through, MessageNumber::new(1));
            assert_eq!((record.attempts, record.retry_at), (0, None));
            assert!(record.recap.unwrap().text.contains("oolong"));
            let closed = session.close().await.unwrap();
            assert_eq!(closed.closing, Closing::NothingNew);
            assert_eq!(model.asked().len(), 10);
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
            model.follow([recaps("They spoke of words.")]);
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
            model.follow([recaps("A summary."), Scripted::NeverAnswers]);
            closed_half(&session, model, 2).await;
            let through = session.record().await.unwrap().extracted_through.unwrap();
            assert!(through.get() < 40);

            model.follow([recaps("A summary.")]);
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
        assert_eq!(model.asked().len(), 2, "nobody asks about the rest");
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
            assert_eq!(closed.report.lessons[0].codes, [Code::Limit]);
            assert_eq!(model.asked().len(), 2);
            let record = session.record().await.unwrap();
            assert_eq!(record.status, SessionStatus::Active);
            assert_eq!((record.lease, record.extracted_through), (None, None));

            model.follow([recaps("They spoke of tea.")]);
            let closed = session.close().await.unwrap();
            assert_eq!((closed.closing, closed.messages), (Closing::Learned, 2));
        },
    )
    .await;
}

#[tokio::test]
async fn answers_that_say_nothing_or_too_much_are_failures() {
    for (answer, code) in [
        ("", Code::Parse),
        (" \u{200b}\n", Code::Parse),
        ("<think>hm</think>", Code::Parse),
        ("They spoke of tea.", Code::Parse),
        (r#"{"ops": [], "recap": "They spoke"#, Code::Parse),
        (r#"{"recap": "They spoke of tea."}"#, Code::Schema),
        (r#"{"ops": [], "recap": ["tea"]}"#, Code::Schema),
        (r#"{"ops": [], "summary": "tea"}"#, Code::Schema),
        (&"x".repeat(65_537), Code::Limit),
    ] {
        let model = || ScriptedModel::answering(answer);
        on_every_store_with(Policy::default(), model, async |host, model| {
            let session = chat(&host.alice(), "I like oolong").await;
            let closed = session.close().await.unwrap();
            assert_eq!(closed.closing, Closing::Deferred);
            assert!(closed.failure.is_some());
            assert_eq!(closed.undo, None);
            let [lesson] = closed.report.lessons.as_slice() else {
                panic!("{:?}", closed.report);
            };
            assert_eq!((lesson.fate, lesson.number), (Fate::Refused, None));
            assert_eq!(lesson.codes, [code], "{answer:.40}");
            assert!(!lesson.reason.is_empty());
            let record = session.record().await.unwrap();
            assert_eq!((record.recap, record.attempts), (None, 1));

            // It is told what was wrong, and never a third time.
            let asked = model.asked();
            assert_eq!(tasks(model), [Task::Extract; 2]);
            let more = asked[1].prompt.strip_prefix(&asked[0].prompt);
            assert!(more.expect("the same question").contains(&lesson.reason));
        })
        .await;
    }
}

#[tokio::test]
async fn an_answer_that_is_mended_is_as_good_as_the_first() {
    let model = || ScriptedModel::new([answers("Tea, I think."), recaps("They spoke of tea.")]);
    on_every_store_with(Policy::default(), model, async |host, model| {
        let session = chat(&host.alice(), "I like oolong").await;
        let closed = session.close().await.unwrap();
        assert_eq!((closed.closing, closed.messages), (Closing::Learned, 1));
        assert_eq!((closed.failure, closed.retry_at), (None, None));
        assert!(closed.report.lessons.is_empty(), "{:?}", closed.report);
        assert_eq!(tasks(model), [Task::Extract; 2]);
        let record = session.record().await.unwrap();
        assert_eq!(record.attempts, 0);
        assert_eq!(record.recap.unwrap().text, "They spoke of tea.");
    })
    .await;
}

#[tokio::test]
async fn what_a_model_writes_is_cleaned_and_bounded() {
    let hostile = format!(
        "Tea\0 \u{202e}time.\u{7} {}",
        "All work and no play. ".repeat(1_500)
    );
    let model = || ScriptedModel::answering(recapped(&hostile));
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

async fn closed_in_memory(model: ScriptedModel, patience: Patience) -> (Closed, Vec<Task>) {
    let model = Arc::new(model);
    let store = Arc::new(InMemoryStore::new());
    let plugged = |builder: KeepmindBuilder| builder.model(model.clone()).patience(patience);
    let host = Host::on(store, Policy::default(), plugged);
    let session = chat(&host.alice(), "I like oolong").await;
    let closed = session.close().await.unwrap();
    (closed, tasks(&model))
}

#[tokio::test(start_paused = true)]
async fn a_model_is_waited_for_only_so_long_and_asked_only_so_often() {
    let after = |seconds| Scripted::After(Duration::from_secs(seconds), recapped("Tea."));
    let late = || after(61);
    let busy = || Scripted::Fails(PlugError::passing("busy"));
    let broken = || Scripted::Fails(PlugError::lasting("no key"));
    let prose = || answers("They spoke of tea.");
    let good = || recaps("Tea.");
    let table = [
        (vec![good()], Closing::Learned, 1),
        (vec![after(59)], Closing::Learned, 1),
        (vec![busy(), good()], Closing::Learned, 2),
        (vec![late(), good()], Closing::Learned, 2),
        (vec![prose(), good()], Closing::Learned, 2),
        (vec![broken(), good()], Closing::Deferred, 1),
        (vec![Scripted::NeverAnswers], Closing::Deferred, 2),
        (vec![late()], Closing::Deferred, 2),
        (vec![busy(), late(), good()], Closing::Deferred, 2),
        (vec![busy(), prose(), good()], Closing::Deferred, 2),
        (vec![prose(), busy(), good()], Closing::Deferred, 2),
        (vec![prose(), broken(), good()], Closing::Deferred, 2),
    ];
    // How often others are asked again changes nothing: a close looks at the answer itself.
    for retries in [0, 2, 7] {
        let patience = Patience::default().retries(retries, Duration::from_millis(500));
        for (script, closing, times) in table.clone() {
            let case = format!("{retries}: {script:?}");
            let (closed, asked) = closed_in_memory(ScriptedModel::new(script), patience).await;
            assert_eq!(closed.closing, closing, "{case}");
            assert_eq!(asked, vec![Task::Extract; times], "{case}");
            assert_eq!(closed.failure.is_some(), closing == Closing::Deferred);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_busy_model_is_left_in_peace_before_it_is_asked_again() {
    let busy = Scripted::Fails(PlugError::passing("busy"));
    let pause = Duration::from_secs(20);
    for (first, waited) in [(busy, pause), (answers("Tea, I think."), Duration::ZERO)] {
        let begun = tokio::time::Instant::now();
        let model = ScriptedModel::new([first, recaps("Tea.")]);
        let patience = Patience::default().retries(0, pause);
        let (closed, _) = closed_in_memory(model, patience).await;
        assert_eq!(closed.closing, Closing::Learned);
        assert_eq!(begun.elapsed().as_secs(), waited.as_secs());
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
    let careful = Arc::new(ScriptedModel::new([recaps("They spoke of tea.")]));
    let cheap = Arc::new(ScriptedModel::answering("Hot Drinks"));
    let chain = Arc::new(ModelChain::new(broken.clone()).then(careful.clone()));
    let models = ModelByTask::new(chain).with(Task::Title, cheap.clone());
    let host = Host::in_memory(Policy::default(), Arc::new(models));
    let session = host.alice().open_session().await.unwrap();
    turn(&session, "I like oolong").await;
    assert_eq!(session.close().await.unwrap().closing, Closing::Learned);
    let record = session.record().await.unwrap();
    assert_eq!(record.recap.unwrap().text, "They spoke of tea.");
    assert_eq!(record.title.unwrap().text, "Hot Drinks");
    let asked = [&broken, &careful, &cheap].map(|model| tasks(model));
    let once = |task| vec![task];
    let expected = [Task::Extract, Task::Extract, Task::Title];
    assert_eq!(asked, expected.map(once));
}

#[tokio::test(start_paused = true)]
async fn a_chain_is_asked_again_as_long_as_one_of_it_may_recover() {
    let busy = Arc::new(ScriptedModel::new([
        Scripted::Fails(PlugError::passing("busy")),
        recaps("Tea."),
    ]));
    let broken = Arc::new(ScriptedModel::new([Scripted::Fails(PlugError::lasting(
        "no key",
    ))]));
    let chain = ModelChain::new(busy.clone()).then(broken.clone());
    let host = Host::in_memory(Policy::default(), Arc::new(chain));
    let session = chat(&host.alice(), "I like oolong").await;
    assert_eq!(session.close().await.unwrap().closing, Closing::Learned);
    assert_eq!((busy.asked().len(), broken.asked().len()), (2, 1));
}
