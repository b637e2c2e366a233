//! Many writers through the engine: several tasks, two engines on one file, callers that go away, and
//! stores that answer badly. Nothing is lost, nothing is written twice, and no conflict reaches a caller.

use std::collections::BTreeSet;
use std::future::poll_fn;
use std::path::Path;
use std::sync::Arc;
use std::task::Poll;

use keepmind::command::{List, Update};
use keepmind::{
    Code, ErrorKind, InMemoryStore, Keepmind, MemoryStore, Policy, Push, SessionHandle, Slice,
    Snapshot, ToolReply, UndoToken, UserMemory,
};
use keepmind_tests::invariants::assert_sound;
use keepmind_tests::moody::{Mood, Moody};
use keepmind_tests::{Backend, lasting, stores};
use serde_json::json;

const TASKS: usize = 8;
const WRITES: usize = 25;

async fn engine(backend: Backend, folder: &Path) -> Keepmind {
    Keepmind::builder(backend.open(folder).await)
        .build()
        .expect("a sound policy")
}

async fn two_engines(backend: Backend, folder: &Path) -> [Keepmind; 2] {
    [engine(backend, folder).await, engine(backend, folder).await]
}

async fn everything(keepmind: &Keepmind, user: &UserMemory) -> Snapshot {
    let all = keepmind
        .store()
        .load(user.owner(), &Slice::everything())
        .await;
    all.expect("the store works")
}

fn contents(data: &Snapshot) -> BTreeSet<String> {
    data.memories()
        .map(|row| row.body.claim.content.clone())
        .collect()
}

