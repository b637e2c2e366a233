//! What in a content must not be invented: numbers, names, addresses.

use std::borrow::Cow;

use crate::text::{self, Cut, StringSet};

/// Every word of a text, folded, without the English possessive.
pub(super) fn folded_words(text: &str) -> impl Iterator<Item = Cow<'_, str>> {
    words(text).map(folded)
}

fn folded(word: &str) -> Cow<'_, str> {
    let is_folded = |byte: u8| byte.is_ascii() && !byte.is_ascii_uppercase();
    if word.bytes().all(is_folded) {
        return Cow::Borrowed(bare(word));
    }
    let mut folded = text::fold(word);
    folded.truncate(bare(&folded).len());
    Cow::Owned(folded)
}

/// What a content is about: its terms without stop words and words for the user.
pub(super) fn content_terms(content: &str, cut: &Cut) -> StringSet {
    // Not the terms of a query: those are few, and what comes after them would need no support.
    let terms = cut.terms().filter(|term| !text::is_stop_word(term));
    let mut terms: StringSet = terms.collect();
    // Of most words two letters say that they stand for nobody: those need not be folded.
    let words = words(content).filter(|word| text::may_be_user_word(word));
    for word in words.map(folded).filter(|word| text::is_user_word(word)) {
        let of_user = text::terms(&word);
        terms.retain(|term| !of_user.iter().any(|other| other == term));
    }
    terms
}

/// Numbers, and words inside a sentence that are written like names.
pub(super) fn details(content: &str) -> impl Iterator<Item = &str> {
    let mut begins = true;
    let mut last_end = 0;
    words(content).filter(move |word| {
        let start = word.as_ptr() as usize - content.as_ptr() as usize;
        let gap = &content[last_end..start];
        begins |= gap != " " && gap.contains(['.', '!', '?', '\n']);
        last_end = start + word.len();
        let at_beginning = std::mem::replace(&mut begins, false);
        let says_something = || {
            let folded = text::fold(word);
            !text::is_user_word(bare(&folded)) && !text::is_stop_word(&folded)
        };
        let is_name = word.chars().next().is_some_and(char::is_uppercase)
            && !at_beginning
            && word.chars().nth(1).is_some()
            && says_something();
        is_name || word.chars().any(|character| character.is_numeric())
    })
}

/// Runs of letters, marks and digits; an apostrophe, a dot, a comma or a dash inside joins.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    let (plain, other) = match text.is_ascii() {
        true => (text, ""),
        false => ("", text),
    };
    plain_words(plain).chain(any_words(other))
}

fn any_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| {
        !(character.is_alphanumeric()
            || matches!(character, '\'' | '’' | '.' | ',' | '-')
            || text::is_mark(character))
    })
    .flat_map(split_numbers)
    .map(|word| word.trim_matches(['\'', '’', '.', ',', '-']))
    .filter(|word| !word.is_empty())
}

/// [`any_words`] of an ASCII text, byte by byte: nearly every content is one, and looked through often.
fn plain_words(text: &str) -> impl Iterator<Item = &str> {
    let is_letter = |byte: &u8| SIGNS[usize::from(*byte)] == Sign::Letter;
    let belongs = |byte: &u8| SIGNS[usize::from(*byte)] != Sign::Between;
    let mut next = 0;
    std::iter::from_fn(move || {
        let bytes = text.as_bytes();
        let start = next + bytes[next..].iter().position(is_letter)?;
        let run = bytes[start..].iter().take_while(|byte| belongs(byte));
        next = start + run.count();
        let last = bytes[start..next].iter().rposition(is_letter)?;
        text.get(start..=start + last)
    })
}

/// What a byte of an ASCII text is to its words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    /// A letter or a digit.
    Letter,
    /// What joins letters where it stands between them.
    Joint,
    Between,
}

const SIGNS: [Sign; 256] = {
    let mut signs = [Sign::Between; 256];
    let mut byte = 0_u8;
    while byte.is_ascii() {
        signs[byte as usize] = match byte {
            b'\'' | b'.' | b',' | b'-' => Sign::Joint,
            letter if letter.is_ascii_alphanumeric() => Sign::Letter,
            _ => Sign::Between,
        };
        byte += 1;
    }
    signs
};

