//! Which characters need a script's own treatment, by range tables. No text is handled here.

/// A group of scripts written without blanks between words, or, for Hangul, with particles
/// attached to them. Runs are cut where the group changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unspaced {
    /// Han, Hiragana, Katakana and Bopomofo: one group because Japanese words mix them.
    EastAsian,
    Hangul,
    Thai,
    Lao,
    Khmer,
    Myanmar,
}

/// Sorted, not overlapping. Digits and punctuation of these scripts are left out.
const UNSPACED: &[(char, char, Unspaced)] = &[
    ('\u{e01}', '\u{e3a}', Unspaced::Thai),
    ('\u{e40}', '\u{e4e}', Unspaced::Thai),
    ('\u{e81}', '\u{ece}', Unspaced::Lao),
    ('\u{edc}', '\u{edf}', Unspaced::Lao),
    ('\u{1000}', '\u{103f}', Unspaced::Myanmar),
    ('\u{1050}', '\u{108f}', Unspaced::Myanmar),
    ('\u{109a}', '\u{109d}', Unspaced::Myanmar),
    ('\u{1100}', '\u{11ff}', Unspaced::Hangul),
    ('\u{1780}', '\u{17d3}', Unspaced::Khmer),
    ('\u{17d7}', '\u{17d7}', Unspaced::Khmer),
    ('\u{17dc}', '\u{17dd}', Unspaced::Khmer),
    ('\u{2e80}', '\u{2fd5}', Unspaced::EastAsian),
    ('\u{3005}', '\u{3007}', Unspaced::EastAsian),
    ('\u{3021}', '\u{3029}', Unspaced::EastAsian),
    ('\u{3031}', '\u{3035}', Unspaced::EastAsian),
    ('\u{3038}', '\u{303c}', Unspaced::EastAsian),
    ('\u{3041}', '\u{309f}', Unspaced::EastAsian),
    ('\u{30a1}', '\u{30fa}', Unspaced::EastAsian),
    ('\u{30fc}', '\u{312f}', Unspaced::EastAsian),
    ('\u{3131}', '\u{318e}', Unspaced::Hangul),
    ('\u{31a0}', '\u{31bf}', Unspaced::EastAsian),
    ('\u{31f0}', '\u{31ff}', Unspaced::EastAsian),
    ('\u{3400}', '\u{4dbf}', Unspaced::EastAsian),
    ('\u{4e00}', '\u{9fff}', Unspaced::EastAsian),
    ('\u{a960}', '\u{a97c}', Unspaced::Hangul),
    ('\u{a9e0}', '\u{a9ef}', Unspaced::Myanmar),
    ('\u{a9fa}', '\u{a9fe}', Unspaced::Myanmar),
    ('\u{aa60}', '\u{aa7f}', Unspaced::Myanmar),
    ('\u{ac00}', '\u{d7fb}', Unspaced::Hangul),
    ('\u{f900}', '\u{faff}', Unspaced::EastAsian),
    ('\u{ff66}', '\u{ff9f}', Unspaced::EastAsian),
    ('\u{ffa1}', '\u{ffdc}', Unspaced::Hangul),
    ('\u{16fe2}', '\u{16fe3}', Unspaced::EastAsian),
    ('\u{16ff0}', '\u{16ff6}', Unspaced::EastAsian),
    ('\u{1aff0}', '\u{1b16f}', Unspaced::EastAsian),
    ('\u{1f200}', '\u{1f200}', Unspaced::EastAsian),
    ('\u{20000}', '\u{3fffd}', Unspaced::EastAsian),
];

