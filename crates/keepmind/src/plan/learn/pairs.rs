//! Which of many contents say the same, the opposite, or another value of one thing: what `alike` says of two,
//! without holding every one against every other.

use std::collections::{BTreeMap, HashMap};

use crate::order;
use crate::plan::learn::alike::Meaning;
use crate::policy::Policy;

/// How many contents with one rare term, or of one thing with a value, a content is held against: of more
/// the later ones. Where so many share what is rare, they are a heap, and naming some of it is enough.
const MOST_IN_BUCKET: usize = 64;

/// What one content is to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kinship {
    /// One says no more than the other.
    Same,
    /// They deny each other.
    Opposite,
    /// They give two values of something that has one.
    Revalued,
}

/// The pairs among contents that have to do with each other, by their places, the lower first.
///
/// A near duplicate shares so much of the terms of whichever has more that at least one of its rarest terms is
/// also one of the other's: only contents with such a term in common are compared.
pub(crate) fn pairs(contents: &[&str], policy: &Policy) -> BTreeMap<(usize, usize), Kinship> {
    let meanings: Vec<Meaning> = contents.iter().map(|one| Meaning::of(one)).collect();
    let mut found = Found {
        meanings: &meanings,
        policy,
        pairs: BTreeMap::new(),
    };
    let mut first: HashMap<&str, usize> = HashMap::new();
    let mut distinct = Vec::new();
    for (place, meaning) in meanings.iter().enumerate() {
        match first.get(meaning.words()) {
            // The rest is said of the first of them.
            Some(&other) => found.compare(other, place),
            None => {
                first.insert(meaning.words(), place);
                distinct.push(place);
            }
        }
    }
    for &place in &distinct {
        for beginning in meanings[place].beginnings() {
            if let Some(&other) = first.get(beginning) {
                found.compare(other.min(place), other.max(place));
            }
        }
    }
    let mut frequencies: HashMap<&str, usize> = HashMap::new();
    for &place in &distinct {
        for term in meanings[place].terms().iter() {
            *frequencies.entry(term).or_default() += 1;
        }
    }
    let mut buckets: HashMap<&str, Vec<usize>> = HashMap::new();
    let floor = policy.floors.near_duplicate_terms;
    for &place in &distinct {
        let mut terms: Vec<&str> = meanings[place].terms().iter().collect();
        order::sort_by_key(&mut terms, |term| {
            (frequencies.get(term).copied().unwrap_or(0), *term)
        });
        terms.truncate(rare(terms.len(), floor));
        let frame = meanings[place].frame();
        for key in terms.into_iter().chain(frame) {
            let bucket = buckets.entry(key).or_default();
            for &other in bucket.iter().rev().take(MOST_IN_BUCKET) {
                found.compare(other, place);
            }
            bucket.push(place);
        }
    }
    found.pairs
}

/// How many of a content's terms are to be looked at, from the rarest on: one more than may be missing.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a share of a line's terms"
)]
fn rare(terms: usize, floor: f64) -> usize {
    let shared = (terms as f64 * floor).ceil() as usize;
    (terms + 1).saturating_sub(shared.max(1)).min(terms)
}

struct Found<'a> {
    meanings: &'a [Meaning],
    policy: &'a Policy,
    pairs: BTreeMap<(usize, usize), Kinship>,
}

impl Found<'_> {
    fn compare(&mut self, one: usize, other: usize) {
        if one == other || self.pairs.contains_key(&(one, other)) {
            return;
        }
        let (first, second) = (&self.meanings[one], &self.meanings[other]);
        let is_same = first.adds_nothing_to(second, self.policy)
            || second.adds_nothing_to(first, self.policy);
        let kinship = if is_same {
            Kinship::Same
        } else if first.opposes(second, self.policy) {
            Kinship::Opposite
        } else if first.revalues(second) {
            Kinship::Revalued
        } else {
            return;
        };
        self.pairs.insert((one, other), kinship);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn pairs_are_found_and_named() {
        let contents = [
            "User likes green tea",
            "User lives in Ghent",
            "user likes green tea.",
            "User does not like green tea",
            "User works as a nurse",
            "User works as a nurse in Leeds",
            "User's exam is on 3 May",
            "User's exam is on 17 May",
        ];
        let found = pairs(&contents, &Policy::default());
        let found: Vec<_> = found.into_iter().collect();
        let expected = [
            ((0, 2), Kinship::Same),
            ((0, 3), Kinship::Opposite),
            ((4, 5), Kinship::Same),
            ((6, 7), Kinship::Revalued),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn ten_thousand_of_a_kind_are_looked_through() {
        let same = vec!["User likes green tea"; 10_000];
        assert_eq!(pairs(&same, &Policy::default()).len(), 9_999);
        let many: Vec<String> = (0..10_000)
            .map(|place| format!("User bought item {place} in Ghent"))
            .collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(pairs(&many, &Policy::default()).is_empty());
    }

    proptest! {
        /// Every pair of distinct contents that one-by-one comparison finds is found.
        #[test]
        fn none_is_missed(
            words in prop::collection::vec(
                prop::collection::vec(prop::sample::select(vec![
                    "tea", "coffee", "green", "likes", "not", "lives", "Ghent", "dog", "three", "in",
                ]), 1..6),
                2..12,
            ),
        ) {
            let contents: Vec<String> = words.iter().map(|words| format!("User {}", words.join(" "))).collect();
            let contents: Vec<&str> = contents.iter().map(String::as_str).collect();
            let policy = Policy::default();
            let found = pairs(&contents, &policy);
            let meanings: Vec<Meaning> = contents.iter().map(|one| Meaning::of(one)).collect();
            for two in 0..contents.len() {
                for one in 0..two {
                    let is_repeated = contents[..two].contains(&contents[two])
                        || contents[..one].contains(&contents[one]);
                    let (first, second) = (&meanings[one], &meanings[two]);
                    let is_related = first.adds_nothing_to(second, &policy)
                        || second.adds_nothing_to(first, &policy)
                        || first.opposes(second, &policy)
                        || first.revalues(second);
                    if is_related && !is_repeated {
                        prop_assert!(found.contains_key(&(one, two)), "{:?}", (contents[one], contents[two]));
                    }
                }
            }
        }
    }
}
