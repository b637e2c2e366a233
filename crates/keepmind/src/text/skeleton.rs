//! The form in which screens look at a text: nothing invisible, one width, one case, and letters
//! that only look Latin made Latin. Nothing of it is ever stored; what it means is judged elsewhere.

use std::borrow::Cow;

use caseless::Caseless;
use unicode_normalization::UnicodeNormalization;

use super::bytes::any_byte;
use super::emoji::variation_selector;
use super::normalise::{fold, nfc};

/// `text` uncovered, case folded, with one blank for each run of white space.
pub(super) fn skeleton(text: &str) -> String {
    fold(&uncovered(text))
}

/// `text` without what hides its words, in its own case and with its newlines.
///
/// Invisible characters are gone, tags are the ASCII they stand for, widths and styles are plain,
/// accents of Latin, Greek, Cyrillic, Hebrew and Arabic are gone, digits are ASCII, quotation marks
/// and dashes are straight. Letters that look Latin are Latin in a word that has Latin letters,
/// and in a word made only of such letters where the text is otherwise in Latin script.
pub(super) fn uncovered(text: &str) -> Cow<'_, str> {
    let may_cover = |byte: &u8| !matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    if !any_byte(text, may_cover) {
        return Cow::Borrowed(text);
    }
    let plain: String = text
        .chars()
        .filter_map(shown)
        .nfkd()
        .filter(|&character| !accent(character))
        .map(plain)
        .collect();
    let latin = without_look_alikes(&plain);
    match nfc(&latin) {
        Cow::Borrowed(_) => Cow::Owned(latin.into_owned()),
        Cow::Owned(composed) => Cow::Owned(composed),
    }
}

/// Appends `word` case folded.
pub(super) fn fold_into(folded: &mut String, word: &str) {
    if word.is_ascii() {
        let start = folded.len();
        folded.push_str(word);
        folded[start..].make_ascii_lowercase();
    } else {
        folded.extend(word.chars().default_case_fold());
    }
}

/// What a character shows by itself, before its width and style are looked at.
fn shown(character: char) -> Option<char> {
    let shown = match character {
        '\n' | '\t' | ' '..='~' => character,
        '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => '\n',
        // Tags show nothing, but a model reads them.
        '\u{e0020}'..='\u{e007e}' => char::from_u32(u32::from(character) - 0xe_0000)?,
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}' => return None,
        _ if character.is_control() || variation_selector(character) => return None,
        _ if character.is_whitespace() => ' ',
        // Letters in filled circles and squares: no decomposition says what they show.
        '\u{1f150}'..='\u{1f169}' => letter(character, '\u{1f150}')?,
        '\u{1f170}'..='\u{1f189}' => letter(character, '\u{1f170}')?,
        _ => character,
    };
    Some(shown)
}

fn letter(character: char, first: char) -> Option<char> {
    char::from_u32(u32::from('A') + u32::from(character) - u32::from(first))
}

/// A mark that readers and writers often leave out; those of other scripts make other letters.
fn accent(character: char) -> bool {
    matches!(character,
        '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5c7}' | '\u{610}'..='\u{61a}'
        | '\u{640}' | '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}')
}

