//! How the vocabulary is written and read: exports and stored columns must outlive any version of the code.
//!
//! Each type is held against its exact JSON, and against what must be refused: an unknown field, a missing
//! one, one of the wrong type, and values that no store could keep.

#[path = "vocabulary/names.rs"]
mod names;
#[path = "vocabulary/proposals.rs"]
mod proposals;
#[path = "vocabulary/queries.rs"]
mod queries;
#[path = "vocabulary/records.rs"]
mod records;
#[path = "vocabulary/rows.rs"]
mod rows;
#[path = "vocabulary/sessions.rs"]
mod sessions;

use std::collections::BTreeSet;
use std::fmt::Debug;

use keepmind::{
    Authority, Claim, Evidence, Layer, Marks, MessageNumber, Number, ObservationId, SessionId,
    Source, Span, Timestamp, Trust, Uuid,
};
use serde_json::{Value, json};

/// A type that is written as JSON and read back.
trait Written: Sized + Debug + PartialEq {
    fn write(&self) -> String;
    fn read(text: &str) -> serde_json::Result<Self>;
}

macro_rules! written {
    ($($type:ty),+ $(,)?) => {$(
        impl crate::Written for $type {
            fn write(&self) -> String {
                serde_json::to_string(self).expect("the vocabulary can always be written")
            }

            fn read(text: &str) -> serde_json::Result<Self> {
                serde_json::from_str(text)
            }
        }
    )+};
}
pub(crate) use written;

/// The fields that hold whatever JSON the host likes.
const FREE: &[&str] = &["value", "payload", "arguments", "schema"];

/// A literal may be broken over lines for its reader; what is compared has none.
fn compact(literal: &str) -> String {
    literal.lines().map(str::trim).collect()
}

/// The value is written as exactly that, and that is read as the value.
#[track_caller]
fn snapshot<T: Written>(value: T, literal: &str) {
    let text = compact(literal);
    assert_eq!(value.write(), text);
    assert_eq!(T::read(&text).expect("what was written is read"), value);
}

/// A snapshot of something with fields: exactly these, of which only the `optional` may be left out.
#[track_caller]
fn structure<T: Written>(value: T, literal: &str, optional: &[&str]) {
    snapshot(value, literal);
    let whole: Value = serde_json::from_str(&compact(literal)).expect("a snapshot is JSON");

    for place in objects(&whole, String::new()) {
        let mut extended = whole.clone();
        let object = extended.pointer_mut(&place).expect("an object's place");
        object["surprise"] = json!(1);
        refused::<T>(&extended);
    }

    let fields = whole.as_object().expect("a structure is an object");
    for field in optional {
        assert!(fields.contains_key(*field), "{field} is in the snapshot");
    }
    for field in fields.keys() {
        let is_optional = optional.contains(&field.as_str());
        let mut shortened = whole.clone();
        shortened.as_object_mut().expect("an object").remove(field);
        if is_optional {
            let read = T::read(&shortened.to_string());
            assert!(read.is_ok(), "{field} may be left out: {read:?}");
        } else {
            refused::<T>(&shortened);
        }
        if !FREE.contains(&field.as_str()) {
            refused::<T>(&with(&whole, field, json!([null])));
            if !is_optional {
                refused::<T>(&with(&whole, field, Value::Null));
            }
        }
    }
}

/// Where objects with fixed fields stand in a document.
fn objects(document: &Value, place: String) -> Vec<String> {
    match document {
        Value::Object(fields) => fields
            .iter()
            .filter(|(field, _)| !FREE.contains(&field.as_str()))
            .flat_map(|(field, inner)| objects(inner, format!("{place}/{field}")))
            .chain([place.clone()])
            .collect(),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .flat_map(|(index, inner)| objects(inner, format!("{place}/{index}")))
            .collect(),
        _ => Vec::new(),
    }
}

fn with(document: &Value, field: &str, value: Value) -> Value {
    let mut altered = document.clone();
    altered[field] = value;
    altered
}

#[track_caller]
fn refused<T: Written>(document: &Value) {
    let text = document.to_string();
    let read = T::read(&text);
    assert!(read.is_err(), "{text} was read as {read:?}");
}

/// Texts that are not a `T`.
#[track_caller]
fn hostile<T: Written>(texts: &[&str]) {
    for text in texts {
        let read = T::read(text);
        assert!(read.is_err(), "{text} was read as {read:?}");
    }
}

/// A good document, spoiled in one place at a time.
#[track_caller]
fn spoiled<T: Written>(literal: &str, places: &[(&str, Value)]) {
    let whole: Value = serde_json::from_str(&compact(literal)).expect("a snapshot is JSON");
    T::read(&whole.to_string()).expect("the document is good before it is spoiled");
    for (place, value) in places {
        let mut altered = whole.clone();
        *altered.pointer_mut(place).expect("a place in the document") = value.clone();
        refused::<T>(&altered);
    }
}

