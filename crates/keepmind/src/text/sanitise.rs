//! Makes text storable: what hides or reorders is refused, what nobody sees is stripped.
//! Whether the text says something it should not (secrets, instructions) is judged elsewhere.

use std::borrow::Cow;

use super::bytes::{any_byte, has_single_blanks};
use super::cleaned::Cleaned;
use super::emoji::{BLACK_FLAG, flag_tags, tag, variation_selector};
use super::error::TextError;
use super::normalise::nfc;

/// `text` as one storable line, in NFC.
///
/// - Every kind of newline, tabs and all other white space become one blank, runs of them too;
///   none at the ends.
/// - Characters that show nothing (zero-width space, word joiner, byte order mark, soft hyphen,
///   direction marks and the like) are stripped. The zero-width joiner stays inside emoji and
///   after letters of scripts that are shaped by it, the zero-width non-joiner between such
///   letters; a variation selector stays on the character it varies.
///
/// The result passes unchanged when given again.
///
/// # Errors
///
/// [`TextError::ControlCharacter`] for NUL and other controls, bidirectional embeddings,
/// overrides and isolates, tags outside the flags of England, Scotland and Wales, interlinear
/// annotation and noncharacters. [`TextError::Empty`] when nothing visible remains.
///
/// ```
/// use keepmind::text::{TextError, line};
/// assert_eq!(line(" likes\r\n tea\u{200b} ").unwrap(), "likes tea");
/// assert_eq!(
///     line("tea\0"),
///     Err(TextError::ControlCharacter { code_point: 0, position: 3 })
/// );
/// ```
pub fn line(text: &str) -> Result<String, TextError> {
    if is_plain_line(text) {
        return Ok(text.to_owned());
    }
    clean(text, Newlines::Blank)
}

/// Whether a text is in ASCII and surely passes unchanged, as a line and as a passage. Most do, and each is
/// looked at several times on its way into a store.
pub(crate) fn is_plain_line(text: &str) -> bool {
    let is_other = |byte: &u8| !(b' '..=b'~').contains(byte);
    !any_byte(text, is_other) && has_single_blanks(text)
}

/// `text` as a storable passage of one or more lines, in NFC.
///
/// As [`line()`], but newlines are kept, all kinds of them as `\n`; lines have no blanks at their
/// ends, and the passage has no empty lines at its ends.
///
/// The result passes unchanged when given again.
///
/// # Errors
///
/// As [`line()`].
///
/// ```
/// assert_eq!(keepmind::text::passage("one\r\n\ttwo  three\n").unwrap(), "one\ntwo three");
/// ```
pub fn passage(text: &str) -> Result<String, TextError> {
    if is_plain_line(text) {
        return Ok(text.to_owned());
    }
    clean(text, Newlines::Kept)
}

