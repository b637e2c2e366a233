//! What a consolidation came to: every row that it settled, with the reason.

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::event::MemoryEvent;
use crate::ids::{Number, RowId};
use crate::refusal::Code;
use crate::report;

/// How often something recurred, and so how far it is believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Grade {
    /// Not often enough to be believed.
    Candidate,
    /// Often enough to be believed, and marked.
    Tentative,
    /// Often, on several occasions, and uncontradicted.
    Strong,
}

/// What became of an owner's memory when it was consolidated.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Consolidated {
    /// Every row that was settled, in the order it was done. What stays as it was is not among them.
    pub settled: Vec<Settled>,
    /// What to show the user, with the token that takes all of it back; nothing when nothing was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<MemoryEvent>,
    /// The model was asked and gave nothing that could be used: what code can do was done.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub model_failed: bool,
    /// What went wrong after some of it was written: the event stands, and its token takes that back. What is
    /// missing is made up for by the next consolidation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<Error>,
}

impl Consolidated {
    /// How many rows had that fate.
    pub fn count(&self, fate: Settling) -> usize {
        self.settled.iter().filter(|one| one.fate == fate).count()
    }

    /// One line for a person: "promoted 3, merged 1, compiled 2". It holds no words of a memory.
    pub fn line(&self) -> String {
        let counts = Settling::ALL.map(|fate| (fate.word(), self.count(fate)));
        report::counted(&counts, "there is nothing to consolidate")
    }
}

/// A row that a consolidation settled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Settled {
    /// What became of it.
    pub fate: Settling,
    /// The fact it is of; nothing for what was not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<Number>,
    /// The fact that took it up or stands against it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<Number>,
    /// How often it recurred.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grade: Option<Grade>,
    /// The proposal that holds it, where it waits for the user's word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<RowId>,
    /// Everything that spoke against it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub codes: Vec<Code>,
    /// Why, for a person.
    pub reason: String,
}

impl Settled {
    pub(crate) fn new(fate: Settling, number: Option<Number>, reason: impl Into<String>) -> Self {
        Settled {
            fate,
            number,
            other: None,
            grade: None,
            proposal: None,
            codes: Vec::new(),
            reason: reason.into(),
        }
    }

    pub(crate) fn by(mut self, other: Number) -> Self {
        self.other = Some(other);
        self
    }

    pub(crate) fn graded(mut self, grade: Grade) -> Self {
        self.grade = Some(grade);
        self
    }
}

/// What became of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Settling {
    /// A candidate is believed from now on.
    Promoted,
    /// Something new was concluded from what recurs.
    Derived,
    /// What is believed recurred: it is surer, or matters more.
    Reinforced,
    /// It said what another fact says, and was taken up by it.
    Merged,
    /// Another fact cannot be true at the same time, and stands.
    Overruled,
    /// An episode told nothing that facts do not say.
    Absorbed,
    /// The user is asked.
    Proposed,
    /// A candidate that found no more evidence.
    Discarded,
    /// A line of the model's that nothing bears out.
    Refused,
    /// A digest was made anew.
    Compiled,
}

impl Settling {
    /// All of them, as a report names them.
    pub const ALL: [Settling; 10] = [
        Settling::Promoted,
        Settling::Derived,
        Settling::Reinforced,
        Settling::Merged,
        Settling::Overruled,
        Settling::Absorbed,
        Settling::Proposed,
        Settling::Discarded,
        Settling::Refused,
        Settling::Compiled,
    ];

    /// What it is called.
    pub const fn word(self) -> &'static str {
        match self {
            Settling::Promoted => "promoted",
            Settling::Derived => "derived",
            Settling::Reinforced => "reinforced",
            Settling::Merged => "merged",
            Settling::Overruled => "overruled",
            Settling::Absorbed => "absorbed",
            Settling::Proposed => "proposed",
            Settling::Discarded => "discarded",
            Settling::Refused => "refused",
            Settling::Compiled => "compiled",
        }
    }
}
