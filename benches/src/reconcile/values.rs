//! Where a value is to be found: the words that only the later turn has, and those that only an earlier has.

use std::collections::BTreeSet;

use keepmind::text;

use crate::reconcile::case::Case;
use crate::reconcile::oracle::Step;

/// What is known in the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    Later,
    Both,
    Earlier,
    Neither,
}

impl Known {
    pub fn word(self) -> &'static str {
        match self {
            Known::Later => "later",
            Known::Both => "both",
            Known::Earlier => "earlier",
            Known::Neither => "neither",
        }
    }
}

/// The words that tell the two values apart.
#[derive(Debug, PartialEq, Eq)]
pub struct Values {
    later: BTreeSet<String>,
    earlier: BTreeSet<String>,
}

impl Values {
    /// Read from the answer where it speaks of the later value, otherwise from the sentences themselves:
    /// some questions ask for what was before.
    pub fn of(case: &Case, steps: &[Step]) -> Self {
        let texts: Vec<BTreeSet<String>> = case
            .evidence
            .iter()
            .map(|turn| tokens(&turn.text))
            .collect();
        let (last, before) = match texts.split_last() {
            Some((last, before)) => (last.clone(), before.concat_all()),
            None => <_>::default(),
        };
        let (step, steps_before) = match steps.split_last() {
            Some((step, before)) => (tokens(&step.quote), before),
            None => <_>::default(),
        };
        let quotes: Vec<BTreeSet<String>> = steps_before
            .iter()
            .map(|step| tokens(&step.quote))
            .collect();
        let asked: BTreeSet<String> = &(&tokens(&case.answer) & &last) - &before;
        let later = match asked.is_empty() {
            false => asked,
            true => &step - &before,
        };
        Values {
            later: telling(later),
            earlier: telling(&quotes.concat_all() - &last),
        }
    }

    /// What rows with these contents know.
    pub fn known<'a>(&self, contents: impl Iterator<Item = &'a str>) -> Known {
        let (mut later, mut earlier) = (false, false);
        for content in contents {
            let words = tokens(content);
            let is_later = holds(&words, &self.later);
            later |= is_later;
            earlier |= !is_later && holds(&words, &self.earlier);
        }
        match (later, earlier) {
            (true, false) => Known::Later,
            (true, true) => Known::Both,
            (false, true) => Known::Earlier,
            (false, false) => Known::Neither,
        }
    }
}

/// The numbers of a value alone, where it has any: they are what changes.
fn telling(value: BTreeSet<String>) -> BTreeSet<String> {
    let is_number = |word: &&String| word.chars().any(|letter| letter.is_ascii_digit());
    let numbers: BTreeSet<String> = value.iter().filter(is_number).cloned().collect();
    match numbers.is_empty() {
        true => value,
        false => numbers,
    }
}

/// Half of the words of a value are enough: the rest says how it came up.
fn holds(words: &BTreeSet<String>, value: &BTreeSet<String>) -> bool {
    let common = value.intersection(words).count();
    common > 0 && common * 2 >= value.len()
}

/// The words of a text, stemmed, without those that say nothing; numbers as digits.
fn tokens(text: &str) -> BTreeSet<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    words
        .filter(|word| !word.is_empty() && !text::is_stop_word(&word.to_lowercase()))
        .flat_map(|word| match digits(&word.to_lowercase()) {
            Some(number) => vec![number.to_string()],
            None => text::terms(word),
        })
        .collect()
}

fn digits(word: &str) -> Option<usize> {
    const WORDS: &[&[&str]] = &[
        &[],
        &["one", "first", "once"],
        &["two", "second", "twice"],
        &["three", "third"],
        &["four", "fourth"],
        &["five", "fifth"],
        &["six", "sixth"],
        &["seven", "seventh"],
        &["eight", "eighth"],
        &["nine", "ninth"],
        &["ten", "tenth"],
    ];
    WORDS.iter().position(|names| names.contains(&word))
}

trait ConcatAll {
    fn concat_all(&self) -> BTreeSet<String>;
}

impl ConcatAll for [BTreeSet<String>] {
    fn concat_all(&self) -> BTreeSet<String> {
        self.iter().flatten().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reconcile::oracle::steps;
    use serde_json::json;

    fn values(answer: &str, said: [&str; 2]) -> Values {
        let turn = |text: &str| json!({"time": "", "role": "user", "text": text});
        let case = json!({
            "id": "x", "question": "How many hives do I keep?", "answer": answer,
            "evidence": [turn(said[0]), turn(said[1])],
        });
        let case = serde_json::from_value(case).unwrap();
        Values::of(&case, &steps(&case))
    }

    #[test]
    fn values_are_what_tells_the_turns_apart() {
        let said = ["I keep four hives.", "Hello. I keep 7 hives now."];
        let values = values("seven", said);
        assert_eq!(values.later, ["7".to_owned()].into());
        assert_eq!(values.earlier, ["4".to_owned()].into());
        for (rows, known) in [
            (&["User keeps 7 hives"][..], Known::Later),
            (&["User keeps four hives", "User keeps seven"], Known::Both),
            (&["User keeps 4 hives"], Known::Earlier),
            (&["User went from 4 hives to 7"], Known::Later),
            (&["User likes tea"], Known::Neither),
        ] {
            assert_eq!(values.known(rows.iter().copied()), known, "{rows:?}");
        }
    }

    #[test]
    fn a_question_may_ask_for_what_was_before() {
        let said = ["I keep four hives.", "I keep seven hives now."];
        assert_eq!(values("four", said).later, ["7".to_owned()].into());
    }
}
