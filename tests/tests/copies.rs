//! From any store to any other: nothing is lost, whatever interrupts it, and the copy lives on as its source would.

use std::future::poll_fn;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::task::Poll;

use keepmind::command::Update;
use keepmind::conformance::fixtures::{Scribe, claim, moment, owner, save};
use keepmind::conformance::furnish::furnish;
use keepmind::export::{CopyOptions, CopyOutcome, CopyProgress, CopyReport, copy, export};
use keepmind::{
    Clock as _, CountingIds, Draft, ErrorKind, Keepmind, ManualClock, MemoryStore, NewMessage,
    Policy, Push, Result, Role, SessionId, SystemClock, TimeOrderedIds, Timestamp, UndoToken,
    Utterance,
};
use keepmind_tests::invariants::assert_sound;
use keepmind_tests::moody::{Mood, Moody};
use keepmind_tests::{Backend, stores};
use tempfile::TempDir;

/// A store and the folder that it lives in.
struct Opened {
    store: Arc<dyn MemoryStore>,
    _folder: TempDir,
}

async fn opened(backend: Backend) -> Opened {
    let folder = tempfile::tempdir().expect("a folder");
    let store = backend.open(folder.path()).await;
    Opened {
        store,
        _folder: folder,
    }
}

/// Every pair of stores, one of a kind with itself among them.
fn pairs() -> Vec<(Backend, Backend)> {
    let stores = stores();
    let with_all = |from: &Backend| {
        let from = *from;
        stores.iter().map(move |to| (from, *to)).collect::<Vec<_>>()
    };
    stores.iter().flat_map(with_all).collect()
}

async fn run(
    from: &dyn MemoryStore,
    to: &dyn MemoryStore,
    options: CopyOptions,
    progress: impl FnMut(&CopyProgress) -> ControlFlow<()> + Send,
) -> Result<CopyReport> {
    let mut ids = TimeOrderedIds::at(SystemClock.now());
    copy(from, to, options, &SystemClock, &mut ids, progress).await
}

async fn copied(from: &dyn MemoryStore, to: &dyn MemoryStore) -> Result<CopyReport> {
    let going_on = |_: &CopyProgress| ControlFlow::Continue(());
    run(from, to, CopyOptions::default(), going_on).await
}

async fn replaced(from: &dyn MemoryStore, to: &dyn MemoryStore) -> CopyReport {
    let going_on = |_: &CopyProgress| ControlFlow::Continue(());
    let options = CopyOptions::default().replacing();
    run(from, to, options, going_on).await.expect("a copy")
}

/// Fails unless both hold the same owners with the same data, to the byte of an export.
async fn assert_same(one: &dyn MemoryStore, other: &dyn MemoryStore) {
    let owners = one.owners(None, 10_000).await.expect("owners");
    let there = other.owners(None, 10_000).await.expect("owners");
    assert_eq!(owners.len(), there.len());
    for (summary, copy) in owners.iter().zip(&there) {
        assert_eq!(summary.owner, copy.owner);
        assert_eq!(summary.state.revision.count, copy.state.revision.count);
        assert_eq!(summary.state.next_number, copy.state.next_number);
        assert_eq!(summary.state.last_stamp, copy.state.last_stamp);
        let lines = export(one, &summary.owner).await.expect("an export");
        let copied = export(other, &summary.owner).await.expect("an export");
        assert!(lines == copied, "{} has changed", summary.owner);
    }
}

async fn furnished(store: &Arc<dyn MemoryStore>, names: &[&str]) {
    for name in names {
        furnish(&mut Scribe::new(store, name)).await;
    }
}

/// Owners with a fact each, in order of name.
async fn many(store: &Arc<dyn MemoryStore>, count: usize) {
    for place in 0..count {
        let mut scribe = Scribe::new(store, &format!("owner {place:04}"));
        scribe.note("drinks tea").await;
    }
}

#[tokio::test]
async fn one_of_everything_is_copied_between_any_two_stores() {
    for (from, to) in pairs() {
        let (from, to) = (opened(from).await, opened(to).await);
        furnished(&from.store, &["alice", "bob%_", "พูดไทย 🍵"]).await;
        // One who only ever looked: a chat and no fact.
        Scribe::new(&from.store, "carol").open_session().await;
        let mut told = Vec::new();
        let report = run(
            &*from.store,
            &*to.store,
            CopyOptions::default(),
            |progress| {
                told.push((progress.outcome, progress.owners, progress.total));
                ControlFlow::Continue(())
            },
        );
        let report = report.await.expect("a copy");
        assert!(report.is_complete());
        assert_eq!((report.copied, report.line().as_str()), (4, "copied 4"));
        let expected: Vec<_> = (1..=4).map(|done| (CopyOutcome::Copied, done, 4)).collect();
        assert_eq!(told, expected);
        assert_same(&*from.store, &*to.store).await;

        let again = copied(&*from.store, &*to.store).await.expect("a copy");
        assert_eq!((again.copied, again.unchanged), (0, 4));
        assert!(again.is_complete());
    }
}

