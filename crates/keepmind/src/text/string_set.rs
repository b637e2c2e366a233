//! Distinct strings in order, in one buffer: a text's terms or words, to be looked for in one another.
//! A tree of them would be a dozen allocations for each sentence.

use std::cmp::Ordering;

/// A set of strings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct StringSet {
    buffer: String,
    /// Sorted by what stands there.
    places: Vec<Place>,
}

/// Where a string stands in the buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    /// Its first bytes: they tell most strings apart, and in the same order.
    key: u64,
    start: usize,
    end: usize,
}

impl StringSet {
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    pub(crate) fn contains(&self, wanted: &str) -> bool {
        let key = key(wanted);
        self.places
            .binary_search_by(|place| {
                let by_key = place.key.cmp(&key);
                by_key.then_with(|| place.of(&self.buffer).cmp(wanted))
            })
            .is_ok()
    }

    /// The strings, sorted.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.places.iter().map(|place| place.of(&self.buffer))
    }

    /// Leaves out what `is_kept` does not want.
    pub(crate) fn retain(&mut self, mut is_kept: impl FnMut(&str) -> bool) {
        let buffer = &self.buffer;
        self.places.retain(|place| is_kept(place.of(buffer)));
    }

    /// Takes what is in the set out of a sorted list. Both are gone through side by side.
    pub(crate) fn take_out_of(&self, sorted: &mut Vec<&str>) {
        let mut places = self.places.as_slice();
        sorted.retain(|string| {
            let key = key(string);
            while let [first, rest @ ..] = places {
                let by_key = first.key.cmp(&key);
                match by_key.then_with(|| first.of(&self.buffer).cmp(string)) {
                    Ordering::Less => places = rest,
                    Ordering::Equal => return false,
                    Ordering::Greater => return true,
                }
            }
            true
        });
    }

    /// How many strings are in both. Both are sorted: they are gone through side by side.
    pub(crate) fn common(&self, other: &StringSet) -> usize {
        let (mut ours, mut theirs) = (self.places.as_slice(), other.places.as_slice());
        let mut count = 0;
        while let ([one, after_one @ ..], [two, after_two @ ..]) = (ours, theirs) {
            let by_key = one.key.cmp(&two.key);
            let order = by_key.then_with(|| one.of(&self.buffer).cmp(two.of(&other.buffer)));
            if order.is_le() {
                ours = after_one;
            }
            if order.is_ge() {
                theirs = after_two;
            }
            count += usize::from(order.is_eq());
        }
        count
    }
}

impl<S: AsRef<str>> FromIterator<S> for StringSet {
    fn from_iter<I: IntoIterator<Item = S>>(strings: I) -> Self {
        let mut set = StringSet::default();
        for string in strings {
            let string = string.as_ref();
            if set.places.is_empty() {
                // Room for a sentence: growing to it step by step would cost more.
                set.buffer.reserve(128);
                set.places.reserve(24);
            }
            let start = set.buffer.len();
            set.buffer.push_str(string);
            set.places.push(Place {
                key: key(string),
                start,
                end: set.buffer.len(),
            });
        }
        let StringSet { buffer, places } = &mut set;
        places.sort_unstable_by(|one, other| {
            let by_key = one.key.cmp(&other.key);
            by_key.then_with(|| one.of(buffer).cmp(other.of(buffer)))
        });
        places.dedup_by(|one, other| one.key == other.key && one.of(buffer) == other.of(buffer));
        set
    }
}

impl Place {
    fn of(self, buffer: &str) -> &str {
        &buffer[self.start..self.end]
    }
}

/// The first eight bytes, with zeros for what is missing.
fn key(string: &str) -> u64 {
    let bytes = string.as_bytes();
    match bytes.first_chunk() {
        Some(first) => u64::from_be_bytes(*first),
        None => (0..8).fold(0, |key, place| {
            key << 8 | u64::from(bytes.get(place).copied().unwrap_or(0))
        }),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_a_set(
            strings in prop::collection::vec("(abcdefg){0,2}[\\x00abé]{0,2}", 0..12),
            wanted in "(abcdefg){0,2}[\\x00abé]{0,2}",
        ) {
            let tree: BTreeSet<&str> = strings.iter().map(String::as_str).collect();
            let mut set: StringSet = strings.iter().collect();
            prop_assert!(set.iter().eq(tree.iter().copied()));
            prop_assert_eq!(set.len(), tree.len());
            prop_assert_eq!(set.contains(&wanted), tree.contains(wanted.as_str()));
            prop_assert_eq!(set.common(&set), tree.len());
            let some: StringSet = strings.iter().skip(2).chain([&wanted]).collect();
            let in_both = some.iter().filter(|string| tree.contains(string));
            prop_assert_eq!(set.common(&some), in_both.count());
            let mut left: Vec<&str> = set.iter().collect();
            some.take_out_of(&mut left);
            prop_assert!(left.into_iter().eq(set.iter().filter(|string| !some.contains(string))));
            set.retain(|string| string != wanted);
            prop_assert!(!set.contains(&wanted));
            prop_assert_eq!(set.is_empty(), tree.iter().all(|string| *string == wanted));
        }
    }
}