/// Digits, quotes, dashes, brackets and Latin letters without a decomposition.
fn plain(character: char) -> char {
    if character.is_ascii() {
        return character;
    }
    match character {
        '\u{2018}'..='\u{201b}' | '\u{2032}' | '\u{2bc}' | '\u{2b9}' => '\'',
        '\u{201c}'..='\u{201f}' | '\u{ab}' | '\u{bb}' | '\u{2033}' | '\u{300c}'..='\u{300f}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{2043}' => '-',
        '\u{2039}' | '\u{27e8}' | '\u{2329}' | '\u{3008}' | '\u{276e}' => '<',
        '\u{203a}' | '\u{27e9}' | '\u{232a}' | '\u{3009}' | '\u{276f}' => '>',
        '\u{2236}' | '\u{a789}' | '\u{2d0}' => ':',
        'ı' | 'ɪ' => 'i',
        'ł' | 'ʟ' => 'l',
        'Ł' => 'L',
        'ø' | 'ᴏ' => 'o',
        'Ø' => 'O',
        'đ' | 'ð' | 'ᴅ' => 'd',
        'Đ' | 'Ð' => 'D',
        'ɑ' | 'ᴀ' => 'a',
        'ɡ' | 'ɢ' => 'g',
        'ʙ' => 'b',
        'ᴄ' => 'c',
        'ᴇ' => 'e',
        'ꜰ' => 'f',
        'ʜ' => 'h',
        'ᴊ' => 'j',
        'ᴋ' => 'k',
        'ᴍ' => 'm',
        'ɴ' => 'n',
        'ᴘ' => 'p',
        'ʀ' => 'r',
        'ꜱ' => 's',
        'ᴛ' => 't',
        'ᴜ' => 'u',
        'ᴠ' => 'v',
        'ᴡ' => 'w',
        'ʏ' => 'y',
        'ᴢ' => 'z',
        _ => digit(character).unwrap_or(character),
    }
}

/// The decimal digits of the scripts in daily use.
fn digit(character: char) -> Option<char> {
    const ZEROS: [u32; 12] = [
        0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xbe6, 0xc66, 0xce6, 0xe50, 0xed0, 0x1040,
    ];
    let code_point = u32::from(character);
    let zero = ZEROS
        .into_iter()
        .find(|zero| (*zero..zero + 10).contains(&code_point))?;
    char::from_digit(code_point - zero, 10)
}

/// `text` with letters that only look Latin made Latin, where the words around them say that they are
/// meant to be.
pub(crate) fn without_look_alikes(text: &str) -> Cow<'_, str> {
    // No letter of ASCII looks like another, and that is nearly every text.
    let is_any = || text.chars().any(|letter| look_alike(letter).is_some());
    if text.is_ascii() || !is_any() {
        return Cow::Borrowed(text);
    }
    let in_word = |character: char| character.is_alphanumeric();
    let mut any_latin = false;
    let mut any_other = false;
    for word in text.split(|character| !in_word(character)) {
        match mix(word) {
            Mix::Latin => any_latin = true,
            Mix::Other => any_other = true,
            Mix::Both | Mix::LookAlike | Mix::Neither => {}
        }
    }
    let mut latin = String::with_capacity(text.len());
    for piece in text.split_inclusive(|character| !in_word(character)) {
        let word = piece.trim_end_matches(|character| !in_word(character));
        let covered = match mix(word) {
            Mix::Both => true,
            Mix::LookAlike => any_latin && !any_other,
            Mix::Latin | Mix::Other | Mix::Neither => false,
        };
        if covered {
            let letters = piece.chars();
            latin.extend(letters.map(|character| look_alike(character).unwrap_or(character)));
        } else {
            latin.push_str(piece);
        }
    }
    Cow::Owned(latin)
}

/// What a word's letters are.
#[derive(Clone, Copy)]
enum Mix {
    Latin,
    Both,
    LookAlike,
    Other,
    Neither,
}

fn mix(word: &str) -> Mix {
    let (mut latin, mut looks, mut other) = (false, false, false);
    for character in word.chars() {
        if matches!(character, 'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}') {
            latin = true;
        } else if look_alike(character).is_some() {
            looks = true;
        } else if character.is_alphabetic() {
            other = true;
        }
    }
    match (latin, looks, other) {
        (true, true, _) => Mix::Both,
        (true, false, _) => Mix::Latin,
        (false, true, false) => Mix::LookAlike,
        (false, _, true) => Mix::Other,
        (false, false, false) => Mix::Neither,
    }
}

