//! The steps of a plan at random, each as the library's own planner would take it.

use keepmind::{
    Body, Claim, Draft, Evidence, Kind, Layer, Lineage, Link, Marks, MemoryRow, Number, Proposal,
    ProposedOperation, Result, Rival, Row, SessionId, Snapshot, State, Target, Timestamp,
    Tombstone, Why,
};

use crate::claims::{self, any_moment, claim, marks, words};
use crate::drafts::Step;
use crate::random::Random;

/// A draft in the making.
pub(crate) struct Planner<'a> {
    pub(crate) random: &'a mut Random,
    pub(crate) base: &'a Snapshot,
    pub(crate) draft: Draft<'a>,
    pub(crate) sessions: Vec<SessionId>,
}

impl Planner<'_> {
    /// Takes one step, where there is something to take it with.
    pub(crate) fn take(&mut self, step: Step) -> Result<()> {
        match step {
            Step::Save => self.save(false).map(|_| ()),
            Step::Hold => self.save(true).map(|_| ()),
            Step::Update => self.update(false),
            Step::Correct => self.update(true),
            Step::Forget => self.forget(),
            Step::Trash => self.end(Why::Trashed),
            Step::Restore => self.restore(),
            Step::Mark => self.mark(),
            Step::End => {
                // Nothing ends as having been true until later than now.
                let until = any_moment(self.random).min(self.draft.stamp());
                let why = self.random.one_of(&[
                    Why::Expired { until },
                    Why::Faded { until },
                    Why::Absorbed { by: None, until },
                    Why::Done { until },
                ]);
                self.end(why)
            }
            Step::Promote => self.settle_candidate(true),
            Step::Discard => self.settle_candidate(false),
            Step::Link => self.link(),
            Step::Unlink => self.lift(Kind::Link, Why::Discarded),
            Step::Propose => self.propose(),
            Step::Settle => {
                let until = self.draft.stamp();
                let why = self.random.one_of(&[Why::Rejected, Why::Done { until }]);
                self.lift(Kind::Proposal, why)
            }
            Step::Consent => {
                let key = (claims::domain(self.random), self.draft.stamp());
                let granted = self.random.chance(60);
                self.draft.others().consents.insert(key, granted);
                Ok(())
            }
            Step::Digest => self.digest(),
            Step::Purge => self.purge(),
            Step::Undo(_) | Step::Redo(_) | Step::Several => Ok(()),
        }
    }

    fn claim(&mut self, valid_from: Timestamp) -> Claim {
        claim(self.random, valid_from, &self.sessions)
    }

    /// Rows of the base that the draft has not touched.
    fn open(&self, is_held: bool) -> Vec<MemoryRow> {
        let is_open = |row: &&MemoryRow| {
            let state = self.draft.state(Kind::Memory, row.origin);
            row.is_open() && row.body.claim.held == is_held && matches!(state, State::Live { .. })
        };
        self.base.memories().filter(is_open).cloned().collect()
    }

    fn save(&mut self, held: bool) -> Result<keepmind::RowId> {
        let number = self.draft.new_number()?;
        let back = self.random.sometimes(20, any_moment);
        let valid_from = back.unwrap_or(Timestamp::MAX).min(self.draft.stamp());
        let claim = Claim {
            held,
            ..self.claim(valid_from)
        };
        let marks = marks(self.random);
        self.draft.insert_version(number, claim, marks)
    }

    fn update(&mut self, is_correction: bool) -> Result<()> {
        let Some(old) = self.random.pick(&self.open(false)) else {
            return Ok(());
        };
        let since = self
            .random
            .sometimes(30, any_moment)
            .unwrap_or(Timestamp::MAX);
        let since = since.min(self.draft.stamp());
        let valid_from = if is_correction {
            old.body.claim.valid_from
        } else {
            since
        };
        let mut claim = self.claim(valid_from);
        if self.random.chance(50) {
            claim.authority = old.body.claim.authority;
            claim.domain = old.body.claim.domain.clone();
            claim.key = old.body.claim.key.clone();
        }
        let id = self
            .draft
            .insert_version(old.body.number, claim, Marks::default())?;
        let by = id.into();
        let why = if is_correction {
            Why::Corrected { by }
        } else {
            Why::Superseded { by, until: since }
        };
        self.draft.end(Kind::Memory, old.origin, why)
    }

    fn forget(&mut self) -> Result<()> {
        let Some(row) = self.random.pick(&self.open(false)) else {
            return Ok(());
        };
        self.draft.end(Kind::Memory, row.origin, Why::Forgotten)?;
        self.bury(row.body.number)
    }

    fn bury(&mut self, number: Number) -> Result<()> {
        for version in self.base.versions(number) {
            for evidence in &version.body.claim.evidence {
                if let Evidence::Quote {
                    session,
                    message,
                    span,
                    ..
                } = *evidence
                {
                    let tombstone = Tombstone {
                        number,
                        session,
                        message,
                        span,
                    };
                    self.draft.insert(Body::Tombstone(tombstone))?;
                }
            }
        }
        Ok(())
    }

    fn end(&mut self, why: Why) -> Result<()> {
        match self.random.pick(&self.open(false)) {
            Some(row) => self.draft.end(Kind::Memory, row.origin, why),
            None => Ok(()),
        }
    }

    fn restore(&mut self) -> Result<()> {
        let is_trashed = |row: &&MemoryRow| {
            let state = self.draft.state(Kind::Memory, row.origin);
            matches!(
                state,
                State::Ended {
                    why: Why::Trashed,
                    ..
                }
            )
        };
        let trashed: Vec<MemoryRow> = self.base.memories().filter(is_trashed).cloned().collect();
        match self.random.pick(&trashed) {
            Some(row) => self
                .draft
                .set(Kind::Memory, row.origin, State::Live { marks: row.marks }),
            None => Ok(()),
        }
    }

    fn mark(&mut self) -> Result<()> {
        let is_held = self.random.chance(20);
        let marks = marks(self.random);
        match self.random.pick(&self.open(is_held)) {
            Some(row) => self
                .draft
                .set(Kind::Memory, row.origin, State::Live { marks }),
            None => Ok(()),
        }
    }

    fn settle_candidate(&mut self, is_believed: bool) -> Result<()> {
        let Some(row) = self.random.pick(&self.open(true)) else {
            return Ok(());
        };
        if !is_believed {
            return self.draft.end(Kind::Memory, row.origin, Why::Discarded);
        }
        let claim = Claim {
            held: false,
            ..row.body.claim
        };
        let id = self
            .draft
            .insert_version(row.body.number, claim, row.marks)?;
        let until = self.draft.stamp();
        self.draft.end(
            Kind::Memory,
            row.origin,
            Why::Superseded {
                by: id.into(),
                until,
            },
        )
    }

    fn link(&mut self) -> Result<()> {
        let rows = self.open(false);
        let (Some(one), Some(other)) = (self.random.pick(&rows), self.random.pick(&rows)) else {
            return Ok(());
        };
        if one.body.number == other.body.number {
            return Ok(());
        }
        let relation = self.random.one_of(&["supports", "relates_to"]).to_owned();
        let link = Link {
            from: one.body.number,
            to: other.body.number,
            relation,
        };
        self.draft.insert(Body::Link(link)).map(|_| ())
    }

    fn lift(&mut self, kind: Kind, why: Why) -> Result<()> {
        fn open<'a, B: 'a>(rows: impl Iterator<Item = &'a Row<B>>) -> Vec<keepmind::Origin> {
            rows.filter(|row| row.is_open())
                .map(|row| row.origin)
                .collect()
        }
        let origins = match kind {
            Kind::Link => open(self.base.links()),
            _ => open(self.base.proposals()),
        };
        match self.random.pick(&origins) {
            Some(origin)
                if self
                    .draft
                    .last_copy(kind, origin)
                    .is_some_and(|row| row.is_open()) =>
            {
                self.draft.end(kind, origin, why)
            }
            _ => Ok(()),
        }
    }

    fn propose(&mut self) -> Result<()> {
        let rows = self.open(false);
        let target = |row: MemoryRow| Target {
            number: row.body.number,
            origin: row.origin,
        };
        let valid_from = self.draft.stamp();
        let claim = Box::new(self.claim(valid_from));
        let marks = marks(self.random);
        let operation = match (self.random.below(4), self.random.pick(&rows).map(target)) {
            (1, Some(target)) => ProposedOperation::Update {
                target,
                claim,
                marks,
                correction: self.random.chance(50),
            },
            (2, Some(target)) => ProposedOperation::Forget { target },
            (3, Some(of)) => {
                let rival = match self.random.pick(&rows).filter(|_| self.random.chance(50)) {
                    Some(row) => Rival::Fact {
                        target: target(row),
                    },
                    None => Rival::Claim { claim, marks },
                };
                ProposedOperation::Choose { target: of, rival }
            }
            _ => ProposedOperation::Save { claim, marks },
        };
        let proposal = Proposal {
            operation,
            reasoning: words(self.random),
            evidence: Vec::new(),
            session: self.random.pick(&self.sessions),
            expires_at: self.random.sometimes(30, any_moment),
        };
        self.draft.insert(Body::Proposal(proposal)).map(|_| ())
    }

    fn digest(&mut self) -> Result<()> {
        let made = self.save(false)?;
        let rows: Vec<MemoryRow> = self.base.memories().cloned().collect();
        for _ in 0..3 {
            let from = self
                .random
                .pick(&rows)
                .filter(|row| row.body.claim.layer != Layer::Digest);
            let purged = from
                .as_ref()
                .is_some_and(|row| self.draft.last_copy(Kind::Memory, row.origin).is_none());
            if let Some(row) = from.filter(|_| !purged) {
                self.draft.others().lineage.insert(Lineage {
                    row: made,
                    from: row.id,
                });
            }
        }
        Ok(())
    }

    fn purge(&mut self) -> Result<()> {
        let numbers: Vec<Number> = self.base.memories().map(|row| row.body.number).collect();
        let Some(number) = self.random.pick(&numbers) else {
            return Ok(());
        };
        self.bury(number)?;
        for row in self.base.versions(number) {
            self.draft.purge(Kind::Memory, row.id)?;
        }
        for link in self.base.links_of(number) {
            self.draft.purge(Kind::Link, link.id)?;
        }
        for proposal in self.base.proposals() {
            if proposal
                .body
                .targets()
                .any(|target| target.number == number)
            {
                self.draft.purge(Kind::Proposal, proposal.id)?;
            }
        }
        Ok(())
    }
}
