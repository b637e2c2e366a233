//! The owners' page, retention, erasure, and the end of a store.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::change::{Expected, Slice, Snapshot, TraceChange};
use crate::conformance::fixtures::{
    Planned, Scribe, assert_refused, claim, moment, owner, save, vector,
};
use crate::conformance::furnish::furnish;
use crate::error::ErrorKind;
use crate::ids::UsageId;
use crate::owner::OwnerState;
use crate::store::{
    Filter, KeywordQuery, ListQuery, MemoryStore, MessageQuery, MessageSearch, ObservationQuery,
    Retained, Retention, Selection, SessionQuery, TraceQuery, UsageQuery, VectorQuery,
};
use crate::trace::{Trace, TraceKey, TraceOutcome};
use crate::usage::{Usage, UsageKind};

/// Owners with data, in order of name, with their counters, page by page.
pub async fn owners_are_shown_page_by_page(store: Arc<dyn MemoryStore>) {
    assert_eq!(store.owners(None, 10).await.expect("owners"), []);
    let names = ["bob", "alice", "Zoe", "zoe", "émile", "a", "10", "9"];
    for (place, name) in names.into_iter().enumerate() {
        let mut scribe = Scribe::new(&store, name);
        for _ in 0..=place {
            scribe.note("counts").await;
        }
    }
    let mut sorted = names;
    sorted.sort_unstable();
    for limit in [1, 3, 8, 100] {
        let mut shown = Vec::new();
        loop {
            let page = store.owners(shown.last(), limit).await.expect("a page");
            assert!(page.len() <= limit);
            if page.is_empty() {
                break;
            }
            for entry in page {
                let state = *Scribe::new(&store, entry.owner.as_str())
                    .everything()
                    .await
                    .state();
                assert_eq!(entry.state, state);
                shown.push(entry.owner);
            }
        }
        assert_eq!(
            shown.iter().map(|owner| owner.as_str()).collect::<Vec<_>>(),
            sorted
        );
    }
    let after = store.owners(Some(&owner("b")), 100).await.expect("a page");
    assert_eq!(
        after.first().map(|entry| entry.owner.as_str()),
        Some("bob"),
        "after a name nobody has"
    );
    assert_eq!(store.owners(None, 0).await.expect("a page"), []);
    assert_eq!(store.info().await.expect("info").owners, names.len() as u64);
}

/// Retention lets go of what is older than told, of that owner, and of nothing else.
pub async fn retention_lets_go_of_what_is_older(store: Arc<dyn MemoryStore>) {
    let mut other = Scribe::new(&store, "bob");
    furnish(&mut other).await;
    let untouched = other.everything().await;
    let mut scribe = Scribe::new(&store, "alice");
    let tea = scribe.note("drinks tea").await.id;
    let session = scribe.open_session().await;
    for minutes in 0..4 {
        let id = UsageId::new(scribe.new_id());
        let at = moment(minutes);
        let usage = Usage {
            id,
            at,
            session: None,
            memory: tea,
            kind: UsageKind::Cited,
            influence: None,
        };
        let key = TraceKey {
            session,
            call: format!("call {minutes}"),
        };
        let trace = Trace {
            key: key.clone(),
            tool: "save".to_owned(),
            arguments: serde_json::Value::Null,
            result: String::new(),
            outcome: TraceOutcome::Complete,
            started_at: moment(-9),
            finished_at: at,
        };
        let mut changes = scribe.unchecked();
        changes.usage.insert(id, usage);
        changes.traces.insert(key, TraceChange::Record(trace));
        scribe.put(changes).await;
    }
    let before = scribe.everything().await;
    let nothing = store
        .retain(&scribe.owner, &Retention::default())
        .await
        .expect("retention");
    assert_eq!(nothing, Retained::default());
    assert!(scribe.everything().await == before);

    let retention = Retention {
        usage_before: Some(moment(2)),
        ..Retention::default()
    };
    let retained = store
        .retain(&scribe.owner, &retention)
        .await
        .expect("retention");
    assert_eq!(
        retained,
        Retained {
            usage: 2,
            ..Retained::default()
        }
    );
    let retention = Retention {
        traces_before: Some(moment(1)),
        ..Retention::default()
    };
    let retained = store
        .retain(&scribe.owner, &retention)
        .await
        .expect("retention");
    assert_eq!(
        retained,
        Retained {
            traces: 1,
            ..Retained::default()
        }
    );
    let after = scribe.everything().await;
    assert_eq!((after.usage().count(), after.traces().count()), (2, 3));
    assert_eq!(after.state(), before.state(), "retention moves no revision");
    assert!(after.memories().eq(before.memories()) && after.journal().eq(before.journal()));
    assert!(other.everything().await == untouched);
    let nobody = store
        .retain(&owner("nobody"), &retention)
        .await
        .expect("retention");
    assert_eq!(nobody, Retained::default());
    assert_eq!(
        store.owners(None, 9).await.expect("owners").len(),
        2,
        "retention makes no owner"
    );
}

/// An operation id that was let go of is no longer recognised; a younger one is.
pub async fn retention_forgets_operation_ids(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let (_, first) = scribe.plan(|draft| save(draft, claim("drinks tea"))).await;
    scribe.commit(first.clone()).await.expect("a commit");
    let (_, second) = scribe.plan(|draft| save(draft, claim("drinks milk"))).await;
    let receipt = scribe.commit(second.clone()).await.expect("a commit");
    let retention = Retention {
        operations_before: Some(second.changes.at),
        ..Retention::default()
    };
    let retained = store
        .retain(&scribe.owner, &retention)
        .await
        .expect("retention");
    assert_eq!(retained.operations, 1);
    assert_eq!(scribe.commit(second).await.expect("still known"), receipt);
    scribe
        .assert_unwritten(
            first,
            ErrorKind::Conflict,
            "an operation that was forgotten",
        )
        .await;
}

