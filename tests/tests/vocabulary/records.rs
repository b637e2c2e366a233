//! The journal, and what is recorded beside the rows.

use std::collections::BTreeSet;

use keepmind::{
    Consent, Effect, EmbeddingKey, Epoch, GroupId, JournalEntry, Kind, Marks, MessageOrdinal,
    Observation, ObservationId, OperationId, Origin, Place, Receipt, Revision, RowId, SessionId,
    State, Trace, TraceKey, TraceOutcome, Usage, UsageId, UsageKind, Who, Why,
};
use serde_json::json;

use crate::{MARKS, day, marks, message, snapshot, spoiled, structure, uuid, written};

written! { JournalEntry, Effect, Observation, Trace, TraceKey, Usage, Consent, EmbeddingKey, Receipt }

const EFFECT: &str = r#"{"kind":"memory","origin":"00000000-0000-0000-0000-000000000001",
    "before":{"state":"live","marks":MARKS},
    "after":{"state":"ended","why":{"reason":"done","until":"2026-03-02T09:30:00Z"},"marks":MARKS}}"#;

fn effect() -> Effect {
    Effect {
        kind: Kind::Memory,
        origin: Origin::new(uuid(1)),
        before: State::Live { marks: marks() },
        after: State::Ended {
            why: Why::Done { until: day(2) },
            marks: marks(),
        },
    }
}

fn entry() -> JournalEntry {
    JournalEntry {
        revision: 7,
        operation: OperationId::new(uuid(0xf)),
        stamp: day(2),
        who: Who::Extractor,
        session: None,
        group: None,
        effects: Vec::new(),
        undoes: BTreeSet::new(),
        redoes: BTreeSet::new(),
        line: "saved #12".to_owned(),
    }
}

#[test]
fn a_journal_entry_with_everything_and_with_only_what_it_needs() {
    let effect_literal = EFFECT.replace("MARKS", MARKS);
    structure(effect(), &effect_literal, &[]);
    let literal = format!(
        r#"{{"revision":7,"operation":"00000000-0000-0000-0000-00000000000f",
            "stamp":"2026-03-02T09:30:00Z","who":"extractor",
            "session":"00000000-0000-0000-0000-00000000000a",
            "group":"00000000-0000-0000-0000-00000000000d","effects":[{effect_literal}],
            "undoes":[3,5],"redoes":[4],"line":"saved #12"}}"#
    );
    structure(
        JournalEntry {
            session: Some(SessionId::new(uuid(0xa))),
            group: Some(GroupId::new(uuid(0xd))),
            effects: vec![effect()],
            undoes: BTreeSet::from([5, 3]),
            redoes: BTreeSet::from([4]),
            ..entry()
        },
        &literal,
        &["session", "group", "effects", "undoes", "redoes"],
    );
    spoiled::<JournalEntry>(
        &literal,
        &[
            ("/revision", json!(-1)),
            ("/who", json!("nobody")),
            ("/stamp", json!("10000-01-01T00:00:00Z")),
            ("/undoes/0", json!(-3)),
            ("/effects/0/kind", json!("session")),
            ("/effects/0/after/state", json!("surprise")),
        ],
    );
    structure(
        entry(),
        r#"{"revision":7,"operation":"00000000-0000-0000-0000-00000000000f",
            "stamp":"2026-03-02T09:30:00Z","who":"extractor","line":"saved #12"}"#,
        &[],
    );
}

#[test]
fn an_effect_on_what_was_absent() {
    snapshot(
        Effect {
            before: State::Absent,
            after: State::Live {
                marks: Marks::default(),
            },
            ..effect()
        },
        r#"{"kind":"memory","origin":"00000000-0000-0000-0000-000000000001","before":{"state":"absent"},
            "after":{"state":"live","marks":{"importance":0.5,"confirmations":0,"contradictions":0}}}"#,
    );
}

