//! Searches: candidates ranked in memory, rows read from the database, best first.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::error::Error;
use crate::ids::MessageOrdinal;
use crate::message::Message;
use crate::order::Gather;
use crate::owner::{Owner, OwnerState};
use crate::row::MemoryRow;
use crate::search::distant::Distant;
use crate::search::keywords::{
    Corpus, MESSAGES, Posting, matched, memory_document, rank, scored_holding,
};
use crate::search::scenes::Scene;
use crate::search::vectors::Matrix;
use crate::search::{Document, Ranked, Reasons, Scored};
use crate::store::database::cache::{Caches, Known, VectorState};
use crate::store::database::postings::Lists;
use crate::store::database::stored::{StoredMemories, StoredMemory};
use crate::store::database::vectors::Asked;
use crate::store::database::{Counters, Edition, Shelf, Standing};
use crate::store::found::JsonRow;
use crate::store::{
    Filter, FoundRow, Hit, KeywordQuery, MessageHit, MessageSearch, Selection, VectorQuery, paging,
};
use crate::text;
use crate::visibility::{AsOf, as_of};

/// What a database is asked by a search.
pub(crate) trait Searches: Shelf {
    /// The postings of memories by these terms, none of them twice.
    fn postings(
        &mut self,
        key: Self::Key,
        terms: &[String],
    ) -> impl Future<Output = Result<Lists, Self::Failure>> + Send;

    /// The same in one round trip outside of any reading that was begun, where the database does that and the owner's
    /// memories are still of that edition.
    fn postings_of(
        &mut self,
        owner: &Owner,
        edition: Edition,
        terms: &[String],
    ) -> impl Future<Output = Result<Option<Lists>, Self::Failure>> + Send;

    /// The postings of messages by these terms, one list for each, in order of document.
    fn said(
        &mut self,
        key: Self::Key,
        terms: &[String],
    ) -> impl Future<Output = Result<Vec<Arc<Vec<Posting>>>, Self::Failure>> + Send;

    /// The messages at these places.
    fn messages_at(
        &mut self,
        key: Self::Key,
        ordinals: &[Document],
    ) -> impl Future<Output = Result<Vec<Message>, Self::Failure>> + Send;

    /// All vectors of an embedder.
    fn matrix(
        &mut self,
        key: Self::Key,
        embedder: &str,
        dimensions: usize,
    ) -> impl Future<Output = Result<Matrix, Self::Failure>> + Send;

    /// Whether the database itself can tell how near vectors are.
    fn measures(&self) -> bool {
        false
    }

    /// How near all of them are to a direction, where the database itself can tell that of every one.
    fn measured(
        &mut self,
        _key: Self::Key,
        _embedder: &str,
        _direction: &[f32],
    ) -> impl Future<Output = Result<Option<Distant>, Self::Failure>> + Send {
        async { Ok(None) }
    }

    /// The vectors of these documents, of a database that measures.
    fn vectors_at(
        &mut self,
        _key: Self::Key,
        _embedder: &str,
        _documents: &[Document],
    ) -> impl Future<Output = Result<Vec<(Document, Vec<f32>)>, Self::Failure>> + Send {
        async { Ok(Vec::new()) }
    }

    /// Where all open memories were said.
    fn scenes(
        &mut self,
        key: Self::Key,
    ) -> impl Future<Output = Result<Vec<(Document, Scene)>, Self::Failure>> + Send;

    /// The memories that have ended, in order of document; `None` where they are more than so many.
    fn ended(
        &mut self,
        key: Self::Key,
        most: usize,
    ) -> impl Future<Output = Result<Option<Vec<Document>>, Self::Failure>> + Send;

    /// The memories that these are, or whole facts.
    fn memories_at(
        &mut self,
        key: Self::Key,
        documents: &[Document],
        by_fact: bool,
    ) -> impl Future<Output = Result<StoredMemories, Self::Failure>> + Send;

