//! Search by meaning: exact, filtered, one embedder and dimension at a time.

use std::sync::Arc;

use crate::change::EmbeddingChange;
use crate::conformance::fixtures::{Scribe, claim, vector};
use crate::embedding::{EmbeddingKey, Vector};
use crate::ids::RowId;
use crate::memory::Claim;
use crate::row::{Kind, Why};
use crate::store::{Filter, Hit, MemoryStore, Selection, VectorQuery};

async fn nearest(scribe: &Scribe, to: &Vector, filter: Filter, limit: usize) -> Vec<Hit> {
    let query = VectorQuery {
        embedder: "small".to_owned(),
        vector: to.clone(),
        filter,
        limit,
    };
    scribe
        .store
        .search_vectors(&scribe.owner, &query)
        .await
        .expect("a search")
}

fn ids(hits: &[Hit]) -> Vec<RowId> {
    hits.iter().map(|hit| hit.row.id).collect()
}

/// Numbers without a pattern, the same on every run.
pub(super) fn scattered(seed: u64, count: usize) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

/// The nearest rows are the nearest rows, not nearly so.
pub async fn vectors_are_searched_exactly(store: Arc<dyn MemoryStore>) {
    const DIMENSIONS: usize = 37;
    let mut scribe = Scribe::new(&store, "alice");
    let mut vectors = Vec::new();
    for place in 0..60 {
        let row = scribe.note(&format!("row {place}")).await;
        let direction = vector(&scattered(place, DIMENSIONS));
        scribe.embed(row.id, "small", direction.clone()).await;
        vectors.push((row.id, direction));
    }
    for seed in 1_000..1_005 {
        let query = vector(&scattered(seed, DIMENSIONS));
        let cosine = |other: &Vector| -> f64 {
            let pairs = query.as_slice().iter().zip(other.as_slice());
            pairs
                .map(|(&one, &two)| f64::from(one) * f64::from(two))
                .sum()
        };
        let mut expected: Vec<(f64, RowId)> = vectors
            .iter()
            .map(|(id, other)| (cosine(other), *id))
            .collect();
        expected.sort_by(|one, other| other.0.total_cmp(&one.0));
        let hits = nearest(&scribe, &query, Filter::new(Selection::All), 10).await;
        assert_eq!(
            ids(&hits),
            expected[..10].iter().map(|pair| pair.1).collect::<Vec<_>>()
        );
        for (hit, (score, _)) in hits.iter().zip(&expected) {
            assert!(
                (hit.score - score).abs() < 1e-5,
                "{} is not {score}",
                hit.score
            );
            assert_eq!(hit.matched, [""; 0]);
        }
    }
}

/// Filtered rows do not use up the limit; of equals the newest comes first.
pub async fn vectors_are_filtered_before_they_are_counted(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let mut rows = Vec::new();
    for place in 0..6 {
        let category = if place % 2 == 0 { "even" } else { "odd" };
        let row = scribe
            .save(Claim {
                category: category.to_owned(),
                ..claim("same")
            })
            .await;
        scribe.embed(row.id, "small", vector(&[0.0, 1.0])).await;
        rows.push(row);
    }
    let odd = Filter {
        categories: ["odd".to_owned()].into(),
        ..Filter::new(Selection::All)
    };
    let hits = nearest(&scribe, &vector(&[0.0, 2.0]), odd, 2).await;
    assert_eq!(ids(&hits), [rows[5].id, rows[3].id]);
    assert_eq!(hits[0].score, 1.0);
    scribe
        .end(Kind::Memory, rows[5].origin, Why::Forgotten)
        .await;
    let live = nearest(&scribe, &vector(&[0.0, 2.0]), Filter::live(scribe.clock), 2).await;
    assert_eq!(ids(&live), [rows[4].id, rows[3].id]);
    assert_eq!(
        nearest(&scribe, &vector(&[0.0, 2.0]), Filter::live(scribe.clock), 0).await,
        []
    );
}

/// Vectors of another embedder or dimension are not compared.
pub async fn only_vectors_of_one_kind_are_compared(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let [two, three, other] = [
        scribe.note("two").await.id,
        scribe.note("three").await.id,
        scribe.note("other").await.id,
    ];
    scribe.embed(two, "small", vector(&[1.0, 0.0])).await;
    scribe.embed(three, "small", vector(&[1.0, 0.0, 0.0])).await;
    scribe.embed(other, "large", vector(&[1.0, 0.0])).await;
    let all = || Filter::new(Selection::All);
    assert_eq!(
        ids(&nearest(&scribe, &vector(&[1.0, 0.0]), all(), 10).await),
        [two]
    );
    assert_eq!(
        ids(&nearest(&scribe, &vector(&[1.0, 0.0, 0.0]), all(), 10).await),
        [three]
    );
    assert_eq!(nearest(&scribe, &vector(&[1.0]), all(), 10).await, []);
}

/// A vector set again takes the place of the first, also in another dimension; a removed one is gone.
pub async fn an_embedding_is_replaced_and_removed(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let row = scribe.note("drinks tea").await.id;
    let all = || Filter::new(Selection::All);
    let mut changes = *scribe.everything().await.state();
    for direction in [
        vector(&[1.0, 0.0]),
        vector(&[0.6, 0.8]),
        vector(&[0.0, 0.0, 1.0]),
    ] {
        scribe.embed(row, "small", direction.clone()).await;
        let hits = nearest(&scribe, &direction, all(), 10).await;
        assert_eq!(ids(&hits), [row]);
        assert!((hits[0].score - 1.0).abs() < 1e-6);
        let everything = scribe.everything().await;
        let stored: Vec<_> = everything
            .embeddings()
            .map(|(_, vector)| vector.clone())
            .collect();
        assert_eq!(stored, [direction], "bit for bit");
        assert!(everything.state().embedding_changes > changes.embedding_changes);
        assert_eq!(
            everything.state().revision,
            changes.revision,
            "embeddings do not move the revision"
        );
        changes = *everything.state();
    }
    assert_eq!(
        nearest(&scribe, &vector(&[1.0, 0.0]), all(), 10).await,
        [],
        "the first dimension is left"
    );
    let mut set = scribe.unchecked();
    let key = EmbeddingKey {
        memory: row,
        embedder: "small".to_owned(),
    };
    set.embeddings.insert(key, EmbeddingChange::Remove);
    scribe.put(set).await;
    assert_eq!(
        nearest(&scribe, &vector(&[0.0, 0.0, 1.0]), all(), 10).await,
        []
    );
    assert_eq!(scribe.everything().await.embeddings().count(), 0);
}

/// A vector for a row that is not there is dropped without a word.
pub async fn embeddings_of_missing_rows_are_dropped(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let gone = scribe.note("drinks tea").await.id;
    scribe.write(|draft| draft.purge(Kind::Memory, gone)).await;
    scribe.embed(gone, "small", vector(&[1.0])).await;
    scribe
        .embed(RowId::new(uuid::Uuid::max()), "small", vector(&[1.0]))
        .await;
    assert_eq!(scribe.everything().await.embeddings().count(), 0);
    assert_eq!(
        nearest(&scribe, &vector(&[1.0]), Filter::new(Selection::All), 10).await,
        []
    );
}
