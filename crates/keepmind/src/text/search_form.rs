//! The form of a text in which search looks for words: one width, one case, no accents.
//! Cutting it into terms is in `terms`; comparing whole texts is in `normalise`.

use std::borrow::Cow;

use caseless::Caseless;
use unicode_normalization::char::is_combining_mark;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use super::bytes::any_byte;
use super::emoji::{skin_tone, variation_selector};

/// Compatibility-normalised, case-folded, without the accents of scripts where they are often
/// left out (Latin, Greek, Cyrillic, Hebrew, Arabic), composed again for those where they are not.
/// Every apostrophe is `'`.
pub(super) fn search_form(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return match any_byte(text, u8::is_ascii_uppercase) {
            true => Cow::Owned(text.to_ascii_lowercase()),
            false => Cow::Borrowed(text),
        };
    }
    let mut form = String::with_capacity(text.len());
    let mut scratch = String::new();
    let mut rest = text;
    loop {
        let plain = rest
            .bytes()
            .position(|byte| !byte.is_ascii())
            .unwrap_or(rest.len());
        // The last plain character may carry the marks that follow it.
        let segment_start = if plain == rest.len() {
            plain
        } else {
            plain.saturating_sub(1)
        };
        let (ascii, segment_on) = rest.split_at(segment_start);
        let copied = form.len();
        form.push_str(ascii);
        form[copied..].make_ascii_lowercase();
        if segment_on.is_empty() {
            return Cow::Owned(form);
        }
        let kept_back = usize::from(plain > 0);
        let length = segment_on
            .bytes()
            .skip(kept_back)
            .take_while(|byte| !byte.is_ascii())
            .count();
        let (segment, after) = segment_on.split_at(kept_back + length);
        fold_segment(segment, &mut scratch);
        if is_nfc_quick(scratch.chars()) == IsNormalized::Yes {
            form.push_str(&scratch);
        } else {
            form.extend(scratch.nfc());
        }
        rest = after;
    }
}

fn fold_segment(segment: &str, folded: &mut String) {
    folded.clear();
    let mut after_arabic = false;
    let prepared = segment.chars().filter_map(move |character| {
        let prepared = prepare(character, after_arabic);
        after_arabic = matches!(character, '\u{600}'..='\u{6ff}' | '\u{750}'..='\u{77f}');
        prepared
    });
    let mut accents_dropped = false;
    for character in prepared.nfkd().default_case_fold() {
        if is_combining_mark(character) {
            if !accents_dropped {
                folded.push(character);
            }
            continue;
        }
        accents_dropped = accents_are_optional(character);
        match character {
            'ı' => folded.push('i'),
            'ł' => folded.push('l'),
            'ø' => folded.push('o'),
            'đ' | 'ð' => folded.push('d'),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            'þ' => folded.push_str("th"),
            // Persian and Arabic keyboards write these two letters differently.
            'ي' | 'ى' => folded.push('ی'),
            'ك' => folded.push('ک'),
            // Only stretches a word.
            '\u{640}' => {}
            '\u{660}'..='\u{669}' => folded.push(digit(character, '\u{660}')),
            '\u{6f0}'..='\u{6f9}' => folded.push(digit(character, '\u{6f0}')),
            other => folded.push(other),
        }
    }
}

fn prepare(character: char, after_arabic: bool) -> Option<char> {
    match character {
        '\u{2018}' | '\u{2019}' | '\u{201b}' | '\u{2bc}' | '\u{ff07}' => Some('\''),
        // Normalising would glue its letters to the word before.
        '\u{2120}' | '\u{2122}' => Some(' '),
        // Persian writes its suffixes behind it; in Indic scripts it only shapes.
        '\u{200c}' => after_arabic.then_some(' '),
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{200b}'
        | '\u{200d}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}' => None,
        other => (!variation_selector(other) && !skin_tone(other)).then_some(other),
    }
}

/// Everything up to Arabic, and the later blocks of Latin, Greek and Cyrillic.
fn accents_are_optional(base: char) -> bool {
    matches!(base,
        '\0'..='\u{6ff}' | '\u{750}'..='\u{77f}' | '\u{8a0}'..='\u{8ff}' | '\u{1e00}'..='\u{1fff}'
        | '\u{2c60}'..='\u{2c7f}' | '\u{a640}'..='\u{a69f}' | '\u{a720}'..='\u{a7ff}')
}

fn digit(character: char, zero: char) -> char {
    char::from_digit(u32::from(character) - u32::from(zero), 10).unwrap_or(character)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn forms() {
        let table = [
            ("", ""),
            ("Plain TEXT.", "plain text."),
            ("café CAFE\u{301} Ångström", "cafe cafe angstrom"),
            ("ＧＰＴ－４ ｶﾞｷﾞ ﬁne", "gpt-4 ガギ fine"),
            ("Straße ΣΊΣΥΦΟΣ σίσυφος", "strasse σισυφοσ σισυφοσ"),
            ("İstanbul Isparta ısırgan", "istanbul isparta isirgan"),
            ("Đặng Thị Hường", "dang thi huong"),
            ("ёлка Ёлка", "елка елка"),
            ("だが か\u{3099}", "だが が"),
            ("ที่ ข้าว", "ที่ ข้าว"),
            ("हिन्दी क्\u{200d}ष", "हिन्दी क्ष"),
            ("한국어 \u{1112}\u{1161}\u{11ab}", "한국어 한"),
            ("می\u{200c}خواهم كتاب", "می خواهم کتاب"),
            ("مُحَمَّد ٢٠٢٤ ۱۴", "محمد 2024 14"),
            ("don’t Anna‘s", "don't anna's"),
            ("phone™ x²", "phone  x2"),
            ("👍🏽 ❤\u{fe0f} 1\u{fe0f}\u{20e3}", "👍 ❤ 1"),
            ("Łódź smørrebrød Æon", "lodz smorrebrod aeon"),
        ];
        for (given, expected) in table {
            assert_eq!(search_form(given), expected, "{given}");
        }
    }

    proptest! {
        #[test]
        fn the_form_of_the_input_does_not_matter(text in "[a-zA-Z éñüßΣйがข้ก็한क्षम']{0,24}") {
            let decomposed: String = text.nfd().collect();
            prop_assert_eq!(search_form(&decomposed), search_form(&text));
        }

        #[test]
        fn any_text_has_one(text in "(?s).{0,32}") {
            search_form(&text);
        }
    }
}
