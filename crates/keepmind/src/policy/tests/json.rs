//! Policies as JSON: overrides, refusals with the field's path, exact round trips, hostile text.

use crate::policy::*;
use proptest::prelude::*;
use serde_json::{Value, json};

fn path_of(text: &str) -> String {
    let error = Policy::from_json(text).expect_err(text);
    error
        .path()
        .map(str::to_owned)
        .unwrap_or_else(|| panic!("no path: {error}"))
}

#[test]
fn an_empty_object_is_the_default() {
    assert_eq!(Policy::from_json("{}"), Ok(Policy::default()));
    assert_eq!(
        Policy::from_json(r#"{"preset": "chat"}"#),
        Ok(Policy::chat())
    );
}

#[test]
fn overrides_change_what_they_name_and_nothing_else() {
    let policy = Policy::from_json(
        r#"{"preset": "advisor", "name": "bank", "floors": {"keep": 0.6},
            "retention": {"expired_purge_days": 90}, "governance": {"proposal_days": null}}"#,
    )
    .expect("a good policy");
    let mut expected = Policy::advisor();
    expected.name = "bank".into();
    expected.floors.keep = 0.6;
    expected.retention.expired_purge_days = Some(90);
    expected.governance.proposal_days = None;
    assert_eq!(policy, expected);
}

#[test]
fn lists_are_replaced_whole_and_their_entries_may_be_short() {
    let policy = Policy::from_json(
        r#"{"categories": [{"name": "note", "title": "Notes", "budget": 100}],
            "default_category": "note", "domains": [], "tools": {"offered": ["recall"]}}"#,
    )
    .expect("a good policy");
    assert_eq!(policy.categories, [Category::new("note", "Notes", 100)]);
    assert_eq!(policy.tools.offered, [Tool::Recall]);
    assert_eq!(policy.tools.singular, "memory");
}

