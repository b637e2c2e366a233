//! What is taken from a model's answer: a summary, clean and bounded. Asking for it is in `asking`.

use super::borders::{self, fullest};
use super::spoken::readable_passage;
use crate::model::TokenCounter;
use crate::text;

/// What a model answered, as a summary: clean, without secrets, within `most_tokens`, cut after a sentence or at least after
/// a word. Nothing if it shows nothing, or if nothing fits.
pub(crate) fn summary_from_answer(
    answer: &str,
    most_tokens: usize,
    tokens: &dyn TokenCounter,
) -> Option<String> {
    let clean = without_secrets(readable_passage(spoken_answer(answer))?);
    let clean = Some(clean).filter(|clean| !clean.is_empty())?;
    let fits = |summary: &String| tokens.count(summary) <= most_tokens;
    if fits(&clean) {
        return Some(clean);
    }
    // Sentences are parts of the passage, so where one ends the passage can be cut.
    let ends: Vec<usize> = borders::sentences(&clean)
        .map(|sentence| sentence.as_ptr() as usize - clean.as_ptr() as usize + sentence.len())
        .collect();
    let sentences = fullest(1..=ends.len(), |count| {
        let end = *ends.get(count.checked_sub(1)?)?;
        Some(clean[..end].to_owned()).filter(fits)
    });
    sentences.or_else(|| {
        let first = &clean[..*ends.first()?];
        fullest(2..=first.chars().count(), |most| {
            text::passage(&borders::shortened(first, most))
                .ok()
                .filter(fits)
        })
    })
}

/// A passage without the sentences that hold a secret.
fn without_secrets(passage: String) -> String {
    if text::secret(&passage).is_none() {
        return passage;
    }
    let kept: Vec<&str> = borders::sentences(&passage)
        .filter(|sentence| text::secret(sentence).is_none())
        .collect();
    let kept = kept.join(" ");
    // Parts that say nothing by themselves may say it together.
    match text::secret(&kept) {
        None => kept,
        Some(_) => String::new(),
    }
}

/// A model's answer without what it thought aloud before, and without a fence around all of it.
pub(crate) fn spoken_answer(answer: &str) -> &str {
    let said = answer
        .rsplit_once("</think>")
        .map_or(answer, |(_, said)| said)
        .trim();
    let fenced = said
        .strip_prefix("```")
        .and_then(|rest| rest.strip_suffix("```"))
        .and_then(|rest| rest.split_once('\n'));
    fenced.map_or(said, |(_, inner)| inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ApproximateTokens;
    use proptest::prelude::*;

    const COUNT: &ApproximateTokens = &ApproximateTokens;

    #[test]
    fn summaries_from_answers() {
        let table = [
            ("  The user likes tea.\r\n", 50, Some("The user likes tea.")),
            ("<think>hm</think>\nTea.", 50, Some("Tea.")),
            ("```text\nTea.\n```", 50, Some("Tea.")),
            (
                "One two. Three four. Five six.",
                6,
                Some("One two. Three four."),
            ),
            (
                "One two three four five six seven.",
                4,
                Some("One two three…"),
            ),
            ("我喜欢喝茶。我住在北京。", 2, Some("我喜欢喝茶。")),
            ("Tea\0 time\u{202e}.", 50, Some("Tea time .")),
            (" \u{200b}\n", 50, None),
            ("Tea.", 0, None),
        ];
        for (answer, most, expected) in table {
            assert_eq!(
                summary_from_answer(answer, most, COUNT).as_deref(),
                expected,
                "{answer}"
            );
        }
    }

    proptest! {
        #[test]
        fn any_answer_is_bounded(answer in "(?s).{0,80}|([a-z]{1,6}[ .\n]){0,40}", most in 0usize..20) {
            if let Some(summary) = summary_from_answer(&answer, most, COUNT) {
                prop_assert!(COUNT.count(&summary) <= most);
                prop_assert_eq!(text::passage(&summary), Ok(summary));
            }
        }
    }
}
