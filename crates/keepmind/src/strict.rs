//! Reading strictly where serde alone would not. What the fields mean is with their types.

use std::cell::Cell;
use std::fmt;

use serde::de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

/// Reads a variant without fields, and refuses any field beside its tag: serde ignores them there.
pub(crate) fn no_fields<'de, D: Deserializer<'de>>(deserializer: D) -> Result<(), D::Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Nothing {}
    Nothing::deserialize(deserializer).map(|Nothing {}| ())
}

/// Why a text is not the JSON that [`json`] reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JsonProblem {
    /// What kind of problem.
    pub kind: JsonProblemKind,
    /// What is wrong, with line and column. May quote a key of the text, cut to a readable length.
    pub message: String,
}

/// What can be wrong with a text that should be JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JsonProblemKind {
    /// It is not JSON.
    Syntax,
    /// A number is beyond what a float can hold.
    NumberTooLarge,
    /// An object has one key twice, where the last would silently win.
    KeyTwice,
    /// Objects and lists are inside each other further than was asked for.
    TooDeep,
}

/// Parses JSON, refusing what `serde_json` lets pass: a key given twice, and nesting beyond `deepest`.
///
/// Depth is checked on the way down, so what is nested without end costs nothing. A caller bounds the
/// length of the text.
pub(crate) fn json(text: &str, deepest: usize) -> Result<Value, JsonProblem> {
    let found = Cell::new(JsonProblemKind::Syntax);
    let mut deserializer = serde_json::Deserializer::from_str(text);
    Reader {
        left: deepest,
        deepest,
        found: &found,
    }
    .deserialize(&mut deserializer)
    .and_then(|value| deserializer.end().map(|()| value))
    .map_err(|error| {
        let message = error.to_string();
        let kind = match found.get() {
            JsonProblemKind::Syntax if message.starts_with("number out of range") => {
                JsonProblemKind::NumberTooLarge
            }
            kind => kind,
        };
        JsonProblem { kind, message }
    })
}

#[derive(Clone, Copy)]
struct Reader<'a> {
    left: usize,
    deepest: usize,
    /// What the reader itself objected to: serde's error has room for a message only.
    found: &'a Cell<JsonProblemKind>,
}

impl Reader<'_> {
    fn deeper<E: de::Error>(self) -> Result<Self, E> {
        match self.left.checked_sub(1) {
            Some(left) => Ok(Self { left, ..self }),
            None => {
                self.found.set(JsonProblemKind::TooDeep);
                Err(E::custom(format_args!(
                    "nested more than {} deep",
                    self.deepest
                )))
            }
        }
    }
}

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        const LONGEST_KEY: usize = 200;
        let inside = self.deeper()?;
        let mut object = Map::new();
        while let Some(key) = access.next_key::<String>()? {
            if object.contains_key(&key) {
                self.found.set(JsonProblemKind::KeyTwice);
                let key: String = key.chars().take(LONGEST_KEY).collect();
                return Err(de::Error::custom(format_args!(
                    "field `{key}` is given twice"
                )));
            }
            object.insert(key, access.next_value_seed(inside)?);
        }
        Ok(Value::Object(object))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let inside = self.deeper()?;
        let mut list = Vec::new();
        while let Some(value) = access.next_element_seed(inside)? {
            list.push(value);
        }
        Ok(Value::Array(list))
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_read_as_serde_json_reads_it() {
        for text in [
            "null",
            r#" {"a": [1, -2, 2.5, 1e3, "\u00e9", true, null, {}], "b": {"c": [[]]}} "#,
            "18446744073709551615",
            "123456789012345678901234567890",
        ] {
            assert_eq!(json(text, 4), Ok(serde_json::from_str(text).unwrap()));
        }
    }

    #[test]
    fn what_serde_json_lets_pass_is_refused() {
        use JsonProblemKind::{KeyTwice, NumberTooLarge, Syntax, TooDeep};
        let endless = "[".repeat(10_000);
        for (text, kind) in [
            ("", Syntax),
            ("{", Syntax),
            ("{} {}", Syntax),
            ("NaN", Syntax),
            ("[Infinity]", Syntax),
            ("{'a': 1}", Syntax),
            (r#""\ud800""#, Syntax),
            ("\u{feff}{}", Syntax),
            ("1e999", NumberTooLarge),
            (r#"{"a": 1, "a": 1}"#, KeyTwice),
            (r#"{"a": 1, "\u0061": 1}"#, KeyTwice),
            (r#"[{"b": {"a": 1, "a": 2}}]"#, KeyTwice),
            ("[[[[]]]]", TooDeep),
            (r#"{"a": {"a": {"a": {}}}}"#, TooDeep),
            (endless.as_str(), TooDeep),
        ] {
            assert_eq!(json(text, 3).map_err(|problem| problem.kind), Err(kind));
        }
        assert!(json("1", 0).is_ok());
        assert!(json("[[[]]]", 3).is_ok());
    }
}
