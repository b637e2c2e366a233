//! Facts by their terms, for holding many texts against all of them: a search for each would read the same
//! postings again and again, and walk past everything that is no fact.

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::ids::Number;
use crate::order;
use crate::row::MemoryRow;
use crate::text;

/// How many facts that share words with a text are looked at.
const NEAR: usize = 8;

/// Facts by their terms, besides words for the user: those are in every memory.
pub(super) struct Known {
    numbers: Vec<Number>,
    /// Which of them hold a term, by their places.
    holders: HashMap<String, Vec<usize>>,
}

impl Known {
    pub(super) fn of<'r>(rows: impl Iterator<Item = &'r MemoryRow>) -> Self {
        let mut known = Known {
            numbers: Vec::new(),
            holders: HashMap::new(),
        };
        for row in rows {
            let place = known.numbers.len();
            known.numbers.push(row.body.number);
            for term in Known::terms(&row.body.claim.content) {
                known.holders.entry(term).or_default().push(place);
            }
        }
        known
    }

    pub(super) fn terms(content: &str) -> Vec<String> {
        let terms = text::query_terms(content).into_iter();
        terms.filter(|term| !text::is_user_word(term)).collect()
    }

    /// The facts that have the most of these terms, and no fewer than one of four: another value of the same
    /// shares no more.
    pub(super) fn near(&self, terms: &[String]) -> Vec<Number> {
        self.sharing(terms, terms.len().div_ceil(4))
    }

    /// The facts that have the most of these terms, any of them.
    pub(super) fn touching(&self, terms: &[String]) -> Vec<Number> {
        self.sharing(terms, 1)
    }

    fn sharing(&self, terms: &[String], least: usize) -> Vec<Number> {
        let mut shared = vec![0_usize; self.numbers.len()];
        for place in terms
            .iter()
            .filter_map(|term| self.holders.get(term))
            .flatten()
        {
            shared[*place] += 1;
        }
        let mut found: Vec<(Reverse<usize>, Number)> = shared
            .into_iter()
            .zip(&self.numbers)
            .filter(|(count, _)| *count >= least.max(1))
            .map(|(count, number)| (Reverse(count), *number))
            .collect();
        order::sort_by(&mut found, Ord::cmp);
        found
            .into_iter()
            .map(|(_, number)| number)
            .take(NEAR)
            .collect()
    }
}
