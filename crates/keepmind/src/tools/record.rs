//! What of a call goes into its record: names, ids and arguments of a size that can be kept.

use serde_json::Value;

use crate::change::limits;
use crate::strict;
use crate::text;

/// How much of a call's arguments is recorded, in bytes of JSON.
const ARGUMENT_BYTES: usize = 64 << 10;
/// How deep recorded arguments nest.
const ARGUMENT_DEPTH: usize = 16;
/// How much of a tool's name that is none is recorded.
const NAME_CHARACTERS: usize = 64;

/// Room for a count after a call's id: some models give several calls the same.
const COUNT_CHARACTERS: usize = 8;

/// A call's id, where it is one that can be kept.
pub(crate) fn call_id(given: Option<&str>) -> Option<String> {
    let cleaned = text::line(given?).ok()?;
    text::limit(&cleaned, limits::NAME_CHARS - COUNT_CHARACTERS).ok()?;
    Some(cleaned)
}

/// A tool's name as it can be kept, whatever the model wrote.
pub(crate) fn plain_name(given: &str) -> String {
    let end = given.char_indices().nth(NAME_CHARACTERS);
    let start = &given[..end.map_or(given.len(), |(end, _)| end)];
    text::line(start).unwrap_or_else(|_| "?".to_owned())
}

/// A call's arguments, decoded once where they are JSON in a string, or nothing where they are too
/// large or too deep to keep.
pub(crate) fn recorded_arguments(given: &Value) -> Value {
    if let Value::String(text) = given
        && text.len() <= ARGUMENT_BYTES
        && let Ok(decoded) = strict::json(text, ARGUMENT_DEPTH)
        && decoded.is_object()
    {
        return recorded_arguments(&decoded);
    }
    let fits = is_small(given, ARGUMENT_DEPTH, &mut ARGUMENT_BYTES.clone());
    match fits {
        true => text::storable_value(given.clone()).unwrap_or_default(),
        false => Value::Null,
    }
}

fn is_small(value: &Value, depth: usize, room: &mut usize) -> bool {
    let size = match value {
        Value::String(text) => text.len() + 2,
        _ => 8,
    };
    if depth == 0 || *room < size {
        return false;
    }
    *room -= size;
    match value {
        Value::Array(items) => items.iter().all(|item| is_small(item, depth - 1, room)),
        Value::Object(fields) => fields.iter().all(|(name, field)| {
            let is_room = *room >= name.len();
            *room = room.saturating_sub(name.len());
            is_room && is_small(field, depth - 1, room)
        }),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_recorded_is_bounded() {
        assert_eq!(
            recorded_arguments(&json!({"a": ["e\u{301}\0", 1]})),
            json!({"a": ["é ", 1]})
        );
        assert_eq!(
            recorded_arguments(&json!("x".repeat(ARGUMENT_BYTES))),
            Value::Null
        );
        assert_eq!(recorded_arguments(&json!("{\"a\": 1}")), json!({"a": 1}));
        let deep = (0..20).fold(json!(1), |inner, _| json!([inner]));
        assert_eq!(recorded_arguments(&deep), Value::Null);
        assert_eq!(call_id(Some(" call_1 ")).as_deref(), Some("call_1"));
        assert_eq!(call_id(Some(&"x".repeat(500))), None);
        assert_eq!(plain_name("a\u{202e}b"), "?");
        assert_eq!(plain_name(&"n".repeat(500)).len(), NAME_CHARACTERS);
    }
}
