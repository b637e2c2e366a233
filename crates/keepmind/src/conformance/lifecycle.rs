//! The life of a row: inserted, marked while open, ended once; and what may be open side by side.

use std::sync::Arc;

use crate::change::{Alteration, Direction, RowChange};
use crate::conformance::fixtures::{Planned, Scribe, claim, moment, number, save};
use crate::error::ErrorKind;
use crate::ids::{Origin, RowId};
use crate::link::Link;
use crate::memory::{Lineage, Marks};
use crate::row::{Body, End, Kind, MemoryRow, Row, State, Why};
use crate::store::MemoryStore;

fn alter(planned: &mut Planned, id: RowId, kind: Kind, marks: Option<Marks>, why: Option<Why>) {
    let end = why.map(|why| End {
        at: planned.changes.at,
        why,
    });
    let alteration = Alteration { kind, marks, end };
    planned
        .changes
        .rows
        .insert(id, RowChange::Alter(alteration));
}

/// Neither marks nor another end reach a row that has ended.
pub async fn an_ended_row_never_changes(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let tea = scribe.note("drinks tea").await;
    scribe.end(Kind::Memory, tea.origin, Why::Forgotten).await;
    let (_, planned) = scribe
        .plan(|draft| save(draft, claim("drinks coffee")))
        .await;
    let marks = Marks {
        importance: 1.0,
        ..Marks::default()
    };
    for (marks, why) in [
        (Some(marks), None),
        (None, Some(Why::Trashed)),
        (Some(marks), Some(Why::Forgotten)),
    ] {
        let mut planned = planned.clone();
        alter(&mut planned, tea.id, Kind::Memory, marks, why);
        scribe
            .assert_unwritten(planned, ErrorKind::Invalid, "a change of an ended row")
            .await;
    }
}

/// What is written comes back as it was written: end, reason and stamp in one.
pub async fn an_end_carries_the_stamp_of_its_commit(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let tea = scribe.note("drinks tea").await;
    let coffee = scribe.update(&tea, "drinks coffee").await;
    let ended = scribe.row(tea.id).await;
    let why = Why::Superseded {
        by: coffee.origin,
        until: coffee.recorded_at,
    };
    assert_eq!(
        ended,
        MemoryRow {
            end: Some(End {
                at: coffee.recorded_at,
                why
            }),
            ..tea
        }
    );

    let (_, mut planned) = scribe.plan(|draft| save(draft, claim("drinks milk"))).await;
    let end = Some(End {
        at: moment(0),
        why: Why::Forgotten,
    });
    let alteration = Alteration {
        kind: Kind::Memory,
        marks: None,
        end,
    };
    planned
        .changes
        .rows
        .insert(coffee.id, RowChange::Alter(alteration));
    scribe
        .assert_unwritten(planned, ErrorKind::Invalid, "an end before its commit")
        .await;
}

/// Marks may change as long as a row is open, and only they do.
pub async fn marks_change_while_a_row_is_open(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let tea = scribe.note("drinks tea").await;
    for confirmations in [1, 2] {
        let marks = Marks {
            importance: 0.25,
            confidence: Some(0.75),
            confirmations,
            ..Marks::default()
        };
        scribe
            .write(|draft| draft.set(Kind::Memory, tea.origin, State::Live { marks }))
            .await;
        assert_eq!(
            scribe.row(tea.id).await,
            MemoryRow {
                marks,
                ..tea.clone()
            }
        );
    }
}

/// Rows that are not there, or of another kind, are neither altered nor purged.
pub async fn what_is_not_there_cannot_be_altered_or_purged(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let tea = scribe.note("drinks tea").await;
    let (_, planned) = scribe
        .plan(|draft| save(draft, claim("drinks coffee")))
        .await;
    let missing = RowId::new(uuid::Uuid::max());
    for kind in [Kind::Memory, Kind::Link, Kind::Tombstone, Kind::Proposal] {
        let ids = if kind == Kind::Memory {
            vec![missing]
        } else {
            vec![missing, tea.id]
        };
        for id in ids {
            let mut altered = planned.clone();
            alter(&mut altered, id, kind, None, Some(Why::Forgotten));
            scribe
                .assert_unwritten(
                    altered,
                    ErrorKind::Invalid,
                    &format!("an end of no {kind:?}"),
                )
                .await;
            let mut purged = planned.clone();
            purged.changes.rows.insert(id, RowChange::Purge(kind));
            scribe
                .assert_unwritten(
                    purged,
                    ErrorKind::Invalid,
                    &format!("a purge of no {kind:?}"),
                )
                .await;
        }
    }
    let mut idle = planned.clone();
    alter(&mut idle, tea.id, Kind::Memory, None, None);
    scribe
        .assert_unwritten(idle, ErrorKind::Invalid, "an alteration of nothing")
        .await;
}

