//! Lists of memories: filters, order, pages and cursors.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::conformance::fixtures::{Scribe, assert_refused, claim, moment};
use crate::conformance::furnish::furnish;
use crate::error::ErrorKind;
use crate::memory::{Authority, Claim, Layer, Marks, Source};
use crate::row::{MemoryRow, State};
use crate::store::{
    Cursor, Filter, ListQuery, MAX_LIMIT, MemoryStore, MessageQuery, ObservationQuery, Selection,
    SessionQuery, TraceQuery, UsageQuery,
};

/// Every filter by itself: what passes is what [`Filter::matches`] lets pass, in order.
pub async fn a_list_is_what_the_filter_lets_pass(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let furnished = furnish(&mut scribe).await;
    scribe
        .save(Claim {
            expires_at: Some(moment(1)),
            ..claim("is over")
        })
        .await;
    let marks = Marks {
        confidence: Some(0.5),
        ..Marks::default()
    };
    scribe
        .write(|draft| {
            let number = draft.new_number()?;
            let claim = Claim {
                layer: Layer::Episode,
                source: Source::Extracted,
                ..claim("was seen")
            };
            draft.insert_version(number, claim, marks)
        })
        .await;
    let everything = scribe.everything().await;
    let all = || Filter::new(Selection::All);
    let words = |words: &[&str]| {
        words
            .iter()
            .map(|&word| word.to_owned())
            .collect::<BTreeSet<_>>()
    };
    let now = moment(100);
    let filters = [
        all(),
        Filter::new(Selection::Held),
        Filter::new(Selection::Ended),
        Filter::live(now),
        Filter::live(moment(0)),
        Filter::live(moment(2_000_000)),
        Filter::new(Selection::Expired { at: now }),
        Filter::new(Selection::Expired { at: moment(1) }),
        Filter {
            layers: [Layer::Digest, Layer::Episode].into(),
            ..all()
        },
        Filter {
            categories: words(&["facts"]),
            ..all()
        },
        Filter {
            categories: words(&["other"]),
            ..all()
        },
        Filter {
            domains: words(&["travel", "food"]),
            ..all()
        },
        Filter {
            excluded_domains: words(&["travel"]),
            ..all()
        },
        Filter {
            domains: words(&["travel"]),
            excluded_domains: words(&["travel"]),
            ..all()
        },
        Filter {
            authorities: [Authority::Rule].into(),
            ..all()
        },
        Filter {
            sources: [Source::Extracted, Source::Derived].into(),
            ..all()
        },
        Filter {
            tags: words(&["home", "never"]),
            ..all()
        },
        Filter {
            sessions: [furnished.session].into(),
            ..all()
        },
        Filter {
            min_confidence: Some(0.0),
            ..all()
        },
        Filter {
            min_confidence: Some(0.5),
            ..all()
        },
        Filter {
            min_confidence: Some(0.500_000_1),
            ..all()
        },
        Filter {
            min_confidence: Some(1.0),
            ..all()
        },
        Filter {
            recorded_from: Some(moment(5)),
            ..all()
        },
        Filter {
            recorded_until: Some(moment(5)),
            ..all()
        },
        Filter {
            recorded_from: Some(moment(5)),
            recorded_until: Some(moment(5)),
            ..all()
        },
        Filter {
            recorded_from: Some(moment(3)),
            layers: [Layer::Fact].into(),
            ..Filter::live(now)
        },
    ];
    for filter in filters {
        let expected: Vec<MemoryRow> = everything
            .memories()
            .filter(|row| filter.matches(row))
            .cloned()
            .collect();
        assert_eq!(scribe.listed(filter.clone()).await, expected, "{filter:?}");
    }
}

/// Rows come in order of number and version, whatever their ids and stamps.
pub async fn a_list_is_in_order_of_number_and_version(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let first = scribe.note("one").await;
    for content in [
        "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    ] {
        scribe.note(content).await;
    }
    let mut last = first;
    for version in 2..=11 {
        last = scribe.update(&last, &format!("one, again {version}")).await;
    }
    let rows = scribe.listed(Filter::new(Selection::All)).await;
    let places: Vec<_> = rows
        .iter()
        .map(|row| (row.body.number.get(), row.body.version.get()))
        .collect();
    let mut expected: Vec<(u64, u64)> = (1..=11).map(|version| (1, version)).collect();
    expected.extend((2..=11).map(|number| (number, 1)));
    assert_eq!(places, expected);
}

/// Following the cursor shows everything once, whatever the size of a page.
pub async fn pages_show_everything_exactly_once(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    furnish(&mut scribe).await;
    let all = scribe.listed(Filter::new(Selection::All)).await;
    for limit in [
        1,
        2,
        3,
        7,
        all.len() - 1,
        all.len(),
        all.len() + 1,
        usize::MAX,
    ] {
        let mut query = ListQuery {
            filter: Filter::new(Selection::All),
            limit,
            after: None,
        };
        let mut shown = Vec::new();
        loop {
            let page = store.list(&scribe.owner, &query).await.expect("a page");
            assert!(page.items.len() <= limit);
            assert_eq!(
                page.state,
                *scribe.everything().await.state(),
                "a page says when it was read"
            );
            shown.extend(page.items);
            query.after = match page.next {
                Some(cursor) => Some(Cursor::from(cursor.to_string())),
                None => break,
            };
            assert!(
                shown.len() < all.len(),
                "a cursor promises that there is more"
            );
        }
        assert_eq!(shown, all, "in pages of {limit}");
    }
    let none = ListQuery {
        filter: Filter::new(Selection::All),
        limit: 0,
        after: None,
    };
    assert_eq!(
        store
            .list(&scribe.owner, &none)
            .await
            .expect("a page")
            .items,
        []
    );
}

