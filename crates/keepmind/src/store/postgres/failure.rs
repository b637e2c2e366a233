//! What PostgreSQL's failures mean to a caller. Their own texts can quote rows, so none is passed on.

use crate::error::{Error, ErrorKind};

/// Why a piece of work ended.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The data refuses it: nothing is wrong with the connection.
    Refused(Error),
    /// The server or the way to it failed: nothing more may run on this connection.
    Broken(sqlx::Error),
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
    pub(super) fn into_error(self, operation: &'static str) -> Error {
        match self {
            Failure::Refused(error) => error,
            Failure::Broken(error) => error_of(operation, &error),
        }
    }

    /// Nothing was heard of the server for too long: the line counts as cut.
    pub(super) fn silence() -> Failure {
        Failure::Broken(sqlx::Error::Io(std::io::ErrorKind::TimedOut.into()))
    }

    /// Whether the connection is as good as before: only the data was refused.
    pub(super) fn is_harmless(&self) -> bool {
        matches!(self, Failure::Refused(_))
    }

    /// Whether somebody else was in the way for a moment: the same again may well succeed.
    pub(super) fn is_momentary(&self) -> bool {
        // 40001: could not be put in an order with others; 40P01: a deadlock.
        matches!(self, Failure::Broken(error) if matches!(state(error).as_deref(), Some("40001" | "40P01")))
    }

    /// Whether a statement names what there is not, or what may not be used.
    pub(super) fn is_of_what_is_missing(&self) -> bool {
        // 42703, 42704, 42883, 3F000: a column, a type, a function or operator, a schema; 58P01: the program of an
        // extension; 42501: it is not allowed.
        let missing = ["42703", "42704", "42883", "3F000", "58P01", "42501"];
        matches!(self, Failure::Broken(error) if state(error).is_some_and(|code| missing.contains(&&*code)))
    }

    /// Whether the way to the server was lost: of what was sent last nobody knows what became of it.
    pub(super) fn is_cut(&self) -> bool {
        match self {
            Failure::Refused(_) => false,
            Failure::Broken(error) => is_cut(error),
        }
    }
}

/// The five characters by which PostgreSQL names what went wrong, if it was PostgreSQL.
fn state(error: &sqlx::Error) -> Option<String> {
    Some(error.as_database_error()?.code()?.into_owned())
}

fn is_cut(error: &sqlx::Error) -> bool {
    match state(error) {
        // 57P01 to 57P05: the server goes down, or ends the session; 25P03: it was idle for too long in a
        // transaction; 08: the connection itself.
        Some(code) => code.starts_with("57P0") || code.starts_with("08") || code == "25P03",
        None => !matches!(
            error,
            sqlx::Error::Decode(_)
                | sqlx::Error::ColumnDecode { .. }
                | sqlx::Error::ColumnNotFound(_)
                | sqlx::Error::Encode(_)
                | sqlx::Error::Configuration(_)
        ),
    }
}

pub(super) fn error_of(operation: &'static str, error: &sqlx::Error) -> Error {
    let code = state(error);
    let (kind, message) = match code.as_deref() {
        Some("40001" | "40P01") => (
            ErrorKind::Busy,
            "other writers were in the way too often: call again",
        ),
        Some("55P03" | "57014") => (
            ErrorKind::Busy,
            "the server took longer than was allowed: call again, or allow more time",
        ),
        Some("53300" | "57P03") => (
            ErrorKind::Busy,
            "the server takes no more connections now: call again",
        ),
        Some("53100") => (
            ErrorKind::Full,
            "no room is left on the server: make room and call again",
        ),
        Some("25006") => (
            ErrorKind::Unsupported,
            "the server is read-only: connect to the one that takes writes",
        ),
        Some("42501") => (
            ErrorKind::Unsupported,
            "the role may not do that on the server: grant it the schema and its tables",
        ),
        Some("28000" | "28P01") => (
            ErrorKind::Unsupported,
            "the server refuses the role or its password: check the URL",
        ),
        Some("3D000") => (
            ErrorKind::Unsupported,
            "the server has no such database: create it, or check the URL",
        ),
        Some(code) if code.starts_with("23") => (
            ErrorKind::Invalid,
            "the rows contradict what is stored: load and plan again",
        ),
        Some(code) if code.starts_with("57P0") || code.starts_with("08") || code == "25P03" => {
            (ErrorKind::Io, "the server ended the connection: call again")
        }
        Some(code) => {
            let what = format_args!("PostgreSQL failed with {code}: see the server's log");
            return Error::new(ErrorKind::Io, operation, what);
        }
        None => match error {
            sqlx::Error::Decode(_)
            | sqlx::Error::ColumnDecode { .. }
            | sqlx::Error::ColumnNotFound(_) => (
                ErrorKind::Damaged,
                "a stored row cannot be read: restore the data from a copy",
            ),
            sqlx::Error::Configuration(_) => (
                ErrorKind::Invalid,
                "this is no URL of a PostgreSQL server: write postgres://user@host/database",
            ),
            sqlx::Error::Io(error) if error.kind() == std::io::ErrorKind::TimedOut => (
                ErrorKind::Io,
                "the server did not answer in time: check the way to it, and call again",
            ),
            _ => (
                ErrorKind::Io,
                "the server cannot be reached: check that it runs and that the URL names it",
            ),
        },
    };
    Error::new(kind, operation, message)
}
