//! What a store is asked, what it says about itself, and what a model is asked.

use std::collections::BTreeSet;

use keepmind::store::{Cursor, Filter, Selection, StoreInfo};
use keepmind::visibility::AsOf;
use keepmind::{Authority, Layer, ModelRequest, SessionId, Source, Task};
use serde_json::json;

use crate::{day, hostile, set, snapshot, spoiled, structure, uuid, written};

written! { Filter, Selection, AsOf, Cursor, StoreInfo, ModelRequest }

const QUESTION: &str = r#"{"valid":"2026-03-01T09:30:00Z","known":"2026-03-02T09:30:00Z"}"#;

fn question() -> AsOf {
    AsOf {
        valid: day(1),
        known: day(2),
    }
}

#[test]
fn every_selection() {
    structure(question(), QUESTION, &[]);
    let live = r#"{"rows":"live","at":"2026-03-01T09:30:00Z"}"#;
    structure(Selection::Live { at: day(1) }, live, &[]);
    spoiled::<Selection>(
        live,
        &[
            ("/rows", json!("surprise")),
            ("/rows", json!("as_of")),
            ("/at", json!("10000-01-01T00:00:00Z")),
        ],
    );
    structure(
        Selection::Expired { at: day(1) },
        r#"{"rows":"expired","at":"2026-03-01T09:30:00Z"}"#,
        &[],
    );
    structure(
        Selection::AsOf {
            question: question(),
        },
        &format!(r#"{{"rows":"as_of","question":{QUESTION}}}"#),
        &[],
    );
    structure(Selection::Held, r#"{"rows":"held"}"#, &[]);
    structure(Selection::Ended, r#"{"rows":"ended"}"#, &[]);
    structure(Selection::All, r#"{"rows":"all"}"#, &[]);
}

#[test]
fn a_filter_with_everything_and_with_only_what_it_needs() {
    let optional = &[
        "layers",
        "categories",
        "domains",
        "excluded_domains",
        "authorities",
        "sources",
        "tags",
        "all_tags",
        "sessions",
        "min_confidence",
        "recorded_from",
        "recorded_until",
        "since_from",
        "since_until",
        "text",
    ];
    let literal = r#"{"selection":{"rows":"live","at":"2026-03-01T09:30:00Z"},"layers":["episode","fact"],
        "categories":["note"],"domains":["food"],"excluded_domains":["health"],
        "authorities":["note","rule"],"sources":["user","imported"],"tags":["diet"],
        "all_tags":["home"],"sessions":["00000000-0000-0000-0000-00000000000a"],"min_confidence":0.25,
        "recorded_from":"2026-03-01T09:30:00Z","recorded_until":"2026-03-02T09:30:00Z",
        "since_from":"2026-03-01T09:30:00Z","since_until":"2026-03-02T09:30:00Z",
        "text":"green tea"}"#;
    structure(
        Filter {
            selection: Selection::Live { at: day(1) },
            layers: BTreeSet::from([Layer::Fact, Layer::Episode]),
            categories: set(&["note"]),
            domains: set(&["food"]),
            excluded_domains: set(&["health"]),
            authorities: BTreeSet::from([Authority::Rule, Authority::Note]),
            sources: BTreeSet::from([Source::Imported, Source::User]),
            tags: set(&["diet"]),
            all_tags: set(&["home"]),
            sessions: BTreeSet::from([SessionId::new(uuid(0xa))]),
            min_confidence: Some(0.25),
            recorded_from: Some(day(1)),
            recorded_until: Some(day(2)),
            since_from: Some(day(1)),
            since_until: Some(day(2)),
            text: Some("green tea".to_owned()),
        },
        literal,
        optional,
    );
    spoiled::<Filter>(
        literal,
        &[
            ("/selection", json!("live")),
            ("/layers/0", json!("message")),
            ("/min_confidence", json!("NaN")),
        ],
    );
    structure(
        Filter::live(day(1)),
        r#"{"selection":{"rows":"live","at":"2026-03-01T09:30:00Z"},"layers":[],"categories":[],
            "domains":[],"excluded_domains":[],"authorities":[],"sources":[],"tags":[],"all_tags":[],"sessions":[],
            "min_confidence":null,"recorded_from":null,"recorded_until":null,
            "since_from":null,"since_until":null,"text":null}"#,
        optional,
    );
}

#[test]
fn a_cursor_is_a_text_nobody_reads() {
    for text in ["memories 4 12 3alice", "", "\0\"é"] {
        snapshot(Cursor::from(text.to_owned()), &json!(text).to_string());
    }
    hostile::<Cursor>(&["null", "1", "[\"memories\"]", "{}"]);
}

#[test]
fn a_store_says_what_it_is() {
    let mut info = StoreInfo::new("sqlite", "SQLite 3.50");
    (info.schema, info.terms, info.owners, info.bytes) = (2, 3, 4, Some(5));
    snapshot(
        info,
        r#"{"backend":"sqlite","engine":"SQLite 3.50","schema":2,"terms":3,"owners":4,"bytes":5}"#,
    );
}

#[test]
fn a_question_to_a_model() {
    let mut request = ModelRequest::new(Task::Extract, "Read.", "The chat.");
    snapshot(
        request.clone(),
        r#"{"task":"extract","system":"Read.","prompt":"The chat.","schema":null,"max_output_tokens":2048}"#,
    );
    request.schema = Some(json!({"type": "object"}));
    snapshot(
        request,
        r#"{"task":"extract","system":"Read.","prompt":"The chat.","schema":{"type":"object"},
            "max_output_tokens":2048}"#,
    );
}
