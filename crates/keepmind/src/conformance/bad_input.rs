//! What must not be stored is refused in a way a host can act on; what is only odd is answered.

use std::sync::Arc;

use crate::change::{Expected, RowChange, Slice, limits};
use crate::conformance::fixtures::{Planned, Scribe, assert_refused, claim, moment, save, vector};
use crate::conformance::furnish::furnish;
use crate::error::ErrorKind;
use crate::memory::{Claim, Marks};
use crate::row::Body;
use crate::store::{
    Filter, KeywordQuery, ListQuery, MemoryStore, MessageSearch, ObservationQuery, Selection,
    VectorQuery,
};
use crate::timestamp::Timestamp;
use crate::visibility::AsOf;

/// Fails unless the store refuses a claim with these marks and is left as it was.
async fn assert_claim_refused(scribe: &mut Scribe, claim: Claim, marks: Marks, what: &str) {
    let (id, mut planned) = scribe
        .plan(|draft| save(draft, super::fixtures::claim("sound")))
        .await;
    if let Some(RowChange::Insert(row)) = planned.changes.rows.get_mut(&id)
        && let Body::Memory(memory) = &mut row.body
    {
        memory.claim = claim;
        row.marks = marks;
    }
    scribe
        .assert_unwritten(planned, ErrorKind::Invalid, what)
        .await;
}

/// Empty, oversize and unclean text, and text with NUL, never reaches a row.
pub async fn unclean_text_is_refused(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    scribe.note("drinks tea").await;
    let long = "x".repeat(limits::CONTENT_CHARS + 1);
    let contents = [
        "",
        " ",
        "\u{200b}",
        "two\nlines",
        " blank",
        "a\0b",
        "e\u{301}",
        "\u{202e}abc",
        &long,
    ];
    for content in contents {
        let what = format!("the content {:?}", &content[..content.len().min(20)]);
        assert_claim_refused(&mut scribe, claim(content), Marks::default(), &what).await;
    }
    let body = "x".repeat(limits::BODY_CHARS + 1);
    let name = "n".repeat(limits::NAME_CHARS + 1);
    let mut deep = serde_json::Value::Null;
    for _ in 0..limits::VALUE_DEPTH {
        deep = serde_json::json!([deep]);
    }
    let large = serde_json::Value::from("x".repeat(limits::VALUE_BYTES + 1));
    let sound = || claim("sound");
    for (what, bad) in [
        (
            "body",
            Claim {
                body: Some(body),
                ..sound()
            },
        ),
        (
            "body with NUL",
            Claim {
                body: Some("a\0b".to_owned()),
                ..sound()
            },
        ),
        (
            "empty summary",
            Claim {
                summary: Some(String::new()),
                ..sound()
            },
        ),
        (
            "long category",
            Claim {
                category: name.clone(),
                ..sound()
            },
        ),
        (
            "empty category",
            Claim {
                category: String::new(),
                ..sound()
            },
        ),
        (
            "domain with NUL",
            Claim {
                domain: Some("a\0".to_owned()),
                ..sound()
            },
        ),
        (
            "long key",
            Claim {
                key: Some(name.clone()),
                ..sound()
            },
        ),
        (
            "long tag",
            Claim {
                tags: [name].into(),
                ..sound()
            },
        ),
        (
            "many tags",
            Claim {
                tags: (0..=limits::TAGS).map(|tag| tag.to_string()).collect(),
                ..sound()
            },
        ),
        (
            "deep value",
            Claim {
                value: Some(deep),
                ..sound()
            },
        ),
        (
            "large value",
            Claim {
                value: Some(large),
                ..sound()
            },
        ),
        (
            "value with NUL",
            Claim {
                value: Some(serde_json::json!({"a\0": 1})),
                ..sound()
            },
        ),
        (
            "true later than said",
            Claim {
                valid_from: moment(9_999),
                ..sound()
            },
        ),
    ] {
        assert_claim_refused(&mut scribe, bad, Marks::default(), what).await;
    }
}

/// A mark is a number from 0 to 1, or it is refused.
pub async fn numbers_out_of_range_are_refused(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    scribe.note("drinks tea").await;
    for number in [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        -0.001,
        1.000_001,
        f64::MAX,
    ] {
        let important = Marks {
            importance: number,
            ..Marks::default()
        };
        assert_claim_refused(
            &mut scribe,
            claim("sound"),
            important,
            &format!("importance {number}"),
        )
        .await;
        let sure = Marks {
            confidence: Some(number),
            ..Marks::default()
        };
        assert_claim_refused(
            &mut scribe,
            claim("sound"),
            sure,
            &format!("confidence {number}"),
        )
        .await;

        let filter = Filter {
            min_confidence: Some(number),
            ..Filter::new(Selection::All)
        };
        let query = ListQuery {
            filter: filter.clone(),
            limit: 1,
            after: None,
        };
        assert_refused(
            store.list(&scribe.owner, &query).await,
            ErrorKind::Invalid,
            "list",
        );
        let query = KeywordQuery::new("tea", filter.clone(), 1);
        assert_refused(
            store.search(&scribe.owner, &query).await,
            ErrorKind::Invalid,
            "search",
        );
        let query = VectorQuery {
            embedder: "small".to_owned(),
            vector: vector(&[1.0]),
            filter,
            limit: 1,
        };
        assert_refused(
            store.search_vectors(&scribe.owner, &query).await,
            ErrorKind::Invalid,
            "vectors",
        );
    }
}

