//! Calls whose wrapping is wrong: names, sizes, depths, and text that is not the JSON of one call.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use time::UtcOffset;

use super::super::*;
use super::parse_in_utc;
use super::{nested, refused, refused_text};
use crate::policy::Policy;

#[test]
fn only_the_exact_name_runs() {
    for name in [
        "SAVE_MEMORY",
        "Save_Memory",
        " save_memory",
        "save_memory ",
        "save_memory\n",
        "save-memory",
        "functions.save_memory",
        "mcp__keepmind__save_memory",
        "s\u{430}ve_memory",
        "ｓave_memory",
        "save\u{200b}_memory",
        "save_memory\0",
        "save_memor",
        "saev_memory",
        "save_memories",
    ] {
        let refusal = refused(name, &json!({"content": "x"}));
        assert_eq!(refusal.code, Code::ToolName, "{name:?}");
        let suggestion = "did you mean `save_memory`?";
        assert!(
            refusal.message.contains(suggestion),
            "{name:?}: {}",
            refusal.message
        );
    }
    for name in [
        "",
        "memory.delete_all",
        "save_preference",
        "undo",
        "記憶",
        "{\"name\": 1}",
    ] {
        let refusal = refused(name, &json!({}));
        assert_eq!(refusal.code, Code::ToolName, "{name:?}");
        assert!(!refusal.message.contains("did you mean"), "{name:?}");
        assert!(
            refusal.message.contains("save_memory, update_memory"),
            "{name:?}"
        );
    }
}

#[test]
fn a_name_is_judged_before_its_arguments() {
    assert_eq!(refused("Save_memory", &nested(10_000)).code, Code::ToolName);
    assert_eq!(refused("Save_memory", &json!("{")).code, Code::ToolName);
}

#[test]
fn long_nouns_still_make_a_short_message() {
    let mut policy = Policy::default();
    policy.tools.singular = "a".repeat(40);
    policy.tools.plural = "b".repeat(40);
    let refusal = parse_in_utc(&policy, "save", &Value::Null).expect_err("no such tool");
    super::well_said(refusal);
}

#[test]
fn arguments_are_one_object_decoded_once() {
    for arguments in [
        json!([]),
        json!([{"content": "x"}]),
        json!(1),
        json!(true),
        json!("[]"),
        json!("1"),
        json!("\"{\\\"content\\\": \\\"x\\\"}\""),
        json!("\"\""),
    ] {
        assert_eq!(
            refused("save_memory", &arguments).code,
            Code::Schema,
            "{arguments}"
        );
    }
    for text in [
        "content: x",
        "{",
        "{\"content\": \"x\"",
        "{'content': 'x'}",
        "{\"content\": NaN}",
        "{\"content\": \"x\"} {}",
        "{\"limit\": Infinity}",
        "```json\n{}\n```",
        "\u{feff}{}",
        "{\"content\": \"\\ud800\"}",
        "{\"content\": \"a\nb\"}",
        "{\"content\": \"x\",}",
    ] {
        assert_eq!(
            refused("save_memory", &json!(text)).code,
            Code::Parse,
            "{text}"
        );
    }
    for text in [
        r#"{"content": "x", "content": "y"}"#,
        r#"{"content": "x", "c\u006fntent": "y"}"#,
        r#"{"content": "x", "value": {"a": 1, "a": 2}}"#,
        r#"{"content": "x", "value": 1e999}"#,
    ] {
        assert_eq!(
            refused("save_memory", &json!(text)).code,
            Code::Schema,
            "{text}"
        );
    }
}