#[test]
fn an_observation_holds_any_payload() {
    for payload in [
        json!({"page": "menu", "seconds": [1, 2.5, u64::MAX, -1]}),
        json!("clicked"),
        json!(null),
    ] {
        let literal = format!(
            r#"{{"id":"00000000-0000-0000-0000-00000000000b","source":"browser","payload":{payload},
                "at":"2026-03-02T09:30:00Z"}}"#
        );
        structure(
            Observation {
                id: ObservationId::new(uuid(0xb)),
                source: "browser".to_owned(),
                payload,
                at: day(2),
            },
            &literal,
            &[],
        );
        spoiled::<Observation>(&literal, &[("/at", json!("")), ("/source", json!(1))]);
    }
}

#[test]
fn the_record_of_a_call() {
    const KEY: &str = r#"{"session":"00000000-0000-0000-0000-00000000000a","call":"call_1"}"#;
    let key = TraceKey {
        session: SessionId::new(uuid(0xa)),
        call: "call_1".to_owned(),
    };
    structure(key.clone(), KEY, &[]);
    let literal = format!(
        r#"{{"key":{KEY},"tool":"memory_save","arguments":{{"content":"Eats no meat","tags":[]}},
            "result":"saved #12","outcome":"failed","started_at":"2026-03-02T09:30:00Z",
            "finished_at":"2026-03-03T09:30:00Z"}}"#
    );
    structure(
        Trace {
            key,
            tool: "memory_save".to_owned(),
            arguments: json!({"tags": [], "content": "Eats no meat"}),
            result: "saved #12".to_owned(),
            outcome: TraceOutcome::Failed,
            started_at: day(2),
            finished_at: day(3),
        },
        &literal,
        &[],
    );
    spoiled::<Trace>(
        &literal,
        &[("/outcome", json!("ok")), ("/key/session", json!("chat"))],
    );
}

#[test]
fn the_use_of_a_memory() {
    let usage = Usage {
        id: UsageId::new(uuid(0x9)),
        at: day(2),
        session: Some(SessionId::new(uuid(0xa))),
        memory: RowId::new(uuid(1)),
        kind: UsageKind::Applied,
        influence: Some("chose soup".to_owned()),
    };
    let literal = r#"{"id":"00000000-0000-0000-0000-000000000009","at":"2026-03-02T09:30:00Z",
        "session":"00000000-0000-0000-0000-00000000000a",
        "memory":"00000000-0000-0000-0000-000000000001","kind":"applied","influence":"chose soup"}"#;
    structure(usage.clone(), literal, &["session", "influence"]);
    spoiled::<Usage>(literal, &[("/kind", json!("ignored"))]);
    structure(
        Usage {
            session: None,
            influence: None,
            ..usage
        },
        r#"{"id":"00000000-0000-0000-0000-000000000009","at":"2026-03-02T09:30:00Z",
            "memory":"00000000-0000-0000-0000-000000000001","kind":"applied"}"#,
        &[],
    );
}

#[test]
fn consent_and_the_key_of_an_embedding() {
    let literal = r#"{"domain":"health","recorded_at":"2026-03-02T09:30:00Z","granted":false}"#;
    structure(
        Consent {
            domain: "health".to_owned(),
            recorded_at: day(2),
            granted: false,
        },
        literal,
        &[],
    );
    spoiled::<Consent>(literal, &[("/granted", json!(0))]);
    structure(
        EmbeddingKey {
            memory: RowId::new(uuid(1)),
            embedder: "small-2".to_owned(),
        },
        r#"{"memory":"00000000-0000-0000-0000-000000000001","embedder":"small-2"}"#,
        &[],
    );
}

#[test]
fn a_receipt_names_the_places_of_its_messages() {
    let literal = r#"{"revision":{"epoch":"00000000-0000-0000-0000-00000000000e","count":7},
        "at":"2026-03-02T09:30:00Z","places":[{"number":2,"ordinal":9}]}"#;
    structure(
        Receipt {
            revision: Revision {
                epoch: Epoch::new(uuid(0xe)),
                count: 7,
            },
            at: day(2),
            places: vec![Place {
                number: message(2),
                ordinal: MessageOrdinal::new(9).expect("an ordinal"),
            }],
        },
        literal,
        &[],
    );
    spoiled::<Receipt>(
        literal,
        &[
            ("/revision/count", json!(-7)),
            ("/places/0/number", json!(0)),
            ("/places/0/ordinal", json!(0)),
        ],
    );
}
