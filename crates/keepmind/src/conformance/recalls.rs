//! Questions: all that speaks for a memory, ranked alike everywhere.

use std::sync::Arc;

use crate::conformance::fixtures::{Scribe, claim, vector};
use crate::conformance::vectors::scattered;
use crate::error::Result;
use crate::ids::SessionId;
use crate::policy::{FusionMethod, Policy};
use crate::row::{Kind, MemoryRow, Why};
use crate::search::Around;
use crate::store::in_memory::InMemoryStore;
use crate::store::{Filter, FoundRow, Hit, Meaning, MemoryStore, RecallQuery, Selection};
use crate::timestamp::Timestamp;

/// Words and meaning at once: the same ranking to the last bit as the store in memory, with what each list
/// said of every hit; filtered; and by words alone where nothing has a vector of that embedder.
pub async fn words_and_meaning_are_fused_alike(store: Arc<dyn MemoryStore>) {
    const DIMENSIONS: usize = 24;
    let memory: Arc<dyn MemoryStore> = Arc::new(InMemoryStore::new());
    let mut twins = [Scribe::new(&store, "alice"), Scribe::new(&memory, "alice")];
    for scribe in &mut twins {
        for place in 0..60 {
            let drink = ["tea", "coffee", "water", "juice"][place % 4];
            let row = scribe.note(&format!("cup {place} of {drink}")).await;
            // Some rows are found by words only.
            if place % 5 != 0 {
                let direction = vector(&scattered(place as u64, DIMENSIONS));
                scribe.embed(row.id, "small", direction).await;
            }
        }
    }
    let policy = Policy::default();
    let mut by_rank = policy.recall.fusion.clone();
    by_rank.method = FusionMethod::ReciprocalRank;
    for fusion in [policy.recall.fusion.clone(), by_rank] {
        for (seed, text) in [
            (7, "tea"),
            (8, "cup of coffee 12"),
            (9, "nothing of it"),
            (10, ""),
        ] {
            for embedder in ["small", "another"] {
                let query = RecallQuery {
                    text: text.to_owned(),
                    meaning: Some(Meaning {
                        embedder: embedder.to_owned(),
                        vector: vector(&scattered(seed, DIMENSIONS)),
                        words: Vec::new(),
                    }),
                    fusion: fusion.clone(),
                    filter: Filter::new(Selection::All),
                    limit: 20,
                    json: false,
                };
                let mut answers = Vec::new();
                for scribe in &twins {
                    answers.push(recall(scribe, &query).await);
                }
                assert!(answers[0] == answers[1], "{text:?} finds something else");
                let hits = &answers[0];
                assert!(hits.is_sorted_by(|one, next| one.score >= next.score));
                let has_meaning = embedder == "small";
                assert!(hits.iter().all(|hit| has_meaning || hit.meaning.is_none()));
                assert!(
                    hits.iter()
                        .all(|hit| hit.words.is_some() != hit.matched.is_empty())
                );
                assert!(hits.iter().all(|hit| hit.words.or(hit.meaning).is_some()));
                if text == "tea" {
                    assert!(
                        hits[0].words.is_some(),
                        "{}",
                        hits[0].row.body.claim.content
                    );
                    assert_eq!(hits.iter().any(|hit| hit.words.is_none()), has_meaning);
                }
                let mut few = query.clone();
                few.filter.categories.insert("no such category".to_owned());
                assert_eq!(recall(&twins[0], &few).await, []);
            }
        }
    }
}

fn question(text: &str, now: Timestamp) -> RecallQuery {
    RecallQuery {
        text: text.to_owned(),
        meaning: None,
        fusion: Policy::default().recall.fusion,
        filter: Filter::new(Selection::Live { at: now }),
        limit: 20,
        json: false,
    }
}

fn read(hits: Vec<Hit<FoundRow>>) -> Vec<Hit> {
    let read = hits.into_iter().map(Hit::read);
    read.collect::<Result<_>>().expect("rows that read")
}

async fn recall(scribe: &Scribe, query: &RecallQuery) -> Vec<Hit> {
    let hits = scribe.store.recall(&scribe.owner, query).await;
    read(hits.expect("a question"))
}

/// What a question finds, the same in the store in memory; the lines, best first, with what speaks for them.
async fn recalled(twins: &[Scribe], text: &str) -> Vec<(String, Vec<Around>)> {
    let mut answers: Vec<Vec<Hit>> = Vec::new();
    for scribe in twins {
        let mut asked = question(text, scribe.clock);
        let hits = recall(scribe, &asked).await;
        asked.json = true;
        let as_json = scribe.store.recall(&scribe.owner, &asked).await;
        for hit in as_json.as_ref().expect("a question") {
            if let Some(json) = hit.row.json() {
                let row = hit.row.clone().read().expect("a row that reads");
                let row = serde_json::to_string(&row).expect("a row has a JSON form");
                assert_eq!(json, row, "a row is not what its JSON says");
            }
        }
        let as_json = read(as_json.expect("a question"));
        assert!(as_json == hits, "{text:?} finds something else as JSON");
        answers.push(hits);
    }
    assert!(answers[0] == answers[1], "{text:?} finds something else");
    let told = |hit: &Hit| (hit.row.body.claim.content.clone(), hit.around.clone());
    answers[0].iter().map(told).collect()
}

