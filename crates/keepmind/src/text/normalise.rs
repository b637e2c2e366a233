//! One form for equal texts: NFC for what is stored, folding for what is compared.
//! Cleaning of characters is in `sanitise`, search terms in `terms`.

use std::borrow::Cow;

use caseless::Caseless;
use serde_json::{Map, Value};
use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{UnicodeNormalization, is_nfc};

use super::bytes::{any_byte, has_single_blanks};

const DOT_ABOVE: char = '\u{307}';

/// `text` in Unicode normalisation form C, borrowed when it already is.
///
/// ```
/// assert_eq!(keepmind::text::nfc("cafe\u{301}"), "caf\u{e9}");
/// ```
#[must_use]
pub fn nfc(text: &str) -> Cow<'_, str> {
    // ASCII is by far the most common, and the check for it is much faster than the table.
    if text.is_ascii() || is_nfc(text) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.nfc().collect())
}

/// What a user or a model wrote, in the form in which stores keep text that is not cleaned: composed,
/// and with a blank for each NUL, which no store keeps. Offsets move only where marks compose.
pub(crate) fn storable(text: &str) -> String {
    if is_storable(text) {
        return text.to_owned();
    }
    nfc(&text.replace('\0', " ")).into_owned()
}

/// Whether a text is in the form of [`storable`].
pub(crate) fn is_storable(text: &str) -> bool {
    let is_nul = |byte: &u8| *byte == 0;
    !any_byte(text, is_nul) && (text.is_ascii() || is_nfc(text))
}

/// A value with all of its texts and names in the form of [`storable`], as they are in nearly every one. Nothing where two
/// names of an object become one.
pub(crate) fn storable_value(value: Value) -> Option<Value> {
    Some(match value {
        _ if is_storable_value(&value) => value,
        Value::String(given) => Value::String(storable(&given)),
        Value::Array(items) => Value::Array(
            items
                .into_iter()
                .map(storable_value)
                .collect::<Option<_>>()?,
        ),
        Value::Object(given) => {
            let many = given.len();
            let one = |(name, field): (String, _)| Some((storable(&name), storable_value(field)?));
            let fields: Map<_, _> = given.into_iter().map(one).collect::<Option<_>>()?;
            (fields.len() == many).then_some(Value::Object(fields))?
        }
        other => other,
    })
}

fn is_storable_value(value: &Value) -> bool {
    match value {
        Value::String(given) => is_storable(given),
        Value::Array(items) => items.iter().all(is_storable_value),
        Value::Object(fields) => fields
            .iter()
            .all(|(name, field)| is_storable(name) && is_storable_value(field)),
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
    }
}

/// Vowel signs and accents that belong to the letter before them.
pub(crate) fn is_mark(character: char) -> bool {
    !character.is_ascii() && unicode_normalization::char::is_combining_mark(character)
}

/// The form in which two texts are equal, or one contains the other, whatever their case.
///
/// Full Unicode case folding (`ß` is `SS`, `ς` is `σ`), with canonically equivalent accents made
/// equal, white space trimmed and its runs collapsed to one blank. `İ`, `I` and `i` are equal in
/// every language, so that "İstanbul" is found by "istanbul"; the dotless `ı` stays a letter of
/// its own, as in the Unicode standard. Accents are kept: "café" is not "cafe".
///
/// Folding a folded text changes nothing.
///
/// ```
/// use keepmind::text::fold;
/// assert_eq!(fold("  Hauptstraße\t5 "), fold("HAUPTSTRASSE 5"));
/// assert!(fold("İstanbul'da").contains(&fold("istanbul")));
/// assert_ne!(fold("café"), fold("cafe"));
/// ```
#[must_use]
pub fn fold(text: &str) -> String {
    // Nothing to collapse, as in nearly every content and every word.
    let is_other = |byte: &u8| !byte.is_ascii() || matches!(byte, b'\t'..=b'\r');
    if !any_byte(text, is_other) && has_single_blanks(text) {
        return text.to_ascii_lowercase();
    }
    if text.is_ascii() {
        let mut folded = collapse_white_space(text.chars());
        folded.make_ascii_lowercase();
        return folded;
    }
    // Decomposing first is what the standard asks for (U+0345 folds to a letter), and folding can
    // leave marks out of order, hence the second time.
    let cased = text.nfd().default_case_fold().nfd();
    let mut on_i = false;
    let undotted = cased.filter(move |&character| {
        if canonical_combining_class(character) == 0 {
            on_i = character == 'i';
        }
        !(on_i && character == DOT_ABOVE)
    });
    let collapsed = collapse_white_space(undotted);
    match nfc(&collapsed) {
        Cow::Borrowed(_) => collapsed,
        Cow::Owned(composed) => composed,
    }
}

