//! A word or two that answer what the assistant asked: "Vegan", "Ghent".

use super::StatementKind::{self, Preference, Profile, Work};
use super::language::{COMMON, DOUBTS, FILLER};
use super::languages;
use super::sentence::Said;
use super::words::{Mark, Sentence};
use crate::text::{fold, weighs};

/// An answer of more words is a sentence, and read as one.
const LONGEST_ANSWER: usize = 4;

/// What must stand in the question, and what the answer then means.
#[rustfmt::skip]
const QUESTIONS: &[(&[&str], &str, StatementKind)] = &[
    (&[
        "where do you live", "where are you based", "where are you living", "which city do you live",
        "what city do you live", "what city are you",
    ], "User lives in {}", Profile),
    (&["where are you from", "where do you come from"], "User is from {}", Profile),
    (&[
        "what is your name", "what's your name", "what should i call you", "what can i call you",
        "how should i call you", "may i ask your name",
    ], "User's name is {}", Profile),
    (&["how old are you", "what is your age", "what's your age"], "User is {} years old", Profile),
    (&[
        "what do you do for a living", "what do you do for work", "what's your job", "what is your job",
        "what is your profession", "what's your profession",
    ], "User's job is {}", Work),
    (&[
        "any allergies", "do you have any allergies", "are you allergic to", "what are you allergic to",
    ], "User is allergic to {}", Profile),
    (&[
        "your diet", "dietary requirements", "dietary restrictions", "dietary needs", "dietary preferences",
        "do you follow a diet",
    ], "User's diet: {}", Preference),
    (&[
        "what's your favourite", "what is your favourite", "what's your favorite", "what is your favorite",
    ], "User's favourite is {}", Preference),
    (&[
        "which language do you prefer", "what language do you prefer", "preferred language",
    ], "User's preferred language is {}", Preference),
    (&["wo wohnst du", "wo wohnen sie", "dónde vives", "où habites-tu"], "User lives in {}", Profile),
    (&[
        "wie heisst du", "wie heissen sie", "cómo te llamas", "comment t'appelles-tu",
    ], "User's name is {}", Profile),
];

/// What a short answer says, when the last question asked for one thing that is worth knowing.
pub(super) fn answer(asked: &str, sentence: &Sentence<'_>) -> Option<Said> {
    let cues = &languages::english().cues;
    let words = &sentence.words;
    let skipped = words
        .iter()
        .take_while(|word| {
            cues.length(std::slice::from_ref(word), FILLER) > 0
                || word.is(&["just", "only", "mostly", "mainly", "im", "it"])
        })
        .count();
    let words = &words[skipped..];
    let classes = |class| words.windows(1).any(|word| cues.length(word, class) > 0);
    let plain = (1..=LONGEST_ANSWER).contains(&words.len())
        && !sentence.asks
        && !words.iter().any(|word| word.mark > Mark::Comma)
        && !classes(DOUBTS)
        && !words.windows(1).any(|word| {
            cues.length(word, COMMON) > 0 && word[0].form != "no" && word[0].form != "and"
        });
    if !plain {
        return None;
    }
    // Only the last question, and only if it is the only one: otherwise nobody knows which was answered.
    let folded = fold(asked).replace('’', "'");
    if folded.matches(['?', '？']).count() != 1 {
        return None;
    }
    let question = folded
        .rsplit(['.', '!', '\n'])
        .find(|part| part.contains('?'))?;
    let (_, means, kind) = QUESTIONS
        .iter()
        .find(|(asks, _, _)| asks.iter().any(|asks| question.contains(asks)))?;
    let said = super::english::turned(words);
    let is_age = means.contains("years old");
    let numeric = words.iter().any(|word| word.number().is_some());
    if !(weighs(&said) || is_age && numeric) || is_age != numeric {
        return None;
    }
    let place = words[0].place.start..words[words.len() - 1].place.end;
    Some(Said::new(place, means.replace("{}", &said), *kind))
}
