//! How closing a session is leased, retried and finished by the sweep. The lifecycle itself lives with
//! the sessions.

use super::PolicyError;
use super::check::{self, MAX_SECONDS};
use serde::{Deserialize, Serialize};

/// Closing sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Close {
    /// How long a closer keeps others away, in seconds, beside the time that it may wait for the model and
    /// the embedder.
    pub lease_seconds: u32,
    /// How often a model is tried before the built-in extractor does what it can.
    pub attempts: u32,
    /// How long the sweep waits after the first failed attempt, in seconds; doubled after each further one.
    pub backoff_seconds: u32,
    /// The longest it waits between two attempts, in seconds.
    pub backoff_limit_seconds: u32,
    /// After how many seconds without a message the sweep closes a session that nobody closed.
    pub stale_after_seconds: u32,
}

impl Close {
    pub(super) fn validate(&self) -> Result<(), PolicyError> {
        check::range("close.lease_seconds", self.lease_seconds, 1..=86_400)?;
        check::range("close.attempts", self.attempts, 1..=100)?;
        check::range(
            "close.backoff_seconds",
            self.backoff_seconds,
            0..=MAX_SECONDS,
        )?;
        check::range(
            "close.backoff_limit_seconds",
            self.backoff_limit_seconds,
            self.backoff_seconds..=MAX_SECONDS,
        )?;
        check::range(
            "close.stale_after_seconds",
            self.stale_after_seconds,
            1..=MAX_SECONDS,
        )
    }
}
