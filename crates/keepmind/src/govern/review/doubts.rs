//! What is doubtful, why, and what can be done about it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::command::{Accept, Command, ConsentTo, Reject, Update};
use crate::confidence;
use crate::govern::health::Concern;
use crate::govern::review::{Doubt, DoubtKind, ReviewAction, SURE, span};
use crate::govern::words::{day, source, times};
use crate::ids::Number;
use crate::policy::Policy;
use crate::proposal::{Proposal, ProposedOperation};
use crate::row::{MemoryRow, Row};
use crate::timestamp::Timestamp;

/// How many days before its end a memory is called expiring.
const EXPIRING_DAYS: u32 = 7;

impl Doubt {
    pub(super) fn of_proposal(row: &Row<Proposal>) -> Self {
        let proposal = &row.body;
        let facts: Vec<Number> = proposal.targets().map(|target| target.number).collect();
        let words = proposal
            .claim()
            .map_or("", |(claim, _)| claim.content.as_str());
        let content = match (&proposal.operation, facts.first()) {
            (ProposedOperation::Forget { .. }, Some(number)) => format!("forget {number}"),
            (ProposedOperation::Update { .. }, Some(number)) => {
                format!("change {number} to: {words}")
            }
            (ProposedOperation::Choose { .. }, Some(number)) => {
                format!("which is true, {number} as it stands or: {words}")
            }
            _ => words.to_owned(),
        };
        let mut actions = vec![ReviewAction::new(
            "accept",
            Command::Accept(Accept::new(row.id)),
        )];
        if proposal.claim().is_some() {
            let edited = Command::Accept(Accept::new(row.id).content(""));
            actions.push(ReviewAction {
                fill_in: Some("content"),
                ..ReviewAction::new("correct", edited)
            });
        }
        actions.push(ReviewAction::new(
            "reject",
            Command::Reject(Reject::new(row.id)),
        ));
        Doubt {
            kind: DoubtKind::Proposal,
            facts,
            proposal: Some(row.id),
            content,
            reason: proposal.reasoning.clone(),
            actions,
        }
    }

    /// `changes`: its fact is believed as something else, which confirming the fact would confirm.
    pub(super) fn of_candidate(
        row: &MemoryRow,
        changes: bool,
        without_consent: &BTreeSet<String>,
    ) -> Self {
        let (number, claim) = (row.body.number, &row.body.claim);
        let said = row.marks.confirmations.saturating_add(1);
        let mut reason = format!("found {}, {}", times(said), source(claim.source));
        let mut actions = match changes {
            true => {
                let update = Update::new(number, claim.content.as_str());
                vec![ReviewAction::new("confirm", Command::Update(update))]
            }
            false => ReviewAction::on_fact(number),
        };
        let domain = claim.domain.as_ref();
        if let Some(domain) = domain.filter(|domain| without_consent.contains(*domain)) {
            let _ = write!(reason, "; {domain} needs your consent first");
            let consent = Command::Consent(ConsentTo::new(domain, true));
            actions.insert(0, ReviewAction::new("consent", consent));
        }
        Doubt::about(DoubtKind::Candidate, row, reason, actions)
    }

    pub(super) fn of_concern(concern: &Concern, contents: &BTreeMap<Number, &str>) -> Option<Self> {
        let told: Option<Vec<&str>> = concern
            .facts
            .iter()
            .map(|number| contents.get(number).copied())
            .collect();
        Some(Doubt {
            kind: DoubtKind::Contradiction,
            facts: concern.facts.clone(),
            proposal: None,
            content: told?.join(" / "),
            reason: concern.reason.clone(),
            actions: concern
                .facts
                .iter()
                .flat_map(|number| {
                    [
                        ReviewAction::correct(*number),
                        ReviewAction::forget(*number),
                    ]
                })
                .collect(),
        })
    }

    /// Everything that speaks against one fact by itself.
    pub(super) fn of_fact(row: &MemoryRow, policy: &Policy, now: Timestamp) -> Vec<Self> {
        let mut found: Vec<(DoubtKind, String)> = Vec::new();
        let marks = &row.marks;
        if marks.contradictions > 0 {
            let reason = format!("behaviour spoke against it {}", times(marks.contradictions));
            found.push((DoubtKind::Contradicted, reason));
        }
        let sure = confidence::effective(row, policy, now);
        if marks.confidence.is_some() && sure < policy.floors.inject {
            let reason = format!(
                "{}, and only {} by now",
                source(row.body.claim.source),
                percent(sure)
            );
            found.push((DoubtKind::Unsure, reason));
        } else if marks.confidence.is_some() && sure < SURE && marks.confirmations == 0 {
            let reason = format!("{}, {}", source(row.body.claim.source), percent(sure));
            found.push((DoubtKind::Tentative, reason));
        }
        let soon = now.saturating_add(span(EXPIRING_DAYS));
        if let Some(at) = row.body.claim.expires_at.filter(|at| *at <= soon) {
            found.push((DoubtKind::Expiring, format!("until {}", day(at))));
        }
        let number = row.body.number;
        let doubts = found.into_iter();
        doubts
            .map(|(kind, reason)| Doubt::about(kind, row, reason, ReviewAction::on_fact(number)))
            .collect()
    }

    fn about(kind: DoubtKind, row: &MemoryRow, reason: String, actions: Vec<ReviewAction>) -> Self {
        Doubt {
            kind,
            facts: vec![row.body.number],
            proposal: None,
            content: row.body.claim.content.clone(),
            reason,
            actions,
        }
    }
}

fn percent(share: f64) -> String {
    format!("{:.0} % sure", share * 100.0)
}
