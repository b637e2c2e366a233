//! A line that dies without a word: no answer comes, and no end. What was sent counts as cut.

use std::sync::Arc;
use std::time::Duration;

use keepmind::conformance::fixtures::{Scribe, claim, save};
use keepmind::store::Retention;
use keepmind::store::postgres::PostgresOptions;
use keepmind::{ErrorKind, MemoryStore, Slice};
use keepmind_tests::proxy::{Cut, Proxy};

use crate::{Stage, open};

/// Long enough for what a busy machine has to do,
const LONG: Duration = Duration::from_millis(1000);
/// and for nothing.
const SHORT: Duration = Duration::from_millis(100);

fn hasty(options: PostgresOptions, timeout: Duration) -> PostgresOptions {
    options.statement_timeout(timeout).answer_timeout(SHORT)
}

#[tokio::test]
async fn who_hears_nothing_tries_another_line() {
    let Some(stage) = Stage::shared() else {
        return;
    };
    let proxy = Proxy::to(stage.cluster.port()).await;
    for cut in [Cut::Before, Cut::After] {
        let store = open(hasty(stage.options_at(proxy.port()), LONG)).await;
        let mut alice = Scribe::new(&store, &format!("alice {cut:?}"));
        alice.note("drinks tea").await;
        let (_, planned) = alice.plan(|draft| save(draft, claim("drinks milk"))).await;
        proxy.fall_silent_at(0, cut);
        alice.commit(planned).await.expect("another line is tried");
        proxy.fall_silent_at(0, cut);
        let all = alice.everything().await;
        assert_eq!(all.memories().count(), 2);
        assert_eq!(all.journal().count(), 2);
        proxy.fall_silent_at(1, cut);
        assert!(store.erase(&alice.owner).await.unwrap());
        proxy.mend();
        store.close().await.unwrap();
    }
}

/// Every line is dead: the caller is told in the end, and who waits for the same owner is told before.
#[tokio::test]
async fn a_server_that_is_silent_for_good_is_told_of() {
    let Some(stage) = Stage::shared() else {
        return;
    };
    let proxy = Proxy::to(stage.cluster.port()).await;
    let sound = stage.open().await;
    let mut alice = Scribe::new(&sound, "alice");
    alice.note("drinks tea").await;
    let (_, planned) = alice.plan(|draft| save(draft, claim("drinks milk"))).await;
    let (_, other) = alice.plan(|draft| save(draft, claim("drinks water"))).await;
    let options = hasty(stage.options_at(proxy.port()), SHORT).lock_timeout(SHORT);
    let silent: Arc<dyn MemoryStore> = open(options).await;
    proxy.stay_cut(true);
    proxy.fall_silent_at(0, Cut::After);
    let commit = |planned: &keepmind::conformance::fixtures::Planned| {
        let (store, owner, planned) = (silent.clone(), alice.owner.clone(), planned.clone());
        async move {
            let committed = store.commit(&owner, planned.expected, planned.changes.into());
            committed.await.map_err(|error| error.kind())
        }
    };
    let (first, second) = tokio::join!(commit(&planned), commit(&other));
    let mut kinds = [first.unwrap_err(), second.unwrap_err()];
    kinds.sort_by_key(|kind| format!("{kind:?}"));
    assert_eq!(kinds, [ErrorKind::Busy, ErrorKind::OutcomeUnknown]);
    let read = silent.load(&alice.owner, &Slice::everything()).await;
    assert_eq!(read.unwrap_err().kind(), ErrorKind::Io);
    proxy.mend();
    let settled = alice.commit(planned).await.unwrap();
    assert_eq!(settled.revision, alice.everything().await.state().revision);
    assert_eq!(alice.everything().await.memories().count(), 2);
    silent.close().await.unwrap();
    sound.close().await.unwrap();
}

/// At each request of an erasure the line is cut, once and for good.
#[tokio::test]
async fn an_erasure_is_done_or_not_or_nobody_knows() {
    let Some(stage) = Stage::shared() else {
        return;
    };
    let proxy = Proxy::to(stage.cluster.port()).await;
    let sound = stage.open().await;
    let mut unknown = 0;
    for is_for_good in [false, true] {
        for cut in [Cut::Before, Cut::After] {
            for request in 0..8 {
                let store = open(stage.options_at(proxy.port())).await;
                let name = format!("alice {is_for_good} {cut:?} {request}");
                let mut alice = Scribe::new(&sound, &name);
                alice.note("drinks tea").await;
                proxy.stay_cut(is_for_good);
                proxy.cut_at(request, cut);
                let outcome = store.erase(&alice.owner).await;
                proxy.mend();
                let is_left = alice.everything().await.memories().count() == 1;
                match outcome {
                    Ok(was_there) => assert!(was_there && !is_left, "{name}"),
                    Err(error) if error.kind() == ErrorKind::OutcomeUnknown => {
                        unknown += 1;
                        assert_eq!(sound.erase(&alice.owner).await.unwrap(), is_left, "{name}");
                    }
                    Err(error) => {
                        assert!(is_for_good && is_left, "{name}: {error}");
                        assert_eq!(error.kind(), ErrorKind::Io, "{name}");
                    }
                }
                // What is not there is not told to have been, wherever the line was cut.
                let nobody = Scribe::new(&sound, "nobody");
                proxy.cut_at(request, cut);
                assert!(!store.erase(&nobody.owner).await.unwrap(), "{name}");
                proxy.mend();
                store.close().await.unwrap();
            }
        }
    }
    assert!(unknown >= 2, "the end of an erasure was never lost");
    sound.close().await.unwrap();
}

#[tokio::test]
async fn what_may_have_been_let_go_is_not_told_to_have_failed() {
    let Some(stage) = Stage::shared() else {
        return;
    };
    let proxy = Proxy::to(stage.cluster.port()).await;
    let store = open(stage.options_at(proxy.port())).await;
    let mut alice = Scribe::new(&store, "alice");
    alice.note("drinks tea").await;
    let retention = Retention {
        usage_before: None,
        traces_before: None,
        operations_before: Some(keepmind::Timestamp::MAX),
    };
    proxy.stay_cut(true);
    proxy.cut_at(1, Cut::After);
    let lost = store.retain(&alice.owner, &retention).await.unwrap_err();
    assert_eq!(lost.kind(), ErrorKind::OutcomeUnknown, "{lost}");
    proxy.mend();
    let again = store.retain(&alice.owner, &retention).await.unwrap();
    assert_eq!(again.operations, 0, "the first one had come about");
    store.close().await.unwrap();
}

/// What the data refuses costs no connection.
#[tokio::test]
async fn a_question_that_is_refused_keeps_its_line() {
    let Some(stage) = Stage::shared() else {
        return;
    };
    let proxy = Proxy::to(stage.cluster.port()).await;
    let store = open(stage.options_at(proxy.port()).connections(1)).await;
    let mut alice = Scribe::new(&store, "alice");
    alice.note("drinks tea").await;
    let bob = Scribe::new(&store, "bob");
    let lines = proxy.lines();
    for _ in 0..5 {
        let mut query = keepmind::store::ListQuery {
            filter: keepmind::store::Filter::new(keepmind::store::Selection::All),
            limit: 1,
            after: None,
        };
        alice.note("drinks more tea").await;
        let page = store.list(&alice.owner, &query).await.unwrap();
        query.after = page.next;
        assert!(query.after.is_some());
        let refused = store.list(&bob.owner, &query).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Invalid, "another owner's place");
    }
    assert_eq!(proxy.lines(), lines);
    store.close().await.unwrap();
}
