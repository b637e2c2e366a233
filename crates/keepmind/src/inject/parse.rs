//! Reads a rendered block back into its lines, for tests and for hosts that want to show it.

use super::escape;

/// One memory's line, read back.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParsedLine {
    /// The heading it stands under, without the marks.
    pub section: String,
    /// What the memory says, without any escaping.
    pub text: String,
    /// Whether it is marked as not said explicitly.
    pub tentative: bool,
    /// How sure the memory is, where the line says so: `high`, `medium` or `low`.
    pub confidence: Option<String>,
    /// The day on which it was last confirmed, where the line says so.
    pub confirmed: Option<String>,
}

/// The memories' lines of a block's text, or of a whole prompt made from it, in the order shown.
///
/// Gives back exactly what was rendered, whatever the memories hold.
pub fn parse(text: &str) -> Vec<ParsedLine> {
    let mut section = None;
    let mut lines = Vec::new();
    for line in text.split('\n') {
        if let Some(heading) = line.strip_prefix("### ") {
            section = Some(heading);
        } else if let (Some(section), Some((text, mark))) = (section, escape::read(line)) {
            lines.push(ParsedLine {
                section: section.to_owned(),
                text,
                tentative: mark.is_tentative,
                confidence: mark.confidence.map(str::to_owned),
                confirmed: mark.confirmed,
            });
        } else {
            // The memories end with the first line that is none.
            section = None;
        }
    }
    lines
}
