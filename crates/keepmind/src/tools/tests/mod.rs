//! Tests of the tools as a model meets them: definitions, calls in every shape, and bad input.

mod accepted;
mod bad_arguments;
mod bad_calls;
mod bad_text;
mod definitions;
mod properties;
mod samples;

use serde_json::Value;
use time::UtcOffset;

use super::*;
use crate::policy::{Policy, Tool};

/// What a call of a user whose day begins at midnight in UTC asks for.
fn parse_in_utc(policy: &Policy, name: &str, arguments: &Value) -> Result<ToolRequest, Refusal> {
    parse(policy, UtcOffset::UTC, name, arguments)
}

/// Why the default policy refuses the call. Holds every message to what is promised of all of them.
#[track_caller]
fn refused(name: &str, arguments: &Value) -> Refusal {
    well_said(parse_in_utc(&Policy::default(), name, arguments).expect_err("a refusal"))
}

/// Why the default policy refuses the text of a whole call.
#[track_caller]
fn refused_text(text: &str) -> Refusal {
    let policy = Policy::default();
    let read = parse_text(&policy, text).and_then(|call| call.request(&policy, UtcOffset::UTC));
    well_said(read.expect_err("a refusal"))
}

#[track_caller]
fn well_said(refusal: Refusal) -> Refusal {
    let message = &refusal.message;
    assert!(!message.is_empty());
    assert!(message.chars().count() <= 400, "{message}");
    assert!(!message.contains(['\n', '\r']), "{message}");
    assert!(refusal.candidates.is_empty());
    refusal
}

/// An array inside an array inside an array …, without recursion.
fn nested(depth: usize) -> Value {
    (1..depth).fold(Value::Array(Vec::new()), |inner, _| {
        Value::Array(vec![inner])
    })
}

impl super::ToolRequest {
    /// Which tool it is a call of.
    fn tool(&self) -> Tool {
        match self {
            ToolRequest::Save(_) => Tool::Save,
            ToolRequest::Update(_) => Tool::Update,
            ToolRequest::Forget { .. } => Tool::Forget,
            ToolRequest::Confirm { .. } => Tool::Confirm,
            ToolRequest::Link(_) => Tool::Link,
            ToolRequest::List(_) => Tool::List,
            ToolRequest::Recall(_) => Tool::Recall,
            ToolRequest::Propose(_) => Tool::Propose,
        }
    }
}
