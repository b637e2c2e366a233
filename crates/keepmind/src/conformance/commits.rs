//! What every commit promises: all or nothing, at the revision it was planned at, once.

use std::sync::Arc;

use crate::change::{Expected, RowChange, SessionChange, Slice};
use crate::conformance::fixtures::{Planned, Scribe, claim, moment, number, save};
use crate::conformance::furnish::furnish;
use crate::error::ErrorKind;
use crate::ids::{Epoch, OperationId, RowId, SessionId};
use crate::memory::Marks;
use crate::owner::Revision;
use crate::row::{Kind, Why};
use crate::session::Session;
use crate::store::MemoryStore;

/// The receipt says where the owner's data stands, and the data stands there.
pub async fn a_commit_answers_where_the_data_stands(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let (id, planned) = scribe.plan(|draft| save(draft, claim("drinks tea"))).await;
    let (operation, stamp) = (planned.changes.operation, planned.changes.at);
    let receipt = scribe.commit(planned).await.expect("a first commit");
    assert_eq!(
        receipt.revision,
        Revision {
            epoch: Epoch::from(operation),
            count: 1
        }
    );
    assert_eq!(receipt.at, stamp);
    assert_eq!(receipt.places, []);

    let everything = scribe.everything().await;
    let state = everything.state();
    assert_eq!(state.revision, receipt.revision);
    assert_eq!(state.last_stamp, Some(stamp));
    assert_eq!(state.next_number, 2);
    assert_eq!(state.embedding_changes, 0);
    let row = everything.memory(id).expect("the row that was committed");
    assert_eq!((row.recorded_at, row.body.number), (stamp, number(1)));
}

/// One of everything, committed set by set, is what [`Snapshot::apply`](crate::Snapshot::apply) makes of it.
pub async fn a_commit_means_what_the_reference_says(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let furnished = furnish(&mut scribe).await;
    let mut reference = scribe.everything().await;
    let (number, origin) = (furnished.home.body.number, furnished.home.origin);
    let (_, planned) = scribe
        .plan(|draft| {
            let next = draft.insert_version(number, claim("lives in Bergen"), Marks::default())?;
            let until = draft.stamp();
            draft.end(
                Kind::Memory,
                origin,
                Why::Superseded {
                    by: next.into(),
                    until,
                },
            )?;
            draft.purge(Kind::Memory, furnished.digest.id)?;
            draft
                .others()
                .sessions
                .insert(furnished.session, SessionChange::Purge);
            Ok(())
        })
        .await;
    let expected = reference
        .apply(planned.expected, &planned.changes)
        .expect("the reference takes it");
    let receipt = scribe.commit(planned).await.expect("the store takes it");
    assert_eq!(receipt, expected);
    assert_eq!(
        scribe.everything().await,
        reference.slice(&Slice::everything())
    );
}

/// A plan made before another commit is refused as a conflict.
pub async fn a_stale_commit_conflicts_and_changes_nothing(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let (_, first) = scribe.plan(|draft| save(draft, claim("drinks tea"))).await;
    let (_, second) = scribe
        .plan(|draft| save(draft, claim("drinks coffee")))
        .await;
    scribe.commit(first).await.expect("the first plan");
    scribe
        .assert_unwritten(
            second.clone(),
            ErrorKind::Conflict,
            "a plan for an empty owner",
        )
        .await;

    let operation = second.changes.operation;
    let (_, mut again) = scribe
        .plan(|draft| save(draft, claim("drinks coffee")))
        .await;
    again.changes.operation = operation;
    again.changes.entries[0].operation = operation;
    let receipt = scribe
        .commit(again)
        .await
        .expect("planned again, it is committed");
    assert_eq!(
        receipt.revision.count, 2,
        "a conflict does not use up its operation id"
    );
}

/// A revision that never was is a conflict, not an accident.
pub async fn a_revision_that_never_was_conflicts(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    scribe.note("drinks tea").await;
    let (_, planned) = scribe
        .plan(|draft| save(draft, claim("drinks coffee")))
        .await;
    let Revision { epoch, count } = scribe.everything().await.state().revision;
    let other_life = Epoch::from(OperationId::new(uuid::Uuid::max()));
    for revision in [
        Revision {
            epoch,
            count: count + 1,
        },
        Revision {
            epoch,
            count: u64::MAX,
        },
        Revision {
            epoch: other_life,
            count,
        },
        Revision::NONE,
    ] {
        let planned = Planned {
            expected: Expected::At(revision),
            ..planned.clone()
        };
        scribe
            .assert_unwritten(planned, ErrorKind::Conflict, &format!("{revision:?}"))
            .await;
    }
}