/// What a host sees of a memory that goes on where it was, with the ids of what is written from now on left out.
async fn going_on(keepmind: &Keepmind, session: SessionId, token: UndoToken) -> Vec<String> {
    let alice = keepmind.user("alice").unwrap();
    let mut seen = Vec::new();
    let session = alice.session(session).await.unwrap();
    session.resume().await.unwrap();
    seen.push(session.block().await.unwrap());
    let view = session.view().await.unwrap();
    seen.extend(
        view.messages
            .iter()
            .map(|said| said.utterance.content.clone()),
    );
    for words in ["tea", "carpenter", "what does the user drink"] {
        for hit in alice.recall(words).await.unwrap() {
            let claim = &hit.row.body.claim;
            seen.push(format!("{} {} {:?}", hit.score, claim.content, hit.around));
        }
        for hit in alice.search_sessions(words, 10).await.unwrap() {
            seen.push(format!("{} {:?}", hit.score, hit.session.id));
        }
    }
    let undone = alice.undo(token).await.unwrap();
    seen.push(undone.event.unwrap().line);
    let saved = alice.save("Has two children").await.unwrap();
    seen.push(saved.event.unwrap().line);
    for row in alice.history("#2").await.unwrap().rows {
        seen.push(format!("{:?} {}", row.end, row.body.claim.content));
    }
    session.push(Push::user("I live in Ghent.")).await.unwrap();
    seen.push(session.close().await.unwrap().report.line());
    seen
}

#[tokio::test]
async fn life_goes_on_in_the_copy_as_it_would_in_the_source() {
    for (from, to) in pairs() {
        let (from, to) = (opened(from).await, opened(to).await);
        let clock = Arc::new(ManualClock::new(
            Timestamp::parse("2026-03-01T09:00:00Z").expect("a moment"),
        ));
        let engine = |store: &Opened, ids: u128| {
            let builder = Keepmind::builder(Arc::clone(&store.store)).policy(Policy::advisor());
            let builder = builder.clock(clock.clone()).ids(CountingIds::after(ids));
            builder.build().expect("a sound policy")
        };
        let source = engine(&from, 1 << 64);
        let alice = source.user("alice").unwrap();
        let session = alice.open_session().await.unwrap();
        session
            .push(Push::user("I only buy funds. I work as a carpenter."))
            .await
            .unwrap();
        alice.save("Drinks green tea in the morning").await.unwrap();
        alice.save("Drinks milk with tea").await.unwrap();
        let update = Update::new("#2", "Drinks no milk with tea");
        alice.update(update).await.unwrap();
        session.close().await.unwrap();
        let forgotten = alice.forget("#1").await.unwrap();
        let token = forgotten.event.unwrap().undo.unwrap();

        let report = copied(&*from.store, &*to.store).await.expect("a copy");
        assert!(report.is_complete());
        assert_same(&*from.store, &*to.store).await;
        let there = going_on(&engine(&to, 1 << 80), session.id(), token).await;
        assert_eq!(there, going_on(&source, session.id(), token).await);
    }
}

#[tokio::test]
async fn a_large_owner_is_copied_whole() {
    for (from, to) in pairs() {
        if from.name != "memory" && to.name != "memory" {
            continue;
        }
        let (from, to) = (opened(from).await, opened(to).await);
        let mut scribe = Scribe::new(&from.store, "alice");
        let session = scribe.open_session().await;
        let mut changes = scribe.unchecked();
        let long = "word ".repeat(200);
        for place in 0..3_000 {
            changes.messages.push(NewMessage {
                session,
                place: None,
                utterance: Utterance::new(Role::User, format!("{place} {long}"), moment(place)),
            });
        }
        scribe.put(changes).await;
        let facts = |draft: &mut Draft<'_>| {
            for place in 0..2_000 {
                save(draft, claim(&format!("fact {place} of many")))?;
            }
            Ok(())
        };
        scribe.write(facts).await;
        let report = copied(&*from.store, &*to.store).await.expect("a copy");
        assert!(report.is_complete());
        assert_same(&*from.store, &*to.store).await;
    }
}

