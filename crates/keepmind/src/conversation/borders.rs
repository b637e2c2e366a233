//! Where a text may be cut so that a reader does not stumble: between characters as they are seen, between
//! words, between sentences. Cleaning a text is in `text`.

use std::ops::RangeInclusive;

use crate::text;

/// What stands where a text was cut.
pub(super) const ELLIPSIS: char = '…';

/// How far back from a limit a blank is looked for, as a share of the limit: a script without blanks, or one
/// endless word, is cut at the limit instead.
const LOOK_BACK: usize = 3;

/// The characters of a text as a reader sees them, with where each begins: a letter with its marks, an emoji
/// with what is joined to it, a flag.
///
/// Coarser than the Unicode standard where that is simpler: nothing is parted after a joiner or a virama.
pub(super) fn clusters(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (start, first) = rest.next()?;
        let mut last = first;
        let mut flag_is_open = is_half_flag(first);
        while let Some(&(_, next)) = rest.peek() {
            let completes_flag = flag_is_open && is_half_flag(next);
            if !completes_flag && !belongs(last, next) {
                break;
            }
            flag_is_open = false;
            last = next;
            rest.next();
        }
        let end = rest.peek().map_or(text.len(), |&(position, _)| position);
        Some((start, &text[start..end]))
    })
}

/// Whether `next` is drawn together with the character before it.
fn belongs(before: char, next: char) -> bool {
    if before.is_ascii() && next.is_ascii() {
        return before == '\r' && next == '\n';
    }
    if before.is_whitespace() || before.is_control() {
        return false;
    }
    text::is_mark(next)
        || matches!(next,
            // Joiners, vowels of Thai and Lao that are letters by their category, voicing of half-width
            // Katakana, skin tones, tags of flags.
            '\u{200c}' | '\u{200d}' | '\u{e33}' | '\u{eb3}' | '\u{ff9e}' | '\u{ff9f}'
            | '\u{1f3fb}'..='\u{1f3ff}' | '\u{e0020}'..='\u{e007f}'
            // Vowels and finals of Hangul written in parts.
            | '\u{1160}'..='\u{11ff}')
        || (before == '\u{200d}' && !next.is_ascii())
        || (is_virama(before) && next.is_alphabetic())
}

fn is_half_flag(character: char) -> bool {
    matches!(character, '\u{1f1e6}'..='\u{1f1ff}')
}

fn is_virama(character: char) -> bool {
    unicode_normalization::char::canonical_combining_class(character) == 9
}

/// The beginning of a text, of at most `most` characters (Unicode scalar values) and without blanks at its
/// end: up to a blank if one is near, otherwise between characters as they are seen.
pub(super) fn head(text: &str, most: usize) -> &str {
    let Some((limit, _)) = text.char_indices().nth(most) else {
        return text.trim_end();
    };
    let is_border = text[limit..].starts_with(char::is_whitespace);
    let nearest = text.char_indices().nth(most - most / LOOK_BACK);
    let nearest = nearest.map_or(limit, |(position, _)| position).min(limit);
    let blank = text[nearest..limit].rfind(char::is_whitespace);
    let cut = if is_border {
        limit
    } else if let Some(blank) = blank {
        nearest + blank
    } else {
        floor(text, limit)
    };
    let head = text[..cut].trim_end();
    // Marks without end are no reason to show nothing.
    if head.is_empty() {
        text[..limit].trim_end()
    } else {
        head
    }
}

/// The end of a text, as [`head`] is its beginning.
pub(super) fn tail(text: &str, most: usize) -> &str {
    let length = text.chars().count();
    let Some(dropped) = length.checked_sub(most).filter(|&dropped| dropped > 0) else {
        return text.trim_start();
    };
    let at = |index: usize| {
        let found = text.char_indices().nth(index);
        found.map_or(text.len(), |(position, _)| position)
    };
    let limit = at(dropped);
    let farthest = at(dropped + most / LOOK_BACK);
    let before_blank = text[..limit].ends_with(char::is_whitespace);
    let cut = if before_blank {
        limit
    } else if let Some(blank) = text[limit..farthest].find(char::is_whitespace) {
        limit + blank
    } else {
        ceiling(text, limit)
    };
    let tail = text[cut..].trim_start();
    if tail.is_empty() {
        text[limit..].trim_start()
    } else {
        tail
    }
}

