//! Reading a request strictly. Its errors say where and what is allowed, and quote no value: it may be
//! somebody's words.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::error::{Error, Result};
use crate::request::{REQUEST, Table};
use crate::strict::{self, JsonProblemKind};

/// How deep a request may be nested: a structured value may be deep, and limits of its own apply to it.
const DEEPEST: usize = 64;
/// How many fields a request has at most that is looked through for a wrong one. No entry of the tables has as many.
const MOST_FIELDS: usize = 32;
/// How much of an error's text is told.
const LONGEST_MESSAGE: usize = 1_000;

/// The fields of a request.
#[derive(Debug)]
pub(super) struct Fields(Map<String, Value>);

impl Fields {
    pub fn read(json: &str) -> Result<Self> {
        let value = strict::json(json, DEEPEST).map_err(|problem| match problem.kind {
            // The field may be one of a structured value, which is somebody's.
            JsonProblemKind::KeyTwice => invalid("a field is given twice"),
            _ => invalid(format_args!("it is not JSON: {}", problem.message)),
        })?;
        match value {
            Value::Object(fields) => Ok(Fields(fields)),
            _ => Err(invalid("a request is one JSON object")),
        }
    }

    /// Takes a field out, where it is there.
    pub fn take<T: DeserializeOwned>(&mut self, name: &'static str) -> Result<Option<T>> {
        self.0
            .remove(name)
            .map(|value| typed(&value, name))
            .transpose()
    }

    /// Which table it is from: exactly one of their names is a field.
    pub fn table(&self) -> Result<Table> {
        let tables = [
            ("command", Table::Command),
            ("query", Table::Query),
            ("request", Table::Request),
        ];
        let mut named = tables
            .into_iter()
            .filter(|(name, _)| self.0.contains_key(*name));
        match (named.next(), named.next()) {
            (Some((_, table)), None) => Ok(table),
            _ => Err(invalid(
                "a request has exactly one of the fields `command`, `query` and `request`",
            )),
        }
    }

    /// All fields, as an entry of the table of that name.
    pub fn typed<T: DeserializeOwned>(self, table: &'static str) -> Result<T> {
        typed(&Value::Object(self.0), table)
    }
}

/// A value as a type; `name` says where it stood.
pub(super) fn typed<T: DeserializeOwned>(value: &Value, name: &'static str) -> Result<T> {
    // To follow where it is read takes longer than to read it; few requests need it.
    T::deserialize(value)
        .or_else(|_| read(value))
        .map_err(|(path, told)| {
            let place = match path.as_str() {
                "." | "?" if told.starts_with("unknown field") => None,
                "." | "?" => wrong_field::<T>(value, name, &told),
                path => Some(path.to_owned()),
            };
            let told = without_values(&told);
            match place {
                Some(place) => invalid(format_args!("{name}: {place}: {told}")),
                None => invalid(format_args!("{name}: {told}")),
            }
        })
}

/// The type, or where it does not fit and why.
fn read<T: DeserializeOwned>(value: &Value) -> std::result::Result<T, (String, String)> {
    serde_path_to_error::deserialize(value)
        .map_err(|error| (error.path().to_string(), error.into_inner().to_string()))
}

/// Which field it is that does not fit, where reading does not tell: the one without which something else is wrong, or
/// nothing. A field that is missing is only missed when all others were read.
fn wrong_field<T: DeserializeOwned>(value: &Value, table: &str, told: &str) -> Option<String> {
    let fields = value
        .as_object()
        .filter(|fields| fields.len() <= MOST_FIELDS)?;
    let is_wrong = |name: &&String| {
        let mut others = fields.clone();
        others.remove(*name);
        match read::<T>(&Value::Object(others)) {
            Ok(_) => true,
            Err((_, other)) => other != told,
        }
    };
    let mut names = fields.keys();
    names
        .find(|name| *name != table && is_plain(name) && is_wrong(name))
        .cloned()
}

/// Whether a field's name is a word of ours, not somebody's.
fn is_plain(name: &str) -> bool {
    name.bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

fn invalid(message: impl std::fmt::Display) -> Error {
    let message = message.to_string();
    let told: String = message.chars().take(LONGEST_MESSAGE).collect();
    Error::invalid(REQUEST, told)
}

/// serde quotes the value that did not fit; what would have fitted is enough.
fn without_values(message: &str) -> String {
    if message.starts_with("UUID") {
        return "expected an id as it was given out".to_owned();
    }
    let quotes = ["invalid type", "invalid value", "unknown variant"];
    let names_a_word = message
        .strip_prefix("unknown field `")
        .and_then(|rest| rest.split_once('`'))
        .is_none_or(|(name, _)| is_plain(name));
    if names_a_word && !quotes.iter().any(|quote| message.starts_with(quote)) {
        return message.to_owned();
    }
    match message.rfind(", expected ") {
        Some(at) => format!("expected {}", &message[at + ", expected ".len()..]),
        None => "it does not fit".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::Command;

    fn refused(json: &str) -> String {
        let fields = Fields::read(json);
        let command = fields.and_then(|fields| {
            fields.table()?;
            fields.typed::<Command>("command")
        });
        command.unwrap_err().message().to_owned()
    }

    #[test]
    fn errors_say_where_and_what_is_allowed_and_quote_nothing() {
        for (json, part) in [
            ("", "it is not JSON"),
            ("[]", "one JSON object"),
            ("{}", "exactly one of the fields"),
            (
                r#"{"command":"save","query":"get"}"#,
                "exactly one of the fields",
            ),
            (r#"{"command":"WORDS"}"#, "expected one of `save`, `update`"),
            (
                r#"{"command":"save","content":["WORDS"]}"#,
                "content: expected a string",
            ),
            (
                r#"{"command":"save","content":"a","tags":"WORDS","importance":1}"#,
                "tags: expected a sequence",
            ),
            (
                r#"{"command":"save","importance":"WORDS, expected WORDS"}"#,
                "importance: expected f64",
            ),
            (r#"{"command":"save","more":1}"#, "unknown field `more`"),
            (r#"{"command":"save","content":"a","content":"b"}"#, "twice"),
            (r#"{"command":"update","content":"a"}"#, "`target`"),
            (r#"{"command":"save","MY WORDS":1}"#, "expected one of"),
            (r#"{"command":"reject","proposal":"WORDS"}"#, "an id"),
            (
                r#"{"command":"save","value":{"WORDS":1,"WORDS":2}}"#,
                "twice",
            ),
        ] {
            let told = refused(json);
            assert!(told.contains(part), "{json}: {told}");
            assert!(!told.contains("WORDS"), "{json}: {told}");
        }
        assert!(refused(&"[".repeat(10_000)).contains("nested more than"));
    }
}