fn collapse_white_space(characters: impl Iterator<Item = char>) -> String {
    let mut collapsed = String::with_capacity(characters.size_hint().0);
    let mut blank = false;
    for character in characters {
        if character.is_whitespace() {
            blank = !collapsed.is_empty();
            continue;
        }
        if blank {
            collapsed.push(' ');
            blank = false;
        }
        collapsed.push(character);
    }
    collapsed
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nfc_borrows_what_is_composed() {
        // The last two hold marks that could compose, and have nothing to compose with.
        for text in [
            "",
            "plain",
            "caf\u{e9}",
            "한국어",
            "ข้าวมันไก่",
            "x\u{302}",
            "%\u{301}",
        ] {
            assert!(
                matches!(nfc(text), Cow::Borrowed(same) if same == text),
                "{text}"
            );
        }
        assert_eq!(nfc("e\u{301}"), "\u{e9}");
        assert_eq!(nfc("\u{1112}\u{1161}\u{11ab}"), "한");
        assert_eq!(nfc("\u{212b}"), "\u{c5}");
    }

    #[test]
    fn what_is_storable_stays_as_it_is() {
        for (text, stored) in [
            ("", ""),
            ("tea", "tea"),
            ("caf\u{e9}", "caf\u{e9}"),
            ("cafe\u{301}", "caf\u{e9}"),
            ("a\0b", "a b"),
            ("e\0\u{301}", "e \u{301}"),
        ] {
            assert_eq!(storable(text), stored, "{}", text.escape_unicode());
            assert_eq!(is_storable(text), text == stored);
        }
    }

    #[test]
    fn equal_when_folded() {
        let table = [
            ("Straße", "STRASSE"),
            ("STRAẞE", "strasse"),
            ("İstanbul", "istanbul"),
            ("İSTANBUL", "istanbul"),
            ("i\u{307}stanbul", "Istanbul"),
            ("I\u{323}\u{307}x", "i\u{323}x"),
            ("ὈΔΥΣΣΕΎΣ", "ὀδυσσεύς"),
            ("ΣΊΣΥΦΟΣ", "σίσυφος"),
            ("\u{1fb4}", "\u{3ac}\u{3b9}"),
            ("CAFE\u{301}", "caf\u{e9}"),
            ("ĐẶNG", "đa\u{323}\u{306}ng"),
            ("\u{212a}elvin", "kelvin"),
            ("  two\u{a0}\u{3000}\nwords ", "TWO words"),
            ("ﬁ", "FI"),
            ("Ꭰ", "ꭰ"),
            ("\u{2003}", ""),
        ];
        for (left, right) in table {
            assert_eq!(fold(left), fold(right), "{left} {right}");
        }
    }

    #[test]
    fn different_when_folded() {
        for (left, right) in [
            ("café", "cafe"),
            ("kıl", "kil"),
            ("は", "ば"),
            ("ab", "a b"),
        ] {
            assert_ne!(fold(left), fold(right), "{left} {right}");
        }
    }

    #[test]
    fn folding_is_idempotent_for_every_character() {
        // No character beyond has a case or a decomposition.
        for character in '\0'..='\u{2ffff}' {
            let once = fold(&format!("a{character}i\u{301}"));
            assert_eq!(fold(&once), once, "U+{:04X}", u32::from(character));
        }
    }

    proptest! {
        #[test]
        fn plain_texts_fold_alike(text in "[a-zA-Z'. \\t\\x0b\\x1c\\x00]{0,12}") {
            let mut folded = collapse_white_space(text.chars());
            folded.make_ascii_lowercase();
            prop_assert_eq!(fold(&text), folded);
        }

        #[test]
        fn folding_is_idempotent(text in "(?s)[\\PC\\pM\\s\u{345}\u{307}iIİıßς]{0,24}") {
            let once = fold(&text);
            prop_assert_eq!(fold(&once), once);
        }

        #[test]
        fn folding_ignores_the_form(text in "\\PC{0,24}") {
            let decomposed: String = text.nfd().collect();
            prop_assert_eq!(fold(&decomposed), fold(&nfc(&text)));
        }
    }
}
