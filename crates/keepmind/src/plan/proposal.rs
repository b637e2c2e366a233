//! What waits for the user's word: proposing, accepting, rejecting.

use std::time::Duration;

use crate::change::{Slice, Snapshot};
use crate::command::{Accept, Propose, ProposedChange, Reject};
use crate::event::EventKind;
use crate::ids::{Number, RowId};
use crate::memory::{Claim, Evidence, Marks, Source, Trust};
use crate::plan::expiry::after;
use crate::plan::faults::Faults;
use crate::plan::grounding::quote;
use crate::plan::save::Worded;
use crate::plan::spans::{Stretch, stretches};
use crate::plan::{Entry, Planned, Planner, Planning, Told, save};
use crate::policy::Policy;
use crate::proposal::{Proposal, ProposedOperation, Rival, Target};
use crate::refusal::{Code, Refusal};
use crate::row::{Body, Kind, MemoryRow, Row, Why};
use crate::text;
use crate::timestamp::Timestamp;

/// What proposing must read: what the change itself would, and what waits already.
pub(super) fn reads(propose: &Propose, policy: &Policy, slice: &mut Slice) {
    slice.all_proposals = true;
    if let ProposedChange::Save(saved) = &propose.change {
        save::reads(saved, policy, slice);
    }
}

