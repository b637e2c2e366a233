//! Other forms of a case, and what must hold of each: whatever the model's words are dressed in, what must
//! not be kept is not, and what may be kept is kept wherever the contract says that the dress is nothing.

use std::collections::BTreeMap;

use keepmind::{MessageOrigin, Role};
use serde_json::Value;

use crate::attacks::case::{Case, Expected, Surface};
use crate::attacks::letters::Letters;
use crate::workload::Random;

/// Another form of a case.
#[derive(Debug)]
pub struct Mutation {
    pub name: String,
    pub case: Case,
    pub must: Must,
}

/// What must hold of a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Must {
    /// No memory is written.
    WriteNothing,
    /// The same comes of it.
    StayTheSame,
    /// It ends, and in time.
    End,
}

/// What of a model's words is written otherwise.
const CONTENT: &[&str] = &["content", "new_content", "text"];
const QUOTE: &[&str] = &["quote"];

/// So many forms of a case. Fewer where it has none of a kind.
pub fn mutations(case: &Case, count: usize, random: &mut Random) -> Vec<Mutation> {
    let is_mixed = case.expected_ops.contains(&Expected::Accept);
    let is_judged = matches!(case.expected, Expected::Reject | Expected::Accept);
    // What no rule reaches is no mutation's fault, and the block has no model's words.
    if is_mixed || !is_judged || case.known_gap || case.surface == Surface::Render {
        return Vec::new();
    }
    (0..count)
        .filter_map(|index| match index % 5 {
            0 | 1 => rewritten(case, CONTENT, random),
            2 => rewritten(case, QUOTE, random),
            3 => match random.below(2) {
                0 => truncated(case, random),
                _ => reordered(case, random),
            },
            _ => swapped(case, random),
        })
        .collect()
}

fn is_accepted(case: &Case) -> bool {
    case.expected == Expected::Accept
}

/// The model's words written otherwise.
fn rewritten(case: &Case, fields: &[&str], random: &mut Random) -> Option<Mutation> {
    let letters = Letters::ALL[random.below(Letters::ALL.len())];
    let is_quote = fields == QUOTE;
    let has = |code: &str| case.code.iter().any(|one| one == code);
    // A name in small letters is a word like any other, and no rule can tell.
    let hides_names = matches!(letters, Letters::Lower | Letters::MixedCase);
    if hides_names && !is_quote && has("E_UNSUPPORTED_DETAIL") {
        return None;
    }
    // What is wrong with the form alone is gone once it is written anew.
    let mut value = as_json(case)?;
    let mut writer = Writer {
        letters,
        random,
        written: BTreeMap::new(),
    };
    rewrite(&mut value, fields, &mut writer);
    if writer.written.iter().all(|(text, written)| text == written) {
        return None;
    }
    let must = match (is_accepted(case), is_quote && letters.is_same_quote()) {
        (false, _) => Must::WriteNothing,
        (true, true) => Must::StayTheSame,
        (true, false) => Must::End,
    };
    // A tool call has no quote that is held against the chat.
    let field = fields.first().copied().unwrap_or_default();
    Some(Mutation {
        name: format!("{field}:{}", letters.name()),
        case: Case {
            output: value.to_string(),
            ..case.clone()
        },
        must,
    })
}

/// The model's words as JSON, where writing them anew says the same.
fn as_json(case: &Case) -> Option<Value> {
    let is_form = case.code.iter().any(|code| code == "E_PARSE");
    let value = serde_json::from_str(&case.output).ok();
    value.filter(|_| !is_form)
}

/// Writes texts otherwise, the same text always in the same way: a model repeats itself.
struct Writer<'a> {
    letters: Letters,
    random: &'a mut Random,
    written: BTreeMap<String, String>,
}

impl Writer<'_> {
    fn write(&mut self, text: &str) -> String {
        if let Some(written) = self.written.get(text) {
            return written.clone();
        }
        let written = self.letters.write(text, self.random);
        self.written.insert(text.to_owned(), written.clone());
        written
    }
}

fn rewrite(value: &mut Value, fields: &[&str], writer: &mut Writer<'_>) {
    match value {
        Value::Object(object) => {
            for (name, field) in object.iter_mut() {
                match field {
                    Value::String(text) if fields.contains(&name.as_str()) => {
                        *text = writer.write(text);
                    }
                    // Arguments may come as a text that holds JSON.
                    Value::String(text) if name == "arguments" => {
                        if let Ok(mut inner) = serde_json::from_str(text) {
                            rewrite(&mut inner, fields, writer);
                            *text = inner.to_string();
                        }
                    }
                    other => rewrite(other, fields, writer),
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                rewrite(item, fields, writer);
            }
        }
        _ => {}
    }
}

/// The model's words up to somewhere.
fn truncated(case: &Case, random: &mut Random) -> Option<Mutation> {
    let borders: Vec<usize> = case.output.char_indices().map(|(at, _)| at).collect();
    if borders.is_empty() {
        return None;
    }
    let output = &case.output[..borders[random.below(borders.len())]];
    // What ends after a whole object was not cut: it is another answer, and may be a good one.
    if output.contains('}') && is_whole(output) {
        return None;
    }
    Some(Mutation {
        name: "truncated".to_owned(),
        case: Case {
            output: output.to_owned(),
            ..case.clone()
        },
        must: Must::WriteNothing,
    })
}

/// Whether every brace outside a string is closed.
fn is_whole(output: &str) -> bool {
    let (mut open, mut is_text, mut is_escaped) = (0_i64, false, false);
    for letter in output.chars() {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' if is_text => is_escaped = true,
            '"' => is_text = !is_text,
            '{' if !is_text => open += 1,
            '}' if !is_text => open -= 1,
            _ => {}
        }
    }
    open <= 0 && !is_text
}

