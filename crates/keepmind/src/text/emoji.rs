//! What makes up an emoji: pictographs, their modifiers, flags. No text is handled here.

use super::script::within;

/// Joins pictographs to one emoji, and letters of some scripts.
pub(super) const ZERO_WIDTH_JOINER: char = '\u{200d}';
/// The base of the flags of England, Scotland and Wales.
pub(super) const BLACK_FLAG: char = '\u{1f3f4}';

/// Extended_Pictographic of Unicode 17: every emoji that can take part in a joined sequence.
const PICTOGRAPHS: &[(char, char)] = &[
    ('\u{a9}', '\u{a9}'),
    ('\u{ae}', '\u{ae}'),
    ('\u{203c}', '\u{203c}'),
    ('\u{2049}', '\u{2049}'),
    ('\u{2122}', '\u{2122}'),
    ('\u{2139}', '\u{2139}'),
    ('\u{2194}', '\u{2199}'),
    ('\u{21a9}', '\u{21aa}'),
    ('\u{231a}', '\u{231b}'),
    ('\u{2328}', '\u{2328}'),
    ('\u{23cf}', '\u{23cf}'),
    ('\u{23e9}', '\u{23f3}'),
    ('\u{23f8}', '\u{23fa}'),
    ('\u{24c2}', '\u{24c2}'),
    ('\u{25aa}', '\u{25ab}'),
    ('\u{25b6}', '\u{25b6}'),
    ('\u{25c0}', '\u{25c0}'),
    ('\u{25fb}', '\u{25fe}'),
    ('\u{2600}', '\u{2604}'),
    ('\u{260e}', '\u{260e}'),
    ('\u{2611}', '\u{2611}'),
    ('\u{2614}', '\u{2615}'),
    ('\u{2618}', '\u{2618}'),
    ('\u{261d}', '\u{261d}'),
    ('\u{2620}', '\u{2620}'),
    ('\u{2622}', '\u{2623}'),
    ('\u{2626}', '\u{2626}'),
    ('\u{262a}', '\u{262a}'),
    ('\u{262e}', '\u{262f}'),
    ('\u{2638}', '\u{263a}'),
    ('\u{2640}', '\u{2640}'),
    ('\u{2642}', '\u{2642}'),
    ('\u{2648}', '\u{2653}'),
    ('\u{265f}', '\u{2660}'),
    ('\u{2663}', '\u{2663}'),
    ('\u{2665}', '\u{2666}'),
    ('\u{2668}', '\u{2668}'),
    ('\u{267b}', '\u{267b}'),
    ('\u{267e}', '\u{267f}'),
    ('\u{2692}', '\u{2697}'),
    ('\u{2699}', '\u{2699}'),
    ('\u{269b}', '\u{269c}'),
    ('\u{26a0}', '\u{26a1}'),
    ('\u{26a7}', '\u{26a7}'),
    ('\u{26aa}', '\u{26ab}'),
    ('\u{26b0}', '\u{26b1}'),
    ('\u{26bd}', '\u{26be}'),
    ('\u{26c4}', '\u{26c5}'),
    ('\u{26c8}', '\u{26c8}'),
    ('\u{26ce}', '\u{26cf}'),
    ('\u{26d1}', '\u{26d1}'),
    ('\u{26d3}', '\u{26d4}'),
    ('\u{26e9}', '\u{26ea}'),
    ('\u{26f0}', '\u{26f5}'),
    ('\u{26f7}', '\u{26fa}'),
    ('\u{26fd}', '\u{26fd}'),
    ('\u{2702}', '\u{2702}'),
    ('\u{2705}', '\u{2705}'),
    ('\u{2708}', '\u{270d}'),
    ('\u{270f}', '\u{270f}'),
    ('\u{2712}', '\u{2712}'),
    ('\u{2714}', '\u{2714}'),
    ('\u{2716}', '\u{2716}'),
    ('\u{271d}', '\u{271d}'),
    ('\u{2721}', '\u{2721}'),
    ('\u{2728}', '\u{2728}'),
    ('\u{2733}', '\u{2734}'),
    ('\u{2744}', '\u{2744}'),
    ('\u{2747}', '\u{2747}'),
    ('\u{274c}', '\u{274c}'),
    ('\u{274e}', '\u{274e}'),
    ('\u{2753}', '\u{2755}'),
    ('\u{2757}', '\u{2757}'),
    ('\u{2763}', '\u{2764}'),
    ('\u{2795}', '\u{2797}'),
    ('\u{27a1}', '\u{27a1}'),
    ('\u{27b0}', '\u{27b0}'),
    ('\u{27bf}', '\u{27bf}'),
    ('\u{2934}', '\u{2935}'),
    ('\u{2b05}', '\u{2b07}'),
    ('\u{2b1b}', '\u{2b1c}'),
    ('\u{2b50}', '\u{2b50}'),
    ('\u{2b55}', '\u{2b55}'),
    ('\u{3030}', '\u{3030}'),
    ('\u{303d}', '\u{303d}'),
    ('\u{3297}', '\u{3297}'),
    ('\u{3299}', '\u{3299}'),
    ('\u{1f004}', '\u{1f004}'),
    ('\u{1f02c}', '\u{1f02f}'),
    ('\u{1f094}', '\u{1f09f}'),
    ('\u{1f0af}', '\u{1f0b0}'),
    ('\u{1f0c0}', '\u{1f0c0}'),
    ('\u{1f0cf}', '\u{1f0d0}'),
    ('\u{1f0f6}', '\u{1f0ff}'),
    ('\u{1f170}', '\u{1f171}'),
    ('\u{1f17e}', '\u{1f17f}'),
    ('\u{1f18e}', '\u{1f18e}'),
    ('\u{1f191}', '\u{1f19a}'),
    ('\u{1f1ae}', '\u{1f1e5}'),
    ('\u{1f201}', '\u{1f20f}'),
    ('\u{1f21a}', '\u{1f21a}'),
    ('\u{1f22f}', '\u{1f22f}'),
    ('\u{1f232}', '\u{1f23a}'),
    ('\u{1f23c}', '\u{1f23f}'),
    ('\u{1f249}', '\u{1f25f}'),
    ('\u{1f266}', '\u{1f321}'),
    ('\u{1f324}', '\u{1f393}'),
    ('\u{1f396}', '\u{1f397}'),
    ('\u{1f399}', '\u{1f39b}'),
    ('\u{1f39e}', '\u{1f3f0}'),
    ('\u{1f3f3}', '\u{1f3f5}'),
    ('\u{1f3f7}', '\u{1f3fa}'),
    ('\u{1f400}', '\u{1f4fd}'),
    ('\u{1f4ff}', '\u{1f53d}'),
    ('\u{1f549}', '\u{1f54e}'),
    ('\u{1f550}', '\u{1f567}'),
    ('\u{1f56f}', '\u{1f570}'),
    ('\u{1f573}', '\u{1f57a}'),
    ('\u{1f587}', '\u{1f587}'),
    ('\u{1f58a}', '\u{1f58d}'),
    ('\u{1f590}', '\u{1f590}'),
    ('\u{1f595}', '\u{1f596}'),
    ('\u{1f5a4}', '\u{1f5a5}'),
    ('\u{1f5a8}', '\u{1f5a8}'),
    ('\u{1f5b1}', '\u{1f5b2}'),
    ('\u{1f5bc}', '\u{1f5bc}'),
    ('\u{1f5c2}', '\u{1f5c4}'),
    ('\u{1f5d1}', '\u{1f5d3}'),
    ('\u{1f5dc}', '\u{1f5de}'),
    ('\u{1f5e1}', '\u{1f5e1}'),
    ('\u{1f5e3}', '\u{1f5e3}'),
    ('\u{1f5e8}', '\u{1f5e8}'),
    ('\u{1f5ef}', '\u{1f5ef}'),
    ('\u{1f5f3}', '\u{1f5f3}'),
    ('\u{1f5fa}', '\u{1f64f}'),
    ('\u{1f680}', '\u{1f6c5}'),
    ('\u{1f6cb}', '\u{1f6d2}'),
    ('\u{1f6d5}', '\u{1f6e5}'),
    ('\u{1f6e9}', '\u{1f6e9}'),
    ('\u{1f6eb}', '\u{1f6f0}'),
    ('\u{1f6f3}', '\u{1f6ff}'),
    ('\u{1f7da}', '\u{1f7ff}'),
    ('\u{1f80c}', '\u{1f80f}'),
    ('\u{1f848}', '\u{1f84f}'),
    ('\u{1f85a}', '\u{1f85f}'),
    ('\u{1f888}', '\u{1f88f}'),
    ('\u{1f8ae}', '\u{1f8af}'),
    ('\u{1f8bc}', '\u{1f8bf}'),
    ('\u{1f8c2}', '\u{1f8cf}'),
    ('\u{1f8d9}', '\u{1f8ff}'),
    ('\u{1f90c}', '\u{1f93a}'),
    ('\u{1f93c}', '\u{1f945}'),
    ('\u{1f947}', '\u{1f9ff}'),
    ('\u{1fa58}', '\u{1fa5f}'),
    ('\u{1fa6e}', '\u{1faff}'),
    ('\u{1fc00}', '\u{1fffd}'),
];

