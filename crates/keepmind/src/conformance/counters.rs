//! What every commit counts: journal entries, stamps and numbers, none of them twice.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::change::{Expected, RowChange, SessionChange, Slice};
use crate::conformance::fixtures::{Planned, Scribe, claim, moment, number, rule, save};
use crate::error::ErrorKind;
use crate::memory::Marks;
use crate::model::CountingIds;
use crate::row::{Kind, Why};
use crate::store::MemoryStore;
use crate::timestamp::Timestamp;

/// Rows, lineage, consent, numbers and watermarks do not travel without a journal entry.
pub async fn what_is_checked_needs_a_journal_entry(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let session = scribe.open_session().await;
    let (_, planned) = scribe.plan(|draft| save(draft, claim("drinks tea"))).await;
    let rows = planned.changes.rows.clone();
    let watermark = crate::SessionEdit {
        extracted_through: Some(crate::MessageNumber::FIRST),
        ..crate::SessionEdit::default()
    };
    let mut sets = [(); 4].map(|()| scribe.unchecked());
    sets[0].rows = rows;
    sets[1]
        .consents
        .insert(("health".to_owned(), moment(0)), true);
    sets[2].next_number = Some(9);
    sets[3]
        .sessions
        .insert(session, SessionChange::Edit(watermark));
    for (place, changes) in sets.into_iter().enumerate() {
        let planned = Planned {
            expected: Expected::Any,
            changes,
        };
        scribe
            .assert_unwritten(
                planned,
                ErrorKind::Invalid,
                &format!("unjournalled part {place}"),
            )
            .await;
    }
}

/// The journal counts up by one with each checked commit, and is read from any revision on.
pub async fn journal_entries_count_up_without_gaps(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    for content in ["one", "two", "three", "four"] {
        scribe.note(content).await;
    }
    let revisions = async |since: u64, limit: usize| -> Vec<u64> {
        let entries = store
            .journal(&scribe.owner, since, limit)
            .await
            .expect("a journal");
        entries.iter().map(|entry| entry.revision).collect()
    };
    assert_eq!(revisions(0, 100).await, [1, 2, 3, 4]);
    assert_eq!(
        revisions(3, 100).await,
        [3, 4],
        "from a revision on, that one included"
    );
    assert_eq!(revisions(2, 2).await, [2, 3]);
    assert_eq!(revisions(0, 0).await, [0; 0]);
    assert_eq!(revisions(u64::MAX, usize::MAX).await, [0; 0]);

    let (_, planned) = scribe.plan(|draft| save(draft, claim("five"))).await;
    for revision in [0, 4, 6, u64::MAX] {
        let mut planned = planned.clone();
        planned.changes.entries[0].revision = revision;
        scribe
            .assert_unwritten(
                planned,
                ErrorKind::Invalid,
                &format!("entry {revision} after 4"),
            )
            .await;
    }
}

/// A clock that jumps back does not take the stamps with it.
pub async fn stamps_go_up(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let tea = scribe.note("drinks tea").await;
    scribe.clock = moment(-1_000);
    let coffee = scribe.note("drinks coffee").await;
    assert_eq!(
        Some(coffee.recorded_at),
        tea.recorded_at.next(),
        "just after the last stamp"
    );

    let (_, planned) = scribe.plan(|draft| save(draft, claim("drinks milk"))).await;
    for stamp in [Timestamp::MIN, tea.recorded_at, coffee.recorded_at] {
        let mut planned = planned.clone();
        planned.changes.at = stamp;
        planned.changes.entries[0].stamp = stamp;
        for change in planned.changes.rows.values_mut() {
            if let RowChange::Insert(row) = change {
                row.recorded_at = stamp;
                if let crate::Body::Memory(memory) = &mut row.body {
                    memory.claim.valid_from = Timestamp::MIN;
                }
            }
        }
        scribe
            .assert_unwritten(planned, ErrorKind::Invalid, &format!("a stamp of {stamp}"))
            .await;
    }
}

/// A number that was given out is never given out again, its fact purged or not.
pub async fn numbers_are_never_given_out_twice(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let tea = scribe.note("drinks tea").await;
    scribe
        .write(|draft| draft.purge(Kind::Memory, tea.id))
        .await;
    let coffee = scribe.note("drinks coffee").await;
    assert_eq!(coffee.body.number, number(2));

    let (_, planned) = scribe.plan(|draft| save(draft, claim("drinks milk"))).await;
    for next_number in [1, 2, 0, u64::MAX] {
        let mut planned = planned.clone();
        planned.changes.next_number = Some(next_number);
        scribe
            .assert_unwritten(
                planned,
                ErrorKind::Invalid,
                &format!("next number {next_number}"),
            )
            .await;
    }
    let mut ahead = planned;
    ahead.changes.next_number = None;
    scribe
        .assert_unwritten(ahead, ErrorKind::Invalid, "a number that was not given out")
        .await;
}

/// A set means the same whichever of its rows has the smaller id.
pub async fn the_order_of_ids_does_not_matter(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    scribe.ids = CountingIds::after(1_000);
    let old = scribe.save(rule("communication", "tone", "be brief")).await;
    scribe.ids = CountingIds::default();
    let next = scribe
        .write(|draft| {
            let claim = rule("communication", "tone", "be very brief");
            let id = draft.insert_version(old.body.number, claim, Marks::default())?;
            let until = draft.stamp();
            draft.end(
                Kind::Memory,
                old.origin,
                Why::Superseded {
                    by: id.into(),
                    until,
                },
            )?;
            Ok(id)
        })
        .await;
    assert!(next < old.id, "the new row sorts before the old one");

    let everything = scribe.everything().await;
    let open = everything
        .open_rule("communication", "tone")
        .map(|row| row.id);
    assert_eq!(open, Some(next), "the new row is the open rule");
    let slice = Slice {
        rules: BTreeSet::from([("communication".to_owned(), "tone".to_owned())]),
        ..Slice::default()
    };
    assert_eq!(
        scribe.load(&slice).await.versions(old.body.number).count(),
        2
    );

    let empty = crate::Snapshot::empty(*everything.state());
    let (_, second) = scribe.plan_on(&empty, |draft| {
        save(draft, rule("communication", "tone", "be long"))
    });
    scribe
        .assert_unwritten(second, ErrorKind::Invalid, "a second open rule")
        .await;
}
