//! What the user looks through now and then: what is known, what is new, what is doubtful, and what can be done
//! about each. Pure; reading the rows, and when it was last done, is the engine's.

mod doubts;
mod page;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::Serialize;

use crate::command::{Command, Confirm, Forget, Update};
use crate::confidence;
use crate::govern::health::{Concern, ConcernKind};
use crate::ids::{Number, RowId, Version};
use crate::memory::{Authority, Layer, Source, Trust};
use crate::order::{self, Gather};
use crate::policy::Policy;
use crate::proposal::Proposal;
use crate::row::{MemoryRow, Row};
use crate::timestamp::Timestamp;

/// From which effective confidence on something inferred is called sure, and from which likely.
const SURE: f64 = 0.8;
const LIKELY: f64 = 0.5;
/// How many days are new where no review was ever made and none is ever due.
const NEW_DAYS: u32 = 30;

/// What is known, what is new and what is doubtful, for the user to look through.
///
/// Only what is live and may be used is known; facts of domains whose consent was withdrawn are only counted.
/// Episodes and digests are not facts: they are made from what is here, or from what was said.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Review {
    /// The moment it speaks of.
    pub at: Timestamp,
    /// When the user last said that they have looked through it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_reviewed_at: Option<Timestamp>,
    /// When the next review is due, where the policy wants any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due_at: Option<Timestamp>,
    /// It is due.
    pub is_due: bool,
    /// What was recorded from this moment on is new: the last review, or the policy's days ago.
    pub new_since: Timestamp,
    /// What is known, by category in the policy's order.
    pub known: Vec<KnownCategory>,
    /// What of it is new, the latest first.
    pub new: Vec<Known>,
    /// What is doubtful, by kind.
    pub doubtful: Vec<Doubt>,
    /// How many facts are kept of domains whose consent was withdrawn, and used for nothing.
    pub withdrawn: u64,
}

/// What is known of one category.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct KnownCategory {
    /// Its name.
    pub category: String,
    /// Its title.
    pub title: String,
    /// Its facts, in order of number.
    pub facts: Vec<Known>,
}

/// One fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Known {
    /// Its number.
    pub number: Number,
    /// Which version of it is live.
    pub version: Version,
    /// What it says.
    pub content: String,
    /// Whether it must be respected.
    pub authority: Authority,
    /// Its domain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// How it came in.
    pub source: Source,
    /// How sure the memory still is of it.
    pub sure: Sureness,
    /// Since when it is true.
    pub since: Timestamp,
    /// When it was recorded.
    pub recorded_at: Timestamp,
    /// When it was last affirmed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmed_at: Option<Timestamp>,
    /// What can be done about it.
    pub actions: Vec<ReviewAction>,
}

/// How sure the memory is of something, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Sureness {
    /// The user said so.
    Stated,
    /// The assistant saved it on purpose.
    Saved,
    /// Inferred, and hardly to be doubted.
    Sure,
    /// Inferred, and more likely than not.
    Likely,
    /// Inferred, and perhaps not so, or not any more.
    Unsure,
}

impl Sureness {
    fn of(row: &MemoryRow, sure: f64) -> Self {
        match row.marks.confidence {
            None if row.body.claim.trust == Trust::User => Sureness::Stated,
            None => Sureness::Saved,
            Some(_) if sure >= SURE => Sureness::Sure,
            Some(_) if sure >= LIKELY => Sureness::Likely,
            Some(_) => Sureness::Unsure,
        }
    }

    /// The word for it: `likely`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Sureness::Stated => "stated",
            Sureness::Saved => "saved",
            Sureness::Sure => "sure",
            Sureness::Likely => "likely",
            Sureness::Unsure => "unsure",
        }
    }
}

/// Something that the user should have a word on.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Doubt {
    /// What kind of doubt.
    pub kind: DoubtKind,
    /// The facts it is about.
    pub facts: Vec<Number>,
    /// The proposal it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposal: Option<RowId>,
    /// What it is about, in the words of the memory.
    pub content: String,
    /// Why it is doubtful, for a person.
    pub reason: String,
    /// What can be done about it.
    pub actions: Vec<ReviewAction>,
}