/// A word parted where a number meets letters of a script that puts no blanks between words.
fn split_numbers(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let is_border = |(before, after): (char, char)| {
            before.is_numeric() && text::is_unspaced(after)
                || text::is_unspaced(before) && after.is_numeric()
        };
        let next = match rest.is_ascii() {
            true => None,
            false => {
                let after = rest.char_indices().skip(1);
                let mut pairs = rest.chars().zip(after);
                pairs.find(|(before, (_, after))| is_border((*before, *after)))
            }
        };
        let end = next.map_or(rest.len(), |(_, (at, _))| at);
        let (part, more) = rest.split_at(end);
        rest = more;
        Some(part)
    })
}

/// A folded word without the English possessive.
fn bare(word: &str) -> &str {
    if !word.ends_with('s') {
        return word;
    }
    word.strip_suffix("'s")
        .or_else(|| word.strip_suffix("’s"))
        .unwrap_or(word)
}

/// What looks like an address on the web or of a mailbox.
pub(super) fn links(text: &str) -> impl Iterator<Item = &str> {
    // Most texts hold no sign of any, but the full stop that they end with.
    let inside = text.trim_end_matches(LINK_ENDS).as_bytes();
    let text = match memchr::memchr2(b'.', b':', inside) {
        Some(_) => text,
        None => "",
    };
    let ends = |character: char| {
        character.is_whitespace()
            || matches!(character, '(' | ')' | '<' | '>' | '"' | '[' | ']' | ',')
    };
    text.split(ends)
        .map(|word| word.trim_end_matches(LINK_ENDS))
        // Most words are none, and need not be copied to see it.
        .filter(|word| word.contains(['.', ':']))
        .filter(|word| {
            let lower = word.to_ascii_lowercase();
            lower.contains("://") || lower.starts_with("www.") || is_host(&lower)
        })
}

/// What ends a sentence, and no address.
const LINK_ENDS: [char; 5] = ['.', '!', '?', ';', ':'];

fn is_host(word: &str) -> bool {
    let host = word.split(['/', '?', '#']).next().unwrap_or_default();
    let (_, after_at) = host.split_once('@').unwrap_or(("", host));
    let Some((name, ending)) = after_at.rsplit_once('.') else {
        return false;
    };
    let labels = |text: &str| {
        text.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.'))
    };
    let has_path = word.len() > host.len() || host.contains('@');
    !name.is_empty()
        && labels(name)
        && name.bytes().any(|byte| byte.is_ascii_alphabetic())
        && ending.len() >= 2
        && ending.bytes().all(|byte| byte.is_ascii_alphabetic())
        && (has_path || COMMON_ENDINGS.contains(&ending))
}

/// Without a path, only what is surely an address: `index.html` and `Node.js` are none.
const COMMON_ENDINGS: &[&str] = &[
    "com", "net", "org", "io", "ai", "dev", "app", "example", "info", "biz", "co", "me", "xyz",
    "top", "ru", "cn", "de", "fr", "uk", "nl", "eu", "ch", "at", "es", "it", "pl", "br", "jp",
    "th",
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn plain_texts_have_the_same_words(text in "([A-Za-z0-9'.,-]{0,6}[ \\t:!(#'.,-]{0,3}){0,6}") {
            prop_assert!(plain_words(&text).eq(any_words(&text)));
        }
    }

    #[test]
    fn links_are_found_with_and_without_a_scheme() {
        let found = |text| links(text).collect::<Vec<_>>();
        assert_eq!(
            found("see https://a.example/x?y=1."),
            ["https://a.example/x?y=1"]
        );
        assert_eq!(
            found("mail me@x.org or (www.b.net)"),
            ["me@x.org", "www.b.net"]
        );
        assert_eq!(found("evil.example is mine"), ["evil.example"]);
        assert!(found("uses Node.js and index.html, e.g. v1.2.3, 3.5 km").is_empty());
    }
}
