//! What loading a slice means: [`Snapshot::slice`](crate::Snapshot::slice) of everything there is.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::change::{Slice, Snapshot};
use crate::conformance::fixtures::{Scribe, number};
use crate::conformance::furnish::{Furnished, furnish};
use crate::ids::{GroupId, OperationId, Origin, RowId, SessionId};
use crate::owner::OwnerState;
use crate::row::{Kind, Why};
use crate::store::MemoryStore;

async fn furnished(store: &Arc<dyn MemoryStore>) -> (Scribe, Furnished, Snapshot) {
    let mut scribe = Scribe::new(store, "alice");
    let furnished = furnish(&mut scribe).await;
    let everything = scribe.everything().await;
    (scribe, furnished, everything)
}

/// Loads a slice and fails unless it is what the reference cuts out; answers it.
async fn checked(scribe: &Scribe, everything: &Snapshot, slice: Slice) -> Snapshot {
    let part = scribe.load(&slice).await;
    assert_eq!(part, everything.slice(&slice), "{slice:?}");
    part
}

/// An owner of whom nothing is known has no data, not an error.
pub async fn an_unknown_owner_has_no_data(store: Arc<dyn MemoryStore>) {
    let scribe = Scribe::new(&store, "nobody");
    assert_eq!(scribe.everything().await, Snapshot::empty(OwnerState::NONE));
    assert_eq!(
        scribe.load(&Slice::default()).await,
        Snapshot::empty(OwnerState::NONE)
    );
    assert_eq!(
        scribe.load(&Slice::number(number(1))).await,
        Snapshot::empty(OwnerState::NONE)
    );
}

/// The owner's counters come with every slice, the empty one too.
pub async fn every_slice_brings_the_counters(store: Arc<dyn MemoryStore>) {
    let (scribe, _, everything) = furnished(&store).await;
    let part = checked(&scribe, &everything, Slice::default()).await;
    assert_eq!(part, Snapshot::empty(*everything.state()));
}

/// A number reaches its whole fact: versions, links, proposals, tombstones, lineage.
pub async fn a_number_reaches_its_whole_fact(store: Arc<dyn MemoryStore>) {
    let (scribe, furnished, everything) = furnished(&store).await;
    let tea = checked(
        &scribe,
        &everything,
        Slice::number(furnished.tea.body.number),
    )
    .await;
    assert_eq!(
        (
            tea.memories().count(),
            tea.links().count(),
            tea.tombstones().count()
        ),
        (1, 2, 2)
    );
    assert_eq!((tea.proposals().count(), tea.lineage().count()), (2, 1));
    for row in everything.memories() {
        checked(&scribe, &everything, Slice::number(row.body.number)).await;
    }
    let numbers = BTreeSet::from([
        furnished.tea.body.number,
        furnished.home.body.number,
        number(999),
    ]);
    checked(
        &scribe,
        &everything,
        Slice {
            numbers,
            ..Slice::default()
        },
    )
    .await;
}

/// A row id reaches a memory's whole fact, and any other row by itself.
pub async fn a_row_reaches_its_fact_or_itself(store: Arc<dyn MemoryStore>) {
    let (scribe, _, everything) = furnished(&store).await;
    let mut ids: Vec<RowId> = everything.memories().map(|row| row.id).collect();
    ids.extend(everything.links().map(|row| row.id));
    ids.extend(everything.tombstones().map(|row| row.id));
    ids.extend(everything.proposals().map(|row| row.id));
    ids.push(RowId::new(uuid::Uuid::max()));
    for id in &ids {
        checked(
            &scribe,
            &everything,
            Slice {
                rows: BTreeSet::from([*id]),
                ..Slice::default()
            },
        )
        .await;
    }
    let rows = ids.into_iter().collect();
    checked(
        &scribe,
        &everything,
        Slice {
            rows,
            ..Slice::default()
        },
    )
    .await;
}

/// An origin reaches all copies of its body, of its kind only.
pub async fn an_origin_reaches_its_copies(store: Arc<dyn MemoryStore>) {
    let (scribe, _, everything) = furnished(&store).await;
    let mut origins: Vec<Origin> = everything.memories().map(|row| row.origin).collect();
    origins.extend(everything.links().map(|row| row.origin));
    origins.extend(everything.tombstones().map(|row| row.origin));
    origins.extend(everything.proposals().map(|row| row.origin));
    origins.push(Origin::new(uuid::Uuid::max()));
    for kind in [Kind::Memory, Kind::Link, Kind::Tombstone, Kind::Proposal] {
        for origin in &origins {
            let origins = BTreeSet::from([(kind, *origin)]);
            checked(
                &scribe,
                &everything,
                Slice {
                    origins,
                    ..Slice::default()
                },
            )
            .await;
        }
    }
}

/// A domain and key reach the fact that holds the open rule for them.
pub async fn a_domain_and_key_reach_their_rule(store: Arc<dyn MemoryStore>) {
    let (scribe, furnished, everything) = furnished(&store).await;
    let pair = |domain: &str, key: &str| (domain.to_owned(), key.to_owned());
    let rules = BTreeSet::from([
        pair("communication", "tone"),
        pair("travel", "home"),
        pair("x", "y"),
    ]);
    let part = checked(
        &scribe,
        &everything,
        Slice {
            rules,
            ..Slice::default()
        },
    )
    .await;
    assert_eq!(
        part.memories().map(|row| row.id).collect::<Vec<_>>(),
        [furnished.rule.id]
    );
}

