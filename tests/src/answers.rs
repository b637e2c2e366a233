//! What a scripted model answers when it is asked what is worth remembering.

use keepmind::testing::{Scripted, ScriptedModel};
use serde_json::{Value, json};

/// Something new.
pub fn add(content: &str, quote: &str) -> Value {
    json!({"op": "add", "content": content, "quote": quote, "confidence": 0.9})
}

/// Another version of a memory.
pub fn update(id: u64, content: &str, quote: &str) -> Value {
    json!({"op": "update", "id": id, "content": content, "quote": quote, "confidence": 0.9})
}

/// A memory was said again.
pub fn confirm(id: u64, quote: &str) -> Value {
    json!({"op": "confirm", "id": id, "quote": quote})
}

/// The operation with one more field.
pub fn with(mut operation: Value, field: &str, value: impl Into<Value>) -> Value {
    operation[field] = value.into();
    operation
}

/// A whole answer.
pub fn answer(operations: impl IntoIterator<Item = Value>) -> String {
    let operations: Vec<Value> = operations.into_iter().collect();
    json!({ "ops": operations }).to_string()
}

/// A model that gives these answers, one after another.
pub fn answers(texts: impl IntoIterator<Item = String>) -> ScriptedModel {
    ScriptedModel::new(texts.into_iter().map(Scripted::Answers))
}
