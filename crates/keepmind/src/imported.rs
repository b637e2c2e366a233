//! What an import came to: every line with its fate and the reason.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::event::MemoryEvent;
use crate::ids::{Number, RowId};
use crate::refusal::Code;
use crate::report;

/// What became of a file that was imported.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ImportReport {
    /// Nothing was written: it says what would be.
    pub dry_run: bool,
    /// What became of each memory, link and step of lineage, in the order of the file.
    pub lines: Vec<ImportedLine>,
    /// How many lines of other kinds there are: they stay in the file.
    pub left_out: BTreeMap<String, u64>,
    /// What to show the user, with the token that takes all of it back; nothing when nothing was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<MemoryEvent>,
}

impl ImportReport {
    /// How many lines had that fate.
    pub fn count(&self, fate: ImportFate) -> usize {
        self.lines.iter().filter(|line| line.fate == fate).count()
    }

    /// One line for a person: "imported 12, known 3, refused 1". It holds no words of the file.
    pub fn line(&self) -> String {
        let counts = ImportFate::ALL.map(|fate| (fate.word(), self.count(fate)));
        report::counted(&counts, "there is nothing to import")
    }
}

/// A line of the file, and what became of it. It holds none of its words: they may be kept nowhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ImportedLine {
    /// Which line of the file, from 1.
    pub line: u64,
    /// What became of it.
    pub fate: ImportFate,
    /// The fact that it became, or says no more than.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<Number>,
    /// The proposal that holds it, where it waits for the user's word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<RowId>,
    /// Everything that spoke against it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub codes: Vec<Code>,
    /// Why, for a person.
    pub reason: String,
}

/// What became of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ImportFate {
    /// It came in.
    Imported,
    /// It waits for the user's word.
    Proposed,
    /// It says nothing that is not known.
    Known,
    /// A rule said no.
    Refused,
    /// It stays in the file: it is not in force there, or belongs to something that did not come in.
    LeftOut,
}

impl ImportFate {
    /// All of them, as a report names them.
    pub const ALL: [ImportFate; 5] = [
        ImportFate::Imported,
        ImportFate::Proposed,
        ImportFate::Known,
        ImportFate::Refused,
        ImportFate::LeftOut,
    ];

    /// What it is called.
    pub const fn word(self) -> &'static str {
        match self {
            ImportFate::Imported => "imported",
            ImportFate::Proposed => "proposed",
            ImportFate::Known => "known",
            ImportFate::Refused => "refused",
            ImportFate::LeftOut => "left out",
        }
    }
}