#[test]
fn whole_calls_are_one_object_and_nothing_beside() {
    for text in [
        "",
        "save_memory",
        "{",
        "[",
        "{\"name\": \"save_memory\"}}",
        "{\"name\": NaN}",
        "\0",
    ] {
        assert_eq!(refused_text(text).code, Code::Parse, "{text}");
    }
    for text in [
        "null",
        "1",
        "\"save_memory\"",
        "[]",
        "{}",
        r#"[{"name": "save_memory", "arguments": {"content": "x"}}]"#,
        r#"{"arguments": {"content": "x"}}"#,
        r#"{"name": null, "arguments": {"content": "x"}}"#,
        r#"{"name": ["save_memory"], "arguments": {"content": "x"}}"#,
        r#"{"name": "save_memory", "name": "forget_memory"}"#,
        r#"{"name": "save_memory", "tool": "forget_memory"}"#,
        r#"{"name": "save_memory", "arguments": {}, "input": {"content": "x"}}"#,
        r#"{"name": "save_memory", "function": {"name": "save_memory"}, "arguments": {}}"#,
        r#"{"function": {"name": "save_memory", "arguments": {}}, "arguments": {}}"#,
        r#"{"function": {"name": "save_memory", "arguments": {}, "owner": "x"}}"#,
        r#"{"function": {"name": "save_memory", "id": "x"}}"#,
        r#"{"name": "save_memory", "arguments": {"content": "x"}, "user_id": "x"}"#,
        r#"{"name": "save_memory", "arguments": {"content": "x"}, "namespace": "crm"}"#,
        r#"{"name": "save_memory", "arguments": {"content": "x"}, "toolset_name": "crm"}"#,
        r#"{"type": "server_tool_use", "name": "save_memory", "input": {"content": "x"}}"#,
        r#"{"type": 1, "name": "save_memory", "input": {"content": "x"}}"#,
        r#"{"id": 1, "name": "save_memory", "input": {"content": "x"}}"#,
        r#"{"id": "a\nb", "name": "save_memory", "input": {"content": "x"}}"#,
        r#"{"id": "", "name": "save_memory", "input": {"content": "x"}}"#,
    ] {
        assert_eq!(refused_text(text).code, Code::Schema, "{text}");
    }
    let id = "i".repeat(129);
    let text = json!({"id": id, "name": "list_memories"}).to_string();
    assert_eq!(refused_text(&text).code, Code::Schema);
}

#[test]
fn size_and_depth_are_bounded_quickly() {
    let started = Instant::now();
    let long = "x".repeat(10 << 20);
    let brackets = "[".repeat(10_000);
    let closed = format!("{brackets}{}", "]".repeat(10_000));
    let objects = format!("{}1{}", "{\"a\":".repeat(10_000), "}".repeat(10_000));
    for text in [
        long.clone(),
        " ".repeat(10 << 20),
        "[".repeat(10 << 20),
        json!({"name": "save_memory", "arguments": {"content": long}}).to_string(),
        brackets.clone(),
        closed.clone(),
        objects.clone(),
        format!(r#"{{"name": "save_memory", "arguments": {closed}}}"#),
        format!(r#"{{"name": "save_memory", "arguments": {{"content": "x", "value": {brackets}"#),
        json!({"name": "save_memory", "arguments": closed}).to_string(),
        json!({"name": "save_memory", "arguments": {"content": "x", "value": nested(16)}})
            .to_string(),
    ] {
        assert_eq!(refused_text(&text).code, Code::Limit, "{}", &text[..40]);
    }
    // `json!` would copy it by recursion.
    let mut deep = json!({"content": "x"});
    deep["value"] = nested(10_000);
    for arguments in [
        json!({"content": long}),
        json!({"content": "x", "value": nested(16)}),
        deep,
        json!({"content": "x", "value": vec![0; 1 << 20]}),
        json!({"content": "x", (long.as_str()): 1}),
        json!(long),
        json!(" ".repeat(10 << 20)),
        json!(brackets),
        json!(objects),
        json!(format!(r#"{{"content": "x", "value": {closed}}}"#)),
    ] {
        assert_eq!(refused("save_memory", &arguments).code, Code::Limit);
    }
    assert_eq!(refused(&long, &json!({})).code, Code::ToolName);
    assert!(
        started.elapsed() < Duration::from_secs(5),
        "bad input costs little"
    );
}

#[test]
fn the_deepest_arguments_are_read_in_every_wrapping() {
    let policy = Policy::default();
    let arguments = json!({"content": "x", "value": nested(15)});
    let encoded = Value::String(arguments.to_string());
    for call in [
        json!({"name": "save_memory", "arguments": arguments}),
        json!({"name": "save_memory", "arguments": encoded}),
        json!({"type": "function", "function": {"name": "save_memory", "arguments": arguments}}),
    ] {
        let call = parse_text(&policy, &call.to_string()).expect("a call");
        assert!(call.request(&policy, UtcOffset::UTC).is_ok());
    }
}
