//! Whether a content says no more than the user did: its names and numbers are theirs, and it denies just
//! what they denied.

use std::borrow::Cow;
use std::cell::LazyCell;

use crate::memory::Span;
use crate::plan::details::{details, folded_words, links};
use crate::plan::said::{Clause, Said, Sentence, denies_alike};
use crate::plan::{Turn, details};
use crate::text::{self, Cut, StringSet};

/// Whether every name, link and number of two digits or more stands in the user's words, or in a text
/// that is known. The message that is quoted is looked at first: there they nearly always stand.
pub(in crate::plan) fn is_supported(
    content: &str,
    known: &str,
    quoted: Option<&Said>,
    turn: &Turn,
) -> bool {
    // Only the first word of all begins for sure: what follows a dot may be an invented name.
    let content = &match content.trim_end_matches('.').contains('.') {
        true => Cow::Owned(content.replace(". ", ", ")),
        false => Cow::Borrowed(content),
    };
    let known_words: StringSet = folded_words(known).collect();
    let known_terms = LazyCell::new(|| -> StringSet { Cut::of(known).terms().collect() });
    let said = || quoted.into_iter().chain(&turn.said);
    let sentences = || said().flat_map(Said::sentences);
    let said_words = || sentences().flat_map(|sentence| sentence.words().iter());
    let is_number_said = |number: &String| {
        let has = |word: &str| numbers(word).any(|other| other == *number);
        known_words.iter().any(has) || said_words().any(has)
    };
    let is_said = |word: &str| {
        let folded = folded_words(word);
        folded.into_iter().all(|word| {
            let is_word_said = || {
                known_words.contains(&word)
                    || sentences().any(|sentence| sentence.words().contains(&word))
            };
            // "Tuesdays" is said by "every Tuesday"; a number is another number by any other digit.
            let is_said_otherwise = || {
                let terms = text::terms(&word);
                let is_held_by = |held: &StringSet| terms.iter().all(|term| held.contains(term));
                !terms.is_empty()
                    && (is_held_by(&known_terms)
                        || sentences().any(|sentence| is_held_by(sentence.terms())))
            };
            let has_number = word.chars().any(char::is_numeric);
            let is_quantity = word.starts_with(char::is_numeric);
            is_word_said()
                || !has_number && is_said_otherwise()
                || is_quantity && numbers(&word).all(|number| is_number_said(&number))
        })
    };
    let folded_known = LazyCell::new(|| text::fold(known));
    let is_linked = |link: &str| {
        let link = text::fold(link);
        folded_known.contains(link.as_str()) || sentences().any(|said| said.folded.contains(&link))
    };
    details(content).all(is_said)
        && disguised(content).all(|word| is_said(&word))
        && links(content).all(is_linked)
}

/// The numbers of two digits or more in a word, however they are written: "50,000" is "50000", "15th" is
/// "15", "2015-2019" is two of them. "two cats" may well be "2 cats", so one digit is none.
fn numbers(word: &str) -> impl Iterator<Item = String> {
    let letters: Vec<char> = word.chars().collect();
    let is_digit = |at: usize| letters.get(at).is_some_and(|letter| letter.is_numeric());
    let parts_thousands = |at: usize| {
        matches!(letters[at], ',' | '.' | '\'' | '’')
            && at > 0
            && is_digit(at - 1)
            && (1..=3).all(|next| is_digit(at + next))
            && !is_digit(at + 4)
    };
    let kept = (0..letters.len()).filter(|&at| !parts_thousands(at));
    let joined: String = kept.map(|at| letters[at]).collect();
    let groups: Vec<String> = joined
        .split(|letter: char| !letter.is_numeric())
        .map(|group| group.trim_start_matches('0').to_owned())
        .filter(|group| group.chars().nth(1).is_some())
        .collect();
    groups.into_iter()
}

/// Words with letters that only look like those around them. Somebody may write so; who did not write so
/// has said another word.
fn disguised(content: &str) -> impl Iterator<Item = String> {
    let (written, meant) = match text::without_look_alikes(content) {
        // Nothing only looks like something else.
        Cow::Borrowed(_) => ("", String::new()),
        Cow::Owned(plain) => (content, plain),
    };
    let meant: Vec<String> = folded_words(&meant).map(Into::into).collect();
    let both = folded_words(written).zip(meant);
    both.filter(|(written, meant)| written != meant)
        .map(|(written, _)| written.into_owned())
}

