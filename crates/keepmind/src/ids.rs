//! The names of things: row ids, origins, numbers, versions, sessions, operations.
//! Making new ids is not here: planning takes them from an [`IdSource`](crate::IdSource).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! uuid_names {
    ($($(#[$doc:meta])* $name:ident;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// Takes the identifier as it is.
            pub const fn new(uuid: Uuid) -> Self {
                Self(uuid)
            }

            /// The identifier underneath.
            pub const fn uuid(self) -> Uuid {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, formatter)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(formatter, concat!(stringify!($name), "({})"), self.0)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, uuid::Error> {
                Uuid::parse_str(text).map(Self)
            }
        }
    )+};
}

uuid_names! {
    /// One row: a version of a fact, a link, a tombstone or a proposal.
    RowId;
    /// The first row of a body. Copies made by restoring, undoing and redoing share it.
    Origin;
    /// One chat.
    SessionId;
    /// Behaviour a host saw.
    ObservationId;
    /// One entry of the usage ledger.
    UsageId;
    /// One commit. Committing the same operation again answers what the first answered.
    OperationId;
    /// Commits that are undone as one: a close, a consolidation, an import.
    GroupId;
    /// One life of an owner, from the first write to erasure: the id of the operation that began it.
    Epoch;
    /// Who holds a session's lease.
    LeaseHolder;
}

impl Epoch {
    /// The epoch of an owner of whom nothing was ever written.
    pub const NONE: Epoch = Epoch(Uuid::nil());
}

impl From<RowId> for Origin {
    fn from(id: RowId) -> Self {
        Origin(id.0)
    }
}

impl From<OperationId> for Epoch {
    fn from(id: OperationId) -> Self {
        Epoch(id.0)
    }
}

/// The largest number, version or message number that can be kept.
const LARGEST: u64 = i64::MAX as u64 >> 24;

macro_rules! counted_names {
    ($($(#[$doc:meta])* $name:ident up to $largest:expr;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "u64", into = "u64")]
        pub struct $name(u64);

        impl $name {
            /// The first one.
            pub const FIRST: Self = Self(1);
            /// The last one that can be kept.
            pub const LAST: Self = Self($largest);

            /// Counts from 1; `None` for 0 and for what is too large to be kept.
            pub const fn new(count: u64) -> Option<Self> {
                if count == 0 || count > $largest { None } else { Some(Self(count)) }
            }

            /// The count.
            pub const fn get(self) -> u64 {
                self.0
            }

            /// The one after this, or `None` after the last.
            pub const fn next(self) -> Option<Self> {
                Self::new(self.0 + 1)
            }
        }

        impl TryFrom<u64> for $name {
            type Error = CountError;

            fn try_from(count: u64) -> Result<Self, CountError> {
                Self::new(count).ok_or(CountError { count, largest: $largest })
            }
        }

        impl From<$name> for u64 {
            fn from(count: $name) -> u64 {
                count.0
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(formatter, concat!(stringify!($name), "({})"), self.0)
            }
        }
    )+};
}

counted_names! {
    /// A fact through all its versions: the `12` of `#12`. Counts up for each owner, never used twice.
    Number up to LARGEST;
    /// Which row of a fact: the `3` of `v3`.
    Version up to (1 << 24) - 1;
    /// A message's place in its session.
    MessageNumber up to LARGEST;
    /// A message's place among all messages of its owner.
    MessageOrdinal up to LARGEST;
}

/// A count outside what can be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("counts go from 1 to {largest}, not {count}")]
pub struct CountError {
    /// What was given.
    pub count: u64,
    /// The largest that can be kept.
    pub largest: u64,
}

impl fmt::Display for Number {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "#{}", self.0)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "v{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_checked_when_read() {
        assert!(serde_json::from_str::<Number>("0").is_err());
        assert!(serde_json::from_str::<Number>("-1").is_err());
        assert!(serde_json::from_str::<Number>("9223372036854775807").is_err());
        assert_eq!(
            serde_json::from_str::<Number>("12").unwrap().to_string(),
            "#12"
        );
        assert_eq!(Version::LAST.next(), None);
        assert_eq!(Version::FIRST.to_string(), "v1");
    }
}
