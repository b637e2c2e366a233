//! Plans made at random, the way the library's own planner makes them: through a draft.

use keepmind::{
    ChangeSet, Direction, Draft, EntryHeader, GroupId, IdSource, Result, SessionId, Snapshot,
    Timestamp, Who,
};

use crate::history::{redoable, undoable};
use crate::planner::Planner;
use crate::random::Random;

/// What a plan does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A new fact.
    Save,
    /// The next version; the old one was true until then.
    Update,
    /// The next version; the old one was never right.
    Correct,
    /// An end, with tombstones on every version's quotes.
    Forget,
    /// An end that can be taken back.
    Trash,
    /// Back from the trash.
    Restore,
    /// New marks.
    Mark,
    /// An end for one of the other reasons.
    End,
    /// A candidate.
    Hold,
    /// A candidate that is believed from now on.
    Promote,
    /// A candidate that is not.
    Discard,
    /// A link between two facts.
    Link,
    /// A link that is lifted.
    Unlink,
    /// A proposal.
    Propose,
    /// A proposal that is answered.
    Settle,
    /// A word on consent.
    Consent,
    /// A row made from others.
    Digest,
    /// All versions of a fact gone for good, with links and proposals.
    Purge,
    /// The entry of that revision taken back.
    Undo(u64),
    /// The entry of that revision brought back.
    Redo(u64),
    /// Several things in one set.
    Several,
}

const STEPS: &[Step] = &[
    Step::Save,
    Step::Save,
    Step::Save,
    Step::Save,
    Step::Save,
    Step::Update,
    Step::Update,
    Step::Update,
    Step::Correct,
    Step::Forget,
    Step::Trash,
    Step::Restore,
    Step::Restore,
    Step::Mark,
    Step::End,
    Step::Hold,
    Step::Promote,
    Step::Discard,
    Step::Link,
    Step::Link,
    Step::Unlink,
    Step::Propose,
    Step::Settle,
    Step::Consent,
    Step::Digest,
    Step::Purge,
    Step::Undo(0),
    Step::Undo(0),
    Step::Undo(0),
    Step::Redo(0),
    Step::Redo(0),
    Step::Several,
];

/// A plan at random on what was loaded: what it does, and the set or why the draft refused it.
pub fn plan(
    random: &mut Random,
    ids: &mut dyn IdSource,
    base: &Snapshot,
    clock: Timestamp,
) -> (Step, Result<ChangeSet>) {
    let mut step = random.one_of(STEPS);
    let mut header = EntryHeader::new(Who::User, "wrote");
    header.who = random.one_of(&[Who::User, Who::Agent, Who::Extractor, Who::Sweep, Who::Host]);
    header.group = random.sometimes(10, |random| {
        GroupId::new(keepmind::Uuid::from_u128(random.below(3) as u128))
    });
    let sessions: Vec<SessionId> = base.sessions().map(|session| session.id).collect();
    header.session = random.pick(&sessions).filter(|_| random.chance(30));
    let draft = Draft::new(base, clock, ids).and_then(|draft| {
        let mut planner = Planner {
            random,
            base,
            draft,
            sessions,
        };
        match step {
            Step::Undo(_) => {
                if let Some(entry) = planner.random.pick(&undoable(base)) {
                    step = Step::Undo(entry.revision);
                    header.undoes.insert(entry.revision);
                    planner.draft.replay(&entry.effects, Direction::Back)?;
                }
            }
            Step::Redo(_) => {
                if let Some((entry, undo)) = planner.random.pick(&redoable(base)) {
                    step = Step::Redo(entry.revision);
                    header.redoes.insert(undo);
                    planner.draft.replay(&entry.effects, Direction::Forth)?;
                }
            }
            Step::Several => {
                for _ in 0..2 + planner.random.below(3) {
                    let part = planner.random.one_of(STEPS);
                    planner.take(part)?;
                }
            }
            step => planner.take(step)?,
        }
        Ok(planner.draft)
    });
    (step, draft.and_then(|draft| draft.finish(header)))
}
