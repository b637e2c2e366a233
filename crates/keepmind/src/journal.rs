//! What each checked commit did, without any text: enough to undo anything that was not purged.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::ids::{GroupId, OperationId, Origin, SessionId};
use crate::row::{Kind, State};
use crate::timestamp::Timestamp;

/// One checked commit. Appended, never changed; an undo is an entry that names what it undoes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JournalEntry {
    /// The count of the owner's revision after the commit; entries count up without gaps.
    pub revision: u64,
    /// The commit.
    pub operation: OperationId,
    /// The commit's stamp.
    pub stamp: Timestamp,
    /// Who did it.
    pub who: Who,
    /// In which chat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// What it is undone together with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<GroupId>,
    /// What became of each origin it touched, in order of origin.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<Effect>,
    /// The revisions it takes back.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub undoes: BTreeSet<u64>,
    /// The undos it takes back.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub redoes: BTreeSet<u64>,
    /// What happened, for a person, without any content: `saved #12`.
    pub line: String,
}

/// Who wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Who {
    /// The user, through the host.
    User,
    /// The assistant, through a tool.
    Agent,
    /// A close.
    Extractor,
    /// A consolidation.
    Consolidator,
    /// The sweep.
    Sweep,
    /// The host on its own account: import, restore, maintenance.
    Host,
}

/// What became of one origin.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Effect {
    /// Which kind of row.
    pub kind: Kind,
    /// Which body.
    pub origin: Origin,
    /// What it was.
    pub before: State,
    /// What it is now; [`State::Absent`] after a purge.
    pub after: State,
}
