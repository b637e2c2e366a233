//! A memory's words as a model is shown them, in the block and in tools' answers alike.

use std::borrow::Cow;

use serde_json::Value;

use crate::inject::escape;
use crate::inject::mark::Mark;
use crate::memory::Authority;
use crate::policy::BlockStyle;
use crate::row::MemoryRow;

/// A text as one line that cannot be read as anything but a text.
pub(crate) fn text(text: &str) -> String {
    escape::words(text)
}

/// The line that a block of this style has for a row; nothing if it has nothing to show. Never the body.
pub(crate) fn line(row: &MemoryRow, style: BlockStyle) -> Option<String> {
    escape::line(&words(row, style), &Mark::of(row, style))
}

/// The line for a text that says what several rows say: tentative as soon as one of them is.
pub(crate) fn joined(text: &str, rows: &[&MemoryRow]) -> String {
    let mark = Mark {
        is_tentative: rows.iter().any(|row| Mark::is_tentative(row)),
        ..Mark::default()
    };
    escape::line(text, &mark).unwrap_or_default()
}

/// Every line that a row may have been served as, without marks: the policy of the engine that served it may
/// have been another.
pub(crate) fn lines(row: &MemoryRow) -> Vec<String> {
    let styles = [BlockStyle::Advisor, BlockStyle::Assistant];
    let shown = styles.into_iter().filter_map(|style| line(row, style));
    let shown = shown.map(|line| unmarked(&line).to_owned());
    let content = escape::line(&row.body.claim.content, &Mark::default());
    shown.chain(content).collect()
}

/// A line without what marks how sure it is: the same memory is marked otherwise once it is confirmed.
pub(crate) fn unmarked(line: &str) -> &str {
    match Mark::at_end_of(line) {
        Some((end, _)) => &line[..end],
        None => line,
    }
}

/// What a row says: its summary or else its content. The assistant's block tells what a rule is about, and
/// the value of its key: `[food] exclude_ingredients: shellfish, peanuts`.
pub(super) fn words(row: &MemoryRow, style: BlockStyle) -> Cow<'_, str> {
    let claim = &row.body.claim;
    let plain = claim.summary.as_deref().unwrap_or(&claim.content);
    if style != BlockStyle::Assistant || claim.authority != Authority::Rule {
        return Cow::Borrowed(plain);
    }
    let value = claim.value.as_ref().map(readable);
    let value = value.filter(|value| !value.is_empty());
    let said = match (&claim.summary, &claim.key) {
        (None, Some(key)) => Cow::Owned(format!("{key}: {}", value.as_deref().unwrap_or(plain))),
        _ => Cow::Borrowed(plain),
    };
    match &claim.domain {
        Some(domain) => Cow::Owned(format!("[{domain}] {said}")),
        None => said,
    }
}

/// A JSON value as a person would write it: lists with commas, objects as `name: value`.
fn readable(value: &Value) -> String {
    let nested = |value: &Value| match value {
        Value::Array(_) | Value::Object(_) => format!("({})", readable(value)),
        _ => readable(value),
    };
    match value {
        Value::Null => "none".to_owned(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(nested).collect::<Vec<_>>().join(", "),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, field)| format!("{name}: {}", nested(field)))
            .collect::<Vec<_>>()
            .join(", "),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_readable() {
        for (value, expected) in [
            (json!("16:00"), "16:00"),
            (json!(["shellfish", "peanuts"]), "shellfish, peanuts"),
            (json!(30), "30"),
            (json!(true), "yes"),
            (
                json!({"from": 9, "days": ["Mon", "Tue"]}),
                "days: (Mon, Tue), from: 9",
            ),
            (json!([[1, 2], {"a": null}]), "(1, 2), (a: none)"),
            (json!([]), ""),
        ] {
            assert_eq!(readable(&value), expected);
        }
    }
}
