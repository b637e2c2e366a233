//! Looks words up in lists of words and phrases.

use super::super::words::Word;
use super::verbs::ADVERBS;

/// Where the words go on after adverbs.
pub(super) fn adverbs(words: &[Word<'_>], from: usize) -> usize {
    let mut at = from;
    loop {
        let rest = words.get(at..).unwrap_or_default();
        let taken = longest(rest, ADVERBS);
        let by_ending = rest.first().is_some_and(|word| {
            word.form.len() > 4
                && word.form.ends_with("ly")
                && !word.is(&["family", "reply", "apply", "fly", "rely", "early", "only"])
        });
        match (taken, by_ending) {
            (0, false) => return at,
            (0, true) => at += 1,
            (taken, _) => at += taken,
        }
    }
}

/// Whether the words begin with an entry of a list; a phrase has `_` between its words.
pub(super) fn starts(words: &[Word<'_>], list: &[&str]) -> bool {
    longest(words, list) > 0
}

pub(super) fn longest(words: &[Word<'_>], list: &[&str]) -> usize {
    let Some(first) = words.first() else {
        return 0;
    };
    let length = |entry: &&str| {
        if !entry.starts_with(&*first.form) {
            return 0;
        }
        let parts = entry.split('_');
        let count = parts.clone().count();
        let fits = count <= words.len()
            && parts
                .zip(words)
                .enumerate()
                .all(|(index, (part, word))| part == word.form && (index == 0 || word.follows()));
        if fits { count } else { 0 }
    };
    list.iter().map(length).max().unwrap_or(0)
}