    /// The same in one round trip outside of any reading that was begun, and the owner's counters, which must
    /// not be read before the rows. `None` for an owner of whom nothing is known.
    fn memories_and_state(
        &mut self,
        owner: &Owner,
        documents: &[Document],
        by_fact: bool,
    ) -> impl Future<Output = Result<Option<(StoredMemories, Counters)>, Self::Failure>> + Send;
}

/// Which candidates become hits, how many, and as what.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    filter: &'a Filter,
    limit: usize,
    json: bool,
}

impl<'a> Wanted<'a> {
    pub(crate) fn new(filter: &'a Filter, limit: usize) -> Self {
        Wanted {
            filter,
            limit: paging::limit(limit),
            json: false,
        }
    }

    /// As JSON, where that may be.
    pub(crate) fn json(self, json: bool) -> Self {
        Wanted { json, ..self }
    }

    /// Whether a fact's other rows are needed to tell which one answers.
    fn is_by_fact(self) -> bool {
        matches!(self.filter.selection, Selection::AsOf { .. })
    }
}

/// What a search makes of a candidate.
pub(crate) trait Candidate: Sized {
    /// The candidate, if it passes the filter.
    fn passing(stored: StoredMemory<'_>, wanted: Wanted<'_>) -> Result<Option<Self>, Error>;

    /// One that was read, and passes.
    fn taken(row: MemoryRow, stored: Option<StoredMemory<'_>>, wanted: Wanted<'_>) -> Self;
}

impl Candidate for MemoryRow {
    fn passing(stored: StoredMemory<'_>, wanted: Wanted<'_>) -> Result<Option<Self>, Error> {
        Ok(Some(stored.row()?).filter(|row| wanted.filter.matches(row)))
    }

    fn taken(row: MemoryRow, _: Option<StoredMemory<'_>>, _: Wanted<'_>) -> Self {
        row
    }
}

impl Candidate for FoundRow {
    /// Where JSON is wanted, no more of a row is read than is needed to tell whether it passes.
    fn passing(stored: StoredMemory<'_>, wanted: Wanted<'_>) -> Result<Option<Self>, Error> {
        if wanted.json
            && wanted.filter.is_plain()
            && let Some((id, outline)) = stored.outline()
        {
            if !wanted.filter.passes(&outline) {
                return Ok(None);
            }
            if let Some(json) = stored.json() {
                let row = JsonRow {
                    json,
                    id,
                    layer: outline.layer,
                    session: outline.session,
                    expires_at: outline.expires_at,
                };
                return Ok(Some(row.into()));
            }
        }
        let row = MemoryRow::passing(stored, wanted)?;
        Ok(row.map(|row| FoundRow::taken(row, Some(stored), wanted)))
    }

    fn taken(row: MemoryRow, stored: Option<StoredMemory<'_>>, wanted: Wanted<'_>) -> Self {
        let json = stored
            .filter(|_| wanted.json)
            .and_then(|stored| stored.json());
        FoundRow::of(row, json)
    }
}

/// So many candidates are read whatever they are.
const FEW: usize = 16;

