//! Names, counts, moments, owners and the words of every choice.

use keepmind::visibility::Visibility;
use keepmind::{
    Authority, Epoch, GroupId, Kind, Layer, LeaseHolder, MessageNumber, MessageOrdinal,
    MessageOrigin, Number, ObservationId, OperationId, Origin, Owner, OwnerState, Revision, Role,
    RowId, SessionId, SessionStatus, Source, Task, Timestamp, TraceOutcome, Trust, UsageId,
    UsageKind, Vector, Version, Who,
};
use serde_json::json;

use crate::{Written, day, hostile, number, snapshot, spoiled, structure, uuid, words, written};

written! {
    RowId, Origin, SessionId, ObservationId, UsageId, OperationId, GroupId, Epoch, LeaseHolder,
    Number, Version, MessageNumber, MessageOrdinal,
    Timestamp, Owner, Revision, OwnerState, Vector,
    Authority, Kind, Layer, MessageOrigin, Role, SessionStatus, Source, Task, TraceOutcome, Trust,
    UsageKind, Visibility, Who,
}

#[test]
fn identifiers_are_hyphenated_and_lower_case() {
    fn check<T: Written>(id: T) {
        snapshot(id, "\"01890a5d-ac96-774b-bcce-b302099a8057\"");
        hostile::<T>(&[
            "\"\"",
            "\"01890a5d\"",
            "\"01890a5d-ac96-774b-bcce-b302099a805g\"",
            "\"01890a5d-ac96-774b-bcce-b302099a8057 \"",
            "1",
            "null",
            "{}",
        ]);
    }
    let id = uuid(0x0189_0a5d_ac96_774b_bcce_b302_099a_8057);
    check(RowId::new(id));
    check(Origin::new(id));
    check(SessionId::new(id));
    check(ObservationId::new(id));
    check(UsageId::new(id));
    check(OperationId::new(id));
    check(GroupId::new(id));
    check(Epoch::new(id));
    check(LeaseHolder::new(id));
}

#[test]
fn counts_begin_at_one_and_end_where_they_can_be_kept() {
    fn check<T: Written>(first: T, last: T, largest: &str, too_large: &str) {
        snapshot(first, "1");
        snapshot(last, largest);
        hostile::<T>(&[
            too_large,
            "0",
            "-1",
            "1.0",
            "1.5",
            "1e1",
            "\"1\"",
            "null",
            "[1]",
            "9223372036854775807",
            "18446744073709551615",
            "18446744073709551616",
        ]);
    }
    let (largest, too_large) = ("549755813887", "549755813888");
    check(Number::FIRST, Number::LAST, largest, too_large);
    check(
        MessageNumber::FIRST,
        MessageNumber::LAST,
        largest,
        too_large,
    );
    check(
        MessageOrdinal::FIRST,
        MessageOrdinal::LAST,
        largest,
        too_large,
    );
    check(Version::FIRST, Version::LAST, "16777215", "16777216");
}

#[test]
fn moments_are_rfc_3339_in_utc() {
    for (micros, literal) in [
        (0, "\"1970-01-01T00:00:00Z\""),
        (1, "\"1970-01-01T00:00:00.000001Z\""),
        (-1, "\"1969-12-31T23:59:59.999999Z\""),
        (500_000, "\"1970-01-01T00:00:00.5Z\""),
        (Timestamp::MIN.as_micros(), "\"0000-01-01T00:00:00Z\""),
        (
            Timestamp::MAX.as_micros(),
            "\"9999-12-31T23:59:59.999999Z\"",
        ),
    ] {
        let moment = Timestamp::from_micros(micros).expect("a moment that can be kept");
        snapshot(moment, literal);
    }
    let elsewhere = Timestamp::read("\"2026-03-01T11:30:00+02:00\"");
    assert_eq!(elsewhere.expect("any offset is read"), day(1));
    hostile::<Timestamp>(&[
        "\"\"",
        "\"yesterday\"",
        "\"2026-03-01\"",
        "\"2026-03-01T09:30:00\"",
        "\"2026-02-30T09:30:00Z\"",
        "\"2026-03-01T25:30:00Z\"",
        "\"-0001-12-31T23:59:59Z\"",
        "\"0000-01-01T00:00:00+01:00\"",
        "\"9999-12-31T23:59:59-01:00\"",
        "\"10000-01-01T00:00:00Z\"",
        "0",
        "null",
        "{}",
    ]);
    assert!(Timestamp::from_micros(Timestamp::MIN.as_micros() - 1).is_err());
    assert!(Timestamp::from_micros(Timestamp::MAX.as_micros() + 1).is_err());
}

