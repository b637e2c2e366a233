//! Rows, their marks and ends, and what a memory says.

use keepmind::{
    Body, Claim, End, Evidence, Lineage, Link, Marks, Memory, MemoryRow, MessageNumber,
    ObservationId, Origin, Row, RowId, SessionId, Span, State, Tombstone, Version, Why,
};
use serde_json::json;

use crate::{
    MARKS, QUOTE, SMALL_CLAIM, day, full_claim, full_claim_literal, marks, message, number, quote,
    small_claim, snapshot, spoiled, structure, uuid, written,
};

written! {
    Row<Body>, MemoryRow, Row<Link>, Row<Tombstone>, Memory, Claim, Evidence, Span, Lineage, Link,
    Tombstone, Marks, End, Why, State,
}

const CLAIM_OPTIONAL: &[&str] = &[
    "domain",
    "key",
    "value",
    "summary",
    "body",
    "tags",
    "held",
    "session",
    "messages",
    "evidence",
    "expires_at",
    "authorises_action",
];

const SMALL_ROW: &str = r#"{"id":"00000000-0000-0000-0000-000000000001",
    "origin":"00000000-0000-0000-0000-000000000001","recorded_at":"2026-03-02T09:30:00Z","body":BODY}"#;

fn small_row<B>(body: B) -> Row<B> {
    Row {
        id: RowId::new(uuid(1)),
        origin: Origin::new(uuid(1)),
        recorded_at: day(2),
        end: None,
        marks: Marks::default(),
        body,
    }
}

fn memory(claim: Claim) -> Memory {
    Memory {
        number: number(12),
        version: Version::FIRST,
        claim,
    }
}

fn link() -> Link {
    Link {
        from: number(3),
        to: number(4),
        relation: "relates_to".to_owned(),
    }
}

const LINK: &str = r#"{"from":3,"to":4,"relation":"relates_to"}"#;

fn tombstone() -> Tombstone {
    Tombstone {
        number: number(5),
        session: SessionId::new(uuid(0xa)),
        message: message(6),
        span: Span { start: 7, end: 8 },
    }
}

const TOMBSTONE: &str = r#"{"number":5,"session":"00000000-0000-0000-0000-00000000000a","message":6,
    "span":{"start":7,"end":8}}"#;

/// The same fields behind a tag that says which kind of body they are.
fn tagged(kind: &str, fields: &str) -> String {
    format!("{{\"kind\":\"{kind}\",{}", &fields[1..])
}

#[test]
fn a_row_with_everything_and_with_only_what_it_needs() {
    let literal = r#"{"id":"00000000-0000-0000-0000-000000000002",
        "origin":"00000000-0000-0000-0000-000000000001","recorded_at":"2026-03-02T09:30:00Z",
        "end":{"at":"2026-03-03T09:30:00Z","why":{"reason":"corrected","by":"00000000-0000-0000-0000-000000000003"}},
        "marks":MARKS,"body":{"number":12,"version":1,"claim":CLAIM}}"#
        .replace("MARKS", MARKS)
        .replace("CLAIM", &full_claim_literal());
    let row = Row {
        id: RowId::new(uuid(2)),
        origin: Origin::new(uuid(1)),
        recorded_at: day(2),
        end: Some(End {
            at: day(3),
            why: Why::Corrected {
                by: Origin::new(uuid(3)),
            },
        }),
        marks: marks(),
        body: memory(full_claim()),
    };
    structure(row, &literal, &["end", "marks"]);
    spoiled::<MemoryRow>(
        &literal,
        &[
            ("/id", json!("")),
            ("/recorded_at", json!("10000-01-01T00:00:00Z")),
            ("/end/why/reason", json!("surprise")),
            ("/marks/confirmations", json!(-1)),
            ("/marks/contradictions", json!(4_294_967_296_u64)),
            ("/body/number", json!(0)),
            ("/body/version", json!(16_777_216)),
            ("/body/claim/messages/0", json!(0)),
            ("/body/claim/evidence/0/message", json!(0)),
            ("/body/claim/evidence/0/kind", json!("surprise")),
        ],
    );

    let body = format!(r#"{{"number":12,"version":1,"claim":{SMALL_CLAIM}}}"#);
    structure(
        small_row(memory(small_claim())),
        &SMALL_ROW.replace("BODY", &body),
        &[],
    );
    structure(small_row(link()), &SMALL_ROW.replace("BODY", LINK), &[]);
    structure(
        small_row(tombstone()),
        &SMALL_ROW.replace("BODY", TOMBSTONE),
        &[],
    );
}

