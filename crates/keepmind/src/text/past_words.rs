//! Words that ask about what was: "before", "used to", "früher". A language is a few words in each table.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::Period;

/// Whether a text asks about the past: it says so, or names a time.
pub(crate) fn asks_about_past(text: &str) -> bool {
    static TABLE: LazyLock<HashSet<String>> =
        LazyLock::new(|| WORDS.iter().map(|word| super::fold(word)).collect());
    let folded = super::fold(text);
    let words: Vec<&str> = folded
        .split(|letter: char| !(letter.is_alphanumeric() || super::is_mark(letter)))
        .filter(|word| !word.is_empty())
        .collect();
    let is_phrase = |pair: &[&str]| PHRASES.iter().any(|phrase| pair == phrase.as_slice());
    words.iter().any(|word| TABLE.contains(*word))
        || words.windows(2).any(is_phrase)
        || Period::named_in(text).is_some()
}

const PHRASES: &[[&str; 2]] = &[
    ["used", "to"],
    ["back", "then"],
    ["last", "year"],
    ["last", "month"],
];

const WORDS: &[&str] = &[
    // English
    "before",
    "previous",
    "previously",
    "former",
    "formerly",
    "earlier",
    "past",
    "ago",
    "history",
    "originally",
    // German
    "früher",
    "frühere",
    "früheren",
    "vorher",
    "damals",
    "ehemals",
    "ehemalige",
    "vergangenheit",
    "bisher",
    // French
    "avant",
    "auparavant",
    "autrefois",
    "jadis",
    "ancien",
    "ancienne",
    "précédent",
    "précédente",
    // Spanish
    "antes",
    "antiguamente",
    "anterior",
    "anteriormente",
    "antaño",
    "solía",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_past_is_asked_about_in_words_or_by_a_time() {
        for text in [
            "Where did I live before?",
            "where I used to live",
            "my previous job",
            "Wo habe ich früher gewohnt?",
            "où j'habitais AVANT",
            "¿Dónde vivía antes?",
            "where did I live in 2024",
            "home in March 2025",
        ] {
            assert!(asks_about_past(text), "{text}");
        }
        for text in [
            "",
            "where do I live?",
            "I used the train",
            "which seat",
            "お茶",
        ] {
            assert!(!asks_about_past(text), "{text}");
        }
    }
}
