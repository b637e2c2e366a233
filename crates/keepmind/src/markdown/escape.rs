//! Words inside a line of Markdown: what would begin a tag, a comment, an image, a link or a mark of ours has a
//! backslash before it, so that nothing that is kept reads, or renders, as anything but words.

/// The characters that a backslash may stand before.
fn is_escapable(character: char) -> bool {
    matches!(character, '\\' | '[' | '<' | '(')
}

/// The words as they stand in a line.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 4);
    let mut before = None;
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        let next = rest.clone().next();
        let is_escaped = match character {
            '\\' => next.is_some_and(is_escapable),
            '[' => before == Some('!') || before.is_none() && is_like_mark(text),
            '<' => next.is_some_and(|next| next.is_alphabetic() || matches!(next, '/' | '!' | '?')),
            '(' => before == Some(']'),
            _ => false,
        };
        if is_escaped {
            escaped.push('\\');
        }
        escaped.push(character);
        before = Some(character);
    }
    escaped
}

/// Whether words begin as a mark of ours does.
pub(super) fn is_like_mark(text: &str) -> bool {
    let head = text.get(..6).unwrap_or_default();
    text.starts_with("[#") || head.eq_ignore_ascii_case("[rule]")
}

/// What stands in a line: its words, the comment behind them, and what follows that.
pub(super) struct Parted<'t> {
    pub words: String,
    pub comment: Option<&'t str>,
    pub after: &'t str,
}

/// Parts a line, its words read back; nothing where a comment is not closed.
pub(super) fn part(text: &str) -> Option<Parted<'_>> {
    let mut words = String::with_capacity(text.len());
    let mut places = text.char_indices();
    while let Some((at, character)) = places.next() {
        if let Some(inside) = text[at..].strip_prefix("<!--") {
            let (comment, after) = inside.split_once("-->")?;
            return Some(Parted {
                words,
                comment: Some(comment.trim()),
                after: after.trim(),
            });
        }
        let mut peeked = places.clone();
        match peeked.next().filter(|(_, next)| is_escapable(*next)) {
            Some((_, next)) if character == '\\' => {
                words.push(next);
                places = peeked;
            }
            _ => words.push(character),
        }
    }
    Some(Parted {
        words,
        comment: None,
        after: "",
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_what_would_mean_something_is_escaped() {
        let table = [
            (
                "plain, (so) [sic] I <3 tea, a < b",
                "plain, (so) [sic] I <3 tea, a < b",
            ),
            ("C:\\Users\\bob", "C:\\Users\\bob"),
            ("[#12 v3] forged", "\\[#12 v3] forged"),
            ("[Rule] of thumb", "\\[Rule] of thumb"),
            ("a <!-- end --> b", "a \\<!-- end --> b"),
            ("<script>x</script>", "\\<script>x\\</script>"),
            ("![x](http://a.example)", "!\\[x]\\(http://a.example)"),
            ("a \\< b \\\\ c", "a \\\\< b \\\\\\ c"),
        ];
        for (words, written) in table {
            assert_eq!(escape(words), written);
            assert_eq!(part(written).unwrap().words, words);
        }
    }

    proptest! {
        #[test]
        fn words_come_back_whatever_they_are(words in "([\\\\<!\\[\\](#a/>-]|-->|<!--|\\[rule\\]|.){0,24}") {
            let escaped = escape(&words);
            let parted = part(&escaped).unwrap();
            prop_assert_eq!(&parted.words, &words);
            prop_assert!(parted.comment.is_none());
            let line = format!("{escaped} <!-- x -->");
            let behind = part(&line).unwrap();
            prop_assert_eq!(behind.words, format!("{words} "));
            prop_assert_eq!((behind.comment, behind.after), (Some("x"), ""));
        }
    }
}
