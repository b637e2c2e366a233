//! How long what has ended is kept. Removing it is the sweep's work; erasing an owner never waits.

use super::PolicyError;
use super::check::{self, MAX_DAYS};
use serde::{Deserialize, Serialize};

/// Keeping and letting go, all in days.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Retention {
    /// For how many days a trashed memory can be restored before it is purged. 0: trashing purges at once.
    pub trash_days: u32,
    /// For how many days a trashed session can be restored before it is purged. 0: at once.
    pub session_trash_days: u32,
    /// After how many idle days a session is archived.
    pub archive_after_idle_days: u32,
    /// For how many days the usage ledger is kept.
    pub usage_days: u32,
    /// How many days after its end an expired memory is purged. `None`: it is kept for audit.
    pub expired_purge_days: Option<u32>,
    /// For how many days repeating an operation id answers what the first commit answered.
    pub operation_days: u32,
}

impl Retention {
    pub(super) fn validate(&self) -> Result<(), PolicyError> {
        check::range("retention.trash_days", self.trash_days, 0..=MAX_DAYS)?;
        check::range(
            "retention.session_trash_days",
            self.session_trash_days,
            0..=MAX_DAYS,
        )?;
        check::range(
            "retention.archive_after_idle_days",
            self.archive_after_idle_days,
            1..=MAX_DAYS,
        )?;
        check::range("retention.usage_days", self.usage_days, 1..=MAX_DAYS)?;
        check::optional_range(
            "retention.expired_purge_days",
            self.expired_purge_days,
            0..=MAX_DAYS,
        )?;
        check::range(
            "retention.operation_days",
            self.operation_days,
            1..=MAX_DAYS,
        )
    }
}
