//! What was found wrong after a kill, by what it means for a user.

use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wrong {
    /// Something that was acknowledged is not there.
    Lost,
    /// Something is there in part, or is there and was never asked for.
    HalfApplied,
    /// Something that was purged is still somewhere.
    Leaked,
    /// The library answered what it must not, or could not do what must always work.
    Failed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub wrong: Wrong,
    pub what: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.wrong {
            Wrong::Lost => "lost",
            Wrong::HalfApplied => "half applied",
            Wrong::Leaked => "leaked",
            Wrong::Failed => "failed",
        };
        write!(formatter, "{word}: {}", self.what)
    }
}

/// Everything found so far.
#[derive(Debug, Default)]
pub struct Findings(Vec<Finding>);

impl Findings {
    pub fn add(&mut self, wrong: Wrong, what: impl Into<String>) {
        let what = what.into();
        self.0.push(Finding { wrong, what });
    }

    /// Adds unless it holds.
    pub fn expect(&mut self, holds: bool, wrong: Wrong, what: impl FnOnce() -> String) {
        if !holds {
            self.add(wrong, what());
        }
    }

    pub fn count(&self, wrong: Wrong) -> usize {
        self.0.iter().filter(|found| found.wrong == wrong).count()
    }

    pub fn since(&self, place: usize) -> &[Finding] {
        &self.0[place..]
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }
}
