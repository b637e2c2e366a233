//! Observations, traces and usage: appended, the first record stays, read oldest first.

use std::sync::Arc;

use serde_json::json;

use crate::change::TraceChange;
use crate::conformance::fixtures::{Scribe, moment};
use crate::ids::{ObservationId, RowId, SessionId, UsageId};
use crate::observation::Observation;
use crate::row::Kind;
use crate::store::{Cursor, MemoryStore, ObservationQuery, TraceQuery, UsageQuery};
use crate::trace::{Trace, TraceKey, TraceOutcome};
use crate::usage::{Usage, UsageKind};

fn trace(session: SessionId, call: &str, minutes: i64) -> Trace {
    Trace {
        key: TraceKey {
            session,
            call: call.to_owned(),
        },
        tool: "save".to_owned(),
        arguments: json!({}),
        result: "saved".to_owned(),
        outcome: TraceOutcome::Complete,
        started_at: moment(minutes),
        finished_at: moment(minutes + 1),
    }
}

/// An observation whose id is known already is left as it is.
pub async fn the_first_observation_stays(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let id = ObservationId::new(scribe.new_id());
    for payload in [json!({"km": 4}), json!({"km": 5})] {
        let mut changes = scribe.unchecked();
        let seen = Observation {
            id,
            source: "phone".to_owned(),
            payload,
            at: moment(0),
        };
        changes.observations.insert(id, seen);
        scribe.put(changes).await;
    }
    let everything = scribe.everything().await;
    let payloads: Vec<_> = everything
        .observations()
        .map(|seen| seen.payload.clone())
        .collect();
    assert_eq!(payloads, [json!({"km": 4})]);
}

/// Oldest or newest first, ties too, by id, source, words and time, page by page exactly once.
pub async fn observations_are_read_by_source_words_and_time(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let mut all = Vec::new();
    for place in 0..9 {
        let id = ObservationId::new(scribe.new_id());
        let source = if place % 2 == 0 { "phone" } else { "watch" };
        let payload = json!({"what": format!("walked {place} km"), "where": ["park", 7]});
        let seen = Observation {
            id,
            source: source.to_owned(),
            payload,
            at: moment(8 - place / 2),
        };
        let mut changes = scribe.unchecked();
        changes.observations.insert(id, seen.clone());
        scribe.put(changes).await;
        all.push(seen);
    }
    all.sort_by_key(|seen| (seen.at, seen.id));
    let unknown = ObservationId::new(scribe.new_id());
    let any = ObservationQuery::all(100);
    let text = |text: &str| ObservationQuery {
        text: Some(text.to_owned()),
        ..ObservationQuery::all(100)
    };
    let queries = [
        (any.clone(), 9),
        (
            ObservationQuery {
                source: Some("phone".to_owned()),
                ..any.clone()
            },
            5,
        ),
        (
            ObservationQuery {
                source: Some("Phone".to_owned()),
                ..any.clone()
            },
            0,
        ),
        (
            ObservationQuery {
                ids: [all[0].id, all[4].id, all[8].id].into(),
                ..any.clone()
            },
            3,
        ),
        (
            ObservationQuery {
                ids: [all[0].id, all[8].id, unknown].into(),
                until: Some(moment(6)),
                ..any.clone()
            },
            1,
        ),
        (
            ObservationQuery {
                ids: [unknown].into(),
                ..any.clone()
            },
            0,
        ),
        (text("walking parks"), 9),
        (text("watch 3"), 1),
        (text("zebra walked"), 0),
        (text("%"), 0),
        (text(""), 0),
        (
            ObservationQuery {
                from: Some(moment(6)),
                ..any.clone()
            },
            6,
        ),
        (
            ObservationQuery {
                until: Some(moment(6)),
                ..any.clone()
            },
            3,
        ),
        (
            ObservationQuery {
                from: Some(moment(6)),
                until: Some(moment(7)),
                ..any.clone()
            },
            2,
        ),
    ];
    for (query, count) in queries {
        let matches = query.matcher();
        let mut expected: Vec<&Observation> = all.iter().filter(|seen| matches(seen)).collect();
        assert_eq!(expected.len(), count, "{query:?}");
        for (limit, newest_first) in [1, 2, 4, 100]
            .map(|limit| [(limit, false), (limit, true)])
            .concat()
        {
            expected.sort_by_key(|seen| (seen.at, seen.id));
            if newest_first {
                expected.reverse();
            }
            let mut asked = ObservationQuery {
                limit,
                newest_first,
                ..query.clone()
            };
            let mut shown = Vec::new();
            loop {
                let page = store
                    .observations(&scribe.owner, &asked)
                    .await
                    .expect("a page");
                shown.extend(page.items);
                let Some(cursor) = page.next else { break };
                asked.after = Some(Cursor::from(cursor.to_string()));
            }
            assert_eq!(shown.iter().collect::<Vec<_>>(), expected, "{asked:?}");
        }
    }
}

/// The first record of a call stays; one of a chat that is not there is dropped.
pub async fn the_first_trace_of_a_call_stays(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let session = scribe.open_session().await;
    let first = trace(session, "call_1", 0);
    let second = Trace {
        result: "saved again".to_owned(),
        ..first.clone()
    };
    let nowhere = trace(SessionId::new(uuid::Uuid::max()), "call_1", 0);
    for trace in [first.clone(), second, nowhere] {
        let mut changes = scribe.unchecked();
        changes
            .traces
            .insert(trace.key.clone(), TraceChange::Record(trace));
        scribe.put(changes).await;
    }
    assert!(scribe.everything().await.traces().eq([&first]));
    for _ in 0..2 {
        let mut changes = scribe.unchecked();
        changes.traces.insert(first.key.clone(), TraceChange::Purge);
        scribe.put(changes).await;
        assert_eq!(scribe.everything().await.traces().count(), 0);
    }
}

