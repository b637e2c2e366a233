//! Where words, characters and emoji begin and end in a search form. What becomes of them is
//! decided in `terms`.

use std::ops::ControlFlow;

use unicode_normalization::char::is_combining_mark;

use super::bytes::alphanumeric_length;
use super::emoji::{pictograph, regional_indicator, tag};
use super::script::{Unspaced, ideograph, unspaced};

/// A piece of a search form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'form> {
    /// Letters and digits of a script with blanks between words; no apostrophes.
    Word(&'form str),
    /// One character, with its marks, of a script without blanks between words: where it is a
    /// word by itself often enough (ideographs, Hangul), or stands alone.
    Character(&'form str),
    /// Two neighbours of such a script.
    Pair(&'form str),
    /// A pictograph or a flag.
    Emoji(&'form str),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Word,
    Unspaced(Unspaced),
    Mark,
    Pictograph,
    RegionalIndicator,
    Apostrophe,
    Separator,
}

fn class(character: char) -> Class {
    if character.is_ascii() {
        return match character {
            'a'..='z' | '0'..='9' | 'A'..='Z' => Class::Word,
            '\'' => Class::Apostrophe,
            _ => Class::Separator,
        };
    }
    if is_combining_mark(character) || tag(character) {
        Class::Mark
    } else if let Some(group) = unspaced(character) {
        Class::Unspaced(group)
    } else if pictograph(character) {
        Class::Pictograph
    } else if character.is_alphanumeric() {
        Class::Word
    } else if regional_indicator(character) {
        Class::RegionalIndicator
    } else {
        Class::Separator
    }
}

/// Calls `visit` with each token in order until it breaks.
pub(super) fn for_each_token(form: &str, mut visit: impl FnMut(Token<'_>) -> ControlFlow<()>) {
    let mut rest = form;
    while let Some(first) = rest.chars().next() {
        if let Some(length) = plain_word(rest) {
            if length > 0 && visit(Token::Word(&rest[..length])).is_break() {
                return;
            }
            rest = &rest[length.max(1)..];
            continue;
        }
        let (length, flow) = match class(first) {
            Class::Word => {
                let length = word_length(rest);
                (length, visit_word(&rest[..length], &mut visit))
            }
            Class::Unspaced(group) => visit_run(rest, group, &mut visit),
            Class::Pictograph => {
                let length = first.len_utf8() + length_while(&rest[first.len_utf8()..], tag);
                (length, visit(Token::Emoji(&rest[..length])))
            }
            Class::RegionalIndicator => {
                let second = rest[first.len_utf8()..]
                    .chars()
                    .next()
                    .filter(|&c| regional_indicator(c));
                let length = first.len_utf8() + second.map_or(0, char::len_utf8);
                (length, visit(Token::Emoji(&rest[..length])))
            }
            Class::Mark | Class::Apostrophe | Class::Separator => {
                (first.len_utf8(), ControlFlow::Continue(()))
            }
        };
        if flow.is_break() {
            return;
        }
        rest = &rest[length..];
    }
}

/// The length of the ASCII word that a text begins with, 0 where it begins with what is between words;
/// nothing where it takes a closer look, because of an apostrophe or another script.
fn plain_word(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let length = alphanumeric_length(bytes);
    match bytes.get(length) {
        None => Some(length),
        Some(next) => (next.is_ascii() && *next != b'\'').then_some(length),
    }
}

fn length_while(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|character| !belongs(character))
        .unwrap_or(text.len())
}

/// An apostrophe belongs to a word only between its letters.
fn word_length(text: &str) -> usize {
    let mut length = 0;
    let mut apostrophe = false;
    for (position, character) in text.char_indices() {
        match class(character) {
            Class::Word | Class::Mark => {
                apostrophe = false;
                length = position + character.len_utf8();
            }
            Class::Apostrophe if !apostrophe => apostrophe = true,
            _ => break,
        }
    }
    length
}

fn visit_word(word: &str, visit: &mut impl FnMut(Token<'_>) -> ControlFlow<()>) -> ControlFlow<()> {
    let Some((head, tail)) = word.rsplit_once('\'') else {
        return visit(Token::Word(word));
    };
    let cyrillic = |character| matches!(character, '\u{400}'..='\u{52f}');
    if (tail == "t" && head.ends_with('n')) || head == "o" || tail.starts_with(cyrillic) {
        // "don't", "O'Brien", and Ukrainian, where it stands inside of words.
        return visit(Token::Word(&word.replace('\'', "")));
    }
    let parts = if matches!(tail, "s" | "d" | "m" | "ll" | "re" | "ve") {
        head
    } else {
        word
    };
    parts
        .split('\'')
        .try_for_each(|part| visit(Token::Word(part)))
}

/// Visits the characters and pairs of the run at the start of `text`; answers its length too.
fn visit_run(
    text: &str,
    group: Unspaced,
    visit: &mut impl FnMut(Token<'_>) -> ControlFlow<()>,
) -> (usize, ControlFlow<()>) {
    let mut before = None;
    let mut start = 0;
    let mut length = character_length(text, group);
    loop {
        let end = start + length;
        let next_length = character_length(&text[end..], group);
        let mut flow = ControlFlow::Continue(());
        if let Some(before) = before {
            flow = visit(Token::Pair(&text[before..end]));
        }
        let alone = before.is_none() && next_length == 0;
        if flow.is_continue() && (alone || word_by_itself(&text[start..end], group)) {
            flow = visit(Token::Character(&text[start..end]));
        }
        if flow.is_break() || next_length == 0 {
            return (end, flow);
        }
        before = Some(start);
        start = end;
        length = next_length;
    }
}

fn word_by_itself(character: &str, group: Unspaced) -> bool {
    group == Unspaced::Hangul || character.starts_with(ideograph)
}

/// The length of the first character with its marks, 0 when it is of another group.
fn character_length(text: &str, group: Unspaced) -> usize {
    let Some(first) = text
        .chars()
        .next()
        .filter(|&first| class(first) == Class::Unspaced(group))
    else {
        return 0;
    };
    let marks = &text[first.len_utf8()..];
    first.len_utf8() + length_while(marks, |character| class(character) == Class::Mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(form: &str, at_most: usize) -> Vec<String> {
        let mut found = Vec::new();
        for_each_token(form, |token| {
            found.push(match token {
                Token::Word(part) => format!("word {part}"),
                Token::Character(part) => format!("character {part}"),
                Token::Pair(part) => format!("pair {part}"),
                Token::Emoji(part) => format!("emoji {part}"),
            });
            if found.len() < at_most {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        found
    }

    #[test]
    fn pieces() {
        let table: &[(&str, &[&str])] = &[
            ("", &[]),
            ("'tis o'clock''s", &["word tis", "word oclock", "word s"]),
            (
                "y'all've l'eau",
                &["word y", "word all", "word l", "word eau"],
            ),
            (
                "3月5日",
                &["word 3", "character 月", "word 5", "character 日"],
            ),
            ("ที่นี่", &["pair ที่นี่"]),
            ("ก", &["character ก"]),
            ("ไทย中", &["pair ไท", "pair ทย", "character 中"]),
            ("の猫", &["pair の猫", "character 猫"]),
            ("🇩🇪🇫", &["emoji 🇩🇪", "emoji 🇫"]),
            (
                "🏴\u{e0067}\u{e0062}x",
                &["emoji 🏴\u{e0067}\u{e0062}", "word x"],
            ),
            ("\u{301}a\u{94d}", &["word a\u{94d}"]),
        ];
        for (form, expected) in table {
            assert_eq!(tokens(form, usize::MAX), *expected, "{form}");
        }
    }

    #[test]
    fn plain_words_need_no_closer_look() {
        let table = [
            ("", Some(0)),
            (" tea", Some(0)),
            ("tea", Some(3)),
            ("tea-", Some(3)),
            ("401k.", Some(4)),
            ("o'clock", None),
            ("caf\u{e9}", None),
            ("e\u{301}", None),
            ("'s", None),
            ("猫", None),
        ];
        for (text, length) in table {
            assert_eq!(plain_word(text), length, "{text}");
        }
    }

    #[test]
    fn stops_when_told() {
        for form in ["a b c", "猫狗猫", "a'b'c", "🇩🇪 🇫🇷 🇮🇹"] {
            assert_eq!(tokens(form, 2).len(), 2, "{form}");
        }
    }
}
