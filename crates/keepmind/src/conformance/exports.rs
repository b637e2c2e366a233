//! Export and restore: lossless, canonical, and nothing half-written.

use std::sync::Arc;

use serde_json::json;

use crate::change::{Expected, Slice};
use crate::conformance::fixtures::{Planned, Scribe, assert_refused, claim, moment, owner, save};
use crate::conformance::furnish::furnish;
use crate::error::ErrorKind;
use crate::export::{export, restore};
use crate::memory::{Claim, Marks};
use crate::model::{CountingIds, ManualClock};
use crate::owner::Owner;
use crate::row::{Kind, State};
use crate::store::MemoryStore;

async fn restored(
    store: &Arc<dyn MemoryStore>,
    owner: &Owner,
    lines: &str,
) -> crate::Result<crate::Receipt> {
    let mut ids = CountingIds::after(1_000_000);
    restore(
        &**store,
        owner,
        lines,
        &ManualClock::new(moment(0)),
        &mut ids,
    )
    .await
}

/// Fails unless an owner's export, restored after an erasure, gives the same data and the same bytes.
async fn assert_round_trip(scribe: &Scribe, what: &str) {
    let before = scribe.everything().await;
    let lines = export(&*scribe.store, &scribe.owner)
        .await
        .expect("an export");
    scribe.store.erase(&scribe.owner).await.expect("an erasure");
    let receipt = restored(&scribe.store, &scribe.owner, &lines)
        .await
        .expect("a restore");
    assert_eq!(receipt.revision.count, before.state().revision.count);
    let after = scribe.everything().await;
    let again = export(&*scribe.store, &scribe.owner)
        .await
        .expect("an export");
    for (line, same) in lines.lines().zip(again.lines()) {
        assert_eq!(line, same, "{what}");
    }
    assert_eq!(lines.len(), again.len(), "{what}");
    assert_eq!(after.state().next_number, before.state().next_number);
    assert_eq!(after.state().last_stamp, before.state().last_stamp);
    assert!(
        after.memories().eq(before.memories()) && after.messages().eq(before.messages()),
        "{what}"
    );
}

/// One of everything comes back, byte for byte, and life goes on where it was.
pub async fn an_export_is_restored_without_loss(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let furnished = furnish(&mut scribe).await;
    scribe.say(furnished.session, "พูดไทย, café, 茶, 🍵").await;
    assert_round_trip(&scribe, "one of everything").await;
    let next = scribe.note("drinks milk").await;
    assert_eq!(
        next.body.number.get() + 1,
        scribe.everything().await.state().next_number
    );
    assert_eq!(
        scribe.found("milk", crate::store::Selection::All).await,
        ["drinks milk"]
    );
    assert_round_trip(&scribe, "and once more").await;
}

/// Values at the edge are either refused or come back as they were.
pub async fn odd_values_are_refused_or_kept(store: Arc<dyn MemoryStore>) {
    let values = [
        json!(null),
        json!(""),
        json!([]),
        json!({}),
        json!(-0.0),
        json!(f64::MIN_POSITIVE / 2.0),
        json!(f64::MAX),
        json!(i64::MIN),
        json!(u64::MAX),
        json!({"b": 1, "a": [true, {"": null}]}),
        json!(0.1 + 0.2),
    ];
    for (place, value) in values.into_iter().enumerate() {
        let mut scribe = Scribe::new(&store, &format!("value {place}"));
        let what = value.to_string();
        let odd = Claim {
            value: Some(value),
            ..claim("is odd")
        };
        let (id, planned) = match scribe.try_plan(|draft| save(draft, odd.clone())).await {
            Ok(planned) => planned,
            Err(_) => continue,
        };
        scribe
            .commit(planned)
            .await
            .expect("a valid plan is committed");
        assert_eq!(scribe.row(id).await.body.claim, odd, "the value {what}");
        assert_round_trip(&scribe, &format!("the value {what}")).await;
    }
    for (place, importance) in [-0.0, f64::MIN_POSITIVE / 4.0, 0.1 + 0.2, 1.0]
        .into_iter()
        .enumerate()
    {
        let mut scribe = Scribe::new(&store, &format!("mark {place}"));
        let row = scribe.note("is marked").await;
        let marks = Marks {
            importance,
            confidence: Some(importance),
            ..Marks::default()
        };
        let live = State::Live { marks };
        let Ok((_, planned)) = scribe
            .try_plan(|draft| draft.set(Kind::Memory, row.origin, live))
            .await
        else {
            continue;
        };
        scribe
            .commit(planned)
            .await
            .expect("a valid plan is committed");
        let stored = scribe.row(row.id).await.marks;
        assert_eq!(
            stored.importance.to_bits(),
            importance.to_bits(),
            "{importance:?} is kept to the bit"
        );
        assert_round_trip(&scribe, &format!("the mark {importance:?}")).await;
    }
}