/// A megabyte of anything is a query like any other.
pub async fn a_huge_query_is_answered(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    furnish(&mut scribe).await;
    let words: String = (0..120_000).map(|word| format!("word{word} ")).collect();
    let huge = [
        words,
        "x".repeat(1 << 20),
        "%_*\"".repeat(1 << 18),
        "茶".repeat(350_000),
        "\0".repeat(1 << 20),
    ];
    for text in huge {
        let filter = Filter::new(Selection::All);
        let query = KeywordQuery::new(text.clone(), filter, usize::MAX);
        store.search(&scribe.owner, &query).await.expect("a search");
        let search = MessageSearch {
            text: text.clone(),
            session: None,
            roles: [].into(),
            limit: usize::MAX,
        };
        store
            .search_messages(&scribe.owner, &search)
            .await
            .expect("a search");
        let seen = ObservationQuery {
            text: Some(text.clone()),
            ..ObservationQuery::all(usize::MAX)
        };
        store
            .observations(&scribe.owner, &seen)
            .await
            .expect("observations");
        let contents = [text].into();
        scribe
            .load(&Slice {
                contents,
                ..Slice::default()
            })
            .await;
    }
}

/// The first and the last moment there is are moments like any other.
pub async fn the_ends_of_time_are_answered(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    scribe.clock = Timestamp::MIN;
    let first = scribe
        .save(Claim {
            valid_from: Timestamp::MIN,
            ..claim("was always so")
        })
        .await;
    assert_eq!(first.recorded_at, Timestamp::MIN);
    scribe.clock = Timestamp::MAX;
    let forever = Claim {
        valid_from: Timestamp::MIN,
        expires_at: Some(Timestamp::MAX),
        ..claim("ends with time")
    };
    let last = scribe.save(forever).await;
    assert_eq!(last.recorded_at, Timestamp::MAX);
    let ends = [Timestamp::MIN, Timestamp::MAX];
    for valid in ends {
        for known in ends {
            let filter = Filter::new(Selection::AsOf {
                question: AsOf { valid, known },
            });
            let count = scribe.listed(filter).await.len();
            let expected = if known == Timestamp::MIN || valid == Timestamp::MAX {
                1
            } else {
                2
            };
            assert_eq!(count, expected, "true at {valid}, known at {known}");
        }
    }
    let all = Filter {
        recorded_from: Some(ends[0]),
        recorded_until: Some(ends[1]),
        ..Filter::new(Selection::All)
    };
    assert_eq!(
        scribe.listed(all).await.len(),
        1,
        "until is the moment before"
    );
    let changes = scribe.unchecked();
    scribe.put(changes).await;
    let base = scribe.everything().await;
    let stuck =
        crate::Draft::new(&base, Timestamp::MAX, &mut scribe.ids).map(|draft| draft.stamp());
    assert_refused(stuck, ErrorKind::Invalid, "a stamp after the last moment");
}

/// A journal that does not fit its set is refused.
pub async fn a_journal_that_does_not_fit_is_refused(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    scribe.note("drinks tea").await;
    let (_, planned) = scribe.plan(|draft| save(draft, claim("drinks milk"))).await;
    let entry = planned.changes.entries[0].clone();
    let bend = |entries: Vec<crate::JournalEntry>| {
        let mut planned = planned.clone();
        planned.changes.entries = entries;
        planned
    };
    let other = crate::OperationId::new(uuid::Uuid::max());
    let effect = entry.effects[0];
    for (what, planned) in [
        (
            "another operation",
            bend(vec![crate::JournalEntry {
                operation: other,
                ..entry.clone()
            }]),
        ),
        (
            "another stamp",
            bend(vec![crate::JournalEntry {
                stamp: moment(500),
                ..entry.clone()
            }]),
        ),
        ("an entry twice", bend(vec![entry.clone(), entry.clone()])),
        (
            "the last revision twice",
            bend(vec![
                crate::JournalEntry {
                    revision: u64::MAX,
                    ..entry.clone()
                };
                2
            ]),
        ),
        (
            "an effect twice",
            bend(vec![crate::JournalEntry {
                effects: vec![effect, effect],
                ..entry.clone()
            }]),
        ),
        (
            "an empty line",
            bend(vec![crate::JournalEntry {
                line: String::new(),
                ..entry.clone()
            }]),
        ),
        (
            "two lines",
            bend(vec![crate::JournalEntry {
                line: "a\nb".to_owned(),
                ..entry.clone()
            }]),
        ),
    ] {
        scribe
            .assert_unwritten(planned, ErrorKind::Invalid, what)
            .await;
    }
    let anyway = Planned {
        expected: Expected::Any,
        changes: scribe.unchecked(),
    };
    scribe.commit(anyway).await.expect("the store still writes");
}
