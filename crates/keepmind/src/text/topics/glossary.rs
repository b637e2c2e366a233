//! A table of words, stems, endings and phrases with classes, looked up in words of a text; and one
//! of pieces, for scripts without blanks between words. What a class means is in `classes`.

use std::collections::HashMap;
use std::hash::Hasher as _;

use crate::order;
use crate::text::fnv::{self, Bits, Fnv, hash};
use crate::text::lexicon::{Classes, Words};
use crate::text::skeleton::skeleton;

/// No stem and no ending is longer, in bytes.
const LONGEST: usize = 48;

/// Words that Arabic writes as one with the next.
const ARABIC_PREFIXES: [&str; 8] = ["ال", "وال", "بال", "لل", "و", "ب", "ل", "ف"];

/// One word of an entry.
struct Part {
    text: String,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Whole,
    Stem,
    Ending,
}

impl Part {
    fn new(written: &str) -> Self {
        let (text, kind) = if let Some(stem) = written.strip_suffix('*') {
            (stem, Kind::Stem)
        } else if let Some(ending) = written.strip_prefix('*') {
            (ending, Kind::Ending)
        } else {
            (written, Kind::Whole)
        };
        Part {
            text: skeleton(text),
            kind,
        }
    }

    fn fits(&self, word: &str) -> bool {
        let fits = |word: &str| match self.kind {
            Kind::Whole => word == self.text,
            Kind::Stem => word.starts_with(&self.text),
            Kind::Ending => word.ends_with(&self.text),
        };
        fits(word) || !word.is_ascii() && without_prefixes(word).any(fits)
    }
}

struct Entry {
    /// The words that must follow.
    more: Vec<Part>,
    classes: Classes,
}

type Table = fnv::Table<Vec<Entry>>;

/// What words mean.
#[derive(Default)]
pub(super) struct Glossary {
    whole: Table,
    stems: Table,
    /// By the hash of their bytes from the last to the first: endings are read that way.
    endings: Table,
    stem_doors: Doors,
    ending_doors: Doors,
}

/// Which three bytes anything begins (or ends) with: most words need not be looked up letter by letter.
#[derive(Default)]
struct Doors {
    open: Bits<{ 1 << 7 }>,
    /// Something is shorter than three bytes.
    is_wide: bool,
}

impl Doors {
    fn of(mut bytes: impl Iterator<Item = u8>) -> Option<u64> {
        let (first, second, third) = (bytes.next()?, bytes.next()?, bytes.next()?);
        let door = (u64::from(first) * 31 + u64::from(second)) * 31 + u64::from(third);
        Some(door)
    }

    fn let_in(&mut self, bytes: impl Iterator<Item = u8>) {
        match Doors::of(bytes) {
            Some(door) => self.open.set(door),
            None => self.is_wide = true,
        }
    }

    fn may_enter(&self, bytes: impl Iterator<Item = u8>) -> bool {
        self.is_wide || Doors::of(bytes).is_some_and(|door| self.open.may_hold(door))
    }
}

impl Glossary {
    /// From lists of words with blanks between them, written as people write them: a phrase has `_`
    /// between its words, a stem ends with `*`, an ending begins with it.
    pub(super) fn new<'list>(
        lists: impl IntoIterator<Item = &'list (Classes, &'list str)>,
    ) -> Self {
        let mut glossary = Glossary::default();
        for (classes, list) in lists {
            for item in list.split_whitespace() {
                let mut parts = item.split('_').map(Part::new);
                let Some(first) = parts.next() else { continue };
                match first.kind {
                    Kind::Whole => {}
                    Kind::Stem => glossary.stem_doors.let_in(first.text.bytes()),
                    Kind::Ending => glossary.ending_doors.let_in(first.text.bytes().rev()),
                }
                let (table, hash) = match first.kind {
                    Kind::Whole => (&mut glossary.whole, hash(&first.text)),
                    Kind::Stem => (&mut glossary.stems, hash(&first.text)),
                    Kind::Ending => (&mut glossary.endings, hash_from_end(&first.text)),
                };
                table.entry(hash, &first.text).push(Entry {
                    more: parts.collect(),
                    classes: *classes,
                });
            }
        }
        glossary
    }

    /// Each entry that begins at `index`: its classes, and how many words it has.
    pub(super) fn look_up(
        &self,
        words: &Words,
        index: usize,
        mut found: impl FnMut(Classes, usize),
    ) {
        let mut add = |entries: Option<&Vec<Entry>>| {
            for entry in entries.into_iter().flatten() {
                let fits = entry.more.iter().zip(index + 1..).all(|(part, index)| {
                    words.get(index).is_some_and(|word| word.joined) && part.fits(words.text(index))
                });
                if fits {
                    found(entry.classes, entry.more.len() + 1);
                }
            }
        };
        let word = words.text(index);
        self.look_up_beginnings(word, words.hash(index), &mut add);
        for rest in without_prefixes(word) {
            self.look_up_beginnings(rest, hash(rest), &mut add);
        }
        if !self.ending_doors.may_enter(word.bytes().rev()) {
            return;
        }
        let mut hash = Fnv::default();
        for (start, character) in word.char_indices().rev() {
            if word.len() - start > LONGEST {
                break;
            }
            write_from_end(&mut hash, &word[start..start + character.len_utf8()]);
            add(self.endings.get(hash.finish(), &word[start..]));
        }
    }

    /// The word, and what it begins with.
    fn look_up_beginnings<'g>(
        &'g self,
        word: &str,
        whole: u64,
        add: &mut impl FnMut(Option<&'g Vec<Entry>>),
    ) {
        add(self.whole.get(whole, word));
        if !self.stem_doors.may_enter(word.bytes()) {
            return;
        }
        let mut hash = Fnv::default();
        for (start, character) in word.char_indices() {
            let end = start + character.len_utf8();
            if end > LONGEST || end == word.len() {
                break;
            }
            hash.write(&word.as_bytes()[start..end]);
            add(self.stems.get(hash.finish(), &word[..end]));
        }
        add(self.stems.get(whole, word));
    }
}

