//! Whether a content is written about the user, and not in their voice: once it stands in a prompt, nobody
//! knows who "I" is.

use crate::plan::details::folded_words;

/// Words that a content in the first person begins with. Not "mi" or "ma", which are other words elsewhere.
const FIRST: &[&str] = &[
    "i", "i'm", "i've", "i'd", "i'll", "im", "ive", "my", "we", "we're", "we've", "our", "ich",
    "mein", "meine", "wir", "yo", "je", "j'ai", "j'aime", "j'habite", "nous", "我", "我的", "我们",
    "私は", "я", "мой", "моя", "eu", "io",
];

/// Whether a content speaks as the user.
pub(super) fn is_first_person(content: &str) -> bool {
    let content = content.replace('’', "'");
    folded_words(&content)
        .next()
        .is_some_and(|word| FIRST.contains(&&*word))
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
        ] {
            assert!(is_first_person(content), "{content}");
        }
        for content in [
            "User likes tea",
            "User said I am late",
            "Mi Band owner",
            "Das Haus des Nutzers",
            "La usuaria vive en Lima",
            "用户喜欢茶",
            "",
        ] {
            assert!(!is_first_person(content), "{content}");
        }
    }
}
