//! Policies as JSON: strict reading, laying a partial policy over a preset, writing. What the values may
//! be is `validate`'s business.

use super::error::excerpt;
use super::{Policy, PolicyError};
use crate::strict;
use serde_json::{Map, Value};

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

/// Parses JSON, no field twice and nested no deeper than [`MAX_POLICY_DEPTH`].
pub(super) fn read(text: &str) -> Result<Value, PolicyError> {
    strict::json(text, MAX_POLICY_DEPTH).map_err(|problem| PolicyError::Json {
        problem: excerpt(&problem.message),
    })
}
