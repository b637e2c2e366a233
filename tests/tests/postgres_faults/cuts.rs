//! The line is cut at every request of a commit, before it reaches the server and after the server has done it.

use std::sync::Arc;

use keepmind::conformance::fixtures::{Planned, Scribe, claim, save};
use keepmind::{
    ChangeSet, ErrorKind, Expected, MemoryStore, NewMessage, Role, SessionChange, Slice, Utterance,
};
use keepmind_tests::proxy::{Cut, Proxy};

use crate::{Stage, open};

/// What a commit of that kind has to get through, with its reference beside it.
async fn prepare(alice: &mut Scribe, kind: &str) -> Planned {
    match kind {
        "a fact" => alice.plan(|draft| save(draft, claim("drinks tea"))).await.1,
        "a message" => {
            let session = alice.open_session().await;
            let mut changes = alice.unchecked();
            let utterance = Utterance::new(Role::User, "tea please", alice.clock);
            changes.messages.push(NewMessage {
                session,
                place: None,
                utterance,
            });
            unchecked(changes)
        }
        "a purge" => {
            let session = alice.open_session().await;
            alice.say(session, "I drink tea").await;
            let row = alice.note("drinks tea").await;
            let (_, mut planned) = alice
                .plan(|draft| draft.purge(keepmind::Kind::Memory, row.id))
                .await;
            planned
                .changes
                .sessions
                .insert(session, SessionChange::Purge);
            planned
        }
        other => panic!("no such kind: {other}"),
    }
}

fn unchecked(changes: ChangeSet) -> Planned {
    Planned {
        expected: Expected::Any,
        changes,
    }
}

/// Cuts at each request until one run needs no more of them. How many there were.
async fn cut_everywhere(kind: &str, cut: Cut, is_cold: bool, is_prepared: bool) -> u32 {
    let stage = Stage::shared().expect("a server");
    let proxy = Proxy::to(stage.cluster.port()).await;
    let options = match is_prepared {
        true => stage.options_at(proxy.port()),
        false => stage.unprepared_at(proxy.port()).connections(2),
    };
    let mut request = 0;
    loop {
        let store = open(options.clone()).await;
        let mut alice = Scribe::new(&store, &format!("alice {request}"));
        let planned = prepare(&mut alice, kind).await;
        let mut reference = alice.everything().await;
        if is_cold {
            alice.store = open(options.clone()).await;
        }
        let cuts = proxy.cuts();
        proxy.cut_at(request, cut);
        let outcome = alice.commit(planned.clone()).await;
        proxy.mend();
        let expected = reference
            .apply(planned.expected, &planned.changes)
            .expect("a sound plan");
        let receipt = outcome.expect("it is tried again");
        assert_eq!(receipt, expected, "{kind}, cut {cut:?} {request}");
        let after = reference.slice(&Slice::everything());
        assert_eq!(
            alice.everything().await,
            after,
            "{kind}, cut {cut:?} {request}"
        );
        let fresh = stage.open().await;
        let found = fresh.load(&alice.owner, &Slice::everything()).await;
        assert_eq!(found.unwrap(), after, "{kind}, cut {cut:?} {request}");
        fresh.close().await.unwrap();
        store.close().await.unwrap();
        if proxy.cuts() == cuts {
            return request;
        }
        request += 1;
        assert!(request < 40, "a commit takes few requests");
    }
}

#[tokio::test]
async fn a_line_that_is_cut_at_any_request_costs_nothing() {
    if Stage::shared().is_none() {
        return;
    }
    for cut in [Cut::Before, Cut::After] {
        for kind in ["a fact", "a message", "a purge"] {
            for is_cold in [false, true] {
                let requests = cut_everywhere(kind, cut, is_cold, true).await;
                assert!(requests > 0, "{kind}: the line was never cut");
            }
        }
    }
}

/// Also where each statement travels in a transaction of its own, whose end may be lost.
#[tokio::test]
async fn nor_does_it_where_nothing_is_prepared() {
    if Stage::shared().is_none() {
        return;
    }
    for cut in [Cut::Before, Cut::After] {
        for kind in ["a fact", "a purge"] {
            let requests = cut_everywhere(kind, cut, false, false).await;
            assert!(requests >= 4, "{kind}: the line was never cut");
        }
    }
}

/// Where an owner stands was read before: writing takes one request, once its statement is known to the server.
#[tokio::test]
async fn a_commit_takes_one_round_trip() {
    let Some(stage) = Stage::shared() else {
        return;
    };
    let proxy = Proxy::to(stage.cluster.port()).await;
    let store = open(stage.options_at(proxy.port()).connections(1)).await;
    let mut alice = Scribe::new(&store, "alice");
    let session = alice.open_session().await;
    for _ in 0..3 {
        alice.note("drinks tea").await;
        alice.say(session, "tea please").await;
    }
    let (_, planned) = alice.plan(|draft| save(draft, claim("drinks tea"))).await;
    let before = proxy.requests();
    alice.commit(planned).await.unwrap();
    assert_eq!(proxy.requests() - before, 1, "a fact");
    let before = proxy.requests();
    alice.say(session, "and more tea").await;
    assert_eq!(proxy.requests() - before, 1, "a message");
    store.close().await.unwrap();
}

/// No line lasts: the caller is told, and the same again settles it once there is one.
#[tokio::test]
async fn a_server_that_is_lost_for_good_leaves_a_commit_to_be_repeated() {
    let Some(stage) = Stage::shared() else {
        return;
    };
    let proxy = Proxy::to(stage.cluster.port()).await;
    for (cut, request) in [(Cut::Before, 0), (Cut::After, 0), (Cut::After, 1)] {
        let store: Arc<dyn MemoryStore> = open(stage.options_at(proxy.port())).await;
        let name = format!("alice {cut:?} {request}");
        let mut alice = Scribe::new(&store, &name);
        alice.note("drinks tea").await;
        let (_, planned) = alice.plan(|draft| save(draft, claim("drinks milk"))).await;
        proxy.stay_cut(true);
        proxy.cut_at(request, cut);
        let error = alice.commit(planned.clone()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutcomeUnknown, "{error}");
        assert!(error.is_retryable());
        proxy.mend();
        let receipt = alice.commit(planned.clone()).await.unwrap();
        assert_eq!(alice.commit(planned).await.unwrap(), receipt);
        let all = alice.everything().await;
        assert_eq!(all.memories().count(), 2);
        assert_eq!(all.journal().count(), 2);
        store.close().await.unwrap();
    }
}

#[tokio::test]
async fn reads_outlive_a_line_that_was_cut() {
    let Some(stage) = Stage::shared() else {
        return;
    };
    let proxy = Proxy::to(stage.cluster.port()).await;
    let store = open(stage.options_at(proxy.port())).await;
    let mut alice = Scribe::new(&store, "alice");
    alice.note("drinks tea").await;
    let before = alice.everything().await;
    for cut in [Cut::Before, Cut::After] {
        for request in 0..4 {
            proxy.cut_at(request, cut);
            assert_eq!(alice.everything().await, before);
            let all = keepmind::store::Selection::All;
            assert_eq!(alice.found("tea", all).await, ["drinks tea"]);
            proxy.mend();
        }
    }
    store.close().await.unwrap();
}
