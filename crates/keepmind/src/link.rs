//! A relation between two facts. It joins numbers, so it follows a fact through its versions.

use serde::{Deserialize, Serialize};

use crate::ids::Number;

/// A relation between two facts of one owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// The fact it goes out from.
    pub from: Number,
    /// The fact it points to.
    pub to: Number,
    /// What it says: `relates_to`, `supersedes`, `contradicts`, `supports`, or a word of the host's.
    pub relation: String,
}
