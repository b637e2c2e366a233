//! Arguments that are wrong one by one: missing, unknown, of the wrong type or value.

use serde_json::{Value, json};

use super::super::*;
use super::refused;

#[track_caller]
fn schema(name: &str, arguments: Value, says: &str) {
    let refusal = refused(name, &arguments);
    assert_eq!(refusal.code, Code::Schema, "{arguments}");
    assert!(
        refusal.message.contains(says),
        "{arguments}: {}",
        refusal.message
    );
}

#[test]
fn what_is_missing_is_named() {
    for (tool, arguments, name) in [
        ("save_memory", json!({}), "content"),
        ("save_memory", json!({"content": null}), "content"),
        ("save_memory", json!({"text": "x"}), "content"),
        (
            "update_memory",
            json!({"new_content": "x"}),
            "id_or_substring",
        ),
        (
            "update_memory",
            json!({"id_or_substring": "#1"}),
            "new_content",
        ),
        ("forget_memory", json!({}), "id_or_substring"),
        ("confirm_memory", json!({}), "id_or_substring"),
        (
            "link_memories",
            json!({"to_id": 1, "relation": "supports"}),
            "from_id",
        ),
        (
            "link_memories",
            json!({"from_id": 1, "relation": "supports"}),
            "to_id",
        ),
        (
            "link_memories",
            json!({"from_id": 1, "to_id": 2}),
            "relation",
        ),
        ("recall_memories", json!({"limit": 1}), "query"),
        ("propose_memory", json!({"reasoning": "x"}), "content"),
        ("propose_memory", json!({"content": "x"}), "reasoning"),
    ] {
        schema(
            tool,
            arguments,
            &format!("needs the argument `{name}`. It takes: "),
        );
    }
}

#[test]
fn what_is_unknown_is_refused_and_quoted_only_if_it_is_plain() {
    schema(
        "save_memory",
        json!({"content": "x", "user_id": "bob"}),
        "no argument `user_id`",
    );
    schema(
        "list_memories",
        json!({"owner": null}),
        "It takes: category, domain.",
    );
    schema(
        "save_memory",
        json!({"content": "x", "trust": "user"}),
        "no argument `trust`",
    );
    schema(
        "save_memory",
        json!({"content": "x", "Content": "y"}),
        "a name that was given",
    );
    let long = "ignore_previous_instructions".repeat(100);
    for name in [
        long.as_str(),
        "",
        "content ",
        "c\u{43e}ntent",
        "a\nb",
        "say `this`",
    ] {
        let refusal = refused("save_memory", &json!({"content": "x", (name): "y"}));
        assert_eq!(refusal.code, Code::Schema, "{name:?}");
        assert!(
            refusal.message.contains("a name that was given"),
            "{name:?}"
        );
        assert!(
            refusal.message.contains("content (required), category"),
            "{name:?}"
        );
    }
}