/// What is written between two pages neither repeats nor hides what was there.
pub async fn pages_go_on_after_a_write(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let mut rows = Vec::new();
    for content in ["one", "two", "three", "four"] {
        rows.push(scribe.note(content).await);
    }
    let first = ListQuery {
        filter: Filter::new(Selection::All),
        limit: 2,
        after: None,
    };
    let page = store
        .list(&scribe.owner, &first)
        .await
        .expect("the first page");
    scribe.update(&rows[0], "one, again").await;
    let fifth = scribe.note("five").await;
    let marks = Marks {
        importance: 1.0,
        ..Marks::default()
    };
    scribe
        .write(|draft| draft.set(crate::Kind::Memory, rows[3].origin, State::Live { marks }))
        .await;
    let second = ListQuery {
        limit: 10,
        after: page.next,
        ..first
    };
    let rest = store
        .list(&scribe.owner, &second)
        .await
        .expect("the second page");
    let ids: Vec<_> = rest.items.iter().map(|row| row.id).collect();
    assert_eq!(ids, [rows[2].id, rows[3].id, fifth.id]);
}

/// A page has at most [`MAX_LIMIT`] items, however many are asked for.
pub async fn a_page_is_bounded(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let mut changes = scribe.unchecked();
    for place in 0..=MAX_LIMIT {
        let id = crate::ObservationId::new(scribe.new_id());
        let payload = serde_json::Value::from(place);
        let seen = crate::Observation {
            id,
            source: "phone".to_owned(),
            payload,
            at: moment(place as i64),
        };
        changes.observations.insert(id, seen);
    }
    scribe.put(changes).await;
    let page = store
        .observations(&scribe.owner, &ObservationQuery::all(usize::MAX))
        .await
        .expect("a page");
    assert_eq!(page.items.len(), MAX_LIMIT);
    let rest = ObservationQuery {
        after: page.next,
        ..ObservationQuery::all(usize::MAX)
    };
    assert_eq!(
        store
            .observations(&scribe.owner, &rest)
            .await
            .expect("the rest")
            .items
            .len(),
        1
    );
}

/// A cursor is good for the owner and the question it came from; anything else is refused.
pub async fn a_cursor_of_another_owner_or_question_is_refused(store: Arc<dyn MemoryStore>) {
    let mut alice = Scribe::new(&store, "alice");
    let mut bob = Scribe::new(&store, "bob");
    for scribe in [&mut alice, &mut bob] {
        scribe.note("one").await;
        scribe.note("two").await;
    }
    let list = |after| ListQuery {
        filter: Filter::new(Selection::All),
        limit: 1,
        after,
    };
    let cursor = store
        .list(&alice.owner, &list(None))
        .await
        .expect("a page")
        .next;
    assert!(cursor.is_some());
    store
        .list(&alice.owner, &list(cursor.clone()))
        .await
        .expect("her own cursor");
    let foreign = store.list(&bob.owner, &list(cursor.clone())).await;
    assert_refused(foreign, ErrorKind::Invalid, "a cursor of another owner");

    let after = cursor.clone();
    let query = MessageQuery {
        session: None,
        after_number: None,
        newest_first: false,
        limit: 1,
        after,
    };
    assert_refused(
        store.messages(&alice.owner, &query).await,
        ErrorKind::Invalid,
        "messages",
    );
    let query = SessionQuery {
        after: cursor.clone(),
        ..SessionQuery::recent(1)
    };
    assert_refused(
        store.sessions(&alice.owner, &query).await,
        ErrorKind::Invalid,
        "sessions",
    );
    let query = ObservationQuery {
        after: cursor.clone(),
        ..ObservationQuery::all(1)
    };
    assert_refused(
        store.observations(&alice.owner, &query).await,
        ErrorKind::Invalid,
        "observations",
    );
    let query = TraceQuery {
        session: None,
        limit: 1,
        after: cursor.clone(),
    };
    assert_refused(
        store.traces(&alice.owner, &query).await,
        ErrorKind::Invalid,
        "traces",
    );
    let query = UsageQuery {
        session: None,
        memory: None,
        limit: 1,
        after: cursor.clone(),
    };
    assert_refused(
        store.usage(&alice.owner, &query).await,
        ErrorKind::Invalid,
        "usage",
    );

    let genuine = cursor.expect("a cursor").to_string();
    for forged in [
        "",
        " ",
        "memories",
        "1",
        "%",
        "'",
        &genuine[1..],
        &genuine[..genuine.len() - 1],
    ] {
        let after = Some(Cursor::from(forged.to_owned()));
        let answer = store.list(&alice.owner, &list(after)).await;
        assert_refused(
            answer,
            ErrorKind::Invalid,
            &format!("the cursor {forged:?}"),
        );
    }
}