/// Whether `character` is an emoji by itself, or can become one.
pub(super) fn pictograph(character: char) -> bool {
    within(PICTOGRAPHS, character)
}

/// Whether `character` gives the emoji before it a skin tone.
pub(super) fn skin_tone(character: char) -> bool {
    matches!(character, '\u{1f3fb}'..='\u{1f3ff}')
}

/// Whether `character` is one of the two halves of a country's flag.
pub(super) fn regional_indicator(character: char) -> bool {
    matches!(character, '\u{1f1e6}'..='\u{1f1ff}')
}

/// Whether `character` only chooses how the one before it is drawn.
pub(super) fn variation_selector(character: char) -> bool {
    matches!(character, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Whether `character` is an invisible tag, allowed in flags only.
pub(super) fn tag(character: char) -> bool {
    matches!(character, '\u{e0000}'..='\u{e007f}')
}

/// The length in bytes of the tags that make the black flag before them a country's flag.
///
/// Only the three flags that Unicode recommends for interchange: any other run of tags, however
/// well formed, could carry words that no reader sees.
pub(super) fn flag_tags(after_flag: &str) -> Option<usize> {
    const FLAGS: [&str; 3] = [
        "\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
        "\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
        "\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}",
    ];
    FLAGS
        .iter()
        .find(|tags| after_flag.starts_with(**tags))
        .map(|tags| tags.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(PICTOGRAPHS.iter().all(|(first, last)| first <= last));
        assert!(PICTOGRAPHS.windows(2).all(|pair| pair[0].1 < pair[1].0));
    }

    #[test]
    fn pictographs() {
        for character in ['😀', '👩', '❤', '🏳', '🦰', '♂', '🔥', '➡', BLACK_FLAG] {
            assert!(pictograph(character), "{character}");
        }
        for character in ['a', '1', '#', '我', '🏽', '🇩', '\u{fe0f}', '→'] {
            assert!(!pictograph(character), "{character}");
        }
    }

    #[test]
    fn only_recommended_flags() {
        assert_eq!(
            flag_tags("\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f} Scotland"),
            Some(24)
        );
        assert_eq!(
            flag_tags("\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}"),
            None
        );
        assert_eq!(flag_tags("\u{e0069}\u{e0067}\u{e006e}\u{e007f}"), None);
        assert_eq!(flag_tags(""), None);
    }
}
