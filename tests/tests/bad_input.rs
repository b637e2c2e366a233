//! Bad input: a typed error that says what to do, or it works. No panic, nothing half-written, and no
//! word of the user's in any message. What every store must refuse is in the conformance suite; here is
//! what never becomes a value at all, what an error says, and files that somebody has tampered with.

#[path = "bad_input/tampering.rs"]
mod tampering;

use std::sync::Arc;

use keepmind::conformance::fixtures::{Planned, Scribe, claim, moment, save, vector};
use keepmind::{
    Body, ChangeSet, Claim, EmbeddingChange, EmbeddingKey, Error, ErrorKind, Evidence, Expected,
    FrozenBlock, Kind, Link, Marks, MemoryStore, MessageNumber, NewMessage, Number, Observation,
    ObservationId, Owner, OwnerError, Proposal, ProposedOperation, Recap, Role, RowId, Session,
    SessionChange, SessionId, Span, Timestamp, Title, Tombstone, Trace, TraceChange, TraceKey,
    TraceOutcome, Usage, UsageId, UsageKind, Utterance, Uuid, Vector, Version, limits,
};
use keepmind_tests::stores;
use serde_json::{Value, json};

/// A word that only the user has said.
const SECRET: &str = "zanzibar";

/// Fails if one of the texts is read as a value of that type.
macro_rules! assert_unread {
    ($type:ty, $texts:expr) => {
        for text in $texts {
            assert!(
                serde_json::from_str::<$type>(&text).is_err(),
                "{text} was read"
            );
        }
    };
}

#[test]
fn names_are_checked_where_they_are_made() {
    assert_eq!(Owner::new(""), Err(OwnerError::Empty));
    assert_eq!(Owner::new("\t \u{3000}"), Err(OwnerError::Empty));
    assert!(matches!(
        Owner::new("a\0"),
        Err(OwnerError::Nul { position: 1 })
    ));
    assert!(matches!(
        Owner::new("é".repeat(257)),
        Err(OwnerError::TooLong { bytes: 514, .. })
    ));
    assert_unread!(
        Owner,
        [
            "\"\"",
            "\"\\u0000\"",
            "\"\\ud800\"",
            "\"\\udc00\\ud800\"",
            "null",
            "1",
            "[]",
        ]
    );
}

#[test]
fn counts_are_checked_where_they_are_made() {
    let bad = [
        "0",
        "-1",
        "1.5",
        "1e3",
        "\"1\"",
        "null",
        "9223372036854775807",
        "18446744073709551616",
        "1e999",
    ];
    assert_unread!(Number, bad);
    assert_unread!(Version, bad);
    assert_unread!(MessageNumber, bad);
    assert_unread!(Version, ["16777216"]);
    assert_unread!(
        RowId,
        [
            "\"\"",
            "\"12\"",
            "12",
            "\"00000000-0000-0000-0000-00000000000g\"",
        ]
    );
}

#[test]
fn moments_are_checked_where_they_are_made() {
    for text in [
        "-0001-12-31T23:59:59Z",
        "10000-01-01T00:00:00Z",
        "+12026-01-01T00:00:00Z",
        "2026-02-30T00:00:00Z",
        "2026-01-01",
        "2026-01-01T00:00:00",
        "0000-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59.9999999-00:01",
        "2026-01-01T24:00:00Z",
        "yesterday",
        "",
        "1767225600",
    ] {
        assert!(Timestamp::parse(text).is_err(), "{text}");
        assert_unread!(Timestamp, [&json!(text).to_string()]);
    }
    assert_unread!(Timestamp, ["0", "null", "1e999"]);
    for micros in [
        i64::MIN,
        Timestamp::MIN.as_micros() - 1,
        Timestamp::MAX.as_micros() + 1,
        i64::MAX,
    ] {
        assert!(Timestamp::from_micros(micros).is_err(), "{micros}");
    }
}

#[test]
fn vectors_are_checked_where_they_are_made() {
    let not_finite = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
    for number in not_finite {
        assert!(Vector::new(vec![1.0, number]).is_err(), "{number}");
    }
    assert!(Vector::new(vec![]).is_err());
    assert!(Vector::new(vec![0.0, -0.0]).is_err());
    assert!(Vector::new(vec![1.0; Vector::MAX_DIMENSIONS + 1]).is_err());
    for extreme in [f32::MAX, 1e-20, 1e-25] {
        let vector = Vector::new(vec![extreme; 3]).expect("a direction");
        assert!(vector.as_slice().iter().all(|number| number.is_finite()));
    }
    assert_unread!(
        Vector,
        [
            "[]", "[0]", "[NaN]", "[1e999]", "[null]", "[\"1\"]", "1", "[1e39]",
        ]
    );
}