/// Every word of a choice, and nothing that only looks like one.
#[track_caller]
fn words<T: Written>(choices: Vec<(T, &str)>) {
    for (choice, word) in choices {
        snapshot(choice, &format!("\"{word}\""));
        hostile::<T>(&[
            &format!("\"{}\"", word.to_uppercase()),
            &format!("\"{word} \""),
            &format!("[\"{word}\"]"),
        ]);
    }
    hostile::<T>(&["\"\"", "\"surprise\"", "0", "null", "true", "{}"]);
}

fn uuid(count: u128) -> Uuid {
    Uuid::from_u128(count)
}

fn day(day: u32) -> Timestamp {
    Timestamp::parse(&format!("2026-03-{day:02}T09:30:00Z")).expect("a day of March")
}

fn number(count: u64) -> Number {
    Number::new(count).expect("a number that can be kept")
}

fn message(count: u64) -> MessageNumber {
    MessageNumber::new(count).expect("a message number that can be kept")
}

fn set(items: &[&str]) -> BTreeSet<String> {
    items.iter().map(|item| (*item).to_owned()).collect()
}

fn marks() -> Marks {
    Marks {
        importance: 0.75,
        confidence: Some(0.1),
        last_confirmed_at: Some(day(4)),
        confirmations: 2,
        contradictions: 1,
    }
}

const MARKS: &str = r#"{"importance":0.75,"confidence":0.1,"last_confirmed_at":"2026-03-04T09:30:00Z",
    "confirmations":2,"contradictions":1}"#;

fn quote() -> Evidence {
    Evidence::Quote {
        session: SessionId::new(uuid(0xa)),
        message: message(2),
        span: Span { start: 0, end: 12 },
        quote: "I eat \"none\"".to_owned(),
    }
}

const QUOTE: &str = r#"{"kind":"quote","session":"00000000-0000-0000-0000-00000000000a","message":2,
    "span":{"start":0,"end":12},"quote":"I eat \"none\""}"#;

fn small_claim() -> Claim {
    Claim {
        layer: Layer::Fact,
        category: "note".to_owned(),
        authority: Authority::Note,
        domain: None,
        key: None,
        value: None,
        content: "Lives in Zürich".to_owned(),
        summary: None,
        body: None,
        tags: BTreeSet::new(),
        source: Source::User,
        trust: Trust::User,
        held: false,
        session: None,
        messages: Vec::new(),
        evidence: Vec::new(),
        valid_from: day(1),
        expires_at: None,
        authorises_action: false,
    }
}

const SMALL_CLAIM: &str = r#"{"layer":"fact","category":"note","authority":"note","content":"Lives in Zürich",
    "source":"user","trust":"user","valid_from":"2026-03-01T09:30:00Z"}"#;

fn full_claim() -> Claim {
    Claim {
        layer: Layer::Digest,
        category: "preference".to_owned(),
        authority: Authority::Rule,
        domain: Some("food".to_owned()),
        key: Some("diet".to_owned()),
        value: Some(json!({"strict": true, "days": [1, 2.5, null]})),
        content: "Eats no meat".to_owned(),
        summary: Some("No meat".to_owned()),
        body: Some("Since\nspring.".to_owned()),
        tags: set(&["food", "diet"]),
        source: Source::Extracted,
        trust: Trust::Extracted,
        held: true,
        session: Some(SessionId::new(uuid(0xa))),
        messages: vec![message(2), message(1)],
        evidence: vec![
            quote(),
            Evidence::Observation {
                id: ObservationId::new(uuid(0xb)),
            },
        ],
        valid_from: day(1),
        expires_at: Some(day(9)),
        authorises_action: true,
    }
}

/// The large claim as it is written, with its evidence.
fn full_claim_literal() -> String {
    r#"{"layer":"digest","category":"preference","authority":"rule","domain":"food","key":"diet",
        "value":{"days":[1,2.5,null],"strict":true},"content":"Eats no meat","summary":"No meat",
        "body":"Since\nspring.","tags":["diet","food"],"source":"extracted","trust":"extracted",
        "held":true,"session":"00000000-0000-0000-0000-00000000000a","messages":[2,1],
        "evidence":[QUOTE,{"kind":"observation","id":"00000000-0000-0000-0000-00000000000b"}],
        "valid_from":"2026-03-01T09:30:00Z","expires_at":"2026-03-09T09:30:00Z",
        "authorises_action":true}"#
        .replace("QUOTE", QUOTE)
}
