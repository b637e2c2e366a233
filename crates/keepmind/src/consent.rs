//! The user's word on a sensitive domain. Every word is kept; the last one counts.

use serde::{Deserialize, Serialize};

use crate::timestamp::Timestamp;

/// One word of the user's on a domain.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Consent {
    /// The policy's domain.
    pub domain: String,
    /// When it was given: the stamp of the commit.
    pub recorded_at: Timestamp,
    /// Given, or withdrawn.
    pub granted: bool,
}