fn hash_from_end(word: &str) -> u64 {
    let mut hash = Fnv::default();
    for (start, character) in word.char_indices().rev() {
        write_from_end(&mut hash, &word[start..start + character.len_utf8()]);
    }
    hash.finish()
}

fn write_from_end(hash: &mut Fnv, character: &str) {
    for byte in character.bytes().rev() {
        hash.write(&[byte]);
    }
}

fn without_prefixes(word: &str) -> impl Iterator<Item = &str> {
    const FEWEST_BYTES: usize = 6;
    let arabic = word.starts_with(|first| matches!(first, '\u{600}'..='\u{6ff}'));
    ARABIC_PREFIXES
        .iter()
        .filter(move |_| arabic)
        .filter_map(move |prefix| word.strip_prefix(prefix))
        .filter(|rest| rest.len() >= FEWEST_BYTES)
}

/// What pieces of unspaced text mean.
pub(super) struct Pieces {
    by_first: HashMap<char, Vec<(String, Classes)>>,
}

impl Pieces {
    /// From lists with `|` between pieces.
    pub(super) fn new<'list>(
        lists: impl IntoIterator<Item = &'list (Classes, &'list str)>,
    ) -> Self {
        let mut by_first: HashMap<char, Vec<(String, Classes)>> = HashMap::new();
        for (classes, list) in lists {
            for piece in list.split('|').map(skeleton) {
                if let Some(first) = piece.chars().next() {
                    by_first.entry(first).or_default().push((piece, *classes));
                }
            }
        }
        // The longest first: it is the one that is meant.
        for pieces in by_first.values_mut() {
            order::sort_by_key(pieces, |(piece, _)| std::cmp::Reverse(piece.len()));
        }
        Pieces { by_first }
    }

    /// The classes of the pieces of a folded text, in order; what is inside a longer one does not count.
    pub(super) fn find(&self, text: &str) -> Vec<Classes> {
        let mut found = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let mut length = 0;
            let mut classes = 0;
            for (piece, more) in self.by_first.get(&first).into_iter().flatten() {
                if piece.len() >= length && rest.starts_with(piece.as_str()) {
                    length = piece.len();
                    classes |= more;
                }
            }
            if length > 0 {
                found.push(classes);
            }
            rest = &rest[length.max(first.len_utf8())..];
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stems_endings_and_phrases_are_found() {
        let glossary = Glossary::new(&[
            (1, "cancer diabet* *krebs"),
            (2, "trade_union*"),
            (4, "tropic_of_cancer"),
            (8, "рак СПИД سكري"),
        ]);
        let entries = |text: &str| {
            let words = Words::of(text);
            let mut found = Vec::new();
            for index in 0..words.len() {
                glossary.look_up(&words, index, |classes, length| {
                    found.push((classes, length))
                });
            }
            found
        };
        assert_eq!(entries("cancer diabetes Brustkrebs"), [(1, 1); 3]);
        assert_eq!(entries("trade-unions, trade, union"), [(2, 2)]);
        assert_eq!(entries("tropic of cancer"), [(4, 3), (1, 1)]);
        assert_eq!(entries("спид брак рак"), [(8, 1); 2]);
        assert_eq!(entries("والسكري"), [(8, 1)]);
    }

    #[test]
    fn the_longest_piece_counts() {
        let pieces = Pieces::new(&[(1, "癌|癌症"), (2, "癌症研究"), (1, "糖尿病")]);
        assert_eq!(pieces.find("糖尿病和癌症"), [1, 1]);
        assert_eq!(pieces.find("癌症研究"), [2]);
    }
}