/// Whether a content denies just what the words it rests on deny: for each of its clauses one of those
/// that share most of its terms. The quote alone may leave the "not" out, so the whole sentence speaks.
pub(super) fn has_same_polarity(
    content: &str,
    is_content_negated: bool,
    said: &Said,
    span: Span,
) -> bool {
    let about = |sentence: &&Sentence| sentence.span.overlaps(span);
    let sentences: Vec<&Sentence> = said.sentences().iter().filter(about).collect();
    if sentences.is_empty() {
        // Beyond what is looked at of a message, nobody knows what it denies.
        return false;
    }
    let is_negated = sentences.iter().any(|sentence| sentence.is_negated);
    if !is_negated && !is_content_negated {
        return true;
    }
    let clauses: Vec<Clause> = sentences
        .iter()
        .flat_map(|sentence| Clause::all(said.slice(sentence.span)))
        .collect();
    let terms = details::content_terms(content, &Cut::of(content));
    denies_alike(content, &clauses, &terms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{MessageNumber, SessionId};

    fn supported(content: &str, known: &str, said: &str) -> bool {
        let turn = Turn {
            session: SessionId::new(uuid::Uuid::nil()),
            said: vec![Said::new(MessageNumber::FIRST, said, &[])],
            untrusted: false,
        };
        let alone = is_supported(content, known, None, &turn);
        let quoted = is_supported(content, known, turn.said.first(), &turn);
        assert_eq!(alone, quoted, "{content}");
        alone
    }

    #[test]
    fn details_are_the_users_own() {
        for (content, known, said, expected) in [
            ("User lives in Ghent", "", "I live in Ghent", true),
            ("User lives in Ghent", "", "I live here", false),
            ("User lives in Ghent", "User likes Ghent", "I do", true),
            ("User has 42 kites", "", "I have 42 kites", true),
            ("User has 43 kites", "", "I have 42 kites", false),
            ("User has 2 kites", "", "I have two kites", true),
            ("User earns 50,000", "", "I earn 50000", true),
            ("User earns 60,000", "", "I earn 50000", false),
            (
                "User moved on March 15",
                "",
                "we moved on the 15th of March",
                true,
            ),
            (
                "User lived there from 2015 to 2019",
                "",
                "I lived there 2015-2019",
                true,
            ),
            ("User runs 10 km", "", "I run 10km", true),
            ("用户34岁", "", "我34岁", true),
            ("用户35岁", "", "我34岁", false),
            ("User is 34", "", "我34岁", true),
            ("User's lawyer is J. Smith", "", "I have a lawyer", false),
            (
                "User works for a bank. Citibank",
                "",
                "I work for a bank",
                false,
            ),
            // Letters of another script inside a word: only as the user wrote them.
            ("User liкes kites", "", "I like kites", false),
            ("User likes kitеs", "", "I like kitеs", true),
            ("User живёт в Москве", "", "я живу в Москве", true),
        ] {
            assert_eq!(supported(content, known, said), expected, "{content}");
        }
    }

    #[test]
    fn a_not_reaches_as_far_as_its_clause() {
        for (said, quote, content, expected) in [
            (
                "I don't eat figs",
                "I don't eat figs",
                "User does not eat figs",
                true,
            ),
            ("I don't eat figs", "eat figs", "User eats figs", false),
            ("I eat figs", "I eat figs", "User does not eat figs", false),
            (
                "I live in Ghent and no it's not always wet",
                "I live in Ghent",
                "User lives in Ghent",
                true,
            ),
            (
                "I'm 34 so please don't call me old",
                "I'm 34",
                "User is 34",
                true,
            ),
            (
                "I'm 34 so please don't call me old",
                "call me old",
                "User wants to be called old",
                false,
            ),
            (
                "I don't like rowing so much",
                "like rowing so much",
                "User likes rowing so much",
                false,
            ),
            (
                "I have no cats and no dogs",
                "I have no cats and no dogs",
                "User has cats and dogs",
                false,
            ),
            (
                "I keep bees which don't sting",
                "I keep bees",
                "User keeps bees",
                true,
            ),
        ] {
            let start = u32::try_from(said.find(quote).unwrap()).unwrap();
            let end = start + u32::try_from(quote.len()).unwrap();
            let heard = Said::new(MessageNumber::FIRST, said, &[]);
            let is_negated = text::is_negated(content);
            let same = has_same_polarity(content, is_negated, &heard, Span { start, end });
            assert_eq!(same, expected, "{said} / {content}");
        }
    }
}