/// Accepts `text` when it has at most `max_chars` characters (Unicode scalar values).
///
/// # Errors
///
/// [`TextError::TooLong`] with how many there are and how many are allowed.
///
/// ```
/// assert!(keepmind::text::limit("ชา", 2).is_ok());
/// assert_eq!(keepmind::text::limit("tea", 2).unwrap_err().code(), "E_LIMIT");
/// ```
pub fn limit(text: &str, max_chars: usize) -> Result<(), TextError> {
    // A character is at least one byte, so short texts need no counting.
    if text.len() <= max_chars {
        return Ok(());
    }
    let characters = text.chars().count();
    if characters > max_chars {
        return Err(TextError::TooLong {
            characters,
            allowed: max_chars,
        });
    }
    Ok(())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Newlines {
    Blank,
    Kept,
}

fn clean(text: &str, newlines: Newlines) -> Result<String, TextError> {
    let mut cleaned = Cleaned::with_capacity(text.len());
    let mut flag_ends_at = 0;
    let mut after_carriage_return = false;
    for (position, character) in text.char_indices() {
        let second_half = after_carriage_return && character == '\n';
        after_carriage_return = character == '\r';
        if character == BLACK_FLAG {
            let after_flag = position + character.len_utf8();
            let tags = text.get(after_flag..).and_then(flag_tags);
            flag_ends_at = tags.map_or(0, |length| after_flag + length);
        }
        if second_half || shows_nothing(character) {
            continue;
        } else if newline(character) {
            cleaned.space(usize::from(newlines == Newlines::Kept));
        } else if character.is_whitespace() {
            cleaned.space(0);
        } else if refused(character) && !(tag(character) && position < flag_ends_at) {
            return Err(TextError::ControlCharacter {
                code_point: u32::from(character),
                position,
            });
        } else {
            cleaned.push(character);
        }
    }
    let text = cleaned.finish();
    // Only now: stripping brings together what composes.
    let text = match nfc(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(composed) => composed,
    };
    if text.chars().all(invisible) {
        return Err(TextError::Empty);
    }
    Ok(text)
}

fn newline(character: char) -> bool {
    matches!(
        character,
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

/// Whether a character shows nothing and changes nothing that is shown: stripped from what is kept.
pub(crate) fn shows_nothing(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
        | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}')
}

fn refused(character: char) -> bool {
    let noncharacter =
        u32::from(character) & 0xfffe == 0xfffe || matches!(character, '\u{fdd0}'..='\u{fdef}');
    noncharacter
        || character.is_control()
        || matches!(character,
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fff0}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e00ff}' | '\u{e01f0}'..='\u{e0fff}')
}

/// Kept where it has a use, but nothing that a reader would call text.
fn invisible(character: char) -> bool {
    character.is_whitespace()
        || variation_selector(character)
        || matches!(character,
            '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200c}' | '\u{200d}' | '\u{2800}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_are_cleaned() {
        let table = [
            ("plain", "plain"),
            (
                "  User writes   C++\t\tand \u{a0}\u{3000}Rust ",
                "User writes C++ and Rust",
            ),
            (
                "a\nb\r\nc\u{85}d\u{2028}e\u{2029}f\u{b}g\u{c}h\ri",
                "a b c d e f g h i",
            ),
            (
                "zero\u{200b}width\u{2060} \u{feff}so\u{ad}ft",
                "zerowidth soft",
            ),
            ("\u{200f}שלום\u{200e} \u{61c}مرحبا", "שלום مرحبا"),
            ("cafe\u{200b}\u{301}", "caf\u{e9}"),
            ("e\u{34f}\u{301}", "\u{e9}"),
            ("ab\u{200d}c\u{200c}d", "abcd"),
            ("می\u{200c}خواهم", "می\u{200c}خواهم"),
            ("می\u{200c}\u{200c}\u{200d}\u{200b}خواهم", "می\u{200c}خواهم"),
            ("می\u{200c} خواهم\u{200c}", "می خواهم"),
            ("क्\u{200d}ष", "क्\u{200d}ष"),
            ("क्\u{200c}ष", "क्\u{200c}ष"),
            ("ന്\u{200d} x", "ന്\u{200d} x"),
            ("র\u{200d}্য", "র\u{200d}্য"),
            (
                "👨\u{200d}👩\u{200d}👧\u{200d}👦",
                "👨\u{200d}👩\u{200d}👧\u{200d}👦",
            ),
            ("👩🏽\u{200d}🚀 👍🏿", "👩🏽\u{200d}🚀 👍🏿"),
            ("❤\u{fe0f}\u{200d}🔥", "❤\u{fe0f}\u{200d}🔥"),
            ("👩\u{200d}x 👩\u{200d}", "👩x 👩"),
            (
                "🇩🇪 🏳\u{fe0f}\u{200d}🌈 1\u{fe0f}\u{20e3}",
                "🇩🇪 🏳\u{fe0f}\u{200d}🌈 1\u{fe0f}\u{20e3}",
            ),
            (
                "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}!",
                "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}!",
            ),
            ("葛\u{e0100}城 a\u{e0100}", "葛\u{e0100}城 a"),
            ("😀\u{fe01}\u{fe02}\u{e0101}", "😀\u{fe01}"),
            ("ผมชอบกินข้าวมันไก่", "ผมชอบกินข้าวมันไก่"),
            ("\u{212b}ngstro\u{308}m", "Ångström"),
            ("private \u{e000}", "private \u{e000}"),
        ];
        for (given, expected) in table {
            assert_eq!(
                line(given).as_deref(),
                Ok(expected),
                "{}",
                given.escape_unicode()
            );
            assert_eq!(line(expected).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn passages_keep_newlines() {
        let table = [
            ("a\r\nb\rc\nd", "a\nb\nc\nd"),
            ("\n\n a \t b \n\n  c\n\n", "a b\n\nc"),
            ("a\u{85}b\u{2028}c\u{2029}d\u{b}e\u{c}f", "a\nb\nc\nd\ne\nf"),
            ("a\r\r\nb", "a\n\nb"),
            ("می\u{200c}\nخواهم", "می\nخواهم"),
        ];
        for (given, expected) in table {
            assert_eq!(
                passage(given).as_deref(),
                Ok(expected),
                "{}",
                given.escape_unicode()
            );
        }
    }

    #[test]
    fn what_hides_or_reorders_is_refused_with_its_place() {
        let refused = [
            '\0',
            '\u{1}',
            '\u{1b}',
            '\u{1f}',
            '\u{7f}',
            '\u{80}',
            '\u{9f}',
            '\u{202a}',
            '\u{202e}',
            '\u{2066}',
            '\u{2069}',
            '\u{fff9}',
            '\u{fffb}',
            '\u{fffe}',
            '\u{ffff}',
            '\u{fdd0}',
            '\u{1ffff}',
            '\u{10ffff}',
            '\u{e0001}',
            '\u{e0041}',
            '\u{e007f}',
            '\u{e0080}',
        ];
        for character in refused {
            let expected = Err(TextError::ControlCharacter {
                code_point: u32::from(character),
                position: 5,
            });
            assert_eq!(line(&format!("é \u{ad}{character}")), expected);
            assert_eq!(passage(&format!("tea: {character}x")), expected);
        }
        for smuggled in [
            "🏴\u{e0069}\u{e0067}\u{e006e}\u{e006f}\u{e0072}\u{e0065}\u{e007f}",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}\u{e0041}",
        ] {
            assert_eq!(
                line(smuggled).map_err(|error| error.code()),
                Err("E_CONTROL_CHARS")
            );
        }
    }

    #[test]
    fn nothing_visible_is_empty() {
        for text in [
            "",
            " ",
            "\n\t",
            " \u{200b}\u{a0} ",
            "\u{200d}\u{fe0f}",
            "\u{ad}\u{3164}",
            "\u{2800}",
        ] {
            assert_eq!(
                line(text),
                Err(TextError::Empty),
                "{}",
                text.escape_unicode()
            );
            assert_eq!(
                passage(text),
                Err(TextError::Empty),
                "{}",
                text.escape_unicode()
            );
        }
    }

    #[test]
    fn limits_count_characters() {
        assert_eq!(limit("", 0), Ok(()));
        assert_eq!(limit("éé", 2), Ok(()));
        assert_eq!(
            limit("ééé", 2),
            Err(TextError::TooLong {
                characters: 3,
                allowed: 2
            })
        );
    }

    #[test]
    fn a_run_of_joiners_costs_no_more_than_its_length() {
        let text = format!("ی{} x", "\u{200c}".repeat(200_000));
        assert_eq!(line(&text).as_deref(), Ok("ی x"));
    }

    /// Characters that touch each other's rules far more often than random ones would.
    fn tricky() -> impl Strategy<Value = String> {
        let character = prop_oneof![
            prop::sample::select(vec![
                '\u{200c}',
                '\u{200d}',
                '\u{fe0f}',
                '\u{fe00}',
                '\u{e0100}',
                'ی',
                '\u{64e}',
                '\u{651}',
                '\u{301}',
                '\u{323}',
                '\u{34f}',
                'क',
                '\u{93c}',
                '\u{94d}',
                '\u{958}',
                '\u{9c7}',
                '\u{9be}',
                'e',
                'i',
                ' ',
                '\n',
                '\r',
                '👩',
                '🏽',
                '❤',
                '🏴',
                '🇩',
                '我',
                '\u{fa10}',
                '\u{3099}',
                'か',
                '\u{1100}',
                '\u{1161}',
                '\u{11a8}',
                '\u{200b}',
                '\u{1026}',
            ]),
            any::<char>(),
        ];
        prop::collection::vec(character, 0..24).prop_map(String::from_iter)
    }

    proptest! {
        #[test]
        fn cleaning_is_idempotent(text in tricky()) {
            if let Ok(once) = line(&text) {
                prop_assert_eq!(line(&once), Ok(once.clone()));
                prop_assert_eq!(passage(&once), Ok(once.clone()));
                prop_assert_eq!(nfc(&once), once.as_str());
                prop_assert!(!once.contains("  ") && once.trim() == once);
            }
            if let Ok(once) = passage(&text) {
                prop_assert_eq!(passage(&once), Ok(once.clone()));
                let one_line = once.split('\n').filter(|part| !part.is_empty()).collect::<Vec<_>>();
                prop_assert_eq!(line(&once), Ok(one_line.join(" ")));
            }
        }

        #[test]
        fn what_is_plain_is_cleaned_already(text in "[ab~ ]{0,6}|[ -\\x7f\n\té]{0,40}") {
            if is_plain_line(&text) {
                prop_assert_eq!(clean(&text, Newlines::Blank), Ok(text.clone()));
                prop_assert_eq!(clean(&text, Newlines::Kept), Ok(text));
            } else if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
                prop_assert_ne!(clean(&text, Newlines::Blank), Ok(text));
            }
        }

        #[test]
        fn both_forms_refuse_the_same(text in "(?s).{0,12}") {
            prop_assert_eq!(line(&text).map_err(|e| e.code()).err(), passage(&text).map_err(|e| e.code()).err());
        }
    }
}
