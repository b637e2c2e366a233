//! Bad input: a typed error that says what to do, or it works. No panic, nothing half-written, and no
//! word of the user's in any message. What every store must refuse is in the conformance suite; here is
//! what never becomes a value at all, what an error says, and files that somebody has tampered with.

#[path = "bad_input/sets.rs"]
mod sets;
#[path = "bad_input/tampering.rs"]
mod tampering;

use std::sync::Arc;

use keepmind::conformance::fixtures::{Planned, Scribe, claim, moment, save};
use keepmind::{
    Body, Claim, Error, ErrorKind, Expected, Kind, MemoryStore, MessageNumber, NewMessage, Number,
    Owner, OwnerError, Role, RowId, SessionId, Timestamp, Utterance, Uuid, Vector, Version, limits,
};
use keepmind_tests::stores;
use serde_json::{Value, json};
use sets::{bad_bodies, bad_sets};

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
            .commit(&scribe.owner, Expected::Any, nowhere.into())
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
