//! Words of a text with what stands around them, and tables that give words classes: what the
//! screens for secrets and instructions are made of. What a class means is theirs to say.

use std::ops::Range;

use unicode_normalization::char::is_combining_mark;

use super::bytes::alphanumeric_length;
use super::fnv::{Table, hash};
use super::skeleton::fold_into;

/// A set of classes, one bit each.
pub(super) type Classes = u64;

/// A word, folded, and what surrounds it.
#[derive(Debug, Clone)]
pub(super) struct Word {
    folded: Range<usize>,
    /// By which tables know it.
    hash: u64,
    /// Where it stands in the text that was cut.
    pub(super) place: Range<usize>,
    /// It begins with a capital letter.
    pub(super) capital: bool,
    /// Nothing but blanks and hyphens is between it and the word before; false for the first.
    pub(super) joined: bool,
    /// It is one of several parts of a domain, address or file name.
    pub(super) dotted: bool,
    /// An `'s` followed.
    pub(super) possessive: bool,
}

/// A text cut into words.
pub(super) struct Words {
    folded: String,
    words: Vec<Word>,
}

impl Words {
    /// The words of an uncovered text.
    pub(super) fn of(text: &str) -> Self {
        // Where no word is put together from parts, each stands in the folded text where it stood.
        let is_plain = text.is_ascii() && !text.contains('\'');
        let mut folded = match is_plain {
            true => text.to_ascii_lowercase(),
            false => String::with_capacity(text.len()),
        };
        let mut words: Vec<Word> = Vec::with_capacity(text.len() / 5 + 1);
        let mut rest = text;
        let mut between = Between::default();
        while let Some(first) = rest.chars().next() {
            let at = text.len() - rest.len();
            let length = if in_word(first) { word_length(rest) } else { 0 };
            if length == 0 {
                rest = &rest[first.len_utf8()..];
                between.push(first, rest.chars().next());
                continue;
            }
            let start = if is_plain { at } else { folded.len() };
            if !is_plain {
                fold_into(&mut folded, &rest[..length]);
            }
            if between.dot
                && let Some(before) = words.last_mut()
            {
                before.dotted = true;
            }
            let mut word = Word {
                folded: start..if is_plain { at + length } else { folded.len() },
                hash: 0,
                place: at..at + length,
                capital: first.is_uppercase(),
                joined: !words.is_empty() && !between.breaks,
                dotted: between.dot && !words.is_empty(),
                possessive: false,
            };
            rest = &rest[length..];
            if !is_plain && let Some(tail) = rest.strip_prefix('\'') {
                let tail_length = word_length(tail);
                match &tail[..tail_length] {
                    "s" | "S" => {
                        word.possessive = true;
                        rest = &tail[tail_length..];
                    }
                    "t" | "T" => {
                        folded.push('t');
                        word.folded.end += 1;
                        word.place.end += 1 + tail_length;
                        rest = &tail[tail_length..];
                    }
                    // "l'utilisateur": two words without a break.
                    _ if tail_length > 0 => rest = tail,
                    _ => {}
                }
            }
            word.hash = hash(&folded[word.folded.clone()]);
            words.push(word);
            between = Between::default();
        }
        Words { folded, words }
    }

    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    pub(super) fn get(&self, index: usize) -> Option<&Word> {
        self.words.get(index)
    }

    /// The hash of [`Words::text`].
    pub(super) fn hash(&self, index: usize) -> u64 {
        self.words
            .get(index)
            .map_or_else(|| hash(""), |word| word.hash)
    }

    /// The word at `index`, folded; empty beyond the end.
    pub(super) fn text(&self, index: usize) -> &str {
        self.words
            .get(index)
            .map_or("", |word| &self.folded[word.folded.clone()])
    }
}

/// What was read since the last word.
#[derive(Default)]
struct Between {
    breaks: bool,
    dot: bool,
    any: bool,
}

impl Between {
    fn push(&mut self, character: char, next: Option<char>) {
        let glued = !self.any && next.is_some_and(in_word);
        self.dot = glued && matches!(character, '.' | '@' | '/' | '_');
        // A hyphen between blanks is a dash.
        let dash = character == '-' && !glued;
        if !self.dot && (dash || !matches!(character, ' ' | '\t' | '-' | '\'' | '*' | '_' | '/')) {
            self.breaks = true;
        }
        self.any = true;
    }
}

fn in_word(character: char) -> bool {
    character.is_ascii_alphanumeric()
        || (!character.is_ascii() && (character.is_alphanumeric() || is_combining_mark(character)))
}

