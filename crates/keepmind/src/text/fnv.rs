//! FNV-1a, for tables that only ever hold words of our own: nobody can make those collide, and every word
//! of every text is looked up.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Builds hashers for tables of words.
pub(super) type FnvBuilder = BuildHasherDefault<Fnv>;

/// The hash of what was read so far.
#[derive(Clone, Copy)]
pub(super) struct Fnv(u64);

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
pub(super) struct Table<T>(HashMap<u64, Vec<(String, T)>, BuildHasherDefault<Known>>);

impl<T> Default for Table<T> {
    fn default() -> Self {
        Table(HashMap::default())
    }
}

impl<T: Default> Table<T> {
    /// What a word with that hash means, to be filled in.
    pub(super) fn entry(&mut self, hash: u64, word: &str) -> &mut T {
        let words = self.0.entry(hash).or_default();
        let place = words.iter().position(|(known, _)| known == word);
        let place = place.unwrap_or_else(|| {
            words.push((word.to_owned(), T::default()));
            words.len() - 1
        });
        &mut words[place].1
    }

    pub(super) fn get(&self, hash: u64, word: &str) -> Option<&T> {
        let words = self.0.get(&hash)?;
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
