//! A text written otherwise: with other letters, other blanks, and marks that nobody sees.

use crate::workload::Random;

/// How a text is written otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Letters {
    Upper,
    Lower,
    MixedCase,
    DoubleBlanks,
    /// Characters without width in the middle of words.
    Invisible,
    /// Marks that change the direction, and change it back.
    Bidi,
    /// Letters and their marks apart.
    Decomposed,
    CurlyQuotes,
    /// Letters of other scripts that look the same.
    Homoglyphs,
    Fullwidth,
}

impl Letters {
    pub const ALL: [Letters; 10] = [
        Letters::Upper,
        Letters::Lower,
        Letters::MixedCase,
        Letters::DoubleBlanks,
        Letters::Invisible,
        Letters::Bidi,
        Letters::Decomposed,
        Letters::CurlyQuotes,
        Letters::Homoglyphs,
        Letters::Fullwidth,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Letters::Upper => "upper",
            Letters::Lower => "lower",
            Letters::MixedCase => "mixed_case",
            Letters::DoubleBlanks => "double_blanks",
            Letters::Invisible => "invisible",
            Letters::Bidi => "bidi",
            Letters::Decomposed => "decomposed",
            Letters::CurlyQuotes => "curly_quotes",
            Letters::Homoglyphs => "homoglyphs",
            Letters::Fullwidth => "fullwidth",
        }
    }

    /// Whether a quote written so is the same quote.
    pub fn is_same_quote(self) -> bool {
        matches!(
            self,
            Letters::DoubleBlanks
                | Letters::Invisible
                | Letters::Bidi
                | Letters::Decomposed
                | Letters::CurlyQuotes
        )
    }

    pub fn write(self, text: &str, random: &mut Random) -> String {
        let each = |letter: fn(char) -> char| text.chars().map(letter).collect();
        match self {
            Letters::Upper => text.to_uppercase(),
            Letters::Lower => text.to_lowercase(),
            Letters::MixedCase => text
                .chars()
                .flat_map(|letter| match random.below(2) {
                    0 => letter.to_uppercase().collect::<Vec<_>>(),
                    _ => letter.to_lowercase().collect(),
                })
                .collect(),
            Letters::DoubleBlanks => text.replace(' ', "  "),
            Letters::Invisible => between(text, random, |random| {
                const NONE: [&str; 5] = ["\u{200b}", "\u{2060}", "\u{feff}", "\u{ad}", "\u{200b}"];
                random.choose(&NONE).to_owned()
            }),
            Letters::Bidi => {
                const PAIRS: [(&str, &str); 3] = [
                    ("\u{202a}", "\u{202c}"),
                    ("\u{2066}", "\u{2069}"),
                    ("\u{200e}", "\u{200e}"),
                ];
                let (open, close) = PAIRS[random.below(PAIRS.len())];
                format!("{open}{text}{close}")
            }
            Letters::Decomposed => text.chars().map(decomposed).collect(),
            Letters::CurlyQuotes => each(|letter| match letter {
                '\'' => '’',
                '"' => '”',
                other => other,
            }),
            Letters::Homoglyphs => text
                .chars()
                .map(|letter| match random.below(2) {
                    0 => homoglyph(letter),
                    _ => letter,
                })
                .collect(),
            Letters::Fullwidth => each(fullwidth),
        }
    }
}

/// Something between some of the letters of a text, never inside a character that takes several.
fn between(text: &str, random: &mut Random, mut mark: impl FnMut(&mut Random) -> String) -> String {
    let mut written = String::new();
    let mut was_letter = false;
    for letter in text.chars() {
        let is_letter = letter.is_ascii_alphanumeric();
        if was_letter && is_letter && random.below(3) == 0 {
            written.push_str(&mark(random));
        }
        was_letter = is_letter;
        written.push(letter);
    }
    written
}

fn decomposed(letter: char) -> String {
    const MARKED: &[(char, &str)] = &[
        ('á', "a\u{301}"),
        ('é', "e\u{301}"),
        ('í', "i\u{301}"),
        ('ó', "o\u{301}"),
        ('ú', "u\u{301}"),
        ('ñ', "n\u{303}"),
        ('ö', "o\u{308}"),
        ('ü', "u\u{308}"),
        ('ä', "a\u{308}"),
        ('ğ', "g\u{306}"),
        ('ş', "s\u{327}"),
        ('İ', "I\u{307}"),
        ('ç', "c\u{327}"),
        ('è', "e\u{300}"),
        ('ê', "e\u{302}"),
    ];
    let found = MARKED.iter().find(|(marked, _)| *marked == letter);
    found.map_or_else(|| letter.to_string(), |(_, apart)| (*apart).to_owned())
}

fn homoglyph(letter: char) -> char {
    match letter {
        'a' => 'а',
        'e' => 'е',
        'o' => 'о',
        'p' => 'р',
        'c' => 'с',
        'x' => 'х',
        'y' => 'у',
        'i' => 'і',
        's' => 'ѕ',
        'j' => 'ј',
        'A' => 'А',
        'B' => 'В',
        'E' => 'Е',
        'K' => 'К',
        'M' => 'М',
        'H' => 'Н',
        'O' => 'О',
        'P' => 'Р',
        'C' => 'С',
        'T' => 'Т',
        'X' => 'Х',
        'I' => 'І',
        other => other,
    }
}

fn fullwidth(letter: char) -> char {
    match letter {
        '!'..='~' => char::from_u32(letter as u32 + 0xfee0).unwrap_or(letter),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_written_otherwise() {
        for (letters, text, written) in [
            (Letters::Upper, "Tea é", "TEA É"),
            (Letters::DoubleBlanks, "a b", "a  b"),
            (Letters::CurlyQuotes, "it's", "it’s"),
            (Letters::Decomposed, "Zoé", "Zoe\u{301}"),
            (Letters::Fullwidth, "a 5", "ａ ５"),
        ] {
            assert_eq!(letters.write(text, &mut Random::of(&[1])), written);
        }
        let random = &mut Random::of(&[2]);
        let hidden = Letters::Invisible.write("remember tea", random);
        assert_ne!(hidden, "remember tea");
        let is_seen = |letter: &char| letter.is_ascii();
        assert_eq!(
            hidden.chars().filter(is_seen).collect::<String>(),
            "remember tea"
        );
        let alike = Letters::Homoglyphs.write("aaaaaaaa", random);
        assert!(alike.contains('а') && alike.chars().count() == 8);
        let marked = Letters::Bidi.write("tea", random);
        assert!(marked.contains("tea") && marked.chars().count() == 5);
    }

    #[test]
    fn the_same_seed_writes_the_same() {
        for letters in Letters::ALL {
            let write = || letters.write("I keep Bees", &mut Random::of(&[9]));
            assert_eq!(write(), write(), "{}", letters.name());
        }
    }
}