/// The text, or its beginning with an ellipsis: at most `most` characters.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    if text::limit(text, most).is_ok() {
        return text.to_owned();
    }
    let mut short = head(text, most.saturating_sub(1)).to_owned();
    short.push(ELLIPSIS);
    short
}

/// What the largest number makes that makes anything. A smaller one must not make more; where the range is
/// empty, its end is all there is.
pub(super) fn fullest<Made>(
    range: RangeInclusive<usize>,
    make: impl Fn(usize) -> Option<Made>,
) -> Option<Made> {
    let (mut low, mut high) = range.into_inner();
    let mut best = make(high);
    if best.is_some() {
        return best;
    }
    while low < high {
        let middle = low + (high - low) / 2;
        match make(middle) {
            Some(made) => {
                best = Some(made);
                low = middle + 1;
            }
            None => high = middle,
        }
    }
    best
}

/// The last border between characters as they are seen that is not after `position`.
pub(super) fn floor(text: &str, position: usize) -> usize {
    around(text, position).0
}

/// The first such border that is not before `position`.
pub(super) fn ceiling(text: &str, position: usize) -> usize {
    around(text, position).1
}

fn around(text: &str, position: usize) -> (usize, usize) {
    if position >= text.len() {
        return (text.len(), text.len());
    }
    // What stands before the last blank cannot reach over it.
    let from = text[..text.floor_char_boundary(position)]
        .rfind(char::is_whitespace)
        .unwrap_or(0);
    for (start, cluster) in clusters(&text[from..]) {
        let (start, end) = (from + start, from + start + cluster.len());
        if start == position {
            return (position, position);
        }
        if position < end {
            return (start, end);
        }
    }
    (text.len(), text.len())
}

/// The sentences of a text, trimmed, without those that show nothing. A line end ends one.
pub(super) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .flat_map(sentences_of_line)
        .map(str::trim)
        .filter(|sentence| !sentence.is_empty())
}

fn sentences_of_line(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut characters = line.char_indices().peekable();
    while let Some((position, character)) = characters.next() {
        let ends_anywhere = matches!(character, '。' | '！' | '？' | '｡' | '।' | '॥' | '။' | '។');
        if !ends_anywhere && !matches!(character, '.' | '!' | '?' | '…' | '؟' | '۔' | ';' | '։')
        {
            continue;
        }
        let mut end = position + character.len_utf8();
        while let Some(&(next_position, next)) = characters.peek() {
            if !is_closing(next) {
                break;
            }
            end = next_position + next.len_utf8();
            characters.next();
        }
        let after = &line[end..];
        let is_blank = after.is_empty() || after.starts_with(char::is_whitespace);
        if ends_anywhere || is_blank && !goes_on(character, &line[start..position]) {
            found.push(&line[start..end]);
            start = end;
        }
    }
    found.push(&line[start..]);
    found
}

fn is_closing(character: char) -> bool {
    matches!(
        character,
        '.' | '!'
            | '?'
            | '…'
            | '。'
            | '！'
            | '？'
            | '"'
            | '\''
            | '”'
            | '’'
            | '»'
            | ')'
            | ']'
            | '」'
            | '』'
            | '）'
            | '*'
    )
}

