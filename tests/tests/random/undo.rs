//! Drafts at random: undo and redo are exact, and nothing that was forgotten comes back.

use keepmind::{Direction, Draft, EntryHeader, Expected, OwnerState, Snapshot, State, Who, Why};
use keepmind_tests::drafts::{self, Step};
use keepmind_tests::history::{in_force, is_state, state_of};
use keepmind_tests::invariants::{assert_sound, assert_unchanged};
use keepmind_tests::random::setting;
use keepmind_tests::{Random, claims};

#[test]
fn undo_and_redo_are_exact() {
    let first = setting("KEEPMIND_SEED", 1);
    let (mut undone, mut redone) = (0, 0);
    for seed in first..first + setting("KEEPMIND_LIVES", 40) {
        let mut random = Random::new(seed);
        let mut ids = Random::new(!seed);
        let mut data = Snapshot::empty(OwnerState::NONE);
        for step in 0..60 {
            let clock = claims::moment(random.between(0, 1_000));
            let (what, planned) = drafts::plan(&mut random, &mut ids, &data, clock);
            let Ok(changes) = planned else { continue };
            let context = format!("seed {seed}, step {step}, {what:?}");
            let before = data.clone();
            let expected = Expected::At(data.state().revision);
            data.apply(expected, &changes).expect("a draft's own set");
            assert_sound(&data);
            assert_unchanged(&before, &data);
            assert_exact(&data, what, &context);
            assert_told(&before, &data, &context);
            assert_forgotten(&data, &context);
            assert_folded(&data, clock, &mut ids, &context);
            undone += usize::from(matches!(what, Step::Undo(revision) if revision > 0));
            redone += usize::from(matches!(what, Step::Redo(revision) if revision > 0));
        }
    }
    assert!(
        undone > 50 && redone > 10,
        "only {undone} undos and {redone} redos"
    );
}

/// After an undo every origin is what it was before the entry; after a redo, what it was after it.
fn assert_exact(data: &Snapshot, step: Step, context: &str) {
    let (revision, is_undo) = match step {
        Step::Undo(revision) => (revision, true),
        Step::Redo(revision) => (revision, false),
        _ => return,
    };
    for entry in data.journal().filter(|entry| entry.revision == revision) {
        for effect in &entry.effects {
            let wanted = if is_undo { effect.before } else { effect.after };
            let now = state_of(data, effect);
            assert!(
                is_state(now, wanted),
                "{context}: {now:?} instead of {wanted:?}"
            );
        }
    }
}

/// The last entry tells the state of each origin before and after as they were and are.
fn assert_told(before: &Snapshot, after: &Snapshot, context: &str) {
    let count = before.journal().count();
    for entry in after.journal().skip(count) {
        for effect in &entry.effects {
            assert_eq!(state_of(before, effect), effect.before, "{context}");
            assert_eq!(state_of(after, effect), effect.after, "{context}");
        }
    }
}

/// What an entry in force has forgotten stays so, unless a later one in force says otherwise.
fn assert_forgotten(data: &Snapshot, context: &str) {
    let force = in_force(data);
    let is_in_force = |revision| force.get(&revision) == Some(&true);
    for entry in data.journal().filter(|entry| is_in_force(entry.revision)) {
        for effect in &entry.effects {
            let is_forgotten = |state| {
                matches!(
                    state,
                    State::Ended {
                        why: Why::Forgotten,
                        ..
                    }
                )
            };
            let is_touched_later = data
                .journal()
                .filter(|later| later.revision > entry.revision && is_in_force(later.revision))
                .any(|later| {
                    later
                        .effects
                        .iter()
                        .any(|other| other.origin == effect.origin)
                });
            if is_forgotten(effect.after) && !is_touched_later {
                let now = state_of(data, effect);
                assert!(
                    is_forgotten(now),
                    "{context}: what was forgotten is {now:?}"
                );
            }
        }
    }
}

/// There and back again in one draft is nothing: changes fold to one for each key, or none.
fn assert_folded(data: &Snapshot, clock: keepmind::Timestamp, ids: &mut Random, context: &str) {
    let Some(entry) = keepmind_tests::history::undoable(data).pop() else {
        return;
    };
    let mut draft = Draft::new(data, clock, ids).expect("time has not run out");
    draft
        .replay(&entry.effects, Direction::Back)
        .expect("a replay back");
    draft
        .replay(&entry.effects, Direction::Forth)
        .expect("a replay forth");
    let changes = draft
        .finish(EntryHeader::new(Who::User, "nothing"))
        .expect("a draft of nothing");
    assert!(
        changes.rows.is_empty() && changes.entries.is_empty(),
        "{context}: {changes:?}"
    );
}
