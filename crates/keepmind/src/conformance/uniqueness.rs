//! What may be open side by side, and what there is only one of.

use std::sync::Arc;

use crate::change::{RowChange, Snapshot};
use crate::conformance::fixtures::{Planned, Scribe, claim, number, rule, save};
use crate::error::ErrorKind;
use crate::ids::{RowId, Version};
use crate::memory::{Claim, Marks};
use crate::row::{Body, Kind, MemoryRow, Row, State, Why};
use crate::store::MemoryStore;

/// A plan for the next fact whose one row is then bent by hand.
async fn bent(scribe: &mut Scribe, claim: Claim, bend: impl FnOnce(&mut Row<Body>)) -> Planned {
    let (_, mut planned) = scribe.plan(|draft| save(draft, claim)).await;
    let (_, change) = planned.changes.rows.pop_first().expect("one row");
    let RowChange::Insert(mut row) = change else {
        panic!("a save inserts a row");
    };
    bend(&mut row);
    planned.changes.rows.insert(row.id, RowChange::Insert(row));
    planned
}

fn version_of(row: &mut Row<Body>, of: &MemoryRow, version: u64) {
    if let Body::Memory(memory) = &mut row.body {
        memory.number = of.body.number;
        memory.version = Version::new(version).expect("a version");
    }
}

/// Of the copies of one body at most one is open.
pub async fn one_open_row_for_an_origin(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let held = scribe
        .save(Claim {
            held: true,
            ..claim("may drink tea")
        })
        .await;
    let copy = bent(&mut scribe, held.body.claim.clone(), |row| {
        row.origin = held.origin;
        version_of(row, &held, 2);
    })
    .await;
    scribe
        .assert_unwritten(copy, ErrorKind::Invalid, "a second open copy")
        .await;

    scribe.end(Kind::Memory, held.origin, Why::Trashed).await;
    let live = State::Live {
        marks: Marks::default(),
    };
    scribe
        .write(|draft| draft.set(Kind::Memory, held.origin, live))
        .await;
    let everything = scribe.everything().await;
    let copies: Vec<&MemoryRow> = everything.versions(held.body.number).collect();
    assert_eq!(copies.len(), 2, "going back inserts a copy");
    assert_eq!((copies[1].origin, copies[1].is_open()), (held.origin, true));
    assert_eq!(
        copies[0].end.map(|end| end.why),
        Some(Why::Trashed),
        "and leaves the ended row as it is"
    );
}

/// Of the versions of one fact at most one is open and believed.
pub async fn one_open_version_for_a_number(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let tea = scribe.note("drinks tea").await;
    let second = bent(&mut scribe, claim("drinks coffee"), |row| {
        version_of(row, &tea, 2)
    })
    .await;
    scribe
        .assert_unwritten(second, ErrorKind::Invalid, "a second open version")
        .await;

    let (ids, mut pair) = scribe
        .plan(|draft| Ok([save(draft, claim("a"))?, save(draft, claim("b"))?]))
        .await;
    if let Some(RowChange::Insert(row)) = pair.changes.rows.get_mut(&ids[1])
        && let Body::Memory(memory) = &mut row.body
    {
        memory.number = number(2);
        memory.version = Version::new(2).expect("a version");
    }
    scribe
        .assert_unwritten(pair, ErrorKind::Invalid, "two open versions in one set")
        .await;
}

/// A candidate is not yet believed, so it may stand beside the version that is.
pub async fn held_candidates_stand_beside_the_open_version(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let tone = scribe.save(rule("communication", "tone", "be brief")).await;
    for content in ["be long", "be longer"] {
        let candidate = Claim {
            held: true,
            ..rule("communication", "tone", content)
        };
        scribe
            .write(|draft| draft.insert_version(tone.body.number, candidate, Marks::default()))
            .await;
    }
    let everything = scribe.everything().await;
    assert_eq!(
        everything
            .versions(tone.body.number)
            .filter(|row| row.is_open())
            .count(),
        3
    );
    assert_eq!(everything.open_version(tone.body.number), Some(&tone));
    assert_eq!(everything.open_rule("communication", "tone"), Some(&tone));
}

/// At most one open rule speaks for a domain and key.
pub async fn one_open_rule_for_domain_and_key(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    scribe.save(rule("communication", "tone", "be brief")).await;
    scribe
        .save(rule("communication", "language", "speak Thai"))
        .await;
    scribe.save(rule("travel", "tone", "be bold")).await;
    let note = Claim {
        authority: crate::Authority::Note,
        ..rule("communication", "tone", "was brief")
    };
    scribe.save(note).await;

    let slice = Snapshot::empty(*scribe.everything().await.state());
    let (_, second) = scribe.plan_on(&slice, |draft| {
        save(draft, rule("communication", "tone", "be long"))
    });
    scribe
        .assert_unwritten(second, ErrorKind::Invalid, "a second open rule")
        .await;
    let (_, pair) = scribe.plan_on(&slice, |draft| save(draft, rule("food", "diet", "no fish")));
    let (_, mut both) = scribe.plan_on(&slice, |draft| {
        save(draft, rule("food", "drink", "no milk"))
    });
    for (id, change) in pair.changes.rows {
        let RowChange::Insert(mut row) = change else {
            continue;
        };
        if let Body::Memory(memory) = &mut row.body {
            memory.number = number(1);
            memory.version = Version::new(9).expect("a version");
            memory.claim.key = Some("drink".to_owned());
        }
        both.changes.rows.insert(id, RowChange::Insert(row));
    }
    scribe
        .assert_unwritten(both, ErrorKind::Invalid, "two open rules in one set")
        .await;
}

/// A rule may take the place of one that ends, or is purged, in the same set.
pub async fn a_rule_may_take_the_place_of_one_that_goes(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let first = scribe.save(rule("communication", "tone", "be brief")).await;
    let second = scribe
        .write(|draft| {
            draft.end(Kind::Memory, first.origin, Why::Forgotten)?;
            save(draft, rule("communication", "tone", "be long"))
        })
        .await;
    let third = scribe
        .write(|draft| {
            draft.purge(Kind::Memory, second)?;
            save(draft, rule("communication", "tone", "be kind"))
        })
        .await;
    let open = scribe
        .everything()
        .await
        .open_rule("communication", "tone")
        .map(|row| row.id);
    assert_eq!(open, Some(third));
}

/// A version of a fact is one row, ended or not.
pub async fn versions_of_a_number_are_unique(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let tea = scribe.note("drinks tea").await;
    scribe.end(Kind::Memory, tea.origin, Why::Forgotten).await;
    let same = bent(&mut scribe, claim("drinks coffee"), |row| {
        version_of(row, &tea, 1)
    })
    .await;
    scribe
        .assert_unwritten(same, ErrorKind::Invalid, "a version that is taken")
        .await;
}

/// A row's id names one row for ever.
pub async fn a_row_id_is_used_once(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let tea = scribe.note("drinks tea").await;
    let same = bent(&mut scribe, claim("drinks coffee"), |row| row.id = tea.id).await;
    scribe
        .assert_unwritten(same, ErrorKind::Invalid, "an id that is taken")
        .await;
    let mut misfiled = bent(&mut scribe, claim("drinks coffee"), |_| {}).await;
    let (_, change) = misfiled.changes.rows.pop_first().expect("one row");
    misfiled
        .changes
        .rows
        .insert(RowId::new(uuid::Uuid::max()), change);
    scribe
        .assert_unwritten(misfiled, ErrorKind::Invalid, "a row under another id")
        .await;
}
