//! What happens to what may not simply be kept, and how long a proposal waits. The proposals themselves,
//! consent and the usage ledger live elsewhere.

use super::PolicyError;
use super::check::{self, MAX_DAYS};
use serde::{Deserialize, Serialize};

/// What tools and extraction do with material of a domain that needs consent and has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum WithoutConsent {
    /// Hold it as a proposal until the owner accepts or rejects it.
    Propose,
    /// Keep nothing of it, not even a proposal.
    Refuse,
}

/// Gates that ask a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Governance {
    /// What is done with material that needs consent and has none. What is sensitive and about somebody
    /// other than the owner is refused whatever this says.
    pub without_consent: WithoutConsent,
    /// After how many days an unanswered proposal expires. `None`: it waits for ever.
    pub proposal_days: Option<u32>,
}

impl Governance {
    pub(super) fn validate(&self) -> Result<(), PolicyError> {
        check::optional_range("governance.proposal_days", self.proposal_days, 1..=MAX_DAYS)
    }
}
