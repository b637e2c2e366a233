//! A new version of a fact: the old row is ended, the new one takes its place.

use crate::command::Update;
use crate::event::EventKind;
use crate::memory::{Claim, Marks, Trust};
use crate::plan::expiry::{Life, expires_at};
use crate::plan::faults::Faults;
use crate::plan::grounding::Asked;
use crate::plan::save::Worded;
use crate::plan::trust::{Backing, Given};
use crate::plan::{Entry, Planned, Planner, Planning, Told};
use crate::refusal::Refusal;
use crate::row::{Kind, MemoryRow, Why};
use crate::timestamp::Timestamp;
use crate::visibility::{Visibility, visibility};

impl Planner<'_> {
    pub(super) fn update(self, update: &Update) -> Planning<Planned> {
        let old = match self.entry {
            // The user may put right what is not believed yet; what they say is believed.
            Entry::Host => self.target_or_candidate(Asked::Anything)?.clone(),
            _ => self.target()?.clone(),
        };
        let Worded {
            claim,
            marks,
            doubts,
        } = self.successor(&old, update)?;
        if is_same(&claim, &old.body.claim) {
            let number = old.body.number;
            return self.unchanged(Some(number), format!("{number} says so already"));
        }
        let backing = self.backing(&claim, Some(&old), doubts)?;
        self.supersede(&old, claim, marks, backing, update.correction)
    }

    /// What the next version of a fact would say.
    pub(super) fn successor(&self, old: &MemoryRow, update: &Update) -> Result<Worded, Refusal> {
        let before = &old.body.claim;
        let mut faults = Faults::default();
        let content = faults.take(self.content(&update.content));
        let category = match &update.category {
            Some(name) => faults.take(self.category(Some(name))),
            None => before.category.clone(),
        };
        let given = [
            Some(update.content.as_str()),
            update.summary.as_deref(),
            update.detail.as_deref(),
        ];
        faults.check(self.keyed(before.key.as_deref(), given));
        let given = Given::new(given.into_iter().flatten(), update.value.as_ref());
        let domain = before.domain.clone().or_else(|| self.found_domain(&given));
        let life = Life {
            content: &content,
            category: &category,
            domain: domain.as_deref(),
            authority: before.authority,
            class: None,
        };
        let now = self.now();
        // A passing memory does not become a lasting one by being reworded.
        let expires_at = expires_at(&life, self.policy, now, self.offset)
            .or(before.expires_at.filter(|expires| *expires > now));
        let claim = Claim {
            layer: before.layer,
            authority: before.authority,
            key: before.key.clone(),
            value: faults.take(self.value(update.value.as_ref(), before.key.as_deref())),
            summary: faults.take(self.summary(update.summary.as_deref())),
            body: faults.take(self.detail(update.detail.as_deref())),
            tags: before.tags.clone(),
            source: self.entry.source(),
            trust: before.trust,
            held: false,
            session: self.entry.session(),
            messages: Vec::new(),
            evidence: Vec::new(),
            valid_from: if update.correction {
                before.valid_from
            } else {
                faults
                    .take(self.since(update.since).map(Some))
                    .unwrap_or(now)
            },
            expires_at,
            authorises_action: before.authorises_action,
            content,
            category,
            domain,
        };
        let marks = Marks {
            importance: old.marks.importance,
            ..Marks::default()
        };
        let doubts = self.objections(&claim, &given, Some(old), &mut faults);
        faults.finish(Worded {
            claim,
            marks,
            doubts,
        })
    }

    /// Ends a live row and inserts the next version, or proposes it where that must be asked.
    pub(super) fn supersede(
        mut self,
        old: &MemoryRow,
        mut claim: Claim,
        marks: Marks,
        backing: Backing,
        correction: bool,
    ) -> Planning<Planned> {
        let number = old.body.number;
        // A rule keeps its key until a sweep ends it, also once its time is over.
        let is_live = visibility(old, self.now()) == Visibility::Live;
        if is_live && is_same(&claim, &old.body.claim) && old.marks.confidence.is_none() {
            return self.unchanged(Some(number), format!("{number} says so already"));
        }
        let doubts = claim.settle(backing);
        if claim.trust < Trust::User {
            // Rewording never raises trust: only the user's own words do.
            claim.trust = claim.trust.min(old.body.claim.trust);
        }
        if !doubts.is_empty() {
            return self.propose_update(old, claim, marks, correction, doubts);
        }
        let id = self.succeed(old, claim, marks, correction)?;
        let told = Told {
            number: Some(number),
            before: Some(old.clone()),
            after: Some(id.into()),
            ..Told::default()
        };
        self.done(EventKind::Updated, number.to_string(), told)
    }

    /// Ends a live row and inserts the next version.
    pub(super) fn succeed(
        &mut self,
        old: &MemoryRow,
        claim: Claim,
        marks: Marks,
        correction: bool,
    ) -> Planning<crate::ids::RowId> {
        let until: Timestamp = claim.valid_from;
        let id = self.draft.insert_version(old.body.number, claim, marks)?;
        let by = id.into();
        let why = if correction {
            Why::Corrected { by }
        } else {
            Why::Superseded { by, until }
        };
        self.draft.end(Kind::Memory, old.origin, why)?;
        Ok(id)
    }
}

/// Whether nothing a reader could see would change.
fn is_same(claim: &Claim, old: &Claim) -> bool {
    claim.content == old.content
        && claim.held == old.held
        && claim.category == old.category
        && claim.authority == old.authority
        && (claim.body.is_none() || claim.body == old.body)
        && (claim.summary.is_none() || claim.summary == old.summary)
        && (claim.value.is_none() || claim.value == old.value)
}
