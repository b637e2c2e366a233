//! Plays the model: a script, no network, the same answer every time.
//!
//! It is a stand-in and no more. It looks for a few turns of phrase and makes the tool calls that a model
//! would make: everything after that (what is kept, what waits, what is refused) is the library's and
//! real. A host puts its own model in its place: [`next`] gets what a model gets, system prompt, tool
//! definitions and messages, and answers what a model answers, tool calls or words.

mod answer;
mod wish;
mod wording;

use keepmind::inject;
use serde_json::{Value, json};

use wish::{Found, Wish};

/// What a model is given.
#[derive(Debug, Clone, Default)]
pub struct Conversation {
    /// The system prompt: for this chat the frozen block alone. A host puts its own text before it.
    pub system: String,
    /// The tools it may call, in OpenAI's shape.
    pub tools: Vec<Value>,
    /// What stands for the messages that are left out, in the host's words. This model has no use for it.
    pub summary: Option<String>,
    /// How many messages are left out.
    pub left_out: u64,
    /// What was said, or the recent part of it.
    pub messages: Vec<Said>,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// By the user. A pasted page stands in it like everything else: a model sees only text.
    User(String),
    /// By the assistant.
    Assistant(String),
    /// The assistant called tools, each call as JSON text.
    Calls(Vec<String>),
    /// A tool's answer.
    Tool {
        /// To which call.
        call: String,
        /// The answer.
        content: String,
    },
}

/// What a model does next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// It calls tools, each as `{"id":…,"type":"function","function":{"name":…,"arguments":"…"}}`.
    Call(Vec<String>),
    /// It answers, and its turn ends.
    Say(String),
}

/// The first words of a chat, from what the block knows.
pub fn greeting(system: &str) -> String {
    let known: Vec<String> = inject::parse(system)
        .into_iter()
        .map(|line| line.text)
        .collect();
    match known.is_empty() {
        true => "Hello. I know nothing about you yet.".to_owned(),
        false => format!("Hello again. I remember: {}.", known.join("; ")),
    }
}

/// What the stand-in does next. A host asks its model here.
pub fn next(conversation: &Conversation) -> Step {
    let messages = &conversation.messages;
    let asked = messages
        .iter()
        .rposition(|said| matches!(said, Said::User(_)));
    let (text, since) = match asked.map(|index| (&messages[index], &messages[index + 1..])) {
        Some((Said::User(text), since)) => (text.as_str(), since),
        _ => return Step::Say(greeting(&conversation.system)),
    };
    let rounds = since
        .iter()
        .filter(|said| matches!(said, Said::Calls(_)))
        .count();
    let results: Vec<&str> = since
        .iter()
        .filter_map(|said| match said {
            Said::Tool { content, .. } => Some(content.as_str()),
            _ => None,
        })
        .collect();
    let wishes = wish::wishes(text);

    // First it looks up what it must know the number of, and writes what it need not look up for; then
    // it writes the rest; then it speaks.
    let calls: Vec<Call> = match rounds {
        0 => wishes.iter().map(first_call).collect(),
        1 => wishes
            .iter()
            .zip(&results)
            .filter_map(|(wish, result)| second_call(wish, result, conversation))
            .collect(),
        _ => Vec::new(),
    };
    if calls.is_empty() {
        return Step::Say(answer::words(&wishes, &results, conversation));
    }
    Step::Call(written(&calls, conversation))
}

/// A tool by the first word of its name (the policy has the noun), and its arguments.
type Call = (&'static str, Value);

fn first_call(wish: &Wish) -> Call {
    match wish {
        Wish::Save(fact) => save(fact),
        Wish::Forget { about } if about.starts_with('#') => {
            ("forget_", json!({"id_or_substring": about}))
        }
        Wish::Confirm { about } if about.starts_with('#') => {
            ("confirm_", json!({"id_or_substring": about}))
        }
        Wish::Change { about, .. }
        | Wish::Forget { about }
        | Wish::Confirm { about }
        | Wish::Tell { about } => match about.is_empty() {
            true => ("list_", json!({})),
            false => ("recall_", json!({"query": about})),
        },
    }
}

fn second_call(wish: &Wish, result: &str, conversation: &Conversation) -> Option<Call> {
    let found = wish::found(result);
    match wish {
        Wish::Save(_) | Wish::Tell { .. } => None,
        Wish::Change { .. } => {
            let target = chosen(wish, &found, conversation);
            match (wish::changed(wish, target), target) {
                (Some(content), Some(target)) => {
                    let arguments =
                        json!({"id_or_substring": target.number, "new_content": content});
                    Some(("update_", arguments))
                }
                // Nothing like it is known: then it is new.
                (_, _) => match wish {
                    Wish::Change {
                        fact: Some(fact), ..
                    } => Some(save(fact)),
                    _ => None,
                },
            }
        }
        Wish::Forget { .. } | Wish::Confirm { .. } => {
            let number = &chosen(wish, &found, conversation)?.number;
            let tool = if matches!(wish, Wish::Forget { .. }) {
                "forget_"
            } else {
                "confirm_"
            };
            Some((tool, json!({"id_or_substring": number})))
        }
    }
}

/// Which of the facts that were found is meant: the best hit, or, without a word to look for ("make that
/// 55"), the one spoken of last.
fn chosen<'f>(wish: &Wish, found: &'f [Found], conversation: &Conversation) -> Option<&'f Found> {
    if !wish.about().is_empty() {
        return found.first();
    }
    let is_change = matches!(wish, Wish::Change { .. });
    let holds_number = |fact: &Found| {
        fact.content
            .chars()
            .any(|character| character.is_ascii_digit())
    };
    let is_named = |text: &str, number: &str| {
        text.split(|character: char| !(character.is_ascii_digit() || character == '#'))
            .any(|word| word == number)
    };
    let spoken_of = conversation
        .messages
        .iter()
        .rev()
        .find_map(|said| match said {
            Said::Tool { content, .. } if wish::found(content).is_empty() => found
                .iter()
                .find(|fact| is_named(content, &fact.number) && (!is_change || holds_number(fact))),
            _ => None,
        });
    spoken_of.or_else(|| found.iter().find(|fact| is_change && holds_number(fact)))
}

fn save(fact: &wish::NewFact) -> Call {
    (
        "save_",
        json!({"category": fact.category, "content": fact.content}),
    )
}

/// The calls as a model's provider writes them, with ids that are new in the chat: every call is followed
/// by its answer, so counting messages never comes to the same number again.
fn written(calls: &[Call], conversation: &Conversation) -> Vec<String> {
    let shown = conversation.messages.len() as u64;
    let first = conversation.left_out + shown;
    (first..)
        .zip(calls)
        .map(|(number, (tool, arguments))| {
            let call = json!({
                "id": format!("call_{number}"),
                "type": "function",
                "function": {
                    "name": full_name(tool, &conversation.tools),
                    // OpenAI's providers write the arguments as text.
                    "arguments": arguments.to_string(),
                },
            });
            call.to_string()
        })
        .collect()
}

fn full_name<'t>(start: &'t str, tools: &'t [Value]) -> &'t str {
    let names = tools
        .iter()
        .filter_map(|tool| tool["function"]["name"].as_str());
    names
        .into_iter()
        .find(|name| name.starts_with(start))
        .unwrap_or(start)
}

#[cfg(test)]
mod tests;
