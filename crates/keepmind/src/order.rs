//! Putting short lists in order, and gathering sets and maps, in little code.
//!
//! The library is shipped inside other programs, so it has to stay small, and every kind of item that is
//! sorted by the standard library is given a sort of its own, some kilobytes long. So is every kind that is
//! collected to an ordered set or map: it is sorted first. Here all share one sort, at the price of a little
//! time, which the lists of one user's memory do not notice. Whoever ranks long lists sorts them directly.

use std::cmp::Ordering;

/// Sorts by how two items compare. Equal items stay as they were.
pub(crate) fn sort_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let swaps = swaps(items.len(), &|one, other| {
        compare(&items[one], &items[other])
    });
    for (one, other) in swaps {
        items.swap(one, other);
    }
}

/// Sorts by a key of each item. Equal items stay as they were.
pub(crate) fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(items, |one, other| key(one).cmp(&key(other)));
}

/// Which places to swap, one pair after the other, so that so many items are in order. Knows places and not
/// items: only so is there a single sort for all kinds of them.
fn swaps(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<(usize, usize)> {
    if count < 2 {
        return Vec::new();
    }
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|one, other| compare(*one, *other));

    let mut swaps = Vec::new();
    for start in 0..count {
        // What stood at the start travels along its cycle, to the place that asks for it.
        let mut place = start;
        while order[place] != start {
            let next = order[place];
            swaps.push((place, next));
            order[place] = place;
            place = next;
        }
        order[place] = place;
    }
    swaps
}

/// Gathering what an iterator yields, one by one.
pub(crate) trait Gather: Iterator {
    /// What `collect` makes of it, for sets and maps: of equal keys the last value stays.
    fn gather<C: Default + Extend<Self::Item>>(self) -> C;
}

impl<I: Iterator> Gather for I {
    fn gather<C: Default + Extend<Self::Item>>(self) -> C {
        let mut gathered = C::default();
        gathered.extend(self);
        gathered
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn few_items_are_put_in_order() {
        for (given, sorted) in [
            ("", ""),
            ("a", "a"),
            ("ab", "ab"),
            ("ba", "ab"),
            ("bca", "abc"),
            ("cab", "abc"),
            ("badc", "abcd"),
            ("abba", "aabb"),
        ] {
            let mut items: Vec<char> = given.chars().collect();
            sort_by_key(&mut items, |item| *item);
            assert_eq!(items.iter().collect::<String>(), sorted, "{given}");
        }
    }

    proptest! {
        #[test]
        fn items_are_sorted_as_the_standard_library_does(keys in prop::collection::vec(0u8..9, 0..80)) {
            // Numbered, so that the order of equals is seen.
            let numbered: Vec<(u8, usize)> = keys.into_iter().zip(0..).collect();

            let (mut ours, mut theirs) = (numbered.clone(), numbered.clone());
            sort_by_key(&mut ours, |(key, _)| *key);
            theirs.sort_by_key(|(key, _)| *key);
            prop_assert_eq!(&ours, &theirs);

            let (mut ours, mut theirs) = (numbered.clone(), numbered);
            sort_by(&mut ours, |(one, _), (other, _)| other.cmp(one));
            theirs.sort_by(|(one, _), (other, _)| other.cmp(one));
            prop_assert_eq!(ours, theirs);
        }

        #[test]
        fn gathering_is_collecting(pairs in prop::collection::vec((0u8..9, any::<u8>()), 0..40)) {
            let gathered: BTreeMap<u8, u8> = pairs.iter().copied().gather();
            let collected: BTreeMap<u8, u8> = pairs.iter().copied().collect();
            prop_assert_eq!(gathered, collected);

            let gathered: BTreeSet<(u8, u8)> = pairs.iter().copied().gather();
            let collected: BTreeSet<(u8, u8)> = pairs.iter().copied().collect();
            prop_assert_eq!(gathered, collected);
        }
    }
}
