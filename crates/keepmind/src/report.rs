//! What learning from a chat came to: every candidate with its fate and the reason.

use serde::{Deserialize, Serialize};

use crate::ids::{Number, RowId};
use crate::refusal::Code;

/// What became of everything that was found in a chat.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Report {
    /// Every candidate, in the order in which they were found.
    pub lessons: Vec<Lesson>,
    /// The episode that tells what happened, where one was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub episode: Option<Number>,
}

impl Report {
    /// How many candidates had that fate.
    pub fn count(&self, fate: Fate) -> usize {
        let same = |lesson: &&Lesson| lesson.fate == fate;
        self.lessons.iter().filter(same).count()
    }

    /// One line for whoever closed the chat: "learned 2, skipped 1, refused 1: the quote is not the
    /// user's". It holds no words of the chat.
    pub fn line(&self) -> String {
        let counts = Fate::ALL.map(|fate| (fate.word(), self.count(fate)));
        let line = counted(&counts, "learned nothing");
        let refused = |lesson: &&Lesson| lesson.fate == Fate::Refused;
        match self.lessons.iter().find(refused) {
            Some(lesson) => format!("{line}: {}", lesson.reason),
            None => line,
        }
    }
}

/// What a report counts, in one line: "learned 2, skipped 1". What there is none of is not told.
pub(crate) fn counted(counts: &[(&str, usize)], nothing: &str) -> String {
    let told: Vec<String> = counts
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(word, count)| format!("{word} {count}"))
        .collect();
    match told.is_empty() {
        true => nothing.to_owned(),
        false => told.join(", "),
    }
}

/// A candidate for memory, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Lesson {
    /// What became of it.
    pub fate: Fate,
    /// The fact that it became, changed, confirmed or says no more than.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<Number>,
    /// The proposal that holds it, where it waits for the user's word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<RowId>,
    /// What it says. Left out where that may be kept nowhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// The user's words that it rests on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// Everything that spoke against it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub codes: Vec<Code>,
    /// Why, for a person. It quotes nobody.
    pub reason: String,
}

impl Lesson {
    /// Nothing of an answer could be used.
    pub(crate) fn unusable(codes: Vec<Code>, reason: String) -> Self {
        Lesson {
            fate: Fate::Refused,
            number: None,
            proposal: None,
            content: None,
            quote: None,
            codes,
            reason,
        }
    }
}

/// What became of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Fate {
    /// It is a new fact.
    Learned,
    /// It is the new version of a fact.
    Updated,
    /// It affirms a fact.
    Confirmed,
    /// It waits for the user's word.
    Proposed,
    /// It says nothing that is not known.
    Skipped,
    /// A rule said no.
    Refused,
}

impl Fate {
    /// All of them, as a report names them.
    pub const ALL: [Fate; 6] = [
        Fate::Learned,
        Fate::Updated,
        Fate::Confirmed,
        Fate::Proposed,
        Fate::Skipped,
        Fate::Refused,
    ];

    /// What it is called.
    pub const fn word(self) -> &'static str {
        match self {
            Fate::Learned => "learned",
            Fate::Updated => "updated",
            Fate::Confirmed => "confirmed",
            Fate::Proposed => "proposed",
            Fate::Skipped => "skipped",
            Fate::Refused => "refused",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lesson(fate: Fate, reason: &str) -> Lesson {
        Lesson {
            fate,
            number: None,
            proposal: None,
            content: None,
            quote: None,
            codes: Vec::new(),
            reason: reason.to_owned(),
        }
    }

    #[test]
    fn one_line_says_how_many_and_why_not() {
        let mut report = Report::default();
        assert_eq!(report.line(), "learned nothing");
        report.lessons = vec![
            lesson(Fate::Refused, "the quote is not the user's"),
            lesson(Fate::Learned, ""),
            lesson(Fate::Skipped, ""),
            lesson(Fate::Learned, ""),
        ];
        let line = "learned 2, skipped 1, refused 1: the quote is not the user's";
        assert_eq!(report.line(), line);
    }
}