#[test]
fn changing_only_the_fusion_method_works() {
    let policy = Policy::from_json(r#"{"recall": {"fusion": {"method": "reciprocal_rank"}}}"#)
        .expect("a good policy");
    assert_eq!(policy.recall.fusion.method, FusionMethod::ReciprocalRank);
}

#[test]
fn refusals_name_the_field() {
    for (text, path) in [
        (r#"{"flors": {}}"#, "flors"),
        (r#"{"floors": {"kep": 0.5}}"#, "floors.kep"),
        (r#"{"recall": {"fusion": {"k": 60}}}"#, "recall.fusion.k"),
        (
            r#"{"domains": [{"name": "a", "title": "A", "secret": true}]}"#,
            "domains[0].secret",
        ),
        (r#"{"floors": {"keep": "high"}}"#, "floors.keep"),
        (r#"{"floors": 3}"#, "floors"),
        (r#"{"floors": null}"#, "floors"),
        (r#"{"floors": {"keep": null}}"#, "floors.keep"),
        (r#"{"categories": {}}"#, "categories"),
        (
            r#"{"categories": [{"name": "a", "title": "A", "budget": -1}]}"#,
            "categories[0].budget",
        ),
        (
            r#"{"categories": [{"name": "a", "title": "A", "budget": 1.5}]}"#,
            "categories[0].budget",
        ),
        (
            r#"{"categories": [{"name": "a", "title": "A"}]}"#,
            "categories[0].budget",
        ),
        (
            r#"{"categories": [{"name": "a", "title": "A", "budget": 1, "kind": "poem"}]}"#,
            "categories[0].kind",
        ),
        (
            r#"{"tools": {"offered": ["save", "erase"]}}"#,
            "tools.offered[1]",
        ),
        (r#"{"block": {"style": "Advisor"}}"#, "block.style"),
        (
            r#"{"retention": {"trash_days": 5000000000}}"#,
            "retention.trash_days",
        ),
        (r#"{"floors": {"keep": 0.8}}"#, "floors.keep"),
        (r#"{"default_category": "nowhere"}"#, "default_category"),
        (r#"{"preset": "butler"}"#, "preset"),
        (r#"{"preset": null}"#, "preset"),
        (r#"{"preset": ["advisor"]}"#, "preset"),
    ] {
        assert_eq!(path_of(text), path, "{text}");
    }
}

#[test]
fn text_that_is_no_policy_is_refused() {
    for text in [
        "",
        " ",
        "null",
        "[]",
        "3",
        "\"advisor\"",
        "{",
        "{} {}",
        "{\"name\": NaN}",
        "\u{FEFF}{}",
        r#"{"floors": {"keep": 1e999}}"#,
    ] {
        let error = Policy::from_json(text).expect_err(text);
        assert!(matches!(error, PolicyError::Json { .. }), "{text}: {error}");
    }
}

#[test]
fn a_field_given_twice_is_refused() {
    for text in [
        r#"{"name": "a", "name": "b"}"#,
        r#"{"floors": {"keep": 0.1, "keep": 0.2}}"#,
        r#"{"preset": "chat", "preset": "advisor"}"#,
    ] {
        let error = Policy::from_json(text).expect_err(text).to_string();
        assert!(error.contains("twice"), "{error}");
    }
}

#[test]
fn size_and_depth_are_bounded() {
    let long = format!("{{{}}}", " ".repeat(MAX_POLICY_BYTES));
    assert!(matches!(
        Policy::from_json(&long),
        Err(PolicyError::TooLarge { .. })
    ));
    for levels in [MAX_POLICY_DEPTH, 200, 100_000] {
        let deep = format!("{{\"name\": {}{}}}", "[".repeat(levels), "]".repeat(levels));
        let error = Policy::from_json(&deep).expect_err("too deep");
        assert!(matches!(error, PolicyError::Json { .. }), "{error}");
    }
    let field = format!("{{\"{}\": 1}}", "x".repeat(100_000));
    let message = Policy::from_json(&field).expect_err("unknown").to_string();
    assert!(message.len() < 1_000, "messages stay readable");
}

#[test]
fn every_preset_comes_back_from_its_own_json() {
    for name in Policy::presets() {
        let policy = Policy::preset(name).expect("a listed preset");
        let text = policy.to_json();
        assert_eq!(Policy::from_json(&text).as_ref(), Ok(&policy));
        assert_eq!(
            serde_json::from_str::<Policy>(&text).expect("complete"),
            policy
        );
    }
}

/// Every place in a value, as JSON pointers.
fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Object(object) => object
            .iter()
            .for_each(|(key, inner)| pointers(inner, &format!("{at}/{key}"), found)),
        Value::Array(list) => list
            .iter()
            .enumerate()
            .for_each(|(index, inner)| pointers(inner, &format!("{at}/{index}"), found)),
        _ => {}
    }
}

fn odd_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u32>().prop_map(Value::from),
        (-2.0..2.0f64).prop_map(Value::from),
        "\\PC{0,60}".prop_map(Value::from),
        "[a-z_]{0,8}".prop_map(Value::from),
        Just(json!([])),
        Just(json!({})),
        Just(json!([[[{"name": {}}]]])),
        "[a-z_]{0,8}".prop_map(|key| json!({ key: 1 })),
    ]
}

fn preset() -> impl Strategy<Value = Policy> {
    (0..Policy::presets().len())
        .prop_map(|index| Policy::preset(Policy::presets()[index]).expect("a listed preset"))
}

/// Whatever comes out valid must also come back.
fn check(text: &str) -> Result<(), TestCaseError> {
    if let Ok(policy) = Policy::from_json(text) {
        prop_assert_eq!(policy.validate(), Ok(()));
        prop_assert_eq!(Policy::from_json(&policy.to_json()), Ok(policy));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_answered(text in "\\PC{0,200}") {
        check(&text)?;
    }

    #[test]
    fn mutated_bytes_are_answered(
        policy in preset(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..4usize, "[\\PC\\n]{0,3}"), 1..6),
    ) {
        let mut text: Vec<char> = policy.to_json().chars().collect();
        for (at, removed, inserted) in edits {
            let at = at.index(text.len().max(1)).min(text.len());
            let end = (at + removed).min(text.len());
            text.splice(at..end, inserted.chars());
        }
        check(&text.into_iter().collect::<String>())?;
    }

    #[test]
    fn mutated_values_are_answered(
        policy in preset(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), odd_value()), 1..4),
    ) {
        let mut value: Value = serde_json::from_str(&policy.to_json()).expect("own JSON");
        for (at, new) in edits {
            let mut places = Vec::new();
            pointers(&value, "", &mut places);
            if let Some(place) = value.pointer_mut(&places[at.index(places.len())]) {
                *place = new;
            }
        }
        check(&value.to_string())?;
    }

    /// Needs `serde_json` with `float_roundtrip`: without it the last bit of a float can change.
    #[test]
    fn floats_come_back_bit_for_bit(keep in 0.0..=0.5f64, inject in 0.5..=1.0f64, share in 0.0..=1.0f64) {
        let mut policy = Policy::default();
        policy.floors.keep = keep;
        policy.floors.fade = keep / 3.0;
        policy.floors.inject = inject;
        policy.recall.fusion.keyword_share = share;
        prop_assert_eq!(Policy::from_json(&policy.to_json()), Ok(policy));
    }
}
