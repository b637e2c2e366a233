//! What SQLite's failures mean to a caller. Their own texts can quote rows, so none is passed on.

use crate::error::{Error, ErrorKind};
use crate::store::database::columns;

/// Why a piece of work inside a transaction ended.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The data refuses it: the transaction is sound and can be rolled back.
    Refused(Error),
    /// SQLite failed: nothing more may run on this connection.
    Broken(sqlx::Error),
    /// SQLite failed at the COMMIT: whether it happened only the file knows.
    Uncertain(sqlx::Error),
}

pub(crate) type Work<T> = Result<T, Failure>;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Refused(error)
    }
}

impl From<sqlx::Error> for Failure {
    fn from(error: sqlx::Error) -> Self {
        Failure::Broken(error)
    }
}

impl Failure {
    /// Whether the connection is as good as before. It may stand in a transaction: another is made in no time.
    pub(super) fn is_harmless(&self) -> bool {
        false
    }

    pub(super) fn into_error(self, operation: &'static str) -> Error {
        match self {
            Failure::Uncertain(_) => Error::new(
                ErrorKind::OutcomeUnknown,
                operation,
                "the file failed while committing: do the same again",
            ),
            known => known.into_known_error(operation),
        }
    }

    /// The error, when it is known that nothing was changed.
    pub(super) fn into_known_error(self, operation: &'static str) -> Error {
        match self {
            Failure::Refused(error) => error,
            Failure::Broken(error) | Failure::Uncertain(error) => error_of(operation, &error),
        }
    }
}

/// SQLite's primary result code, if it was SQLite that failed.
pub(super) fn primary_code(error: &sqlx::Error) -> Option<i32> {
    let code: i32 = error.as_database_error()?.code()?.parse().ok()?;
    Some(code & 0xff)
}

pub(super) fn is_busy(error: &sqlx::Error) -> bool {
    matches!(primary_code(error), Some(5 | 6))
}

pub(super) fn error_of(operation: &'static str, error: &sqlx::Error) -> Error {
    let (kind, message) = match primary_code(error) {
        Some(5 | 6) => (
            ErrorKind::Busy,
            "another process kept the file locked for too long: call again".to_owned(),
        ),
        Some(8) => (
            ErrorKind::Unsupported,
            "the file or its folder cannot be written: check permissions".to_owned(),
        ),
        Some(11) => (
            ErrorKind::Damaged,
            "the file is damaged: restore it from a copy; nothing was changed".to_owned(),
        ),
        Some(13) => (
            ErrorKind::Full,
            "no room is left for the file: make room and call again".to_owned(),
        ),
        Some(14) => (
            ErrorKind::Unsupported,
            "the file cannot be opened: check that its folder exists and can be written".to_owned(),
        ),
        Some(19) => (
            ErrorKind::Invalid,
            "the rows contradict what is stored: load and plan again".to_owned(),
        ),
        Some(26) => (
            ErrorKind::Foreign,
            "this is not an SQLite file: choose another path; nothing was changed".to_owned(),
        ),
        Some(code) => (
            ErrorKind::Io,
            format!("SQLite failed with code {code}: check the disk"),
        ),
        None => match error {
            sqlx::Error::Decode(_)
            | sqlx::Error::ColumnDecode { .. }
            | sqlx::Error::ColumnNotFound(_) => (
                ErrorKind::Damaged,
                "a stored row cannot be read: restore the file from a copy".to_owned(),
            ),
            _ => (
                ErrorKind::Io,
                "the connection to the file failed: call again, or open the store anew".to_owned(),
            ),
        },
    };
    Error::new(kind, operation, message)
}

/// A stored value that does not mean anything to this version.
pub(super) fn damaged(what: &str) -> Failure {
    Failure::Refused(columns::damaged(what))
}
