//! What is found by what the server measures: what the store in memory finds, to the last bit.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use keepmind::conformance::fixtures::{Scribe, claim, moment, vector};
use keepmind::export::{CopyOptions, CopyProgress, copy};
use keepmind::policy::{Fusion, FusionMethod, Policy};
use keepmind::store::{Filter, Meaning, RecallQuery, Selection, VectorQuery, WordMeaning};
use keepmind::visibility::AsOf;
use keepmind::{
    Claim, CountingIds, InMemoryStore, Kind, ManualClock, MemoryStore, Owner, Timestamp, Vector,
    Why,
};
use keepmind_tests::Random;

use crate::{Stage, TURN, ahead, three};

const DIMENSIONS: usize = 96;

fn scattered(random: &mut Random, dimensions: usize) -> Vector {
    let numbers: Vec<f32> = (0..dimensions)
        .map(|_| random.below(2_001) as f32 - 1_000.0)
        .collect();
    vector(&numbers)
}

/// Facts of several chats and categories, some ended, some replaced, most with a vector, some of them the same, and some
/// of another embedder or length.
async fn fill(store: &Arc<dyn MemoryStore>, random: &mut Random) -> Owner {
    let mut alice = Scribe::new(store, "alice");
    let chats = [alice.open_session().await, alice.open_session().await];
    let same = scattered(random, DIMENSIONS);
    for place in 0..240 {
        let drink = ["tea", "coffee", "water", "juice"][place % 4];
        let claim = Claim {
            category: ["facts", "habits"][place % 2].to_owned(),
            session: Some(chats[place % 2]).filter(|_| place % 3 != 0),
            ..claim(&format!("Cup {place} of {drink}, my own."))
        };
        let mut row = alice.save(claim).await;
        if place % 7 == 0 {
            alice
                .embed(row.id, "small", scattered(random, DIMENSIONS))
                .await;
            row = alice
                .update(&row, &format!("glass {place} of {drink}"))
                .await;
        }
        let direction = match place % 12 {
            0 => continue,
            1 => same.clone(),
            2 => scattered(random, 17),
            _ => scattered(random, DIMENSIONS),
        };
        let embedder = if place % 11 == 0 { "large" } else { "small" };
        alice.embed(row.id, embedder, direction).await;
        if place % 10 == 0 {
            alice.end(Kind::Memory, row.origin, Why::Forgotten).await;
        }
    }
    alice.owner
}

fn filters() -> Vec<Filter> {
    let question = AsOf {
        valid: moment(200),
        known: moment(250),
    };
    vec![
        Filter::new(Selection::All),
        Filter::live(moment(10_000)),
        Filter::new(Selection::Ended),
        Filter::new(Selection::AsOf { question }),
        Filter {
            categories: BTreeSet::from(["habits".to_owned()]),
            ..Filter::new(Selection::All)
        },
        Filter {
            categories: BTreeSet::from(["no such category".to_owned()]),
            ..Filter::new(Selection::All)
        },
    ]
}

fn fusions() -> [Fusion; 2] {
    let by_score = Policy::default().recall.fusion;
    let mut by_rank = by_score.clone();
    by_rank.method = FusionMethod::ReciprocalRank;
    [by_score, by_rank]
}

/// A store is asked when nothing is in its memory yet, and once more when something is.
#[tokio::test]
async fn a_cold_store_finds_what_the_one_in_memory_does() {
    for place in ["public", "elsewhere"] {
        let Some(stage) = Stage::new().await else {
            return;
        };
        let install =
            format!("CREATE SCHEMA IF NOT EXISTS {place}; CREATE EXTENSION vector SCHEMA {place}");
        stage.run(&install).await;
        let mut random = Random::new(11);
        let memory: Arc<dyn MemoryStore> = Arc::new(InMemoryStore::new());
        let owner = fill(&memory, &mut random).await;
        let store = stage.open().await;
        let (clock, mut ids) = (
            ManualClock::new(Timestamp::UNIX_EPOCH),
            CountingIds::after(1 << 101),
        );
        let going_on = |_: &CopyProgress| ControlFlow::Continue(());
        let options = CopyOptions::default();
        let report = copy(&*memory, &*store, options, &clock, &mut ids, going_on).await;
        assert!(report.unwrap().is_complete());
        store.close().await.unwrap();
        let lacking = "SELECT count(*) FROM embedding WHERE NOT has_near OR near IS NULL";
        assert_eq!(stage.count(lacking).await, 0, "a copy brings all of them");

        for filter in filters() {
            for (embedder, dimensions, limit) in [
                ("small", DIMENSIONS, 10),
                ("small", 17, 100),
                ("large", DIMENSIONS, 3),
                ("none", 5, 10),
            ] {
                let query = VectorQuery {
                    embedder: embedder.to_owned(),
                    vector: scattered(&mut random, dimensions),
                    filter: filter.clone(),
                    limit,
                };
                let expected = memory.search_vectors(&owner, &query).await.unwrap();
                let store = stage.open().await;
                for _ in 0..2 {
                    let found = store.search_vectors(&owner, &query).await.unwrap();
                    assert!(found == expected, "{query:?}");
                }
                store.close().await.unwrap();
            }
            for fusion in fusions() {
                for text in ["tea of my own", "glass 21 or coffee", ""] {
                    let word = WordMeaning {
                        term: "tea".to_owned(),
                        vector: scattered(&mut random, DIMENSIONS).into(),
                    };
                    let query = RecallQuery {
                        text: text.to_owned(),
                        meaning: Some(Meaning {
                            embedder: "small".to_owned(),
                            vector: scattered(&mut random, DIMENSIONS),
                            words: vec![word],
                        }),
                        fusion: fusion.clone(),
                        filter: filter.clone(),
                        limit: 15,
                        json: false,
                    };
                    let expected = memory.recall(&owner, &query).await.unwrap();
                    let store = stage.open().await;
                    for _ in 0..2 {
                        let found = store.recall(&owner, &query).await.unwrap();
                        assert!(found == expected, "{query:?}");
                    }
                    store.close().await.unwrap();
                }
            }
        }
    }
}

