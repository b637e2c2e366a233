//! When older messages become a summary in the view sent to the model. Making the summary lives with the
//! sessions.

use super::PolicyError;
use super::check::{self, MAX_TOKENS};
use serde::{Deserialize, Serialize};

/// Keeping a long chat affordable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Compression {
    /// What a view may take when the host does not say, in tokens.
    pub context_budget: u32,
    /// The share of that budget, above 0 and up to 1, past which older messages are summarised.
    pub threshold: f64,
}

impl Compression {
    /// How many tokens of a chat are shown at most, and how many are aimed at once that is too little, so
    /// that the next turns do not need another summary at once.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a budget of tokens"
    )]
    pub(crate) fn room(&self, budget: Option<u32>) -> (usize, usize) {
        let budget = f64::from(budget.unwrap_or(self.context_budget));
        let most = ((budget * self.threshold) as usize).max(1);
        (most, (most / 2).max(1))
    }

    pub(super) fn validate(&self) -> Result<(), PolicyError> {
        check::range(
            "compression.context_budget",
            self.context_budget,
            1_000..=MAX_TOKENS,
        )?;
        check::positive_share("compression.threshold", self.threshold)
    }
}
