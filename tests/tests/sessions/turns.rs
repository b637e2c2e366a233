//! Learning turn by turn: off the chat's path, a bounded queue, and the close for what is left.

use keepmind::policy::ExtractionMode;
use keepmind::testing::{Gate, Scripted, ScriptedModel};
use keepmind::{Closing, MessageNumber, Policy, Push, SessionStatus, Task};
use keepmind_tests::chats::{recapped, recaps, tasks, transcripts, turn};
use keepmind_tests::host::{on_every_store_with, until};

fn every_turn(queue: u32) -> Policy {
    let mut policy = Policy::default();
    policy.extraction.mode = ExtractionMode::EveryTurn;
    policy.extraction.queue_turns = queue;
    policy
}

fn model() -> ScriptedModel {
    ScriptedModel::new([recaps("They spoke of tea.")])
}

#[tokio::test]
async fn a_turn_is_learned_from_without_anybody_waiting() {
    on_every_store_with(every_turn(32), model, async |host, model| {
        let gate = Gate::closed();
        model.follow([Scripted::Waits(gate.clone(), recapped("A summary."))]);
        let session = host.alice().open_session().await.unwrap();
        session.push(Push::user("I like oolong")).await.unwrap();
        assert!(model.asked().is_empty(), "the turn is not over");
        session.push(Push::assistant("Noted.")).await.unwrap();
        until(|| model.asked().len() == 1).await;
        // The model still thinks, and the chat goes on.
        turn(&session, "and sencha").await;
        assert_eq!(session.view().await.unwrap().messages.len(), 4);
        gate.open();

        let closed = session.close().await.unwrap();
        assert_eq!(closed.dropped_turns, 0);
        assert_eq!(
            closed.closing,
            Closing::NothingNew,
            "the turns were drained"
        );
        assert_eq!(tasks(model), [Task::Extract; 2], "one for each turn");
        let turns = transcripts(model);
        assert!(turns[0].contains("oolong") && !turns[0].contains("sencha"));
        assert!(turns[1].contains("sencha") && !turns[1].contains("oolong"));
        let record = session.record().await.unwrap();
        assert_eq!(record.status, SessionStatus::Idle);
        assert_eq!(record.extracted_through, MessageNumber::new(4));
    })
    .await;
}

#[tokio::test]
async fn turns_that_find_no_room_are_counted_and_learned_from_at_the_close() {
    on_every_store_with(every_turn(2), model, async |host, model| {
        let gate = Gate::closed();
        model.follow([Scripted::Waits(gate.clone(), recapped("A summary."))]);
        let session = host.alice().open_session().await.unwrap();
        turn(&session, "tea number 1").await;
        until(|| model.asked().len() == 1).await;
        for number in 2..=6 {
            turn(&session, &format!("tea number {number}")).await;
        }
        gate.open();
        let closed = session.close().await.unwrap();
        assert_eq!(closed.dropped_turns, 3, "two wait, three find no room");
        let record = session.record().await.unwrap();
        assert_eq!(record.extracted_through, MessageNumber::new(12));
        for number in 1..=6 {
            let said = format!("tea number {number}");
            let parts = transcripts(model);
            let shown = parts.iter().filter(|part| part.contains(&said));
            assert_eq!(shown.count(), 1, "{said}");
        }
        turn(&session, "once more").await;
        assert_eq!(session.close().await.unwrap().dropped_turns, 0);
    })
    .await;
}

#[tokio::test]
async fn a_turn_that_fails_costs_no_attempt() {
    on_every_store_with(
        every_turn(32),
        ScriptedModel::failing,
        async |host, model| {
            let session = host.alice().open_session().await.unwrap();
            turn(&session, "I like oolong").await;
            until(|| model.asked().len() == 2).await;
            model.follow([recaps("They spoke of tea.")]);
            let closed = session.close().await.unwrap();
            assert_eq!((closed.closing, closed.messages), (Closing::Learned, 2));
            assert_eq!(closed.failure, None);
            let record = session.record().await.unwrap();
            assert_eq!((record.attempts, record.retry_at), (0, None));
            assert_eq!(tasks(model), [Task::Extract; 3]);
        },
    )
    .await;
}

#[tokio::test]
async fn a_failing_turn_leaves_the_chat_as_it_is() {
    on_every_store_with(
        every_turn(32),
        ScriptedModel::failing,
        async |host, model| {
            let session = host.alice().open_session().await.unwrap();
            turn(&session, "I like oolong").await;
            until(|| model.asked().len() == 2).await;
            turn(&session, "and sencha").await;
            until(|| model.asked().len() == 4).await;
            assert_eq!(session.status().await.unwrap(), SessionStatus::Active);
            let pushed = session.push(Push::user("still here")).await.unwrap();
            assert_eq!(pushed.block, None);
            let closed = session.close().await.unwrap();
            assert_eq!(closed.closing, Closing::Deferred);
            assert_eq!(session.record().await.unwrap().attempts, 1);
            assert_eq!(tasks(model), [Task::Extract; 6], "two for each try");
        },
    )
    .await;
}

#[tokio::test]
async fn a_close_by_another_handle_waits_for_the_turns_too() {
    on_every_store_with(every_turn(32), model, async |host, model| {
        let gate = Gate::closed();
        model.follow([Scripted::Waits(gate.clone(), recapped("A summary."))]);
        let alice = host.alice();
        let session = alice.open_session().await.unwrap();
        turn(&session, "I like oolong").await;
        until(|| model.asked().len() == 1).await;
        // As a server does that looks the chat up for every request.
        let there = alice.session(session.id()).await.unwrap();
        let opened = async { gate.open() };
        let (closed, ()) = tokio::join!(there.close(), opened);
        assert_ne!(closed.unwrap().closing, Closing::ByAnother);
        assert_eq!(there.status().await.unwrap(), SessionStatus::Idle);
    })
    .await;
}