/// A link joins two facts of the owner that are there.
pub async fn links_need_their_facts(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let mut bob = Scribe::new(&store, "bob");
    let tea = scribe.note("drinks tea").await;
    for content in ["one", "two", "three"] {
        bob.note(content).await;
    }
    let (_, planned) = scribe
        .plan(|draft| save(draft, claim("drinks coffee")))
        .await;
    let links = [(1, 3), (3, 1), (1, 9), (1, 1)];
    for (place, (from, to)) in links.into_iter().enumerate() {
        let id = RowId::new(uuid::Uuid::from_u128(90 + place as u128));
        let link = Link {
            from: number(from),
            to: number(to),
            relation: "supports".to_owned(),
        };
        let row = Row {
            id,
            origin: Origin::from(id),
            recorded_at: planned.changes.at,
            end: None,
            marks: Marks::default(),
            body: Body::Link(link),
        };
        let mut planned = planned.clone();
        planned.changes.rows.insert(id, RowChange::Insert(row));
        scribe
            .assert_unwritten(
                planned,
                ErrorKind::Invalid,
                &format!("a link from {from} to {to}"),
            )
            .await;
    }
    scribe
        .write(|draft| {
            let to = draft.new_number()?;
            let link = Link {
                from: tea.body.number,
                to,
                relation: "supports".to_owned(),
            };
            draft.insert(Body::Link(link))?;
            draft.insert_version(to, claim("drinks coffee"), Marks::default())
        })
        .await;
    assert_eq!(
        scribe.everything().await.links().count(),
        1,
        "a fact of the same set will do"
    );
}

/// Lineage joins two rows that are there.
pub async fn lineage_needs_its_rows(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let tea = scribe.note("drinks tea").await;
    let (new, planned) = scribe
        .plan(|draft| save(draft, claim("drinks coffee")))
        .await;
    let missing = RowId::new(uuid::Uuid::max());
    for (row, from) in [(new, missing), (missing, tea.id), (new, new)] {
        let mut planned = planned.clone();
        planned.changes.lineage.insert(Lineage { row, from });
        scribe
            .assert_unwritten(
                planned,
                ErrorKind::Invalid,
                &format!("{row} made from {from}"),
            )
            .await;
    }
    let mut sound = planned;
    sound.changes.lineage.insert(Lineage {
        row: new,
        from: tea.id,
    });
    scribe
        .commit(sound)
        .await
        .expect("lineage between rows that are there");
    assert_eq!(scribe.everything().await.lineage_of(tea.id).count(), 1);
}

/// Every word on consent is kept, one for each moment; the last one counts.
pub async fn consent_is_recorded_once_for_a_moment(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let domain = "health".to_owned();
    for granted in [true, false, true] {
        scribe
            .write(|draft| {
                let stamp = draft.stamp();
                draft
                    .others()
                    .consents
                    .insert((domain.clone(), stamp), granted);
                Ok(())
            })
            .await;
        let everything = scribe.everything().await;
        assert_eq!(everything.has_consent(&domain), granted);
        assert!(!everything.has_consent("finance"));
    }
    let words = scribe
        .everything()
        .await
        .consents()
        .map(|consent| consent.granted)
        .collect::<Vec<_>>();
    assert_eq!(words, [true, false, true]);
    let (_, planned) = scribe.plan(|draft| save(draft, claim("drinks tea"))).await;
    for (what, at) in [
        ("the same moment again", moment(0)),
        ("the future", moment(1_000)),
    ] {
        let mut planned = planned.clone();
        planned.changes.consents.insert((domain.clone(), at), false);
        scribe
            .assert_unwritten(planned, ErrorKind::Invalid, what)
            .await;
    }
}

/// The journal holds enough to bring every origin back to where it was, and forth again.
pub async fn the_journal_is_enough_to_undo_and_redo(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let rome = scribe.note("lives in Rome").await;
    let oslo = scribe.update(&rome, "lives in Oslo").await;
    let entries = store.journal(&scribe.owner, 2, 1).await.expect("a journal");
    for (direction, content, undone) in [
        (Direction::Back, "lives in Rome", true),
        (Direction::Forth, "lives in Oslo", false),
        (Direction::Back, "lives in Rome", true),
    ] {
        scribe
            .write(|draft| draft.replay(&entries[0].effects, direction))
            .await;
        let everything = scribe.everything().await;
        let open = everything
            .open_version(rome.body.number)
            .expect("one version is open");
        assert_eq!(open.body.claim.content, content);
        let state = everything
            .last_copy(Kind::Memory, oslo.origin)
            .and_then(|row| row.end);
        assert_eq!(state.is_some_and(|end| end.why == Why::Undone), undone);
    }
    let before = entries[0].effects.iter().map(|effect| effect.before);
    assert!(
        before.clone().any(|state| state == State::Absent),
        "the new version was not there"
    );
}