#[tokio::test]
async fn an_error_at_any_owner_is_made_good_by_the_next_run() {
    for (from, to) in pairs() {
        let from = opened(from).await;
        many(&from.store, 5).await;
        for failing in 0..5 {
            let to = opened(to).await;
            let target = Moody::new(Arc::clone(&to.store));
            let mut moods = vec![Mood::Good; failing];
            moods.push(Mood::Refuses(ErrorKind::Io));
            target.expects(moods);
            let failed = copied(&*from.store, &target).await.unwrap_err();
            assert_eq!(failed.kind(), ErrorKind::Io);
            let report = copied(&*from.store, &target).await.expect("a copy");
            assert!(report.is_complete());
            assert_eq!(report.unchanged, failing as u64);
            assert_eq!(report.copied, 5 - failing as u64);
            assert_same(&*from.store, &*to.store).await;
        }
    }
}

#[tokio::test]
async fn an_owner_who_cannot_be_read_stops_it_and_is_copied_later() {
    for (from, to) in pairs() {
        let (from, to) = (opened(from).await, opened(to).await);
        many(&from.store, 3).await;
        let source = Moody::new(Arc::clone(&from.store));
        source.fails_for(Some(owner("owner 0001")));
        assert!(copied(&source, &*to.store).await.is_err());
        source.fails_for(None);
        let report = copied(&source, &*to.store).await.expect("a copy");
        assert_eq!((report.unchanged, report.copied), (1, 2));
        assert_same(&*from.store, &*to.store).await;
    }
}

#[tokio::test]
async fn a_commit_of_which_nobody_knows_is_not_done_twice() {
    for backend in stores() {
        let (from, to) = (opened(stores()[0]).await, opened(backend).await);
        many(&from.store, 3).await;
        let target = Moody::new(Arc::clone(&to.store));
        let unknown = Mood::Refuses(ErrorKind::OutcomeUnknown);
        target.expects([Mood::WritesInSilence, unknown, Mood::Good]);
        let report = copied(&*from.store, &target).await.expect("a copy");
        assert_eq!((report.copied, report.unchanged), (3, 0));
        assert_same(&*from.store, &*to.store).await;
        // Without end it is an error, and the next run finds what there is.
        let mut scribe = Scribe::new(&from.store, "zoe");
        scribe.note("drinks tea").await;
        target.expects(vec![unknown; 10]);
        let failed = copied(&*from.store, &target).await.unwrap_err();
        assert_eq!(failed.kind(), ErrorKind::OutcomeUnknown);
        target.expects([]);
        assert_eq!(copied(&*from.store, &target).await.unwrap().copied, 1);
    }
}

/// Polls a future so often at most, and drops it. True when it was done by then.
async fn abandon(future: impl Future, polls: usize) -> bool {
    let mut future = Box::pin(future);
    for _ in 0..polls {
        let is_done =
            poll_fn(|context| Poll::Ready(future.as_mut().poll(context).is_ready())).await;
        if is_done {
            return true;
        }
        tokio::task::yield_now().await;
    }
    false
}

#[tokio::test]
async fn whoever_goes_away_at_any_moment_leaves_whole_owners() {
    for (from, to) in pairs() {
        let (from, to) = (opened(from).await, opened(to).await);
        many(&from.store, 4).await;
        let mut polls = 1;
        while !abandon(copied(&*from.store, &*to.store), polls).await {
            polls += 1 + polls / 4;
            for summary in to.store.owners(None, 10).await.expect("owners") {
                let owner = &summary.owner;
                let lines = export(&*from.store, owner).await.expect("an export");
                let there = export(&*to.store, owner).await.expect("an export");
                assert!(lines == there, "half of an owner");
            }
        }
        let report = copied(&*from.store, &*to.store).await.expect("a copy");
        assert_eq!(report.unchanged, 4);
        assert_same(&*from.store, &*to.store).await;
    }
}

#[tokio::test]
async fn it_stops_where_it_is_told_to_also_at_the_border_of_a_page() {
    for (from, to) in pairs() {
        // Pages are the same everywhere: one slow source is enough.
        let has_memory = from.name == "memory" || to.name == "memory";
        let count = if has_memory { 260 } else { 12 };
        let (from, to) = (opened(from).await, opened(to).await);
        many(&from.store, count).await;
        let mut there = 0;
        for stop in [1, 11, 255, 256, 257] {
            let report = run(
                &*from.store,
                &*to.store,
                CopyOptions::default(),
                |progress| match progress.owners >= stop {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                },
            );
            let report = report.await.expect("a copy");
            let done = stop.min(count as u64);
            assert_eq!(report.stopped, stop <= count as u64);
            assert_eq!((report.unchanged, report.copied), (there, done - there));
            there = done;
        }
        let report = copied(&*from.store, &*to.store).await.expect("a copy");
        assert_eq!(report.owners, count as u64);
        assert_same(&*from.store, &*to.store).await;
    }
}

