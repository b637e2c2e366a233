//! The confidences, importances and similarities at which decisions turn. Computing them lives with the
//! code that decides.

use super::PolicyError;
use super::check;
use serde::{Deserialize, Serialize};

/// Thresholds, all shares from 0 to 1. A value equal to a floor passes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Floors {
    /// The confidence below which an extracted candidate is dropped. At most `inject`.
    pub keep: f64,
    /// The importance below which an extracted candidate is dropped; one that names no importance
    /// passes. `None`: importance decides nothing.
    pub keep_importance: Option<f64>,
    /// The effective confidence below which a row that is not explicit stays out of the block.
    pub inject: f64,
    /// The stored confidence below which a row that is not explicit is not recalled either. At most
    /// `inject`, so that what the block shows can always be recalled.
    pub recall: f64,
    /// The stored confidence below which feedback ends a row as faded. At most `keep`, or what was just
    /// kept could already be fading.
    pub fade: f64,
    /// The share of search terms that two contents must have in common to count as near duplicates.
    pub near_duplicate_terms: f64,
    /// The cosine similarity at which two contents count as near duplicates, when there is an embedder.
    pub near_duplicate_vectors: f64,
    /// The importance from which a fact that is not explicit is not contradicted without asking.
    pub contradiction_importance: f64,
}

impl Floors {
    pub(super) fn validate(&self) -> Result<(), PolicyError> {
        check::share("floors.keep", self.keep)?;
        if let Some(importance) = self.keep_importance {
            check::share("floors.keep_importance", importance)?;
        }
        check::share("floors.inject", self.inject)?;
        check::share("floors.recall", self.recall)?;
        check::share("floors.fade", self.fade)?;
        // A threshold of 0 would make every two memories duplicates of each other.
        check::positive_share("floors.near_duplicate_terms", self.near_duplicate_terms)?;
        check::positive_share("floors.near_duplicate_vectors", self.near_duplicate_vectors)?;
        check::share(
            "floors.contradiction_importance",
            self.contradiction_importance,
        )?;
        check::at_most("floors.keep", self.keep, "floors.inject", self.inject)?;
        check::at_most("floors.recall", self.recall, "floors.inject", self.inject)?;
        check::at_most("floors.fade", self.fade, "floors.keep", self.keep)
    }
}
