//! Closing a chat: what is learned, how far, and what happens to it meanwhile.

use keepmind::testing::ScriptedModel;
use keepmind::{
    Closing, Draft, EntryHeader, ErrorKind, Expected, MessageNumber, Policy, Push, Session,
    SessionChange, SessionId, SessionStatus, Slice, Task, Uuid, Who,
};
use keepmind_tests::chats::{
    chat, closed_while, recapped, recaps, short_transcripts, tasks, transcripts, turn,
};
use keepmind_tests::host::{on_every_store, on_every_store_with};

use super::is_refused;

fn model() -> ScriptedModel {
    ScriptedModel::new([recaps("They spoke of tea.")])
}

#[tokio::test]
async fn where_nothing_is_new_nobody_is_asked() {
    on_every_store_with(Policy::default(), model, async |host, model| {
        let session = host.alice().open_session().await.unwrap();
        for _ in 0..2 {
            let closed = session.close().await.unwrap();
            assert_eq!(closed.closing, Closing::NothingNew);
            assert_eq!(session.status().await.unwrap(), SessionStatus::Idle);
        }
        assert!(model.asked().is_empty());

        turn(&session, "I like tea").await;
        let closed = session.close().await.unwrap();
        assert_eq!((closed.closing, closed.messages), (Closing::Learned, 2));
        assert_eq!(closed.failure, None);
        assert!(closed.report.lessons.is_empty(), "{:?}", closed.report);
        let is_told = closed.report.episode.is_some() && closed.undo.is_some();
        assert!(is_told, "what happened is all that was kept");
        assert_eq!(tasks(model), [Task::Extract], "one question for everything");
        session.resume().await.unwrap();
        let closed = session.close().await.unwrap();
        assert_eq!((closed.closing, closed.messages), (Closing::NothingNew, 0));
        assert_eq!(tasks(model), [Task::Extract]);
        assert_eq!(session.status().await.unwrap(), SessionStatus::Idle);
    })
    .await;
}

#[tokio::test]
async fn the_next_close_is_asked_about_new_turns_only() {
    on_every_store_with(Policy::default(), model, async |host, model| {
        let session = chat(&host.alice(), "I like oolong").await;
        session.close().await.unwrap();
        let record = session.record().await.unwrap();
        assert_eq!(record.extracted_through, MessageNumber::new(1));
        assert_eq!(record.lease, None);
        assert_eq!(record.recap.unwrap().text, "They spoke of tea.");

        turn(&session, "I also like sencha").await;
        let closed = session.close().await.unwrap();
        assert_eq!(closed.messages, 2);
        assert_eq!(tasks(model), [Task::Extract; 2]);
        let new = &transcripts(model)[1];
        assert!(new.contains("sencha") && !new.contains("oolong"), "{new}");
        let prompt = &model.asked()[1].prompt;
        assert!(prompt.contains("They spoke of tea."), "what came before");
        assert!(
            prompt.contains("context only:\n  [1] user:\n    I like oolong\n"),
            "{prompt}"
        );
        let record = session.record().await.unwrap();
        assert_eq!(record.extracted_through, MessageNumber::new(3));
        assert_eq!(record.recap.unwrap().through.get(), 3);
    })
    .await;
}

#[tokio::test]
async fn what_is_said_meanwhile_keeps_it_active() {
    on_every_store_with(Policy::default(), model, async |host, model| {
        let session = chat(&host.alice(), "I like oolong").await;
        let spoken = session.push(Push::user("wait, also sencha"));
        let (closed, pushed) = closed_while(&session, model, &recapped("A summary."), spoken).await;
        let (closed, pushed) = (closed.unwrap(), pushed.unwrap());
        assert_eq!(closed.closing, Closing::StillActive);
        assert_eq!(closed.messages, 1);
        assert_eq!(pushed.block, None, "it was never put aside");
        let record = session.record().await.unwrap();
        assert_eq!(record.status, SessionStatus::Active);
        assert_eq!(record.extracted_through, MessageNumber::new(1));
        assert_eq!(record.lease, None);

        let closed = session.close().await.unwrap();
        assert_eq!((closed.closing, closed.messages), (Closing::Learned, 1));
        assert_eq!(tasks(model), [Task::Extract; 2]);
        let new = &transcripts(model)[1];
        assert!(new.contains("sencha") && !new.contains("oolong"), "{new}");
    })
    .await;
}

