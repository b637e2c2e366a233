//! What the stores with a database have in common: how rows are read from columns, how pages and searches are
//! made from what the database reads, what is kept in memory of it, and how work gets to a connection.
//!
//! No SQL here, and no driver: a store brings the statements, by the traits of these modules, and what is asked
//! of them is the same for all.

pub(super) mod cache;
pub(super) mod columns;
#[cfg(feature = "sqlite")]
mod here;
pub(super) mod list;
pub(super) mod pool;
pub(super) mod postings;
pub(super) mod prepare;
pub(super) mod recall;
pub(super) mod records;
pub(super) mod runtime;
pub(super) mod search;
pub(super) mod segments;
pub(super) mod store;
pub(super) mod stored;
pub(super) mod vectors;
pub(super) mod words;

use uuid::Uuid;

use crate::error::Error;
use crate::owner::{Owner, OwnerState, Revision};
use crate::search::keywords::Corpus;

/// Where an owner's data stands when it is begun to read it, and by what the database knows the owner.
pub(super) struct Standing<K> {
    pub(super) key: K,
    pub(super) counters: Counters,
    /// How many memories there are to search,
    pub(super) memories: Corpus,
    /// and how many messages.
    pub(super) messages: Corpus,
}

/// An owner's counters, and which writes moved them last. A server that was set back to an earlier state comes to the
/// same counters by other writes; a file is never set back while it is open, and names none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counters {
    pub(crate) state: OwnerState,
    /// The write that moved the revision last,
    pub(crate) revised: Uuid,
    /// and the one that changed an embedding last.
    pub(crate) embedded: Uuid,
}

/// What an owner's memories are at one moment, as far as caches care.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Edition {
    revision: Revision,
    write: Uuid,
}

impl Counters {
    pub(crate) fn edition(&self) -> Edition {
        Edition {
            revision: self.state.revision,
            write: self.revised,
        }
    }
}

impl Edition {
    /// The revision that they are at.
    #[cfg(feature = "sqlite")]
    pub(crate) fn revision(&self) -> Revision {
        self.revision
    }

    /// What no owner's memories ever are.
    pub(crate) const NEVER: Edition = Edition {
        revision: Revision {
            count: u64::MAX,
            ..Revision::NONE
        },
        write: Uuid::nil(),
    };
}

impl From<OwnerState> for Counters {
    fn from(state: OwnerState) -> Self {
        Counters {
            state,
            revised: Uuid::nil(),
            embedded: Uuid::nil(),
        }
    }
}

/// A connection, as what is common asks it.
pub(super) trait Shelf: Send {
    /// Why it does not answer.
    type Failure: From<Error> + Send;
    /// By what the database knows an owner.
    type Key: Copy + Send + Sync;

    /// Begins to read: until [`Shelf::end`] everything is seen at one revision. `None` for an owner of whom
    /// nothing is known.
    fn begin(
        &mut self,
        owner: &Owner,
    ) -> impl Future<Output = Result<Option<Standing<Self::Key>>, Self::Failure>> + Send;

    /// Has read.
    fn end(&mut self) -> impl Future<Output = Result<(), Self::Failure>> + Send;
}
