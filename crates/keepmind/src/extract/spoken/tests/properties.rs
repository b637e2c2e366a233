//! Any text and any spans: no panic, and every statement rests on the user's own words.

use proptest::prelude::*;

use super::{chat, statements};
use crate::memory::Span;
use crate::message::Role;

/// Pieces of which sentences are made that reach far into the reader.
const PIECES: &[&str] = &[
    "I",
    "I'm",
    "I’ve",
    "my",
    "wife",
    "our",
    "dog",
    "'s",
    "live in",
    "Ghent",
    ", ",
    ". ",
    "? ",
    " and ",
    "not",
    "don't",
    "remember that",
    "forget",
    "actually",
    "it's",
    "34",
    "if",
    "\n",
    "\"",
    "“",
    "'",
    "`",
    "```",
    ": ",
    "always",
    "never",
    "use",
    "when you",
    "as a",
    "nurse",
    "been",
    "since",
    "2015",
    "years",
    "ich",
    "wohne in",
    "mein",
    "heißt",
    "vivo en",
    "mi",
    "hija",
    "se llama",
    "no",
    "je",
    "j'habite à",
    "😂",
    "我",
    "e\u{301}",
    "ß",
    "İ",
    "have",
    "got",
    "a",
    "the",
    "allergic to",
    "would",
    "rather",
    "than",
    "call me",
    "moved",
    "now",
    "(",
    ")",
    "—",
];

proptest! {
    #[test]
    fn every_statement_rests_on_own_words(
        pieces in prop::collection::vec(0..PIECES.len(), 0..40),
        noise in "(?s).{0,60}",
        spans in prop::collection::vec((0u32..200, 0u32..40), 0..4),
        asked in prop::option::of("(?s).{0,30}|Where do you live\\?"),
    ) {
        let words: Vec<&str> = pieces.iter().map(|&index| PIECES[index]).collect();
        for content in [words.join(" "), format!("{}{noise}{}", words.concat(), words.join(" ")), noise.clone()] {
            let asked = asked.as_deref().unwrap_or("");
            let mut messages = chat(&[(Role::Assistant, asked), (Role::User, &content), (Role::User, &content)]);
            messages[1].utterance.untrusted = spans
                .iter()
                .map(|&(start, length)| Span { start, end: start + length })
                .collect();
            for statement in statements(&messages) {
                let message = &messages[statement.message.get() as usize - 1].utterance;
                let span = statement.span;
                let quote = message.content.get(span.start as usize..span.end as usize);
                prop_assert!(quote.is_some_and(|quote| !quote.trim().is_empty()));
                let mut foreign = message.untrusted.iter().filter(|foreign| foreign.start < foreign.end);
                prop_assert!(foreign.all(|foreign| !foreign.overlaps(span)));
                prop_assert!(!statement.content.contains(['\n', '\r']));
                prop_assert!(!statement.content.trim().is_empty());
            }
        }
    }
}

#[test]
fn long_messages_are_read_to_their_end() {
    for piece in [
        "I live in Ghent, ",
        "' \" “ ` ",
        "a: b\n",
        "and ",
        "I ",
        "Dear x,\n",
        "``",
    ] {
        let content = piece.repeat(60_000 / piece.len());
        // A reader that is not linear would take minutes here.
        statements(&chat(&[(Role::User, &content)]));
    }
}