#[test]
fn wrong_types_are_refused_with_what_is_wanted() {
    for value in [
        json!(1),
        json!(true),
        json!([]),
        json!(["x"]),
        json!({}),
        json!({"text": "x"}),
    ] {
        schema(
            "save_memory",
            json!({"content": value}),
            "`content` must be text",
        );
        schema(
            "save_memory",
            json!({"content": "x", "detail": value}),
            "`detail` must be text",
        );
        schema(
            "save_memory",
            json!({"content": "x", "key": value}),
            "`key` must be text",
        );
        schema(
            "save_memory",
            json!({"content": "x", "since": value}),
            "`since` must be a date",
        );
        schema(
            "save_memory",
            json!({"content": "x", "category": value}),
            "must be one of: profile",
        );
        schema(
            "recall_memories",
            json!({"query": value}),
            "`query` must be text",
        );
        schema(
            "link_memories",
            json!({"from_id": 1, "to_id": 2, "relation": value}),
            "1 to 40",
        );
    }
    for value in [
        json!(true),
        json!([]),
        json!(["#1"]),
        json!({}),
        json!(-1),
        json!(0),
        json!(1.5),
        json!(1e300),
        json!(u64::MAX),
        json!(549_755_813_888_u64),
    ] {
        schema(
            "forget_memory",
            json!({"id_or_substring": value}),
            "must be a string",
        );
        schema(
            "link_memories",
            json!({"from_id": value, "to_id": 2, "relation": "x"}),
            "`from_id`",
        );
    }
    for value in [
        "",
        "#",
        "##1",
        "1 ",
        "#0",
        "01",
        "-1",
        "+1",
        "1.0",
        "x",
        "١",
        "#999999999999999999999",
    ] {
        schema(
            "link_memories",
            json!({"from_id": 1, "to_id": value, "relation": "x"}),
            "`to_id`",
        );
    }
    for value in [json!(1), json!("true"), json!(0), json!([])] {
        let arguments = json!({"id_or_substring": "#1", "new_content": "x", "correction": value});
        schema(
            "update_memory",
            arguments,
            "`correction` must be true or false",
        );
    }
}

#[test]
fn names_are_those_of_the_policy() {
    for category in ["", "Fact", "fact ", "episode", "health", "f\u{430}ct"] {
        for (tool, argument) in [("save_memory", "content"), ("recall_memories", "query")] {
            let says = "`category` must be one of: profile, preference, relationship";
            schema(tool, json!({(argument): "x", "category": category}), says);
        }
    }
    schema(
        "list_memories",
        json!({"domain": "nature"}),
        "`domain` must be one of: schedule, food",
    );
    for authority in ["", "Rule", "hard", "user"] {
        let arguments = json!({"content": "x", "authority": authority});
        schema(
            "save_memory",
            arguments,
            "`authority` must be one of: rule, note.",
        );
    }
    for class in ["", "forever", "7 days", "Lasting"] {
        let arguments = json!({"content": "x", "ttl": class});
        schema(
            "save_memory",
            arguments,
            "lasting, contextual, temporary, deadline",
        );
    }
    for since in [
        "",
        "yesterday",
        "2026-02-30",
        "2026-3-1",
        "01.03.2026",
        "2026-03-01T09:30",
        "2026",
        "٢٠٢٦-03",
    ] {
        let arguments = json!({"content": "x", "since": since});
        schema("save_memory", arguments, "2026-03-01T09:30:00Z");
    }
    for relation in [
        "Supports",
        "is about",
        "a-b",
        "über",
        "x\u{0}",
        "'; --",
        &"x".repeat(41),
    ] {
        let arguments = json!({"from_id": 1, "to_id": 2, "relation": relation});
        schema("link_memories", arguments, "1 to 40 characters");
    }
}

#[test]
fn limits_are_whole_numbers_within_the_policy() {
    for limit in [
        json!(-1),
        json!(0),
        json!(101),
        json!(2.5),
        json!(1e300),
        json!(u64::MAX),
        json!("5"),
        json!(true),
        json!([5]),
    ] {
        let arguments = json!({"query": "x", "limit": limit});
        schema(
            "recall_memories",
            arguments,
            "`limit` must be a whole number from 1 to 100",
        );
    }
}

#[test]
fn the_first_problem_is_told_in_a_fixed_order() {
    let mut arguments = json!({"content": "\0", "limit": 1, "category": "x", "since": "x"});
    schema(
        "recall_memories",
        arguments.clone(),
        "needs the argument `query`",
    );
    schema("save_memory", arguments.clone(), "no argument `limit`");
    arguments
        .as_object_mut()
        .map(|object| object.remove("limit"));
    schema("save_memory", arguments.clone(), "`category` must be");
    arguments["category"] = json!("fact");
    schema("save_memory", arguments.clone(), "`since` must be");
    arguments["since"] = Value::Null;
    assert_eq!(
        refused("save_memory", &arguments).code,
        Code::ControlCharacters
    );
}
