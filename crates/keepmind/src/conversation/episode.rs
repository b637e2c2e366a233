//! What happened in a chat, told without a model: a line of the user's own sentences, word for word, and the
//! words it is about. Which sentences may be told at all is decided elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use time::Date;

use super::borders::shortened;
use super::extractive::points;
use super::spoken::readable_line;
use super::title::without_greeting;
use super::words::UNTELLING;
use crate::order::{self, Gather};
use crate::text;

/// A quote is cut here, in characters: the others need room too.
const LONGEST_QUOTE: usize = 160;

/// The shortest word that says what a chat was about, in letters.
const SHORTEST_TOPIC: usize = 4;

/// A sentence as an episode quotes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Quoted<'s> {
    /// The user's words as they were written, without the greeting before them.
    pub said: &'s str,
    /// The same as they are shown: one line, and not too long.
    pub shown: String,
    is_question: bool,
}

impl<'s> Quoted<'s> {
    /// Nothing where the sentence shows nothing.
    pub(crate) fn of(sentence: &'s str) -> Option<Self> {
        let said = without_greeting(sentence).trim();
        let shown = shortened(&readable_line(said)?, LONGEST_QUOTE);
        Some(Quoted {
            said,
            shown,
            is_question: said.ends_with(['?', '？', '؟']),
        })
    }

    fn told(&self) -> String {
        match self.is_question {
            true => format!("asked \"{}\"", self.shown),
            false => format!("\"{}\"", self.shown),
        }
    }
}

/// How much a sentence of the user's says about what happened, as it was written and folded; not above 0 for what
/// only greets or replies.
pub(crate) fn weight(sentence: &str, folded: &str) -> i32 {
    points(sentence, folded, true)
}

/// An episode of these quotes, in the order they were said: when, and what.
pub(crate) fn narrated<'q>(
    (from, until): (Date, Date),
    quotes: impl Iterator<Item = &'q Quoted<'q>>,
) -> String {
    let told: Vec<String> = quotes.map(Quoted::told).collect();
    let told = told.join("; ");
    match from == until {
        true => format!("On {from}: {told}"),
        false => format!("From {from} to {until}: {told}"),
    }
}

/// What quotes are about, in words as they were written: those that are said most often, of them the longest
/// first. None where words are not parted by blanks.
pub(crate) fn topics<'q>(
    quotes: impl Iterator<Item = &'q Quoted<'q>>,
    most: usize,
) -> BTreeSet<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for quote in quotes {
        let words = quote
            .said
            .split(|letter: char| !(letter.is_alphanumeric() || text::is_mark(letter)));
        for word in words.filter(|word| is_topic(word)) {
            *counts.entry(word.to_lowercase()).or_default() += 1;
        }
    }
    let mut words: Vec<(String, usize)> = counts.into_iter().collect();
    order::sort_by_key(&mut words, |(word, count)| {
        std::cmp::Reverse((*count, word.chars().count()))
    });
    words.into_iter().take(most).map(|(word, _)| word).gather()
}

fn is_topic(word: &str) -> bool {
    let folded = text::fold(word);
    word.chars().filter(|letter| letter.is_alphabetic()).count() >= SHORTEST_TOPIC
        && !word.contains(|letter: char| letter.is_numeric() || text::is_unspaced(letter))
        && text::weighs(word)
        && !text::is_stop_word(&folded)
        && !text::is_user_word(&folded)
        && UNTELLING.binary_search(&folded.as_str()).is_err()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use time::Month;

    fn march(day: u8) -> Date {
        Date::from_calendar_date(2026, Month::March, day).unwrap()
    }

    fn narrative(until: Date, sentences: &[&str]) -> String {
        let quotes: Vec<Quoted<'_>> = sentences.iter().filter_map(|one| Quoted::of(one)).collect();
        narrated((march(1), until), quotes.iter())
    }

    #[test]
    fn the_users_words_are_told_word_for_word() {
        let day = march(1);
        for (sentences, expected) in [
            (
                &["I play the cello.", "What should I practise?"][..],
                r#"On 2026-03-01: "I play the cello."; asked "What should I practise?""#,
            ),
            (
                &["Hi, I moved to Graz"],
                r#"On 2026-03-01: "I moved to Graz""#,
            ),
            (
                &["我养了一只猫。", "它吃什么？"],
                r#"On 2026-03-01: "我养了一只猫。"; asked "它吃什么？""#,
            ),
        ] {
            assert_eq!(narrative(day, sentences), expected);
        }
        let later = march(4);
        let told = narrative(later, &["I moved to Graz"]);
        assert_eq!(told, r#"From 2026-03-01 to 2026-03-04: "I moved to Graz""#);
    }

    #[test]
    fn topics_are_readable_words() {
        let about = |sentences: &[&str], most: usize| {
            let quotes: Vec<Quoted<'_>> =
                sentences.iter().filter_map(|one| Quoted::of(one)).collect();
            topics(quotes.iter(), most).into_iter().collect::<Vec<_>>()
        };
        assert_eq!(
            about(
                &["I play the cello in Graz.", "Which Cello for Innsbruck?"],
                2
            ),
            ["cello", "innsbruck"]
        );
        assert_eq!(about(&["I am 34 and he is 2b2b2"], 4), [""; 0]);
        assert_eq!(about(&["我养了一只猫。"], 4), [""; 0]);
        assert_eq!(about(&["Я люблю Байкал"], 4), ["байкал"]);
        for (said, topics) in [
            ("I like tea and really love Lisbon", &["lisbon"][..]),
            ("I like to like what people like", &["people"]),
            ("We would really want to know things today", &[]),
            (
                "I think I need to take something for my garden",
                &["garden"],
            ),
            ("Ich möchte heute gerne nach Wien", &["wien"]),
            ("J'aime beaucoup Marseille", &["marseille"]),
            ("Me gusta mucho Sevilla", &["sevilla"]),
        ] {
            assert_eq!(about(&[said], 4), topics, "{said}");
        }
    }

    proptest! {
        #[test]
        fn a_quote_is_a_line_and_stands_in_its_sentence(sentence in "(?s).{0,400}") {
            if let Some(quote) = Quoted::of(&sentence) {
                prop_assert!(sentence.contains(quote.said));
                prop_assert!(text::limit(&quote.shown, LONGEST_QUOTE).is_ok());
                prop_assert_eq!(text::line(&quote.shown), Ok(quote.shown.clone()));
            }
        }
    }
}
