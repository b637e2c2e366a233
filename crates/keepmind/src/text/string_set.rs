//! Distinct strings in order, in one buffer: a text's terms or words, to be looked for in one another.
//! A tree of them would be a dozen allocations for each sentence.

/// A set of strings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct StringSet {
    buffer: String,
    /// Where each string begins and ends in the buffer, sorted by what stands there.
    places: Vec<(usize, usize)>,
}

impl StringSet {
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    pub(crate) fn contains(&self, wanted: &str) -> bool {
        self.places
            .binary_search_by(|place| slice(&self.buffer, *place).cmp(wanted))
            .is_ok()
    }

    /// The strings, sorted.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.places.iter().map(|place| slice(&self.buffer, *place))
    }

    /// Leaves out what `is_kept` does not want.
    pub(crate) fn retain(&mut self, mut is_kept: impl FnMut(&str) -> bool) {
        let buffer = &self.buffer;
        self.places.retain(|place| is_kept(slice(buffer, *place)));
    }

    /// How many strings are in both.
    pub(crate) fn common(&self, other: &StringSet) -> usize {
        self.iter().filter(|string| other.contains(string)).count()
    }
}

impl<S: AsRef<str>> FromIterator<S> for StringSet {
    fn from_iter<I: IntoIterator<Item = S>>(strings: I) -> Self {
        let strings = strings.into_iter();
        let expected = strings.size_hint().0.max(16);
        let mut buffer = String::with_capacity(8 * expected);
        let mut places = Vec::with_capacity(expected);
        for string in strings {
            let start = buffer.len();
            buffer.push_str(string.as_ref());
            places.push((start, buffer.len()));
        }
        places.sort_unstable_by(|one, other| slice(&buffer, *one).cmp(slice(&buffer, *other)));
        places.dedup_by(|one, other| slice(&buffer, *one) == slice(&buffer, *other));
        StringSet { buffer, places }
    }
}

fn slice(buffer: &str, (start, end): (usize, usize)) -> &str {
    &buffer[start..end]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_a_set(strings in prop::collection::vec("[ab]{0,3}", 0..12), wanted in "[ab]{0,3}") {
            let tree: BTreeSet<&str> = strings.iter().map(String::as_str).collect();
            let mut set: StringSet = strings.iter().collect();
            prop_assert!(set.iter().eq(tree.iter().copied()));
            prop_assert_eq!(set.len(), tree.len());
            prop_assert_eq!(set.contains(&wanted), tree.contains(wanted.as_str()));
            prop_assert_eq!(set.common(&set), tree.len());
            set.retain(|string| string != wanted);
            prop_assert!(!set.contains(&wanted));
            prop_assert_eq!(set.is_empty(), tree.iter().all(|string| *string == wanted));
        }
    }
}
