//! Questions: everything that speaks for a memory, ranked in memory; rows read from the database.

use std::sync::Arc;

use crate::owner::Owner;
use crate::search::recall::{FIRST_PERSON_WORDS, Found, Question, looks_around};
use crate::search::scenes::Scenes;
use crate::store::database::cache::{Caches, VectorState};
use crate::store::database::search::{Searches, Wanted, hits, hits_at_once, known_lists, lists};
use crate::store::database::vectors::Asked;
use crate::store::database::{Counters, Edition};
use crate::store::{FoundRow, Hit, RecallQuery};
use crate::text;

pub(crate) async fn recall<S: Searches>(
    shelf: &mut S,
    caches: &Caches,
    owner: &Owner,
    query: &RecallQuery,
) -> Result<Vec<Hit<FoundRow>>, S::Failure> {
    query.filter.validate("recall")?;
    let RecallQuery {
        text,
        meaning,
        fusion,
        filter,
        limit,
        json,
    } = query;
    let wanted_hits = Wanted::new(filter, *limit).json(*json);
    let terms = text::query_terms(text);
    let mut wanted = terms.clone();
    let looks_around = looks_around(fusion);
    if looks_around {
        wanted.extend(FIRST_PERSON_WORDS.map(str::to_owned));
    }
    let known_matrix = meaning
        .as_ref()
        .map(|meaning| caches.known_matrix(owner, &meaning.embedder, meaning.vector.dimensions()));
    let known_scenes = looks_around.then(|| caches.known_scenes(owner));
    if !matches!(known_scenes, Some(None))
        && !matches!(known_matrix, Some(None))
        && let Some(known) = known_lists(shelf, caches, owner, &wanted).await?
        && let Some((edition, scenes)) = match known_scenes {
            Some(known_scenes) => known_scenes,
            None => Some((known.edition, Arc::default())),
        }
        && edition == known.edition
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
        let read = hits_at_once(shelf, owner, found.ranked(), wanted_hits, reasons).await?;
        let is_current = |counters: &Counters| {
            counters.edition() == edition
                && known_matrix.is_none_or(|(vectors, _)| VectorState::of(counters) == *vectors)
        };
        if let Some(hits) = read.filter(is_current) {
            return Ok(hits);
        }
    }

    let mut recalled = Vec::new();
    if let Some(standing) = shelf.begin(owner).await? {
        let edition = standing.counters.edition();
        let corpus = standing.memories;
        let lists = lists(shelf, caches, owner, &standing, &wanted).await?;
        let scenes = match looks_around {
            true => current_scenes(shelf, caches, owner, standing.key, edition).await?,
            false => Arc::default(),
        };
        let direction = meaning
            .as_ref()
            .map(|meaning| meaning.direction(corpus, &terms, &lists));
        let asked = meaning
            .as_ref()
            .zip(direction.as_ref())
            .map(|(meaning, direction)| Asked {
                caches,
                owner,
                at: (standing.key, &standing.counters),
                embedder: &meaning.embedder,
                direction,
            });
        let mut asked = match asked {
            Some(asked) => {
                // By rank alone each counts, and all are needed.
                let vectors = asked.vectors(shelf, known_matrix.flatten(), looks_around);
                Some((vectors.await?, asked))
            }
            None => None,
        };
        let (lists, first_person) = lists.split_at(terms.len());
        recalled = loop {
            let near = asked
                .as_ref()
                .map(|(vectors, asked)| vectors.cosines(asked.direction));
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
            let hits = hits(shelf, standing.key, ranked, wanted_hits, reasons).await?;
            match (hits, &mut asked) {
                (None, Some((vectors, asked))) => asked.complete(shelf, vectors).await?,
                (hits, _) => break hits.unwrap_or_default(),
            }
        };
    }
    shelf.end().await?;
    Ok(recalled)
}

/// The scenes as they are in that edition: those that are known, or from the database.
async fn current_scenes<S: Searches>(
    shelf: &mut S,
    caches: &Caches,
    owner: &Owner,
    key: S::Key,
    edition: Edition,
) -> Result<Arc<Scenes>, S::Failure> {
    if let Some((known, scenes)) = caches.known_scenes(owner)
        && known == edition
    {
        return Ok(scenes);
    }
    let mut read = shelf.scenes(key).await?;
    read.sort_unstable_by_key(|(document, _)| *document);
    let mut scenes = Scenes::default();
    for (document, scene) in read {
        scenes.set(document, scene);
    }
    let scenes = Arc::new(scenes);
    caches.put_scenes(owner, edition, Arc::clone(&scenes));
    Ok(scenes)
}