#[test]
fn an_owner_is_a_name_that_says_something() {
    for name in ["alice", " Zoë \"Z\"", &"x".repeat(Owner::MAX_BYTES)] {
        let owner = Owner::new(name).expect("a name");
        snapshot(owner, &json!(name).to_string());
    }
    let too_long = json!("x".repeat(Owner::MAX_BYTES + 1)).to_string();
    hostile::<Owner>(&[
        &too_long,
        "\"\"",
        "\" \\t\\n\"",
        "\"\\u00a0\"",
        "\"\\u0000\"",
        "\"alice\\u0000bob\"",
        "\"\\ud800\"",
        "7",
        "null",
        "[\"alice\"]",
        "{}",
    ]);
}

#[test]
fn the_counters_of_an_owner() {
    let revision = Revision {
        epoch: Epoch::new(uuid(0xe)),
        count: 7,
    };
    let literal = r#"{"epoch":"00000000-0000-0000-0000-00000000000e","count":7}"#;
    structure(revision, literal, &[]);
    spoiled::<Revision>(literal, &[("/count", json!(-1)), ("/epoch", json!(""))]);
    structure(
        Revision::NONE,
        r#"{"epoch":"00000000-0000-0000-0000-000000000000","count":0}"#,
        &[],
    );

    structure(
        OwnerState {
            revision,
            next_number: number(13).get(),
            last_stamp: Some(day(2)),
            embedding_changes: 3,
        },
        r#"{"revision":{"epoch":"00000000-0000-0000-0000-00000000000e","count":7},"next_number":13,
            "last_stamp":"2026-03-02T09:30:00Z","embedding_changes":3}"#,
        &["last_stamp"],
    );
    snapshot(
        OwnerState::NONE,
        r#"{"revision":{"epoch":"00000000-0000-0000-0000-000000000000","count":0},"next_number":1,
            "last_stamp":null,"embedding_changes":0}"#,
    );
}

#[test]
fn a_vector_has_a_direction() {
    let vector = Vector::new(vec![3.0, -4.0]).expect("a vector");
    snapshot(vector, "[0.6,-0.8]");
    snapshot(Vector::new(vec![0.1]).expect("a vector"), "[1.0]");
    let many = vec![1.0; Vector::MAX_DIMENSIONS + 1];
    assert!(Vector::new(many.clone()).is_err());
    for number in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0] {
        assert!(Vector::new(vec![number]).is_err(), "{number}");
    }
    hostile::<Vector>(&[
        &json!(many).to_string(),
        "[]",
        "[0.0,0.0]",
        "[0,-0.0]",
        "[1e-40]",
        "[1.0,null]",
        "[1.0,NaN]",
        "[1.0,Infinity]",
        "[1.0,1e39]",
        "[1.0,1e400]",
        "[\"1\"]",
        "1.0",
        "null",
        "{}",
    ]);
}

#[test]
fn choices_are_written_as_words() {
    words(vec![
        (Kind::Memory, "memory"),
        (Kind::Link, "link"),
        (Kind::Tombstone, "tombstone"),
        (Kind::Proposal, "proposal"),
    ]);
    words(vec![
        (Layer::Episode, "episode"),
        (Layer::Fact, "fact"),
        (Layer::Digest, "digest"),
    ]);
    words(vec![(Authority::Note, "note"), (Authority::Rule, "rule")]);
    words(vec![
        (Source::User, "user"),
        (Source::Agent, "agent"),
        (Source::Extracted, "extracted"),
        (Source::Derived, "derived"),
        (Source::Imported, "imported"),
    ]);
    words(vec![
        (Trust::Derived, "derived"),
        (Trust::Extracted, "extracted"),
        (Trust::Agent, "agent"),
        (Trust::User, "user"),
    ]);
    words(vec![
        (Who::User, "user"),
        (Who::Agent, "agent"),
        (Who::Extractor, "extractor"),
        (Who::Consolidator, "consolidator"),
        (Who::Sweep, "sweep"),
        (Who::Host, "host"),
    ]);
    words(vec![
        (Role::System, "system"),
        (Role::User, "user"),
        (Role::Assistant, "assistant"),
        (Role::Tool, "tool"),
    ]);
    words(vec![
        (MessageOrigin::Typed, "typed"),
        (MessageOrigin::Prefill, "prefill"),
    ]);
    words(vec![
        (SessionStatus::Active, "active"),
        (SessionStatus::Idle, "idle"),
        (SessionStatus::Archived, "archived"),
    ]);
    words(vec![
        (TraceOutcome::Complete, "complete"),
        (TraceOutcome::Failed, "failed"),
    ]);
    words(vec![
        (UsageKind::Retrieved, "retrieved"),
        (UsageKind::Applied, "applied"),
        (UsageKind::Cited, "cited"),
        (UsageKind::Conflicted, "conflicted"),
        (UsageKind::Overridden, "overridden"),
    ]);
    words(vec![
        (Visibility::Live, "live"),
        (Visibility::Held, "held"),
        (Visibility::Expired, "expired"),
        (Visibility::Ended, "ended"),
    ]);
    words(vec![
        (Task::Extract, "extract"),
        (Task::Summarise, "summarise"),
        (Task::Title, "title"),
        (Task::Rerank, "rerank"),
        (Task::Compile, "compile"),
    ]);
}
