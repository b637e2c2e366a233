//! The block: the text about a user that a session begins with. Select, fit the budget, render; pure, so
//! the same rows, policy and time give the same bytes. Freezing it with a session is not here.

mod baseline;
mod budget;
mod digests;
mod escape;
mod flat;
mod line;
mod mark;
mod parse;
mod render;
mod select;
mod shown;
mod standing;
mod tally;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use crate::ids::RowId;
use crate::model::TokenCounter;
use crate::policy::Policy;
use crate::row::MemoryRow;
use crate::timestamp::Timestamp;

pub(crate) use baseline::baseline;
pub(crate) use digests::add_digests;
pub(crate) use line::Line;
pub use parse::{ParsedLine, parse};
pub(crate) use shown::{joined, line, lines, text, unmarked};

/// What a session begins with: the memories, and how to use them.
///
/// The memory part is within the policy's budgets as it stands, and has each memory whole on a line of
/// its own or not at all. Nothing that a memory holds can end its line or give it another meaning.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Block {
    /// The memory part, with a newline at its end; empty if nothing is shown.
    pub text: String,
    /// The standing text: the influence order and how to keep memories. Empty if the policy has no block.
    pub standing: String,
    /// The rows in the memory part, in the order shown.
    pub rows: Vec<RowId>,
    /// Each row's line as it stands in the memory part, without the newline.
    pub lines: Vec<String>,
    /// How many rows could have been shown but did not fit.
    pub left_out: usize,
}

impl Block {
    /// What goes into the prompt: the memory part, a blank line, the standing text.
    pub fn prompt(&self) -> String {
        if self.text.is_empty() || self.standing.is_empty() {
            return format!("{}{}", self.text, self.standing);
        }
        format!("{}\n{}", self.text, self.standing)
    }
}

/// Renders the block of an owner from their rows, which may come in any order and may have ended.
///
/// Shown are facts (episodes are recalled, digests are part of a context) that are live at `now`, outside the excluded
/// domains, of a category with a budget, and explicit or at least as sure as the inject floor; as many as
/// fit, chosen by authority, explicitness, importance times effective confidence, and recency. Lines stand
/// in order of number, so a new fact changes only what follows its place unless the budget makes it take
/// another's.
pub fn block(
    rows: &[MemoryRow],
    policy: &Policy,
    excluded_domains: &BTreeSet<String>,
    now: Timestamp,
    tokens: &dyn TokenCounter,
) -> Block {
    let lines: Vec<(&MemoryRow, Line)> = rows
        .iter()
        .filter_map(|row| Some((row, Line::of(row, policy, tokens)?)))
        .collect();
    let lines = lines.iter().map(|(row, line)| (*row, line));
    block_of(lines, policy, excluded_domains, now, tokens)
}

/// The rows that a block would show if all of them fitted, those that go first in front.
pub(crate) fn eligible<'a>(
    lines: impl Iterator<Item = (&'a MemoryRow, &'a Line)>,
    policy: &Policy,
    excluded_domains: &BTreeSet<String>,
    now: Timestamp,
) -> Vec<&'a MemoryRow> {
    let candidates = select::candidates(lines, policy, excluded_domains, now);
    candidates
        .into_iter()
        .map(|candidate| candidate.row)
        .collect()
}

/// How a model should use what it is told: the same for every user.
pub(crate) fn standing_text(policy: &Policy) -> String {
    match policy.block.budget {
        0 => String::new(),
        _ => standing::standing(policy),
    }
}

/// The same from lines that were made before, each beside its row.
pub(crate) fn block_of<'a>(
    lines: impl Iterator<Item = (&'a MemoryRow, &'a Line)>,
    policy: &Policy,
    excluded_domains: &BTreeSet<String>,
    now: Timestamp,
    tokens: &dyn TokenCounter,
) -> Block {
    if policy.block.budget == 0 {
        return Block::default();
    }
    let layout = render::Layout::new(policy);
    let candidates = select::candidates(lines, policy, excluded_domains, now);
    let budget::Fitted { shown, text } = budget::fit(&candidates, &layout, policy, tokens);
    let shown_ones = || shown.iter().map(|index| &candidates[*index]);
    Block {
        text,
        standing: standing::standing(policy),
        rows: shown_ones().map(|candidate| candidate.row.id).collect(),
        lines: shown_ones()
            .map(|candidate| candidate.line.text.trim_end_matches('\n').to_owned())
            .collect(),
        left_out: candidates.len() - shown.len(),
    }
}
