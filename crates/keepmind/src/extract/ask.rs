//! Asking a model what in a chat is worth remembering: one question for everything that a close needs.

use serde_json::{Value, json};

use crate::conversation::{self, Section};
use crate::ids::Number;
use crate::message::Message;
use crate::model::{ModelRequest, Task, TokenCounter};
use crate::policy::Policy;

const EXTRACT: &str = include_str!("prompts/extract.md");

/// What was said before the transcript is called.
const CONTEXT: &str = "Said before, for context only";

/// The most tokens that an answer may take besides the running summary.
const OPERATIONS_TOKENS: usize = 2_048;

/// What a model is asked about.
pub(crate) struct Question<'a> {
    /// What was said just before, and was learned from then.
    pub before: &'a [Message],
    pub messages: &'a [Message],
    /// The running summary up to these messages.
    pub recap: Option<&'a str>,
    /// The memories that it may speak of, as they are shown to a model.
    pub known: &'a [(Number, String)],
    /// How long the running summary may be.
    pub recap_tokens: usize,
    /// How long instructions and material together may be.
    pub longest_tokens: usize,
}

/// Asks what is worth remembering.
pub(crate) fn request(
    question: &Question<'_>,
    policy: &Policy,
    tokens: &dyn TokenCounter,
) -> ModelRequest {
    let system = instructions(policy, question.recap_tokens);
    let room = question
        .longest_tokens
        .saturating_sub(tokens.count(&system));
    let known: Vec<String> = question
        .known
        .iter()
        .map(|(number, line)| format!("{number} {line}"))
        .collect();
    let known = known.join("\n");
    let recap = question
        .recap
        .and_then(|recap| conversation::bounded(recap, room / 4, tokens));
    let mut sections: Vec<Section<'_>> = Vec::new();
    if !known.is_empty() {
        sections.push(("Known memories", &known));
    }
    sections.extend(recap.iter().map(|recap| (conversation::EARLIER, &**recap)));
    let before = conversation::plainly(question.before);
    if !before.is_empty() {
        sections.push((CONTEXT, &before));
    }
    let prompt = conversation::fenced(&sections, question.messages, room, tokens);
    let mut request = ModelRequest::new(Task::Extract, system, prompt);
    let longest = question.recap_tokens.saturating_add(OPERATIONS_TOKENS);
    request.max_output_tokens = u32::try_from(longest).unwrap_or(u32::MAX);
    request.schema = Some(schema(policy));
    request
}

/// What is wrong with an answer in which everything is made up.
pub(crate) const MADE_UP: &str = "nothing in it is what the user said. A quote is a part of one message of the \
     user's, word for word; names, numbers and denials are the user's; an id is one of the known memories'; what is \
     said once is told once";

/// Asks once more where the answer could not be used, and says why.
pub(crate) fn again(mut request: ModelRequest, reason: &str) -> ModelRequest {
    let words = format!(
        "\nYour last answer could not be used: {reason}. Answer again, with one JSON object of the form described and nothing else.\n"
    );
    request.prompt.push_str(&words);
    request
}

fn instructions(policy: &Policy, recap_tokens: usize) -> String {
    // Three words take about four tokens.
    let words = (recap_tokens.saturating_mul(3) / 4).max(1);
    let categories: Vec<String> = policy
        .writable_categories()
        .map(|category| match category.description.as_str() {
            "" => format!("- {}", category.name),
            description => format!("- {}: {description}", category.name),
        })
        .collect();
    let domains: Vec<&str> = policy
        .domains
        .iter()
        .map(|domain| domain.name.as_str())
        .collect();
    let domains = match domains.is_empty() {
        true => "none".to_owned(),
        false => domains.join(", "),
    };
    EXTRACT
        .replace("{operations}", &policy.limits.reply_operations.to_string())
        .replace("{categories}", &categories.join("\n"))
        .replace("{domains}", &domains)
        .replace("{words}", &words.to_string())
}

