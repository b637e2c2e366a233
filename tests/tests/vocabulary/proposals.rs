//! Pending operations, and the two sides of a question.

use keepmind::{
    Body, Marks, Origin, Proposal, ProposedOperation, Rival, Row, RowId, SessionId, Target,
};
use serde_json::json;

use crate::{
    MARKS, QUOTE, SMALL_CLAIM, day, full_claim, full_claim_literal, marks, number, quote,
    small_claim, spoiled, structure, uuid, written,
};

written! { Proposal, Row<Proposal>, ProposedOperation, Rival, Target }

const TARGET: &str = r#"{"number":12,"origin":"00000000-0000-0000-0000-000000000001"}"#;

fn target() -> Target {
    Target {
        number: number(12),
        origin: Origin::new(uuid(1)),
    }
}

fn forget() -> Proposal {
    Proposal {
        operation: ProposedOperation::Forget { target: target() },
        reasoning: "No longer true".to_owned(),
        evidence: Vec::new(),
        session: None,
        expires_at: None,
    }
}

fn forget_literal() -> String {
    format!(
        r#"{{"operation":{{"operation":"forget","target":{TARGET}}},"reasoning":"No longer true"}}"#
    )
}

#[test]
fn every_operation_that_can_be_proposed() {
    structure(target(), TARGET, &[]);
    spoiled::<Target>(TARGET, &[("/number", json!(0)), ("/origin", json!("#12"))]);

    let claim = full_claim_literal();
    structure(
        ProposedOperation::Save {
            claim: Box::new(full_claim()),
            marks: marks(),
        },
        &format!(r#"{{"operation":"save","claim":{claim},"marks":{MARKS}}}"#),
        &[],
    );
    let update = format!(
        r#"{{"operation":"update","target":{TARGET},"claim":{SMALL_CLAIM},"marks":{MARKS},"correction":true}}"#
    );
    structure(
        ProposedOperation::Update {
            target: target(),
            claim: Box::new(small_claim()),
            marks: marks(),
            correction: true,
        },
        &update,
        &[],
    );
    spoiled::<ProposedOperation>(
        &update,
        &[
            ("/operation", json!("surprise")),
            ("/operation", json!("save")),
            ("/operation", json!("forget")),
            ("/correction", json!(1)),
            ("/target/number", json!(0)),
            ("/claim/valid_from", json!("now")),
        ],
    );
    structure(
        ProposedOperation::Forget { target: target() },
        &format!(r#"{{"operation":"forget","target":{TARGET}}}"#),
        &[],
    );
    structure(
        ProposedOperation::Choose {
            target: target(),
            rival: Rival::Fact { target: target() },
        },
        &format!(
            r#"{{"operation":"choose","target":{TARGET},"rival":{{"kind":"fact","target":{TARGET}}}}}"#
        ),
        &[],
    );
}

#[test]
fn every_rival() {
    let fact = format!(r#"{{"kind":"fact","target":{TARGET}}}"#);
    structure(Rival::Fact { target: target() }, &fact, &[]);
    spoiled::<Rival>(
        &fact,
        &[("/kind", json!("surprise")), ("/kind", json!("claim"))],
    );
    structure(
        Rival::Claim {
            claim: Box::new(small_claim()),
            marks: Marks::default(),
        },
        &format!(
            r#"{{"kind":"claim","claim":{SMALL_CLAIM},
                "marks":{{"importance":0.5,"confirmations":0,"contradictions":0}}}}"#
        ),
        &[],
    );
}

#[test]
fn a_proposal_with_everything_and_with_only_what_it_needs() {
    let literal = format!(
        r#"{{"operation":{{"operation":"save","claim":{SMALL_CLAIM},"marks":{MARKS}}},
            "reasoning":"Said twice","evidence":[{QUOTE}],
            "session":"00000000-0000-0000-0000-00000000000a","expires_at":"2026-03-09T09:30:00Z"}}"#
    );
    structure(
        Proposal {
            operation: ProposedOperation::Save {
                claim: Box::new(small_claim()),
                marks: marks(),
            },
            reasoning: "Said twice".to_owned(),
            evidence: vec![quote()],
            session: Some(SessionId::new(uuid(0xa))),
            expires_at: Some(day(9)),
        },
        &literal,
        &["evidence", "session", "expires_at"],
    );
    spoiled::<Proposal>(
        &literal,
        &[
            ("/evidence/0/message", json!(0)),
            ("/expires_at", json!("0000-01-01T00:00:00+01:00")),
        ],
    );
    structure(forget(), &forget_literal(), &[]);
}

#[test]
fn a_proposal_in_a_row() {
    let row = Row {
        id: RowId::new(uuid(1)),
        origin: Origin::new(uuid(1)),
        recorded_at: day(2),
        end: None,
        marks: Marks::default(),
        body: forget(),
    };
    let head = r#"{"id":"00000000-0000-0000-0000-000000000001",
        "origin":"00000000-0000-0000-0000-000000000001","recorded_at":"2026-03-02T09:30:00Z","body":"#;
    let fields = forget_literal();
    structure(row.clone(), &format!("{head}{fields}}}"), &[]);
    structure(
        row.map(Body::Proposal),
        &format!(r#"{head}{{"kind":"proposal",{}}}"#, &fields[1..]),
        &[],
    );
}
