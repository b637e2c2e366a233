//! Whatever a model writes: no panic, the promises of every message, and nothing accepted that is not known.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::super::*;
use super::parse_in_utc;
use super::well_said;
use crate::policy::{Policy, Tool};
use crate::tools::schema::arguments;

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (1..20_u32).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        prop_oneof![
            "#?[0-9]{1,3}",
            "rule|note|fact|food|lasting|deadline",
            "20[0-9]{2}-0[1-9]-1[0-9]"
        ]
        .prop_map(Value::from),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(20, 60, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..4)
                .prop_map(|object| Value::Object(object.into_iter().collect())),
        ]
    })
}

/// Names that some tool knows, and now and then one that none does.
fn name() -> impl Strategy<Value = String> {
    let policy = Policy::default();
    let mut names: Vec<String> = Tool::ALL
        .iter()
        .flat_map(|tool| arguments(&policy, *tool))
        .map(|argument| argument.name.to_owned())
        .collect();
    names.sort();
    names.dedup();
    prop_oneof![9 => prop::sample::select(names), 1 => any::<String>()]
}

fn tool() -> impl Strategy<Value = Tool> {
    prop::sample::select(Tool::ALL.to_vec())
}

fn judge(policy: &Policy, tool: Tool, given: &Map<String, Value>) -> Result<(), TestCaseError> {
    let name = policy.tool_name(tool);
    let read = parse_in_utc(policy, &name, &Value::Object(given.clone()));
    let encoded = parse_in_utc(
        policy,
        &name,
        &json!(Value::Object(given.clone()).to_string()),
    );
    prop_assert_eq!(&read, &encoded);
    match read {
        Ok(request) => {
            let known = arguments(policy, tool);
            prop_assert_eq!(request.tool(), tool);
            prop_assert!(
                given
                    .keys()
                    .all(|name| known.iter().any(|known| known.name == name))
            );
            for argument in known.iter().filter(|argument| argument.required) {
                prop_assert!(given.contains_key(argument.name));
            }
        }
        Err(refusal) => {
            well_said(refusal);
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn any_json_is_read_or_refused(tool in tool(), arguments in value()) {
        let policy = Policy::default();
        if let Err(refusal) = parse_in_utc(&policy, &policy.tool_name(tool), &arguments) {
            well_said(refusal);
        }
    }

    #[test]
    fn what_is_accepted_has_only_known_fields(
        tool in tool(),
        given in prop::collection::btree_map(name(), value(), 0..5),
    ) {
        judge(&Policy::default(), tool, &given.into_iter().collect())?;
    }

    #[test]
    fn good_calls_with_one_argument_changed_are_judged(tool in tool(), name in name(), value in value()) {
        let policy = Policy::default();
        let mut given = Map::new();
        for argument in arguments(&policy, tool).iter().filter(|argument| argument.required) {
            given.insert(argument.name.to_owned(), json!("12"));
        }
        judge(&policy, tool, &given)?;
        given.insert(name, value);
        judge(&policy, tool, &given)?;
    }

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>(), braces in "[\\[\\]{}\":,a-z0-9 ]{0,60}") {
        let policy = Policy::default();
        for text in [text, braces] {
            if let Err(refusal) = parse_text(&policy, &text) {
                well_said(refusal);
            }
            for tool in ["save_memory", "list_memories"] {
                if let Err(refusal) = parse_in_utc(&policy, tool, &json!(text)) {
                    well_said(refusal);
                }
            }
            if let Err(refusal) = parse_in_utc(&policy, &text, &Value::Null) {
                well_said(refusal);
            }
        }
    }
}