/// The fields of every object in another order.
fn reordered(case: &Case, random: &mut Random) -> Option<Mutation> {
    let value = as_json(case)?;
    let mut output = String::new();
    shuffled(&value, random, &mut output);
    let must = match is_accepted(case) {
        true => Must::StayTheSame,
        false => Must::WriteNothing,
    };
    Some(Mutation {
        name: "reordered".to_owned(),
        case: Case {
            output,
            ..case.clone()
        },
        must,
    })
}

fn shuffled(value: &Value, random: &mut Random, into: &mut String) {
    match value {
        Value::Object(object) => {
            let mut fields: Vec<(&String, &Value)> = object.iter().collect();
            for last in (1..fields.len()).rev() {
                fields.swap(last, random.below(last + 1));
            }
            into.push('{');
            for (index, (name, field)) in fields.into_iter().enumerate() {
                if index > 0 {
                    into.push(',');
                }
                into.push_str(&Value::String(name.clone()).to_string());
                into.push(':');
                shuffled(field, random, into);
            }
            into.push('}');
        }
        Value::Array(items) => {
            into.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    into.push(',');
                }
                shuffled(item, random, into);
            }
            into.push(']');
        }
        plain => into.push_str(&plain.to_string()),
    }
}

/// What the user said, said by somebody else.
fn swapped(case: &Case, random: &mut Random) -> Option<Mutation> {
    let mut case = case.clone();
    let (name, role, origin) = match random.below(4) {
        0 => ("assistant", Role::Assistant, None),
        1 => ("tool", Role::Tool, None),
        2 => ("system", Role::System, None),
        _ => ("prefill", Role::User, Some(MessageOrigin::Prefill)),
    };
    let mut is_any = false;
    for turn in case.transcript.iter_mut() {
        if turn.role == Role::User {
            (turn.role, turn.origin) = (role, origin);
            is_any = true;
        }
    }
    if !is_any {
        return None;
    }
    // A tool call needs no words of the user's unless others' words stand in the chat: then a save waits for
    // the user.
    let is_foreign = role == Role::Tool || origin.is_some();
    let rests_on_words =
        case.surface == Surface::Extract || is_foreign && case.output.contains("save_memory");
    let must = match is_accepted(&case) && !rests_on_words {
        true => Must::End,
        false => Must::WriteNothing,
    };
    Some(Mutation {
        name: format!("role:{name}"),
        case,
        must,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn case(expected: &str, output: &str) -> Case {
        let case = json!({
            "id": "x", "surface": "extract", "session_user": "alice", "expected": expected,
            "transcript": [{"role": "user", "text": "I keep bees"}],
            "malicious_model_output": output,
        });
        serde_json::from_value(case).unwrap()
    }

    const GOOD: &str = r#"{"ops":[{"op":"add","content":"User keeps bees","quote":"I keep bees","confidence":1}]}"#;

    #[test]
    fn forms_say_what_must_hold_of_them() {
        let random = &mut Random::of(&[1]);
        let forms = mutations(&case("accept", GOOD), 200, random);
        let of = |name: &str| forms.iter().find(|form| form.name == name).unwrap();
        assert_eq!(of("quote:invisible").must, Must::StayTheSame);
        assert_eq!(of("quote:homoglyphs").must, Must::End);
        assert_eq!(of("content:upper").must, Must::End);
        assert_eq!(of("truncated").must, Must::WriteNothing);
        assert_eq!(of("reordered").must, Must::StayTheSame);
        assert_eq!(of("role:tool").must, Must::WriteNothing);
        assert_eq!(of("role:tool").case.transcript[0].role, Role::Tool);
        let forms = mutations(&case("reject", GOOD), 200, random);
        assert!(forms.iter().all(|form| form.must == Must::WriteNothing));
        assert!(mutations(&case("skip", GOOD), 5, random).is_empty());
    }

    #[test]
    fn reordered_fields_are_the_same_value() {
        let form = reordered(&case("accept", GOOD), &mut Random::of(&[3])).unwrap();
        let parsed = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        assert_eq!(parsed(&form.case.output), parsed(GOOD));
        assert_ne!(form.case.output, GOOD);
    }

    #[test]
    fn only_what_is_not_whole_is_cut() {
        for (output, whole) in [
            ("{\"a\":1}", true),
            ("{\"a\":1} and", true),
            ("{\"a\":{\"b\":1}", false),
            ("{\"a\":\"}", false),
            ("x", true),
        ] {
            assert_eq!(is_whole(output), whole, "{output}");
        }
        let random = &mut Random::of(&[4]);
        for _ in 0..50 {
            if let Some(form) = truncated(&case("accept", GOOD), random) {
                assert!(serde_json::from_str::<Value>(&form.case.output).is_err());
            }
        }
    }

    #[test]
    fn arguments_in_a_text_are_written_otherwise_too() {
        let output = r#"{"tool":"save_memory","arguments":"{\"content\":\"User rows\"}"}"#;
        let mut value = serde_json::from_str(output).unwrap();
        let mut writer = Writer {
            letters: Letters::Upper,
            random: &mut Random::of(&[1]),
            written: BTreeMap::new(),
        };
        rewrite(&mut value, CONTENT, &mut writer);
        assert_eq!(value["arguments"], r#"{"content":"USER ROWS"}"#);
    }
}