/// A content reaches the facts that say the same now, case and blanks aside.
pub async fn a_content_reaches_those_that_say_the_same(store: Arc<dyn MemoryStore>) {
    let (scribe, furnished, everything) = furnished(&store).await;
    for (content, expected) in [
        ("drinks green tea", Some(furnished.tea.body.number)),
        ("DRINKS Green tea", Some(furnished.tea.body.number)),
        ("lives in Rome", None),
        ("moved from rome to oslo", Some(furnished.home.body.number)),
        ("drinks green", None),
        ("", None),
    ] {
        let contents = BTreeSet::from([content.to_owned()]);
        let part = checked(
            &scribe,
            &everything,
            Slice {
                contents,
                ..Slice::default()
            },
        )
        .await;
        let found = part.memories().next().map(|row| row.body.number);
        assert_eq!(found, expected, "{content}");
    }
}

/// Proposals, tombstones by chat, consent and chats come when asked for.
pub async fn other_rows_come_when_asked_for(store: Arc<dyn MemoryStore>) {
    let (scribe, furnished, everything) = furnished(&store).await;
    let other = SessionId::new(uuid::Uuid::max());
    let part = checked(
        &scribe,
        &everything,
        Slice {
            proposals: true,
            ..Slice::default()
        },
    )
    .await;
    assert_eq!(part.proposals().count(), 1, "only open ones");
    let tombstones = BTreeSet::from([furnished.session, other]);
    let part = checked(
        &scribe,
        &everything,
        Slice {
            tombstones,
            ..Slice::default()
        },
    )
    .await;
    assert_eq!(part.tombstones().count(), 1, "only open ones");
    let tombstones = BTreeSet::from([other]);
    checked(
        &scribe,
        &everything,
        Slice {
            tombstones,
            ..Slice::default()
        },
    )
    .await;
    let part = checked(
        &scribe,
        &everything,
        Slice {
            consents: true,
            ..Slice::default()
        },
    )
    .await;
    assert_eq!(part.consents().count(), 2);
    let part = checked(&scribe, &everything, Slice::session(furnished.session)).await;
    assert_eq!(
        (part.sessions().count(), part.messages().count()),
        (1, 0),
        "without its messages"
    );
    checked(&scribe, &everything, Slice::session(other)).await;
}

/// Those that wait or were turned down come without those that were accepted; one that was accepted and taken
/// back comes with all its copies.
pub async fn accepted_proposals_stay_away_when_not_wanted(store: Arc<dyn MemoryStore>) {
    let (mut scribe, _, everything) = furnished(&store).await;
    let unaccepted = || Slice {
        unaccepted_proposals: true,
        ..Slice::default()
    };
    let all = everything.proposals().count();
    let waiting = everything.proposals().find(|row| row.is_open());
    let waiting = waiting.expect("a proposal waits").origin;
    let part = checked(&scribe, &everything, unaccepted()).await;
    assert_eq!(part.proposals().count(), all, "none is accepted yet");

    let open = scribe
        .write(|draft| {
            let open = draft.state(Kind::Proposal, waiting);
            let until = draft.stamp();
            draft.end(Kind::Proposal, waiting, Why::Done { until })?;
            Ok(open)
        })
        .await;
    let everything = scribe.everything().await;
    let part = checked(&scribe, &everything, unaccepted()).await;
    assert_eq!(part.proposals().count(), all - 1, "one is accepted");
    assert!(part.proposals().all(|row| row.origin != waiting));

    scribe
        .write(|draft| draft.set(Kind::Proposal, waiting, open))
        .await;
    let everything = scribe.everything().await;
    let part = checked(&scribe, &everything, unaccepted()).await;
    let copies = part.proposals().filter(|row| row.origin == waiting);
    assert_eq!(copies.count(), 2, "it waits again, and was accepted before");
}

/// Journal entries come by revision, operation and group.
pub async fn journal_entries_come_when_asked_for(store: Arc<dyn MemoryStore>) {
    let (scribe, furnished, everything) = furnished(&store).await;
    for since in [0, 1, 5, 999, u64::MAX] {
        checked(
            &scribe,
            &everything,
            Slice {
                journal_since: Some(since),
                ..Slice::default()
            },
        )
        .await;
    }
    let third = everything
        .journal()
        .nth(2)
        .expect("a third entry")
        .operation;
    let operations = BTreeSet::from([third, OperationId::new(uuid::Uuid::max())]);
    let part = checked(
        &scribe,
        &everything,
        Slice {
            operations,
            ..Slice::default()
        },
    )
    .await;
    assert_eq!(
        part.journal()
            .map(|entry| entry.revision)
            .collect::<Vec<_>>(),
        [3]
    );
    let groups = BTreeSet::from([furnished.group, GroupId::new(uuid::Uuid::max())]);
    let part = checked(
        &scribe,
        &everything,
        Slice {
            groups,
            ..Slice::default()
        },
    )
    .await;
    assert_eq!(part.journal().count(), 1);
}

/// Fields add to one another.
pub async fn the_fields_of_a_slice_add_up(store: Arc<dyn MemoryStore>) {
    let (scribe, furnished, everything) = furnished(&store).await;
    let slice = Slice {
        everything: false,
        numbers: BTreeSet::from([furnished.digest.body.number]),
        rows: BTreeSet::from([furnished.tea.id]),
        origins: everything
            .links()
            .map(|row| (Kind::Link, row.origin))
            .collect(),
        rules: BTreeSet::from([("communication".to_owned(), "tone".to_owned())]),
        contents: BTreeSet::from(["is right".to_owned()]),
        proposals: true,
        unaccepted_proposals: true,
        all_proposals: true,
        tombstones: BTreeSet::from([furnished.session]),
        consents: true,
        sessions: BTreeSet::from([furnished.session]),
        journal_since: Some(4),
        operations: everything
            .journal()
            .take(1)
            .map(|entry| entry.operation)
            .collect(),
        groups: BTreeSet::from([furnished.group]),
    };
    checked(&scribe, &everything, slice).await;
}
