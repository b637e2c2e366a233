//! What a memory's line ends with that is not the memory's own: how sure it is and when it was confirmed.

use crate::memory::Authority;
use crate::policy::BlockStyle;
use crate::row::MemoryRow;

/// From which confidence on a memory is called sure, and from which at least likely.
const HIGH: f64 = 0.8;
const MEDIUM: f64 = 0.5;

const TENTATIVE: &str = "tentative";
const CONFIDENCE: &str = "confidence: ";
const CONFIRMED: &str = "confirmed: ";
const WORDS: [&str; 3] = ["high", "medium", "low"];

/// What stands in brackets behind a memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Mark {
    /// It was not said explicitly.
    pub is_tentative: bool,
    /// How sure it is, in a word.
    pub confidence: Option<&'static str>,
    /// The day on which it was last confirmed, in UTC.
    pub confirmed: Option<String>,
}

impl Mark {
    /// The mark of a row. The advisor's block tells only what was inferred; the assistant's says of every
    /// rule how sure it is and when the user last confirmed it, and of notes where they were inferred.
    pub(super) fn of(row: &MemoryRow, style: BlockStyle) -> Self {
        let claim = &row.body.claim;
        let is_tentative = Mark::is_tentative(row);
        let is_told =
            style == BlockStyle::Assistant && (claim.authority == Authority::Rule || is_tentative);
        if !is_told {
            return Mark {
                is_tentative,
                ..Mark::default()
            };
        }
        // The day alone: everything a moment says more would only be counted against the budget.
        let day = |moment: crate::timestamp::Timestamp| moment.to_string()[..10].to_owned();
        Mark {
            is_tentative,
            confidence: Some(word(row.marks.confidence)),
            confirmed: row.marks.last_confirmed_at.map(day),
        }
    }

    /// Whether a row was only inferred.
    pub(super) fn is_tentative(row: &MemoryRow) -> bool {
        !row.body.claim.source.is_explicit() && row.marks.confidence.is_some()
    }

    /// As it stands at the end of a line.
    pub(super) fn written(&self) -> String {
        let tentative = self.is_tentative.then(|| TENTATIVE.to_owned());
        let confidence = self.confidence.map(|word| format!("{CONFIDENCE}{word}"));
        let confirmed = self
            .confirmed
            .as_ref()
            .map(|day| format!("{CONFIRMED}{day}"));
        let parts: Vec<String> = [tentative, confidence, confirmed]
            .into_iter()
            .flatten()
            .collect();
        match parts.is_empty() {
            true => String::new(),
            false => format!(" ({})", parts.join(", ")),
        }
    }

    /// The mark that a text ends with, and where it begins: at the blank before the bracket.
    pub(super) fn at_end_of(text: &str) -> Option<(usize, Self)> {
        let open = text.strip_suffix(')')?.rfind(" (")?;
        let inside = &text[open + 2..text.len() - 1];
        let mut mark = Mark::default();
        for part in inside.split(", ") {
            // Each at most once, and in the order in which they are written.
            let none_after = mark.confirmed.is_none();
            if part == TENTATIVE && mark == Mark::default() {
                mark.is_tentative = true;
            } else if let Some(word) = part.strip_prefix(CONFIDENCE)
                && mark.confidence.is_none()
                && none_after
            {
                mark.confidence = Some(WORDS.into_iter().find(|known| *known == word)?);
            } else if let Some(day) = part.strip_prefix(CONFIRMED)
                && none_after
                && is_day(day)
            {
                mark.confirmed = Some(day.to_owned());
            } else {
                return None;
            }
        }
        Some((open, mark))
    }
}

/// How sure a row is, in a word. What was said explicitly is sure.
fn word(confidence: Option<f64>) -> &'static str {
    let [high, medium, low] = WORDS;
    match confidence.unwrap_or(1.0) {
        sure if sure >= HIGH => high,
        sure if sure >= MEDIUM => medium,
        _ => low,
    }
}

fn is_day(text: &str) -> bool {
    text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for is_tentative in [false, true] {
            for confidence in [None, Some("high"), Some("medium"), Some("low")] {
                for confirmed in [None, Some("2025-01-10".to_owned())] {
                    let mark = Mark {
                        is_tentative,
                        confidence,
                        confirmed,
                    };
                    let read = Mark::at_end_of(&format!("likes tea{}", mark.written()));
                    let expected = (mark != Mark::default()).then_some((9, mark));
                    assert_eq!(read, expected);
                }
            }
        }
    }

    #[test]
    fn what_only_looks_alike_is_none() {
        for text in [
            "",
            "(tentative)",
            "x (tentative",
            "x (tentatively)",
            "x ()",
            "x (confidence: total)",
            "x (tentative, tentative)",
            "x (confirmed: 2025-01-10, confidence: high)",
            "x (confirmed: 2025-1-10)",
            "x (confidence: high,confirmed: 2025-01-10)",
        ] {
            assert_eq!(Mark::at_end_of(text), None, "{text}");
        }
    }
}
