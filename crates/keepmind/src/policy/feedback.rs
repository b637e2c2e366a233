//! How far observed behaviour moves a stored confidence. Decay with time is the category's half-life.

use super::PolicyError;
use super::check;
use serde::{Deserialize, Serialize};

/// Steps, as shares from 0 to 1. A contradiction should weigh more than a confirmation: what is wrong
/// must leave faster than what is right settles in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Feedback {
    /// What a confirmation adds to the confidence of a row that is not explicit, up to 1.
    pub confirmed: f64,
    /// What a contradiction takes from it, down to 0.
    pub contradicted: f64,
}

impl Feedback {
    pub(super) fn validate(&self) -> Result<(), PolicyError> {
        check::share("feedback.confirmed", self.confirmed)?;
        check::share("feedback.contradicted", self.contradicted)
    }
}
