//! Searches: ranked over all of an owner's documents, then filtered from the best down. Of a layer that has few
//! documents, or where few have ended, only those are ranked: by the same numbers.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::error::Result;
use crate::row::MemoryRow;
use crate::search::index::Index;
use crate::search::keywords::{
    MESSAGES, Posting, matched, memory_of_document, rank, scored_among, scored_holding,
};
use crate::search::recall::{FIRST_PERSON_WORDS, Found, Question};
use crate::search::{Document, Ranked, Reasons, Scored};
use crate::store::in_memory::Owned;
use crate::store::{
    Filter, FoundRow, Hit, KeywordQuery, MessageHit, MessageSearch, RecallQuery, Selection,
    VectorQuery, paging,
};
use crate::text;
use crate::visibility::as_of;

pub(super) fn search(owned: &Owned, query: &KeywordQuery) -> Result<Vec<Hit>> {
    query.filter.validate("search")?;
    let terms = text::query_terms(&query.text);
    let lists = lists(&owned.memories, &terms);
    let corpus = owned.memories.corpus();
    let scored = match owned.few_of(&query.filter, &lists) {
        Some(documents) => scored_among(corpus, &lists, query.least_terms, documents),
        None => scored_holding(corpus, &lists, query.least_terms),
    };
    let ranked = Ranked::scored(scored);
    let reasons =
        |scored: Scored| Reasons::of_words(scored, matched(&terms, &lists, scored.document));
    let (filter, limit) = (&query.filter, query.limit);
    Ok(owned.hits(ranked, filter, limit, MemoryRow::clone, reasons))
}

pub(super) fn recall(owned: &Owned, query: &RecallQuery) -> Result<Vec<Hit<FoundRow>>> {
    query.filter.validate("recall")?;
    let terms = text::query_terms(&query.text);
    let told = FIRST_PERSON_WORDS.map(str::to_owned);
    let (lists, first_person) = (
        lists(&owned.memories, &terms),
        lists(&owned.memories, &told),
    );
    let corpus = owned.memories.corpus();
    let cosines = query.meaning.as_ref().map(|meaning| {
        let key = (meaning.embedder.clone(), meaning.vector.dimensions());
        let direction = meaning.direction(corpus, &terms, &lists);
        let matrix = owned.matrices.get(&key);
        let cosines = matrix.map(|matrix| matrix.cosines(&direction));
        cosines.unwrap_or_default()
    });
    let found = Found::find(Question {
        text: &query.text,
        fusion: &query.fusion,
        corpus,
        terms: &terms,
        lists: &lists,
        first_person: &first_person,
        meaning: cosines.as_ref(),
        scenes: &owned.scenes,
    });
    let reasons = |scored| found.reasons(scored);
    let wanted = |row: &MemoryRow| FoundRow::of_kept(row, query.json);
    Ok(owned.hits(found.ranked(), &query.filter, query.limit, wanted, reasons))
}

pub(super) fn search_vectors(owned: &Owned, query: &VectorQuery) -> Result<Vec<Hit>> {
    query.filter.validate("search_vectors")?;
    let key = (query.embedder.clone(), query.vector.dimensions());
    let Some(matrix) = owned.matrices.get(&key) else {
        return Ok(Vec::new());
    };
    let ranked = matrix.cosines(query.vector.as_slice()).ranked();
    let (filter, limit) = (&query.filter, query.limit);
    Ok(owned.hits(ranked, filter, limit, MemoryRow::clone, Reasons::of_meaning))
}

pub(super) fn search_messages(owned: &Owned, query: &MessageSearch) -> Vec<MessageHit> {
    let terms = text::query_terms(&query.text);
    let lists = lists(&owned.messages, &terms);
    let mut ranked = rank(MESSAGES, owned.messages.corpus(), &lists);
    let limit = paging::limit(query.limit);
    let mut hits = Vec::new();
    let mut chunk = limit.saturating_add(8);
    while hits.len() < limit {
        let candidates = ranked.take(chunk);
        if candidates.is_empty() {
            break;
        }
        for Scored { document, score } in candidates {
            let message = crate::ids::MessageOrdinal::new(document)
                .and_then(|ordinal| owned.snapshot.message_at(ordinal))
                .filter(|message| query.matches(message));
            if let Some(message) = message.filter(|_| hits.len() < limit) {
                hits.push(MessageHit {
                    message: message.clone(),
                    score,
                    matched: matched(&terms, &lists, document),
                });
            }
        }
        chunk *= 2;
    }
    hits
}

fn lists(index: &Index, terms: &[String]) -> Vec<Arc<Vec<Posting>>> {
    terms
        .iter()
        .map(|term| index.list(term).unwrap_or_default())
        .collect()
}

impl Owned {
    /// The documents of the layers that a filter is about, or those that have ended, where looking each of them up
    /// costs less than walking through all that hold a word.
    fn few_of(
        &self,
        filter: &Filter,
        lists: &[Arc<Vec<Posting>>],
    ) -> Option<impl Iterator<Item = Document>> {
        let count = |sets: &[&BTreeSet<Document>]| sets.iter().map(|set| set.len()).sum::<usize>();
        let layers = filter.layers.iter();
        let of_layers: Vec<_> = layers.filter_map(|layer| self.layers.get(layer)).collect();
        let is_ended = matches!(filter.selection, Selection::Ended);
        let sets = match (filter.layers.is_empty(), is_ended) {
            (true, false) => return None,
            (true, true) => vec![&self.ended],
            (false, true) if self.ended.len() < count(&of_layers) => vec![&self.ended],
            (false, _) => of_layers,
        };
        let holding: usize = lists.iter().map(|list| list.len()).sum();
        let is_few = count(&sets) * lists.len() < holding;
        is_few.then(|| sets.into_iter().flatten().copied())
    }

    fn hits<R>(
        &self,
        mut ranked: Ranked<'_>,
        filter: &Filter,
        limit: usize,
        wanted: impl Fn(&MemoryRow) -> R,
        reasons: impl Fn(Scored) -> Reasons,
    ) -> Vec<Hit<R>> {
        let limit = paging::limit(limit);
        let mut hits = Vec::new();
        let mut chunk = limit.saturating_add(8);
        while hits.len() < limit {
            let candidates = ranked.take(chunk);
            if candidates.is_empty() {
                break;
            }
            for scored in candidates {
                let row = self
                    .document(scored.document)
                    .filter(|row| self.passes(row, filter));
                if let Some(row) = row.filter(|_| hits.len() < limit) {
                    hits.push(Hit::new(wanted(row), scored.score, reasons(scored)));
                }
            }
            chunk *= 2;
        }
        hits
    }

    fn document(&self, document: u64) -> Option<&MemoryRow> {
        let (number, version) = memory_of_document(document)?;
        self.snapshot.version(number, version)
    }

    fn passes(&self, row: &MemoryRow, filter: &Filter) -> bool {
        let answers = match filter.selection {
            Selection::AsOf { question } => {
                let versions: Vec<&MemoryRow> = self.snapshot.versions(row.body.number).collect();
                as_of(&versions, question).is_some_and(|answer| answer.id == row.id)
            }
            _ => true,
        };
        answers && filter.matches(row)
    }
}
