//! A pending operation that waits for the user's word.

use serde::{Deserialize, Serialize};

use crate::ids::{Number, Origin, SessionId};
use crate::memory::{Claim, Evidence, Marks};

use crate::timestamp::Timestamp;

/// A pending operation: what would be done, why, and on what evidence.
///
/// It holds exactly the bytes that accepting will store, so what is approved is what is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proposal {
    /// What accepting does.
    pub operation: ProposedOperation,
    /// Why it is proposed, in a line.
    pub reasoning: String,
    /// What speaks for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
    /// The chat it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// When it lapses if nobody answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}

/// What accepting a proposal does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "operation", rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum ProposedOperation {
    /// Saves a new fact.
    Save {
        /// What it will say.
        claim: Box<Claim>,
        /// The marks it starts with.
        marks: Marks,
    },
    /// Ends one version of a fact and inserts the next.
    Update {
        /// What it changes.
        target: Target,
        /// What it will say.
        claim: Box<Claim>,
        /// The marks it starts with.
        marks: Marks,
        /// The old value was never right.
        correction: bool,
    },
    /// Forgets a fact.
    Forget {
        /// Which one.
        target: Target,
    },
    /// Asks which of two is true.
    Choose {
        /// The fact that stands.
        target: Target,
        /// What speaks against it.
        rival: Rival,
    },
}

/// A fact as it was when something was proposed about it: changed since, the proposal is stale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// The fact.
    pub number: Number,
    /// Its live row's origin at the time.
    pub origin: Origin,
}

/// The other side of "which of two?".
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Rival {
    /// Another fact that stands.
    Fact {
        /// Which one.
        target: Target,
    },
    /// Something not stored yet.
    Claim {
        /// What it would say.
        claim: Box<Claim>,
        /// The marks it would start with.
        marks: Marks,
    },
}

impl Proposal {
    /// The facts the proposal is about.
    pub fn targets(&self) -> impl Iterator<Item = Target> {
        let (first, second) = match &self.operation {
            ProposedOperation::Save { .. } => (None, None),
            ProposedOperation::Update { target, .. } | ProposedOperation::Forget { target } => {
                (Some(*target), None)
            }
            ProposedOperation::Choose { target, rival } => (
                Some(*target),
                match rival {
                    Rival::Fact { target } => Some(*target),
                    Rival::Claim { .. } => None,
                },
            ),
        };
        first.into_iter().chain(second)
    }

    /// What accepting could store, with the marks it starts with.
    pub fn claim(&self) -> Option<(&Claim, &Marks)> {
        match &self.operation {
            ProposedOperation::Save { claim, marks }
            | ProposedOperation::Update { claim, marks, .. }
            | ProposedOperation::Choose {
                rival: Rival::Claim { claim, marks },
                ..
            } => Some((claim, marks)),
            ProposedOperation::Forget { .. }
            | ProposedOperation::Choose {
                rival: Rival::Fact { .. },
                ..
            } => None,
        }
    }
}
