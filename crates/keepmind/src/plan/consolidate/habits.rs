//! What a host saw again and again becomes a habit: a derived row that cites what was seen.

use std::collections::BTreeSet;

use crate::command::Save;
use crate::consolidated::{Grade, Settled, Settling};
use crate::ids::SessionId;
use crate::memory::{Evidence, Trust};
use crate::order::Gather;
use crate::plan::Planning;
use crate::plan::consolidate::Work;
use crate::plan::consolidate::grade::graded;
use crate::plan::consolidate::pattern::Pattern;
use crate::plan::learn::Near;
use crate::plan::proposal::{PutUp, doubt_words};
use crate::plan::save::Worded;
use crate::plan::spans::observed;
use crate::policy::CategoryKind;
use crate::proposal::ProposedOperation;
use crate::row::MemoryRow;
use crate::text;
use crate::timestamp::Timestamp;

/// How sure it is that a strong habit is one; a tentative one is just sure enough to be shown.
const STRONG: f64 = 0.9;

impl Work<'_> {
    pub(super) fn habit(&mut self, pattern: &Pattern, near: &Near) -> Planning<()> {
        self.planner.readings.borrow_mut().clear();
        let folded = text::fold(&pattern.content);
        let says_so = |row: &&MemoryRow| text::fold(&row.body.claim.content) == folded;
        let known = self.like(near).find(says_so).cloned();
        let contradictions = known.as_ref().map_or(0, |row| row.marks.contradictions);
        let since = self
            .ended_last(near, &folded)
            .max(self.entombed_last(pattern));
        let policy = self.planner.policy;
        let times = pattern.times_after(since, self.planner.offset);
        let grade = times.grade(contradictions, &policy.grades);
        match known {
            _ if grade == Grade::Candidate => Ok(()),
            Some(row) => self.reinforce(&row, pattern, grade),
            None => self.derive(pattern, grade),
        }
    }

    /// When a row that said so last ended: what was seen before does not bring it back.
    fn ended_last(&self, near: &Near, folded: &str) -> Option<Timestamp> {
        let base = self.planner.base();
        let rows = near
            .forgotten
            .iter()
            .flat_map(|number| base.versions(*number));
        let ended = rows
            .filter(|row| text::fold(&row.body.claim.content) == folded)
            .filter_map(|row| row.end.map(|end| end.at));
        ended.max()
    }

    /// When the last was seen of what ended with a habit: that one and all before it count for nothing, also
    /// where no row is left to say so.
    fn entombed_last(&self, pattern: &Pattern) -> Option<Timestamp> {
        let laid = self.planner.base().tombstones();
        let laid: BTreeSet<SessionId> = laid
            .filter(|row| row.is_open())
            .map(|row| row.body.session)
            .gather();
        let entombed = pattern.seen.iter();
        let entombed = entombed.filter(|(_, id)| laid.contains(&observed(*id)));
        entombed.map(|(at, _)| *at).max()
    }

    fn reinforce(&mut self, row: &MemoryRow, pattern: &Pattern, grade: Grade) -> Planning<()> {
        if row.body.claim.source.is_explicit() {
            return Ok(());
        }
        let reinforced = row.marks.last_confirmed_at.unwrap_or(row.recorded_at);
        let last = pattern.last().unwrap_or(reinforced);
        let mut marks = graded(row.marks, grade, &self.planner.policy.grades);
        if grade == Grade::Strong {
            marks.confidence = marks.confidence.map(|sure| sure.max(STRONG));
        }
        if last > reinforced {
            marks.last_confirmed_at = Some(last);
            marks.confirmations = marks.confirmations.saturating_add(1);
        }
        if marks == row.marks {
            return Ok(());
        }
        self.mark(row, marks)?;
        let reason = "it was seen again";
        let settled = Settled::new(Settling::Reinforced, Some(row.body.number), reason);
        self.told(settled.graded(grade));
        Ok(())
    }

    fn derive(&mut self, pattern: &Pattern, grade: Grade) -> Planning<()> {
        let policy = self.planner.policy;
        let category = policy.category_for(CategoryKind::Procedure);
        let save = Save {
            category: category.map(|category| category.name.clone()),
            tags: [pattern.source.clone()].into_iter().gather(),
            ..Save::new(pattern.content.as_str())
        };
        let Worded {
            mut claim,
            marks,
            doubts,
        } = match self.planner.claim(&save) {
            Ok(worded) => worded,
            Err(refusal) => {
                let mut settled = Settled::new(Settling::Refused, None, refusal.message.clone());
                settled.codes = refusal.codes().collect();
                self.told(settled);
                return Ok(());
            }
        };
        claim.trust = Trust::Derived;
        claim.evidence = pattern
            .cited()
            .map(|id| Evidence::Observation { id })
            .collect();
        let mut marks = graded(marks, grade, &policy.grades);
        if !doubts.is_empty() {
            let reasoning = doubt_words(&doubts);
            let claim = Box::new(claim);
            let operation = ProposedOperation::Save { claim, marks };
            let put_up = self
                .planner
                .put_up(operation, reasoning.clone(), Vec::new())?;
            if let PutUp::Made(id) = put_up {
                let mut settled = Settled::new(Settling::Proposed, None, reasoning);
                settled.proposal = Some(id);
                settled.codes = doubts;
                self.told(settled.graded(grade));
            }
            return Ok(());
        }
        marks.confidence = Some(match grade {
            Grade::Strong => STRONG.max(policy.floors.inject),
            Grade::Tentative | Grade::Candidate => policy.floors.inject,
        });
        marks.last_confirmed_at = pattern.last();
        let number = self.planner.draft.new_number()?;
        let id = self.planner.draft.insert_version(number, claim, marks)?;
        self.stands(id);
        let settled = Settled::new(
            Settling::Derived,
            Some(number),
            "it was seen again and again",
        );
        self.told(settled.graded(grade));
        Ok(())
    }
}