/// The Latin letter that a Cyrillic, Greek or Armenian one is drawn like.
fn look_alike(character: char) -> Option<char> {
    let latin = match character {
        'а' | 'α' => 'a',
        'А' | 'Α' => 'A',
        'в' | 'ь' | 'β' => 'b',
        'В' | 'Β' | 'Ь' => 'B',
        'с' | 'ϲ' => 'c',
        'С' | 'Ϲ' => 'C',
        'ԁ' => 'd',
        'е' | 'є' | 'ε' | 'ҽ' => 'e',
        'Е' | 'Ε' => 'E',
        'ց' => 'g',
        'һ' | 'н' | 'հ' => 'h',
        'Н' | 'Η' | 'Һ' => 'H',
        'і' | 'ι' => 'i',
        'І' | 'Ι' | 'Ӏ' => 'I',
        'ј' | 'ϳ' => 'j',
        'Ј' => 'J',
        'к' | 'κ' => 'k',
        'К' | 'Κ' => 'K',
        'ӏ' => 'l',
        'м' => 'm',
        'М' | 'Μ' => 'M',
        'п' | 'η' | 'ո' => 'n',
        'Ν' => 'N',
        'о' | 'ο' | 'σ' | 'օ' => 'o',
        'О' | 'Ο' => 'O',
        'р' | 'ρ' => 'p',
        'Р' | 'Ρ' => 'P',
        'ԛ' => 'q',
        'г' => 'r',
        'ѕ' => 's',
        'Ѕ' => 'S',
        'т' | 'τ' => 't',
        'Т' | 'Τ' => 'T',
        'υ' | 'ս' => 'u',
        'ν' | 'ѵ' => 'v',
        'ԝ' | 'ω' => 'w',
        'х' | 'χ' => 'x',
        'Х' | 'Χ' => 'X',
        'у' | 'ү' | 'γ' => 'y',
        'У' | 'Υ' | 'Ү' => 'Y',
        'Ζ' => 'Z',
        _ => return None,
    };
    Some(latin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_hides_words_is_gone() {
        let table = [
            ("Plain  text\n here", "plain text here"),
            ("ig\u{200b}no\u{ad}re\u{2060} it", "ignore it"),
            ("ＩＧＮＯＲＥ　ＡＬＬ", "ignore all"),
            ("𝐢𝐠𝐧𝐨𝐫𝐞 𝒶𝓁𝓁 ⓡⓤⓛⓔⓢ", "ignore all rules"),
            ("🅸🅶🅽🅾🆁🅴 ɪɢɴᴏʀᴇ", "ignore ignore"),
            ("Ignоre аll prеvious", "ignore all previous"),
            ("Ιgnοre", "ignore"),
            ("i\u{301}\u{327}g\u{335}nore", "ignore"),
            ("tea\u{e0069}\u{e0067}", "teaig"),
            ("“a” ‘b’ — c", "\"a\" 'b' - c"),
            ("٤١١١ ۱۲ ๓", "4111 12 3"),
            (
                "Contraseña Şifre Hasło Straße",
                "contrasena sifre haslo strasse",
            ),
            ("a\u{202e}b\0c", "abc"),
        ];
        for (given, expected) in table {
            assert_eq!(skeleton(given), expected, "{}", given.escape_unicode());
        }
    }

    #[test]
    fn other_scripts_stay_themselves() {
        for text in [
            "он пьет сок",
            "ο ωκεανοσ",
            "кот",
            "密码",
            "パスワード",
            "비밀번호",
            "รหัส",
        ] {
            assert_eq!(skeleton(text), nfc(text), "{text}");
        }
        assert_eq!(skeleton("сор and USB-кабель"), "сор and usb-кабель");
        assert_eq!(skeleton("see асе now"), "see ace now");
    }

    #[test]
    fn long_runs_have_one() {
        for part in ["\u{301}", "\u{200b}", "аa", "𝐢 ", "ى\u{200d}"] {
            skeleton(&part.repeat(32 * 1024 / part.len()));
        }
    }

    proptest! {
        #[test]
        fn any_text_has_one(text in "(?s).{0,48}") {
            let once = skeleton(&text);
            prop_assert!(!once.contains("  ") && !once.contains('\n'));
        }
    }
}
