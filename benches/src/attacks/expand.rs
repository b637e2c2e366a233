//! Long texts in short cases: tokens that stand for what a generator makes.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// Makes a text: `prefix`, `repeat` as often as `count` says, `mirror` as often, `suffix`.
///
/// With `rows`, a given row that holds the token stands for so many rows, each with its place in it;
/// elsewhere the token stands for so many lines.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Generator {
    repeat: String,
    count: Option<usize>,
    prefix: String,
    suffix: String,
    mirror: String,
    rows: Option<usize>,
}

/// What stands for the place of a generated row; without it, the place is added at the end.
const PLACE: &str = "{i}";

impl Generator {
    fn text(&self) -> String {
        let count = self.count.unwrap_or(1);
        let (body, mirror) = (self.repeat.repeat(count), self.mirror.repeat(count));
        format!("{}{body}{mirror}{}", self.prefix, self.suffix)
    }

    fn row(&self, place: usize) -> String {
        let text = self.text();
        match text.contains(PLACE) {
            true => text.replace(PLACE, &place.to_string()),
            false => format!("{} {place}", text.trim_end()),
        }
    }

    fn lines(&self) -> String {
        match self.rows {
            Some(rows) => (1..=rows)
                .map(|place| self.row(place))
                .collect::<Vec<_>>()
                .join("\n"),
            None => self.text(),
        }
    }
}

/// Replaces the tokens that the case's `expand` names, in all its strings.
pub fn expand(case: &mut Value) -> Result<(), String> {
    let Some(fields) = case.as_object_mut() else {
        return Err("a case is one JSON object".to_owned());
    };
    let Some(generators) = fields.remove("expand") else {
        return Ok(());
    };
    let generators: BTreeMap<String, Generator> =
        serde_json::from_value(generators).map_err(|error| format!("expand: {error}"))?;
    for (token, generator) in &generators {
        let mut found = false;
        if let (Some(rows), Some(Value::Array(given))) = (generator.rows, fields.get_mut("given")) {
            found |= multiply(given, token, generator, rows);
        }
        for value in fields.values_mut() {
            found |= replace(value, token, &generator.lines());
        }
        if !found {
            return Err(format!("expand: {token:?} stands nowhere"));
        }
    }
    Ok(())
}

/// Makes many rows of each one that holds the token.
fn multiply(given: &mut Vec<Value>, token: &str, generator: &Generator, rows: usize) -> bool {
    let mut found = false;
    let mut added = 0;
    for mut row in std::mem::take(given) {
        let number = row.get("n").and_then(Value::as_u64).map(|n| n + added);
        if !replace(&mut row.clone(), token, "") {
            if let Some(number) = number {
                row["n"] = number.into();
            }
            given.push(row);
            continue;
        }
        found = true;
        for place in 1..=rows {
            let mut copy = row.clone();
            replace(&mut copy, token, &generator.row(place));
            if place > 1
                && let Some(id) = row.get("id").and_then(Value::as_str)
            {
                copy["id"] = format!("{id}-{place}").into();
            }
            if let Some(number) = number {
                copy["n"] = (number + place as u64 - 1).into();
            }
            given.push(copy);
        }
        added += rows.saturating_sub(1) as u64;
    }
    found
}

/// Replaces a token in all strings of a value. True when it was there.
fn replace(value: &mut Value, token: &str, by: &str) -> bool {
    match value {
        Value::String(text) if text.contains(token) => {
            *text = text.replace(token, by);
            true
        }
        Value::Array(items) => {
            let found = items.iter_mut().map(|item| replace(item, token, by));
            found.filter(|found| *found).count() > 0
        }
        Value::Object(fields) => {
            let found = fields.values_mut().map(|field| replace(field, token, by));
            found.filter(|found| *found).count() > 0
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn expanded(mut case: Value) -> Value {
        expand(&mut case).unwrap();
        case
    }

    #[test]
    fn tokens_become_texts_everywhere() {
        let case = expanded(json!({
            "output": "{\"ops\":@D@}",
            "transcript": [{"text": "a @Z@ b @Z@"}],
            "expand": {
                "@D@": {"repeat": "[", "count": 3, "mirror": "]"},
                "@Z@": {"prefix": "e", "repeat": "x", "count": 2, "suffix": "!"},
            },
        }));
        assert_eq!(case["output"], "{\"ops\":[[[]]]}");
        assert_eq!(case["transcript"][0]["text"], "a exx! b exx!");
        assert!(case.get("expand").is_none());
    }

    #[test]
    fn a_given_row_becomes_many() {
        let case = expanded(json!({
            "given": [
                {"id": "first", "n": 1, "content": "User is deaf"},
                {"id": "many", "n": 2, "content": "User likes @R@"},
                {"id": "last", "n": 3, "content": "User is here"},
            ],
            "expand": {"@R@": {"repeat": "tea ", "count": 2, "rows": 3}},
        }));
        let given = case["given"].as_array().unwrap();
        let seen: Vec<(&str, u64, &str)> = given
            .iter()
            .map(|row| {
                let text = |name: &str| row[name].as_str().unwrap();
                (text("id"), row["n"].as_u64().unwrap(), text("content"))
            })
            .collect();
        assert_eq!(
            seen,
            [
                ("first", 1, "User is deaf"),
                ("many", 2, "User likes tea tea 1"),
                ("many-2", 3, "User likes tea tea 2"),
                ("many-3", 4, "User likes tea tea 3"),
                ("last", 5, "User is here"),
            ]
        );
    }

    #[test]
    fn rows_elsewhere_are_lines() {
        let case = expanded(json!({
            "output": "@R@",
            "expand": {"@R@": {"repeat": "row {i}", "rows": 2}},
        }));
        assert_eq!(case["output"], "row 1\nrow 2");
    }

    #[test]
    fn what_cannot_be_expanded_is_said() {
        for (expand, says) in [
            (json!({"@X@": {"repeat": "x"}}), "stands nowhere"),
            (json!({"@A@": {"repet": "x"}}), "repet"),
            (json!([]), "expand"),
        ] {
            let mut case = json!({"output": "@A@", "expand": expand});
            let wrong = super::expand(&mut case).unwrap_err();
            assert!(wrong.contains(says), "{wrong}");
        }
    }
}
