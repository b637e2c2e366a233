//! Postings in memory: all of an owner's, or the lists that were asked for so far.

use std::collections::HashMap;
use std::sync::Arc;

use crate::search::Document;
use crate::search::keywords::{Corpus, Posting, Terms};

/// An owner's postings by term.
#[derive(Debug, Clone, Default)]
pub(crate) struct Index {
    corpus: Corpus,
    lists: HashMap<String, Arc<Vec<Posting>>>,
    is_partial: bool,
    postings: usize,
    /// How many lists came without any posting since such lists were last forgotten.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    absent: usize,
}

/// How many words that occur nowhere are known at most. Every question brings others, so these would grow
/// for ever where the owner's rows do not.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
const MOST_ABSENT: usize = 64;

impl Index {
    /// An index that will hold every list: a term without one occurs nowhere.
    pub(crate) fn complete() -> Self {
        Index::default()
    }

    /// An index that holds the lists it is given: a term without one is not known yet.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) fn partial(corpus: Corpus) -> Self {
        Index {
            corpus,
            is_partial: true,
            ..Index::default()
        }
    }

    pub(crate) fn corpus(&self) -> Corpus {
        self.corpus
    }

    /// The list of a term; `None` when it is not known yet.
    pub(crate) fn list(&self, term: &str) -> Option<Arc<Vec<Posting>>> {
        match self.lists.get(term) {
            Some(list) => Some(Arc::clone(list)),
            None if self.is_partial => None,
            None => Some(Arc::default()),
        }
    }

    /// Takes a list, in order of document.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) fn put_list(&mut self, term: String, list: Arc<Vec<Posting>>) {
        if list.is_empty() {
            self.absent += 1;
            if self.absent > MOST_ABSENT {
                self.lists.retain(|_, list| !list.is_empty());
                self.lists.shrink_to_fit();
                self.absent = 1;
            }
        }
        self.postings += list.len();
        if let Some(old) = self.lists.insert(term, list) {
            self.postings -= old.len();
        }
    }

    pub(crate) fn insert(&mut self, document: Document, terms: &Terms) {
        self.corpus.documents += 1;
        self.corpus.length += u64::from(terms.length);
        for (term, &frequency) in &terms.frequencies {
            let posting = Posting {
                document,
                frequency,
                length: terms.length,
            };
            let list = match self.lists.get_mut(term) {
                Some(list) => list,
                None if self.is_partial => continue,
                None => self.lists.entry(term.clone()).or_default(),
            };
            let list = Arc::make_mut(list);
            match list.binary_search_by_key(&document, |posting| posting.document) {
                Ok(place) => list[place] = posting,
                Err(place) => {
                    list.insert(place, posting);
                    self.postings += 1;
                }
            }
        }
    }

    pub(crate) fn remove(&mut self, document: Document, terms: &Terms) {
        self.corpus.documents = self.corpus.documents.saturating_sub(1);
        self.corpus.length = self.corpus.length.saturating_sub(u64::from(terms.length));
        for term in terms.frequencies.keys() {
            let Some(list) = self.lists.get_mut(term) else {
                continue;
            };
            let postings = Arc::make_mut(list);
            if let Ok(place) = postings.binary_search_by_key(&document, |posting| posting.document)
            {
                postings.remove(place);
                self.postings -= 1;
            }
            if postings.is_empty() && !self.is_partial {
                self.lists.remove(term);
            }
        }
    }

    /// Forgets all lists: as many as were asked for may be of words that occur nowhere.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) fn forget_lists(&mut self) {
        self.lists.clear();
        self.postings = 0;
        self.absent = 0;
    }

    /// About how many bytes it takes.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) fn bytes(&self) -> usize {
        self.postings * size_of::<Posting>() + self.lists.len() * 96
    }
}

#[cfg(all(test, any(feature = "sqlite", feature = "postgres")))]
mod tests {
    use super::*;

    #[test]
    fn words_that_occur_nowhere_do_not_pile_up() {
        let mut index = Index::partial(Corpus::default());
        let posting = Posting {
            document: 1,
            frequency: 2,
            length: 3,
        };
        index.put_list("tea".to_owned(), Arc::new(vec![posting]));
        for place in 0..10_000 {
            let word = format!("word{place}");
            index.put_list(word.clone(), Arc::default());
            assert!(index.list(&word).is_some_and(|list| list.is_empty()));
            assert!(index.bytes() <= (MOST_ABSENT + 1) * 96 + size_of::<Posting>());
        }
        assert!(index.list("word0").is_none(), "it is asked for anew");
        assert_eq!(index.list("tea").as_deref(), Some(&vec![posting]));
    }
}
