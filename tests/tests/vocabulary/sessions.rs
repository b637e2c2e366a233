//! Chats and what was said in them.

use keepmind::{
    FrozenBlock, Lease, LeaseHolder, Message, MessageOrdinal, MessageOrigin, Place, Recap, Role,
    RowId, Session, SessionId, SessionStatus, Span, Title, Utterance,
};
use serde_json::json;

use crate::{day, message, set, spoiled, structure, uuid, written};

written! { Session, Title, Lease, Recap, FrozenBlock, Message, Utterance, Place }

const TITLE: &str = r#"{"text":"Dinner","by_user":true}"#;
const LEASE: &str =
    r#"{"holder":"00000000-0000-0000-0000-00000000000c","until":"2026-03-05T09:30:00Z"}"#;
const RECAP: &str = r#"{"text":"About dinner","through":3}"#;
const BLOCK: &str = r#"{"text":"<memory>\n#12 Eats no meat","revision":7,
    "rows":["00000000-0000-0000-0000-000000000002","00000000-0000-0000-0000-000000000001"]}"#;
const UTTERANCE: &str = r#"{"role":"tool","content":"Soup","hidden":"menu","origin":"prefill",
    "untrusted":[{"start":0,"end":4}],"calls":["call_2","call_1"],"at":"2026-03-02T09:30:00Z"}"#;

fn title() -> Title {
    Title {
        text: "Dinner".to_owned(),
        by_user: true,
    }
}

fn lease() -> Lease {
    Lease {
        holder: LeaseHolder::new(uuid(0xc)),
        until: day(5),
    }
}

fn recap() -> Recap {
    Recap {
        text: "About dinner".to_owned(),
        through: message(3),
    }
}

fn block() -> FrozenBlock {
    FrozenBlock {
        text: "<memory>\n#12 Eats no meat".to_owned(),
        revision: 7,
        rows: vec![RowId::new(uuid(2)), RowId::new(uuid(1))],
    }
}

fn utterance() -> Utterance {
    Utterance {
        role: Role::Tool,
        content: "Soup".to_owned(),
        hidden: Some("menu".to_owned()),
        origin: MessageOrigin::Prefill,
        untrusted: vec![Span { start: 0, end: 4 }],
        calls: vec!["call_2".to_owned(), "call_1".to_owned()],
        at: day(2),
    }
}

#[test]
fn a_session_with_everything_and_with_only_what_it_needs() {
    let literal = format!(
        r#"{{"id":"00000000-0000-0000-0000-00000000000a","opened_at":"2026-03-01T09:30:00Z",
            "active_at":"2026-03-02T09:30:00Z","status":"archived","deleted_at":"2026-03-03T09:30:00Z",
            "title":{TITLE},"extracted_through":4,"attempts":2,"retry_at":"2026-03-04T09:30:00Z",
            "lease":{LEASE},"recap":{RECAP},"block":{BLOCK},"served":["1: Eats no meat","a line"]}}"#
    );
    structure(
        Session {
            id: SessionId::new(uuid(0xa)),
            opened_at: day(1),
            active_at: day(2),
            status: SessionStatus::Archived,
            deleted_at: Some(day(3)),
            title: Some(title()),
            extracted_through: Some(message(4)),
            attempts: 2,
            retry_at: Some(day(4)),
            lease: Some(lease()),
            recap: Some(recap()),
            block: Some(block()),
            served: set(&["a line", "1: Eats no meat"]),
        },
        &literal,
        &[
            "deleted_at",
            "title",
            "extracted_through",
            "attempts",
            "retry_at",
            "lease",
            "recap",
            "block",
            "served",
        ],
    );
    spoiled::<Session>(
        &literal,
        &[
            ("/status", json!("deleted")),
            ("/extracted_through", json!(0)),
            ("/attempts", json!(-1)),
            ("/active_at", json!("10000-01-01T00:00:00Z")),
            ("/recap/through", json!(0)),
            ("/block/rows/0", json!(2)),
        ],
    );
    structure(
        Session::open(SessionId::new(uuid(0xa)), day(1)),
        r#"{"id":"00000000-0000-0000-0000-00000000000a","opened_at":"2026-03-01T09:30:00Z",
            "active_at":"2026-03-01T09:30:00Z","status":"active","attempts":0}"#,
        &["attempts"],
    );
}

#[test]
fn the_parts_of_a_session() {
    structure(title(), TITLE, &[]);
    structure(lease(), LEASE, &[]);
    structure(recap(), RECAP, &[]);
    structure(block(), BLOCK, &[]);
}

#[test]
fn a_message_with_everything_and_with_only_what_it_needs() {
    structure(
        utterance(),
        UTTERANCE,
        &["hidden", "origin", "untrusted", "calls"],
    );
    let literal = format!(
        r#"{{"session":"00000000-0000-0000-0000-00000000000a","number":2,"ordinal":9,"utterance":{UTTERANCE}}}"#
    );
    structure(
        Message {
            session: SessionId::new(uuid(0xa)),
            number: message(2),
            ordinal: MessageOrdinal::new(9).expect("an ordinal"),
            utterance: utterance(),
        },
        &literal,
        &[],
    );
    spoiled::<Message>(
        &literal,
        &[
            ("/number", json!(0)),
            ("/ordinal", json!(0)),
            ("/ordinal", json!(549_755_813_888_u64)),
            ("/utterance/role", json!("owner")),
            ("/utterance/origin", json!("")),
            ("/utterance/untrusted/0/start", json!(0.5)),
            ("/utterance/at", json!("-0001-12-31T23:59:59Z")),
        ],
    );
    structure(
        Message {
            session: SessionId::new(uuid(0xa)),
            number: message(1),
            ordinal: MessageOrdinal::FIRST,
            utterance: Utterance::new(Role::User, "Soup?", day(2)),
        },
        r#"{"session":"00000000-0000-0000-0000-00000000000a","number":1,"ordinal":1,
            "utterance":{"role":"user","content":"Soup?","origin":"typed","at":"2026-03-02T09:30:00Z"}}"#,
        &[],
    );
}

#[test]
fn a_place_in_a_chat() {
    let literal = r#"{"number":2,"ordinal":9}"#;
    let place = Place {
        number: message(2),
        ordinal: MessageOrdinal::new(9).expect("an ordinal"),
    };
    structure(place, literal, &[]);
    spoiled::<Place>(literal, &[("/number", json!(0)), ("/ordinal", json!(0))]);
}