/// Equal data gives equal bytes, whoever's and however they came in.
pub async fn equal_data_give_equal_exports(store: Arc<dyn MemoryStore>) {
    let mut alice = Scribe::new(&store, "alice");
    furnish(&mut alice).await;
    let lines = export(&*store, &alice.owner).await.expect("an export");
    let bob = owner("bob");
    restored(&store, &bob, &lines)
        .await
        .expect("a restore for another owner");
    let copy = export(&*store, &bob).await.expect("an export");
    let body = |lines: &str| lines.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(body(&copy), body(&lines));
    assert_ne!(copy, lines, "only the header names the owner");
}

/// Restoring is for an owner of whom nothing is known; anyone else's data stay as they are.
pub async fn a_restore_never_touches_a_living_owner(store: Arc<dyn MemoryStore>) {
    let mut alice = Scribe::new(&store, "alice");
    furnish(&mut alice).await;
    let lines = export(&*store, &alice.owner).await.expect("an export");
    let mut bob = Scribe::new(&store, "bob");
    bob.open_session().await;
    let before = bob.everything().await;
    let answer = restored(&store, &bob.owner, &lines).await;
    assert_refused(answer, ErrorKind::Conflict, "a restore into a living owner");
    assert!(bob.everything().await == before);

    alice.note("life went on").await;
    let before = alice.everything().await;
    let answer = restored(&store, &alice.owner, &lines).await;
    assert_refused(
        answer,
        ErrorKind::Conflict,
        "a restore of an old export into its living owner",
    );
    assert!(alice.everything().await == before);
}

/// A file that was cut, mended by hand or not an export at all is refused, and nothing is written.
pub async fn a_damaged_export_is_refused(store: Arc<dyn MemoryStore>) {
    let mut alice = Scribe::new(&store, "alice");
    furnish(&mut alice).await;
    let lines = export(&*store, &alice.owner).await.expect("an export");
    let all: Vec<&str> = lines.lines().collect();
    let joined = |lines: &[&str]| {
        lines
            .iter()
            .map(|line| format!("{line}\n"))
            .collect::<String>()
    };
    let mut twice = all.clone();
    twice.insert(2, all[2]);
    let mut swapped = all.clone();
    let journal = all
        .iter()
        .position(|line| line.starts_with("{\"journal\""))
        .expect("a journal");
    swapped.swap(journal, journal + 1);
    let bob = owner("bob");
    for (what, damaged) in [
        ("nothing", String::new()),
        ("no header", joined(&all[1..])),
        ("no footer", joined(&all[..all.len() - 1])),
        ("a line too few", joined(&[&all[..3], &all[4..]].concat())),
        ("a line twice", joined(&twice)),
        ("lines swapped", joined(&swapped)),
        ("two exports", format!("{lines}{lines}")),
        ("half a line", lines[..lines.len() / 2].to_owned()),
        (
            "another format",
            lines.replacen("\"format\":1", "\"format\":2", 1),
        ),
        (
            "an unknown field",
            lines.replacen("\"content\":", "\"contents\":", 1),
        ),
        (
            "a lone surrogate",
            lines.replacen("lives in Rome", "lives in \\ud800", 1),
        ),
        (
            "NUL",
            lines.replacen("lives in Rome", "lives in \\u0000", 1),
        ),
        (
            "a year that is not kept",
            lines.replacen("2026-", "12026-", 1),
        ),
        ("prose", "Dear store,\n".to_owned()),
    ] {
        let answer = restored(&store, &bob, &damaged).await;
        assert_refused(answer, ErrorKind::Invalid, what);
        assert_eq!(
            store.owners(None, 9).await.expect("owners").len(),
            1,
            "{what}: bob is nobody"
        );
    }
    let foreign = Planned {
        expected: Expected::Any,
        changes: alice.unchecked(),
    };
    alice.commit(foreign).await.expect("the store still writes");
    assert!(alice.load(&Slice::everything()).await.memories().count() > 10);
}