/// What moves the revision must say at which one it was planned.
pub async fn a_checked_set_needs_a_revision(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let (_, mut planned) = scribe.plan(|draft| save(draft, claim("drinks tea"))).await;
    planned.expected = Expected::Any;
    scribe
        .assert_unwritten(
            planned,
            ErrorKind::Invalid,
            "a checked set without a revision",
        )
        .await;
    assert_eq!(
        store.owners(None, 10).await.expect("owners"),
        [],
        "a refused set makes no owner"
    );
}

/// Committing an operation again answers what the first answered, whatever the second set holds.
pub async fn the_same_operation_answers_the_same_receipt(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let (_, checked) = scribe.plan(|draft| save(draft, claim("drinks tea"))).await;
    let first = scribe
        .commit(checked.clone())
        .await
        .expect("the first time");
    let session = scribe.open_session().await;
    let mut unchecked = scribe.unchecked();
    let utterance = crate::Utterance::new(crate::Role::User, "hello", moment(1));
    unchecked.messages.push(crate::NewMessage {
        session,
        place: None,
        utterance,
    });
    let said = scribe.put(unchecked.clone()).await;
    scribe.note("drinks coffee").await;

    let before = scribe.everything().await;
    assert_eq!(
        scribe
            .commit(checked.clone())
            .await
            .expect("the second time"),
        first
    );
    assert_eq!(scribe.put(unchecked.clone()).await, said);
    let mut other = scribe.unchecked();
    other.operation = checked.changes.operation;
    assert_eq!(
        scribe.put(other).await,
        first,
        "the second set does not matter"
    );
    let (_, mut stale) = scribe.plan(|draft| save(draft, claim("drinks milk"))).await;
    stale.changes.operation = unchecked.operation;
    stale.expected = Expected::At(Revision::NONE);
    assert_eq!(
        scribe
            .commit(stale)
            .await
            .expect("it is known before it is looked at"),
        said
    );
    assert!(
        scribe.everything().await == before,
        "repeating an operation changed something"
    );
}

/// One bad part refuses all of a set: rows, chats, messages, counters.
pub async fn a_refused_set_changes_nothing(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let tea = scribe.note("drinks tea").await;
    let missing = RowId::new(uuid::Uuid::max());
    let session = SessionId::new(scribe.new_id());
    let (_, good) = scribe
        .plan(|draft| {
            save(draft, claim("drinks coffee"))?;
            draft.end(Kind::Memory, tea.origin, Why::Forgotten)?;
            let stamp = draft.stamp();
            let others = draft.others();
            others.consents.insert(("health".to_owned(), stamp), true);
            others
                .sessions
                .insert(session, SessionChange::Open(Session::open(session, stamp)));
            Ok(())
        })
        .await;
    let mut bad = good.clone();
    bad.changes
        .rows
        .insert(missing, RowChange::Purge(Kind::Link));
    scribe
        .assert_unwritten(bad, ErrorKind::Invalid, "a set with a purge of nothing")
        .await;
    scribe
        .commit(good)
        .await
        .expect("a refusal does not use up the operation id");
}

/// What is unchecked is written whatever the revision, and leaves it where it is.
pub async fn unchecked_sets_never_conflict_and_do_not_move_the_revision(
    store: Arc<dyn MemoryStore>,
) {
    let mut scribe = Scribe::new(&store, "alice");
    let session = scribe.open_session().await;
    let begun = *scribe.everything().await.state();
    assert_eq!(begun.revision.count, 0, "opening a chat is unchecked");
    assert_ne!(
        begun.revision.epoch,
        Epoch::NONE,
        "but it begins the owner's life"
    );

    let (_, planned) = scribe.plan(|draft| save(draft, claim("drinks tea"))).await;
    scribe.say(session, "hello").await;
    let receipt = scribe
        .commit(planned)
        .await
        .expect("a message in between does not matter");
    assert_eq!(receipt.revision.count, 1);
    let before = *scribe.everything().await.state();
    scribe.say(session, "hello again").await;
    let said = scribe.unchecked();
    let receipt = scribe.put(said).await;
    assert_eq!(receipt.revision, before.revision);
    assert_eq!(*scribe.everything().await.state(), before);
}

/// An unchecked set that names a revision is held to it.
pub async fn an_unchecked_set_may_ask_for_a_revision(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    scribe.note("drinks tea").await;
    let revision = scribe.everything().await.state().revision;
    let changes = scribe.unchecked();
    let now = Planned {
        expected: Expected::At(revision),
        changes,
    };
    scribe.commit(now).await.expect("the revision it asks for");
    scribe.note("drinks coffee").await;
    let changes = scribe.unchecked();
    let late = Planned {
        expected: Expected::At(revision),
        changes,
    };
    scribe
        .assert_unwritten(
            late,
            ErrorKind::Conflict,
            "an unchecked set at an old revision",
        )
        .await;
}
