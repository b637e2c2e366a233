//! A fact gone for good: every version, and everything that quotes it but the user's own messages.

use std::collections::BTreeSet;

use crate::change::TraceChange;
use crate::event::EventKind;
use crate::ids::{Number, RowId};
use crate::plan::{Planned, Planner, Planning, Told};
use crate::refusal::{Code, Refusal};
use crate::row::Kind;
use crate::text;

impl Planner<'_> {
    pub(super) fn purge(mut self) -> Planning<Planned> {
        let number = self
            .findings
            .target
            .filter(|number| self.base().versions(*number).next().is_some())
            .ok_or_else(|| Refusal::new(Code::NotFound, "there is no such fact"))?;
        self.entomb_fact(number)?;
        let base = self.base();
        for row in base.versions(number) {
            self.draft.purge(Kind::Memory, row.id)?;
        }
        for link in base.links_of(number) {
            self.draft.purge(Kind::Link, link.id)?;
        }
        for id in self.proposals_about(number) {
            self.draft.purge(Kind::Proposal, id)?;
        }
        for key in &self.findings.traces {
            self.draft
                .others()
                .traces
                .insert(key.clone(), TraceChange::Purge);
        }
        self.edit_sessions();
        let told = Told {
            number: Some(number),
            ..Told::default()
        };
        self.done(EventKind::Purged, number.to_string(), told)
    }

    /// Proposals that name the fact, and settled ones whose words became it.
    fn proposals_about(&self, number: Number) -> Vec<RowId> {
        let said: BTreeSet<String> = self
            .base()
            .versions(number)
            .map(|row| text::fold(&row.body.claim.content))
            .collect();
        let proposals = self.base().proposals().filter(|row| {
            let names_it = row.body.targets().any(|target| target.number == number);
            let says_it = row
                .body
                .claim()
                .is_some_and(|(claim, _)| said.contains(&text::fold(&claim.content)));
            names_it || says_it
        });
        proposals.map(|row| row.id).collect()
    }
}
