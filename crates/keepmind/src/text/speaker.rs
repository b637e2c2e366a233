//! Who is named as the speaker at the head of a line ("Anna: I moved to Graz"), and whether a question names
//! them.

use super::normalise::fold;
use super::script::is_unspaced;

/// No longer label is a name, in characters.
const LONGEST: usize = 40;
/// Of how many words a name is made at most.
const MOST_WORDS: usize = 3;

/// The name before the first colon of `line`, folded; `None` when what stands there is no name.
///
/// A name is one to three words of letters that begin with a capital, where the script has any.
pub(crate) fn speaker(line: &str) -> Option<String> {
    let end = line
        .char_indices()
        .take(LONGEST + 1)
        .find(|(_, character)| matches!(character, ':' | '：'))?;
    let (at, colon) = end;
    let (name, said) = (line[..at].trim(), &line[at + colon.len_utf8()..]);
    // "12:30", "https://": a colon inside a word.
    if colon == ':' && !said.starts_with(char::is_whitespace) {
        return None;
    }
    let is_word = |word: &str| {
        let begins = word.chars().next().is_some_and(|first| {
            first.is_uppercase() || (first.is_alphabetic() && !first.is_lowercase())
        });
        begins && word.chars().all(in_name)
    };
    let words = name.split_whitespace().count();
    let is_name = (1..=MOST_WORDS).contains(&words) && name.split_whitespace().all(is_word);
    is_name.then(|| fold(name))
}

fn in_name(character: char) -> bool {
    character.is_alphabetic()
        || super::normalise::is_mark(character)
        || matches!(character, '.' | '-' | '\'' | '’' | '·')
}

/// Whether a folded question names a folded speaker: as whole words, where the script has blanks.
pub(crate) fn names(question: &str, speaker: &str) -> bool {
    let stands_alone = |(at, found): (usize, &str)| {
        let before = question[..at].chars().next_back();
        let after = question[at + found.len()..].chars().next();
        let edge = |outside: Option<char>, inside: Option<char>| {
            !outside.is_some_and(char::is_alphanumeric) || inside.is_some_and(is_unspaced)
        };
        edge(before, found.chars().next()) && edge(after, found.chars().next_back())
    };
    !speaker.is_empty() && question.match_indices(speaker).any(stands_alone)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_at_the_head_of_a_line_is_its_speaker() {
        let cases = [
            ("Caroline: Hey Mel!", Some("caroline")),
            ("Mary Ann Smith: hello", Some("mary ann smith")),
            ("O'Neil: hello", Some("o'neil")),
            ("小明：我喜欢芒果", Some("小明")),
            ("小明: 我喜欢芒果", Some("小明")),
            ("Das ist so: es regnet", None),
            ("note: buy milk", None),
            ("12:30 is lunch", None),
            ("https://example.org is mine", None),
            ("One Two Three Four: hello", None),
            ("User likes tea", None),
            (": hello", None),
            ("", None),
        ];
        for (line, name) in cases {
            assert_eq!(speaker(line).as_deref(), name, "{line}");
        }
        assert_eq!(speaker(&format!("{}: hello", "A".repeat(41))), None);
    }

    #[test]
    fn a_question_names_a_speaker_by_whole_words() {
        let cases = [
            ("when did caroline paint?", "caroline", true),
            ("caroline's sister", "caroline", true),
            ("when did carolines paint", "caroline", false),
            ("what is mel up to", "mel", true),
            ("what of melanie", "mel", false),
            ("小明喜欢什么", "小明", true),
            ("anything", "", false),
        ];
        for (question, name, is_named) in cases {
            assert_eq!(names(question, name), is_named, "{question} {name}");
        }
    }
}
