//! How often something must recur to be believed: strong, tentative, candidate. Counting it lives with
//! consolidation.

use super::PolicyError;
use super::check::{self, MAX_DAYS};
use serde::{Deserialize, Serialize};

/// What makes a grade. What reaches neither strong nor tentative is a candidate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Grades {
    /// How often something must recur, uncontradicted, to be strong.
    pub strong_times: u32,
    /// In how many sessions, at least.
    pub strong_sessions: u32,
    /// The least importance of a strong row, from 0 to 1.
    pub strong_importance: f64,
    /// How often something must recur to be tentative. Less than `strong_times`.
    pub tentative_times: u32,
    /// The least importance of a tentative row, from 0 to 1.
    pub tentative_importance_lowest: f64,
    /// The greatest importance of a tentative row, from 0 to 1.
    pub tentative_importance_highest: f64,
    /// After how many days a candidate that gained nothing is discarded.
    pub candidate_days: u32,
}

impl Grades {
    pub(super) fn validate(&self) -> Result<(), PolicyError> {
        check::range("grades.strong_times", self.strong_times, 2..=1_000)?;
        check::range(
            "grades.strong_sessions",
            self.strong_sessions,
            1..=self.strong_times,
        )?;
        check::share("grades.strong_importance", self.strong_importance)?;
        check::range(
            "grades.tentative_times",
            self.tentative_times,
            1..=self.strong_times - 1,
        )?;
        let lowest = "grades.tentative_importance_lowest";
        let highest = "grades.tentative_importance_highest";
        check::share(lowest, self.tentative_importance_lowest)?;
        check::share(highest, self.tentative_importance_highest)?;
        check::at_most(
            lowest,
            self.tentative_importance_lowest,
            highest,
            self.tentative_importance_highest,
        )?;
        check::at_most(
            highest,
            self.tentative_importance_highest,
            "grades.strong_importance",
            self.strong_importance,
        )?;
        check::range("grades.candidate_days", self.candidate_days, 1..=MAX_DAYS)
    }
}