/// Everything of an owner is gone, and only of that owner.
pub async fn erasure_takes_everything_of_an_owner(store: Arc<dyn MemoryStore>) {
    let mut alice = Scribe::new(&store, "alice");
    let mut bob = Scribe::new(&store, "bob");
    let furnished = furnish(&mut alice).await;
    furnish(&mut bob).await;
    let others = bob.everything().await;
    assert!(
        store.erase(&alice.owner).await.expect("an erasure"),
        "there was something"
    );
    assert_eq!(alice.everything().await, Snapshot::empty(OwnerState::NONE));
    assert_eq!(
        alice.load(&Slice::session(furnished.session)).await,
        Snapshot::empty(OwnerState::NONE)
    );
    assert_eq!(alice.found("tea", Selection::All).await, [""; 0]);
    assert_eq!(store.owners(None, 9).await.expect("owners").len(), 1);
    assert!(
        !store.erase(&alice.owner).await.expect("an erasure"),
        "there is nothing left"
    );
    assert!(bob.everything().await == others);
    let mut again = Scribe::new(&store, "alice");
    let first = again.note("begins anew").await;
    assert_eq!(
        first.body.number.get(),
        1,
        "numbers begin again with a new life"
    );
    assert_eq!(
        again.found("tea begins", Selection::All).await,
        ["begins anew"]
    );
}

/// A plan made before an erasure is never committed after it, whatever the count says.
pub async fn a_new_epoch_after_erasure_refuses_old_plans(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    scribe.note("drinks tea").await;
    let (_, planned) = scribe.plan(|draft| save(draft, claim("drinks milk"))).await;
    let Expected::At(old) = planned.expected else {
        panic!("a checked plan names its revision");
    };
    store.erase(&scribe.owner).await.expect("an erasure");
    scribe
        .assert_unwritten(
            planned.clone(),
            ErrorKind::Conflict,
            "an old plan, nothing there",
        )
        .await;
    scribe.note("begins anew").await;
    let new = scribe.everything().await.state().revision;
    assert_eq!(new.count, old.count);
    assert_ne!(new.epoch, old.epoch);
    scribe
        .assert_unwritten(
            planned,
            ErrorKind::Conflict,
            "an old plan at the same count",
        )
        .await;
}

/// An erased owner's operations are forgotten with everything else.
pub async fn erasure_forgets_operation_ids(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let session = scribe.open_session().await;
    let mut changes = scribe.unchecked();
    changes.sessions.insert(
        session,
        crate::SessionChange::Edit(crate::SessionEdit::default()),
    );
    scribe.put(changes.clone()).await;
    store.erase(&scribe.owner).await.expect("an erasure");
    let planned = Planned {
        expected: Expected::Any,
        changes,
    };
    scribe
        .assert_unwritten(planned, ErrorKind::NotFound, "an operation of another life")
        .await;
}

/// Afterwards every call answers that the store was closed; closing again is fine.
pub async fn calls_after_close_answer_closed(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let furnished = furnish(&mut scribe).await;
    let (_, planned) = scribe.plan(|draft| save(draft, claim("drinks milk"))).await;
    store.close().await.expect("it can be closed");
    store.close().await.expect("and closed again");
    fn closed<T: std::fmt::Debug>(answer: crate::Result<T>, what: &str) {
        assert_refused(answer, ErrorKind::Closed, what);
    }
    let alice = &scribe.owner;
    let filter = || Filter::new(Selection::All);
    closed(store.load(alice, &Slice::everything()).await, "load");
    closed(
        store
            .commit(alice, planned.expected, planned.changes.into())
            .await,
        "commit",
    );
    closed(
        store
            .list(
                alice,
                &ListQuery {
                    filter: filter(),
                    limit: 1,
                    after: None,
                },
            )
            .await,
        "list",
    );
    let query = KeywordQuery::new("tea", filter(), 1);
    closed(store.search(alice, &query).await, "search");
    let vector = vector(&[1.0, 0.0, 0.0]);
    let query = VectorQuery {
        embedder: "small".to_owned(),
        vector,
        filter: filter(),
        limit: 1,
    };
    closed(store.search_vectors(alice, &query).await, "search_vectors");
    closed(
        store.sessions(alice, &SessionQuery::recent(1)).await,
        "sessions",
    );
    closed(
        store
            .messages(alice, &MessageQuery::of(furnished.session, 1))
            .await,
        "messages",
    );
    let query = MessageSearch {
        text: "tea".to_owned(),
        session: None,
        roles: BTreeSet::new(),
        limit: 1,
    };
    closed(
        store.search_messages(alice, &query).await,
        "search_messages",
    );
    closed(
        store.observations(alice, &ObservationQuery::all(1)).await,
        "observations",
    );
    closed(
        store
            .traces(
                alice,
                &TraceQuery {
                    session: None,
                    limit: 1,
                    after: None,
                },
            )
            .await,
        "traces",
    );
    let query = UsageQuery::all(1);
    closed(store.usage(alice, &query).await, "usage");
    closed(store.journal(alice, 0, 1).await, "journal");
    closed(store.owners(None, 1).await, "owners");
    closed(store.retain(alice, &Retention::default()).await, "retain");
    closed(store.erase(alice).await, "erase");
    closed(store.info().await, "info");
}