#[tokio::test]
async fn a_long_chat_is_learned_from_part_by_part() {
    on_every_store_with(short_transcripts(), model, async |host, model| {
        let session = host.alice().open_session().await.unwrap();
        let words = "word ".repeat(100);
        for number in 1..=20 {
            turn(&session, &format!("this is number{number} {words}")).await;
        }
        let closed = session.close().await.unwrap();
        assert_eq!((closed.closing, closed.messages), (Closing::Learned, 40));
        let parts = transcripts(model);
        assert!(parts.len() > 3, "{}", parts.len());
        assert_eq!(model.asked().len(), parts.len(), "one question for each");
        for number in 1..=20 {
            let name = format!("number{number} ");
            let shown = parts.iter().filter(|part| part.contains(&name));
            assert_eq!(shown.count(), 1, "{name}");
        }
    })
    .await;
}

#[tokio::test]
async fn nothing_is_learned_from_a_chat_that_was_deleted_meanwhile() {
    on_every_store_with(Policy::default(), model, async |host, model| {
        let session = chat(&host.alice(), "I like oolong").await;
        let trashed = session.trash();
        let (closed, trashed) =
            closed_while(&session, model, &recapped("A summary."), trashed).await;
        trashed.unwrap();
        assert!(is_refused(&closed.unwrap_err()));
        let record = session.record().await.unwrap();
        assert_eq!((record.extracted_through, record.recap), (None, None));
        assert_eq!(record.lease, None, "nobody has to wait for it");

        session.restore().await.unwrap();
        assert_eq!(session.close().await.unwrap().closing, Closing::Learned);
    })
    .await;
}

#[tokio::test]
async fn a_chat_purged_meanwhile_stays_gone() {
    on_every_store_with(Policy::default(), model, async |host, model| {
        let session = chat(&host.alice(), "I like oolong").await;
        let purged = session.purge();
        let (closed, purged) = closed_while(&session, model, &recapped("A summary."), purged).await;
        purged.unwrap();
        assert!(closed.is_err() || closed.is_ok_and(|closed| closed.messages == 0));
        let gone = session.record().await.unwrap_err();
        assert_eq!(gone.kind(), ErrorKind::NotFound);
    })
    .await;
}

#[tokio::test]
async fn a_summary_that_the_model_leaves_out_is_codes() {
    let model = || ScriptedModel::answering(r#"{"ops": []}"#);
    on_every_store_with(Policy::default(), model, async |host, model| {
        let session = chat(&host.alice(), "I have decided to drink oolong only").await;
        let closed = session.close().await.unwrap();
        assert_eq!(closed.closing, Closing::Learned);
        assert_eq!(tasks(model), [Task::Extract], "nobody asks for it");
        let recap = session.record().await.unwrap().recap.unwrap();
        assert!(recap.text.contains("oolong"), "{recap:?}");
    })
    .await;
}

#[tokio::test]
async fn without_a_model_code_sums_up_and_nothing_failed() {
    on_every_store(Policy::default(), async |host| {
        let session = chat(&host.alice(), "I have decided to drink oolong only").await;
        let closed = session.close().await.unwrap();
        assert_eq!(closed.closing, Closing::Learned);
        assert_eq!((closed.failure, closed.retry_at), (None, None));
        let record = session.record().await.unwrap();
        assert!(record.recap.unwrap().text.contains("oolong"));
    })
    .await;
}

#[tokio::test]
async fn a_chat_said_to_be_learned_from_beyond_its_end_can_be_closed() {
    on_every_store(Policy::default(), async |host| {
        // As an import may bring it: the file is somebody else's.
        let alice = host.alice();
        let id = SessionId::new(Uuid::from_u128(7));
        let store = host.keepmind.store();
        let base = store.load(alice.owner(), &Slice::default()).await.unwrap();
        let now = keepmind::Clock::now(host.clock.as_ref());
        let mut ids = keepmind::CountingIds::after(1 << 100);
        let mut draft = Draft::new(&base, now, &mut ids).unwrap();
        let mut session = Session::open(id, now);
        session.extracted_through = MessageNumber::new(99);
        let change = SessionChange::Open(session);
        draft.others().sessions.insert(id, change);
        let changes = draft
            .finish(EntryHeader::new(Who::Host, "brought"))
            .unwrap();
        let expected = Expected::At(base.state().revision);
        store
            .commit(alice.owner(), expected, changes.into())
            .await
            .unwrap();

        let session = alice.session(id).await.unwrap();
        let closing = session.close();
        let closed = tokio::time::timeout(std::time::Duration::from_secs(120), closing).await;
        assert_eq!(
            closed.expect("it ends").unwrap().closing,
            Closing::NothingNew
        );
        assert_eq!(session.status().await.unwrap(), SessionStatus::Idle);
    })
    .await;
}
