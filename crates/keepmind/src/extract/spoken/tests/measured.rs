//! Measures the extractor on labelled utterances, which are kept outside the project:
//! `KEEPMIND_UTTERANCES=cases.jsonl KEEPMIND_KEPT=kept.jsonl cargo test -p keepmind --lib measured -- --ignored`.

use serde_json::{Value, json};

use super::{Role, Said, Statement, chat, is_negated, quote, statements};
use crate::text::terms;

#[test]
#[ignore = "needs the paths of labelled utterances and of what to write"]
fn what_is_kept_of_labelled_utterances() {
    let cases = std::env::var("KEEPMIND_UTTERANCES").unwrap();
    let mut kept = String::new();
    for line in std::fs::read_to_string(cases).unwrap().split('\n') {
        if line.trim().is_empty() {
            continue;
        }
        let case: Value = serde_json::from_str(line).unwrap();
        let turns = case["turns"].as_array().unwrap();
        let said: Vec<(Role, &str)> = turns
            .iter()
            .map(|turn| {
                let role = if turn["role"] == "user" {
                    Role::User
                } else {
                    Role::Assistant
                };
                (role, turn["text"].as_str().unwrap())
            })
            .collect();
        for statement in statements(&chat(&said)) {
            // A wish to forget is a proposal, and no operation.
            if statement.wants_forgotten {
                continue;
            }
            let (operation, number) = operation(&statement, &case["given"]);
            let quote = quote(&statement, said[statement.message.get() as usize - 1].1);
            let line = json!({
                "id": case["id"], "op": operation, "n": number, "content": statement.content, "quote": quote,
            });
            kept.push_str(&format!("{line}\n"));
        }
    }
    std::fs::write(std::env::var("KEEPMIND_KEPT").unwrap(), kept).unwrap();
}

/// What a statement does to the rows that are given, roughly as reconciling will: a row that it holds
/// entirely is confirmed, a correction changes the row nearest to it.
fn operation(statement: &Statement, given: &Value) -> (&'static str, Option<u64>) {
    let words = |text: &str| -> Vec<String> {
        let own = |term: &String| !["user", "is", "has"].contains(&term.as_str());
        terms(text).into_iter().filter(own).collect()
    };
    let said = words(&statement.content);
    let mut nearest: Option<(usize, u64)> = None;
    for row in given.as_array().into_iter().flatten() {
        let (content, number) = (row["content"].as_str().unwrap(), row["n"].as_u64().unwrap());
        let known = words(content);
        let shared = known.iter().filter(|word| said.contains(word)).count();
        if shared == known.len() && is_negated(content) == is_negated(&statement.content) {
            return ("confirm", Some(number));
        }
        if nearest.is_none_or(|(most, _)| shared > most) {
            nearest = Some((shared, number));
        }
    }
    match (statement.move_, nearest) {
        (Said::Correction, Some((_, number))) => ("update", Some(number)),
        (Said::Confirmation, Some((shared, number))) if shared > 0 => ("confirm", Some(number)),
        _ => ("add", None),
    }
}