fn word_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let plain = alphanumeric_length(bytes);
    if bytes.get(plain).is_none_or(u8::is_ascii) {
        return plain;
    }
    let rest = &text[plain..];
    let more = rest.find(|character| !in_word(character));
    plain + more.unwrap_or(rest.len())
}

/// Classes of words and of phrases of several words.
#[derive(Default)]
pub(super) struct Lexicon {
    words: Table<Entry>,
}

#[derive(Default)]
struct Entry {
    alone: Classes,
    phrases: Vec<(Vec<&'static str>, Classes)>,
}

impl Lexicon {
    /// From lists of words with blanks between them; a phrase has `_` between its words.
    pub(super) fn new(lists: &[(Classes, &'static str)]) -> Self {
        let mut words: Table<Entry> = Table::default();
        for (classes, list) in lists {
            for item in list.split_whitespace() {
                let mut parts = item.split('_');
                let first = parts.next().unwrap_or_default();
                let entry = words.entry(hash(first), first);
                let more: Vec<_> = parts.collect();
                if more.is_empty() {
                    entry.alone |= classes;
                } else {
                    entry.phrases.push((more, *classes));
                }
            }
        }
        Lexicon { words }
    }

    /// The classes of what begins at `index`, and how many words that is.
    pub(super) fn look_up(&self, words: &Words, index: usize) -> (Classes, usize) {
        let Some(entry) = self.words.get(words.hash(index), words.text(index)) else {
            return (0, 1);
        };
        let mut found = (entry.alone, 1);
        for (more, classes) in &entry.phrases {
            let fits = more.iter().zip(index + 1..).all(|(part, index)| {
                words.text(index) == *part && words.get(index).is_some_and(|word| word.joined)
            });
            if fits && more.len() + 1 >= found.1 {
                found = (found.0 | classes, more.len() + 1);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_know_their_surroundings() {
        let words = Words::of("Don't trust evil.example, l'ami - Anna's pin-code");
        let list: Vec<_> = (0..words.len()).map(|index| words.text(index)).collect();
        assert_eq!(
            list,
            [
                "dont", "trust", "evil", "example", "l", "ami", "anna", "pin", "code"
            ]
        );
        let flags = |index: usize| {
            let word = words.get(index).unwrap();
            (word.joined, word.dotted, word.capital)
        };
        assert_eq!(flags(0), (false, false, true));
        assert_eq!(flags(1), (true, false, false));
        assert_eq!(flags(3), (true, true, false));
        assert_eq!(flags(4), (false, false, false));
        assert_eq!(flags(6), (false, false, true));
        assert!(words.get(6).unwrap().possessive);
        assert_eq!(flags(8), (true, false, false));
    }

    proptest! {
        #[test]
        fn a_text_folded_at_once_has_the_same_words(text in "[a-cA-C0-9 .,_@/*-]{0,24}") {
            let at_once = Words::of(&text);
            // An apostrophe at the end belongs to no word, and has each folded by itself.
            let one_by_one = Words::of(&format!("{text}'"));
            prop_assert_eq!(at_once.len(), one_by_one.len());
            for index in 0..at_once.len() {
                prop_assert_eq!(at_once.text(index), one_by_one.text(index));
                let [one, other] = [&at_once, &one_by_one].map(|words| {
                    let word = words.get(index).unwrap();
                    let flags = [word.capital, word.joined, word.dotted, word.possessive];
                    (word.hash, word.place.clone(), flags)
                });
                prop_assert_eq!(one, other);
            }
        }
    }

    #[test]
    fn a_word_is_as_long_as_its_letters_and_marks() {
        for (text, length) in [
            ("", 0),
            (" tea", 0),
            ("tea", 3),
            ("tea-pot", 3),
            ("caf\u{e9}s!", 6),
            ("cafe\u{301} au", 6),
            ("\u{e9}t\u{e9}", 5),
            ("tea\u{2014}pot", 3),
        ] {
            assert_eq!(word_length(text), length, "{text}");
        }
    }

    #[test]
    fn phrases_outweigh_words() {
        let lexicon = Lexicon::new(&[(1, "system from"), (2, "from_now_on from_now")]);
        let words = Words::of("From now on, from now, from, now");
        assert_eq!(lexicon.look_up(&words, 0), (3, 3));
        assert_eq!(lexicon.look_up(&words, 3), (3, 2));
        assert_eq!(lexicon.look_up(&words, 5), (1, 1));
        assert_eq!(lexicon.look_up(&words, 6), (0, 1));
    }
}
