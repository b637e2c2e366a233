//! What of the journal is in force, and what may be taken back: the rules a planner keeps to.

use std::collections::BTreeMap;

use keepmind::{Effect, JournalEntry, Snapshot, State, Why};

/// The entries that say what happened, by revision: true while in force, false while undone.
pub fn in_force(base: &Snapshot) -> BTreeMap<u64, bool> {
    let mut force = BTreeMap::new();
    let mut undone_by: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for entry in base.journal() {
        if entry.undoes.is_empty() && entry.redoes.is_empty() {
            force.insert(entry.revision, true);
        }
        for &revision in &entry.undoes {
            force.insert(revision, false);
            undone_by.entry(entry.revision).or_default().push(revision);
        }
        for undo in &entry.redoes {
            for &revision in undone_by.get(undo).into_iter().flatten() {
                force.insert(revision, true);
            }
        }
    }
    force
}

/// What an origin of an effect is now.
pub fn state_of(base: &Snapshot, effect: &Effect) -> State {
    base.last_copy(effect.kind, effect.origin)
        .map_or(State::Absent, |row| row.state())
}

/// Whether a state is the wanted one; what was undone is as if it had never been.
pub fn is_state(now: State, wanted: State) -> bool {
    let is_undone = matches!(
        now,
        State::Ended {
            why: Why::Undone,
            ..
        }
    );
    now == wanted || wanted == State::Absent && is_undone
}

/// Entries in force that nothing later in force has touched, and whose rows are as they left them.
pub fn undoable(base: &Snapshot) -> Vec<JournalEntry> {
    let force = in_force(base);
    base.journal()
        .filter(|entry| force.get(&entry.revision) == Some(&true) && !entry.effects.is_empty())
        .filter(|entry| !is_purge(entry))
        .filter(|entry| !is_touched_after(base, &force, entry, entry.revision))
        .filter(|entry| {
            entry
                .effects
                .iter()
                .all(|effect| is_state(state_of(base, effect), effect.after))
        })
        .cloned()
        .collect()
}

/// Undone entries with the undo that took them back, untouched since.
pub fn redoable(base: &Snapshot) -> Vec<(JournalEntry, u64)> {
    let force = in_force(base);
    base.journal()
        .filter(|entry| force.get(&entry.revision) == Some(&false))
        .filter_map(|entry| {
            let undo = base
                .journal()
                .filter(|undo| undo.undoes.contains(&entry.revision))
                .last()?;
            Some((entry.clone(), undo.revision))
        })
        .filter(|(entry, undo)| !is_touched_after(base, &force, entry, *undo))
        .filter(|(entry, _)| {
            entry
                .effects
                .iter()
                .all(|effect| is_state(state_of(base, effect), effect.before))
        })
        .collect()
}

fn is_purge(entry: &JournalEntry) -> bool {
    entry
        .effects
        .iter()
        .any(|effect| effect.after == State::Absent)
}

fn is_touched_after(
    base: &Snapshot,
    force: &BTreeMap<u64, bool>,
    entry: &JournalEntry,
    after: u64,
) -> bool {
    let touches = |other: &JournalEntry| {
        other.effects.iter().any(|one| {
            entry
                .effects
                .iter()
                .any(|two| (one.kind, one.origin) == (two.kind, two.origin))
        })
    };
    base.journal()
        .filter(|other| other.revision > after && force.get(&other.revision) == Some(&true))
        .any(touches)
}
