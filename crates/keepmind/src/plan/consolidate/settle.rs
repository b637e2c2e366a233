//! Two facts that say the same, or that cannot both be true: one of them stands, or the user is asked.

use crate::consolidated::{Grade, Settled, Settling};
use crate::ids::{Number, UsageId};
use crate::memory::{Authority, Marks};
use crate::plan::Planning;
use crate::plan::consolidate::grade::{Times, graded};
use crate::plan::consolidate::{Work, is_brought_back};
use crate::plan::learn::Near;
use crate::plan::proposal::{PutUp, doubt_words};
use crate::proposal::{ProposedOperation, Rival, Target};
use crate::refusal::Code;
use crate::row::{MemoryRow, Why};
use crate::usage::{Usage, UsageKind};

/// Which of two that contradict stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    Kept,
    New,
    Asked,
}

impl Work<'_> {
    /// A candidate against what is believed and cannot be true at the same time, or is to be changed by it.
    pub(super) fn weigh(
        &mut self,
        row: &MemoryRow,
        kept: &MemoryRow,
        grade: Grade,
    ) -> Planning<()> {
        match self.which_stands(row, kept) {
            Standing::New => self.overtake(row, kept, grade),
            Standing::Kept => {
                self.conflicted(kept);
                self.end(row, Why::Discarded)?;
                let reason = "something else is believed, and outranks it";
                let settled = Settled::new(Settling::Overruled, Some(row.body.number), reason);
                self.told(settled.by(kept.body.number));
                Ok(())
            }
            Standing::Asked => {
                // Accepted, it is the user's word, of which nobody is more or less sure.
                let marks = Marks {
                    confidence: None,
                    ..graded(row.marks, grade, &self.planner.policy.grades)
                };
                let mut claim = row.body.claim.clone();
                claim.held = false;
                let rival = Rival::Claim {
                    claim: Box::new(claim),
                    marks,
                };
                self.ask(row, kept, rival)
            }
        }
    }

    fn which_stands(&self, row: &MemoryRow, kept: &MemoryRow) -> Standing {
        let policy = self.planner.policy;
        let (new, old) = (&row.body.claim, &kept.body.claim);
        if old.source.is_explicit() || new.valid_from < old.valid_from {
            return Standing::Kept;
        }
        if kept.marks.importance >= policy.floors.contradiction_importance {
            return Standing::Asked;
        }
        let kind = policy.category(&old.category).map(|category| category.kind);
        let sure = |row: &MemoryRow| row.marks.confidence.unwrap_or(1.0);
        // However often it was said, what the user plainly says since then is how it is now.
        let enough = sure(kept).min(policy.floors.inject);
        if kind.is_some_and(|kind| kind.newest_wins()) || sure(row) >= enough {
            Standing::New
        } else {
            Standing::Asked
        }
    }

    /// A fact that came since the last time, against those that are like it.
    pub(super) fn fact(&mut self, row: &MemoryRow, near: &Near) -> Planning<()> {
        self.regrade(row)?;
        let policy = self.planner.policy;
        let meaning = self.meaning_of(row);
        let like: Vec<Number> = self.like(near).map(|row| row.body.number).collect();
        for number in like {
            // As they stand by now: what was taken up before has left its mark on them.
            let (Some(row), Some(kept)) = (self.believed(row.body.number), self.believed(number))
            else {
                continue;
            };
            let (row, kept) = (&row.clone(), &kept.clone());
            let is_note = |row: &MemoryRow| row.body.claim.authority == Authority::Note;
            if kept.body.number == row.body.number || !is_note(row) || !is_note(kept) {
                continue;
            }
            let other = self.meaning_of(kept);
            let (is_part, is_whole) = (
                meaning.adds_nothing_to(&other, policy),
                other.adds_nothing_to(&meaning, policy),
            );
            let settles = if is_part || is_whole {
                self.make_one(row, kept, is_part)?
            } else if meaning.contradicts(&other, policy) {
                self.make_true(row, kept)?
            } else {
                false
            };
            if settles {
                break;
            }
        }
        Ok(())
    }

    /// Of two that say the same the one stays that was said on purpose, or says more, or was there first.
    /// True where the new one is gone.
    fn make_one(&mut self, new: &MemoryRow, kept: &MemoryRow, is_part: bool) -> Planning<bool> {
        let is_explicit = |row: &MemoryRow| row.body.claim.source.is_explicit();
        match (is_explicit(new), is_explicit(kept)) {
            (true, true) => Ok(false),
            (true, false) => self.taken_up(kept, new).map(|()| false),
            (false, true) => self.taken_up(new, kept).map(|()| true),
            (false, false) if is_part => self.taken_up(new, kept).map(|()| true),
            (false, false) => self.taken_up(kept, new).map(|()| false),
        }
    }

    fn taken_up(&mut self, row: &MemoryRow, kept: &MemoryRow) -> Planning<()> {
        if is_brought_back(row) || is_brought_back(kept) {
            return Ok(());
        }
        self.take_up(row, kept)
    }

    /// Of two that cannot be true at the same time. True where the new one is gone.
    fn make_true(&mut self, new: &MemoryRow, kept: &MemoryRow) -> Planning<bool> {
        let is_explicit = |row: &MemoryRow| row.body.claim.source.is_explicit();
        match (is_explicit(new), is_explicit(kept)) {
            // The user said both: the health check shows them.
            (true, true) => Ok(false),
            (true, false) => self.overrule(kept, new).map(|()| false),
            (false, true) => {
                self.conflicted(kept);
                self.overrule(new, kept).map(|()| true)
            }
            (false, false) => {
                let is_newer = new.body.claim.valid_from >= kept.body.claim.valid_from;
                let (later, earlier) = if is_newer { (new, kept) } else { (kept, new) };
                match self.which_stands(later, earlier) {
                    Standing::New => self.overrule(earlier, later)?,
                    Standing::Kept => self.overrule(later, earlier)?,
                    Standing::Asked => {
                        let target = Target::of(later);
                        self.ask(later, earlier, Rival::Fact { target })?;
                        return Ok(false);
                    }
                }
                Ok(self.gone.contains(&new.origin))
            }
        }
    }

    /// Ends what cannot be true beside a fact that outranks it.
    fn overrule(&mut self, row: &MemoryRow, by: &MemoryRow) -> Planning<()> {
        if is_brought_back(row) {
            return Ok(());
        }
        let until = by.body.claim.valid_from.max(row.body.claim.valid_from);
        let why = Why::Superseded {
            by: by.origin,
            until,
        };
        self.end(row, why)?;
        let reason = "it cannot be true beside what outranks it";
        let settled = Settled::new(Settling::Overruled, Some(row.body.number), reason);
        self.told(settled.by(by.body.number));
        Ok(())
    }

    /// What is believed and recurs matters more.
    fn regrade(&mut self, row: &MemoryRow) -> Planning<()> {
        let grades = &self.planner.policy.grades;
        if row.body.claim.source.is_explicit() {
            return Ok(());
        }
        let grade = Times::said(&row.body.claim).grade(row.marks.contradictions, grades);
        let marks = graded(row.marks, grade, grades);
        if grade < Grade::Strong || marks == row.marks {
            return Ok(());
        }
        self.mark(row, marks)?;
        let reason = "the user said so often";
        let settled = Settled::new(Settling::Reinforced, Some(row.body.number), reason);
        self.told(settled.graded(grade));
        Ok(())
    }

    fn ask(&mut self, row: &MemoryRow, kept: &MemoryRow, rival: Rival) -> Planning<()> {
        let doubts = [Code::Tier];
        let reasoning = doubt_words(&doubts);
        let operation = ProposedOperation::Choose {
            target: Target::of(kept),
            rival,
        };
        let evidence = row.body.claim.evidence.clone();
        let put_up = self
            .planner
            .put_up(operation, reasoning.clone(), evidence)?;
        let number = Some(row.body.number);
        match put_up {
            PutUp::Made(id) => {
                let mut settled = Settled::new(Settling::Proposed, number, reasoning);
                settled.proposal = Some(id);
                settled.codes.extend(doubts);
                self.told(settled.by(kept.body.number));
            }
            PutUp::Waits => {}
            PutUp::TurnedDown if row.body.claim.held => {
                self.end(row, Why::Discarded)?;
                let reason = "the user turned this down, and has said nothing new";
                self.told(Settled::new(Settling::Discarded, number, reason));
            }
            PutUp::TurnedDown => {}
        }
        Ok(())
    }

    /// A fact spoke against something: whoever looks after the memory can see it.
    fn conflicted(&mut self, row: &MemoryRow) {
        let at = self.planner.now();
        let id = UsageId::new(self.planner.draft.new_id());
        let usage = Usage {
            id,
            at,
            session: None,
            memory: row.id,
            kind: UsageKind::Conflicted,
            influence: None,
        };
        self.planner.draft.others().usage.insert(id, usage);
    }
}
