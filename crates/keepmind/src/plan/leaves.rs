//! Structured values as texts to be looked through: what may not be kept can be wrapped in one.

use serde_json::Value;

use crate::policy::Policy;
use crate::text::{self, Reading};

/// A longer one, in bytes, names nothing: it is looked through by itself, and not again with every leaf below it.
const LONGEST_NAME: usize = 128;
/// How many bytes of leaves with their names are looked through.
const MOST_TEXT: usize = 1 << 18;

/// A text of a value that is to be looked through.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Leaf {
    pub text: String,
    /// It stands with a name above its own: it can be a secret by that, and is no sentence.
    pub is_wrapped: bool,
}

/// What a value says: every name, and every leaf by itself, with the name that it stands under, and with those above.
/// `password: x` is a secret where `x` is none, however deep it is wrapped. Nothing where that would be too much: many
/// leaves under many names.
pub(super) fn leaves(key: &str, value: &Value) -> Option<Vec<Leaf>> {
    let mut found = Vec::new();
    let mut room = MOST_TEXT;
    let mut put = |text: String, is_wrapped: bool| {
        room = room.checked_sub(text.len())?;
        found.push(Leaf { text, is_wrapped });
        Some(())
    };
    // Each name with the one that it stands under.
    let mut names: Vec<(&str, Option<usize>)> = vec![(key, None)];
    let mut waiting = vec![(0, value)];
    while let Some((under, value)) = waiting.pop() {
        let leaf = match value {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            Value::Null | Value::Bool(_) => continue,
            Value::Array(items) => {
                waiting.extend(items.iter().map(|item| (under, item)));
                continue;
            }
            Value::Object(fields) => {
                for (name, field) in fields {
                    names.push((name, Some(under)));
                    waiting.push((names.len() - 1, field));
                    put(name.clone(), false)?;
                }
                continue;
            }
        };
        // Words and counts are said of anything; what is both letters and digits may be a secret of whatever it is in.
        let is_token = leaf.contains(char::is_alphabetic) && leaf.contains(char::is_numeric);
        let mut named = names.get(under);
        let mut is_wrapped = false;
        while let Some((name, above)) = named {
            if (1..=LONGEST_NAME).contains(&name.len()) && (is_token || !is_wrapped) {
                put(format!("{name}: {leaf}"), is_wrapped)?;
            }
            is_wrapped = true;
            named = above.and_then(|place| names.get(place));
        }
        put(leaf, false)?;
    }
    Some(found)
}

/// Whether arguments of a call hold what may not even be recorded: a secret and, where nobody has looked through them
/// yet, what needs consent. Too much to look through counts as well.
pub(crate) fn is_private(arguments: &Value, is_unread: bool, policy: &Policy) -> bool {
    let needs_consent = |reading: &Reading| {
        let topics = reading.topics();
        topics.iter().any(|name| policy.needs_consent(name))
    };
    let may_not_be_kept = |leaf: &Leaf| {
        let cleaned = text::passage(&leaf.text);
        let reading = Reading::of(cleaned.as_ref().unwrap_or(&leaf.text));
        reading.secret().is_some() || (is_unread && needs_consent(&reading))
    };
    // A content may be a secret by the key that it was to be kept under, or by the words beside it.
    let key = arguments["key"].as_str().unwrap_or_default();
    text::secret(&arguments.to_string()).is_some()
        || leaves(key, arguments).is_none_or(|leaves| leaves.iter().any(may_not_be_kept))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leaf_stands_under_all_its_names() {
        let value = serde_json::json!({"v": [{"w": "x1"}, 7], "yes": true, "none": null});
        let mut found = leaves("k", &value).unwrap();
        found.sort();
        let told: Vec<(&str, bool)> = found
            .iter()
            .map(|leaf| (leaf.text.as_str(), leaf.is_wrapped))
            .collect();
        let (alone, wrapped) = (false, true);
        assert_eq!(
            told,
            [
                ("7", alone),
                ("k: x1", wrapped),
                ("none", alone),
                ("v", alone),
                ("v: 7", alone),
                ("v: x1", wrapped),
                ("w", alone),
                ("w: x1", alone),
                ("x1", alone),
                ("yes", alone),
            ]
        );
        let many = serde_json::json!(vec!["x1"; 10_000]);
        let deep = (0..8).fold(many.clone(), |inner, _| serde_json::json!({"name": inner}));
        assert!(leaves("key", &many).is_some());
        assert_eq!(leaves("key", &deep), None);
    }
}
