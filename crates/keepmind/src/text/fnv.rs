//! FNV-1a, for tables that only ever hold words of our own: nobody can make those collide, and every word
//! of every text is looked up.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Builds hashers for tables of words.
pub(crate) type FnvBuilder = BuildHasherDefault<Fnv>;

/// The hash of what was read so far.
#[derive(Clone, Copy)]
pub(crate) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// The hash of a word.
pub(super) fn hash(word: &str) -> u64 {
    let mut hash = Fnv::default();
    hash.write(word.as_bytes());
    hash.finish()
}

/// What words mean, for whoever knows their hashes: those of a text are the same for every table.
pub(super) struct Table<T> {
    words: HashMap<u64, Vec<(String, T)>, BuildHasherDefault<Known>>,
    /// Most words of a text are in no table, and one look here says so.
    held: Bits<{ 1 << 9 }>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Table {
            words: HashMap::default(),
            held: Bits::default(),
        }
    }
}

/// Which hashes there are, several to a bit.
pub(super) struct Bits<const WORDS: usize>(Box<[u64; WORDS]>);

impl<const WORDS: usize> Default for Bits<WORDS> {
    fn default() -> Self {
        Bits(Box::new([0; WORDS]))
    }
}

impl<const WORDS: usize> Bits<WORDS> {
    fn place(hash: u64) -> (usize, u64) {
        let mixed = hash ^ hash >> 32;
        (mixed as usize / 64 % WORDS, 1 << (mixed % 64))
    }

    pub(super) fn set(&mut self, hash: u64) {
        let (word, bit) = Self::place(hash);
        self.0[word] |= bit;
    }

    /// Whether the hash was set, or another that shares its bit.
    pub(super) fn may_hold(&self, hash: u64) -> bool {
        let (word, bit) = Self::place(hash);
        self.0[word] & bit != 0
    }
}

impl<T: Default> Table<T> {
    /// What a word with that hash means, to be filled in.
    pub(super) fn entry(&mut self, hash: u64, word: &str) -> &mut T {
        self.held.set(hash);
        let words = self.words.entry(hash).or_default();
        let place = words.iter().position(|(known, _)| known == word);
        let place = place.unwrap_or_else(|| {
            words.push((word.to_owned(), T::default()));
            words.len() - 1
        });
        &mut words[place].1
    }

    pub(super) fn get(&self, hash: u64, word: &str) -> Option<&T> {
        if !self.held.may_hold(hash) {
            return None;
        }
        let words = self.words.get(&hash)?;
        let found = words.iter().find(|(known, _)| known == word);
        found.map(|(_, meaning)| meaning)
    }
}

/// Takes a hash for what it is.
#[derive(Default)]
pub(super) struct Known(u64);

impl Hasher for Known {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        let mut hash = Fnv::default();
        hash.write(bytes);
        self.0 = hash.finish();
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}