/// Saves from many tasks on both engines and gives back what was saved and how to undo it.
async fn storm(engines: &[Keepmind; 2], owners: usize) -> Vec<(usize, String, UndoToken)> {
    let mut tasks = Vec::new();
    for task in 0..TASKS {
        let user = engines[task % 2]
            .user(format!("user {}", task / 2 % owners))
            .unwrap();
        tasks.push(tokio::spawn(async move {
            let mut saved = Vec::new();
            for place in 0..WRITES {
                let content = format!("task {task} said {place}");
                let outcome = user.save(content.as_str()).await.unwrap();
                let token = outcome.event.unwrap().undo.unwrap();
                saved.push((task / 2 % owners, content, token));
            }
            saved
        }));
    }
    let mut saved = Vec::new();
    for task in tasks {
        saved.extend(task.await.expect("no writer is told of another"));
    }
    saved
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_engines_on_one_store_lose_nothing() {
    let both = |backend| [(backend, 1), (backend, 3)];
    for (backend, owners) in lasting().into_iter().flat_map(both) {
        let folder = tempfile::tempdir().unwrap();
        let engines = two_engines(backend, folder.path()).await;
        let saved = storm(&engines, owners).await;
        assert_eq!(saved.len(), TASKS * WRITES);
        for owner in 0..owners {
            let user = engines[0].user(format!("user {owner}")).unwrap();
            let data = everything(&engines[0], &user).await;
            assert_sound(&data);
            let own = saved.iter().filter(|(of, ..)| *of == owner);
            let expected: BTreeSet<String> = own.map(|(_, content, _)| content.clone()).collect();
            assert_eq!(contents(&data), expected);
            let numbers: BTreeSet<u64> = data.memories().map(|row| row.body.number.get()).collect();
            assert_eq!(numbers.len(), expected.len(), "a number was given twice");
            assert_eq!(data, everything(&engines[1], &user).await);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_undo_token_works_on_both_engines_and_once() {
    for backend in lasting() {
        undo_on_both(backend).await;
    }
}

async fn undo_on_both(backend: Backend) {
    let folder = tempfile::tempdir().unwrap();
    let engines = two_engines(backend, folder.path()).await;
    let saved = storm(&engines, 1).await;
    let users = [
        engines[0].user("user 0").unwrap(),
        engines[1].user("user 0").unwrap(),
    ];
    let mut tasks = Vec::new();
    for (place, (_, _, token)) in saved.iter().enumerate().filter(|(place, _)| place % 5 == 0) {
        for user in users.clone() {
            let token = *token;
            tasks.push(tokio::spawn(async move { (place, user.undo(token).await) }));
        }
    }
    let mut undone = Vec::new();
    for task in tasks {
        match task.await.unwrap() {
            (place, Ok(_)) => undone.push(place),
            (_, Err(error)) => assert_eq!(error.code(), Some("E_STALE"), "{error}"),
        }
    }
    undone.sort_unstable();
    let expected: Vec<usize> = (0..saved.len()).step_by(5).collect();
    assert_eq!(undone, expected, "each was undone once, by one of the two");
    let data = everything(&engines[1], &users[1]).await;
    assert_sound(&data);
    let live = data.memories().filter(|row| row.is_open()).count();
    assert_eq!(live, saved.len() - expected.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_updates_of_one_fact_make_one_chain() {
    for backend in lasting() {
        update_on_both(backend).await;
    }
}

async fn update_on_both(backend: Backend) {
    let folder = tempfile::tempdir().unwrap();
    let engines = two_engines(backend, folder.path()).await;
    let alice = engines[0].user("alice").unwrap();
    alice.save("Counts to nothing").await.unwrap();
    let mut tasks = Vec::new();
    for task in 0..TASKS {
        let user = engines[task % 2].user("alice").unwrap();
        tasks.push(tokio::spawn(async move {
            for place in 0..WRITES {
                let content = format!("Counts to {}", task * WRITES + place);
                user.update(Update::new("#1", content)).await.unwrap();
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    let history = alice.history("#1").await.unwrap().rows;
    assert_eq!(history.len(), TASKS * WRITES + 1);
    assert_eq!(history.iter().filter(|row| row.is_open()).count(), 1);
    for (old, new) in history.iter().zip(&history[1..]) {
        let by = old.end.and_then(|end| end.why.successor());
        assert_eq!(by, Some(new.origin), "a version was skipped");
    }
}

/// Polls a future that many times at most, and drops it.
async fn abandon(future: impl Future, polls: usize) {
    let mut future = Box::pin(future);
    for _ in 0..polls {
        let is_done =
            poll_fn(|context| Poll::Ready(future.as_mut().poll(context).is_ready())).await;
        if is_done {
            return;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_caller_that_goes_away_leaves_a_sound_store_and_no_lock() {
    for backend in stores() {
        let folder = tempfile::tempdir().unwrap();
        let store = backend.open(folder.path()).await;
        let keepmind = Keepmind::builder(store).build().unwrap();
        let alice = keepmind.user("alice").unwrap();
        let session = alice.open_session().await.unwrap();
        session
            .push(Push::user("I like tea since 17"))
            .await
            .unwrap();
        let saved = alice.save("User likes chess").await.unwrap();
        let token = saved.event.unwrap().undo.unwrap();
        for polls in 1..40 {
            let content = format!("User likes tea since {polls}");
            abandon(alice.save(content.as_str()), polls).await;
            let arguments = json!({"content": content, "category": "profile"});
            abandon(session.call_tool(None, "save_memory", &arguments), polls).await;
            abandon(alice.undo(token), polls).await;
            abandon(alice.redo(token), polls).await;
            abandon(session.push(Push::assistant("and?")), polls).await;
            abandon(alice.open_session(), polls).await;
            let kept = alice.save(format!("Kept after {polls}")).await.unwrap();
            assert!(kept.event.is_some(), "{}", backend.name);
            assert!(
                session.running().is_empty(),
                "a call that nobody waits for is not running"
            );
        }
        let data = everything(&keepmind, &alice).await;
        assert_sound(&data);
        let kept = contents(&data)
            .iter()
            .filter(|content| content.starts_with("Kept"))
            .count();
        assert_eq!(kept, 39);
        keepmind.close().await.unwrap();
    }
}

fn moody() -> (Arc<Moody>, UserMemory) {
    let store = Arc::new(Moody::new(Arc::new(InMemoryStore::new())));
    let shared: Arc<dyn MemoryStore> = store.clone();
    let keepmind = Keepmind::builder(shared)
        .policy(Policy::default())
        .build()
        .unwrap();
    (store, keepmind.user("alice").unwrap())
}

async fn count(user: &UserMemory) -> usize {
    user.list(List::default()).await.unwrap().rows.len()
}

#[tokio::test]
async fn a_conflict_is_planned_again_until_it_works() {
    for conflicts in [1, 7, 15] {
        let (store, alice) = moody();
        store.expects(vec![Mood::Refuses(ErrorKind::Conflict); conflicts]);
        let saved = alice.save("Likes tea").await.unwrap();
        assert_eq!(saved.event.unwrap().revision.count, 1);
        let asked = store.asked();
        assert_eq!(asked.len(), conflicts + 1);
        let operations: BTreeSet<_> = asked.iter().map(ToString::to_string).collect();
        assert_eq!(
            operations.len(),
            asked.len(),
            "another plan is another operation"
        );
        assert_eq!(count(&alice).await, 1);
    }
}

#[tokio::test]
async fn conflicts_without_end_end_in_busy() {
    let (store, alice) = moody();
    store.expects(vec![Mood::Refuses(ErrorKind::Conflict); 1_000]);
    let busy = alice.save("Likes tea").await.unwrap_err();
    assert_eq!(busy.kind(), ErrorKind::Busy);
    assert!(busy.is_retryable());
    let tries = store.asked().len();
    assert!((16..=200).contains(&tries), "{tries}");
    store.expects([]);
    assert_eq!(count(&alice).await, 0);
    alice.save("Likes tea").await.unwrap();
    assert_eq!(count(&alice).await, 1);
}

#[tokio::test]
async fn an_unknown_outcome_is_asked_for_again_as_the_same_operation() {
    let unknown = Mood::Refuses(ErrorKind::OutcomeUnknown);
    for moods in [
        vec![Mood::WritesInSilence],
        vec![unknown],
        vec![Mood::WritesInSilence, unknown],
        vec![unknown, Mood::WritesInSilence],
    ] {
        let (store, alice) = moody();
        store.expects(moods.clone());
        let saved = alice.save("Likes tea").await.unwrap();
        let asked = store.asked();
        assert_eq!(asked.len(), moods.len() + 1);
        assert!(
            asked.iter().all(|operation| *operation == asked[0]),
            "{moods:?}"
        );
        assert_eq!(count(&alice).await, 1, "{moods:?}");
        let event = saved.event.unwrap();
        assert_eq!(event.revision.count, 1);
        alice.undo(event.undo.unwrap()).await.unwrap();
        assert_eq!(count(&alice).await, 0);
    }
}

#[tokio::test]
async fn an_outcome_that_stays_unknown_is_said_so_and_the_call_can_be_made_again() {
    let (store, alice) = moody();
    store.expects(vec![Mood::WritesInSilence; 3]);
    let unknown = alice.save("Likes tea").await.unwrap_err();
    assert_eq!(unknown.kind(), ErrorKind::OutcomeUnknown);
    assert!(unknown.is_retryable());
    alice.save("Likes tea").await.unwrap();
    assert_eq!(count(&alice).await, 1);
}

#[tokio::test]
async fn an_unknown_outcome_followed_by_a_conflict_is_not_written_twice() {
    let (store, alice) = moody();
    let unknown = Mood::Refuses(ErrorKind::OutcomeUnknown);
    store.expects([unknown, Mood::Refuses(ErrorKind::Conflict)]);
    alice.save("Likes tea").await.unwrap();
    assert_eq!(count(&alice).await, 1);
}

#[tokio::test]
async fn a_store_that_fails_changes_nothing_and_keeps_what_waits() {
    let (store, alice) = moody();
    let session = alice.open_session().await.unwrap();
    session
        .call_tool(Some("a"), "list_memories", &json!({}))
        .await
        .unwrap();
    for kind in [
        ErrorKind::Full,
        ErrorKind::Io,
        ErrorKind::Busy,
        ErrorKind::Closed,
    ] {
        store.expects(vec![Mood::Refuses(kind); 4]);
        assert_eq!(alice.save("Likes tea").await.unwrap_err().kind(), kind);
        let arguments = json!({"content": "User likes tea"});
        let failed = session
            .call_tool(Some("b"), "save_memory", &arguments)
            .await;
        assert_eq!(failed.unwrap_err().kind(), kind);
        assert_eq!(
            session.push(Push::user("Hello")).await.unwrap_err().kind(),
            kind
        );
        assert_eq!(session.flush().await.unwrap_err().kind(), kind);
    }
    store.expects([]);
    assert_eq!(count(&alice).await, 0);
    assert!(session.messages(None, 10).await.unwrap().items.is_empty());
    let traces = session.traces(None, 10).await.unwrap().items;
    let calls: Vec<&str> = traces.iter().map(|trace| trace.key.call.as_str()).collect();
    assert_eq!(calls, ["a"], "the record of the list has waited");
}

/// A user who said what they like, in a chat through a store with moods, and what saved and undoes it through an
/// engine beside it.
struct Said {
    store: Arc<Moody>,
    chat: SessionHandle,
    beside: UserMemory,
    saved: UndoToken,
}

async fn tea_is_saved() -> Said {
    let inner: Arc<dyn MemoryStore> = Arc::new(InMemoryStore::new());
    let beside = Keepmind::builder(inner.clone()).build().unwrap();
    let beside = beside.user("alice").unwrap();
    let store = Arc::new(Moody::new(inner));
    let shared: Arc<dyn MemoryStore> = store.clone();
    let keepmind = Keepmind::builder(shared).build().unwrap();
    let chat = keepmind
        .user("alice")
        .unwrap()
        .open_session()
        .await
        .unwrap();
    chat.push(Push::user("I like tea and chess."))
        .await
        .unwrap();
    let saved = save(&chat, "User likes tea").await.event.unwrap();
    store.reads();
    Said {
        store,
        chat,
        beside,
        saved: saved.undo.unwrap(),
    }
}

async fn save(chat: &SessionHandle, content: &str) -> ToolReply {
    let arguments = json!({"content": content});
    let reply = chat.call_tool(None, "save_memory", &arguments).await;
    reply.unwrap()
}

#[tokio::test]
async fn a_tool_call_reads_what_was_said_and_once_what_it_is_held_against() {
    let said = tea_is_saved().await;
    let chess = save(&said.chat, "User likes chess").await;
    assert!(chess.event.is_some(), "{}", chess.message);
    assert_eq!(said.store.reads(), 2);
    let arguments = json!({"id_or_substring": "#2", "new_content": "User likes tea and chess"});
    let updated = said.chat.call_tool(None, "update_memory", &arguments).await;
    let updated = updated.unwrap();
    assert!(updated.event.is_some(), "{}", updated.message);
    assert_eq!(said.store.reads(), 2);
}

#[tokio::test]
async fn what_a_call_read_before_another_wrote_is_not_what_it_answers_by() {
    let said = tea_is_saved().await;
    let known = save(&said.chat, "User likes tea").await;
    assert!(known.event.is_none(), "{}", known.message);
    let beside = said.beside.clone();
    let undone = said
        .store
        .once_loaded(async move { beside.undo(said.saved).await });
    let forgotten = save(&said.chat, "User likes tea").await;
    undone.result().unwrap();
    assert_eq!(forgotten.codes, [Code::Forgotten], "{}", forgotten.message);
}

#[tokio::test]
async fn what_a_call_read_before_another_wrote_is_not_what_it_writes_on() {
    let said = tea_is_saved().await;
    let beside = said.beside.clone();
    let golf = said
        .store
        .once_loaded(async move { beside.save("Plays golf").await });
    let chess = save(&said.chat, "User likes chess").await;
    let golf = golf.result().unwrap().number.unwrap();
    assert_eq!((golf.get(), chess.shown[0].get()), (2, 3));
}
