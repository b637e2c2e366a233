//! Calls that are right: every tool, every shape of a call, and what a model may leave out.

use serde_json::{Value, json};
use time::UtcOffset;

use super::super::arguments::{LinkArguments, ListArguments, RecallArguments};
use super::super::call::ToolCall;
use super::super::*;
use super::parse_in_utc;
use crate::command::Which;
use crate::ids::Number;
use crate::memory::Authority;
use crate::policy::{Policy, TimeToLive, Tool};
use crate::timestamp::Timestamp;

#[track_caller]
fn accepted(name: &str, arguments: Value) -> ToolRequest {
    let policy = Policy::default();
    let request = parse_in_utc(&policy, name, &arguments).expect("a good call");
    assert_eq!(policy.tool_name(request.tool()), name);
    let text = Value::String(arguments.to_string());
    assert_eq!(parse_in_utc(&policy, name, &text).as_ref(), Ok(&request));
    request
}

fn number(number: u64) -> Number {
    Number::new(number).expect("a number")
}

fn plain(content: &str) -> SaveArguments {
    SaveArguments {
        content: content.to_owned(),
        category: None,
        detail: None,
        domain: None,
        key: None,
        value: None,
        authority: None,
        since: None,
        time_to_live: None,
    }
}

fn full() -> (Value, SaveArguments) {
    let arguments = json!({
        "content": " Reads  on paper ", "category": "preference", "detail": "one\ntwo",
        "domain": "shopping", "key": "medium", "value": {"paper": [1, true]},
        "authority": "rule", "since": "2026-03-01", "ttl": "contextual",
    });
    let read = SaveArguments {
        content: " Reads  on paper ".to_owned(),
        category: Some("preference".to_owned()),
        detail: Some("one\ntwo".to_owned()),
        domain: Some("shopping".to_owned()),
        key: Some("medium".to_owned()),
        value: Some(json!({"paper": [1, true]})),
        authority: Some(Authority::Rule),
        since: Some(Timestamp::parse("2026-03-01T00:00:00Z").expect("a moment")),
        time_to_live: Some(TimeToLive::Contextual),
    };
    (arguments, read)
}

#[test]
fn saving() {
    let (arguments, read) = full();
    assert_eq!(accepted("save_memory", arguments), ToolRequest::Save(read));
    assert_eq!(
        accepted("save_memory", json!({"content": "x"})),
        ToolRequest::Save(plain("x"))
    );
    let nulls =
        json!({"content": "x", "category": null, "value": null, "since": null, "ttl": null});
    assert_eq!(
        accepted("save_memory", nulls),
        ToolRequest::Save(plain("x"))
    );
}

#[test]
fn updating() {
    let request = accepted(
        "update_memory",
        json!({"id_or_substring": "#12", "new_content": "x", "detail": "d",
            "since": "2026-03-01T11:30:00+02:00", "correction": true}),
    );
    let expected = UpdateArguments {
        target: Which::from("#12".to_owned()),
        new_content: "x".to_owned(),
        detail: Some("d".to_owned()),
        since: Some(Timestamp::parse("2026-03-01T09:30:00Z").expect("a moment")),
        correction: true,
    };
    assert_eq!(request, ToolRequest::Update(expected));
}

#[test]
fn targets_are_taken_as_they_are_written() {
    for (given, taken) in [
        (json!("#12"), "#12"),
        (json!("12"), "12"),
        (json!(12), "#12"),
        (json!(12.0), "#12"),
        (json!("%"), "%"),
        (json!("'; -- "), "'; -- "),
        (json!("İstanbul"), "İstanbul"),
    ] {
        let target = Which::from(taken.to_owned());
        let arguments = json!({"id_or_substring": given});
        assert_eq!(
            accepted("forget_memory", arguments.clone()),
            ToolRequest::Forget {
                target: target.clone()
            }
        );
        assert_eq!(
            accepted("confirm_memory", arguments),
            ToolRequest::Confirm { target }
        );
    }
}

#[test]
fn linking() {
    for (from, to) in [(json!("#3"), json!("12")), (json!(3), json!(12.0))] {
        assert_eq!(
            accepted(
                "link_memories",
                json!({"from_id": from, "to_id": to, "relation": "made_with_2"})
            ),
            ToolRequest::Link(LinkArguments {
                from: number(3),
                to: number(12),
                relation: "made_with_2".to_owned(),
            })
        );
    }
}