#[test]
fn claims_with_unknown_fields_or_lone_surrogates_are_not_read() {
    let sound = serde_json::to_value(claim("drinks tea")).expect("a claim is written");
    let read = |value: Value| serde_json::from_value::<Claim>(value);
    assert!(read(sound.clone()).is_ok());
    let with = |field: &str, value: Value| {
        let mut changed = sound.clone();
        changed[field] = value;
        changed
    };
    for (field, value) in [
        ("owner", json!("bob")),
        ("trust", json!("god")),
        ("trust", json!(null)),
        ("layer", json!("Fact")),
        ("content", json!(7)),
        ("held", json!("true")),
        ("messages", json!([0])),
        ("valid_from", json!("-0001-01-01T00:00:00Z")),
        ("evidence", json!([{"kind": "hearsay"}])),
    ] {
        assert!(
            read(with(field, value.clone())).is_err(),
            "{field}: {value}"
        );
    }
    let text = sound.to_string();
    for surrogate in [
        "\\ud800",
        "\\udfff",
        "\\ud83c",
        "\\udf75\\ud83c",
        "\\u{0}",
        "\\x00",
    ] {
        let text = text.replace("drinks tea", &format!("drinks {surrogate}"));
        assert!(serde_json::from_str::<Claim>(&text).is_err(), "{surrogate}");
    }
    let pair = text.replace("drinks tea", "drinks \\ud83c\\udf75");
    let read: Claim = serde_json::from_str(&pair).expect("a pair of surrogates is a character");
    assert_eq!(read.content, "drinks 🍵");
}