#[test]
fn a_row_of_any_kind_says_which() {
    let fields = format!(r#"{{"number":12,"version":1,"claim":{SMALL_CLAIM}}}"#);
    for (body, literal) in [
        (
            Body::Memory(memory(small_claim())),
            tagged("memory", &fields),
        ),
        (Body::Link(link()), tagged("link", LINK)),
        (Body::Tombstone(tombstone()), tagged("tombstone", TOMBSTONE)),
    ] {
        let literal = SMALL_ROW.replace("BODY", &literal);
        structure(small_row(body), &literal, &[]);
        spoiled::<Row<Body>>(
            &literal,
            &[
                ("/body/kind", json!("surprise")),
                ("/body/kind", json!("proposal")),
            ],
        );
    }
}

#[test]
fn a_claim_with_everything_and_with_only_what_it_needs() {
    let literal = full_claim_literal();
    structure(full_claim(), &literal, CLAIM_OPTIONAL);
    structure(small_claim(), SMALL_CLAIM, &[]);
    spoiled::<Claim>(
        &literal,
        &[
            ("/layer", json!("Fact")),
            ("/authority", json!("law")),
            ("/source", json!("host")),
            ("/trust", json!(3)),
            ("/content", json!(["Eats no meat"])),
            ("/tags/0", json!(1)),
            ("/held", json!("true")),
            ("/messages/0", json!(549_755_813_888_u64)),
            ("/valid_from", json!("2026-03-01")),
            ("/expires_at", json!(0)),
            ("/authorises_action", json!(1)),
        ],
    );
    structure(
        memory(small_claim()),
        &format!(r#"{{"number":12,"version":1,"claim":{SMALL_CLAIM}}}"#),
        &[],
    );
}

#[test]
fn what_a_memory_rests_on() {
    structure(quote(), QUOTE, &[]);
    structure(
        Evidence::Observation {
            id: ObservationId::new(uuid(0xb)),
        },
        r#"{"kind":"observation","id":"00000000-0000-0000-0000-00000000000b"}"#,
        &[],
    );
    spoiled::<Evidence>(
        QUOTE,
        &[
            ("/kind", json!("Quote")),
            ("/kind", json!("observation")),
            ("/message", json!(0)),
            ("/span/start", json!(-1)),
            ("/span/end", json!(4_294_967_296_u64)),
        ],
    );
    structure(
        Span {
            start: 0,
            end: u32::MAX,
        },
        r#"{"start":0,"end":4294967295}"#,
        &[],
    );
    structure(
        Lineage {
            row: RowId::new(uuid(2)),
            from: RowId::new(uuid(1)),
        },
        r#"{"row":"00000000-0000-0000-0000-000000000002","from":"00000000-0000-0000-0000-000000000001"}"#,
        &[],
    );
}

#[test]
fn links_and_tombstones() {
    structure(link(), LINK, &[]);
    spoiled::<Link>(LINK, &[("/from", json!(0)), ("/to", json!(-1))]);
    structure(tombstone(), TOMBSTONE, &[]);
    let last = json!(MessageNumber::LAST.get() + 1);
    spoiled::<Tombstone>(TOMBSTONE, &[("/number", json!(0)), ("/message", last)]);
}

#[test]
fn marks_and_ends() {
    let optional = &[
        "confidence",
        "last_confirmed_at",
        "confirmations",
        "contradictions",
    ];
    structure(marks(), MARKS, optional);
    structure(
        Marks::default(),
        r#"{"importance":0.5,"confirmations":0,"contradictions":0}"#,
        &["confirmations", "contradictions"],
    );
    spoiled::<Marks>(MARKS, &[("/importance", json!("NaN"))]);
    structure(
        End {
            at: day(3),
            why: Why::Done { until: day(2) },
        },
        r#"{"at":"2026-03-03T09:30:00Z","why":{"reason":"done","until":"2026-03-02T09:30:00Z"}}"#,
        &[],
    );
}

#[test]
fn every_reason_to_end() {
    let by = Origin::new(uuid(3));
    let until = day(2);
    let successor = r#""by":"00000000-0000-0000-0000-000000000003""#;
    let moment = r#""until":"2026-03-02T09:30:00Z""#;
    for (why, reason, fields, optional) in [
        (
            Why::Superseded { by, until },
            "superseded",
            format!("{successor},{moment}"),
            &[][..],
        ),
        (
            Why::Corrected { by },
            "corrected",
            successor.to_owned(),
            &[],
        ),
        (Why::Expired { until }, "expired", moment.to_owned(), &[]),
        (Why::Faded { until }, "faded", moment.to_owned(), &[]),
        (
            Why::Absorbed {
                by: Some(by),
                until,
            },
            "absorbed",
            format!("{successor},{moment}"),
            &["by"],
        ),
        (
            Why::Absorbed { by: None, until },
            "absorbed",
            moment.to_owned(),
            &[],
        ),
        (Why::Done { until }, "done", moment.to_owned(), &[]),
    ] {
        let literal = format!(r#"{{"reason":"{reason}",{fields}}}"#);
        structure(why, &literal, optional);
        spoiled::<Why>(&literal, &[("/reason", json!("surprise"))]);
    }
    for (why, reason) in [
        (Why::Forgotten, "forgotten"),
        (Why::Trashed, "trashed"),
        (Why::Rejected, "rejected"),
        (Why::Undone, "undone"),
        (Why::Discarded, "discarded"),
    ] {
        structure(why, &format!(r#"{{"reason":"{reason}"}}"#), &[]);
    }
}

#[test]
fn every_state_of_an_origin() {
    structure(State::Absent, r#"{"state":"absent"}"#, &[]);
    structure(
        State::Live { marks: marks() },
        &format!(r#"{{"state":"live","marks":{MARKS}}}"#),
        &[],
    );
    let literal = format!(
        r#"{{"state":"ended","why":{{"reason":"expired","until":"2026-03-02T09:30:00Z"}},"marks":{MARKS}}}"#
    );
    structure(
        State::Ended {
            why: Why::Expired { until: day(2) },
            marks: marks(),
        },
        &literal,
        &[],
    );
    spoiled::<State>(&literal, &[("/state", json!("live"))]);
    snapshot(
        State::Ended {
            why: Why::Forgotten,
            marks: Marks::default(),
        },
        r#"{"state":"ended","why":{"reason":"forgotten"},
            "marks":{"importance":0.5,"confirmations":0,"contradictions":0}}"#,
    );
}