/// What kind of doubt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DoubtKind {
    /// It waits for the user's word.
    Proposal,
    /// It is not believed yet.
    Candidate,
    /// Two facts cannot both be true.
    Contradiction,
    /// Behaviour spoke against it.
    Contradicted,
    /// It is no longer sure enough to be told by itself.
    Unsure,
    /// It was inferred, and nobody has confirmed it.
    Tentative,
    /// Its time runs out.
    Expiring,
}

impl DoubtKind {
    /// The words for it: `behaviour spoke against it`.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            DoubtKind::Proposal => "waits for your word",
            DoubtKind::Candidate => "not believed yet",
            DoubtKind::Contradiction => "cannot both be true",
            DoubtKind::Contradicted => "behaviour spoke against it",
            DoubtKind::Unsure => "not sure any more",
            DoubtKind::Tentative => "inferred, and not confirmed",
            DoubtKind::Expiring => "about to expire",
        }
    }
}

/// Something that can be done, as a host would offer it: a button.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ReviewAction {
    /// The word for it: `confirm`, `correct`, `forget`, `accept`, `reject`, `consent`.
    pub action: &'static str,
    /// The command that does it, ready to be run.
    pub command: Command,
    /// The field of the command that the user has to fill in first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fill_in: Option<&'static str>,
}

impl ReviewAction {
    fn new(action: &'static str, command: Command) -> Self {
        ReviewAction {
            action,
            command,
            fill_in: None,
        }
    }

    fn confirm(number: Number) -> Self {
        ReviewAction::new("confirm", Command::Confirm(Confirm::new(number)))
    }

    fn correct(number: Number) -> Self {
        let update = Update {
            correction: true,
            ..Update::new(number, "")
        };
        ReviewAction {
            fill_in: Some("content"),
            ..ReviewAction::new("correct", Command::Update(update))
        }
    }

    fn forget(number: Number) -> Self {
        ReviewAction::new("forget", Command::Forget(Forget::new(number)))
    }

    fn on_fact(number: Number) -> Vec<Self> {
        vec![
            ReviewAction::confirm(number),
            ReviewAction::correct(number),
            ReviewAction::forget(number),
        ]
    }
}

/// When reviews were and are due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct ReviewDates {
    /// The last one.
    pub last: Option<Timestamp>,
    /// When anything was first kept.
    pub first_kept: Option<Timestamp>,
}

impl ReviewDates {
    /// When the next one is due: so many days after the last, or after the memory began.
    pub(crate) fn due_at(self, policy: &Policy) -> Option<Timestamp> {
        let days = policy.consolidation.review_days?;
        Some(self.last.or(self.first_kept)?.saturating_add(span(days)))
    }
}

fn span(days: u32) -> Duration {
    Duration::from_secs(u64::from(days) * 86_400)
}

/// What a review is made from.
pub(crate) struct Reviewed<'a> {
    /// Open rows that are believed.
    pub rows: Vec<&'a MemoryRow>,
    /// Candidates.
    pub held: &'a [MemoryRow],
    /// Proposals that wait.
    pub pending: &'a [Row<Proposal>],
    /// What a check found.
    pub concerns: &'a [Concern],
    pub withdrawn: &'a BTreeSet<String>,
    /// Domains that need consent and have none.
    pub without_consent: &'a BTreeSet<String>,
    pub dates: ReviewDates,
}

