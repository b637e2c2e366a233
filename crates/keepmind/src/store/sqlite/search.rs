//! Searches: candidates ranked in memory, rows read from the file, best first.

use std::collections::BTreeMap;
use std::sync::Arc;

use sqlx::sqlite::SqliteRow;
use sqlx::{Connection as _, Row as _, SqliteConnection};

use crate::embedding::Vector;
use crate::ids::MessageOrdinal;
use crate::order::Gather;
use crate::owner::{Owner, OwnerState, Revision};
use crate::row::MemoryRow;
use crate::search::keywords::{
    Corpus, MEMORIES, MESSAGES, Posting, matched, memory_document, rank,
};
use crate::search::vectors::Matrix;
use crate::search::{Document, Ranked, Reasons, Scored};
use crate::store::sqlite::cache::{Caches, VectorState};
use crate::store::sqlite::columns::{self, integer};
use crate::store::sqlite::failure::Work;
use crate::store::sqlite::load;
use crate::store::sqlite::{postings, segments};
use crate::store::{
    Filter, Hit, KeywordQuery, MessageHit, MessageSearch, Selection, VectorQuery, paging,
};
use crate::text;
use crate::visibility::as_of;

pub(super) async fn search(
    connection: &mut SqliteConnection,
    caches: &Caches,
    owner: &Owner,
    query: &KeywordQuery,
) -> Work<Vec<Hit>> {
    query.filter.validate("search")?;
    let terms = text::query_terms(&query.text);
    if let Some(known) = caches.known_lists(owner, &terms) {
        let ranked = rank(MEMORIES, known.corpus, &known.lists);
        let reasons = |scored: Scored| {
            Reasons::of_words(scored, matched(&terms, &known.lists, scored.document))
        };
        let found = hits_at_once(
            connection,
            owner,
            ranked,
            &query.filter,
            query.limit,
            reasons,
        )
        .await?;
        if let Some(hits) = found.filter(|state| state.revision == known.revision) {
            return Ok(hits);
        }
    }

    let mut transaction = connection.begin().await?;
    let connection = &mut *transaction;
    let Some((owner_id, state, corpus)) = documents(connection, owner).await? else {
        return Ok(Vec::new());
    };
    let lists = lists(
        connection,
        caches,
        owner,
        owner_id,
        state.revision,
        corpus,
        &terms,
    )
    .await?;
    let ranked = rank(MEMORIES, corpus, &lists);
    let reasons =
        |scored: Scored| Reasons::of_words(scored, matched(&terms, &lists, scored.document));
    let hits = hits(
        connection,
        owner_id,
        ranked,
        &query.filter,
        query.limit,
        reasons,
    )
    .await?;
    transaction.commit().await?;
    Ok(hits)
}

/// Where an owner's data stands, and how many memories there are to search.
pub(super) async fn documents(
    connection: &mut SqliteConnection,
    owner: &Owner,
) -> Work<Option<(i64, OwnerState, Corpus)>> {
    let row = sqlx::query(
        "SELECT id, epoch, revision, next_number, last_stamp, embedding_changes, \
         memory_documents AS documents, memory_length AS length FROM owner WHERE name = ?1",
    )
    .bind(owner.as_str())
    .fetch_optional(connection)
    .await?;
    let Some(row) = row else {
        return Ok(None);
    };
    let corpus = Corpus {
        documents: columns::count(&row, "documents")?,
        length: columns::count(&row, "length")?,
    };
    Ok(Some((
        row.try_get("id")?,
        columns::owner_state(&row)?,
        corpus,
    )))
}

/// The vectors as they are at that state: those that are known, or from the file.
pub(super) async fn current_matrix(
    connection: &mut SqliteConnection,
    caches: &Caches,
    owner: &Owner,
    owner_id: i64,
    state: &OwnerState,
    (embedder, dimensions): (&str, usize),
    known: Option<(VectorState, Arc<Matrix>)>,
) -> Work<Arc<Matrix>> {
    match known.filter(|(known, _)| *known == VectorState::of(state)) {
        Some((_, matrix)) => Ok(matrix),
        None => {
            let matrix = Arc::new(matrix(connection, owner_id, embedder, dimensions).await?);
            caches.put_matrix(owner, state, embedder, dimensions, Arc::clone(&matrix));
            Ok(matrix)
        }
    }
}

