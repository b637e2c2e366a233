//! A relation between two facts. It joins numbers, so it follows a fact through its versions.

use serde::{Deserialize, Serialize};

use crate::ids::Number;

/// The longest word for a relation, in characters.
pub(crate) const LONGEST_RELATION: usize = 40;

/// Whether a word can name a relation: 1 to 40 characters of `a-z`, `0-9` and `_`.
pub(crate) fn is_relation(word: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    (1..=LONGEST_RELATION).contains(&word.len()) && word.bytes().all(is_plain)
}

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