/// Makes a review.
pub(crate) fn review(material: &Reviewed<'_>, policy: &Policy, now: Timestamp) -> Review {
    let is_fact = |row: &&MemoryRow| row.body.claim.layer == Layer::Fact;
    let is_withdrawn = |row: &MemoryRow| {
        let domain = row.body.claim.domain.as_ref();
        domain.is_some_and(|domain| material.withdrawn.contains(domain))
    };
    let is_over = |row: &MemoryRow| row.body.claim.expires_at.is_some_and(|at| at <= now);
    let facts = material.rows.iter().copied().filter(is_fact);
    let facts = facts.filter(|row| !is_over(row));
    let (hidden, facts): (Vec<&MemoryRow>, Vec<&MemoryRow>) =
        facts.partition(|row| is_withdrawn(row));

    let due_at = material.dates.due_at(policy);
    let days = policy.consolidation.review_days.unwrap_or(NEW_DAYS);
    let new_since = material
        .dates
        .last
        .unwrap_or(now.saturating_sub(span(days)));
    let known: Vec<Known> = facts
        .iter()
        .map(|row| Known::of(row, policy, now))
        .collect();
    let mut new: Vec<Known> = known
        .iter()
        .filter(|fact| fact.recorded_at >= new_since)
        .cloned()
        .collect();
    order::sort_by_key(&mut new, |fact| {
        std::cmp::Reverse((fact.recorded_at, fact.number))
    });

    let mut doubtful: Vec<Doubt> = material.pending.iter().map(Doubt::of_proposal).collect();
    let held = material
        .held
        .iter()
        .filter(|row| !is_withdrawn(row) && !is_over(row));
    let believed: BTreeSet<Number> = facts.iter().map(|row| row.body.number).gather();
    doubtful.extend(held.map(|row| {
        let changes = believed.contains(&row.body.number);
        Doubt::of_candidate(row, changes, material.without_consent)
    }));
    let contents: BTreeMap<Number, &str> = facts
        .iter()
        .map(|row| (row.body.number, row.body.claim.content.as_str()))
        .gather();
    let opposed = material.concerns.iter();
    let opposed = opposed.filter(|concern| concern.kind == ConcernKind::Contradiction);
    doubtful.extend(opposed.filter_map(|concern| Doubt::of_concern(concern, &contents)));
    doubtful.extend(
        facts
            .iter()
            .flat_map(|row| Doubt::of_fact(row, policy, now)),
    );
    order::sort_by(&mut doubtful, |one, other| {
        (one.kind, &one.facts).cmp(&(other.kind, &other.facts))
    });

    Review {
        at: now,
        last_reviewed_at: material.dates.last,
        due_at,
        is_due: due_at.is_some_and(|due| due <= now),
        new_since,
        known: by_category(known, &facts, policy),
        new,
        doubtful,
        withdrawn: hidden.len() as u64,
    }
}

/// In the policy's order; what the policy does not know comes last.
fn by_category(known: Vec<Known>, facts: &[&MemoryRow], policy: &Policy) -> Vec<KnownCategory> {
    let mut groups: BTreeMap<(usize, &str), Vec<Known>> = BTreeMap::new();
    for (fact, row) in known.into_iter().zip(facts) {
        let name = row.body.claim.category.as_str();
        let mut categories = policy.categories.iter();
        let place = categories.position(|category| category.name == name);
        let group = (place.unwrap_or(usize::MAX), name);
        groups.entry(group).or_default().push(fact);
    }
    let groups = groups.into_iter();
    groups
        .map(|((_, name), mut facts)| {
            order::sort_by_key(&mut facts, |fact| fact.number);
            KnownCategory {
                category: name.to_owned(),
                title: policy
                    .category(name)
                    .map_or(name, |category| category.title.as_str())
                    .to_owned(),
                facts,
            }
        })
        .collect()
}

impl Known {
    fn of(row: &MemoryRow, policy: &Policy, now: Timestamp) -> Self {
        let claim = &row.body.claim;
        let number = row.body.number;
        Known {
            number,
            version: row.body.version,
            content: claim.content.clone(),
            authority: claim.authority,
            domain: claim.domain.clone(),
            source: claim.source,
            sure: Sureness::of(row, confidence::effective(row, policy, now)),
            since: claim.valid_from,
            recorded_at: row.recorded_at,
            confirmed_at: row.marks.last_confirmed_at,
            actions: ReviewAction::on_fact(number),
        }
    }
}