#[tokio::test]
async fn other_data_of_an_owner_is_left_alone_unless_told() {
    for (from, to) in pairs() {
        let (from, to) = (opened(from).await, opened(to).await);
        furnished(&from.store, &["alice", "bob", "carol"]).await;
        let mut other = Scribe::new(&to.store, "bob");
        other.new_id();
        other.note("is somebody else").await;
        let before = export(&*to.store, &owner("bob")).await.unwrap();
        let report = copied(&*from.store, &*to.store).await.expect("a copy");
        assert!(!report.is_complete());
        assert_eq!(report.line(), "copied 2, refused 1");
        let refused = &report.refused[0];
        assert_eq!(refused.owner, owner("bob"));
        assert_eq!(refused.error.kind(), ErrorKind::Conflict);
        assert!(export(&*to.store, &owner("bob")).await.unwrap() == before);

        let report = replaced(&*from.store, &*to.store).await;
        assert_eq!((report.replaced, report.unchanged), (1, 2));
        assert!(report.is_complete());
        assert_same(&*from.store, &*to.store).await;
    }
}

#[tokio::test]
async fn who_was_written_to_since_is_noticed_also_without_a_revision() {
    for (from, to) in pairs() {
        let (from, to) = (opened(from).await, opened(to).await);
        let mut scribe = Scribe::new(&from.store, "alice");
        let furnished = furnish(&mut scribe).await;
        copied(&*from.store, &*to.store).await.expect("a copy");
        // What a message writes moves no revision.
        scribe.say(furnished.session, "one more thing").await;
        let report = copied(&*from.store, &*to.store).await.expect("a copy");
        assert_eq!(report.refused.len(), 1);
        let report = replaced(&*from.store, &*to.store).await;
        assert_eq!(report.replaced, 1);
        assert_same(&*from.store, &*to.store).await;
        assert_sound(&Scribe::new(&to.store, "alice").everything().await);
    }
}

#[tokio::test]
async fn a_store_by_another_name_is_not_erased_for_itself() {
    for (from, to) in pairs() {
        let (from, to) = (opened(from).await, opened(to).await);
        // Two looks at one store, and somebody wrote between them: the same life of the owner, not the same data.
        Scribe::new(&from.store, "alice").note("drinks tea").await;
        let mut later = Scribe::new(&to.store, "alice");
        later.note("drinks tea").await;
        later.note("plays chess").await;
        let before = export(&*to.store, &owner("alice")).await.unwrap();
        let going_on = |_: &CopyProgress| ControlFlow::Continue(());
        let options = CopyOptions::default().replacing();
        let refused = run(&*from.store, &*to.store, options, going_on).await;
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::Invalid);
        assert!(export(&*to.store, &owner("alice")).await.unwrap() == before);
    }
}

#[tokio::test]
async fn an_owner_who_cannot_be_written_does_not_hold_up_the_others() {
    for backend in stores() {
        let (from, to) = (opened(stores()[0]).await, opened(backend).await);
        many(&from.store, 3).await;
        let target = Moody::new(Arc::clone(&to.store));
        target.expects([Mood::Good, Mood::Refuses(ErrorKind::Busy), Mood::Good]);
        let report = copied(&*from.store, &target).await.expect("a copy");
        assert_eq!(report.line(), "copied 2, refused 1");
        assert_eq!(report.refused[0].owner, owner("owner 0001"));
        assert_eq!(report.refused[0].error.kind(), ErrorKind::Busy);
        assert!(!report.is_complete());
        assert_eq!(copied(&*from.store, &target).await.unwrap().copied, 1);
        assert_same(&*from.store, &*to.store).await;
    }
}

#[tokio::test]
async fn two_at_once_make_one_copy() {
    for backend in stores() {
        let (from, to) = (opened(stores()[0]).await, opened(backend).await);
        many(&from.store, 20).await;
        let (one, other) = tokio::join!(
            copied(&*from.store, &*to.store),
            copied(&*from.store, &*to.store)
        );
        let (one, other) = (one.expect("a copy"), other.expect("a copy"));
        assert!(one.is_complete() && other.is_complete());
        assert_eq!(one.copied + other.copied, 20);
        assert_same(&*from.store, &*to.store).await;
    }
}
