//! Where the documents of a question stand, so that what is known of each is found by its place.

use crate::search::Document;
use crate::search::recall::Question;

/// Places for all documents of a question: those with a scene first, then the others.
pub(super) struct Space<'a> {
    staged: &'a [Document],
    others: Vec<Document>,
}

impl<'a> Space<'a> {
    pub(super) fn of(question: &Question<'a>) -> Self {
        let staged = question.scenes.documents();
        let mut others = Vec::new();
        for list in question.lists {
            let mut at = 0;
            for posting in list.iter() {
                at = advance(staged, at, posting.document);
                if staged.get(at) != Some(&posting.document) {
                    others.push(posting.document);
                }
            }
        }
        if let Some(meaning) = question.meaning
            && meaning.documents() != staged
        {
            let mut staged = staged.iter().peekable();
            for document in meaning.documents() {
                while staged.next_if(|known| *known < document).is_some() {}
                if staged.peek() != Some(&document) {
                    others.push(*document);
                }
            }
        }
        others.sort_unstable();
        others.dedup();
        Space { staged, others }
    }

    pub(super) fn len(&self) -> usize {
        self.staged.len() + self.others.len()
    }

    pub(super) fn document(&self, place: usize) -> Document {
        match self.staged.get(place) {
            Some(document) => *document,
            None => self.others[place - self.staged.len()],
        }
    }

    /// Whether these documents are all, each at its place.
    pub(super) fn is(&self, documents: &[Document]) -> bool {
        self.others.is_empty() && self.staged == documents
    }

    /// The place of a document that has a scene.
    pub(super) fn scene_of(&self, document: Document) -> Option<usize> {
        self.staged.binary_search(&document).ok()
    }

    /// The places of documents in order, each with which of them it is.
    pub(super) fn places(&self, documents: &[Document]) -> impl Iterator<Item = (usize, usize)> {
        let (mut at, mut other) = (0, 0);
        let documents = documents.iter().enumerate();
        documents.filter_map(move |(index, document)| {
            while self.staged.get(at).is_some_and(|known| known < document) {
                at += 1;
            }
            if self.staged.get(at) == Some(document) {
                return Some((index, at));
            }
            while self.others.get(other).is_some_and(|known| known < document) {
                other += 1;
            }
            let is_other = self.others.get(other) == Some(document);
            is_other.then(|| (index, self.staged.len() + other))
        })
    }

    /// Visits those of some documents in order that have a place.
    pub(super) fn each<T>(
        &self,
        all: impl Iterator<Item = (Document, T)>,
        mut visit: impl FnMut(usize, T),
    ) {
        let (mut at, mut other) = (0, 0);
        for (document, of_it) in all {
            at = advance(self.staged, at, document);
            if self.staged.get(at) == Some(&document) {
                visit(at, of_it);
                continue;
            }
            other = advance(&self.others, other, document);
            if self.others.get(other) == Some(&document) {
                visit(self.staged.len() + other, of_it);
            }
        }
    }
}

/// The first place from `from` on whose document is not before `wanted`, in steps that double: the next is
/// mostly near.
pub(super) fn advance(documents: &[Document], from: usize, wanted: Document) -> usize {
    let rest = &documents[from.min(documents.len())..];
    let mut reach = 1;
    while rest.get(reach - 1).is_some_and(|found| *found < wanted) {
        reach *= 2;
    }
    let start = reach / 2;
    let end = reach.min(rest.len());
    from + start + rest[start.min(end)..end].partition_point(|found| *found < wanted)
}
