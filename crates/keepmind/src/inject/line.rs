//! A row as the block would show it: all that the row, the policy and the counter decide together, so that
//! it can be kept for the next block. Whether it is shown is decided anew each time.

use crate::memory::{Authority, Layer};
use crate::model::TokenCounter;
use crate::policy::{BlockStyle, Policy};
use crate::row::MemoryRow;

use super::shown;

/// A row's line, and where it belongs.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    /// The line itself, with the newline.
    pub(crate) text: String,
    /// What the line takes by itself.
    pub(super) tokens: usize,
    /// The place of the row's category in the policy.
    pub(super) category: usize,
    /// The place of its heading in the layout.
    pub(super) section: usize,
}

impl Line {
    /// What the line takes by itself.
    pub(crate) fn tokens(&self) -> usize {
        self.tokens
    }

    /// The line of a row; nothing if no block shows it, whenever it is made.
    ///
    /// Only facts of a category with a budget are shown: episodes are recalled, and digests are part of a
    /// context.
    pub(crate) fn of(row: &MemoryRow, policy: &Policy, tokens: &dyn TokenCounter) -> Option<Self> {
        let claim = &row.body.claim;
        if claim.layer != Layer::Fact {
            return None;
        }
        let category = policy
            .categories
            .iter()
            .position(|category| category.name == claim.category && category.budget > 0)?;
        let section = match (policy.block.style, claim.authority) {
            (BlockStyle::Advisor, _) => category,
            (BlockStyle::Assistant, Authority::Rule) => 0,
            (BlockStyle::Assistant, Authority::Note) => 1,
        };
        let mut text = shown::line(row, policy.block.style)?;
        text.push('\n');
        Some(Line {
            tokens: tokens.count(&text),
            text,
            category,
            section,
        })
    }
}