/// Sets that no store may take, by what is wrong with them.
fn bad_sets(scribe: &mut Scribe, session: SessionId) -> Vec<(&'static str, ChangeSet)> {
    let said = |content: &str| Utterance::new(Role::User, content, moment(0));
    let open = |change: &dyn Fn(&mut Session)| {
        let mut session = Session::open(SessionId::new(Uuid::max()), moment(0));
        change(&mut session);
        SessionChange::Open(session)
    };
    let nul = format!("{SECRET}\0");
    let decomposed = format!("{SECRET} e\u{301}");
    let long = format!("{SECRET} {}", "x".repeat(limits::LINE_CHARS));
    let name = format!("{SECRET}{}", "n".repeat(limits::NAME_CHARS));
    let mut sets: Vec<(&'static str, ChangeSet)> = Vec::new();
    let mut add = |what, fill: &dyn Fn(&mut ChangeSet)| {
        let mut changes = scribe.unchecked();
        fill(&mut changes);
        sets.push((what, changes));
    };
    let speak = |utterance: Utterance| {
        move |changes: &mut ChangeSet| {
            let utterance = utterance.clone();
            changes.messages.push(NewMessage {
                session,
                place: None,
                utterance,
            });
        }
    };
    add("a message with NUL", &speak(said(&nul)));
    add("a message that is not NFC", &speak(said(&decomposed)));
    add(
        "a hidden part with NUL",
        &speak(Utterance {
            hidden: Some(nul.clone()),
            ..said("hello")
        }),
    );
    add(
        "a message too large",
        &speak(said(
            &SECRET.repeat(limits::MESSAGE_BYTES / SECRET.len() + 1),
        )),
    );
    add(
        "an empty span",
        &speak(Utterance {
            untrusted: vec![Span { start: 1, end: 1 }],
            ..said(SECRET)
        }),
    );
    add(
        "a span beyond the end",
        &speak(Utterance {
            untrusted: vec![Span { start: 0, end: 99 }],
            ..said(SECRET)
        }),
    );
    add(
        "a span inside a character",
        &speak(Utterance {
            untrusted: vec![Span { start: 0, end: 1 }],
            ..said("é")
        }),
    );
    add(
        "a call id too long",
        &speak(Utterance {
            calls: vec![name.clone()],
            ..said("hello")
        }),
    );
    let title = |text: &str| {
        let title = Some(Title {
            text: text.to_owned(),
            by_user: true,
        });
        open(&|session| session.title = title.clone())
    };
    for (what, change) in [
        ("an empty title", title("")),
        ("a title too long", title(&long)),
        ("a title of two lines", title(&format!("{SECRET}\nx"))),
        (
            "a recap with NUL",
            open(&|session| {
                session.recap = Some(Recap {
                    text: nul.clone(),
                    through: MessageNumber::FIRST,
                });
            }),
        ),
        (
            "a block out of range",
            open(&|session| {
                session.block = Some(FrozenBlock {
                    text: SECRET.to_owned(),
                    revision: u64::MAX,
                    rows: Vec::new(),
                });
            }),
        ),
        (
            "a served line with NUL",
            open(&|session| session.served = [nul.clone()].into()),
        ),
    ] {
        add(what, &|changes| {
            changes
                .sessions
                .insert(SessionId::new(Uuid::max()), change.clone());
        });
    }
    let observation = |source: &str, payload: Value| Observation {
        id: ObservationId::new(Uuid::max()),
        source: source.to_owned(),
        payload,
        at: moment(0),
    };
    for (what, seen) in [
        ("a source that is empty", observation("", json!(SECRET))),
        (
            "a payload with NUL",
            observation("phone", json!({"a": [nul]})),
        ),
        (
            "a payload too large",
            observation("phone", json!(SECRET.repeat(limits::VALUE_BYTES / 4))),
        ),
    ] {
        add(what, &|changes| {
            changes.observations.insert(seen.id, seen.clone());
        });
    }
    add("an observation under another id", &|changes| {
        changes.observations.insert(
            ObservationId::new(Uuid::nil()),
            observation("phone", json!(SECRET)),
        );
    });
    add("a call without a name", &|changes| {
        let key = TraceKey {
            session,
            call: String::new(),
        };
        let trace = Trace {
            key: key.clone(),
            tool: "save".to_owned(),
            arguments: json!(SECRET),
            result: String::new(),
            outcome: TraceOutcome::Complete,
            started_at: moment(0),
            finished_at: moment(0),
        };
        changes.traces.insert(key, TraceChange::Record(trace));
    });
    add("an influence with NUL", &|changes| {
        let id = UsageId::new(Uuid::max());
        let memory = RowId::new(Uuid::max());
        let influence = Some(nul.clone());
        let usage = Usage {
            id,
            at: moment(0),
            session: None,
            memory,
            kind: UsageKind::Cited,
            influence,
        };
        changes.usage.insert(id, usage);
    });
    add("an embedder without a name", &|changes| {
        let key = EmbeddingKey {
            memory: RowId::new(Uuid::max()),
            embedder: String::new(),
        };
        changes
            .embeddings
            .insert(key, EmbeddingChange::Set(vector(&[1.0])));
    });
    sets
}

/// Bodies that no store may take, by what is wrong with them.
fn bad_bodies(session: SessionId) -> Vec<(&'static str, Body)> {
    let number = |count| Number::new(count).expect("a number");
    let link = |from, to, relation: &str| {
        Body::Link(Link {
            from: number(from),
            to: number(to),
            relation: relation.to_owned(),
        })
    };
    let proposal = |claim: Claim, reasoning: &str| {
        let operation = ProposedOperation::Save {
            claim: Box::new(claim),
            marks: Marks::default(),
        };
        let reasoning = reasoning.to_owned();
        Body::Proposal(Proposal {
            operation,
            reasoning,
            evidence: Vec::new(),
            session: None,
            expires_at: None,
        })
    };
    let quoted = |span| {
        let quote = SECRET.to_owned();
        Claim {
            evidence: vec![Evidence::Quote {
                session,
                message: MessageNumber::FIRST,
                span,
                quote,
            }],
            ..claim("x")
        }
    };
    let tombstone = |start, end| {
        Body::Tombstone(Tombstone {
            number: number(1),
            session,
            message: MessageNumber::FIRST,
            span: Span { start, end },
        })
    };
    vec![
        ("a link to itself", link(1, 1, "supports")),
        ("a link without a relation", link(1, 2, "")),
        ("a link to nothing", link(1, 99, SECRET)),
        ("an empty tombstone", tombstone(3, 3)),
        ("a tombstone turned around", tombstone(4, 3)),
        ("a proposal of nothing", proposal(claim(""), SECRET)),
        (
            "a reasoning with NUL",
            proposal(claim("x"), &format!("{SECRET}\0")),
        ),
        (
            "a proposal too long",
            proposal(claim(&SECRET.repeat(100)), "so it seems"),
        ),
        (
            "an empty quote's span",
            proposal(quoted(Span { start: 5, end: 5 }), "so it seems"),
        ),
    ]
}

/// Fails unless the error is of that kind, says what to do, and quotes nobody.
#[track_caller]
fn assert_helpful(error: &Error, kind: ErrorKind, what: &str) {
    assert_eq!(error.kind(), kind, "{what}: {error}");
    assert!(
        error.message().len() > 10 && !error.operation().is_empty(),
        "{what}: {error}"
    );
    let told = format!("{error} {error:?}");
    assert!(
        !told.contains(SECRET),
        "{what}: the error quotes the user: {told}"
    );
    assert!(
        !error.is_retryable(),
        "{what}: the same call cannot succeed later"
    );
}

#[tokio::test]
async fn every_bad_set_is_refused_with_an_error_that_helps() {
    for backend in stores() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = backend.open(folder.path()).await;
        let mut scribe = Scribe::new(&store, "alice");
        let session = scribe.open_session().await;
        scribe.note("one").await;
        scribe.note("two").await;
        let before = scribe.everything().await;
        for (what, changes) in bad_sets(&mut scribe, session) {
            let planned = Planned {
                expected: Expected::Any,
                changes,
            };
            let error = scribe.commit(planned).await.expect_err(what);
            assert_helpful(&error, ErrorKind::Invalid, &format!("{what}, {backend:?}"));
        }
        for (what, body) in bad_bodies(session) {
            let refused = scribe.try_plan(|draft| draft.insert(body.clone())).await;
            assert_helpful(&refused.expect_err(what), ErrorKind::Invalid, what);
            let error = commit_by_hand(&mut scribe, body).await.expect_err(what);
            assert_helpful(&error, ErrorKind::Invalid, &format!("{what}, {backend:?}"));
        }
        assert!(
            scribe.everything().await == before,
            "{backend:?}: something was written"
        );
    }
}