pub(crate) async fn search<S: Searches>(
    shelf: &mut S,
    caches: &Caches,
    owner: &Owner,
    query: &KeywordQuery,
) -> Result<Vec<Hit>, S::Failure> {
    query.filter.validate("search")?;
    let KeywordQuery {
        text,
        filter,
        limit,
        least_terms,
    } = query;
    let wanted = Wanted::new(filter, *limit);
    let terms = text::query_terms(text);
    // Few of what holds a word has ended: to read the rest as well would take the longer, the more there is.
    let is_mostly_other =
        |scored: &[Scored]| matches!(filter.selection, Selection::Ended) && scored.len() > FEW;
    if let Some(known) = known_lists(shelf, caches, owner, &terms).await? {
        let scored = scored_holding(known.corpus, &known.lists, *least_terms);
        if !is_mostly_other(&scored) {
            let reasons = |scored: Scored| {
                Reasons::of_words(scored, matched(&terms, &known.lists, scored.document))
            };
            let ranked = Ranked::scored(scored);
            let found = hits_at_once(shelf, owner, ranked, wanted, reasons).await?;
            if let Some(hits) = found.filter(|counters| counters.edition() == known.edition) {
                return Ok(hits);
            }
        }
    }

    let mut found = Vec::new();
    if let Some(standing) = shelf.begin(owner).await? {
        let lists = lists(shelf, caches, owner, &standing, &terms).await?;
        let mut scored = scored_holding(standing.memories, &lists, *least_terms);
        if is_mostly_other(&scored)
            && let Some(ended) = shelf.ended(standing.key, scored.len()).await?
        {
            scored.retain(|scored| ended.binary_search(&scored.document).is_ok());
        }
        let ranked = Ranked::scored(scored);
        let reasons =
            |scored: Scored| Reasons::of_words(scored, matched(&terms, &lists, scored.document));
        let hits = hits(shelf, standing.key, ranked, wanted, reasons).await?;
        found = hits.unwrap_or_default();
    }
    shelf.end().await?;
    Ok(found)
}

pub(crate) async fn search_vectors<S: Searches>(
    shelf: &mut S,
    caches: &Caches,
    owner: &Owner,
    query: &VectorQuery,
) -> Result<Vec<Hit>, S::Failure> {
    query.filter.validate("search_vectors")?;
    let VectorQuery {
        embedder,
        vector,
        filter,
        limit,
    } = query;
    let dimensions = vector.dimensions();
    let known = caches.known_matrix(owner, embedder, dimensions);
    let reasons = Reasons::of_meaning;
    let wanted = Wanted::new(filter, *limit);
    if let Some((known, matrix)) = &known {
        let ranked = matrix.cosines(vector.as_slice()).ranked();
        let found = hits_at_once(shelf, owner, ranked, wanted, reasons).await?;
        if let Some(hits) = found.filter(|counters| VectorState::of(counters) == *known) {
            return Ok(hits);
        }
    }

    let mut found = Vec::new();
    if let Some(Standing { key, counters, .. }) = shelf.begin(owner).await? {
        let asked = Asked {
            caches,
            owner,
            at: (key, &counters),
            embedder,
            direction: vector.as_slice(),
        };
        let mut vectors = asked.vectors(shelf, known, true).await?;
        found = loop {
            let ranked = vectors.cosines(asked.direction).ranked();
            match hits(shelf, key, ranked, wanted, reasons).await? {
                Some(hits) => break hits,
                None => asked.complete(shelf, &mut vectors).await?,
            }
        };
    }
    shelf.end().await?;
    Ok(found)
}

/// The lists of these terms as they belong together: what is not cached is read in one round trip. `None` where that cannot
/// be, or nothing is cached of that moment: then all is read in a transaction.
pub(crate) async fn known_lists<S: Searches>(
    shelf: &mut S,
    caches: &Caches,
    owner: &Owner,
    terms: &[String],
) -> Result<Option<Known<Arc<Vec<Posting>>>>, S::Failure> {
    let Some(Known {
        edition,
        corpus,
        lists,
    }) = caches.known_lists(owner, terms)
    else {
        return Ok(None);
    };
    let missing = missing(terms, &lists);
    let mut read = Lists::new();
    if !missing.is_empty() {
        match shelf.postings_of(owner, edition, &missing).await? {
            Some(found) => read = found,
            None => return Ok(None),
        }
        caches.put_lists(owner, edition, &read);
    }
    Ok(Some(Known {
        edition,
        corpus,
        lists: filled(terms, lists, &read),
    }))
}