#[test]
fn listing_and_recalling() {
    let nothing = ListArguments {
        category: None,
        domain: None,
    };
    for none in [
        json!({}),
        Value::Null,
        json!(""),
        json!(" \n"),
        json!("null"),
    ] {
        assert_eq!(
            parse_in_utc(&Policy::default(), "list_memories", &none),
            Ok(ToolRequest::List(nothing.clone()))
        );
    }
    assert_eq!(
        accepted(
            "list_memories",
            json!({"category": "task", "domain": "food"})
        ),
        ToolRequest::List(ListArguments {
            category: Some("task".to_owned()),
            domain: Some("food".to_owned()),
        })
    );
    assert_eq!(
        accepted(
            "recall_memories",
            json!({"query": "\"", "limit": 100, "category": "fact"})
        ),
        ToolRequest::Recall(RecallArguments {
            query: "\"".to_owned(),
            limit: Some(100),
            category: Some("fact".to_owned()),
        })
    );
}

#[test]
fn proposing() {
    let (mut arguments, fact) = full();
    arguments["reasoning"] = json!("Said twice");
    arguments["evidence"] = json!("I read on paper");
    arguments["target"] = json!(7);
    assert_eq!(
        accepted("propose_memory", arguments),
        ToolRequest::Propose(ProposeArguments {
            fact,
            reasoning: "Said twice".to_owned(),
            evidence: Some("I read on paper".to_owned()),
            target: Some(Which::from("#7".to_owned())),
        })
    );
}

#[test]
fn whole_calls_in_every_shape() {
    let policy = Policy::default();
    for (text, id) in [
        (
            r#"{"name": "save_memory", "arguments": {"content": "x"}}"#,
            None,
        ),
        (
            r#"{"tool": "save_memory", "input": {"content": "x"}, "id": null}"#,
            None,
        ),
        (
            r#"{"function": "save_memory", "parameters": "{\"content\": \"x\"}"}"#,
            None,
        ),
        (
            r#"{"id": "call_1", "type": "function", "index": 0,
                "function": {"name": "save_memory", "arguments": "{\"content\":\"x\"}"}}"#,
            Some("call_1"),
        ),
        (
            r#"{"type": "tool_use", "id": "toolu_1", "name": "save_memory", "input": {"content": "x"}}"#,
            Some("toolu_1"),
        ),
        (
            r#"{"type": "function_call", "id": "fc_1", "call_id": "call_2", "status": "completed",
                "name": "save_memory", "arguments": "{\"content\": \"x\"}"}"#,
            Some("call_2"),
        ),
        (
            r#"{"type": "tool_use", "id": "toolu_2", "name": "save_memory", "input": {"content": "x"},
                "caller": {"type": "direct"}, "toolset_name": null}"#,
            Some("toolu_2"),
        ),
        (
            r#"{"type": "function_call", "id": "fc_2", "call_id": "call_3", "status": null,
                "caller": {"type": "program", "caller_id": "p_1"}, "namespace": null,
                "name": "save_memory", "arguments": "{\"content\": \"x\"}"}"#,
            Some("call_3"),
        ),
        (
            r#"{"id": "call_4", "type": "function", "function": {"name": "save_memory",
                "arguments": "{\"content\":\"x\"}", "parsed_arguments": null}}"#,
            Some("call_4"),
        ),
    ] {
        let call = parse_text(&policy, text).expect(text);
        assert_eq!(call.id.as_deref(), id, "{text}");
        assert_eq!(call.name, "save_memory");
        assert_eq!(
            call.request(&policy, UtcOffset::UTC),
            Ok(ToolRequest::Save(plain("x"))),
            "{text}"
        );
    }
    let bare: ToolCall = parse_text(&policy, r#"{"name": "list_memories"}"#).expect("a call");
    assert_eq!(
        bare.request(&policy, UtcOffset::UTC)
            .map(|request| request.tool()),
        Ok(Tool::List)
    );
}

#[test]
fn the_policy_decides_what_there_is() {
    let mut policy = Policy::advisor();
    policy.domains.clear();
    let refusal = parse_in_utc(&policy, "list_preferences", &json!({"domain": "food"}))
        .expect_err("no domains, no argument");
    assert_eq!(refusal.code, Code::Schema);
    assert!(parse_in_utc(&policy, "list_preferences", &json!({"category": "profile"})).is_ok());
    for (name, code) in [
        ("propose_preference", Code::ToolName),
        ("save_memory", Code::ToolName),
    ] {
        let refusal = parse_in_utc(&policy, name, &json!({"content": "x"})).expect_err(name);
        assert_eq!(refusal.code, code);
    }
    policy.limits.reply_depth = 1;
    assert!(
        parse_in_utc(
            &policy,
            "save_preference",
            &json!({"content": "x", "value": 1})
        )
        .is_ok()
    );
    let deep = parse_in_utc(
        &policy,
        "save_preference",
        &json!({"content": "x", "value": []}),
    );
    assert_eq!(deep.map_err(|refusal| refusal.code), Err(Code::Limit));
}
