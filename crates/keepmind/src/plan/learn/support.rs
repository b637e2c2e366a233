//! Whether a content says no more than the user did: its names and numbers are theirs, and it denies just
//! what they denied.

use crate::memory::Span;
use crate::plan::details::{details, folded_words, links};
use crate::plan::said::{Clause, Said, Sentence, denies_alike};
use crate::plan::{Turn, details};
use crate::text::{self, Cut, StringSet};

/// Whether every name, link and number of two digits or more stands in the user's words, or in a text
/// that is known.
pub(super) fn is_supported(content: &str, known: &str, turn: &Turn) -> bool {
    let known_words: StringSet = folded_words(known).collect();
    let known_terms: StringSet = Cut::of(known).terms().collect();
    let sentences = || turn.said.iter().flat_map(Said::sentences);
    let words = details(content).filter(|word| !is_small(word));
    let is_said = |word: &str| {
        let folded = folded_words(word);
        folded.into_iter().all(|word| {
            // "Tuesdays" is said by "every Tuesday"; a number has no other form.
            let terms = text::terms(&word);
            let is_number = word.chars().any(char::is_numeric);
            let by_terms = |has: &dyn Fn(&String) -> bool| {
                !is_number && !terms.is_empty() && terms.iter().all(has)
            };
            known_words.contains(&word)
                || by_terms(&|term| known_terms.contains(term))
                || sentences().any(|sentence| {
                    sentence.words.contains(&word)
                        || by_terms(&|term| sentence.terms.contains(term))
                })
        })
    };
    let folded_known = text::fold(known);
    let is_linked = |link: &str| {
        let link = text::fold(link);
        folded_known.contains(&link) || sentences().any(|said| said.folded.contains(&link))
    };
    words.into_iter().all(is_said) && links(content).all(is_linked)
}

/// A number of one digit: "two cats" may well be "2 cats".
fn is_small(word: &str) -> bool {
    let digits = word.chars().filter(|letter| letter.is_numeric()).count();
    digits == 1 && word.chars().count() == 1
}

/// Whether a content denies just what the words it rests on deny: for each of its clauses one of those
/// that share most of its terms. The quote alone may leave the "not" out, so the whole sentence speaks.
pub(super) fn has_same_polarity(content: &str, said: &Said, span: Span) -> bool {
    let about = |sentence: &&Sentence| sentence.span.overlaps(span);
    let sentences: Vec<&Sentence> = said.sentences().iter().filter(about).collect();
    let is_negated = sentences.iter().any(|sentence| sentence.is_negated);
    if !is_negated && !text::is_negated(content) {
        return true;
    }
    let clauses: Vec<Clause> = sentences
        .iter()
        .flat_map(|sentence| Clause::all(said.slice(sentence.span)))
        .collect();
    let terms = details::content_terms(content, &Cut::of(content));
    denies_alike(content, &clauses, &terms)
}
