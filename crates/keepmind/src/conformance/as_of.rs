//! Questions about the past: what was true at one moment, as known at another.
//! Which row answers is [`as_of`]; here every way of asking agrees with it.

use std::sync::Arc;

use crate::conformance::fixtures::{Scribe, claim, moment, vector};
use crate::conformance::furnish::furnish;
use crate::memory::{Claim, Marks};
use crate::row::{Kind, MemoryRow, Why};
use crate::store::{Filter, KeywordQuery, ListQuery, MemoryStore, Selection, VectorQuery};
use crate::timestamp::Timestamp;
use crate::visibility::{AsOf, as_of};

fn asking(valid: Timestamp, known: Timestamp) -> Filter {
    Filter::new(Selection::AsOf {
        question: AsOf { valid, known },
    })
}

/// Rome; then Oslo, known later than it was true; then forgotten. All three ways of asking agree.
pub async fn the_past_is_answered_alike_by_list_and_searches(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let rome = scribe.note("lives in Rome").await;
    scribe.clock = moment(10);
    let oslo = scribe
        .write(|draft| {
            let since = moment(5);
            let claim = Claim {
                valid_from: since,
                ..claim("lives in Oslo")
            };
            let id = draft.insert_version(rome.body.number, claim, Marks::default())?;
            draft.end(
                Kind::Memory,
                rome.origin,
                Why::Superseded {
                    by: id.into(),
                    until: since,
                },
            )?;
            Ok(id)
        })
        .await;
    scribe.clock = moment(20);
    scribe.end(Kind::Memory, oslo.into(), Why::Forgotten).await;
    for memory in [rome.id, oslo] {
        scribe.embed(memory, "small", vector(&[1.0, 2.0])).await;
    }

    let table = [
        (7, 9, Some(rome.id)),
        (4, 10, Some(rome.id)),
        (5, 10, Some(oslo)),
        (7, 10, Some(oslo)),
        (-1, 10, None),
        (7, -1, None),
        (7, 19, Some(oslo)),
        (4, 20, None),
        (7, 20, None),
    ];
    for (valid, known, expected) in table {
        let filter = asking(moment(valid), moment(known));
        let expected: Vec<_> = expected.into_iter().collect();
        let what = format!("true at {valid}, known at {known}");
        let ids = |rows: &[MemoryRow]| rows.iter().map(|row| row.id).collect::<Vec<_>>();
        assert_eq!(
            ids(&scribe.listed(filter.clone()).await),
            expected,
            "list: {what}"
        );
        let query = KeywordQuery::new("lives", filter.clone(), 10);
        let hits = store.search(&scribe.owner, &query).await.expect("a search");
        let rows: Vec<_> = hits.into_iter().map(|hit| hit.row).collect();
        assert_eq!(ids(&rows), expected, "search: {what}");
        let query = VectorQuery {
            embedder: "small".to_owned(),
            vector: vector(&[1.0, 2.0]),
            filter,
            limit: 10,
        };
        let hits = store
            .search_vectors(&scribe.owner, &query)
            .await
            .expect("a search");
        let rows: Vec<_> = hits.into_iter().map(|hit| hit.row).collect();
        assert_eq!(ids(&rows), expected, "vectors: {what}");
    }
}

/// Asked about now, the past answers what is live.
pub async fn as_of_now_is_the_live_set(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    furnish(&mut scribe).await;
    let brief = Claim {
        expires_at: Some(moment(100)),
        ..claim("is on a train")
    };
    scribe.save(brief).await;
    let state = *scribe.everything().await.state();
    for clock in [moment(0), moment(99), moment(100), moment(2_000_000)] {
        let now = state.reading_time(clock);
        let live = scribe.listed(Filter::live(now)).await;
        assert!(!live.is_empty());
        assert_eq!(scribe.listed(asking(now, now)).await, live, "at {now}");
    }
}

/// A list as of any two moments is what the reference picks of each fact, other filters and pages included.
pub async fn a_list_as_of_is_what_the_reference_picks(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    furnish(&mut scribe).await;
    let everything = scribe.everything().await;
    let rows: Vec<&MemoryRow> = everything.memories().collect();
    for valid in [-1, 0, 1, 2, 3, 10, 30, 2_000_000] {
        for known in [-1, 0, 1, 2, 3, 7, 12, 25, 40] {
            let question = AsOf {
                valid: moment(valid),
                known: moment(known),
            };
            let expected: Vec<MemoryRow> = rows
                .chunk_by(|one, other| one.body.number == other.body.number)
                .filter_map(|versions| as_of(versions, question).cloned())
                .collect();
            let filter = Filter::new(Selection::AsOf { question });
            assert_eq!(
                scribe.listed(filter.clone()).await,
                expected,
                "{question:?}"
            );
            let first = ListQuery {
                filter: filter.clone(),
                limit: 1,
                after: None,
            };
            let page = store.list(&scribe.owner, &first).await.expect("a page");
            assert_eq!(page.items, expected[..expected.len().min(1)]);
            let filter = Filter {
                tags: ["home".to_owned()].into(),
                ..filter
            };
            let tagged: Vec<MemoryRow> = expected
                .into_iter()
                .filter(|row| row.body.claim.tags.contains("home"))
                .collect();
            assert_eq!(scribe.listed(filter).await, tagged, "tagged, {question:?}");
        }
    }
}