#[tokio::test]
async fn the_first_question_is_the_servers_and_the_next_the_stores_own() {
    let Some(stage) = Stage::with_extension().await else {
        return;
    };
    let (mut alice, [_, beside, _]) = three(&stage.open().await).await;
    stage.run(TURN).await;
    let (one, other) = (stage.open().await, stage.open().await);
    let owner = &alice.owner.clone();
    assert_eq!(ahead(&one, owner).await, "beside", "by the server's column");
    assert_eq!(ahead(&one, owner).await, "ahead", "by the vectors");
    assert_eq!(ahead(&one, owner).await, "ahead");

    // Its own write is no news to a store, that of another is.
    assert_eq!(ahead(&other, owner).await, "beside");
    alice.store = Arc::clone(&other);
    alice.embed(beside, "small", vector(&[0.6, 0.8])).await;
    assert_eq!(ahead(&other, owner).await, "ahead");
    assert_eq!(ahead(&one, owner).await, "beside");
    assert_eq!(ahead(&one, owner).await, "ahead");
}

/// A question is asked the server too, and by words alone nobody.
#[tokio::test]
async fn a_recall_asks_the_server_first() {
    let Some(stage) = Stage::with_extension().await else {
        return;
    };
    let (alice, _) = three(&stage.open().await).await;
    stage.run(TURN).await;
    let store = stage.open().await;
    let [fusion, _] = fusions();
    let query = RecallQuery {
        text: String::new(),
        meaning: Some(Meaning {
            embedder: "small".to_owned(),
            vector: vector(&[1.0, 0.0]),
            words: Vec::new(),
        }),
        fusion,
        filter: Filter::new(Selection::All),
        limit: 1,
        json: false,
    };
    for expected in ["beside", "ahead"] {
        let hits = store.recall(&alice.owner, &query).await.unwrap();
        let best = hits[0].row.clone().read().unwrap();
        assert_eq!(best.body.claim.content, expected);
    }
}

/// The longest do not fit beside the others in a row, and are put aside by the server.
#[tokio::test]
async fn vectors_of_any_length_are_measured() {
    let Some(stage) = Stage::with_extension().await else {
        return;
    };
    let memory: Arc<dyn MemoryStore> = Arc::new(InMemoryStore::new());
    let store = stage.open().await;
    let mut random = Random::new(7);
    let lengths = [1, 2_000, Vector::MAX_DIMENSIONS];
    let mut twins = [Scribe::new(&memory, "alice"), Scribe::new(&store, "alice")];
    let mut expected = 0;
    for dimensions in lengths {
        for place in 0..4 {
            let direction = scattered(&mut random, dimensions);
            for twin in &mut twins {
                let row = twin.note(&format!("{place} of {dimensions}")).await;
                twin.embed(row.id, "small", direction.clone()).await;
            }
            expected += 1;
        }
    }
    let measured = "SELECT count(*) FROM embedding WHERE has_near AND near IS NOT NULL";
    assert_eq!(stage.count(measured).await, expected);
    for dimensions in lengths {
        let query = VectorQuery {
            embedder: "small".to_owned(),
            vector: scattered(&mut random, dimensions),
            filter: Filter::new(Selection::All),
            limit: 3,
        };
        let owner = &twins[0].owner;
        let found = stage.open().await.search_vectors(owner, &query).await;
        assert_eq!(
            found.unwrap(),
            memory.search_vectors(owner, &query).await.unwrap()
        );
    }
}
