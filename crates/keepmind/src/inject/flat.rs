//! A text as one line, whatever it was: what every stored line already is. What a line may mean to a
//! reader is the escaping's business.

use std::borrow::Cow;

use crate::text;

/// `text` as one line, empty if it shows nothing. What was cleaned on its way in passes as it is; of
/// anything else, what cannot be stored becomes a blank.
pub(super) fn flat(text: &str) -> Cow<'_, str> {
    if is_flat(text) {
        return Cow::Borrowed(text);
    }
    let cleaned = text::line(text).or_else(|_| {
        let refused = |character: char| {
            let alone = text::line(&format!("x{character}x"));
            questionable(character) && alone.is_err()
        };
        let blank = |character| if refused(character) { ' ' } else { character };
        text::line(&text.chars().map(blank).collect::<String>())
    });
    Cow::Owned(cleaned.unwrap_or_default())
}

/// True for what cleaning would surely leave as it is. A block looks at every byte of every row, so the
/// loops have no branches and only other scripts than ASCII are looked at by the character.
fn is_flat(text: &str) -> bool {
    let is_control = |byte: &u8| (*byte < b' ') | (*byte == 0x7f);
    !text::any_byte(text, is_control)
        && text::has_single_blanks(text)
        && (text.is_ascii() || !text.chars().any(questionable))
}

/// True for every character that cleaning could refuse, strip or turn into a blank.
fn questionable(character: char) -> bool {
    match character {
        ' '..='~' => false,
        '\0'..='\u{a0}' => true,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{1680}' => true,
        '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202f}' | '\u{205f}'..='\u{206f}' => true,
        '\u{3000}' | '\u{3164}' | '\u{fdd0}'..='\u{fdef}' | '\u{feff}' | '\u{ffa0}' => true,
        '\u{fff0}'..='\u{ffff}' | '\u{e0000}'..='\u{e0fff}' => true,
        _ => character > '\u{ffff}' && u32::from(character) & 0xfffe == 0xfffe,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cheap question must never answer "fine" for a character that cleaning would not leave alone.
    #[test]
    fn cleaning_leaves_alone_what_is_not_questionable() {
        let stays = |character: char, text: String| {
            let cleaned = text::line(&text);
            cleaned.is_ok_and(|cleaned| cleaned == text::nfc(&text)) || questionable(character)
        };
        for character in ('\0'..=char::MAX).filter(|character| *character != ' ') {
            // A variation selector stays on some characters only, and shows nothing.
            if !matches!(character, '\u{fe00}'..='\u{fe0f}' | '\u{180b}'..='\u{180f}') {
                assert!(
                    stays(character, format!("x{character}x")),
                    "{}",
                    character.escape_unicode()
                );
            }
        }
    }
}
