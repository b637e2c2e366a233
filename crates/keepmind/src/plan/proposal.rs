//! What waits for the user's word, and whether it may. The user's word on it is in `settling`.

use crate::change::Slice;
use crate::command::{Propose, ProposedChange};
use crate::event::EventKind;
use crate::ids::RowId;
use crate::memory::{Claim, Evidence, Marks};
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
    slice.unaccepted_proposals = true;
    if let ProposedChange::Save(saved) = &propose.change {
        save::reads(saved, policy, slice);
    }
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
                let doubts = claim.settle(backing);
                if let Some(rule) = self.opposed_rule(&claim) {
                    return self.propose_choice(&rule, claim, marks, doubts, Some(reasoning));
                }
                let operation = ProposedOperation::Save {
                    claim: Box::new(claim),
                    marks,
                };
                self.hold(operation, reasoning, "a new fact", None, doubts)
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
                let doubts = claim.settle(backing);
                let operation = ProposedOperation::Update {
                    target: Target::of(&old),
                    claim: Box::new(claim),
                    marks,
                    correction: update.correction,
                };
                let subject = format!("a change of {}", old.body.number);
                self.hold(operation, reasoning, &subject, Some(old), doubts)
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
            return Ok(self.keepable(vec![evidence]));
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
