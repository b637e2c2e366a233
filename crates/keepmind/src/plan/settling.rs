//! The user's word on a proposal: accepting it as it is or in other words, and turning it down.

use std::time::Duration;

use crate::change::{Slice, Snapshot};
use crate::command::{Accept, Reject};
use crate::event::EventKind;
use crate::ids::{Number, RowId};
use crate::memory::{Claim, Marks, Source, Trust};
use crate::order::Gather;
use crate::plan::faults::Faults;
use crate::plan::spans::{Stretch, stretches};
use crate::plan::{Planned, Planner, Planning, Told};
use crate::proposal::{Proposal, ProposedOperation, Rival, Target};
use crate::refusal::{Code, Refusal};
use crate::row::{Kind, MemoryRow, Row, Why};
use crate::timestamp::Timestamp;

/// What settling a proposal must read: it, what it is about, and what accepting would run into.
pub(super) fn reads(id: RowId, seen: Option<&Snapshot>, slice: &mut Slice) {
    slice.rows.insert(id);
    let Some(row) = seen.and_then(|seen| seen.proposals().find(|row| row.id == id)) else {
        return;
    };
    slice.origins.insert((Kind::Proposal, row.origin));
    slice
        .numbers
        .extend(row.body.targets().map(|target| target.number));
    if let Some((claim, _)) = row.body.claim() {
        slice.contents.insert(claim.content.clone());
        if let (Some(domain), Some(key)) = (&claim.domain, &claim.key) {
            slice.rules.insert((domain.clone(), key.clone()));
        }
    }
    slice
        .tombstones
        .extend(stretches(&row.body.evidence).map(|range| range.session));
}