async fn said(
    scribe: &mut Scribe,
    session: Option<SessionId>,
    line: &str,
    since: &str,
) -> MemoryRow {
    let mut claim = claim(line);
    claim.session = session;
    claim.valid_from = Timestamp::parse(since).expect("a moment");
    scribe.save(claim).await
}

/// An answer is found by its question, and no longer once the question is forgotten; not by what the same
/// person said, nor by what was said in another chat. Whom a question names and of which time it asks counts.
pub async fn what_was_said_beside_a_memory_leads_to_it(store: Arc<dyn MemoryStore>) {
    const ANSWER: &str = "Ben: In Graz, by the river";
    const ASKED: &str = "Anna: Where is your flat?";
    let memory: Arc<dyn MemoryStore> = Arc::new(InMemoryStore::new());
    let mut twins = [Scribe::new(&store, "alice"), Scribe::new(&memory, "alice")];
    let mut asked = Vec::new();
    for scribe in &mut twins {
        let chat = Some(scribe.open_session().await);
        let other = Some(scribe.open_session().await);
        asked.push(said(scribe, chat, ASKED, "2023-05-07T10:00:00Z").await);
        said(scribe, chat, ANSWER, "2023-05-07T10:01:00Z").await;
        said(scribe, chat, "Ben: My cat likes it", "2023-05-07T10:02:00Z").await;
        said(scribe, other, "Anna: Hello", "2023-07-01T10:00:00Z").await;
        said(scribe, None, "Ben: Plays chess", "2022-07-01T10:00:00Z").await;
    }

    let found = recalled(&twins, "the flat").await;
    assert_eq!(found[0], (ASKED.to_owned(), vec![]));
    assert_eq!(found[1], (ANSWER.to_owned(), vec![Around::Neighbour]));
    assert_eq!(found.len(), 2);

    let found = recalled(&twins, "What of Ben's flat in May?").await;
    let beside = vec![Around::Neighbour, Around::Speaker, Around::Time];
    assert!(found.contains(&(ANSWER.to_owned(), beside)), "{found:?}");
    let chess = found.iter().find(|(line, _)| line.contains("chess"));
    assert_eq!(
        chess.map(|(_, around)| &around[..]),
        Some(&[Around::Speaker][..])
    );

    for (scribe, asked) in twins.iter_mut().zip(&asked) {
        scribe.end(Kind::Memory, asked.origin, Why::Forgotten).await;
    }
    assert_eq!(recalled(&twins, "the flat").await, []);

    // Said anew: as the last of its chat it is beside no answer.
    for (scribe, asked) in twins.iter_mut().zip(&asked) {
        let session = asked.body.claim.session;
        said(scribe, session, ASKED, "2023-05-07T10:03:00Z").await;
    }
    let found = recalled(&twins, "the flat").await;
    assert_eq!(found[0].0, ASKED);
    assert_eq!(
        found[1],
        ("Ben: My cat likes it".to_owned(), vec![Around::Neighbour])
    );
}

/// Words of a question that is made of nothing else are also asked for by themselves: they count once, on the first question
/// as on later ones, whatever else was asked before and however many words that occur nowhere were.
pub async fn a_word_that_is_asked_for_twice_counts_once(store: Arc<dyn MemoryStore>) {
    let memory: Arc<dyn MemoryStore> = Arc::new(InMemoryStore::new());
    let mut twins = [Scribe::new(&store, "alice"), Scribe::new(&memory, "alice")];
    let lines = [
        "Anna: I row",
        "Ben: My cat",
        "Anna: Tea",
        "Ben: I and my tea",
    ];
    for scribe in &mut twins {
        for line in lines {
            said(scribe, None, line, "2023-05-07T10:00:00Z").await;
        }
    }
    let questions = ["Who am I?", "My?", "I", "Is that my own?"];
    for round in 0..3 {
        for text in questions {
            let found = recalled(&twins, text).await;
            assert!(!found.is_empty(), "{text:?} finds nothing, round {round}");
        }
        // So many lists without anything in them that some are let go, and a commit that changes the rest.
        for many in 0..30 {
            let nothing = format!("absent{round}x{many} gone{round}x{many} lost{round}x{many}");
            assert_eq!(recalled(&twins, &nothing).await, []);
        }
        for scribe in &mut twins {
            let line = format!("Ben: My {round}");
            said(scribe, None, &line, "2023-05-07T10:00:00Z").await;
        }
    }
}