pub(super) async fn search_vectors(
    connection: &mut SqliteConnection,
    caches: &Caches,
    owner: &Owner,
    query: &VectorQuery,
) -> Work<Vec<Hit>> {
    query.filter.validate("search_vectors")?;
    let VectorQuery {
        embedder,
        vector,
        filter,
        limit,
    } = query;
    let dimensions = vector.dimensions();
    let known = caches.known_matrix(owner, embedder, dimensions);
    if let Some((known, matrix)) = &known {
        let ranked = nearest(matrix, vector);
        let reasons = Reasons::of_meaning;
        let found = hits_at_once(connection, owner, ranked, filter, *limit, reasons).await?;
        if let Some(hits) = found.filter(|state| VectorState::of(state) == *known) {
            return Ok(hits);
        }
    }

    let mut transaction = connection.begin().await?;
    let connection = &mut *transaction;
    let Some((owner_id, state)) = load::owner(connection, owner).await? else {
        return Ok(Vec::new());
    };
    let wanted = (embedder.as_str(), dimensions);
    let matrix = current_matrix(connection, caches, owner, owner_id, &state, wanted, known).await?;
    let ranked = nearest(&matrix, vector);
    let reasons = Reasons::of_meaning;
    let hits = hits(connection, owner_id, ranked, filter, *limit, reasons).await?;
    transaction.commit().await?;
    Ok(hits)
}

fn nearest<'a>(matrix: &'a Matrix, vector: &'a Vector) -> Ranked<'a> {
    Ranked::Nearest {
        matrix,
        query: vector.as_slice(),
        taken: 0,
    }
}

/// The lists of these terms: those that are cached, the others from the file.
pub(super) async fn lists(
    connection: &mut SqliteConnection,
    caches: &Caches,
    owner: &Owner,
    owner_id: i64,
    revision: Revision,
    corpus: Corpus,
    terms: &[String],
) -> Work<Vec<Arc<Vec<Posting>>>> {
    let known = caches.lists(owner, revision, corpus, terms);
    let missing: Vec<String> = terms
        .iter()
        .zip(&known)
        .filter(|(_, list)| list.is_none())
        .map(|(term, _)| term.clone())
        .collect();
    let mut read = BTreeMap::new();
    if !missing.is_empty() {
        read = postings::read(connection, owner_id, &missing).await?;
        let lists = missing
            .iter()
            .map(|term| (term.clone(), read.get(term).cloned().unwrap_or_default()));
        caches.put_lists(owner, revision, lists.collect());
    }
    Ok(terms
        .iter()
        .zip(known)
        .map(|(term, list)| list.unwrap_or_else(|| Arc::new(read.remove(term).unwrap_or_default())))
        .collect())
}

