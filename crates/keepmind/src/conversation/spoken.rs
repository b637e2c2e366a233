//! What somebody said in a message, as it may be shown: readable, and without what is not theirs.

use std::collections::HashMap;

use crate::memory::Span;
use crate::message::Utterance;
use crate::order;
use crate::text::{self, TextError};

/// A stretch of a message's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stretch<'content> {
    /// The speaker's own words.
    Own(&'content str),
    /// A document or the like that the speaker handed on.
    Foreign(&'content str),
}

/// The content in order, the speaker's own words apart from those that are not. The hidden part is not in
/// the content and never comes along.
pub(super) fn stretches(utterance: &Utterance) -> Vec<Stretch<'_>> {
    let content = utterance.content.as_str();
    let mut foreign: Vec<Span> = utterance.untrusted.clone();
    order::sort_by(&mut foreign, Ord::cmp);
    let mut found = Vec::with_capacity(2 * foreign.len() + 1);
    let mut read = 0;
    for span in foreign {
        // Rather too much than too little is taken for foreign.
        let start = content.floor_char_boundary(span.start as usize).max(read);
        let end = content.ceil_char_boundary((span.end as usize).min(content.len()));
        if end <= start {
            continue;
        }
        found.push(Stretch::Own(&content[read..start]));
        found.push(Stretch::Foreign(&content[start..end]));
        read = end;
    }
    found.push(Stretch::Own(&content[read..]));
    found.retain(|stretch| match stretch {
        Stretch::Own(words) | Stretch::Foreign(words) => !words.trim().is_empty(),
    });
    found
}

/// The speaker's own words.
pub(crate) fn own_words(utterance: &Utterance) -> impl Iterator<Item = &str> {
    stretches(utterance)
        .into_iter()
        .filter_map(|stretch| match stretch {
            Stretch::Own(words) => Some(words),
            Stretch::Foreign(_) => None,
        })
}

/// `text` as one clean line; what [`text::line()`] refuses is a blank. Nothing if it shows nothing.
pub(crate) fn readable_line(text: &str) -> Option<String> {
    readable(text, text::line)
}

/// `text` as a clean passage, likewise.
pub(super) fn readable_passage(text: &str) -> Option<String> {
    readable(text, text::passage)
}

fn readable(text: &str, clean: fn(&str) -> Result<String, TextError>) -> Option<String> {
    match clean(text) {
        Err(TextError::ControlCharacter { .. }) => {}
        result => return result.ok(),
    }
    // One look at each character that occurs: a text may be long, and all of it refused.
    let mut refused: HashMap<char, bool> = HashMap::new();
    let is_refused = |character: char| {
        !matches!(character, ' '..='~')
            && *refused
                .entry(character)
                .or_insert_with(|| text::line(&format!("x{character}x")).is_err())
    };
    clean(&text.replace(is_refused, " ")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Role;
    use crate::timestamp::Timestamp;
    use proptest::prelude::*;

    fn said(content: &str, untrusted: &[(u32, u32)]) -> Utterance {
        let mut utterance = Utterance::new(Role::User, content, Timestamp::UNIX_EPOCH);
        utterance.hidden = Some("hidden".to_owned());
        let span = |&(start, end): &(u32, u32)| Span { start, end };
        utterance.untrusted = untrusted.iter().map(span).collect();
        utterance
    }

    #[test]
    fn foreign_stretches_are_told_apart() {
        use Stretch::{Foreign, Own};
        type Case = (
            &'static str,
            &'static [(u32, u32)],
            &'static [Stretch<'static>],
        );
        let table: &[Case] = &[
            ("mine", &[], &[Own("mine")]),
            (
                "mine theirs",
                &[(5, 11)],
                &[Own("mine "), Foreign("theirs")],
            ),
            (
                "abc",
                &[(2, 9), (0, 1)],
                &[Foreign("a"), Own("b"), Foreign("c")],
            ),
            ("abcd", &[(0, 3), (1, 2)], &[Foreign("abc"), Own("d")]),
            ("äö", &[(1, 3)], &[Foreign("äö")]),
            ("abc", &[(7, 9), (2, 1)], &[Own("abc")]),
        ];
        for (content, untrusted, expected) in table {
            assert_eq!(stretches(&said(content, untrusted)), *expected, "{content}");
        }
    }

    #[test]
    fn what_is_refused_is_a_blank() {
        assert_eq!(readable_line("a\0b\u{202e}c\n").as_deref(), Some("a b c"));
        assert_eq!(readable_passage("a\0\nb").as_deref(), Some("a\nb"));
        assert_eq!(readable_line("\0 \u{200b}"), None);
    }

    proptest! {
        #[test]
        fn any_spans_part_any_content(
            content in "[aäö茶 ]{0,12}",
            spans in proptest::collection::vec((0u32..20, 0u32..9), 0..4),
        ) {
            let spans: Vec<_> = spans.iter().map(|&(start, length)| (start, start + length)).collect();
            let utterance = said(&content, &spans);
            for stretch in stretches(&utterance) {
                if let Stretch::Own(words) = stretch {
                    let start = words.as_ptr() as usize - utterance.content.as_ptr() as usize;
                    let own = Span { start: start as u32, end: (start + words.len()) as u32 };
                    let mut foreign = utterance.untrusted.iter().filter(|span| span.start < span.end);
                    prop_assert!(foreign.all(|span| !span.overlaps(own)));
                }
            }
        }

        #[test]
        fn any_text_is_readable(text in "(?s).{0,48}") {
            if let Some(line) = readable_line(&text) {
                prop_assert_eq!(crate::text::line(&line), Ok(line));
            }
        }
    }
}