/// Puts a body into a sound set behind the draft's back.
async fn commit_by_hand(scribe: &mut Scribe, body: Body) -> keepmind::Result<keepmind::Receipt> {
    let (id, mut planned) = scribe.plan(|draft| save(draft, claim("sound"))).await;
    if let Some(keepmind::RowChange::Insert(row)) = planned.changes.rows.get_mut(&id) {
        row.body = body;
    }
    scribe.commit(planned).await
}

#[tokio::test]
async fn the_errors_of_every_day_help_too() {
    for backend in stores() {
        let folder = tempfile::tempdir().expect("a folder");
        let store: Arc<dyn MemoryStore> = backend.open(folder.path()).await;
        let mut scribe = Scribe::new(&store, "alice");
        let row = scribe.note(SECRET).await;
        let (_, stale) = scribe.plan(|draft| save(draft, claim(SECRET))).await;
        scribe.note("something else").await;
        let conflict = scribe.commit(stale).await.expect_err("a stale plan");
        assert_helpful(&conflict, ErrorKind::Conflict, "a stale plan");
        let mut nowhere = scribe.unchecked();
        let utterance = Utterance::new(Role::User, SECRET, moment(0));
        nowhere.messages.push(NewMessage {
            session: SessionId::new(Uuid::max()),
            place: None,
            utterance,
        });
        let missing = store
            .commit(&scribe.owner, Expected::Any, nowhere)
            .await
            .expect_err("no such chat");
        assert_helpful(&missing, ErrorKind::NotFound, "no such chat");
        let (_, mut taken) = scribe.plan(|draft| save(draft, claim(SECRET))).await;
        let purge = keepmind::RowChange::Purge(Kind::Proposal);
        taken.changes.rows.insert(row.id, purge);
        let refused = scribe.commit(taken).await.expect_err("a purge of nothing");
        assert_helpful(&refused, ErrorKind::Invalid, "a purge of nothing");
        store.close().await.expect("a store can be closed");
        let closed = store.info().await.expect_err("a closed store");
        assert_helpful(&closed, ErrorKind::Closed, "a closed store");
    }
}

#[tokio::test]
async fn what_is_only_large_is_kept_whole() {
    for backend in stores() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = backend.open(folder.path()).await;
        let mut scribe = Scribe::new(&store, "alice");
        let emoji = "🍵".repeat(limits::CONTENT_CHARS);
        let body = "ชา ".repeat(limits::BODY_CHARS / 3).trim_end().to_owned();
        let row = scribe
            .save(Claim {
                body: Some(body.clone()),
                ..claim(&emoji)
            })
            .await;
        assert_eq!(
            (&row.body.claim.content, &row.body.claim.body),
            (&emoji, &Some(body))
        );
        let session = scribe.open_session().await;
        let megabyte = "tea and more tea ".repeat(1 << 16);
        scribe.say(session, &megabyte).await;
        let said = scribe.everything().await;
        let said: Vec<&str> = said
            .messages()
            .map(|message| message.utterance.content.as_str())
            .collect();
        assert_eq!(said, [megabyte], "{backend:?}");
    }
}
