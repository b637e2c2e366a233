//! What the words of a content begin with: it says of most contents, without making their terms, that they
//! share too little with another.

/// Which two letters or digits of ASCII the words of a text begin with, several pairs to a bit. A term begins
/// as its word does, whatever its ending was: nearly every content lacks what another's terms begin with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Openings([u64; 4]);

impl Openings {
    /// Of other scripts anything may become a letter: such a text may hold every pair.
    pub(super) fn of(text: &str) -> Self {
        if !text.is_ascii() {
            return Openings([u64::MAX; 4]);
        }
        let mut openings = Openings([0; 4]);
        let is_sign = |byte: &u8| SIGNS[usize::from(*byte)] != NO_SIGN;
        let mut rest = text.as_bytes();
        while let Some(start) = rest.iter().position(is_sign) {
            rest = &rest[start..];
            openings.add(rest);
            let length = rest.iter().take_while(|byte| is_sign(byte)).count();
            rest = &rest[length..];
        }
        openings
    }

    /// What these terms begin with.
    pub(super) fn of_terms<'t>(terms: impl Iterator<Item = &'t str>) -> Self {
        let mut openings = Openings([0; 4]);
        for term in terms {
            openings.add(term.as_bytes());
        }
        openings
    }

    /// Adds how a word begins. One letter alone, which may be all that is left of a word, says nothing.
    fn add(&mut self, word: &[u8]) {
        let (first, second) = match word {
            // "O'Brien" is one word, and so is "don't".
            [first, b'\'', second, ..] | [first, second, ..] => (*first, *second),
            _ => return,
        };
        let first = SIGNS[usize::from(first)];
        let second = match second {
            // "dying" becomes "die".
            b'y' | b'Y' => b'i',
            other => SIGNS[usize::from(other)],
        };
        if first != NO_SIGN && second != NO_SIGN {
            let place = usize::from(first.wrapping_mul(31).wrapping_add(second));
            self.0[place / 64] |= 1 << (place % 64);
        }
    }

    /// How many beginnings, at least, no word of a text has.
    pub(super) fn missing_in(self, text: &Self) -> usize {
        let missing = |place: usize| (self.0[place] & !text.0[place]).count_ones() as usize;
        missing(0) + missing(1) + missing(2) + missing(3)
    }
}

/// What is no letter and no digit of ASCII.
const NO_SIGN: u8 = 0;

/// Each byte that is a letter or a digit of ASCII, in small letters.
const SIGNS: [u8; 256] = {
    let mut signs = [NO_SIGN; 256];
    let mut byte = 0_u8;
    while byte.is_ascii() {
        if byte.is_ascii_alphanumeric() {
            signs[byte as usize] = byte.to_ascii_lowercase();
        }
        byte += 1;
    }
    signs
};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text;

    proptest! {
        #[test]
        fn a_term_begins_as_a_word_does(
            text in "(([a-zA-Z]{1,9}(ing|ies|y|s|'s|ed)?|[0-9]{1,3}k?|[dltx]ying|skies|é|GPT-4|O'[bB]rien|([a-z]'){1,2}[nt]'t)[ '.,_-]{1,2}){0,8}",
        ) {
            let openings = Openings::of(&text);
            for term in text::terms(&text) {
                let begins = Openings::of_terms([term.as_str()].into_iter());
                prop_assert_eq!(begins.missing_in(&openings), 0, "{}", term);
            }
        }
    }
}
