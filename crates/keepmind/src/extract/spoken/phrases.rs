//! Tables that give words and phrases classes. What a class means is said where it is used.

use std::collections::HashMap;

use super::words::Word;

/// A set of classes, one bit each.
pub(super) type Classes = u32;

/// Words and phrases by their first word.
pub(super) struct Phrases {
    by_first: HashMap<&'static str, Vec<(Vec<&'static str>, Classes)>>,
}

impl Phrases {
    /// From lists of words with blanks between them; a phrase has `_` between its words.
    pub(super) fn new(lists: impl IntoIterator<Item = &'static (Classes, &'static str)>) -> Self {
        let mut by_first: HashMap<_, Vec<_>> = HashMap::new();
        for (classes, list) in lists {
            for item in list.split_whitespace() {
                let mut parts = item.split('_');
                let first = parts.next().unwrap_or_default();
                let rest: Vec<&str> = parts.collect();
                by_first.entry(first).or_default().push((rest, *classes));
            }
        }
        Phrases { by_first }
    }

    /// The classes of the longest entry that `words` begin with, and how many words it takes. Entries of
    /// the same length add up.
    pub(super) fn at(&self, words: &[Word<'_>]) -> (Classes, usize) {
        let Some(entries) = words
            .first()
            .and_then(|word| self.by_first.get(&*word.form))
        else {
            return (0, 0);
        };
        let mut found = (0, 0);
        for (rest, classes) in entries {
            let length = rest.len() + 1;
            if length < found.1 || length > words.len() {
                continue;
            }
            let fits = rest
                .iter()
                .zip(&words[1..])
                .all(|(part, word)| *part == word.form && word.follows());
            if fits {
                let earlier = if length == found.1 { found.0 } else { 0 };
                found = (earlier | classes, length);
            }
        }
        found
    }

    /// How many words the longest entry of these classes takes at the beginning of `words`: 0 for none.
    pub(super) fn length(&self, words: &[Word<'_>], wanted: Classes) -> usize {
        let (classes, length) = self.at(words);
        if classes & wanted != 0 { length } else { 0 }
    }
}
