//! Searches: candidates ranked in memory, rows read from the file, best first.

use std::collections::BTreeMap;
use std::sync::Arc;

use sqlx::{Row as _, SqliteConnection};

use crate::ids::MessageOrdinal;
use crate::owner::Owner;
use crate::row::MemoryRow;
use crate::search::keywords::{Corpus, Posting, memory_document, score};
use crate::search::vectors::Matrix;
use crate::search::{Document, Ranked, Scored};
use crate::store::sqlite::cache::Caches;
use crate::store::sqlite::columns::{self, integer};
use crate::store::sqlite::failure::Work;
use crate::store::sqlite::load;
use crate::store::sqlite::postings::{self, Space};
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
    let Some(row) = sqlx::query(
        "SELECT id, epoch, revision, next_number, last_stamp, embedding_changes, \
         memory_documents AS documents, memory_length AS length FROM owner WHERE name = ?1",
    )
    .bind(owner.as_str())
    .fetch_optional(&mut *connection)
    .await?
    else {
        return Ok(Vec::new());
    };
    let owner_id: i64 = row.try_get("id")?;
    let state = columns::owner_state(&row)?;
    let corpus = Corpus {
        documents: columns::count(&row, "documents")?,
        length: columns::count(&row, "length")?,
    };

    let known = caches.lists(owner, state.revision, corpus, &terms);
    let missing: Vec<String> = terms
        .iter()
        .zip(&known)
        .filter(|(_, list)| list.is_none())
        .map(|(term, _)| term.clone())
        .collect();
    let mut read = BTreeMap::new();
    if !missing.is_empty() {
        read = postings::read(connection, owner_id, Space::Memories, &missing).await?;
        let lists = missing
            .iter()
            .map(|term| (term.clone(), read.get(term).cloned().unwrap_or_default()));
        caches.put_lists(owner, state.revision, lists.collect());
    }
    let lists: Vec<Arc<Vec<Posting>>> = terms
        .iter()
        .zip(known)
        .map(|(term, list)| list.unwrap_or_else(|| Arc::new(read.remove(term).unwrap_or_default())))
        .collect();
    let ranked = rank(corpus, &lists);
    hits(
        connection,
        owner_id,
        ranked,
        &query.filter,
        query.limit,
        |document| matched(&terms, &lists, document),
    )
    .await
}

pub(super) async fn search_vectors(
    connection: &mut SqliteConnection,
    caches: &Caches,
    owner: &Owner,
    query: &VectorQuery,
) -> Work<Vec<Hit>> {
    query.filter.validate("search_vectors")?;
    let Some((owner_id, state)) = load::owner(connection, owner).await? else {
        return Ok(Vec::new());
    };
    let dimensions = query.vector.dimensions();
    let matrix = match caches.matrix(owner, &state, &query.embedder, dimensions) {
        Some(matrix) => matrix,
        None => {
            let matrix = Arc::new(matrix(connection, owner_id, &query.embedder, dimensions).await?);
            caches.put_matrix(
                owner,
                &state,
                &query.embedder,
                dimensions,
                Arc::clone(&matrix),
            );
            matrix
        }
    };
    let ranked = Ranked::new(matrix.score(query.vector.as_slice()));
    hits(
        connection,
        owner_id,
        ranked,
        &query.filter,
        query.limit,
        |_| Vec::new(),
    )
    .await
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
    let mut read = postings::read(connection, owner_id, Space::Messages, &terms).await?;
    let lists: Vec<Arc<Vec<Posting>>> = terms
        .iter()
        .map(|term| Arc::new(read.remove(term).unwrap_or_default()))
        .collect();
    let mut ranked = rank(corpus, &lists);

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

fn rank(corpus: Corpus, lists: &[Arc<Vec<Posting>>]) -> Ranked {
    let lists: Vec<&[Posting]> = lists.iter().map(|list| list.as_slice()).collect();
    Ranked::new(score(corpus, &lists))
}

fn matched(terms: &[String], lists: &[Arc<Vec<Posting>>], document: Document) -> Vec<String> {
    terms
        .iter()
        .zip(lists)
        .filter(|(_, list)| {
            list.binary_search_by_key(&document, |posting| posting.document)
                .is_ok()
        })
        .map(|(term, _)| term.clone())
        .collect()
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

/// Reads candidates from the best down until enough of them pass the filter.
async fn hits(
    connection: &mut SqliteConnection,
    owner_id: i64,
    mut ranked: Ranked,
    filter: &Filter,
    limit: usize,
    matched: impl Fn(Document) -> Vec<String>,
) -> Work<Vec<Hit>> {
    let limit = paging::limit(limit);
    let mut hits = Vec::new();
    let mut chunk = limit.min(500) + limit.min(500) / 2;
    while hits.len() < limit {
        let candidates = ranked.take(chunk);
        if candidates.is_empty() {
            break;
        }
        let mut rows = candidate_rows(connection, owner_id, filter, &candidates).await?;
        for Scored { document, score } in candidates {
            if let Some(row) = rows.remove(&document).filter(|row| filter.matches(row))
                && hits.len() < limit
            {
                hits.push(Hit {
                    row,
                    score,
                    matched: matched(document),
                });
            }
        }
        chunk = (chunk * 2).max(8);
    }
    Ok(hits)
}

async fn candidate_rows(
    connection: &mut SqliteConnection,
    owner_id: i64,
    filter: &Filter,
    candidates: &[Scored],
) -> Work<BTreeMap<Document, MemoryRow>> {
    let documents: Vec<Document> = candidates
        .iter()
        .map(|candidate| candidate.document)
        .collect();
    let document_of = |row: &MemoryRow| memory_document(row.body.number, row.body.version);
    if let Selection::AsOf { question } = filter.selection {
        let rows = sqlx::query(columns::memory_sql!(
            "owner_id = ?1 AND number IN (SELECT value >> 24 FROM json_each(?2)) ORDER BY number, version"
        ))
        .bind(owner_id)
        .bind(columns::to_json(&documents))
        .fetch_all(connection)
        .await?;
        let rows: Vec<MemoryRow> = rows.iter().map(columns::memory).collect::<Work<_>>()?;
        return Ok(rows
            .chunk_by(|one, next| one.body.number == next.body.number)
            .filter_map(|versions| as_of(&versions.iter().collect::<Vec<_>>(), question))
            .map(|row| (document_of(row), row.clone()))
            .collect());
    }
    let rows = sqlx::query(columns::memory_sql!(
        "owner_id = ?1 AND (number, version) IN (SELECT value >> 24, value & 16777215 FROM json_each(?2))"
    ))
    .bind(owner_id)
    .bind(columns::to_json(&documents))
    .fetch_all(connection)
    .await?;
    rows.iter()
        .map(|row| {
            let row = columns::memory(row)?;
            Ok((document_of(&row), row))
        })
        .collect()
}
