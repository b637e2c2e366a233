//! Corrections that say only what is other: "it's Turin now, not Milan".

use super::super::StatementKind::Profile;
use super::super::frames::Reading;
use super::super::words::Word;

/// What a clause and the rest of its sentence put right. `moved` says that the user moved in the clause
/// before; `known` is what was read earlier, the latest last.
pub(in crate::extract::spoken) fn corrected(
    words: &[Word<'_>],
    moved: bool,
    known: &[&str],
) -> Option<Reading> {
    let is_it = words.first()?.form == "it" && words.get(1)?.form == "is";
    if !is_it {
        return None;
    }
    let rest = &words[2..];
    let end = rest
        .iter()
        .enumerate()
        .position(|(index, word)| {
            index > 0 && (!word.follows() || word.is(&["now", "not", "instead", "these"]))
        })
        .unwrap_or(rest.len());
    let new = written(rest.get(..end)?);
    let denied = rest
        .iter()
        .position(|word| word.form == "not")
        .filter(|&at| at >= end);
    let old = denied
        .map(|at| written(&rest[at + 1..]))
        .filter(|old| !old.is_empty());
    if new.is_empty() || end > 4 {
        return None;
    }
    // Without what it is not: the words it rests on say what it is.
    let length = 2 + end + usize::from(rest.get(end).is_some_and(|word| word.form == "now"));
    if let Some(old) = &old
        && let Some(before) = known.iter().rev().find(|known| has_word(known, old))
    {
        return Some(Reading {
            length,
            content: before.replacen(old.as_str(), &new, 1),
            kind: Profile,
        });
    }
    (moved && rest[0].is_capital()).then(|| Reading {
        length,
        content: format!("User lives in {new}"),
        kind: Profile,
    })
}

fn written(words: &[Word<'_>]) -> String {
    let words: Vec<&str> = words.iter().map(|word| word.written).collect();
    words.join(" ")
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|letter: char| letter.is_whitespace() || letter == ',')
        .any(|part| part == word)
        || word.contains(' ') && text.contains(word)
}

/// Anything that the user asked to be remembered and that says something: kept as it was said.
pub(in crate::extract::spoken) fn anything(words: &[Word<'_>]) -> Option<Reading> {
    let says = words.iter().any(|word| {
        word.is(&[
            "is", "are", "has", "have", "was", "needs", "lives", "works", "likes", "hates",
            "starts", "ends", "will", "can", "does",
        ])
    });
    let first = words.first()?;
    let hidden = words.iter().any(|word| word.is(super::nouns::SECRETS));
    let told = first.is(&["my", "our", "the"]) || first.is_capital();
    if !(says || told)
        || hidden
        || words.len() < 3
        || first.is(&[
            "to", "you", "it", "that", "this", "what", "how", "when", "if", "who", "where", "they",
            "he", "she", "there",
        ])
    {
        return None;
    }
    let mut content = super::rewrite::turned(words).replacen("their ", "User's ", 1);
    if first.is(&["my", "our"]) {
        content = format!("User's {}", super::rewrite::turned(&words[1..]));
    }
    Some(Reading {
        length: words.len(),
        content,
        kind: super::super::StatementKind::Fact,
    })
}
