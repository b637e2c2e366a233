//! The life of a chat: every step from every state, what wakes one that was put aside, and who may not.

#[path = "sessions/close.rs"]
mod close;
#[path = "sessions/failing.rs"]
mod failing;
#[path = "sessions/hostile.rs"]
mod hostile;
#[path = "sessions/leases.rs"]
mod leases;
#[path = "sessions/list.rs"]
mod list;
#[path = "sessions/search.rs"]
mod search;
#[path = "sessions/titles.rs"]
mod titles;
#[path = "sessions/turns.rs"]
mod turns;

use keepmind::{
    Code, Error, ErrorKind, Policy, Push, Result, SessionHandle, SessionId, SessionStatus, Uuid,
};
use keepmind_tests::chats::chat;
use keepmind_tests::host::{Host, on_every_store};

use SessionStatus::{Active, Archived, Idle};

#[derive(Debug, Clone, Copy)]
enum State {
    Is(SessionStatus),
    Trashed,
    TrashedLongAgo,
    Purged,
}

async fn chat_that(state: State, host: &Host) -> SessionHandle {
    let session = chat(&host.alice(), "I like tea").await;
    match state {
        State::Is(Active) => {}
        State::Is(Idle) => drop(session.close().await.unwrap()),
        State::Is(Archived) => {
            session.close().await.unwrap();
            session.archive().await.unwrap();
        }
        State::Trashed => session.trash().await.unwrap(),
        State::TrashedLongAgo => {
            session.trash().await.unwrap();
            host.days(31);
        }
        State::Purged => session.purge().await.unwrap(),
    }
    session
}

async fn taken(step: &str, session: &SessionHandle) -> Result<()> {
    match step {
        "push" => session.push(Push::user("I like coffee")).await.map(drop),
        "resume" => session.resume().await.map(drop),
        "close" => session.close().await.map(drop),
        "archive" => session.archive().await,
        "trash" => session.trash().await,
        "restore" => session.restore().await,
        "rename" => session.rename("Hot drinks").await,
        "purge" => session.purge().await,
        _ => unreachable!("{step}"),
    }
}

fn is_refused(error: &Error) -> bool {
    error.kind() == ErrorKind::Refused && error.code() == Some(Code::NotApplicable.as_str())
}

/// What became of the chat, in a word.
async fn outcome(step: &str, state: State, host: &Host) -> &'static str {
    let session = chat_that(state, host).await;
    let before = session.record().await.ok();
    if let Err(error) = taken(step, &session).await {
        assert_eq!(session.record().await.ok(), before, "{step} from {state:?}");
        return match error.kind() {
            _ if is_refused(&error) => "refused",
            ErrorKind::NotFound => "not found",
            _ => panic!("{step} from {state:?}: {error}"),
        };
    }
    match session.record().await {
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::NotFound);
            "gone"
        }
        Ok(record) if record.deleted_at.is_some() => "trashed",
        Ok(record) => match record.status {
            Active => "active",
            Idle => "idle",
            Archived => "archived",
        },
    }
}

#[tokio::test]
async fn every_step_from_every_state() {
    let states = [
        State::Is(Active),
        State::Is(Idle),
        State::Is(Archived),
        State::Trashed,
        State::TrashedLongAgo,
        State::Purged,
    ];
    #[rustfmt::skip]
    let table = [
        ("push", ["active", "active", "active", "refused", "refused", "not found"]),
        ("resume", ["active", "active", "active", "refused", "refused", "not found"]),
        ("close", ["idle", "idle", "archived", "refused", "refused", "not found"]),
        ("archive", ["refused", "archived", "archived", "refused", "refused", "not found"]),
        ("trash", ["trashed", "trashed", "trashed", "trashed", "trashed", "not found"]),
        ("restore", ["active", "idle", "archived", "active", "refused", "not found"]),
        ("rename", ["active", "idle", "archived", "refused", "refused", "not found"]),
        ("purge", ["gone", "gone", "gone", "gone", "gone", "not found"]),
    ];
    on_every_store(Policy::default(), async |host| {
        for (step, expected) in table {
            for (state, expected) in states.into_iter().zip(expected) {
                let found = outcome(step, state, host).await;
                assert_eq!(found, expected, "{}: {step} from {state:?}", host.store);
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_chat_put_aside_is_resumed_with_what_was_saved_meanwhile() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let session = chat(&alice, "hello").await;
        for fact in ["Likes green tea", "Owns a kettle"] {
            session.close().await.unwrap();
            if fact == "Owns a kettle" {
                session.archive().await.unwrap();
            }
            alice.save(fact).await.unwrap();
            let resumed = session.push(Push::user("hello again")).await.unwrap();
            let block = resumed.block.expect("a new block");
            assert!(block.contains(fact), "{block}");
            assert_eq!(session.block().await.unwrap(), block);
            assert_eq!(session.status().await.unwrap(), Active);

            // From here on it is frozen again.
            alice.save(format!("{fact} since long ago")).await.unwrap();
            let pushed = session.push(Push::user("and then")).await.unwrap();
            assert_eq!(pushed.block, None);
            assert_eq!(session.resume().await.unwrap(), block);
        }
        session.close().await.unwrap();
        let block = session.resume().await.unwrap();
        assert!(block.contains("Owns a kettle since long ago"), "{block}");
    })
    .await;
}

#[tokio::test]
async fn nobody_reaches_the_chat_of_another() {
    on_every_store(Policy::default(), async |host| {
        let session = chat(&host.alice(), "my secret garden").await;
        let bob = host.keepmind.user("bob").unwrap();
        for id in [session.id(), SessionId::new(Uuid::from_u128(7))] {
            let reached = bob.session(id).await;
            assert_eq!(reached.unwrap_err().kind(), ErrorKind::NotFound);
        }
        assert!(
            bob.sessions(Default::default())
                .await
                .unwrap()
                .sessions
                .is_empty()
        );
        assert!(bob.search_sessions("garden", 10).await.unwrap().is_empty());
        let swept = bob.sweep().await.unwrap();
        assert!(swept.done.is_empty() && swept.failures.is_empty());
        assert_eq!(session.status().await.unwrap(), Active);
    })
    .await;
}

#[tokio::test]
async fn without_a_trash_a_chat_is_gone_at_once() {
    let mut policy = Policy::default();
    policy.retention.session_trash_days = 0;
    on_every_store(policy, async |host| {
        let session = chat(&host.alice(), "hello").await;
        session.trash().await.unwrap();
        let gone = session.record().await.unwrap_err();
        assert_eq!(gone.kind(), ErrorKind::NotFound);
        assert!(session.messages(None, 10).await.unwrap().items.is_empty());
    })
    .await;
}

#[tokio::test]
async fn a_purged_chat_takes_its_words_with_it() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let session = chat(&alice, "I grow marjoram").await;
        session.close().await.unwrap();
        session.purge().await.unwrap();
        assert!(
            alice
                .search_sessions("marjoram", 10)
                .await
                .unwrap()
                .is_empty()
        );
        assert!(session.messages(None, 10).await.unwrap().items.is_empty());
        let view = session.view().await.unwrap_err();
        assert_eq!(view.kind(), ErrorKind::NotFound);
    })
    .await;
}
