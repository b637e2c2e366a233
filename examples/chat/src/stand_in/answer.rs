//! What the stand-in says when its calls are done: from what the tools answered, as a model would.

use keepmind::inject;

use super::Conversation;
use super::wish::{Wish, found};

/// The assistant's words after its calls.
pub fn words(wishes: &[Wish], results: &[&str], conversation: &Conversation) -> String {
    if wishes.is_empty() {
        return without_calls(conversation);
    }
    let mut parts: Vec<String> = Vec::new();
    // What a look-up answered is said only where saying it was the wish, or where nothing came of it.
    for (index, result) in results.iter().enumerate() {
        let looked_up = index < wishes.len() && !matches!(wishes[index], Wish::Save(_));
        let asked = matches!(wishes.get(index), Some(Wish::Tell { .. }));
        let said = match looked_up {
            true if asked => told(result),
            true if !found(result).is_empty() => continue,
            _ => outcome(result),
        };
        if !parts.contains(&said) {
            parts.push(said);
        }
    }
    if parts.is_empty() {
        return "I do not know which one you mean. Its number, like #1, would say it.".to_owned();
    }
    parts.join(" ")
}

fn told(result: &str) -> String {
    let facts: Vec<String> = found(result).into_iter().map(|fact| fact.content).collect();
    match facts.is_empty() {
        true => result.to_owned(),
        false => format!("This is what I know: {}.", facts.join("; ")),
    }
}

/// What a write's answer means to the user.
fn outcome(result: &str) -> String {
    let line = result.lines().next().unwrap_or_default();
    let said = match line.split_whitespace().next() {
        Some("Saved" | "Updated") => "Noted. The next chat will begin with it.",
        Some("Forgot") => "Forgotten.",
        Some("Confirmed") => "Good, then that stands.",
        _ if line.starts_with("Nothing to do") => "I know that already.",
        _ if line.starts_with("Not done yet") => {
            "You did not say that yourself, so it waits for your word."
        }
        _ if line.starts_with("Nothing saved") || line.starts_with("There is nothing") => {
            "I know of nothing like that."
        }
        _ => return format!("That was not kept: {line}"),
    };
    said.to_owned()
}

/// A real model would advise here. This one only says what it would have in mind.
fn without_calls(conversation: &Conversation) -> String {
    let known: Vec<String> = inject::parse(&conversation.system)
        .into_iter()
        .map(|line| line.text)
        .collect();
    let mind = match known.is_empty() {
        true => "nothing yet".to_owned(),
        false => known.join("; "),
    };
    format!("I am a scripted stand-in: a real model would answer here, with this in mind: {mind}.")
}
