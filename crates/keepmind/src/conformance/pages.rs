//! Pages and cursors: everything once, nothing of another's, and no more than was asked for.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::conformance::fixtures::{Scribe, assert_refused, claim, moment};
use crate::conformance::furnish::furnish;
use crate::error::ErrorKind;
use crate::memory::{Claim, Marks};
use crate::row::State;
use crate::store::{
    Cursor, Filter, ListQuery, MAX_LIMIT, MemoryStore, MessageQuery, ObservationQuery, Selection,
    SessionQuery, TraceQuery, UsageQuery,
};
use crate::timestamp::Timestamp;

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

/// Chats come in order of their last moment, to the microsecond: within an hour, around its end, and before 1970.
pub async fn chats_are_in_order_of_their_last_moment(store: Arc<dyn MemoryStore>) {
    const HOUR: i64 = 3_600_000_000;
    let mut scribe = Scribe::new(&store, "alice");
    let moments = [
        1,
        -1,
        HOUR,
        0,
        -HOUR,
        HOUR + 1,
        HOUR - 1,
        -HOUR - 1,
        2 * HOUR,
    ];
    for micros in moments {
        scribe.clock = Timestamp::from_micros(micros).expect("a moment");
        scribe.open_session().await;
    }
    let mut sorted = moments;
    sorted.sort_unstable_by(|one, other| other.cmp(one));
    for limit in [1, 2, 100] {
        let mut query = SessionQuery::recent(limit);
        let mut found = Vec::new();
        loop {
            let page = store.sessions(&scribe.owner, &query).await;
            let page = page.expect("a page");
            found.extend(page.items.iter().map(|chat| chat.active_at.as_micros()));
            query.after = page.next;
            if query.after.is_none() {
                break;
            }
        }
        assert_eq!(found, sorted, "{limit} a page");
    }
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
        after: cursor.clone(),
        ..UsageQuery::all(1)
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

/// What a filter lets pass is found behind much that it does not, however a store reads ahead.
pub async fn little_is_found_behind_much(store: Arc<dyn MemoryStore>) {
    const MUCH: i64 = 1_100;
    let mut scribe = Scribe::new(&store, "alice");
    let mut changes = scribe.unchecked();
    for place in 0..MUCH {
        let is_wanted = place % 500 == 499;
        let id = crate::ObservationId::new(scribe.new_id());
        let payload = serde_json::json!(if is_wanted { "found" } else { "passed over" });
        let seen = crate::Observation {
            id,
            source: "phone".to_owned(),
            payload,
            at: moment(place),
        };
        changes.observations.insert(id, seen);
        let id = crate::SessionId::new(scribe.new_id());
        let mut session = crate::Session::open(id, moment(-place));
        if is_wanted {
            session.status = crate::SessionStatus::Archived;
        }
        changes
            .sessions
            .insert(id, crate::SessionChange::Open(session));
    }
    scribe.put(changes).await;
    scribe
        .write(|draft| {
            for place in 0..MUCH {
                let tags = if place % 500 == 499 {
                    BTreeSet::from(["rare".to_owned()])
                } else {
                    BTreeSet::new()
                };
                let number = draft.new_number()?;
                draft.insert_version(
                    number,
                    Claim {
                        tags,
                        ..claim("one of many")
                    },
                    Marks::default(),
                )?;
            }
            Ok(())
        })
        .await;
    for limit in [1, 2, 100] {
        let mut seen = ObservationQuery {
            text: Some("found".to_owned()),
            ..ObservationQuery::all(limit)
        };
        let mut archived = SessionQuery {
            statuses: [crate::SessionStatus::Archived].into(),
            ..SessionQuery::recent(limit)
        };
        let filter = Filter {
            tags: ["rare".to_owned()].into(),
            ..Filter::new(Selection::All)
        };
        let mut rare = ListQuery {
            filter,
            limit,
            after: None,
        };
        let mut places: [Vec<i64>; 3] = Default::default();
        for _ in 0..3 {
            let page = store
                .observations(&scribe.owner, &seen)
                .await
                .expect("a page");
            places[0].extend(page.items.iter().map(|seen| seen.at.as_micros()));
            seen.after = page.next;
            let page = store
                .sessions(&scribe.owner, &archived)
                .await
                .expect("a page");
            places[1].extend(
                page.items
                    .iter()
                    .map(|session| -session.active_at.as_micros()),
            );
            archived.after = page.next;
            let page = store.list(&scribe.owner, &rare).await.expect("a page");
            places[2].extend(page.items.iter().map(|row| row.body.number.get() as i64));
            rare.after = page.next;
            if seen.after.is_none() && archived.after.is_none() && rare.after.is_none() {
                break;
            }
        }
        let moments = |sign: i64| [499, 999].map(|place| sign * moment(sign * place).as_micros());
        assert_eq!(places[0], moments(1), "observations, {limit} a page");
        assert_eq!(places[1], moments(-1), "chats, {limit} a page");
        assert_eq!(places[2], [500, 1_000], "memories, {limit} a page");
    }
}