/// The lists of these terms: those that are cached, the others from the database.
pub(crate) async fn lists<S: Searches>(
    shelf: &mut S,
    caches: &Caches,
    owner: &Owner,
    standing: &Standing<S::Key>,
    terms: &[String],
) -> Result<Vec<Arc<Vec<Posting>>>, S::Failure> {
    let edition = standing.counters.edition();
    let known = caches.lists(owner, edition, standing.memories, terms);
    let missing = missing(terms, &known);
    let mut read = Lists::new();
    if !missing.is_empty() {
        read = shelf.postings(standing.key, &missing).await?;
        caches.put_lists(owner, edition, &read);
    }
    Ok(filled(terms, known, &read))
}

/// The terms without a list, each once: a question may hold a word twice.
fn missing(terms: &[String], lists: &[Option<Arc<Vec<Posting>>>]) -> Vec<String> {
    let unknown = terms.iter().zip(lists).filter(|(_, list)| list.is_none());
    let unknown: BTreeSet<&String> = unknown.map(|(term, _)| term).collect();
    unknown.into_iter().cloned().collect()
}

fn filled(
    terms: &[String],
    lists: Vec<Option<Arc<Vec<Posting>>>>,
    read: &Lists,
) -> Vec<Arc<Vec<Posting>>> {
    let filled = |(term, list): (&String, Option<_>)| {
        list.unwrap_or_else(|| read.get(term).cloned().unwrap_or_default())
    };
    terms.iter().zip(lists).map(filled).collect()
}

pub(crate) async fn search_messages<S: Searches>(
    shelf: &mut S,
    owner: &Owner,
    query: &MessageSearch,
) -> Result<Vec<MessageHit>, S::Failure> {
    let mut found = Vec::new();
    if let Some(Standing { key, messages, .. }) = shelf.begin(owner).await? {
        found = message_hits(shelf, key, messages, query).await?;
    }
    shelf.end().await?;
    Ok(found)
}

async fn message_hits<S: Searches>(
    shelf: &mut S,
    key: S::Key,
    corpus: Corpus,
    query: &MessageSearch,
) -> Result<Vec<MessageHit>, S::Failure> {
    let terms = text::query_terms(&query.text);
    let lists = shelf.said(key, &terms).await?;
    let mut ranked = rank(MESSAGES, corpus, &lists);
    let limit = paging::limit(query.limit);
    let mut hits = Vec::new();
    let mut chunk = 2 * limit.min(500) + 8;
    loop {
        let candidates = ranked.take(chunk);
        if candidates.is_empty() || hits.len() >= limit {
            return Ok(hits);
        }
        let ordinals = documents_of(&candidates);
        let mut messages = BTreeMap::new();
        for message in shelf.messages_at(key, &ordinals).await? {
            messages.insert(message.ordinal, message);
        }
        for Scored { document, score } in candidates {
            let message =
                MessageOrdinal::new(document).and_then(|ordinal| messages.remove(&ordinal));
            if let Some(message) = message.filter(|message| query.matches(message))
                && hits.len() < limit
            {
                hits.push(MessageHit {
                    message,
                    score,
                    matched: matched(&terms, &lists, document),
                });
            }
        }
        chunk *= 2;
    }
}

fn documents_of(candidates: &[Scored]) -> Vec<Document> {
    let documents = candidates.iter().map(|candidate| candidate.document);
    documents.collect()
}

/// What one round trip found, and the owner's counters after it.
pub(crate) struct Found<R> {
    pub(crate) hits: Option<Vec<Hit<R>>>,
    pub(crate) counters: Counters,
}

impl<R> Found<R> {
    /// The hits, if there were enough of them and the counters are what the ranking was made at.
    pub(crate) fn filter(self, is_current: impl FnOnce(&Counters) -> bool) -> Option<Vec<Hit<R>>> {
        self.hits.filter(|_| is_current(&self.counters))
    }
}

