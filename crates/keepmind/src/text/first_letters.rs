//! The first two letters of the words of a table: nearly every word of a text begins otherwise, and need not be
//! looked up.

/// Which two letters words begin with, of words that are ASCII letters there.
pub(super) struct FirstLetters([u32; 26]);

impl FirstLetters {
    /// Those of a table. Words are folded; what does not begin with two letters of ASCII is not in here.
    pub(super) const fn of(words: &[&str]) -> Self {
        FirstLetters([0; 26]).and_of(words)
    }

    /// Those of another table too.
    pub(super) const fn and_of(mut self, words: &[&str]) -> Self {
        let mut index = 0;
        while index < words.len() {
            if let [first @ b'a'..=b'z', second @ b'a'..=b'z', ..] = words[index].as_bytes() {
                self.0[(*first - b'a') as usize] |= 1 << (*second - b'a');
            }
            index += 1;
        }
        self
    }

    /// Whether a word of ASCII, in any case, begins as one of the table does.
    pub(super) fn may_begin(&self, word: &[u8]) -> bool {
        let place = |byte: u8| byte.to_ascii_lowercase().wrapping_sub(b'a');
        match word {
            [first, second, ..] if first.is_ascii_alphabetic() && second.is_ascii_alphabetic() => {
                self.0[usize::from(place(*first))] & 1 << place(*second) != 0
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_letters_tell_most_words_apart() {
        let letters = FirstLetters::of(&["user", "нет", "x"]).and_of(&["no"]);
        for (word, expected) in [
            ("user", true),
            ("USED", true),
            ("No", true),
            ("none", true),
            ("n", false),
            ("n1", false),
            ("u'ser", false),
            ("tea", false),
            ("", false),
        ] {
            assert_eq!(letters.may_begin(word.as_bytes()), expected, "{word}");
        }
    }
}
