//! Questions: everything that speaks for a memory, ranked in memory; rows read from the file.

use std::sync::Arc;

use sqlx::{Connection as _, SqliteConnection};

use crate::ids::{RowId, SessionId};
use crate::owner::{Owner, OwnerState, Revision};
use crate::search::recall::{FIRST_PERSON_WORDS, Found, Question, looks_around};
use crate::search::scenes::{Scene, Scenes};
use crate::store::sqlite::cache::{Caches, VectorState};
use crate::store::sqlite::failure::{Work, damaged};
use crate::store::sqlite::search::{current_matrix, documents, hits, hits_at_once, lists};
use crate::store::{Hit, RecallQuery};
use crate::text;
use crate::timestamp::Timestamp;

pub(super) async fn recall(
    connection: &mut SqliteConnection,
    caches: &Caches,
    owner: &Owner,
    query: &RecallQuery,
) -> Work<Vec<Hit>> {
    query.filter.validate("recall")?;
    let RecallQuery {
        text,
        meaning,
        fusion,
        filter,
        limit,
    } = query;
    let terms = text::query_terms(text);
    let mut wanted = terms.clone();
    let looks_around = looks_around(fusion);
    if looks_around {
        wanted.extend(FIRST_PERSON_WORDS.map(str::to_owned));
    }
    let known_matrix = meaning
        .as_ref()
        .map(|meaning| caches.known_matrix(owner, &meaning.embedder, meaning.vector.dimensions()));
    if let Some(known) = caches.known_lists(owner, &wanted)
        && let Some((revision, scenes)) = match looks_around {
            true => caches.known_scenes(owner),
            false => Some((known.revision, Arc::default())),
        }
        && revision == known.revision
        && !matches!(known_matrix, Some(None))
    {
        let known_matrix = known_matrix.as_ref().and_then(Option::as_ref);
        let (lists, first_person) = known.lists.split_at(terms.len());
        let direction = meaning
            .as_ref()
            .map(|meaning| meaning.direction(known.corpus, &terms, lists));
        let near = known_matrix
            .zip(direction)
            .map(|((_, matrix), direction)| matrix.cosines(&direction));
        let found = Found::find(Question {
            text,
            fusion,
            corpus: known.corpus,
            terms: &terms,
            lists,
            first_person,
            meaning: near.as_ref(),
            scenes: &scenes,
        });
        let reasons = |scored| found.reasons(scored);
        let read = hits_at_once(connection, owner, found.ranked(), filter, *limit, reasons).await?;
        let is_current = |state: &OwnerState| {
            state.revision == revision
                && known_matrix.is_none_or(|(vectors, _)| VectorState::of(state) == *vectors)
        };
        if let Some(hits) = read.filter(is_current) {
            return Ok(hits);
        }
    }

    let mut transaction = connection.begin().await?;
    let connection = &mut *transaction;
    let Some((owner_id, state, corpus)) = documents(connection, owner).await? else {
        return Ok(Vec::new());
    };
    let revision = state.revision;
    let lists = lists(
        connection, caches, owner, owner_id, revision, corpus, &wanted,
    )
    .await?;
    let scenes = match looks_around {
        true => current_scenes(connection, caches, owner, owner_id, revision).await?,
        false => Arc::default(),
    };
    let matrix = match meaning {
        Some(meaning) => {
            let wanted = (meaning.embedder.as_str(), meaning.vector.dimensions());
            let known = known_matrix.flatten();
            let matrix =
                current_matrix(connection, caches, owner, owner_id, &state, wanted, known).await?;
            Some((matrix, meaning.direction(corpus, &terms, &lists)))
        }
        None => None,
    };
    let near = matrix
        .as_ref()
        .map(|(matrix, direction)| matrix.cosines(direction));
    let (lists, first_person) = lists.split_at(terms.len());
    let found = Found::find(Question {
        text,
        fusion,
        corpus,
        terms: &terms,
        lists,
        first_person,
        meaning: near.as_ref(),
        scenes: &scenes,
    });
    let reasons = |scored| found.reasons(scored);
    let ranked = found.ranked();
    let hits = hits(connection, owner_id, ranked, filter, *limit, reasons).await?;
    transaction.commit().await?;
    Ok(hits)
}

/// The scenes as they are at that revision: those that are known, or from the file.
async fn current_scenes(
    connection: &mut SqliteConnection,
    caches: &Caches,
    owner: &Owner,
    owner_id: i64,
    revision: Revision,
) -> Work<Arc<Scenes>> {
    if let Some((known, scenes)) = caches.known_scenes(owner)
        && known == revision
    {
        return Ok(scenes);
    }
    let scenes = Arc::new(read(connection, owner_id).await?);
    caches.put_scenes(owner, revision, Arc::clone(&scenes));
    Ok(scenes)
}

/// The scenes of all open memories, from an index that holds all of them; as one text, built inside SQLite:
/// a row for each would cost many times as much.
async fn read(connection: &mut SqliteConnection, owner_id: i64) -> Work<Scenes> {
    let all: Option<String> = sqlx::query_scalar(
        "SELECT group_concat((number << 24 | version) || '\u{1e}' || hex(id) || '\u{1e}' || valid_from || '\u{1e}' || \
         coalesce(hex(session), '') || '\u{1e}' || coalesce(speaker, ''), '\u{1f}') \
         FROM memory INDEXED BY memory_content WHERE owner_id = ?1 AND ended_at IS NULL",
    )
    .bind(owner_id)
    .fetch_one(connection)
    .await?;
    let all = all.unwrap_or_default();
    let mut scenes = Vec::new();
    for one in all.split('\u{1f}').filter(|one| !one.is_empty()) {
        scenes.push(scene(one).ok_or_else(|| damaged("memory"))?);
    }
    scenes.sort_unstable_by_key(|(document, _)| *document);
    let mut staged = Scenes::default();
    for (document, scene) in scenes {
        staged.set(document, scene);
    }
    Ok(staged)
}

fn scene(text: &str) -> Option<(u64, Scene)> {
    let mut parts = text.split('\u{1e}');
    let mut part = || parts.next();
    let document = part()?.parse().ok()?;
    let row = RowId::new(uuid::Uuid::try_parse(part()?).ok()?);
    let since = Timestamp::from_micros(part()?.parse().ok()?).ok()?;
    let session = match part()? {
        "" => None,
        session => Some(SessionId::new(uuid::Uuid::try_parse(session).ok()?)),
    };
    let speaker = Some(part()?).filter(|speaker| !speaker.is_empty());
    let scene = Scene {
        row,
        session,
        speaker: speaker.map(str::to_owned),
        since,
    };
    Some((document, scene))
}