/// What settling a proposal must read: it, what it is about, and what accepting would run into.
pub(super) fn reads_settling(id: RowId, seen: Option<&Snapshot>, slice: &mut Slice) {
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

/// What became of something that should wait for the user's word.
pub(super) enum PutUp {
    /// The same waits already.
    Waits,
    /// The user said no to the same before, and nothing newer speaks for it.
    TurnedDown,
    /// It waits from now on.
    Made(RowId),
}

impl Planner<'_> {
    pub(super) fn propose(self, propose: &Propose) -> Planning<Planned> {
        let mut faults = Faults::default();
        let reasoning = faults.take(self.content(&propose.reasoning));
        faults.check(self.own_links(&propose.reasoning));
        let doubt = faults.take(self.own_domains(&propose.reasoning));
        let evidence = faults.take(self.quoted(propose.evidence.as_deref()));
        match &propose.change {
            ProposedChange::Save(saved) => {
                let Worded {
                    mut claim,
                    marks,
                    doubts,
                } = faults.finish_with(self.claim(saved))?;
                let mut backing = self.backing(&claim, None, doubts)?;
                backing.add(evidence);
                backing.doubt(doubt);
                claim.settle(&backing);
                if let Some(rule) = self.opposed_rule(&claim) {
                    let doubts = backing.doubts;
                    return self.propose_choice(&rule, claim, marks, doubts, Some(reasoning));
                }
                let operation = ProposedOperation::Save {
                    claim: Box::new(claim),
                    marks,
                };
                self.hold(operation, reasoning, "a new fact", None, backing.doubts)
            }
            ProposedChange::Update(update) => {
                let old = self.target()?.clone();
                let Worded {
                    mut claim,
                    marks,
                    doubts,
                } = faults.finish_with(self.successor(&old, update))?;
                let mut backing = self.backing(&claim, Some(&old), doubts)?;
                backing.add(evidence);
                backing.doubt(doubt);
                claim.settle(&backing);
                let operation = ProposedOperation::Update {
                    target: Target::of(&old),
                    claim: Box::new(claim),
                    marks,
                    correction: update.correction,
                };
                let subject = format!("a change of {}", old.body.number);
                self.hold(operation, reasoning, &subject, Some(old), backing.doubts)
            }
            ProposedChange::Forget(_) => {
                faults.finish(())?;
                let old = self.target()?.clone();
                let operation = ProposedOperation::Forget {
                    target: Target::of(&old),
                };
                let subject = format!("to forget {}", old.body.number);
                let doubts = doubt.into_iter().collect();
                self.hold(operation, reasoning, &subject, Some(old), doubts)
            }
        }
    }

    pub(super) fn propose_save(
        self,
        claim: Claim,
        marks: Marks,
        doubts: Vec<Code>,
    ) -> Planning<Planned> {
        let operation = ProposedOperation::Save {
            claim: Box::new(claim),
            marks,
        };
        self.hold(operation, doubt_words(&doubts), "a new fact", None, doubts)
    }

    pub(super) fn propose_update(
        self,
        old: &MemoryRow,
        claim: Claim,
        marks: Marks,
        correction: bool,
        doubts: Vec<Code>,
    ) -> Planning<Planned> {
        let operation = ProposedOperation::Update {
            target: Target::of(old),
            claim: Box::new(claim),
            marks,
            correction,
        };
        let subject = format!("a change of {}", old.body.number);
        self.hold(
            operation,
            doubt_words(&doubts),
            &subject,
            Some(old.clone()),
            doubts,
        )
    }

    /// Asks whether a rule or what speaks against it is true. Accepted, the other side is the rule.
    pub(super) fn propose_choice(
        self,
        rule: &MemoryRow,
        mut claim: Claim,
        marks: Marks,
        mut doubts: Vec<Code>,
        reasoning: Option<String>,
    ) -> Planning<Planned> {
        let standing = &rule.body.claim;
        claim.authority = standing.authority;
        claim.domain.clone_from(&standing.domain);
        claim.category.clone_from(&standing.category);
        // A value that is no longer so leaves its key without one.
        claim.key = standing.key.clone().filter(|_| standing.value.is_none());
        // A rule does not pass as the note would have.
        claim.expires_at = standing.expires_at;
        let operation = ProposedOperation::Choose {
            target: Target::of(rule),
            rival: Rival::Claim {
                claim: Box::new(claim),
                marks,
            },
        };
        doubts.push(Code::Tier);
        let subject = format!("which is true, {} or the new words", rule.body.number);
        let reasoning =
            reasoning.unwrap_or_else(|| format!("it speaks against the rule {}", rule.body.number));
        self.hold(operation, reasoning, &subject, Some(rule.clone()), doubts)
    }

    pub(super) fn propose_forget(self, row: &MemoryRow, doubts: Vec<Code>) -> Planning<Planned> {
        let operation = ProposedOperation::Forget {
            target: Target::of(row),
        };
        let subject = format!("to forget {}", row.body.number);
        self.hold(
            operation,
            doubt_words(&doubts),
            &subject,
            Some(row.clone()),
            doubts,
        )
    }

    /// Makes a proposal, unless the same waits already, and says what was done.
    fn hold(
        mut self,
        operation: ProposedOperation,
        reasoning: String,
        subject: &str,
        about: Option<MemoryRow>,
        codes: Vec<Code>,
    ) -> Planning<Planned> {
        let number = about.as_ref().map(|row| row.body.number);
        match self.put_up(operation, reasoning, Vec::new())? {
            PutUp::Waits => {
                let line = format!("{subject} is proposed already");
                let mut planned = self.unchanged(number, line)?;
                planned.outcome.codes = codes;
                Ok(planned)
            }
            PutUp::TurnedDown => {
                let message =
                    "the user turned this down: propose it only when they say something new";
                Err(Refusal::new(Code::Forgotten, message).into())
            }
            PutUp::Made(id) => {
                let told = Told {
                    number,
                    before: about,
                    proposal: Some(id.into()),
                    codes,
                    ..Told::default()
                };
                self.done(EventKind::Proposed, subject, told)
            }
        }
    }

    /// Makes a proposal on the draft, unless the same waits already or was turned down. What it would keep
    /// brings its own evidence.
    pub(super) fn put_up(
        &mut self,
        operation: ProposedOperation,
        reasoning: String,
        evidence: Vec<Evidence>,
    ) -> Planning<PutUp> {
        let mut proposal = Proposal {
            operation,
            reasoning,
            evidence,
            session: self.entry.session(),
            expires_at: self
                .policy
                .governance
                .proposal_days
                .map(|days| after(self.now(), days)),
        };
        let brought = proposal.claim().map(|(claim, _)| claim.evidence.clone());
        proposal.evidence.extend(brought.unwrap_or_default());
        let now = self.now();
        let waits = self
            .base()
            .proposals()
            .any(|row| row.is_pending(now) && asks_the_same(&row.body, &proposal));
        if waits {
            return Ok(PutUp::Waits);
        }
        if self.entry.is_screened() && self.was_turned_down(&proposal) {
            return Ok(PutUp::TurnedDown);
        }
        let id = self.draft.insert(Body::Proposal(proposal))?;
        Ok(PutUp::Made(id))
    }

    /// Whether the same was proposed before, and rejected or taken back, and rests on nothing else now.
    fn was_turned_down(&self, proposal: &Proposal) -> bool {
        // An import that was taken back may be made again.
        let counts_undone = !matches!(self.entry, Entry::Import);
        let is_no = |why: Why| why == Why::Rejected || (why == Why::Undone && counts_undone);
        let has_newer = |old: &Proposal| {
            let before: Vec<Stretch> = stretches(&old.evidence).collect();
            stretches(&proposal.evidence)
                .any(|range| !before.contains(&range) && !self.is_entombed(range))
        };
        self.base().proposals().any(|row| {
            let last = self.base().last_copy(Kind::Proposal, row.origin);
            let end = last
                .filter(|last| last.id == row.id)
                .and_then(|last| last.end);
            end.is_some_and(|end| is_no(end.why))
                && asks_the_same(&row.body, proposal)
                && !has_newer(&row.body)
        })
    }

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
        let open = self.base().open_version(target.number);
        match open.filter(|row| row.origin == target.origin) {
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

    /// The user's words that a model says speak for a proposal, where the user wrote them.
    fn quoted(&self, given: Option<&str>) -> Result<Vec<Evidence>, Refusal> {
        let (Some(given), Entry::Tool(turn)) = (given, self.entry) else {
            return Ok(Vec::new());
        };
        let cleaned = text::line(given)?;
        if !text::weighs(&cleaned) {
            let message = "`evidence` says too little by itself: quote more of what the user wrote, or leave it out";
            return Err(Refusal::new(Code::QuoteTooShort, message));
        }
        if let Some(evidence) = quote(&cleaned, turn, |range| self.is_entombed(range)) {
            return Ok(vec![evidence]);
        }
        if quote(&cleaned, turn, |_| false).is_some() {
            let message = "the user had what `evidence` says forgotten, or turned it down: wait until they say something new";
            return Err(Refusal::new(Code::Forgotten, message));
        }
        let message =
            "`evidence` must be words that the user wrote in this chat: quote them or leave it out";
        Err(Refusal::new(Code::QuoteNotFound, message))
    }
}

impl Target {
    pub(super) fn of(row: &MemoryRow) -> Self {
        Target {
            number: row.body.number,
            origin: row.origin,
        }
    }
}

impl Row<Proposal> {
    /// Whether it still waits.
    pub(crate) fn is_pending(&self, now: Timestamp) -> bool {
        self.is_open() && self.body.expires_at.is_none_or(|expires| expires > now)
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

/// Whether two proposals would do the same.
fn asks_the_same(one: &Proposal, other: &Proposal) -> bool {
    let words = |proposal: &Proposal| {
        proposal
            .claim()
            .map(|(claim, _)| (claim.category.clone(), text::fold(&claim.content)))
    };
    std::mem::discriminant(&one.operation) == std::mem::discriminant(&other.operation)
        && one.targets().eq(other.targets())
        && words(one) == words(other)
}

pub(super) fn doubt_words(doubts: &[Code]) -> String {
    let mut words: Vec<&str> = doubts
        .iter()
        .map(|code| match code {
            Code::Sensitive => "the domain needs consent",
            Code::QuoteWrongRole => "not in the user's own words, and other text is in the chat",
            Code::Tier => "it contradicts something that matters",
            Code::Taken => "another rule holds the same domain and key",
            Code::UnsupportedDetail => "it holds a link that the user may not have written",
            _ => "a rule that is not in the user's own words",
        })
        .collect();
    words.dedup();
    words.join("; ")
}
