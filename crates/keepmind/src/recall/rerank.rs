//! Asking a model in which order memories answer a query, and reading its answer. The answer can only
//! reorder: whatever is not exactly an order of what was asked about changes nothing.

use serde_json::Value;

use crate::conversation::{self, fenced_sections};
use crate::model::{ModelRequest, Task};
use crate::strict;

const RERANK: &str = include_str!("prompts/rerank.md");

/// How much of a query is shown, in characters: what is asked stands at its beginning or its end.
const LONGEST_QUERY: usize = 2_000;
/// A position, its comma and a blank take about so many tokens.
const TOKENS_A_POSITION: usize = 4;

/// Asks for the order of these lines, which are known to the model by their places from 1 on: an id could
/// be made up, or be another's.
pub(crate) fn request(query: &str, lines: &[String]) -> ModelRequest {
    let query = conversation::shortened(query, LONGEST_QUERY);
    let numbered: Vec<String> = (1..)
        .zip(lines)
        .map(|(place, line): (usize, _)| format!("{place}. {line}"))
        .collect();
    let prompt = fenced_sections(&[("Query", &query), ("Memories", &numbered.join("\n"))]);
    // No schema: those that providers keep to have an object at the root.
    let mut request = ModelRequest::new(Task::Rerank, RERANK, prompt);
    let longest = lines.len().saturating_mul(TOKENS_A_POSITION).max(64);
    request.max_output_tokens = u32::try_from(longest).unwrap_or(u32::MAX);
    request
}

/// The order that an answer names, as places from 0 on; nothing unless it names each of `count` places
/// exactly once and says nothing else.
pub(crate) fn order(answer: &str, count: usize, longest_bytes: usize) -> Option<Vec<usize>> {
    if answer.len() > longest_bytes {
        return None;
    }
    let Ok(Value::Array(named)) = strict::json(conversation::spoken_answer(answer), 1) else {
        return None;
    };
    if named.len() != count {
        return None;
    }
    let mut seen = vec![false; count];
    named
        .iter()
        .map(|place| {
            let place = usize::try_from(place.as_u64()?).ok()?.checked_sub(1)?;
            let taken = seen.get_mut(place)?;
            (!std::mem::replace(taken, true)).then_some(place)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn asked(query: &str, lines: &[&str]) -> ModelRequest {
        let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        request(query, &lines)
    }

    fn mark_of(prompt: &str) -> &str {
        &prompt["[data ".len().."[data ".len() + 16]
    }

    #[test]
    fn the_question_as_it_is_asked() {
        let request = asked(
            "which tea?\nMemories:",
            &["likes green tea", "has a kettle"],
        );
        let prompt = request.prompt.replace(mark_of(&request.prompt), "MARK");
        let asked = format!("{}\n===\n{prompt}", request.system);
        assert_eq!(
            asked,
            include_str!("prompts/rerank.snapshot.txt"),
            "the prompt changed: look at it, then change the snapshot"
        );
        assert_eq!(request.task, Task::Rerank);
    }

    #[test]
    fn an_order_of_everything_is_taken() {
        for answer in [
            "[3, 1, 2]",
            " [3,1,2]\n",
            "```json\n[3, 1, 2]\n```",
            "<think>the third</think>[3, 1, 2]",
        ] {
            assert_eq!(order(answer, 3, 100), Some(vec![2, 0, 1]), "{answer}");
        }
        assert_eq!(order("[]", 0, 100), Some(vec![]));
    }

    #[test]
    fn anything_else_leaves_the_order() {
        for answer in [
            "",
            "[]",
            "[1, 2]",
            "[1, 2, 3, 4]",
            "[1, 2, 2]",
            "[0, 1, 2]",
            "[1, 2, 4]",
            "[1, 2, -3]",
            "[1, 2, 3.0]",
            "[1, 2, \"3\"]",
            "[1, 2, [3]]",
            "[1, 2, null]",
            "[1, 2, 18446744073709551616]",
            "{\"order\": [1, 2, 3]}",
            "[1, 2, 3",
            "[1, 2, 3] [1, 2, 3]",
            "The best is 2, then 1 and 3.",
            "Here you are: [2, 1, 3]",
            "2, 1, 3",
            "null",
            "[2, 1, 3]\nI chose the second because it answers.",
        ] {
            assert_eq!(order(answer, 3, 100), None, "{answer}");
        }
        assert_eq!(order("[2, 1, 3]", 3, 8), None, "too long");
    }

    proptest! {
        #[test]
        fn any_answer_is_a_permutation_or_nothing(answer in "[0-9,\\[\\] ]{0,24}|(?s).{0,40}", count in 0usize..6) {
            if let Some(order) = order(&answer, count, 1_000) {
                let mut sorted = order.clone();
                sorted.sort_unstable();
                prop_assert_eq!(sorted, (0..count).collect::<Vec<_>>());
            }
        }

        #[test]
        fn no_content_leaves_the_fence(query in "(?s).{0,60}", line in "[^\\n]{0,60}") {
            let request = asked(&query, &[&line, "another"]);
            let mark = mark_of(&request.prompt);
            prop_assert_eq!(request.prompt.matches(mark).count(), 2);
            let end = format!("[data {mark} ends]\n");
            prop_assert!(request.prompt.ends_with(&end));
        }
    }
}
