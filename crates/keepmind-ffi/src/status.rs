//! How a call ended, as a number that never changes its meaning.

use keepmind::{Error, ErrorKind};

/// How a call ended. Numbers are never used again for something else.
pub type km_status = u32;

/// It did what was asked.
pub const KM_OK: km_status = 0;

/// A pointer that is needed is NULL.
pub const KM_NULL: km_status = 1;
/// A text is not UTF-8.
pub const KM_NOT_UTF8: km_status = 2;
/// A text is longer than KM_MAX_BYTES.
pub const KM_TOO_LONG: km_status = 3;
/// The handle was freed, or never given out. A reply: it was answered already, or nobody waits any more.
pub const KM_STALE_HANDLE: km_status = 4;
/// The handle is of another kind.
pub const KM_WRONG_HANDLE: km_status = 5;
/// Called from inside a callback, where only replies, strings and errors may be used.
pub const KM_REENTRANT: km_status = 6;
/// Called in a process that was forked from one that uses the library.
pub const KM_FORKED: km_status = 7;
/// A fault in the library. It was caught, and the handle can still be used.
pub const KM_PANIC: km_status = 8;
/// km_session_cancel ended the call. What was being written may have been written.
pub const KM_CANCELLED: km_status = 9;

/// The input is wrong; nothing was changed. Mend it and call again.
pub const KM_INVALID: km_status = 20;
/// The data moved on meanwhile; nothing was changed. Call again.
pub const KM_CONFLICT: km_status = 21;
/// What the call names is not there; nothing was changed.
pub const KM_NOT_FOUND: km_status = 22;
/// A rule says no; nothing was changed. The error's code says which.
pub const KM_REFUSED: km_status = 23;
/// Another writer kept the store busy for too long; nothing was changed. Call again.
pub const KM_BUSY: km_status = 24;
/// No room is left; nothing was changed.
pub const KM_FULL: km_status = 25;
/// Whether it was written is not known.
pub const KM_OUTCOME_UNKNOWN: km_status = 26;
/// The engine was closed.
pub const KM_CLOSED: km_status = 27;
/// The file is damaged. It was left as it is.
pub const KM_DAMAGED: km_status = 28;
/// The file belongs to something else. It was left as it is.
pub const KM_FOREIGN: km_status = 29;
/// The file was written by a newer version of this library. It was left as it is.
pub const KM_NEWER: km_status = 30;
/// The environment cannot be used: a folder that cannot be written.
pub const KM_UNSUPPORTED: km_status = 31;
/// Reading or writing failed below the library.
pub const KM_IO: km_status = 32;

/// Why a call failed: what becomes a status, and an error where one is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    pub status: km_status,
    pub message: String,
    pub code: Option<&'static str>,
    pub is_retryable: bool,
}

impl Failure {
    pub fn new(status: km_status, message: impl Into<String>) -> Self {
        Failure {
            status,
            message: message.into(),
            code: None,
            is_retryable: false,
        }
    }

    pub fn invalid(message: impl Into<String>) -> Self {
        Failure::new(KM_INVALID, message)
    }

    pub fn null(what: &str) -> Self {
        Failure::new(KM_NULL, format!("`{what}` is NULL"))
    }

    pub fn closed() -> Self {
        Failure::new(KM_CLOSED, "the engine was closed: open another one")
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure {
            status: status(error.kind()),
            message: error.to_string(),
            code: error.code(),
            is_retryable: error.is_retryable(),
        }
    }
}

fn status(kind: ErrorKind) -> km_status {
    match kind {
        ErrorKind::Invalid => KM_INVALID,
        ErrorKind::Conflict => KM_CONFLICT,
        ErrorKind::NotFound => KM_NOT_FOUND,
        ErrorKind::Refused => KM_REFUSED,
        ErrorKind::Busy => KM_BUSY,
        ErrorKind::Full => KM_FULL,
        ErrorKind::OutcomeUnknown => KM_OUTCOME_UNKNOWN,
        ErrorKind::Closed => KM_CLOSED,
        ErrorKind::Damaged => KM_DAMAGED,
        ErrorKind::Foreign => KM_FOREIGN,
        ErrorKind::Newer => KM_NEWER,
        ErrorKind::Unsupported => KM_UNSUPPORTED,
        // A kind of a later version of the core: nothing more precise is known here.
        _ => KM_IO,
    }
}