impl Planner<'_> {
    pub(super) fn accept(mut self, accept: &Accept) -> Planning<Planned> {
        let row = self.pending(accept.proposal)?;
        let mut faults = Faults::default();
        let words = accept.content.as_deref().map(|text| self.content(text));
        let words = faults.take(words.transpose());
        let key = row.body.claim().and_then(|(claim, _)| claim.key.as_deref());
        let value = faults.take(self.value(accept.value.as_ref(), key));
        if value.is_some() && words.is_none() {
            let message = "another value needs the words that say it: give `content` too";
            faults.add(Refusal::new(Code::Schema, message));
        }
        if (words.is_some() || value.is_some()) && row.body.claim().is_none() {
            let message =
                "nothing new would be kept by this proposal: accept it without other words";
            faults.add(Refusal::new(Code::Schema, message));
        }
        let (words, value) = faults.finish((words, value))?;
        let mine = |mut claim: Claim| {
            // What was written in other words has neither the summary nor the detail of the old ones.
            if let Some(content) = &words {
                claim.content.clone_from(content);
                (claim.summary, claim.body) = (None, None);
            }
            if words.is_some() || value.is_some() {
                claim.value.clone_from(&value);
            }
            claim.source = Source::User;
            claim.trust = Trust::User;
            claim
        };
        let until = self.now();
        let mine = |claim: Claim| lasting(mine(claim), row.recorded_at, until);
        let ranges: Vec<Stretch> = stretches(&row.body.evidence).collect();
        self.lift_over(&ranges)?;
        self.draft
            .end(Kind::Proposal, row.origin, Why::Done { until })?;

        let mut told = Told {
            proposal: Some(row.origin),
            ..Told::default()
        };
        let number = match row.body.operation.clone() {
            ProposedOperation::Save { claim, marks } => {
                self.accept_save(mine(*claim), marks, &mut told)?
            }
            ProposedOperation::Update {
                target,
                claim,
                marks,
                correction,
            } => {
                let old = self.unmoved(target)?;
                let id = self.succeed(&old, mine(*claim), marks, correction)?;
                told.after = Some(id.into());
                told.before = Some(old);
                target.number
            }
            ProposedOperation::Forget { target } => {
                let old = self.unmoved(target)?;
                self.draft.end(Kind::Memory, old.origin, Why::Forgotten)?;
                self.entomb_fact(target.number)?;
                self.retell(&[target.number].into_iter().gather())?;
                self.purge_digests()?;
                told.before = Some(old);
                target.number
            }
            ProposedOperation::Choose { target, rival } => {
                let old = self.unmoved(target)?;
                match rival {
                    Rival::Claim { claim, marks } => {
                        let id = self.succeed(&old, mine(*claim), marks, false)?;
                        told.after = Some(id.into());
                    }
                    Rival::Fact { target: rival } => {
                        let standing = self.unmoved(rival)?;
                        let by = standing.origin;
                        self.draft
                            .end(Kind::Memory, old.origin, Why::Superseded { by, until })?;
                        told.after = Some(by);
                    }
                }
                told.before = Some(old);
                target.number
            }
        };
        told.number = Some(number);
        self.done(EventKind::Accepted, number.to_string(), told)
    }

    /// Accepting what is there already keeps it as it is; a rule that is held already is updated.
    fn accept_save(&mut self, claim: Claim, marks: Marks, told: &mut Told) -> Planning<Number> {
        if let Some(old) = self.rule_of(&claim).or_else(|| self.same(&claim)) {
            let number = old.body.number;
            let mut claim = claim;
            claim.inherit(&old.body.claim);
            let id = self.succeed(&old, claim, marks, false)?;
            told.before = Some(old);
            told.after = Some(id.into());
            return Ok(number);
        }
        let number = self.draft.new_number()?;
        let id = self.draft.insert_version(number, claim, marks)?;
        told.after = Some(id.into());
        Ok(number)
    }

    pub(super) fn reject(mut self, reject: &Reject) -> Planning<Planned> {
        let row = self.pending(reject.proposal)?;
        self.draft.end(Kind::Proposal, row.origin, Why::Rejected)?;
        let number = row.body.targets().next().map(|target| target.number);
        let ranges: Vec<Stretch> = stretches(&row.body.evidence).collect();
        if !ranges.is_empty() {
            // A tombstone names a fact; what never became one still gets a number of its own.
            let number = match number {
                Some(number) => number,
                None => self.draft.new_number()?,
            };
            self.entomb(number, ranges)?;
        }
        let told = Told {
            number,
            proposal: Some(row.origin),
            ..Told::default()
        };
        let subject = number.map_or("a new fact".to_owned(), |number| {
            format!("a change of {number}")
        });
        self.done(EventKind::Rejected, subject, told)
    }

    /// The proposal as it waits now.
    fn pending(&self, id: RowId) -> Planning<Row<Proposal>> {
        let named = self.base().proposals().find(|row| row.id == id);
        let last = named
            .and_then(|row| self.base().last_copy(Kind::Proposal, row.origin))
            .and_then(Row::into_proposal);
        let now = self.now();
        match last {
            Some(row) if row.is_pending(now) => Ok(row),
            Some(row) if row.is_open() => {
                Err(Refusal::new(Code::NotFound, "this proposal has expired").into())
            }
            Some(_) => {
                Err(Refusal::new(Code::NotFound, "this proposal was settled already").into())
            }
            None => Err(Refusal::new(Code::NotFound, "there is no such proposal").into()),
        }
    }

    /// The live row of a target, unless it changed since.
    fn unmoved(&self, target: Target) -> Planning<MemoryRow> {
        let is_it = |row: &&MemoryRow| row.is_open() && row.origin == target.origin;
        match self.base().versions(target.number).find(is_it) {
            Some(row) => Ok(row.clone()),
            None => {
                let message = format!(
                    "{} has changed since this was proposed: reject it, or propose again",
                    target.number
                );
                Err(Refusal::new(Code::Stale, message).into())
            }
        }
    }
}

/// What passed while it waited lives as long as it would have lived then.
fn lasting(mut claim: Claim, proposed_at: Timestamp, now: Timestamp) -> Claim {
    claim.expires_at = claim.expires_at.map(|expires| {
        let span = Duration::from_micros(
            u64::try_from(expires.as_micros() - proposed_at.as_micros()).unwrap_or(0),
        );
        if expires <= now {
            now.saturating_add(span)
        } else {
            expires
        }
    });
    claim
}
