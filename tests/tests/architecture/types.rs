//! Which plain data a type of the vocabulary is made of, followed through its structs and enums.

use std::collections::{BTreeMap, BTreeSet};

use crate::source::{File, Kind, Token, group};

/// What carries no text however deep one looks: numbers, containers, and the names made in `ids.rs`.
const HARMLESS: &[&str] = &[
    "BTreeMap",
    "BTreeSet",
    "Box",
    "GroupId",
    "MessageNumber",
    "Number",
    "ObservationId",
    "OperationId",
    "Option",
    "Origin",
    "RowId",
    "SessionId",
    "Uuid",
    "Vec",
    "Version",
    "bool",
    "f32",
    "f64",
    "i32",
    "i64",
    "u16",
    "u32",
    "u64",
];

/// Every field reached from a type that is neither harmless nor of a type the vocabulary defines:
/// `Type.field: Unknown`, in order.
pub fn text_reachable_from(root: &str, files: &[File]) -> Vec<String> {
    let defined = definitions(files);
    assert!(defined.contains_key(root), "the vocabulary defines {root}");
    let mut found = Vec::new();
    let mut seen = BTreeSet::from([root.to_owned()]);
    let mut waiting = vec![root.to_owned()];
    while let Some(name) = waiting.pop() {
        for (field, inner) in &defined[&name] {
            if HARMLESS.contains(&inner.as_str()) {
                continue;
            }
            if !defined.contains_key(inner) {
                found.push(format!("{name}.{field}: {inner}"));
            } else if seen.insert(inner.clone()) {
                waiting.push(inner.clone());
            }
        }
    }
    found.sort();
    found
}

/// The fields of every struct and enum of the vocabulary, whose files stand beside `lib.rs`: name, and each
/// word of its type. Two types of one name count as one with the fields of both.
fn definitions(files: &[File]) -> BTreeMap<String, Vec<(String, String)>> {
    let mut defined: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for file in files.iter().filter(|file| !file.path.contains('/')) {
        let code = file.code();
        for at in 0..code.len().saturating_sub(1) {
            let is_enum = code[at].is_word("enum");
            if (is_enum || code[at].is_word("struct")) && code[at + 1].kind == Kind::Word {
                let opens = |token: &Token| ["{", "(", ";"].iter().any(|mark| token.is_mark(mark));
                let Some(body) = code[at..].iter().position(opens) else {
                    continue;
                };
                let body = &code[at + body..];
                let fields = fields(&body[..group(body)], is_enum);
                defined
                    .entry(code[at + 1].text.clone())
                    .or_default()
                    .extend(fields);
            }
        }
    }
    defined
}

/// Fields of a body in its brackets. The first level of an enum holds its variants' names, not types.
fn fields(body: &[Token], is_enum: bool) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut field = String::new();
    let mut depth = 0;
    let mut at = 0;
    while at < body.len() {
        let here = &body[at];
        let next = body.get(at + 1);
        if here.is_mark("#") {
            at += 1 + group(&body[at + 1..]);
            continue;
        }
        match here.text.as_str() {
            "(" | "{" | "[" if here.kind == Kind::Mark => depth += 1,
            ")" | "}" | "]" if here.kind == Kind::Mark => depth -= 1,
            "pub" | "crate" | "super" | "dyn" => {}
            _ if here.kind != Kind::Word || next.is_some_and(|next| next.is_mark("::")) => {}
            _ if next.is_some_and(|next| next.is_mark(":")) => field.clone_from(&here.text),
            _ if is_enum && depth == 1 => field.clone_from(&here.text),
            _ => found.push((field.clone(), here.text.clone())),
        }
        at += 1;
    }
    found
}