/// Scripts whose letters are shaped together, so that a joiner between them changes how a word
/// reads. Tibetan is not among them: it has no use for joiners.
const JOINING: &[(char, char)] = &[
    ('\u{600}', '\u{74f}'),     // Arabic, Syriac
    ('\u{750}', '\u{77f}'),     // Arabic
    ('\u{7c0}', '\u{7ff}'),     // N'Ko
    ('\u{840}', '\u{8ff}'),     // Mandaic, Syriac, Arabic
    ('\u{900}', '\u{df4}'),     // Devanagari to Sinhala
    ('\u{1000}', '\u{109f}'),   // Myanmar
    ('\u{1780}', '\u{17dd}'),   // Khmer
    ('\u{1807}', '\u{18aa}'),   // Mongolian
    ('\u{1a20}', '\u{1aad}'),   // Tai Tham
    ('\u{1b00}', '\u{1c4f}'),   // Balinese to Lepcha
    ('\u{1cd0}', '\u{1cff}'),   // Vedic
    ('\u{a800}', '\u{a82c}'),   // Syloti Nagri
    ('\u{a840}', '\u{a8ff}'),   // Phags-pa to Devanagari
    ('\u{a980}', '\u{aa7f}'),   // Javanese to Myanmar
    ('\u{aae0}', '\u{aaf6}'),   // Meetei Mayek
    ('\u{abc0}', '\u{abf9}'),   // Meetei Mayek
    ('\u{fb50}', '\u{fdff}'),   // Arabic
    ('\u{fe70}', '\u{fefc}'),   // Arabic
    ('\u{10a00}', '\u{10a48}'), // Kharoshthi
    ('\u{10d00}', '\u{10d39}'), // Hanifi Rohingya
    ('\u{11000}', '\u{11a9d}'), // Brahmi and what came from it
    ('\u{11c00}', '\u{11da9}'), // Bhaiksuki to Gunjala Gondi
    ('\u{1e900}', '\u{1e95f}'), // Adlam
];

/// The group of `character` when its script is written without blanks.
pub(super) fn unspaced(character: char) -> Option<Unspaced> {
    if character < UNSPACED[0].0 {
        return None;
    }
    let after = UNSPACED.partition_point(|&(first, _, _)| first <= character);
    let &(_, last, group) = UNSPACED.get(after.checked_sub(1)?)?;
    (character <= last).then_some(group)
}

/// Whether words of the script of `character` are found by its characters, not by the blanks around them.
pub(crate) fn is_unspaced(character: char) -> bool {
    unspaced(character).is_some()
}

/// Whether joiners next to `character` carry meaning.
pub(super) fn joining(character: char) -> bool {
    within(JOINING, character)
}

/// Whether `character` is an ideograph, the only base of the supplementary variation selectors.
pub(super) fn ideograph(character: char) -> bool {
    matches!(character,
        '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3fffd}')
}

/// Whether a sorted table of ranges has `character`.
pub(super) fn within(table: &[(char, char)], character: char) -> bool {
    let after = table.partition_point(|&(first, _)| first <= character);
    after
        .checked_sub(1)
        .and_then(|index| table.get(index))
        .is_some_and(|&(_, last)| character <= last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sorted() {
        assert!(UNSPACED.iter().all(|(first, last, _)| first <= last));
        assert!(UNSPACED.windows(2).all(|pair| pair[0].1 < pair[1].0));
        assert!(JOINING.iter().all(|(first, last)| first <= last));
        assert!(JOINING.windows(2).all(|pair| pair[0].1 < pair[1].0));
    }

    #[test]
    fn groups() {
        let table = [
            ('a', None),
            ('é', None),
            ('ก', Some(Unspaced::Thai)),
            ('๕', None),
            ('ກ', Some(Unspaced::Lao)),
            ('က', Some(Unspaced::Myanmar)),
            ('ក', Some(Unspaced::Khmer)),
            ('我', Some(Unspaced::EastAsian)),
            ('𠮷', Some(Unspaced::EastAsian)),
            ('々', Some(Unspaced::EastAsian)),
            ('ー', Some(Unspaced::EastAsian)),
            ('・', None),
            ('。', None),
            ('ｱ', Some(Unspaced::EastAsian)),
            ('ㄅ', Some(Unspaced::EastAsian)),
            ('한', Some(Unspaced::Hangul)),
            ('क', None),
            ('😀', None),
            (char::MAX, None),
        ];
        for (character, expected) in table {
            assert_eq!(unspaced(character), expected, "{character}");
        }
    }

    #[test]
    fn scripts_with_joiners() {
        for character in ['ی', 'क', '\u{94d}', 'ക', 'ක', 'ក', 'ᠠ'] {
            assert!(joining(character), "{character}");
        }
        for character in ['a', 'é', 'я', '我', 'ก', 'ཀ', '😀', ' ', char::MAX] {
            assert!(!joining(character), "{character}");
        }
    }
}
