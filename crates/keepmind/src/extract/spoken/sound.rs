//! Whether a reading may be said: whole, not too long, no secret, of the polarity of its words.

use super::english;
use super::frames::Reading;
use super::words::Word;
use crate::text::is_negated;

/// A content of more characters than this is no fact but a speech.
const LONGEST_CONTENT: usize = 240;

/// Whether a clause breaks off, or speaks of somebody it does not name: "I water him", "I live with the".
pub(super) fn is_whole(words: &[Word<'_>]) -> bool {
    #[rustfmt::skip]
    const OPEN: &[&str] = &[
        "of", "to", "in", "at", "with", "for", "the", "a", "an", "my", "from", "and", "or", "but",
        "especially", "as", "about", "by", "on", "than", "our", "because", "when", "that", "who", "is", "are", "some", "be",
        "darker", "smaller", "larger", "bigger", "lighter", "warmer", "cooler", "shorter", "longer",
        "older", "newer", "simpler", "cheaper",
    ];
    #[rustfmt::skip]
    const SOMEBODY: &[&str] = &["he", "him", "his", "she", "her", "they", "them", "their", "theirs", "its"];
    let ends = !words.last().is_some_and(|word| word.is(OPEN));
    let somebody = words.iter().position(|word| word.is(SOMEBODY));
    let named = |before: usize| {
        words[..before].iter().enumerate().any(|(index, word)| {
            english::is_person(&word.form) || index > 0 && word.is_capital() && word.form != "i"
        })
    };
    // Pronouns of one's own: "she/her" is one word, and "they" may be asked for.
    ends && somebody.is_none_or(named)
}

/// Not too long, no secret, and of the same polarity as the words it rests on, as grounding asks.
pub(super) fn is_sayable(reading: &Reading, words: &[Word<'_>]) -> bool {
    let said: Vec<&str> = words.iter().map(|word| word.written).collect();
    let quote: String = words
        .iter()
        .zip(said)
        .flat_map(|(word, written)| [if word.glued { "" } else { " " }, written])
        .collect();
    is_negated(&quote) == is_negated(&reading.content)
        && reading.content.chars().count() <= LONGEST_CONTENT
        && crate::text::secret(&reading.content).is_none()
}
