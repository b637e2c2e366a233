//! What a write tells the host: what changed, one line for a person, and a token to take it back.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::ids::{GroupId, Number, OperationId};
use crate::owner::Revision;
use crate::proposal::Proposal;
use crate::refusal::{Candidate, Code};
use crate::row::{MemoryRow, Row};
use crate::timestamp::Timestamp;

/// What became of a command that was not refused.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Outcome {
    /// Whether anything was written, and what for.
    pub verdict: Verdict,
    /// What happened, for a person; without content.
    pub line: String,
    /// The fact it was about, where it was about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<Number>,
    /// What to show the user; nothing when nothing was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<MemoryEvent>,
    /// Facts that say nearly the same, closest first: for a save.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub closest: Vec<Candidate>,
    /// Why it became a proposal instead of a memory.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub codes: Vec<Code>,
}

/// Whether a command wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Verdict {
    /// It did what was asked.
    Done,
    /// It was so already; nothing was written.
    Unchanged,
    /// It waits for the user's word.
    Proposed,
}

/// What the host shows of a write: the quiet line with its Undo.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MemoryEvent {
    /// What was done.
    pub kind: EventKind,
    /// The row before, where there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Box<MemoryRow>>,
    /// The row after, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Box<MemoryRow>>,
    /// The proposal that was made or settled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposal: Option<Box<Row<Proposal>>>,
    /// What happened, for a person, with the words it is about.
    pub line: String,
    /// Takes it back; nothing after a purge, which is final, a word on consent, which is taken back by
    /// another, and a review, which changes nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undo: Option<UndoToken>,
    /// Where the owner's data stands after it.
    pub revision: Revision,
    /// When.
    pub at: Timestamp,
}

impl MemoryEvent {
    /// What happened, for a reader, with the words it is about as that reader is shown words:
    /// `Updated #12: lives in Ghent → lives in Bruges`.
    pub(crate) fn told(&self, line: &str, shown: impl Fn(&str) -> String) -> String {
        let content =
            |row: &Option<Box<MemoryRow>>| row.as_ref().map(|row| shown(&row.body.claim.content));
        let proposed = self.proposal.as_ref().and_then(|row| row.body.claim());
        let words = match (content(&self.before), content(&self.after)) {
            _ if proposed.is_some() => proposed.map(|(claim, _)| shown(&claim.content)),
            (Some(before), Some(after)) if before != after => Some(format!("{before} → {after}")),
            (before, after) => after.or(before),
        };
        let mut told = match words {
            Some(words) => [line, ": ", &words].concat(),
            None => line.to_owned(),
        };
        if let Some(first) = told.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        told
    }
}

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EventKind {
    /// A new fact.
    Saved,
    /// A new version of a fact.
    Updated,
    /// A fact was ended, kept for audit.
    Forgotten,
    /// A fact was re-affirmed.
    Confirmed,
    /// Behaviour spoke for or against a fact.
    Observed,
    /// Two facts were joined.
    Linked,
    /// Two facts were parted.
    Unlinked,
    /// A task was done.
    Completed,
    /// Something waits for the user's word.
    Proposed,
    /// A proposal was accepted.
    Accepted,
    /// A proposal was turned down.
    Rejected,
    /// A fact was put in the trash.
    Trashed,
    /// A fact came back from the trash, or was unforgotten.
    Restored,
    /// A fact is gone for good.
    Purged,
    /// Consent was given or withdrawn.
    Consented,
    /// The user has looked through what is known.
    Reviewed,
    /// A write was taken back.
    Undone,
    /// An undo was taken back.
    Redone,
    /// A file was taken over.
    Imported,
    /// A memory was consolidated.
    Consolidated,
    /// An edited copy was read back.
    Edited,
}

impl EventKind {
    /// The word for it: `saved`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            EventKind::Saved => "saved",
            EventKind::Updated => "updated",
            EventKind::Forgotten => "forgot",
            EventKind::Confirmed => "confirmed",
            EventKind::Observed => "observed",
            EventKind::Linked => "linked",
            EventKind::Unlinked => "unlinked",
            EventKind::Completed => "completed",
            EventKind::Proposed => "proposed",
            EventKind::Accepted => "accepted",
            EventKind::Rejected => "rejected",
            EventKind::Trashed => "trashed",
            EventKind::Restored => "restored",
            EventKind::Purged => "purged",
            EventKind::Consented => "consent",
            EventKind::Reviewed => "reviewed",
            EventKind::Undone => "undid",
            EventKind::Redone => "redid",
            EventKind::Imported => "imported",
            EventKind::Consolidated => "consolidated",
            EventKind::Edited => "edited",
        }
    }
}

/// Names a write, or a group of writes, of one owner, so that it can be undone and redone.
///
/// Opaque to a host and good for the owner it was given to only: to anyone else it names nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[non_exhaustive]
pub enum UndoToken {
    /// One write.
    Operation(OperationId),
    /// All writes of one close, consolidation or import.
    Group(GroupId),
}

/// A text that is no undo token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is no undo token: pass the token of a memory event as it was given")]
pub struct UndoTokenError;

const OPERATION: &str = "write-";
const GROUP: &str = "group-";

impl fmt::Display for UndoToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UndoToken::Operation(id) => write!(formatter, "{OPERATION}{id}"),
            UndoToken::Group(id) => write!(formatter, "{GROUP}{id}"),
        }
    }
}

impl FromStr for UndoToken {
    type Err = UndoTokenError;

    fn from_str(text: &str) -> Result<Self, UndoTokenError> {
        let operation = text.strip_prefix(OPERATION).map(str::parse);
        let group = text.strip_prefix(GROUP).map(str::parse);
        match (operation, group) {
            (Some(Ok(id)), _) => Ok(UndoToken::Operation(id)),
            (_, Some(Ok(id))) => Ok(UndoToken::Group(id)),
            _ => Err(UndoTokenError),
        }
    }
}

impl TryFrom<String> for UndoToken {
    type Error = UndoTokenError;

    fn try_from(text: String) -> Result<Self, UndoTokenError> {
        text.parse()
    }
}

impl From<UndoToken> for String {
    fn from(token: UndoToken) -> Self {
        token.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_read_as_it_was_written_and_nothing_else_is() {
        let id = "0192f0c1-2345-7abc-8def-0123456789ab";
        for token in [
            UndoToken::Operation(id.parse().unwrap()),
            UndoToken::Group(id.parse().unwrap()),
        ] {
            assert_eq!(token.to_string().parse(), Ok(token));
        }
        for forged in ["", "write-", id, "group-1", "write-x", "undo", "WRITE-"] {
            assert_eq!(forged.parse::<UndoToken>(), Err(UndoTokenError), "{forged}");
        }
    }
}
