//! What every row has in common: where it came from, what may still change, and how it ended.

use serde::{Deserialize, Serialize};

use crate::ids::{Origin, RowId};
use crate::link::Link;
use crate::memory::{Marks, Memory};
use crate::proposal::Proposal;
use crate::strict::no_fields;
use crate::timestamp::Timestamp;
use crate::tombstone::Tombstone;

/// A row of the store.
///
/// The id, origin, `recorded_at` and body never change. The marks may, while the row is live. The end
/// is set once, and an ended row never changes again: going back means inserting a copy with the same
/// origin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row<B> {
    /// This row.
    pub id: RowId,
    /// The first row of this body; equal to `id` unless this is a restored, redone or reissued copy.
    pub origin: Origin,
    /// When the store came to believe it: the stamp of the commit that inserted it.
    pub recorded_at: Timestamp,
    /// How it ended, if it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<End>,
    /// What may change while it is live.
    #[serde(default, skip_serializing_if = "Marks::is_default")]
    pub marks: Marks,
    /// What it says.
    pub body: B,
}

/// A row that holds a memory.
pub type MemoryRow = Row<Memory>;

/// The four kinds of row that share one life cycle, one journal and one undo.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Body {
    /// One version of a fact.
    Memory(Memory),
    /// A relation between two facts.
    Link(Link),
    /// A span that must not be learned from again.
    Tombstone(Tombstone),
    /// An operation that waits for the user.
    Proposal(Proposal),
}

/// Which of the four kinds a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// One version of a fact.
    Memory,
    /// A relation between two facts.
    Link,
    /// A span that must not be learned from again.
    Tombstone,
    /// An operation that waits for the user.
    Proposal,
}

/// When and why a row ended. Set once, as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct End {
    /// When the store stopped believing it.
    pub at: Timestamp,
    /// Why.
    pub why: Why,
}

/// Why a row ended. Successors are named by origin, so that they are found through later copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Why {
    /// A newer version holds since `until`; this one was true before.
    Superseded {
        /// The successor.
        by: Origin,
        /// Until when this one was true.
        until: Timestamp,
    },
    /// It was never right; the successor took its place.
    Corrected {
        /// The successor.
        by: Origin,
    },
    /// Ended by the user or the assistant; kept for audit, never learned again.
    #[serde(deserialize_with = "no_fields")]
    Forgotten,
    /// Put in the trash; can be restored until it is purged.
    #[serde(deserialize_with = "no_fields")]
    Trashed,
    /// Its time ran out.
    Expired {
        /// Until when it was true.
        until: Timestamp,
    },
    /// A proposal the user turned down, or what it had held.
    #[serde(deserialize_with = "no_fields")]
    Rejected,
    /// Taken back by an undo: it counts as if it had never been.
    #[serde(deserialize_with = "no_fields")]
    Undone,
    /// Behaviour spoke against it until nothing was left of its confidence.
    Faded {
        /// Until when it was true.
        until: Timestamp,
    },
    /// Taken up into a higher layer.
    Absorbed {
        /// What took it up, where one row did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Origin>,
        /// Until when it was true.
        until: Timestamp,
    },
    /// A candidate that found no more evidence, or a tombstone or link that was lifted.
    #[serde(deserialize_with = "no_fields")]
    Discarded,
    /// A task that is done, or a proposal that was accepted.
    Done {
        /// Until when it was true.
        until: Timestamp,
    },
}

impl Why {
    /// The word for it: `superseded`.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Why::Superseded { .. } => "superseded",
            Why::Corrected { .. } => "corrected",
            Why::Forgotten => "forgotten",
            Why::Trashed => "trashed",
            Why::Expired { .. } => "expired",
            Why::Rejected => "rejected",
            Why::Undone => "undone",
            Why::Faded { .. } => "faded",
            Why::Absorbed { .. } => "absorbed",
            Why::Discarded => "discarded",
            Why::Done { .. } => "done",
        }
    }

    /// Until when the row was true in the world, where the reason says so.
    pub fn valid_until(&self) -> Option<Timestamp> {
        match *self {
            Why::Superseded { until, .. }
            | Why::Expired { until }
            | Why::Faded { until }
            | Why::Absorbed { until, .. }
            | Why::Done { until } => Some(until),
            Why::Corrected { .. }
            | Why::Forgotten
            | Why::Trashed
            | Why::Rejected
            | Why::Undone
            | Why::Discarded => None,
        }
    }

    /// The origin of the successor, where there is one.
    pub fn successor(&self) -> Option<Origin> {
        match *self {
            Why::Superseded { by, .. } | Why::Corrected { by } => Some(by),
            Why::Absorbed { by, .. } => by,
            _ => None,
        }
    }
}

/// What an origin is at one moment, without its text: what the journal keeps before and after.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case", deny_unknown_fields)]
pub enum State {
    /// There is no row of it.
    #[serde(deserialize_with = "no_fields")]
    Absent,
    /// Its last row has not ended.
    Live {
        /// The row's marks.
        marks: Marks,
    },
    /// Its last row has ended.
    Ended {
        /// Why.
        why: Why,
        /// The marks it ended with.
        marks: Marks,
    },
}

impl<B> Row<B> {
    /// What this row makes of its origin while it is the last one.
    pub fn state(&self) -> State {
        match self.end {
            None => State::Live { marks: self.marks },
            Some(End { why, .. }) => State::Ended {
                why,
                marks: self.marks,
            },
        }
    }

    /// True while no end is set. Whether it may be *shown* also depends on time: see
    /// [`visibility`](crate::visibility::visibility).
    pub fn is_open(&self) -> bool {
        self.end.is_none()
    }

    /// The same row with its body turned into another type.
    pub fn map<C>(self, convert: impl FnOnce(B) -> C) -> Row<C> {
        Row {
            id: self.id,
            origin: self.origin,
            recorded_at: self.recorded_at,
            end: self.end,
            marks: self.marks,
            body: convert(self.body),
        }
    }
}

impl<B> Row<B> {
    /// What all rows have, and the body by itself.
    pub fn split(self) -> (Row<()>, B) {
        let head = Row {
            id: self.id,
            origin: self.origin,
            recorded_at: self.recorded_at,
            end: self.end,
            marks: self.marks,
            body: (),
        };
        (head, self.body)
    }
}

impl Row<Body> {
    /// The row as a memory, if it is one.
    pub fn into_memory(self) -> Option<MemoryRow> {
        match self.split() {
            (head, Body::Memory(memory)) => Some(head.map(|()| memory)),
            _ => None,
        }
    }

    /// The row as a proposal, if it is one.
    pub fn into_proposal(self) -> Option<Row<Proposal>> {
        match self.split() {
            (head, Body::Proposal(proposal)) => Some(head.map(|()| proposal)),
            _ => None,
        }
    }

    /// The memory in the row, if it holds one.
    pub fn memory(&self) -> Option<&Memory> {
        match &self.body {
            Body::Memory(memory) => Some(memory),
            _ => None,
        }
    }
}

impl Body {
    /// Which of the four kinds it is.
    pub fn kind(&self) -> Kind {
        match self {
            Body::Memory(_) => Kind::Memory,
            Body::Link(_) => Kind::Link,
            Body::Tombstone(_) => Kind::Tombstone,
            Body::Proposal(_) => Kind::Proposal,
        }
    }
}
