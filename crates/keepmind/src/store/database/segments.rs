//! The keyword index of what was said, in segments: how large they are, and what stands in one.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::error::Result;
use crate::search::Document;
use crate::search::keywords::{Posting, Terms};
use crate::store::database::columns::{as_count, damaged};
use crate::store::database::postings;

/// How many segments of a level become one of the next.
pub(crate) const MERGED_TOGETHER: i64 = 8;
/// Segments of this level stay as they are: merging larger ones would keep a commit waiting.
pub(crate) const LAST_LEVEL: i64 = 2;
/// So much text is not read again by every search, however few messages it is: what waits is indexed.
pub(crate) const MUCH_TEXT: usize = 32 << 10;
/// How many messages wait for the keyword index unless told.
pub(crate) const MOST_WAITING: usize = 64;

/// A message by its place, and its terms.
pub(crate) fn said(ordinal: i64, content: &str) -> Result<(Document, Terms)> {
    let document = as_count(ordinal).ok_or_else(|| damaged("ordinal"))?;
    Ok((document, Terms::of_content(content)))
}

/// The postings of a segment of these messages, by term.
pub(crate) fn lists(messages: &[(Document, Terms)]) -> BTreeMap<&str, String> {
    let mut lists: BTreeMap<&str, String> = BTreeMap::new();
    for (document, terms) in messages {
        for (term, &frequency) in &terms.frequencies {
            let posting = Posting {
                document: *document,
                frequency,
                length: terms.length,
            };
            postings::append(lists.entry(term).or_default(), posting);
        }
    }
    lists
}

/// The postings of these terms: from the segments, whose lists stand one after the other, and from what waits.
pub(crate) fn with_waiting(
    terms: &[String],
    indexed: Vec<(String, String)>,
    waiting: &[(Document, Terms)],
) -> Result<Vec<Arc<Vec<Posting>>>> {
    let mut lists = BTreeMap::new();
    for (term, text) in indexed {
        lists.insert(term, postings::parse(&text)?);
    }
    for (document, said) in waiting {
        for term in terms {
            if let Some(&frequency) = said.frequencies.get(term) {
                lists.entry(term.clone()).or_default().push(Posting {
                    document: *document,
                    frequency,
                    length: said.length,
                });
            }
        }
    }
    Ok(terms
        .iter()
        .map(|term| Arc::new(lists.remove(term).unwrap_or_default()))
        .collect())
}

/// A list without the postings of these messages; `None` where it has none of them.
pub(crate) fn without(text: &str, messages: &BTreeMap<Document, Terms>) -> Result<Option<String>> {
    let mut list = postings::parse(text)?;
    let before = list.len();
    list.retain(|posting| !messages.contains_key(&posting.document));
    if list.len() == before {
        return Ok(None);
    }
    let mut left = String::new();
    list.into_iter()
        .for_each(|posting| postings::append(&mut left, posting));
    Ok(Some(left))
}
