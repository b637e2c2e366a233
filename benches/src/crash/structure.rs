//! What holds of any user's rows, whatever was asked for: a commit that was applied in part breaks it.

use std::collections::{BTreeMap, BTreeSet};

use keepmind::{Kind, Layer, Number, Snapshot, State, Timestamp};

use crate::crash::findings::{Findings, Wrong};

pub fn check(snapshot: &Snapshot, findings: &mut Findings) {
    journal_counts_up(snapshot, findings);
    journal_and_rows_agree(snapshot, findings);
    facts_have_one_version_and_successors(snapshot, findings);
    messages_have_places_of_their_own(snapshot, findings);
}

fn journal_counts_up(snapshot: &Snapshot, findings: &mut Findings) {
    let mut count = 0;
    for entry in snapshot.journal() {
        count += 1;
        findings.expect(entry.revision == count, Wrong::HalfApplied, || {
            format!(
                "entry {count} of the journal is of revision {}",
                entry.revision
            )
        });
    }
    let revision = snapshot.state().revision.count;
    findings.expect(revision == count, Wrong::HalfApplied, || {
        format!("revision {revision} has {count} entries in the journal")
    });
}

/// The journal says what became of each row; the rows must be that.
fn journal_and_rows_agree(snapshot: &Snapshot, findings: &mut Findings) {
    let mut left = BTreeMap::new();
    for effect in snapshot.journal().flat_map(|entry| &entry.effects) {
        left.insert((effect.kind, effect.origin), effect.after);
    }
    for ((kind, origin), after) in &left {
        let stored = snapshot.last_copy(*kind, *origin);
        let state = stored.map_or(State::Absent, |row| row.state());
        findings.expect(state == *after, Wrong::HalfApplied, || {
            format!("{kind:?} {origin} is {state:?}, and the journal left it {after:?}")
        });
    }
    // A digest is a cache: its entry says when it was compiled, not what became of it.
    let stamps: BTreeSet<Timestamp> = snapshot.journal().map(|entry| entry.stamp).collect();
    for row in snapshot.memories() {
        let is_told = match row.body.claim.layer {
            Layer::Digest => stamps.contains(&row.recorded_at),
            _ => left.contains_key(&(Kind::Memory, row.origin)),
        };
        findings.expect(is_told, Wrong::HalfApplied, || {
            format!("{} is in no entry of the journal", row.body.number)
        });
    }
}

fn facts_have_one_version_and_successors(snapshot: &Snapshot, findings: &mut Findings) {
    let mut open: BTreeSet<Number> = BTreeSet::new();
    for row in snapshot.memories() {
        let number = row.body.number;
        if row.is_open() {
            findings.expect(open.insert(number), Wrong::HalfApplied, || {
                format!("{number} has two versions that are live")
            });
        }
        let successor = row.end.and_then(|end| end.why.successor());
        let is_there =
            successor.is_none_or(|origin| snapshot.last_copy(Kind::Memory, origin).is_some());
        findings.expect(is_there, Wrong::HalfApplied, || {
            format!("a version of {number} was superseded by nothing")
        });
        findings.expect(
            number.get() < snapshot.state().next_number,
            Wrong::HalfApplied,
            || format!("{number} is there, and its number is still to be given"),
        );
    }
}

fn messages_have_places_of_their_own(snapshot: &Snapshot, findings: &mut Findings) {
    let mut taken = BTreeSet::new();
    for message in snapshot.messages() {
        findings.expect(taken.insert(message.ordinal), Wrong::HalfApplied, || {
            format!("two messages have the ordinal {}", message.ordinal.get())
        });
    }
}
