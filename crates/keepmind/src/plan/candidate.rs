//! The user's word on a candidate: what was found and is not believed yet. Confirmed, it is believed from
//! then on; what gathers evidence for one by itself is learning's.

use crate::event::EventKind;
use crate::ids::Number;
use crate::memory::{Claim, Lineage, Marks};
use crate::plan::grounding::{Asked, asks_about};
use crate::plan::{Entry, Planned, Planner, Planning, Told};
use crate::refusal::{Code, Refusal};
use crate::row::MemoryRow;
use crate::visibility::{Visibility, visibility};

impl<'a> Planner<'a> {
    /// The live row of the fact that the command is about, or the candidate that the user speaks of.
    pub(super) fn target_or_candidate(&self, asked: Asked) -> Planning<&'a MemoryRow> {
        match self
            .findings
            .target
            .and_then(|number| self.candidate(number))
        {
            Some(row) if self.is_spoken_of(asked, row) => Ok(row),
            _ => self.target(),
        }
    }

    /// The row of a fact that is not believed yet, where no other version of it is.
    fn candidate(&self, number: Number) -> Option<&'a MemoryRow> {
        let is_held = |row: &&MemoryRow| visibility(row, self.now()) == Visibility::Held;
        let held = self.base().versions(number).find(is_held);
        held.filter(|_| self.base().open_version(number).is_none())
    }

    /// A model is shown no candidate: it may name one only where the user just did.
    fn is_spoken_of(&self, asked: Asked, row: &MemoryRow) -> bool {
        match self.entry {
            Entry::Host | Entry::Sweep => true,
            Entry::Extractor(_) | Entry::Import | Entry::Consolidator => false,
            Entry::Tool(turn) => {
                let domain = row.body.claim.domain.as_deref();
                !self.is_withdrawn(domain) && asks_about(asked, row, &row.body.claim.evidence, turn)
            }
        }
    }

    /// Believes a candidate: the next version of the fact says the same and is not held. Neither its source
    /// nor its trust is raised; it is at least as sure as what a block tells.
    pub(super) fn promote(mut self, row: MemoryRow) -> Planning<Planned> {
        let number = row.body.number;
        let claim = &row.body.claim;
        let is_over = claim
            .expires_at
            .is_some_and(|expires| expires <= self.now());
        if is_over {
            let message = format!("{number} was a candidate, and its time has run out");
            return Err(Refusal::new(Code::NotFound, message).into());
        }
        if let Some(domain) = &claim.domain
            && !self
                .last_word(domain)
                .unwrap_or(!self.policy.needs_consent(domain))
        {
            let message = format!(
                "{number} was not said to be kept, and {domain} needs the user's consent: give that first"
            );
            return Err(Refusal::new(Code::Sensitive, message).into());
        }
        let claim = Claim {
            held: false,
            ..claim.clone()
        };
        let affirmed = self.affirmed(&row.marks);
        let marks = Marks {
            confidence: affirmed
                .confidence
                .map(|sure| sure.max(self.policy.floors.inject)),
            ..affirmed
        };
        let made_from: Vec<_> = self
            .base()
            .lineage_of(row.id)
            .filter(|step| step.row == row.id)
            .collect();
        let id = self.succeed(&row, claim, marks, false)?;
        let inherited = made_from
            .into_iter()
            .map(|step| Lineage { row: id, ..step });
        self.draft.others().lineage.extend(inherited);
        let told = Told {
            number: Some(number),
            before: Some(row),
            after: Some(id.into()),
            ..Told::default()
        };
        self.done(EventKind::Confirmed, number.to_string(), told)
    }
}
