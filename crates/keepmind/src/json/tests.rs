//! JSON of this crate beside that of `serde_json`.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

#[derive(Debug, Clone, Serialize)]
enum Shape {
    Unit,
    One(String),
    Two(i64, f64),
    Named {
        text: String,
        inner: Option<Box<Everything>>,
    },
}

#[derive(Debug, Clone, Serialize)]
struct Everything {
    text: String,
    letter: char,
    numbers: (i8, u64, i128, f32),
    float: f64,
    flag: bool,
    nothing: (),
    maybe: Option<u32>,
    list: Vec<Shape>,
    #[serde(serialize_with = "bytes")]
    bytes: Vec<u8>,
    by_text: BTreeMap<String, u8>,
    by_number: BTreeMap<i32, bool>,
    #[serde(serialize_with = "displayed")]
    displayed: String,
    #[serde(flatten)]
    flat: Flat,
    names: Names,
}

/// Names as long as what is put down at once, one letter longer and without any; the first and the last may be left out.
#[derive(Debug, Clone, Serialize)]
struct Names {
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    a: bool,
    #[serde(rename = "")]
    nameless: u8,
    twenty_eight_letters_exactly: u8,
    a_name_of_twenty_nine_letters: u8,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    a_name_that_is_longer_than_any_that_is_put_down_at_once: bool,
}

#[derive(Debug, Clone, Serialize)]
struct LongNameFirst {
    a_name_that_is_longer_than_any_that_is_put_down_at_once: bool,
    a: u8,
}

#[derive(Debug, Clone, Serialize)]
struct Flat {
    #[serde(skip_serializing_if = "Option::is_none", rename = "other name")]
    other: Option<String>,
    rest: BTreeMap<String, String>,
}

fn bytes<S: ser::Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bytes(bytes)
}

fn displayed<S: ser::Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("<{text}>{:?}", Some(text)))
}

/// Texts with everything that is written otherwise, at any place.
fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-z ]{0,12}",
        any::<char>().prop_map(String::from),
        (0_u8..0x80).prop_map(|byte| char::from(byte).to_string()),
        prop_oneof![
            Just("\""),
            Just("\\"),
            Just("\u{7f}"),
            Just("\u{80}"),
            Just("é"),
            Just("\u{2028}")
        ]
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

fn everything() -> impl Strategy<Value = Everything> {
    let flat = (
        prop::option::of(texts()),
        prop::collection::btree_map(texts(), texts(), 0..3),
    )
        .prop_map(|(other, rest)| Flat { other, rest });
    let maps = (
        prop::collection::btree_map(texts(), any::<u8>(), 0..3),
        prop::collection::btree_map(any::<i32>(), any::<bool>(), 0..3),
    );
    let plain = (
        texts(),
        any::<char>(),
        any::<(i8, u64, i128, f32)>(),
        any::<f64>(),
    );
    let leaf = (
        plain,
        any::<bool>(),
        prop::option::of(any::<u32>()),
        any::<Vec<u8>>(),
        maps,
        flat,
    );
    let leaf = leaf.prop_map(|(plain, flag, maybe, bytes, (by_text, by_number), flat)| {
        let (text, letter, numbers, float) = plain;
        let displayed = text.clone();
        let nothing = ();
        let list = Vec::new();
        let names = Names {
            a: flag,
            nameless: 1,
            twenty_eight_letters_exactly: 2,
            a_name_of_twenty_nine_letters: 3,
            a_name_that_is_longer_than_any_that_is_put_down_at_once: maybe.is_some(),
        };
        Everything {
            text,
            letter,
            numbers,
            float,
            flag,
            nothing,
            maybe,
            list,
            bytes,
            by_text,
            by_number,
            displayed,
            flat,
            names,
        }
    });
    leaf.prop_recursive(3, 16, 3, |inner| {
        let shape = prop_oneof![
            Just(Shape::Unit),
            texts().prop_map(Shape::One),
            any::<(i64, f64)>().prop_map(|(one, two)| Shape::Two(one, two)),
            (texts(), prop::option::of(inner.clone())).prop_map(|(text, inner)| Shape::Named {
                text,
                inner: inner.map(Box::new)
            }),
        ];
        (inner, prop::collection::vec(shape, 0..4))
            .prop_map(|(everything, list)| Everything { list, ..everything })
    })
}

proptest! {
    #[test]
    fn a_value_is_written_as_the_plain_way_does(value in everything()) {
        prop_assert_eq!(write(&value).unwrap(), serde_json::to_string(&value).unwrap());
    }

    #[test]
    fn a_text_is_written_as_the_plain_way_does(text in texts()) {
        prop_assert_eq!(write(&text).unwrap(), serde_json::to_string(&text).unwrap());
    }
}

#[test]
fn every_byte_is_escaped_alike_wherever_it_stands() {
    for letter in '\0'..='\u{ff}' {
        for before in 0..18 {
            let text = format!("{}{letter}{letter}rest of it", "x".repeat(before));
            assert_eq!(write(&text).unwrap(), serde_json::to_string(&text).unwrap());
        }
    }
}

#[test]
fn a_field_with_a_long_name_may_come_first() {
    let value = LongNameFirst {
        a_name_that_is_longer_than_any_that_is_put_down_at_once: true,
        a: 1,
    };
    assert_eq!(
        write(&value).unwrap(),
        serde_json::to_string(&value).unwrap()
    );
}

#[test]
fn a_key_is_a_text_or_a_number() {
    let lists = BTreeMap::from([(vec![1], 2)]);
    assert!(write(&lists).is_err());
    assert!(write(&BTreeMap::from([((), 2)])).is_err());
    let flags = BTreeMap::from([(true, 1)]);
    assert_eq!(
        write(&flags).unwrap(),
        serde_json::to_string(&flags).unwrap()
    );
}

#[test]
fn a_number_of_which_every_digit_is_kept_is_a_number() {
    struct Exact(&'static str);

    impl Serialize for Exact {
        fn serialize<S: ser::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            use ser::SerializeStruct as _;
            let mut number = serializer.serialize_struct(EXACT_NUMBER, 1)?;
            number.serialize_field(EXACT_NUMBER, self.0)?;
            number.end()
        }
    }

    let numbers = BTreeMap::from([("a", Exact("3")), ("b", Exact("-0.10000000000000000001e5"))]);
    let written = write(&numbers).unwrap();
    assert_eq!(written, r#"{"a":3,"b":-0.10000000000000000001e5}"#);
}

#[test]
fn what_is_written_already_goes_in_as_it_stands() {
    let mut parts = BTreeMap::from([("a", Written(r#"{"b":[1,"\"c"]}"#)), ("d", Written("null"))]);
    let written = write(&parts).unwrap();
    assert_eq!(written, r#"{"a":{"b":[1,"\"c"]},"d":null}"#);
    parts.clear();
    assert_eq!(
        write(&(Written("1"), b"12", "[]")).unwrap(),
        r#"[1,[49,50],"[]"]"#
    );
}

#[test]
fn what_was_written_or_failed_before_leaves_nothing_behind() {
    struct Within;

    impl Serialize for Within {
        fn serialize<S: ser::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_str(&write(&[1, 2]).map_err(ser::Error::custom)?)
        }
    }

    assert!(write(&BTreeMap::from([(vec![1], "lost")])).is_err());
    let long = "x".repeat(2 * KEPT);
    assert_eq!(write(&long).unwrap().len(), long.len() + 2);
    assert_eq!(write(&("a", Within, "b")).unwrap(), r#"["a","[1,2]","b"]"#);
    assert_eq!(write("").unwrap(), "\"\"");
}
