//! How often layers are built and reviewed, from what, and how large digests may be. Building them lives
//! with consolidation.

use super::PolicyError;
use super::check::{self, MAX_DAYS, MAX_TOKENS};
use serde::{Deserialize, Serialize};

/// Which candidates a consolidation believes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Promotion {
    /// What the user said outright, sure enough for the block; and what recurs.
    Stated,
    /// Only what recurs.
    Recurring,
}

/// Building layers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Consolidation {
    /// How many days lie between two consolidations by the sweep.
    pub every_days: u32,
    /// After how many days a review is due. `None`: only when asked for.
    pub review_days: Option<u32>,
    /// Which candidates are believed.
    pub promotes: Promotion,
    /// Whether what behaviour said of inferred rows moves the floor at which others of their category are shown.
    pub calibrates: bool,
    /// Whether observations are read. Without it they are stored and count for nothing.
    pub observations: bool,
}

impl Consolidation {
    pub(super) fn validate(&self) -> Result<(), PolicyError> {
        check::range("consolidation.every_days", self.every_days, 1..=MAX_DAYS)?;
        check::optional_range("consolidation.review_days", self.review_days, 1..=MAX_DAYS)
    }
}

/// The most each digest may take, in tokens. 0: it is not compiled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Digests {
    /// The profile card, in tokens.
    pub profile: u32,
    /// The procedures, in tokens.
    pub procedures: u32,
    /// The briefing made from tasks, in tokens.
    pub briefing: u32,
    /// The digest of each domain, in tokens.
    pub domain: u32,
}

impl Digests {
    pub(super) fn validate(&self) -> Result<(), PolicyError> {
        check::range("digests.profile", self.profile, 0..=MAX_TOKENS)?;
        check::range("digests.procedures", self.procedures, 0..=MAX_TOKENS)?;
        check::range("digests.briefing", self.briefing, 0..=MAX_TOKENS)?;
        check::range("digests.domain", self.domain, 0..=MAX_TOKENS)
    }
}
