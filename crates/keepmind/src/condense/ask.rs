//! The question: facts with their numbers, and the digests that lines are wanted for.

use serde_json::json;

use crate::conversation::fenced_sections;
use crate::ids::Number;
use crate::model::{ModelRequest, Task, TokenCounter};

const LINES: &str = include_str!("prompts/lines.md");

/// How many lines an answer may have.
pub(super) const MOST_LINES: usize = 64;

/// The most tokens that an answer may take.
const ANSWER_TOKENS: u32 = 4_096;

/// What a model is asked about.
pub(crate) struct Question<'a> {
    /// The digests that it may write lines for.
    pub digests: &'a [&'a str],
    /// Each fact with the digests it stands in, as it is shown to a model; those that matter most in front.
    pub facts: &'a [(Number, Vec<&'a str>, String)],
    /// How long a line may be.
    pub characters: u32,
    /// How long all facts together may be.
    pub longest_tokens: usize,
}

/// Asks for lines, and says how many of the facts it shows.
pub(crate) fn request(question: &Question<'_>, tokens: &dyn TokenCounter) -> (ModelRequest, usize) {
    let mut left = question.longest_tokens;
    let mut shown: Vec<String> = Vec::new();
    for (number, digests, line) in question.facts {
        let line = format!("{number} [{}] {line}", digests.join(", "));
        let cost = tokens.count(&line) + 1;
        if cost > left {
            break;
        }
        left -= cost;
        shown.push(line);
    }
    let system = LINES
        .replace("{digests}", &question.digests.join(", "))
        .replace("{characters}", &question.characters.to_string())
        .replace("{lines}", &MOST_LINES.to_string());
    let prompt = fenced_sections(&[("Facts", &shown.join("\n"))]);
    let mut request = ModelRequest::new(Task::Compile, system, prompt);
    request.max_output_tokens = ANSWER_TOKENS;
    request.schema = Some(json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["lines"],
        "properties": {
            "lines": {
                "type": "array",
                "maxItems": MOST_LINES,
                "items": {
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["digest", "text", "cites"],
                    "properties": {
                        "digest": {"enum": question.digests},
                        "text": {"type": "string", "maxLength": question.characters},
                        "cites": {"type": "array", "items": {"type": "integer", "minimum": 1}},
                    },
                },
            },
        },
    }));
    (request, shown.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ApproximateTokens;
    use proptest::prelude::*;

    fn asked(lines: &[&str], longest_tokens: usize) -> (ModelRequest, usize) {
        let facts: Vec<_> = (12..)
            .zip(lines)
            .map(|(number, line)| {
                let number = Number::new(number).unwrap();
                (number, vec!["profile", "food"], (*line).to_owned())
            })
            .collect();
        let question = Question {
            digests: &["profile", "procedures", "food"],
            facts: &facts,
            characters: 500,
            longest_tokens,
        };
        request(&question, &ApproximateTokens)
    }

    #[test]
    fn the_question_as_it_is_asked() {
        let (request, shown) = asked(&["a line of a fact", "another line"], 1_000);
        assert_eq!(shown, 2);
        let mark = &request.prompt["[data ".len().."[data ".len() + 16];
        let prompt = request.prompt.replace(mark, "MARK");
        let expected = include_str!("prompts/lines.snapshot.txt");
        let asked = format!("{}\n===\n{prompt}", request.system);
        assert_eq!(
            asked, expected,
            "the prompt changed: look at it, then change the snapshot"
        );
    }

    #[test]
    fn nothing_in_the_instructions_reads_like_a_fact() {
        let (request, _) = asked(&[], 1_000);
        for line in request.system.lines() {
            assert!(!line.starts_with("User "), "{line}");
            assert!(!line.contains("\"User ") && !line.contains("I "), "{line}");
        }
    }

    #[test]
    fn what_does_not_fit_is_not_shown() {
        let line = "x".repeat(400);
        let lines = vec![line.as_str(); 50];
        let (request, shown) = asked(&lines, 1_000);
        assert!((1..50).contains(&shown), "{shown}");
        assert_eq!(request.prompt.matches("[profile, food]").count(), shown);
    }

    proptest! {
        #[test]
        fn no_fact_leaves_the_fence(line in "[^\\n]{0,80}") {
            let (request, _) = asked(&[&line], 4_000);
            let mark = &request.prompt["[data ".len().."[data ".len() + 16];
            prop_assert_eq!(request.prompt.matches(mark).count(), 2);
            let end = format!("[data {mark} ends]\n");
            prop_assert!(request.prompt.ends_with(&end));
        }
    }
}
