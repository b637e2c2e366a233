//! What the child says on its stdout, one JSON object a line: what it is about to do, and what it was
//! answered. An answer says what must hold from then on, whatever happens to the process.

use keepmind::{Number, SessionId, UndoToken};
use serde::{Deserialize, Serialize};

/// One line of the child's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Line {
    /// The store is open and work begins.
    Ready { ready: bool },
    /// Said before anything is done.
    Announced {
        announce: u64,
        user: String,
        #[serde(flatten)]
        asked: Asked,
    },
    /// Said after the library has answered.
    Acknowledged {
        ack: u64,
        #[serde(flatten)]
        answered: Answered,
    },
    /// The library answered what it must not.
    Failed { fail: u64, message: String },
}

/// What is asked of the library.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Asked {
    Save { content: String },
    Update { number: Number, content: String },
    Forget { number: Number },
    Trash { number: Number },
    Restore { number: Number },
    Purge { number: Number },
    Undo { number: Number, token: UndoToken },
    Redo { number: Number, token: UndoToken },
    Open,
    Push { session: SessionId, content: String },
    Close { session: SessionId },
    Resume { session: SessionId },
    TrashSession { session: SessionId },
    RestoreSession { session: SessionId },
    PurgeSession { session: SessionId },
    Sweep,
    Erase,
}

impl Asked {
    /// What it is called in the table.
    pub fn word(&self) -> &'static str {
        match self {
            Asked::Save { .. } => "save",
            Asked::Update { .. } => "update",
            Asked::Forget { .. } => "forget",
            Asked::Trash { .. } => "trash",
            Asked::Restore { .. } => "restore",
            Asked::Purge { .. } => "purge",
            Asked::Undo { .. } => "undo",
            Asked::Redo { .. } => "redo",
            Asked::Open => "open",
            Asked::Push { .. } => "push",
            Asked::Close { .. } => "close",
            Asked::Resume { .. } => "resume",
            Asked::TrashSession { .. } => "trash session",
            Asked::RestoreSession { .. } => "restore session",
            Asked::PurgeSession { .. } => "purge session",
            Asked::Sweep => "sweep",
            Asked::Erase => "erase",
        }
    }

    /// The fact it is about, where it is about one that exists.
    pub fn number(&self) -> Option<Number> {
        match self {
            Asked::Update { number, .. }
            | Asked::Forget { number }
            | Asked::Trash { number }
            | Asked::Restore { number }
            | Asked::Purge { number }
            | Asked::Undo { number, .. }
            | Asked::Redo { number, .. } => Some(*number),
            _ => None,
        }
    }

    /// The chat it is about, where it is about one that exists.
    pub fn session(&self) -> Option<SessionId> {
        match self {
            Asked::Push { session, .. }
            | Asked::Close { session }
            | Asked::Resume { session }
            | Asked::TrashSession { session }
            | Asked::RestoreSession { session }
            | Asked::PurgeSession { session } => Some(*session),
            _ => None,
        }
    }
}

/// What the library answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum Answered {
    /// A fact was written: what it says now, and nothing where it has ended.
    Written {
        number: Number,
        content: Option<String>,
        token: Option<UndoToken>,
    },
    Opened {
        session: SessionId,
    },
    Pushed {
        session: SessionId,
        number: u64,
    },
    /// A chat was closed; `through` is how far it has been learned from.
    Closed {
        session: SessionId,
        closing: Closing,
        through: u64,
    },
    Done,
    /// What it names went away meanwhile; nothing was changed.
    Missing,
}

/// The library's [`keepmind::Closing`], as it is said between the processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Closing {
    NothingNew,
    Learned,
    StillActive,
    Deferred,
    WithoutModel,
    ByAnother,
    /// One that this program does not know yet.
    Unknown,
}

impl From<keepmind::Closing> for Closing {
    fn from(closing: keepmind::Closing) -> Self {
        match closing {
            keepmind::Closing::NothingNew => Closing::NothingNew,
            keepmind::Closing::Learned => Closing::Learned,
            keepmind::Closing::StillActive => Closing::StillActive,
            keepmind::Closing::Deferred => Closing::Deferred,
            keepmind::Closing::WithoutModel => Closing::WithoutModel,
            keepmind::Closing::ByAnother => Closing::ByAnother,
            _ => Closing::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_they_were_written() {
        let number: Number = serde_json::from_str("3").unwrap();
        let lines = [
            Line::Ready { ready: true },
            Line::Announced {
                announce: 17,
                user: "ada".to_owned(),
                asked: Asked::Update {
                    number,
                    content: "tea".to_owned(),
                },
            },
            Line::Announced {
                announce: 18,
                user: "ada".to_owned(),
                asked: Asked::Open,
            },
            Line::Acknowledged {
                ack: 17,
                answered: Answered::Written {
                    number,
                    content: None,
                    token: None,
                },
            },
            Line::Acknowledged {
                ack: 18,
                answered: Answered::Done,
            },
            Line::Failed {
                fail: 19,
                message: "no".to_owned(),
            },
        ];
        for line in lines {
            let text = serde_json::to_string(&line).unwrap();
            assert_eq!(serde_json::from_str::<Line>(&text).unwrap(), line, "{text}");
        }
    }
}