/// What an answer looks like. Whatever comes is read as strictly as if nobody had asked for this.
fn schema(policy: &Policy) -> Value {
    let names: Vec<&str> = policy
        .writable_categories()
        .map(|category| category.name.as_str())
        .collect();
    let share = json!({"type": "number", "minimum": 0, "maximum": 1});
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["ops"],
        "properties": {
            "ops": {
                "type": "array",
                "maxItems": policy.limits.reply_operations,
                "items": {
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["op"],
                    "properties": {
                        "op": {"enum": ["add", "update", "confirm", "skip"]},
                        "id": {"type": "integer", "minimum": 1},
                        "content": {"type": "string", "maxLength": policy.limits.content_characters},
                        "quote": {"type": "string"},
                        "confidence": share,
                        "importance": share,
                        "category": {"enum": names},
                        "domain": {"type": "string"},
                        "ttl": {"enum": ["lasting", "contextual", "temporary", "deadline"]},
                        "since": {"type": "string"},
                        "correction": {"type": "boolean"},
                    },
                },
            },
            "episode": {"type": "string"},
            "recap": {"type": "string"},
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::fixtures::chat;
    use crate::message::Role;
    use crate::model::ApproximateTokens;
    use proptest::prelude::*;

    const COUNT: &ApproximateTokens = &ApproximateTokens;

    fn asked(said: &[(Role, &str)], known: &[(u64, &str)], recap: Option<&str>) -> ModelRequest {
        let messages = chat(said);
        let known: Vec<(Number, String)> = known
            .iter()
            .map(|(number, line)| (Number::new(*number).unwrap(), (*line).to_owned()))
            .collect();
        let question = Question {
            before: &[],
            messages: &messages,
            recap,
            known: &known,
            recap_tokens: 400,
            longest_tokens: 4_000,
        };
        request(&question, &Policy::default(), COUNT)
    }

    #[test]
    fn the_question_as_it_is_asked() {
        let request = asked(
            &[(Role::User, "hello there"), (Role::Assistant, "Hello.")],
            &[(12, "a line of a memory")],
            Some("They met."),
        );
        let mark = &request.prompt["[data ".len().."[data ".len() + 16];
        let prompt = request.prompt.replace(mark, "MARK");
        let expected = include_str!("prompts/extract.snapshot.txt");
        let asked = format!("{}\n===\n{prompt}", request.system);
        assert_eq!(
            asked, expected,
            "the prompt changed: look at it, then change the snapshot"
        );
    }

    #[test]
    fn nothing_in_the_instructions_can_be_quoted_as_a_fact() {
        // A fact needs a quote of the user's; even so, no line reads like one.
        let system = asked(&[(Role::User, "hello there")], &[], None).system;
        for line in system.lines() {
            assert!(!line.starts_with("User "), "{line}");
            assert!(!line.contains("\"User ") && !line.contains("I "), "{line}");
        }
    }

    #[test]
    fn asking_again_says_what_was_wrong() {
        let first = asked(&[(Role::User, "hello there")], &[], None);
        let second = again(first.clone(), "there is no JSON object in the answer");
        assert!(second.prompt.starts_with(&first.prompt));
        assert!(
            second
                .prompt
                .contains("there is no JSON object in the answer")
        );
    }

    proptest! {
        #[test]
        fn no_memory_and_no_message_leaves_the_fence(
            said in "(?s).{0,80}",
            line in "[^\\n]{0,80}",
            recap in prop::option::of("(?s).{0,60}"),
        ) {
            let request = asked(&[(Role::User, &said)], &[(3, &line)], recap.as_deref());
            let mark = &request.prompt["[data ".len().."[data ".len() + 16];
            prop_assert_eq!(request.prompt.matches(mark).count(), 2);
            let end = format!("[data {mark} ends]\n");
            prop_assert!(request.prompt.ends_with(&end));
        }
    }
}
