//! What reading an edited copy came to: every difference with its fate and the reason.

use serde::{Deserialize, Serialize};

use crate::event::MemoryEvent;
use crate::ids::Number;
use crate::refusal::Code;
use crate::report;

/// What became of Markdown that was read back.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MarkdownReport {
    /// Nothing was written: it says what would be.
    pub dry_run: bool,
    /// Whether the differences can be written. One line that is refused, or in conflict, stands against all of them.
    pub applies: bool,
    /// Every difference, in the order of the files; of lines that are as they were, nothing.
    pub lines: Vec<MarkdownLine>,
    /// How many memories stand there as they are kept.
    pub unchanged: u64,
    /// The categories that have memories and no section in what was read: they stay as they are.
    pub absent: Vec<String>,
    /// What to show the user, with the token that takes all of it back; nothing when nothing was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<MemoryEvent>,
}

impl MarkdownReport {
    /// How many lines had that fate.
    pub fn count(&self, fate: MarkdownFate) -> usize {
        self.lines.iter().filter(|line| line.fate == fate).count()
    }

    /// One line for a person: "saved 1, updated 2, forgotten 1". It holds no words of the files.
    pub fn line(&self) -> String {
        let counts = MarkdownFate::ALL.map(|fate| (fate.word(), self.count(fate)));
        report::counted(&counts, "nothing was edited")
    }
}

/// A difference between what was read and what is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MarkdownLine {
    /// In which file.
    pub file: String,
    /// On which line of it, from 1; of a line that was taken out, where its section ends.
    pub line: u64,
    /// What becomes of it.
    pub fate: MarkdownFate,
    /// The fact it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<Number>,
    /// What the fact said, where that changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// What it says now, where that changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Everything that spoke against it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub codes: Vec<Code>,
    /// Why, for a person.
    pub reason: String,
}

/// What becomes of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MarkdownFate {
    /// A line without a mark is a new fact.
    Saved,
    /// A line with other words, or under another heading, is a new version.
    Updated,
    /// A line that was taken out is forgotten.
    Forgotten,
    /// A line without a mark says what a fact says already.
    Known,
    /// The fact has changed since, and its line was not edited: it stays as it is now.
    Outdated,
    /// It is not edited here: it stays as it is.
    Ignored,
    /// The fact has changed since, and so has its line. Nothing is written.
    Conflict,
    /// It cannot be. Nothing is written.
    Refused,
}

impl MarkdownFate {
    /// All of them, as a report names them.
    pub const ALL: [MarkdownFate; 8] = [
        MarkdownFate::Saved,
        MarkdownFate::Updated,
        MarkdownFate::Forgotten,
        MarkdownFate::Known,
        MarkdownFate::Outdated,
        MarkdownFate::Ignored,
        MarkdownFate::Conflict,
        MarkdownFate::Refused,
    ];

    /// What it is called.
    pub const fn word(self) -> &'static str {
        match self {
            MarkdownFate::Saved => "saved",
            MarkdownFate::Updated => "updated",
            MarkdownFate::Forgotten => "forgotten",
            MarkdownFate::Known => "known",
            MarkdownFate::Outdated => "outdated",
            MarkdownFate::Ignored => "ignored",
            MarkdownFate::Conflict => "conflicts",
            MarkdownFate::Refused => "refused",
        }
    }

    /// Whether it stands against everything else.
    pub const fn blocks(self) -> bool {
        matches!(self, MarkdownFate::Conflict | MarkdownFate::Refused)
    }
}