/// Oldest first, ties by chat and call, of one chat or all, page by page exactly once.
pub async fn traces_are_read_oldest_first(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let sessions = [scribe.open_session().await, scribe.open_session().await];
    let mut all = Vec::new();
    for (place, call) in ["b", "a", "é", "a b", "Z", "10", "9", "a-b", "%"]
        .into_iter()
        .enumerate()
    {
        for session in sessions {
            let trace = trace(session, call, place as i64 / 4);
            let mut changes = scribe.unchecked();
            changes
                .traces
                .insert(trace.key.clone(), TraceChange::Record(trace.clone()));
            scribe.put(changes).await;
            all.push(trace);
        }
    }
    all.sort_by(|one, other| (one.started_at, &one.key).cmp(&(other.started_at, &other.key)));
    for session in [
        None,
        Some(sessions[0]),
        Some(sessions[1]),
        Some(SessionId::new(uuid::Uuid::max())),
    ] {
        let expected: Vec<&Trace> = all
            .iter()
            .filter(|trace| session.is_none_or(|session| trace.key.session == session))
            .collect();
        for limit in [1, 2, 5, 100] {
            let mut query = TraceQuery {
                session,
                limit,
                after: None,
            };
            let mut shown = Vec::new();
            loop {
                let page = store.traces(&scribe.owner, &query).await.expect("a page");
                shown.extend(page.items);
                let Some(cursor) = page.next else { break };
                query.after = Some(Cursor::from(cursor.to_string()));
            }
            assert_eq!(shown.iter().collect::<Vec<_>>(), expected, "{query:?}");
        }
    }
}

/// A use of a memory that is gone is dropped; a use is entered once.
pub async fn usage_of_missing_rows_is_dropped(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let (tea, gone) = (
        scribe.note("drinks tea").await.id,
        scribe.note("drinks milk").await.id,
    );
    scribe.write(|draft| draft.purge(Kind::Memory, gone)).await;
    let id = UsageId::new(scribe.new_id());
    let first = Usage {
        id,
        at: moment(0),
        session: None,
        memory: tea,
        kind: UsageKind::Cited,
        influence: None,
    };
    let again = Usage {
        kind: UsageKind::Overridden,
        ..first.clone()
    };
    let lost = |memory, seed| Usage {
        id: UsageId::new(uuid::Uuid::from_u128(seed)),
        memory,
        ..first.clone()
    };
    let uses = [
        first.clone(),
        again,
        lost(gone, 901),
        lost(RowId::new(uuid::Uuid::max()), 902),
    ];
    for usage in uses {
        let mut changes = scribe.unchecked();
        changes.usage.insert(usage.id, usage);
        scribe.put(changes).await;
    }
    assert!(scribe.everything().await.usage().eq([&first]));
}

/// Oldest first, ties too, by chat, memory, kind and time, page by page exactly once.
pub async fn usage_is_read_by_session_and_memory(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let memories = [
        scribe.note("drinks tea").await.id,
        scribe.note("drinks milk").await.id,
    ];
    let session = SessionId::new(scribe.new_id());
    let mut all = Vec::new();
    for place in 0..10 {
        let usage = Usage {
            id: UsageId::new(scribe.new_id()),
            at: moment(5 - place / 3),
            session: (place % 4 != 0).then_some(session),
            memory: memories[place as usize % 2],
            kind: match place % 5 {
                0 => UsageKind::Cited,
                _ => UsageKind::Retrieved,
            },
            influence: None,
        };
        let mut changes = scribe.unchecked();
        changes.usage.insert(usage.id, usage.clone());
        scribe.put(changes).await;
        all.push(usage);
    }
    all.sort_by_key(|usage| (usage.at, usage.id));
    let unknown = RowId::new(uuid::Uuid::max());
    let sets: [&[RowId]; 4] = [&[], &memories[..1], &memories, &[unknown]];
    for session in [None, Some(session)] {
        for memories in sets {
            for kinds in [&[][..], &[UsageKind::Cited]] {
                for since in [None, Some(moment(4))] {
                    for limit in [1, 3, 100] {
                        let mut query = UsageQuery {
                            session,
                            memories: memories.iter().copied().collect(),
                            kinds: kinds.iter().copied().collect(),
                            since,
                            ..UsageQuery::all(limit)
                        };
                        let expected: Vec<&Usage> = all
                            .iter()
                            .filter(|usage| session.is_none() || usage.session == session)
                            .filter(|usage| memories.is_empty() || memories.contains(&usage.memory))
                            .filter(|usage| kinds.is_empty() || kinds.contains(&usage.kind))
                            .filter(|usage| since.is_none_or(|since| usage.at >= since))
                            .collect();
                        let mut shown = Vec::new();
                        loop {
                            let page = store.usage(&scribe.owner, &query).await.expect("a page");
                            shown.extend(page.items);
                            let Some(cursor) = page.next else { break };
                            query.after = Some(Cursor::from(cursor.to_string()));
                        }
                        assert_eq!(shown.iter().collect::<Vec<_>>(), expected, "{query:?}");
                    }
                }
            }
        }
    }
}
