//! Whether a content is written about the user, and not in their voice: once it stands in a prompt, nobody
//! knows who "I" is.

use std::borrow::Cow;

use crate::plan::details::folded_words;
use crate::text;

/// Words that a content in the first person begins with. Not "mi", "ma" or "im", which are other words
/// elsewhere.
const FIRST: &[&str] = &[
    "i",
    "i'm",
    "i've",
    "i'd",
    "i'll",
    "my",
    "we",
    "we're",
    "we've",
    "our",
    "ich",
    "mein",
    "meine",
    "wir",
    "yo",
    "je",
    "j'ai",
    "j'aime",
    "j'habite",
    "nous",
    "я",
    "мой",
    "моя",
    "मैं",
    "मेरा",
    "मेरी",
    "أنا",
];

/// The same where no blank ends a word.
const FIRST_PIECES: &[&str] = &["我", "私", "僕", "俺", "저는", "나는", "제가", "내가"];

/// Whether a content speaks as the user. One that names the user speaks about them, however it begins.
pub(in crate::plan) fn is_first_person(content: &str) -> bool {
    let content = match content.is_ascii() {
        true => Cow::Borrowed(content),
        false => Cow::Owned(content.replace('’', "'")),
    };
    let mut words = folded_words(&content);
    let first = words.next();
    let has_piece = || FIRST_PIECES.iter().any(|piece| content.starts_with(piece));
    let begins =
        first.is_some_and(|word| FIRST.contains(&&*word)) || !content.is_ascii() && has_piece();
    begins && !words.any(|word| text::is_user_word(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_speaks() {
        for content in [
            "I like tea",
            "I’m from Ghent",
            "My dog is called Rex",
            "we have two cats",
            "Ich wohne in Köln",
            "J'ai un chat",
            "我喜欢喝茶",
        ] {
            assert!(is_first_person(content), "{content}");
        }
        for content in [
            "User likes tea",
            "User said I am late",
            "Mi Band owner",
            "Im Winter fährt User Ski",
            "My Chemical Romance is User's favourite band",
            "Das Haus des Nutzers",
            "La usuaria vive en Lima",
            "用户喜欢茶",
            "",
        ] {
            assert!(!is_first_person(content), "{content}");
        }
    }
}
