//! The classes of how long a memory lives, and how long each is. Parsing a deadline's date, and ending
//! what has expired, live elsewhere.

use super::PolicyError;
use super::check::{self, MAX_DAYS};
use serde::{Deserialize, Serialize};

/// How long a memory is meant to live.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TimeToLive {
    /// Until something ends it.
    #[default]
    Lasting,
    /// For the matter at hand: some days.
    Contextual,
    /// For one occasion: about a day.
    Temporary,
    /// Until its date, and some days of grace; lasting when no date is found.
    Deadline,
}

/// How long the classes that pass are, in days.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct TimeToLiveDays {
    /// The life of a contextual memory, in days.
    pub contextual: u32,
    /// The life of a temporary memory, in days.
    pub temporary: u32,
    /// How many days past its date a deadline is still worth knowing.
    pub deadline_grace: u32,
}

impl TimeToLiveDays {
    pub(super) fn validate(&self) -> Result<(), PolicyError> {
        check::range("time_to_live.contextual", self.contextual, 1..=MAX_DAYS)?;
        check::range("time_to_live.temporary", self.temporary, 1..=MAX_DAYS)?;
        check::range(
            "time_to_live.deadline_grace",
            self.deadline_grace,
            0..=MAX_DAYS,
        )
    }
}
