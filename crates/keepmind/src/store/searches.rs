//! Searches for memories: what a store is asked by words, by meaning and by all of it, and what it finds.

use std::borrow::Cow;
use std::sync::Arc;

use crate::embedding::Vector;
use crate::error::Result;
use crate::policy::Fusion;
use crate::row::MemoryRow;
use crate::search::keywords::{Corpus, Posting};
use crate::search::{Around, Reasons, recall};
use crate::store::filter::Filter;
use crate::store::found::FoundRow;

/// A search by words.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct KeywordQuery {
    /// What to look for: plain words in any script. No character has a special meaning.
    pub text: String,
    /// Among which memories.
    pub filter: Filter,
    /// How many at most; larger than [`MAX_LIMIT`](crate::store::MAX_LIMIT) means that.
    pub limit: usize,
    /// How many terms of the text a memory must hold to be found at all, counted as [`Hit::matched`] lists them: words
    /// that say nothing by themselves are none, and of a very long text only the first count. 0 and 1 mean any of them.
    /// Where many are asked for, a search costs little, however many memories share a word with the text.
    pub least_terms: usize,
}

impl KeywordQuery {
    /// So many memories at most that pass the filter and hold any of the text's words.
    pub fn new(text: impl Into<String>, filter: Filter, limit: usize) -> Self {
        KeywordQuery {
            text: text.into(),
            filter,
            limit,
            least_terms: 0,
        }
    }
}

/// A search by meaning.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorQuery {
    /// Among the vectors of this embedder, as many-dimensional as the one given.
    pub embedder: String,
    /// What to look for.
    pub vector: Vector,
    /// Among which memories.
    pub filter: Filter,
    /// How many at most; larger than [`MAX_LIMIT`](crate::store::MAX_LIMIT) means that.
    pub limit: usize,
}

/// A question: by words, by meaning where there is any, and by where memories were said.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallQuery {
    /// What to look for: plain words in any script.
    pub text: String,
    /// What the words mean; `None` to go without.
    pub meaning: Option<Meaning>,
    /// How the rankings become one.
    pub fusion: Fusion,
    /// Among which memories.
    pub filter: Filter,
    /// How many at most; larger than [`MAX_LIMIT`](crate::store::MAX_LIMIT) means that.
    pub limit: usize,
    /// Whether the rows are wanted as JSON, so that a store may answer with what it holds instead of reading it. A store of a
    /// host's own need not look at it.
    pub json: bool,
}

/// What a question means.
#[derive(Debug, Clone, PartialEq)]
pub struct Meaning {
    /// Among the vectors of this embedder, as many-dimensional as the one given.
    pub embedder: String,
    /// What to look for.
    pub vector: Vector,
    /// What each word adds to it, where the vector is the sum of its words': the rarer a word is among the
    /// owner's memories, the more it weighs. Those of other dimensions are left out.
    pub words: Vec<WordMeaning>,
}

impl Meaning {
    /// The direction to look in among an owner's memories.
    pub(crate) fn direction(
        &self,
        corpus: Corpus,
        terms: &[String],
        lists: &[Arc<Vec<Posting>>],
    ) -> Cow<'_, [f32]> {
        let words = self
            .words
            .iter()
            .map(|word| (word.term.as_str(), word.vector.as_slice()));
        recall::direction(self.vector.as_slice(), words, corpus, terms, lists)
    }
}

/// What a word of a question adds to what it means.
#[derive(Debug, Clone, PartialEq)]
pub struct WordMeaning {
    /// The word, as [`terms`](crate::text::terms) writes it.
    pub term: String,
    /// What it adds, of any length.
    pub vector: Vec<f32>,
}

/// A memory that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit<R = MemoryRow> {
    /// The memory.
    pub row: R,
    /// How well it fits: BM25 for words, cosine for vectors, what all together gave for a question. Best first;
    /// of equals the newest.
    pub score: f64,
    /// Its BM25 score, where words were looked for and it holds one.
    pub words: Option<f64>,
    /// Its cosine, where meaning was looked for and it has a vector.
    pub meaning: Option<f64>,
    /// The terms of the query it holds; empty for vectors.
    pub matched: Vec<String>,
    /// What else speaks for it; only for a question.
    pub around: Vec<Around>,
}

impl Hit<FoundRow> {
    /// The same with its row read.
    pub fn read(self) -> Result<Hit> {
        self.try_map(FoundRow::read)
    }
}

impl<R> Hit<R> {
    pub(crate) fn new(row: R, score: f64, reasons: Reasons) -> Self {
        let Reasons {
            matched,
            words,
            meaning,
            around,
        } = reasons;
        Hit {
            row,
            score,
            words,
            meaning,
            matched,
            around,
        }
    }

    /// The same with its row in another form.
    pub(crate) fn try_map<S>(self, convert: impl FnOnce(R) -> Result<S>) -> Result<Hit<S>> {
        Ok(Hit {
            row: convert(self.row)?,
            score: self.score,
            words: self.words,
            meaning: self.meaning,
            matched: self.matched,
            around: self.around,
        })
    }
}
