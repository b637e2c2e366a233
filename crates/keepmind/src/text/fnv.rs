//! FNV-1a, for tables that only ever hold words of our own: nobody can make those collide, and every word
//! of every text is looked up.

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
