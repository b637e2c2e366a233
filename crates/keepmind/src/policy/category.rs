//! One category: what it is called, what it may cost in the block, how its rows age. Which categories
//! exist is a preset's business; choosing rows is the block's.

use super::PolicyError;
use super::check::{self, MAX_DAYS, MAX_TOKENS};
use super::time_to_live::TimeToLive;
use serde::{Deserialize, Serialize};

/// What sort of thing a category's rows are. It decides how contradictions are settled and who may
/// write; it never decides how rows are shown.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CategoryKind {
    /// Something true of the user or their world. Of two that contradict, the surer wins, or a proposal asks.
    #[default]
    Statement,
    /// What the user likes or wants. The newest wins.
    Preference,
    /// How things stand at the moment. The newest wins.
    Status,
    /// Something in flight: has a state, ends as `done`, feeds the briefing. The newest wins.
    Task,
    /// A learned pattern of what the user does or how to help them. The newest wins.
    Procedure,
    /// What happened in one session. Written by the library only; two episodes never contradict.
    Episode,
}

impl CategoryKind {
    /// Whether, of two contradicting rows that are not explicit, the later one simply wins.
    #[must_use]
    pub fn newest_wins(self) -> bool {
        match self {
            Self::Preference | Self::Status | Self::Task | Self::Procedure => true,
            Self::Statement | Self::Episode => false,
        }
    }

    /// Whether tools and extraction may write rows of this kind.
    #[must_use]
    pub fn is_writable(self) -> bool {
        self != Self::Episode
    }
}

/// A named drawer for memories.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Category {
    /// What rows and tool arguments call it: 1 to 40 characters of `a-z`, `0-9` and `_`, unique.
    pub name: String,
    /// The heading in the block, unique, one line of at most 60 characters.
    pub title: String,
    /// What belongs here, for tool definitions and the extraction prompt; one line of at most 200
    /// characters, empty for none. Says what, never gives an example that could be stored as a fact.
    #[serde(default)]
    pub description: String,
    /// The most its lines and heading may take in the block, in tokens. 0: never injected.
    pub budget: u32,
    /// After how many days without reinforcement the effective confidence of a row that is not explicit
    /// has halved. `None`: it does not decay.
    #[serde(default)]
    pub half_life_days: Option<u32>,
    /// The class of a row that names none.
    #[serde(default)]
    pub time_to_live: TimeToLive,
    /// What sort of thing its rows are.
    #[serde(default)]
    pub kind: CategoryKind,
    /// What stays longest when recalled memories take too much of the window: lowest goes first.
    #[serde(default)]
    pub priority: u32,
}

impl Category {
    /// A category of lasting statements that do not decay; change the public fields for anything else.
    #[must_use]
    pub fn new(name: impl Into<String>, title: impl Into<String>, budget: u32) -> Self {
        Self {
            name: name.into(),
            title: title.into(),
            description: String::new(),
            budget,
            half_life_days: None,
            time_to_live: TimeToLive::Lasting,
            kind: CategoryKind::Statement,
            priority: 0,
        }
    }

    pub(super) fn validate(&self, path: &str, block_budget: u32) -> Result<(), PolicyError> {
        check::name(&format!("{path}.name"), &self.name)?;
        check::line(&format!("{path}.title"), &self.title, 60)?;
        if !self.description.is_empty() {
            check::line(&format!("{path}.description"), &self.description, 200)?;
        }
        let budget = format!("{path}.budget");
        check::range(&budget, self.budget, 0..=MAX_TOKENS)?;
        if self.budget > block_budget {
            return Err(PolicyError::field(
                budget,
                format!(
                    "is {}, must not be above block.budget ({block_budget})",
                    self.budget
                ),
            ));
        }
        if self.kind == CategoryKind::Episode && self.budget > 0 {
            return Err(PolicyError::field(
                budget,
                "must be 0 for kind \"episode\": episodes are recalled, never injected",
            ));
        }
        check::optional_range(
            &format!("{path}.half_life_days"),
            self.half_life_days,
            1..=MAX_DAYS,
        )?;
        check::range(&format!("{path}.priority"), self.priority, 0..=1_000)
    }
}