/// Reads the best candidates and the owner's counters, in one round trip without a transaction.
///
/// Counters only go up, and on a server the write that moved them last says which they are. If after the rows they
/// still are what they were when the ranking was made, the rows were read at that moment too.
pub(crate) async fn hits_at_once<S: Searches, R: Candidate>(
    shelf: &mut S,
    owner: &Owner,
    mut ranked: Ranked<'_>,
    wanted: Wanted<'_>,
    reasons: impl Fn(Scored) -> Reasons,
) -> Result<Found<R>, S::Failure> {
    let limit = wanted.limit;
    let chunk = limit.min(500) + limit.min(500) / 2;
    let candidates = ranked.take(chunk);
    let read = shelf
        .memories_and_state(owner, &documents_of(&candidates), wanted.is_by_fact())
        .await?;
    let Some((stored, counters)) = read else {
        return Ok(Found {
            hits: None,
            counters: OwnerState::NONE.into(),
        });
    };
    let is_all = candidates.len() < chunk;
    let mut hits = Vec::new();
    choose(&stored, candidates, wanted, reasons, &mut hits)?;
    Ok(Found {
        hits: (is_all || hits.len() >= limit).then_some(hits),
        counters,
    })
}

/// Reads candidates from the best down until enough of them pass the filter. `None` where vectors are missing to tell
/// which are the best.
pub(crate) async fn hits<S: Searches, R: Candidate>(
    shelf: &mut S,
    key: S::Key,
    mut ranked: Ranked<'_>,
    wanted: Wanted<'_>,
    reasons: impl Fn(Scored) -> Reasons,
) -> Result<Option<Vec<Hit<R>>>, S::Failure> {
    let limit = wanted.limit;
    let mut hits = Vec::new();
    let mut chunk = limit.min(500) + limit.min(500) / 2;
    while hits.len() < limit {
        let candidates = ranked.take(chunk);
        if candidates.is_empty() || ranked.is_lacking() {
            break;
        }
        let documents = documents_of(&candidates);
        let stored = shelf
            .memories_at(key, &documents, wanted.is_by_fact())
            .await?;
        choose(&stored, candidates, wanted, &reasons, &mut hits)?;
        chunk = (chunk * 2).max(8);
    }
    Ok(Some(hits).filter(|_| !ranked.is_lacking()))
}

/// Takes the candidates that pass the filter, best first. For an as-of question whole facts were read: one row of each
/// answers.
fn choose<R: Candidate>(
    stored: &StoredMemories,
    candidates: Vec<Scored>,
    wanted: Wanted<'_>,
    reasons: impl Fn(Scored) -> Reasons,
    hits: &mut Vec<Hit<R>>,
) -> Result<(), Error> {
    let mut answering = match wanted.filter.selection {
        Selection::AsOf { question } => Some(answering(stored, question)?),
        _ => None,
    };
    for scored in candidates {
        if hits.len() >= wanted.limit {
            break;
        }
        let found = stored.get(scored.document);
        let row = match (&mut answering, found) {
            (Some(rows), _) => rows
                .remove(&scored.document)
                .filter(|row| wanted.filter.matches(row))
                .map(|row| R::taken(row, found, wanted)),
            (None, Some(found)) => R::passing(found, wanted)?,
            (None, None) => None,
        };
        if let Some(row) = row {
            hits.push(Hit::new(row, scored.score, reasons(scored)));
        }
    }
    Ok(())
}

/// The row of each fact that answers an as-of question.
fn answering(
    stored: &StoredMemories,
    question: AsOf,
) -> Result<BTreeMap<Document, MemoryRow>, Error> {
    let rows = stored.rows()?;
    let answers = rows
        .chunk_by(|one, next| one.body.number == next.body.number)
        .filter_map(|versions| as_of(&versions.iter().collect::<Vec<_>>(), question));
    Ok(answers
        .map(|row| {
            let document = memory_document(row.body.number, row.body.version);
            (document, row.clone())
        })
        .gather())
}
