//! Postings as text, and how the counts of documents change.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use crate::error::Result;
use crate::search::keywords::{Posting, Terms};
use crate::store::database::columns::damaged;

/// Postings by term, each list in order of document; of what was asked for all, also what occurs nowhere.
pub(crate) type Lists = BTreeMap<String, Arc<Vec<Posting>>>;

/// The lists of these terms, with those that have none in the database.
pub(crate) fn all_lists(terms: &[String], mut found: BTreeMap<String, Vec<Posting>>) -> Lists {
    let of_each = |term: &String| {
        let list = found.remove(term).unwrap_or_default();
        (term.clone(), Arc::new(list))
    };
    terms.iter().map(of_each).collect()
}

/// Postings from their numbers, in order of document.
pub(crate) fn parse(text: &str) -> Result<Vec<Posting>> {
    let mut numbers = text.split(' ').map(str::parse::<u64>);
    let mut next = || numbers.next().transpose().map_err(|_| damaged("posting"));
    let mut list = Vec::new();
    while let Some(document) = next()? {
        let (Some(frequency), Some(length)) = (next()?, next()?) else {
            return Err(damaged("posting"));
        };
        let small = |number: u64| u32::try_from(number).map_err(|_| damaged("posting"));
        list.push(Posting {
            document,
            frequency: small(frequency)?,
            length: small(length)?,
        });
    }
    list.sort_unstable_by_key(|posting| posting.document);
    Ok(list)
}

/// Adds a posting's numbers to a list of them.
pub(crate) fn append(list: &mut String, posting: Posting) {
    let Posting {
        document,
        frequency,
        length,
    } = posting;
    let blank = if list.is_empty() { "" } else { " " };
    write!(list, "{blank}{document} {frequency} {length}").ok();
}

/// How an owner's count of documents and their length change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) documents: i64,
    pub(crate) length: i64,
}

impl Counts {
    pub(crate) fn of(terms: &Terms) -> Self {
        Counts {
            documents: 1,
            length: i64::from(terms.length),
        }
    }

    pub(crate) fn add(&mut self, other: Counts) {
        self.documents += other.documents;
        self.length += other.length;
    }

    pub(crate) fn subtract(&mut self, other: Counts) {
        self.documents -= other.documents;
        self.length -= other.length;
    }
}
