//! Which scripts a table of tokens has words of. Where it only has single letters or bytes of one, a mean of
//! them says next to nothing of a text.

/// So many tokens of two letters or more make a script known.
const ENOUGH: usize = 256;

/// Scripts by ranges of their letters, first to last; the last of a range is in it.
const SCRIPTS: [(Script, char, char); 18] = [
    (Script::Latin, 'A', '\u{24f}'),
    (Script::Greek, '\u{370}', '\u{3ff}'),
    (Script::Cyrillic, '\u{400}', '\u{52f}'),
    (Script::Hebrew, '\u{590}', '\u{5ff}'),
    (Script::Arabic, '\u{600}', '\u{77f}'),
    (Script::Devanagari, '\u{900}', '\u{97f}'),
    (Script::Thai, '\u{e00}', '\u{e7f}'),
    (Script::Hangul, '\u{1100}', '\u{11ff}'),
    (Script::Latin, '\u{1e00}', '\u{1eff}'),
    (Script::Kana, '\u{3040}', '\u{30ff}'),
    (Script::Han, '\u{3400}', '\u{4dbf}'),
    (Script::Han, '\u{4e00}', '\u{9fff}'),
    (Script::Hangul, '\u{ac00}', '\u{d7a3}'),
    (Script::Han, '\u{f900}', '\u{faff}'),
    (Script::Latin, '\u{ff21}', '\u{ff5a}'),
    (Script::Kana, '\u{ff66}', '\u{ff9d}'),
    (Script::Hangul, '\u{ffa0}', '\u{ffdc}'),
    (Script::Han, '\u{20000}', '\u{3ffff}'),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    Latin,
    Greek,
    Cyrillic,
    Hebrew,
    Arabic,
    Devanagari,
    Thai,
    Hangul,
    Kana,
    Han,
    /// Any other.
    Other,
}

const COUNT: usize = Script::Other as usize + 1;

impl Script {
    fn of(letter: char) -> Self {
        let found = SCRIPTS
            .iter()
            .find(|(_, first, last)| (*first..=*last).contains(&letter));
        found.map_or(Script::Other, |(script, ..)| *script)
    }
}

/// The scripts that a table has words of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Scripts([bool; COUNT]);

impl Scripts {
    pub fn of_words<'a>(tokens: impl Iterator<Item = &'a String>) -> Self {
        let mut words = [0_usize; COUNT];
        let mut all = 0_usize;
        for token in tokens {
            // Bytes are written in Latin letters.
            if token.starts_with("<0x") {
                continue;
            }
            let mut letters = token.chars().filter(|character| character.is_alphabetic());
            if let (Some(first), Some(_)) = (letters.next(), letters.next()) {
                words[Script::of(first) as usize] += 1;
                all += 1;
            }
        }
        // A small table knows what most of its words are in.
        let enough = ENOUGH.min(all / 2 + 1);
        Scripts(words.map(|count| count >= enough))
    }

    /// Whether at least half of a text's letters are in scripts that the table knows. A text without any letter
    /// is as good as any.
    pub fn can_read(&self, text: &str) -> bool {
        let (mut known, mut letters) = (0_usize, 0_usize);
        for letter in text.chars().filter(|character| character.is_alphabetic()) {
            letters += 1;
            known += usize::from(self.0[Script::of(letter) as usize]);
        }
        2 * known >= letters
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scripts(tokens: &[&str]) -> Scripts {
        let tokens: Vec<String> = tokens.iter().map(|token| (*token).to_owned()).collect();
        Scripts::of_words(tokens.iter())
    }

    #[test]
    fn a_text_is_read_where_words_of_its_script_are_there() {
        let english = scripts(&["▁tea", "▁the", "ing", "茶", "я", "<0xE8>", "<0xE9>"]);
        assert!(english.can_read("I like tea"));
        assert!(english.can_read("I like 茶"));
        assert!(!english.can_read("我喜欢喝茶"));
        assert!(!english.can_read("я люблю чай"));
        assert!(english.can_read("12 345"));
        assert!(english.can_read(""));
        let chinese = scripts(&["喝茶", "喜欢", "the"]);
        assert!(chinese.can_read("我喜欢喝茶"));
        assert!(!chinese.can_read("I like tea"));
    }

    #[test]
    fn scripts_are_in_order_and_apart() {
        assert!(SCRIPTS.is_sorted_by(|one, next| one.2 < next.1));
        assert!(SCRIPTS.iter().all(|(_, first, last)| first <= last));
    }
}
