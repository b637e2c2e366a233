//! A memory's words as a model is shown them, in the block and in tools' answers alike.

use crate::inject::escape;
use crate::row::MemoryRow;

/// A text as one line that cannot be read as anything but a text.
pub(crate) fn text(text: &str) -> String {
    let line = escape::line(text, false).unwrap_or_default();
    line.strip_prefix(escape::BULLET)
        .map(str::to_owned)
        .unwrap_or(line)
}

/// The line that the block has for a row; nothing if it has nothing to show. Never the body.
pub(crate) fn line(row: &MemoryRow) -> Option<String> {
    let claim = &row.body.claim;
    let is_tentative = !claim.source.is_explicit() && row.marks.confidence.is_some();
    let text = claim.summary.as_deref().unwrap_or(&claim.content);
    escape::line(text, is_tentative)
}
