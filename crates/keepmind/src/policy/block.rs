//! How the frozen block looks and how large it may be. What goes into it, and its standing text, live
//! with the block.

use super::PolicyError;
use super::check::{self, MAX_TOKENS};
use serde::{Deserialize, Serialize};

/// How the block is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum BlockStyle {
    /// A heading for each category that has rows, in policy order.
    Advisor,
    /// Rules first, notes after, then conduct.
    Assistant,
}

/// The frozen text at session start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Block {
    /// How it is laid out.
    pub style: BlockStyle,
    /// Its first heading: one line of at most 60 characters.
    pub title: String,
    /// The most it may take, in tokens, counting title, headings and last line but not the standing
    /// text. 0: there is no block.
    pub budget: u32,
}

impl Block {
    pub(super) fn validate(&self) -> Result<(), PolicyError> {
        check::line("block.title", &self.title, 60)?;
        check::range("block.budget", self.budget, 0..=MAX_TOKENS)
    }
}
