//! A caller who drops a future changes nothing: what was begun is finished or undone as a whole.

use std::collections::BTreeSet;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use crate::change::Slice;
use crate::conformance::fixtures::{Scribe, assert_refused, claim, save, vector};
use crate::conformance::furnish::furnish;
use crate::error::ErrorKind;
use crate::export::export;
use crate::store::{
    Filter, KeywordQuery, ListQuery, MemoryStore, MessageQuery, MessageSearch, ObservationQuery,
    Retention, Selection, SessionQuery, TraceQuery, UsageQuery, VectorQuery,
};

/// How often a future is polled before it is dropped, at most.
const POLLS: usize = 12;

/// Polls a future so many times, letting others run in between, and drops it.
async fn dropped_after(polls: usize, future: impl Future) {
    let mut future = pin!(future);
    for _ in 0..polls {
        let is_ready =
            poll_fn(|context| Poll::Ready(future.as_mut().poll(context).is_ready())).await;
        if is_ready {
            return;
        }
        tokio::task::yield_now().await;
    }
}

/// Whatever became of a dropped commit, committing the same operation again settles it, once.
pub async fn a_dropped_commit_is_whole_or_nothing(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let session = scribe.open_session().await;
    for polls in 0..POLLS {
        let mut reference = scribe.everything().await;
        let (_, mut planned) = scribe.plan(|draft| save(draft, claim("drinks tea"))).await;
        let utterance = crate::Utterance::new(crate::Role::User, "tea please", scribe.clock);
        planned.changes.messages.push(crate::NewMessage {
            session,
            place: None,
            utterance,
        });
        dropped_after(polls, scribe.commit(planned.clone())).await;

        let meanwhile = scribe.everything().await;
        let before = reference.clone();
        let expected = reference
            .apply(planned.expected, &planned.changes)
            .expect("a sound plan");
        let after = reference.slice(&Slice::everything());
        assert!(
            meanwhile == before || meanwhile == after,
            "half a commit after {polls} polls"
        );
        let receipt = scribe
            .commit(planned)
            .await
            .expect("the same operation again");
        assert_eq!(receipt, expected, "after {polls} polls");
        assert_eq!(scribe.everything().await, after, "after {polls} polls");
    }
}

/// A dropped read leaves the store able to answer and to write.
pub async fn a_dropped_read_changes_nothing(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    furnish(&mut scribe).await;
    let before = scribe.everything().await;
    for polls in 0..POLLS {
        dropped_after(polls, scribe.everything()).await;
        let owner = &scribe.owner;
        let filter = Filter::new(Selection::All);
        let list = ListQuery {
            filter: filter.clone(),
            limit: 10,
            after: None,
        };
        let words = KeywordQuery::new("tea", filter.clone(), 10);
        let meaning = VectorQuery {
            embedder: "embedder".to_owned(),
            vector: vector(&[1.0, 0.0]),
            filter,
            limit: 10,
        };
        let spoken = MessageSearch {
            text: "tea".to_owned(),
            session: None,
            roles: BTreeSet::new(),
            limit: 10,
        };
        let messages = MessageQuery {
            session: None,
            after_number: None,
            newest_first: true,
            limit: 10,
            after: None,
        };
        let traces = TraceQuery {
            session: None,
            limit: 10,
            after: None,
        };
        let usage = UsageQuery::all(10);
        dropped_after(polls, store.list(owner, &list)).await;
        dropped_after(polls, store.search(owner, &words)).await;
        dropped_after(polls, store.search_vectors(owner, &meaning)).await;
        dropped_after(polls, store.sessions(owner, &SessionQuery::recent(10))).await;
        dropped_after(polls, store.messages(owner, &messages)).await;
        dropped_after(polls, store.search_messages(owner, &spoken)).await;
        dropped_after(polls, store.observations(owner, &ObservationQuery::all(10))).await;
        dropped_after(polls, store.traces(owner, &traces)).await;
        dropped_after(polls, store.usage(owner, &usage)).await;
        dropped_after(polls, store.journal(owner, 1, 10)).await;
        dropped_after(polls, store.retain(owner, &Retention::default())).await;
        dropped_after(polls, store.info()).await;
        dropped_after(polls, export(&*store, owner)).await;
        dropped_after(polls, store.owners(None, 10)).await;
    }
    assert!(
        scribe.everything().await == before,
        "a dropped read changed something"
    );
    scribe.note("drinks coffee").await;
}

/// A dropped erasure has taken everything or nothing.
pub async fn a_dropped_erasure_is_whole_or_nothing(store: Arc<dyn MemoryStore>) {
    for polls in 0..POLLS {
        let mut scribe = Scribe::new(&store, "alice");
        let furnished = furnish(&mut scribe).await;
        let before = scribe.everything().await;
        dropped_after(polls, store.erase(&scribe.owner)).await;
        let after = scribe.everything().await;
        let is_gone = after == crate::Snapshot::empty(crate::OwnerState::NONE);
        assert!(
            is_gone || after == before,
            "half an erasure after {polls} polls"
        );
        store.erase(&scribe.owner).await.expect("an erasure");
        let part = scribe.load(&Slice::number(furnished.tea.body.number)).await;
        assert_eq!(part.memories().count(), 0);
    }
}

/// A dropped close is begun: afterwards the store is open or closed, and closing it again is fine.
pub async fn a_dropped_close_is_finished_by_closing_again(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    scribe.note("drinks tea").await;
    dropped_after(1, store.close()).await;
    store.close().await.expect("closing again is fine");
    let answer = store.load(&scribe.owner, &Slice::default()).await;
    assert_refused(answer, ErrorKind::Closed, "a load after closing");
}