/// Whether a mark that usually ends a sentence does not: "Dr. Lee", "J. Bach", "e.g. this".
fn goes_on(mark: char, before: &str) -> bool {
    const ABBREVIATIONS: &[&str] = &[
        "dr", "mr", "mrs", "ms", "prof", "st", "no", "nr", "vs", "etc", "approx", "ca", "bzw",
    ];
    // A semicolon ends a question in Greek only.
    if mark == ';' {
        return !before
            .chars()
            .any(|letter| matches!(letter, '\u{370}'..='\u{3ff}'));
    }
    if mark != '.' {
        return false;
    }
    let word = before
        .rsplit(|letter: char| !letter.is_alphanumeric())
        .next()
        .unwrap_or("");
    let is_dotted = before[..before.len() - word.len()].ends_with('.');
    let is_letter = word.chars().count() == 1 && word != "I";
    let is_initial = is_letter && (is_dotted || word.chars().all(char::is_uppercase));
    let starts_list =
        !before.trim().is_empty() && before.trim().chars().all(|letter| letter.is_ascii_digit());
    is_initial || starts_list || ABBREVIATIONS.contains(&word.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn characters_as_they_are_seen() {
        let table: &[(&str, &[&str])] = &[
            ("", &[]),
            ("ab", &["a", "b"]),
            ("e\u{301}x", &["e\u{301}", "x"]),
            ("ที่นี่", &["ที่", "นี่"]),
            ("น้ำ", &["น้ำ"]),
            ("👩🏽\u{200d}🚀👍", &["👩🏽\u{200d}🚀", "👍"]),
            ("🇩🇪🇫🇷🇮", &["🇩🇪", "🇫🇷", "🇮"]),
            ("क्षत्रिय", &["क्ष", "त्रि", "य"]),
            ("ｶﾞｽ", &["ｶﾞ", "ｽ"]),
            ("\r\nx", &["\r\n", "x"]),
            ("\u{1112}\u{1161}\u{11ab}", &["\u{1112}\u{1161}\u{11ab}"]),
        ];
        for (text, expected) in table {
            let found: Vec<&str> = clusters(text).map(|(_, cluster)| cluster).collect();
            assert_eq!(found, *expected, "{text}");
        }
    }

    #[test]
    fn heads_and_tails() {
        assert_eq!(head("one two three", 9), "one two");
        assert_eq!(head("one two three", 7), "one two");
        assert_eq!(head("one two", 70), "one two");
        assert_eq!(head("abcdefghij", 4), "abcd");
        assert_eq!(head("aที่ที่", 3), "a");
        assert_eq!(head("我喜欢喝茶", 3), "我喜欢");
        assert_eq!(head("anything", 0), "");
        assert_eq!(tail("one two three", 10), "two three");
        assert_eq!(tail("one two three", 9), "two three");
        assert_eq!(tail("abcdefghij", 4), "ghij");
        assert_eq!(tail("x", 4), "x");
        assert_eq!(tail("x", 0), "");
        assert_eq!(shortened("one two three", 10), "one two…");
        assert_eq!(shortened("one", 3), "one");
    }

    #[test]
    fn sentences_of_texts() {
        let table: &[(&str, &[&str])] = &[
            ("", &[]),
            ("One. Two!  Three?", &["One.", "Two!", "Three?"]),
            (
                "Dr. Lee met J. Bach, e.g. there. Yes.",
                &["Dr. Lee met J. Bach, e.g. there.", "Yes."],
            ),
            ("It costs 3.50 now. OK", &["It costs 3.50 now.", "OK"]),
            (
                "\"Really?!\" she said. No",
                &["\"Really?!\"", "she said.", "No"],
            ),
            (
                "我住在北京。我有一只猫！",
                &["我住在北京。", "我有一只猫！"],
            ),
            ("a\n\nb", &["a", "b"]),
            ("1. First thing. Next", &["1. First thing.", "Next"]),
            ("मैं यहाँ हूँ। ठीक", &["मैं यहाँ हूँ।", "ठीक"]),
            ("a; b", &["a; b"]),
            (
                "i like tea. so do I. ok",
                &["i like tea.", "so do I.", "ok"],
            ),
        ];
        for (text, expected) in table {
            assert_eq!(sentences(text).collect::<Vec<_>>(), *expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn clusters_make_up_the_text(text in "(?s).{0,48}") {
            let joined: String = clusters(&text).map(|(_, cluster)| cluster).collect();
            prop_assert_eq!(joined, text);
        }

        #[test]
        fn any_text_is_cut(text in "(?s)[ a\u{301}ที่👩\u{200d}🇩我\n\\PC]{0,48}", most in 0usize..50) {
            prop_assert!(head(&text, most).chars().count() <= most);
            prop_assert!(tail(&text, most).chars().count() <= most);
            prop_assert!(shortened(&text, most.max(1)).chars().count() <= most.max(1));
            for position in 0..=text.len() + 1 {
                prop_assert!(text.is_char_boundary(floor(&text, position)));
                prop_assert!(text.is_char_boundary(ceiling(&text, position)));
            }
            prop_assert!(sentences(&text).all(|sentence| text.contains(sentence)));
        }
    }
}
