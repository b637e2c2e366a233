//! Whose memory it is: the name that every call carries, and how far an owner's data has moved.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ids::Epoch;
use crate::timestamp::Timestamp;

/// Whose memory: a name the host chooses, compared byte for byte.
///
/// Never empty or blank, never with NUL, at most [`Owner::MAX_BYTES`] long. Nothing in this library
/// reads or writes data without one, and nothing takes a bare string in its place.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Owner(Box<str>);

/// Why a name cannot be an owner's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OwnerError {
    /// The name is empty or only blanks.
    #[error("an owner needs a name: it is empty or blank; pass the user's stable id")]
    Empty,
    /// The name holds NUL.
    #[error("an owner's name cannot hold NUL (byte {position})")]
    Nul {
        /// Where the NUL stands.
        position: usize,
    },
    /// The name is too long.
    #[error("an owner's name has {bytes} bytes; at most {max} are kept: pass an id or a hash")]
    TooLong {
        /// How long it is.
        bytes: usize,
        /// How long it may be.
        max: usize,
    },
}

impl Owner {
    /// The longest name, in bytes.
    pub const MAX_BYTES: usize = 512;

    /// Takes a name, or says why it cannot be one.
    pub fn new(name: impl Into<String>) -> Result<Self, OwnerError> {
        let name = name.into();
        if name.trim().is_empty() {
            return Err(OwnerError::Empty);
        }
        if let Some(position) = name.bytes().position(|byte| byte == 0) {
            return Err(OwnerError::Nul { position });
        }
        if name.len() > Self::MAX_BYTES {
            return Err(OwnerError::TooLong {
                bytes: name.len(),
                max: Self::MAX_BYTES,
            });
        }
        Ok(Owner(name.into_boxed_str()))
    }

    /// The name as the host gave it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Owner {
    type Error = OwnerError;

    fn try_from(name: String) -> Result<Self, OwnerError> {
        Owner::new(name)
    }
}

impl From<Owner> for String {
    fn from(owner: Owner) -> Self {
        owner.0.into()
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Debug for Owner {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Owner({:?})", &self.0)
    }
}

/// How far an owner's data has moved: which life of the owner, and how many checked commits in it.
///
/// Erasing an owner and writing again begins a new epoch, so a plan made before the erasure can never
/// be committed after it, whatever the count says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Revision {
    /// Which life of the owner; [`Epoch::NONE`] while nothing was ever written.
    pub epoch: Epoch,
    /// Checked commits so far.
    pub count: u64,
}

impl Revision {
    /// The revision of an owner of whom nothing was ever written.
    pub const NONE: Revision = Revision {
        epoch: Epoch::NONE,
        count: 0,
    };
}

impl fmt::Display for Revision {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.count)
    }
}

/// The counters of one owner, read and moved with every commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnerState {
    /// How far the data has moved.
    pub revision: Revision,
    /// The number the next fact gets. Numbers are never used twice, purged ones included.
    pub next_number: u64,
    /// The stamp of the last checked commit; the next one is later, whatever the clock says.
    pub last_stamp: Option<Timestamp>,
    /// How many times embeddings were written or removed: with the revision, what a cache of vectors is keyed by.
    pub embedding_changes: u64,
}

impl OwnerState {
    /// The state of an owner of whom nothing was ever written.
    pub const NONE: OwnerState = OwnerState {
        revision: Revision::NONE,
        next_number: 1,
        last_stamp: None,
        embedding_changes: 0,
    };

    /// The stamp a checked commit made now carries: the clock, or just after the last one where the
    /// clock has jumped back. `None` when time has run out (the last stamp is the last moment there is).
    pub fn stamp(&self, clock: Timestamp) -> Option<Timestamp> {
        match self.last_stamp {
            Some(last) => Some(clock.max(last.next()?)),
            None => Some(clock),
        }
    }

    /// The moment a read made now speaks of: never before the last stamp.
    pub fn reading_time(&self, clock: Timestamp) -> Timestamp {
        self.last_stamp.map_or(clock, |last| clock.max(last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_checked() {
        assert_eq!(Owner::new(""), Err(OwnerError::Empty));
        assert_eq!(Owner::new(" \t\n"), Err(OwnerError::Empty));
        assert_eq!(Owner::new("a\0b"), Err(OwnerError::Nul { position: 1 }));
        assert!(matches!(
            Owner::new("x".repeat(513)),
            Err(OwnerError::TooLong { bytes: 513, .. })
        ));
        assert_eq!(Owner::new("alice").unwrap().as_str(), "alice");
        assert!(serde_json::from_str::<Owner>("\"\"").is_err());
    }

    #[test]
    fn stamps_never_go_back() {
        let clock = Timestamp::from_micros(10).unwrap();
        let mut state = OwnerState::NONE;
        assert_eq!(state.stamp(clock), Some(clock));
        state.last_stamp = Timestamp::from_micros(100).ok();
        assert_eq!(state.stamp(clock), Timestamp::from_micros(101).ok());
        assert_eq!(Some(state.reading_time(clock)), state.last_stamp);
        state.last_stamp = Some(Timestamp::MAX);
        assert_eq!(state.stamp(clock), None);
    }
}
