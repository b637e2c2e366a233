//! Puts cleaned text together: decides which joiners and variation selectors stay, and where
//! blanks and newlines go. What is stripped or refused before is decided in `sanitise`.

use unicode_normalization::char::canonical_combining_class;

use super::emoji::{ZERO_WIDTH_JOINER, pictograph, skin_tone, variation_selector};
use super::script::{ideograph, joining};

const ZERO_WIDTH_NON_JOINER: char = '\u{200c}';

/// The output so far, and what was read but depends on what follows.
///
/// Decisions look at the last character with combining class 0 only, never at the marks after it:
/// normalising may reorder those, and the result must pass unchanged the second time.
pub(super) struct Cleaned {
    text: String,
    blank: bool,
    newlines: usize,
    joiner: Option<char>,
    base: Option<char>,
    in_emoji: bool,
}

impl Cleaned {
    /// Nothing yet, with room for `bytes`.
    pub(super) fn with_capacity(bytes: usize) -> Self {
        Self {
            text: String::with_capacity(bytes),
            blank: false,
            newlines: 0,
            joiner: None,
            base: None,
            in_emoji: false,
        }
    }

    /// White space was read, with so many newlines to keep.
    pub(super) fn space(&mut self, newlines: usize) {
        self.settle_joiner(None);
        self.base = None;
        self.in_emoji = false;
        if !self.text.is_empty() {
            self.blank = true;
            self.newlines += newlines;
        }
    }

    /// Any other character was read.
    pub(super) fn push(&mut self, character: char) {
        if matches!(character, ZERO_WIDTH_JOINER | ZERO_WIDTH_NON_JOINER) {
            self.joiner.get_or_insert(character);
            return;
        }
        if variation_selector(character) && !self.varies(character) {
            return;
        }
        self.settle_joiner(Some(character));
        if self.newlines > 0 {
            self.text.extend(std::iter::repeat_n('\n', self.newlines));
        } else if self.blank {
            self.text.push(' ');
        }
        self.blank = false;
        self.newlines = 0;
        self.text.push(character);
        self.in_emoji = pictograph(character)
            || (self.in_emoji && (character == '\u{fe0f}' || skin_tone(character)));
        if canonical_combining_class(character) == 0 {
            self.base = Some(character);
        }
    }

    fn varies(&self, selector: char) -> bool {
        self.base.is_some_and(|base| {
            !variation_selector(base) && (selector <= '\u{fe0f}' || ideograph(base))
        })
    }

    fn settle_joiner(&mut self, next: Option<char>) {
        let Some(joiner) = self.joiner.take() else {
            return;
        };
        let after_letter = self.base.is_some_and(joining);
        let wanted = if joiner == ZERO_WIDTH_JOINER {
            // After a letter it shapes that letter even at the end of a word.
            after_letter || (self.in_emoji && next.is_some_and(pictograph))
        } else {
            after_letter
                && next.is_some_and(|next| joining(next) && canonical_combining_class(next) == 0)
        };
        if wanted {
            self.text.push(joiner);
        }
    }

    /// The whole text.
    pub(super) fn finish(mut self) -> String {
        self.settle_joiner(None);
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_decides() {
        let table = [
            ("a\u{200d}b", "ab"),
            ("ی\u{200c}ی", "ی\u{200c}ی"),
            ("ی\u{200c}a", "یa"),
            ("👩\u{200d}🚀", "👩\u{200d}🚀"),
            ("👩\u{301}\u{200d}🚀", "👩\u{301}🚀"),
            ("\u{fe0f}a\u{fe0f}\u{fe0f}", "a\u{fe0f}"),
            (" a  b ", "a b"),
        ];
        for (given, expected) in table {
            let mut cleaned = Cleaned::with_capacity(given.len());
            for character in given.chars() {
                match character {
                    ' ' => cleaned.space(0),
                    other => cleaned.push(other),
                }
            }
            assert_eq!(cleaned.finish(), expected, "{}", given.escape_unicode());
        }
    }

    #[test]
    fn a_newline_outweighs_blanks() {
        let mut cleaned = Cleaned::with_capacity(0);
        cleaned.space(1);
        cleaned.push('a');
        cleaned.space(0);
        cleaned.space(2);
        cleaned.push('b');
        cleaned.space(1);
        assert_eq!(cleaned.finish(), "a\n\nb");
    }
}