pub(super) async fn search_messages(
    connection: &mut SqliteConnection,
    owner: &Owner,
    query: &MessageSearch,
) -> Work<Vec<MessageHit>> {
    let terms = text::query_terms(&query.text);
    let Some(row) = sqlx::query("SELECT id, message_documents AS documents, message_length AS length FROM owner WHERE name = ?1")
        .bind(owner.as_str())
        .fetch_optional(&mut *connection)
        .await?
    else {
        return Ok(Vec::new());
    };
    let owner_id: i64 = row.try_get("id")?;
    let corpus = Corpus {
        documents: columns::count(&row, "documents")?,
        length: columns::count(&row, "length")?,
    };
    let lists = segments::read(connection, owner_id, &terms).await?;
    let mut ranked = rank(MESSAGES, corpus, &lists);

    let limit = paging::limit(query.limit);
    let mut hits = Vec::new();
    let mut chunk = 2 * limit.min(500) + 8;
    loop {
        let candidates = ranked.take(chunk);
        if candidates.is_empty() || hits.len() >= limit {
            return Ok(hits);
        }
        let ordinals: Vec<Document> = candidates
            .iter()
            .map(|candidate| candidate.document)
            .collect();
        let rows = sqlx::query(columns::message_sql!(
            "owner_id = ?1 AND ordinal IN (SELECT value FROM json_each(?2))"
        ))
        .bind(owner_id)
        .bind(columns::to_json(&ordinals))
        .fetch_all(&mut *connection)
        .await?;
        let mut messages = BTreeMap::new();
        for row in &rows {
            let message = columns::message(row)?;
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

async fn matrix(
    connection: &mut SqliteConnection,
    owner_id: i64,
    embedder: &str,
    dimensions: usize,
) -> Work<Matrix> {
    let rows = sqlx::query(
        "SELECT document, vector FROM embedding WHERE owner_id = ?1 AND embedder = ?2 AND length(vector) = ?3 \
         ORDER BY document",
    )
    .bind(owner_id)
    .bind(embedder)
    .bind(integer(4 * dimensions as u64))
    .fetch_all(connection)
    .await?;
    let mut matrix = Matrix::new(dimensions);
    for row in &rows {
        let document: i64 = row.try_get(0)?;
        matrix.set(document.cast_unsigned(), &columns::numbers(row.try_get(1)?));
    }
    Ok(matrix)
}

/// What one round trip found, and the owner's counters after it.
pub(super) struct Found {
    hits: Option<Vec<Hit>>,
    state: OwnerState,
}

impl Found {
    /// The hits, if there were enough of them and the counters are what the ranking was made at.
    pub(super) fn filter(self, is_current: impl FnOnce(&OwnerState) -> bool) -> Option<Vec<Hit>> {
        self.hits.filter(|_| is_current(&self.state))
    }
}

/// Reads the best candidates and then the owner's counters, in one round trip without a transaction.
///
/// Counters only go up. If after the rows they still are what they were when the ranking was made, the
/// rows were read at that moment too.
pub(super) async fn hits_at_once(
    connection: &mut SqliteConnection,
    owner: &Owner,
    mut ranked: Ranked<'_>,
    filter: &Filter,
    limit: usize,
    reasons: impl Fn(Scored) -> Reasons,
) -> Work<Found> {
    let limit = paging::limit(limit);
    let chunk = limit.min(500) + limit.min(500) / 2;
    let candidates = ranked.take(chunk);
    let documents: Vec<Document> = candidates
        .iter()
        .map(|candidate| candidate.document)
        .collect();
    let by_fact = matches!(filter.selection, Selection::AsOf { .. });
    let read = sqlx::query(if by_fact {
        FACTS_AND_STATE
    } else {
        ROWS_AND_STATE
    })
    .bind(owner.as_str())
    .bind(columns::to_json(&documents))
    .bind(owner.as_str())
    .fetch_all(connection)
    .await?;
    // The counters come last; an owner without any was erased in between.
    let is_state = |row: &SqliteRow| row.try_column("embedding_changes").is_ok();
    let Some((state, rows)) = read.split_last().filter(|(last, _)| is_state(last)) else {
        return Ok(Found {
            hits: None,
            state: OwnerState::NONE,
        });
    };
    let is_all = candidates.len() < chunk;
    let rows = columns::memories(rows)?;
    let mut hits = Vec::new();
    choose(rows, candidates, filter, limit, reasons, &mut hits);
    Ok(Found {
        hits: (is_all || hits.len() >= limit).then_some(hits),
        state: columns::owner_state(state)?,
    })
}

const ROWS_AND_STATE: &str = concat!(
    columns::memory_sql!(
        "owner_id = (SELECT id FROM owner WHERE name = ?) AND (number, version) IN \
         (SELECT value >> 24, value & 16777215 FROM json_each(?))"
    ),
    "; SELECT epoch, revision, next_number, last_stamp, embedding_changes FROM owner WHERE name = ?"
);
const FACTS_AND_STATE: &str = concat!(
    columns::memory_sql!(
        "owner_id = (SELECT id FROM owner WHERE name = ?) AND number IN \
         (SELECT value >> 24 FROM json_each(?))"
    ),
    "; SELECT epoch, revision, next_number, last_stamp, embedding_changes FROM owner WHERE name = ?"
);

/// Reads candidates from the best down until enough of them pass the filter.
pub(super) async fn hits(
    connection: &mut SqliteConnection,
    owner_id: i64,
    mut ranked: Ranked<'_>,
    filter: &Filter,
    limit: usize,
    reasons: impl Fn(Scored) -> Reasons,
) -> Work<Vec<Hit>> {
    let limit = paging::limit(limit);
    let mut hits = Vec::new();
    let mut chunk = limit.min(500) + limit.min(500) / 2;
    while hits.len() < limit {
        let candidates = ranked.take(chunk);
        if candidates.is_empty() {
            break;
        }
        let documents: Vec<Document> = candidates
            .iter()
            .map(|candidate| candidate.document)
            .collect();
        let sql = match filter.selection {
            Selection::AsOf { .. } => columns::memory_sql!(
                "owner_id = ?1 AND number IN (SELECT value >> 24 FROM json_each(?2)) ORDER BY number, version"
            ),
            _ => columns::memory_sql!(
                "owner_id = ?1 AND (number, version) IN (SELECT value >> 24, value & 16777215 FROM json_each(?2))"
            ),
        };
        let rows = sqlx::query(sql)
            .bind(owner_id)
            .bind(columns::to_json(&documents))
            .fetch_all(&mut *connection)
            .await?;
        let rows = columns::memories(&rows)?;
        choose(rows, candidates, filter, limit, &reasons, &mut hits);
        chunk = (chunk * 2).max(8);
    }
    Ok(hits)
}

/// Takes the candidates that pass the filter, best first. For an as-of question the rows are whole
/// facts, in order: one row of each answers.
fn choose(
    rows: Vec<MemoryRow>,
    candidates: Vec<Scored>,
    filter: &Filter,
    limit: usize,
    reasons: impl Fn(Scored) -> Reasons,
    hits: &mut Vec<Hit>,
) {
    let document_of = |row: &MemoryRow| memory_document(row.body.number, row.body.version);
    let mut by_document: BTreeMap<Document, MemoryRow> = match filter.selection {
        Selection::AsOf { question } => rows
            .chunk_by(|one, next| one.body.number == next.body.number)
            .filter_map(|versions| as_of(&versions.iter().collect::<Vec<_>>(), question))
            .map(|row| (document_of(row), row.clone()))
            .gather(),
        _ => rows
            .into_iter()
            .map(|row| (document_of(&row), row))
            .gather(),
    };
    for scored in candidates {
        if hits.len() >= limit {
            return;
        }
        if let Some(row) = by_document
            .remove(&scored.document)
            .filter(|row| filter.matches(row))
        {
            hits.push(Hit::new(row, scored.score, reasons(scored)));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::MemoryStore;
    use crate::conformance::fixtures::{Scribe, owner};
    use crate::store::sqlite::{SqliteOptions, SqliteStore};
    use sqlx::ConnectOptions;

    #[tokio::test]
    async fn a_warm_search_takes_one_round_trip() {
        let folder = tempfile::tempdir().unwrap();
        let options = SqliteOptions::new(folder.path().join("memories.db"));
        let store: Arc<dyn MemoryStore> =
            Arc::new(SqliteStore::open_with(options.clone()).await.unwrap());
        let mut alice = Scribe::new(&store, "alice");
        for place in 0..20 {
            alice.note(&format!("the user met bee {place}")).await;
        }
        let mut connection = options.reader().connect().await.unwrap();
        let owner = owner("alice");
        let documents = (1..=20).map(|number| Scored {
            document: number << 24 | 1,
            score: number as f64,
        });
        let ranked = Ranked::scored(documents.collect());
        let filter = Filter::new(Selection::All);
        let reasons = |_| Reasons::default();
        let found = hits_at_once(&mut connection, &owner, ranked, &filter, 10, reasons)
            .await
            .unwrap();
        assert_eq!(found.state, *alice.everything().await.state());
        assert_eq!(found.hits.map(|hits| hits.len()), Some(10));
        connection.close().await.unwrap();
        store.close().await.unwrap();
    }
}
