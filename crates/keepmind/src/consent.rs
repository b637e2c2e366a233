//! The user's word on a sensitive domain. Every word is kept; the last one counts.

use std::collections::BTreeMap;

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

/// Since when consent is withdrawn for the domains that have none since, by words in the order they were given.
pub(crate) fn withdrawn(words: impl Iterator<Item = Consent>) -> BTreeMap<String, Timestamp> {
    let mut withdrawn = BTreeMap::new();
    for word in words {
        match word.granted {
            true => withdrawn.remove(&word.domain),
            false => withdrawn.insert(word.domain, word.recorded_at),
        };
    }
    withdrawn
}
