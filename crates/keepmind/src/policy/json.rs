//! Policies as JSON: strict reading, laying a partial policy over a preset, writing. What the values may
//! be is `validate`'s business.

use super::error::excerpt;
use super::{Policy, PolicyError};
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::fmt;

/// The longest JSON text that [`Policy::from_json`] reads, in bytes.
pub const MAX_POLICY_BYTES: usize = 256 * 1024;
/// The deepest nesting that [`Policy::from_json`] reads: objects and lists inside each other.
pub const MAX_POLICY_DEPTH: usize = 16;

impl Policy {
    /// Reads what differs from a preset, and validates the result.
    ///
    /// The text is one JSON object. Its field `preset` names the base (the `default` preset when left
    /// out); every other field has the name and shape it has in this struct. Objects are merged field by
    /// field and lists are replaced whole (RFC 7396), so a host that wants one more category lists them
    /// all. `null` clears a field that may be empty. [`Policy::to_json`] shows a complete example.
    ///
    /// # Errors
    /// Anything unusual is refused: unknown fields, fields given twice, wrong types, values out of
    /// range. The error carries the field's path wherever a field is to blame.
    pub fn from_json(text: &str) -> Result<Self, PolicyError> {
        if text.len() > MAX_POLICY_BYTES {
            return Err(PolicyError::TooLarge {
                bytes: text.len(),
                limit: MAX_POLICY_BYTES,
            });
        }
        let Value::Object(mut patch) = read(text)? else {
            return Err(PolicyError::Json {
                problem: "a policy is one object, as in {\"preset\": \"advisor\"}".to_owned(),
            });
        };
        let base = match patch.remove("preset") {
            None => Self::default(),
            Some(Value::String(name)) => Self::preset(&name)?,
            Some(_) => {
                return Err(PolicyError::field(
                    "preset",
                    format!("must be one of: {}", Self::presets().join(", ")),
                ));
            }
        };
        let policy = overlay(&base, patch)?;
        policy.validate()?;
        Ok(policy)
    }

    /// The complete policy as indented JSON, every field present, in the order of this struct.
    ///
    /// [`Policy::from_json`] reads it back to an equal policy, provided this one passes
    /// [`Policy::validate`] (a number that is not finite has no JSON).
    #[must_use]
    pub fn to_json(&self) -> String {
        // Writing plain data with string keys into a string has no way to fail.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}

/// The base with the patch laid over it; not yet validated.
pub(super) fn overlay(base: &Policy, patch: Map<String, Value>) -> Result<Policy, PolicyError> {
    let mut whole = serde_json::to_value(base).map_err(|error| PolicyError::Json {
        problem: error.to_string(),
    })?;
    merge(&mut whole, Value::Object(patch));
    complete(&whole)
}

/// A complete policy from a value; not yet validated.
pub(super) fn complete(whole: &Value) -> Result<Policy, PolicyError> {
    serde_path_to_error::deserialize(whole).map_err(|error| {
        let problem = error.inner().to_string();
        let mut path = match error.path().to_string() {
            root if root == "." => String::new(),
            path => path,
        };
        // A missing field was never reached, so the tracked path ends at the object that lacks it.
        if let Some(field) = problem
            .strip_prefix("missing field `")
            .and_then(|rest| rest.strip_suffix('`'))
        {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(field);
            return PolicyError::field(path, "must be given, and cannot be null");
        }
        PolicyError::field(excerpt(&path), excerpt(&problem))
    })
}

/// RFC 7396. Recursion is as deep as the patch, which `read` bounds.
fn merge(target: &mut Value, patch: Value) {
    let Value::Object(patch) = patch else {
        *target = patch;
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    if let Value::Object(target) = target {
        for (key, value) in patch {
            if value.is_null() {
                target.remove(&key);
            } else {
                merge(target.entry(key).or_insert(Value::Null), value);
            }
        }
    }
}

/// Parses JSON, refusing what `serde_json` lets pass: a key given twice, where the last would silently
/// win, and nesting beyond [`MAX_POLICY_DEPTH`].
pub(super) fn read(text: &str) -> Result<Value, PolicyError> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    Strict { depth: 0 }
        .deserialize(&mut deserializer)
        .and_then(|value| deserializer.end().map(|()| value))
        .map_err(|error| PolicyError::Json {
            problem: excerpt(&error.to_string()),
        })
}

#[derive(Clone, Copy)]
struct Strict {
    depth: usize,
}

impl Strict {
    fn deeper<E: de::Error>(self) -> Result<Self, E> {
        if self.depth == MAX_POLICY_DEPTH {
            return Err(E::custom(format_args!(
                "nested more than {MAX_POLICY_DEPTH} deep"
            )));
        }
        Ok(Self {
            depth: self.depth + 1,
        })
    }
}

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let inside = self.deeper()?;
        let mut object = Map::new();
        while let Some(key) = access.next_key::<String>()? {
            if object.contains_key(&key) {
                return Err(de::Error::custom(format_args!(
                    "field `{}` is given twice",
                    excerpt(&key)
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
