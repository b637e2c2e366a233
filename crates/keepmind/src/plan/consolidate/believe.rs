//! Candidates: believed where they were said outright or recur, taken up by a fact that says the same, let go
//! when nobody says them again.

use std::rc::Rc;

use crate::consolidated::{Grade, Settled, Settling};
use crate::ids::{Number, RowId};
use crate::memory::{Evidence, Lineage};
use crate::plan::Planning;
use crate::plan::consolidate::grade::{Times, graded};
use crate::plan::consolidate::{Work, is_brought_back};
use crate::plan::expiry::is_over;
use crate::plan::learn::Near;
use crate::plan::spans::stretches;
use crate::policy::{Policy, Promotion};
use crate::row::{MemoryRow, Why};
use crate::timestamp::Timestamp;

impl Work<'_> {
    pub(super) fn candidate(&mut self, row: &MemoryRow, near: &Near) -> Planning<()> {
        let policy = self.planner.policy;
        let now = self.planner.now();
        let number = row.body.number;
        if self.is_forgotten(row) {
            self.end(row, Why::Discarded)?;
            let reason = "the user had forgotten what it rests on";
            self.told(Settled::new(Settling::Discarded, Some(number), reason));
            return Ok(());
        }
        let meaning = self.meaning_of(row);
        let like: Vec<MemoryRow> = self.like(near).cloned().collect();
        let is_settled = is_brought_back(row);
        for kept in like.iter().filter(|_| !is_settled) {
            let kept_meaning = self.meaning_of(kept);
            if meaning.adds_nothing_to(&kept_meaning, policy) {
                return self.take_up(row, kept);
            }
        }
        let grade = Times::said(&row.body.claim).grade(row.marks.contradictions, &policy.grades);
        if is_settled || !self.is_believed(row, grade) {
            if is_let_go(row, policy, now) {
                self.end(row, Why::Discarded)?;
                let reason = "nobody has said it again";
                self.told(Settled::new(Settling::Discarded, Some(number), reason));
            }
            return Ok(());
        }
        let own = self.believed(number).cloned();
        let rival = match own {
            Some(own) => Some(own),
            None => {
                let rival = like.into_iter().find(|kept| {
                    let kept = Rc::clone(&self.meaning_of(kept));
                    meaning.contradicts(&kept, policy)
                });
                rival.filter(|rival| rival.body.number != number)
            }
        };
        match &rival {
            None => self.promote(row, grade)?,
            Some(rival) => self.weigh(row, rival, grade)?,
        }
        // What it says may be more than another says, or stand against more than one; where it took the place
        // of another fact, it has that one's number.
        let stands_as = rival.as_ref().map_or(number, |rival| rival.body.number);
        let is_new = |believed: &&MemoryRow| {
            let before = rival.as_ref().map(|rival| rival.origin);
            before != Some(believed.origin) && self.gone.contains(&row.origin)
        };
        match self.believed.get(&stands_as).filter(is_new).cloned() {
            Some(believed) => self.fact(&believed, near),
            None => Ok(()),
        }
    }

    /// Whether all that it rests on was forgotten, or is in the trash.
    fn is_forgotten(&self, row: &MemoryRow) -> bool {
        let mut quoted = stretches(&row.body.claim.evidence).peekable();
        quoted.peek().is_some() && quoted.all(|range| self.planner.is_entombed(range))
    }

    /// Whether it is said outright or often enough, and of nothing that needs the user's word first.
    fn is_believed(&self, row: &MemoryRow, grade: Grade) -> bool {
        let policy = self.planner.policy;
        let claim = &row.body.claim;
        let sure = row.marks.confidence.unwrap_or(1.0);
        let is_stated =
            policy.consolidation.promotes == Promotion::Stated && sure >= policy.floors.inject;
        let is_consented = claim
            .domain
            .as_deref()
            .is_none_or(|domain| self.planner.has_consent(domain));
        (grade > Grade::Candidate || is_stated) && is_consented
    }

    fn promote(&mut self, row: &MemoryRow, grade: Grade) -> Planning<()> {
        let (claim, marks) = self.as_believed(row, grade);
        let id = self.planner.succeed(row, claim, marks, false)?;
        self.gone.insert(row.origin);
        self.stands(id);
        self.cite_episodes(id, row);
        let settled = Settled::new(Settling::Promoted, Some(row.body.number), reason(grade));
        self.told(settled.graded(grade));
        Ok(())
    }

    /// A candidate takes the place of what is believed.
    pub(super) fn overtake(
        &mut self,
        row: &MemoryRow,
        old: &MemoryRow,
        grade: Grade,
    ) -> Planning<()> {
        let (mut claim, marks) = self.as_believed(row, grade);
        claim.valid_from = claim.valid_from.max(old.body.claim.valid_from);
        let until = claim.valid_from;
        let id = self.planner.succeed(old, claim, marks, false)?;
        self.gone.insert(old.origin);
        self.end(
            row,
            Why::Absorbed {
                by: Some(id.into()),
                until,
            },
        )?;
        self.stands(id);
        self.cite_episodes(id, row);
        self.cite(id, row.id);
        let reason = "the user has said so since";
        let settled = Settled::new(Settling::Promoted, Some(old.body.number), reason);
        self.told(settled.graded(grade));
        Ok(())
    }

    fn as_believed(
        &self,
        row: &MemoryRow,
        grade: Grade,
    ) -> (crate::memory::Claim, crate::memory::Marks) {
        let mut claim = row.body.claim.clone();
        claim.held = false;
        let marks = graded(row.marks, grade, &self.planner.policy.grades);
        (claim, marks)
    }

    /// A fact takes up what says no more than it does, and is surer for it.
    pub(super) fn take_up(&mut self, row: &MemoryRow, kept: &MemoryRow) -> Planning<()> {
        let until = self.planner.now();
        let by = Some(kept.origin);
        self.end(row, Why::Absorbed { by, until })?;
        // What ends the one that stands must find what it has taken up.
        self.cite(kept.id, row.id);
        if !kept.body.claim.source.is_explicit() {
            let marks = self.planner.affirmed(&kept.marks);
            self.mark(kept, marks)?;
        }
        let settled = Settled::new(Settling::Merged, Some(row.body.number), "it says the same");
        self.told(settled.by(kept.body.number));
        Ok(())
    }

    pub(super) fn mark(&mut self, row: &MemoryRow, marks: crate::memory::Marks) -> Planning<()> {
        let state = crate::row::State::Live { marks };
        self.planner
            .draft
            .set(crate::row::Kind::Memory, row.origin, state)?;
        let number: Number = row.body.number;
        let row = MemoryRow {
            marks,
            ..row.clone()
        };
        self.believed.insert(number, row);
        Ok(())
    }

    /// A fact cites the episodes of the chats that it was said in.
    fn cite_episodes(&mut self, id: RowId, row: &MemoryRow) {
        let quoted = row.body.claim.evidence.iter();
        let chats: Vec<_> = quoted
            .filter_map(|piece| match piece {
                Evidence::Quote { session, .. } => Some(*session),
                Evidence::Observation { .. } => None,
            })
            .collect();
        let episodes = self.gathered.episodes.iter();
        let told: Vec<RowId> = episodes
            .filter(|episode| {
                let chat = episode.body.claim.session;
                chat.is_some_and(|chat| chats.contains(&chat))
            })
            .map(|episode| episode.id)
            .collect();
        for episode in told {
            self.cite(id, episode);
        }
    }

    pub(super) fn cite(&mut self, row: RowId, from: RowId) {
        let step = Lineage { row, from };
        self.planner.draft.others().lineage.insert(step);
    }
}

/// Whether nobody has said a candidate again for as long as one waits.
pub(crate) fn is_let_go(row: &MemoryRow, policy: &Policy, now: Timestamp) -> bool {
    let said = row.marks.last_confirmed_at.unwrap_or(row.recorded_at);
    is_over(said.max(row.recorded_at), policy.grades.candidate_days, now)
}

fn reason(grade: Grade) -> &'static str {
    match grade {
        Grade::Candidate => "the user said so outright",
        Grade::Tentative => "the user said so more than once",
        Grade::Strong => "the user said so often",
    }
}
