//! Who may learn from a chat: one at a time, and nobody for ever.

use std::sync::Arc;

use keepmind::testing::{Scripted, ScriptedModel};
use keepmind::{Closing, MessageNumber, Policy, SessionHandle, SessionStatus, Task};
use keepmind_tests::chats::{chat, closed_half, closed_while, recapped, recaps, tasks, turn};
use keepmind_tests::host::{Host, on_every_moody_store, on_every_store_with};

fn model() -> ScriptedModel {
    ScriptedModel::new([recaps("They spoke of tea.")])
}

/// The same chat of Alice's in another process, which asks a model of its own.
async fn in_another_process(
    host: &Host,
    model: &Arc<ScriptedModel>,
    session: &SessionHandle,
) -> SessionHandle {
    let elsewhere = host.elsewhere(model.clone()).user("alice").unwrap();
    elsewhere.session(session.id()).await.unwrap()
}

#[tokio::test]
async fn of_two_closers_one_pays_the_model() {
    on_every_store_with(Policy::default(), model, async |host, model| {
        let here = chat(&host.alice(), "I like oolong").await;
        let there = host.alice().session(here.id()).await.unwrap();
        let (first, second) =
            closed_while(&here, model, &recapped("A summary."), there.close()).await;
        assert_eq!(second.unwrap().closing, Closing::ByAnother);
        assert_eq!(first.unwrap().closing, Closing::Learned);
        assert_eq!(tasks(model), [Task::Extract]);
        assert_eq!(there.close().await.unwrap().closing, Closing::NothingNew);
    })
    .await;
}

#[tokio::test]
async fn of_two_processes_one_pays_the_model() {
    on_every_store_with(Policy::default(), model, async |host, model| {
        let here = chat(&host.alice(), "I like oolong").await;
        let other = Arc::new(ScriptedModel::new([recaps("Nobody wants this.")]));
        let there = in_another_process(host, &other, &here).await;
        let (first, second) =
            closed_while(&here, model, &recapped("A summary."), there.close()).await;
        assert_eq!(second.unwrap().closing, Closing::ByAnother);
        assert_eq!(first.unwrap().closing, Closing::Learned);
        assert!(other.asked().is_empty());
    })
    .await;
}

#[tokio::test]
async fn many_closers_at_once_leave_one_summary() {
    on_every_store_with(Policy::default(), model, async |host, model| {
        let session = chat(&host.alice(), "I like oolong").await;
        let handles = [(); 8].map(|()| session.clone());
        let closers = handles.map(|handle| tokio::spawn(async move { handle.close().await }));
        for closer in closers {
            let closed = closer.await.unwrap().unwrap();
            assert!(
                matches!(
                    closed.closing,
                    Closing::Learned | Closing::ByAnother | Closing::NothingNew
                ),
                "{closed:?}"
            );
        }
        assert_eq!(tasks(model), [Task::Extract]);
        assert_eq!(session.status().await.unwrap(), SessionStatus::Idle);
    })
    .await;
}

#[tokio::test]
async fn what_another_learned_just_before_is_not_paid_for_again() {
    on_every_moody_store(Policy::default(), model, async |host, model, store| {
        let session = chat(&host.alice(), "I like oolong").await;
        turn(&session, "and sencha").await;
        let other = Arc::new(ScriptedModel::new([recaps("Nobody wants this.")]));
        let there = in_another_process(host, &other, &session).await;
        let before = session.clone();
        // Everything is read, and just before the lease is taken somebody else closes the chat.
        store.meanwhile(async move { drop(before.close().await.unwrap()) });
        let closed = there.close().await.unwrap();
        assert_eq!(closed.messages, 0, "{closed:?}");
        assert!(other.asked().is_empty(), "{:?}", host.store);
        assert_eq!(tasks(model), [Task::Extract]);
        let record = session.record().await.unwrap();
        assert_eq!(record.lease, None);
        assert_eq!(record.status, SessionStatus::Idle);
    })
    .await;
}

#[tokio::test]
async fn a_lease_left_behind_runs_out_and_the_sweep_finishes() {
    on_every_store_with(Policy::default(), model, async |host, model| {
        model.follow([Scripted::NeverAnswers]);
        let session = chat(&host.alice(), "I like oolong").await;
        // The host goes away while the model thinks.
        closed_half(&session, model, 1).await;
        model.follow([recaps("A summary.")]);
        let lease = session.record().await.unwrap().lease.expect("left behind");
        assert_eq!(session.close().await.unwrap().closing, Closing::ByAnother);
        assert_eq!(tasks(model), [Task::Extract]);

        host.seconds(6 * 3_600 + 1);
        assert!(lease.until < keepmind::Clock::now(host.clock.as_ref()));
        let swept = host.keepmind.sweep().await.unwrap();
        assert_eq!(swept.of("close_stale"), 1, "{swept:?}");
        let record = session.record().await.unwrap();
        assert_eq!(record.status, SessionStatus::Idle);
        assert_eq!(record.extracted_through, MessageNumber::new(1));
        assert_eq!(record.lease, None);
        assert_eq!(tasks(model), [Task::Extract; 2], "one for each try");
    })
    .await;
}

#[tokio::test]
async fn who_lost_the_lease_writes_nothing() {
    on_every_store_with(Policy::default(), model, async |host, model| {
        let session = chat(&host.alice(), "I like oolong").await;
        let other = Arc::new(ScriptedModel::new([recaps("In time.")]));
        let there = in_another_process(host, &other, &session).await;
        let overtaken = async {
            host.days(1);
            there.close().await.unwrap()
        };
        let (slow, fast) = closed_while(&session, model, &recapped("Too late."), overtaken).await;
        assert_eq!(fast.closing, Closing::Learned);
        assert_eq!(slow.unwrap().closing, Closing::ByAnother);
        let recap = session.record().await.unwrap().recap.unwrap();
        assert_eq!(recap.text, "In time.");
    })
    .await;
}
