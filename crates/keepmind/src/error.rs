//! The one error of the crate: what kind, can it be retried, during what, and what to do.

use std::fmt;

use serde::Serialize;

/// What went wrong, in a form a host can act on.
///
/// Never carries a user's words, nor a backend's own error type: only kinds, codes, lengths and ids.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{operation}: {message}")]
pub struct Error {
    kind: ErrorKind,
    operation: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
}

/// The kinds of failure, by what a host does about them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input is wrong; nothing was changed. Mend it and call again.
    Invalid,
    /// The data moved on since it was loaded; nothing was changed. Load and plan again.
    Conflict,
    /// What the call names is not there; nothing was changed.
    NotFound,
    /// A rule says no; nothing was changed. The message says which and what would be allowed.
    Refused,
    /// Another writer kept the store busy for too long; nothing was changed. Call again.
    Busy,
    /// No room is left; nothing was changed. Make room and call again.
    Full,
    /// Whether it was written is not known. Call again with the same operation id.
    OutcomeUnknown,
    /// The store was closed.
    Closed,
    /// The file is damaged. It was left as it is.
    Damaged,
    /// The file belongs to something else. It was left as it is.
    Foreign,
    /// The data was written by a newer version of this library. It was left as it is.
    Newer,
    /// The environment cannot be used: a version too old, a folder that cannot be written.
    Unsupported,
    /// Reading or writing failed below the library.
    Io,
}

impl Error {
    /// An error of that kind, during that operation. The message says what was wrong and what to do,
    /// and never quotes a user's words.
    pub fn new(kind: ErrorKind, operation: &'static str, message: impl fmt::Display) -> Self {
        Error {
            kind,
            operation,
            message: message.to_string(),
            code: None,
        }
    }

    /// With the stable name of the rule that objected.
    pub(crate) fn with_code(mut self, code: &'static str) -> Self {
        self.code = Some(code);
        self
    }

    /// The input is wrong.
    pub fn invalid(operation: &'static str, message: impl fmt::Display) -> Self {
        Error::new(ErrorKind::Invalid, operation, message)
    }

    /// A stored value does not mean anything to this version.
    pub(crate) fn unreadable(what: &str) -> Self {
        Error::new(
            ErrorKind::Damaged,
            "read",
            format_args!("a stored {what} cannot be read: restore the data from a copy"),
        )
    }

    /// What kind of failure it is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What was being done.
    pub fn operation(&self) -> &'static str {
        self.operation
    }

    /// The stable name of the rule that objected, where one did: `E_AMBIGUOUS`.
    pub fn code(&self) -> Option<&'static str> {
        self.code
    }

    /// What was wrong and what to do.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Whether the same call can succeed later without a change. A conflict cannot: it needs a new plan.
    pub fn is_retryable(&self) -> bool {
        matches!(
            self.kind,
            ErrorKind::Busy | ErrorKind::Full | ErrorKind::OutcomeUnknown
        )
    }
}

/// A result with the crate's error.
pub type Result<T, E = Error> = std::result::Result<T, E>;
