//! One domain: a topic, and what keeping it takes. Finding out which domain a sentence belongs to, and
//! who consented to what, lives elsewhere.

use super::PolicyError;
use super::check::{self, MAX_DAYS};
use serde::{Deserialize, Serialize};

/// A topic that memories can belong to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Domain {
    /// What rows and consent call it: 1 to 40 characters of `a-z`, `0-9` and `_`, unique.
    pub name: String,
    /// What people read, unique, one line of at most 60 characters.
    pub title: String,
    /// Knowing it can hurt its owner. Kept by tools and extraction only with consent, and about anybody
    /// but the owner never.
    #[serde(default)]
    pub sensitive: bool,
    /// Switched off until the owner consents, whether it is sensitive or not.
    #[serde(default)]
    pub opt_in: bool,
    /// After how many days a note of this domain expires unless it says otherwise. Rules never expire by
    /// their domain. `None`: notes do not either.
    #[serde(default)]
    pub default_expiry_days: Option<u32>,
}

impl Domain {
    /// A domain that needs no consent and whose notes do not expire; change the public fields for
    /// anything else.
    #[must_use]
    pub fn new(name: impl Into<String>, title: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: title.into(),
            sensitive: false,
            opt_in: false,
            default_expiry_days: None,
        }
    }

    /// Whether tools and extraction need the owner's consent before they keep anything of it.
    #[must_use]
    pub fn needs_consent(&self) -> bool {
        self.sensitive || self.opt_in
    }

    pub(super) fn validate(&self, path: &str) -> Result<(), PolicyError> {
        check::name(&format!("{path}.name"), &self.name)?;
        check::line(&format!("{path}.title"), &self.title, 60)?;
        check::optional_range(
            &format!("{path}.default_expiry_days"),
            self.default_expiry_days,
            1..=MAX_DAYS,
        )
    }
}
