//! Stems of English words, those asked for last at hand. Stemming is most of what cutting a text costs, and
//! the same words come again at once: in the user's message, in what a model makes of it, in the search
//! for what is alike, and in the index.

use std::borrow::Cow;
use std::cell::RefCell;
use std::hash::Hasher as _;

use rust_stemmers::{Algorithm, Stemmer};

use super::fnv::Fnv;

/// How many words are at hand, at most; a word has one place. A chat of fifty turns has some hundreds.
const PLACES: usize = 1_024;
/// Longer words are stemmed each time.
const LONGEST: usize = 24;

#[derive(Clone, Copy)]
struct Known {
    word: [u8; LONGEST],
    stem: [u8; LONGEST],
    word_length: u8,
    stem_length: u8,
}

const NOTHING: Known = Known {
    word: [0; LONGEST],
    stem: [0; LONGEST],
    word_length: 0,
    stem_length: 0,
};

impl Known {
    fn new(word: &str, stem: &str) -> Option<Self> {
        let mut known = NOTHING;
        known.word_length = u8::try_from(word.len()).ok()?;
        known.stem_length = u8::try_from(stem.len()).ok()?;
        known
            .word
            .get_mut(..word.len())?
            .copy_from_slice(word.as_bytes());
        known
            .stem
            .get_mut(..stem.len())?
            .copy_from_slice(stem.as_bytes());
        Some(known)
    }

    fn stem_of<'w>(&self, word: &'w str) -> Option<Cow<'w, str>> {
        if self.word[..usize::from(self.word_length)] != *word.as_bytes() {
            return None;
        }
        let stem = &self.stem[..usize::from(self.stem_length)];
        if word.as_bytes().starts_with(stem) {
            return word.get(..stem.len()).map(Cow::Borrowed);
        }
        let stem = str::from_utf8(stem).ok()?;
        Some(Cow::Owned(stem.to_owned()))
    }
}

thread_local! {
    static LAST: RefCell<Vec<Known>> = const { RefCell::new(Vec::new()) };
}

/// The stem of an English word.
pub(super) fn stem(word: &str) -> Cow<'_, str> {
    if word.is_empty() || word.len() > LONGEST {
        return stem_anew(word);
    }
    let mut hash = Fnv::default();
    hash.write(word.as_bytes());
    let hash = hash.finish();
    let place = (hash ^ hash >> 32) as usize % PLACES;
    LAST.with_borrow_mut(|last| {
        if last.is_empty() {
            last.resize(PLACES, NOTHING);
        }
        if let Some(stem) = last[place].stem_of(word) {
            return stem;
        }
        let stem = stem_anew(word);
        if let Some(known) = Known::new(word, &stem) {
            last[place] = known;
        }
        stem
    })
}

fn stem_anew(word: &str) -> Cow<'_, str> {
    Stemmer::create(Algorithm::English).stem(word)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_at_hand_is_the_stem(
            words in prop::collection::vec("[a-z]{0,26}|(hop|sk|d|rel|happ){1,2}(ing|ies|ational|y|ed)", 0..64),
        ) {
            for word in words.iter().chain(&words) {
                prop_assert_eq!(stem(word), stem_anew(word));
            }
        }
    }
}
