//! Whether a clause denies what it speaks of. Words only, a table for all languages together; scripts
//! without blanks between words are looked through for pieces.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::bytes::alphanumeric_length;
use super::first_letters::FirstLetters;
use super::fnv::FnvBuilder;

/// Whether a text holds a word of denial: not, never, without, to avoid, to dislike.
///
/// Presence, not logic: "never without" denies too. It compares two texts about the same thing, where
/// one that denies and one that does not say opposite things.
pub(crate) fn is_negated(text: &str) -> bool {
    if text.is_ascii() {
        let has_elision = || text.contains('\'') && has_plain_elision(text);
        return plain_words_deny(text) || has_elision();
    }
    let folded = super::fold(text);
    let denies = match folded.is_ascii() {
        true => plain_words_deny(&folded),
        false => words_deny(&folded) || PIECES.iter().any(|piece| folded.contains(piece)),
    };
    denies || folded.contains(" n'")
}

/// Whether an ASCII text, folded, holds " n'".
fn has_plain_elision(text: &str) -> bool {
    let is_one = |three: &[u8]| matches!(three, [b' ' | b'\t'..=b'\r', b'n' | b'N', b'\'']);
    text.trim_start().as_bytes().windows(3).any(is_one)
}

fn words_deny(folded: &str) -> bool {
    folded
        .split(|character: char| {
            !(character.is_alphanumeric()
                || matches!(character, '\'' | '’')
                || super::is_mark(character))
        })
        .map(|word| word.trim_matches(['\'', '’']))
        .any(|word| denies(word) || ENDINGS.iter().any(|ending| word.ends_with(ending)))
}

/// [`words_deny`] for ASCII, byte by byte and in any case: every content and every sentence is asked, several
/// times on its way, and two letters nearly always tell that a word denies nothing.
fn plain_words_deny(text: &str) -> bool {
    if !text.contains('\'') {
        return words_without_apostrophes_deny(text.as_bytes());
    }
    let belongs = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'\'';
    let mut words = text.as_bytes().split(|byte| !belongs(byte));
    words.any(|mut word| {
        while let [b'\'', rest @ ..] | [rest @ .., b'\''] = word {
            word = rest;
        }
        let is_not = || {
            let ending = word.last_chunk::<3>();
            ending.is_some_and(|ending| ending.eq_ignore_ascii_case(b"n't"))
        };
        FIRST_LETTERS.may_begin(word) && plain_denies(word) || is_not()
    })
}

/// [`plain_words_deny`] where no word has anything to trim, or ends like `don't`: nearly everywhere.
fn words_without_apostrophes_deny(mut rest: &[u8]) -> bool {
    while !rest.is_empty() {
        let (word, after) = rest.split_at(alphanumeric_length(rest));
        if FIRST_LETTERS.may_begin(word) && plain_denies(word) {
            return true;
        }
        rest = after.get(1..).unwrap_or_default();
    }
    false
}

/// [`denies`] for a word of ASCII that begins with a letter, in any case.
fn plain_denies(word: &[u8]) -> bool {
    static DENIALS: LazyLock<[Vec<&[u8]>; 26]> = LazyLock::new(|| by_letter(WORDS));
    static STARTS: LazyLock<[Vec<&[u8]>; 26]> = LazyLock::new(|| by_letter(BEGINNINGS));
    let Some(letter) = word.first().and_then(place_of) else {
        return false;
    };
    let is_word = |denial: &&[u8]| word.eq_ignore_ascii_case(denial);
    let begins = |start: &&[u8]| {
        let beginning = word.get(..start.len());
        beginning.is_some_and(|beginning| beginning.eq_ignore_ascii_case(start))
    };
    // Among one letter's words most differ in length, which one look tells.
    DENIALS[letter].iter().any(is_word) || STARTS[letter].iter().any(begins)
}

/// The words of a table by the letter of ASCII that they begin with.
fn by_letter(words: &[&'static str]) -> [Vec<&'static [u8]>; 26] {
    let mut letters = [const { Vec::new() }; 26];
    for word in words.iter().map(|word| word.as_bytes()) {
        if let Some(letter) = word.first().and_then(place_of) {
            letters[letter].push(word);
        }
    }
    letters
}

/// Which letter of ASCII it is, in any case.
fn place_of(letter: &u8) -> Option<usize> {
    let is_letter = letter.is_ascii_alphabetic();
    is_letter.then(|| usize::from(letter.to_ascii_lowercase() - b'a'))
}

/// How the words of the tables begin.
const FIRST_LETTERS: FirstLetters = FirstLetters::of(WORDS).and_of(BEGINNINGS);

/// Whether a folded word is one of denial, or begins like one.
fn denies(word: &str) -> bool {
    static DENIALS: LazyLock<HashSet<&str, FnvBuilder>> =
        LazyLock::new(|| WORDS.iter().copied().collect());
    let begins = |beginning: &&str| word.starts_with(beginning);
    DENIALS.contains(word) || BEGINNINGS.iter().any(begins)
}

const WORDS: &[&str] = &[
    "not",
    "no",
    "never",
    "none",
    "nobody",
    "nothing",
    "neither",
    "nor",
    "without",
    "cannot",
    "dont",
    "doesnt",
    "cant",
    "wont",
    "isnt",
    "arent",
    "wasnt",
    "stopped",
    "quit",
    "except",
    "hardly",
    "hasse",
    "hasst",
    "hasste",
    "rarely",
    "nicht",
    "nichts",
    "nie",
    "niemals",
    "ohne",
    "niemand",
    "weder",
    "ne",
    "pas",
    "jamais",
    "sans",
    "rien",
    "ni",
    "aucun",
    "aucune",
    "nunca",
    "jamás",
    "sin",
    "ningún",
    "ninguna",
    "nada",
    "tampoco",
    "não",
    "nao",
    "sem",
    "nenhum",
    "nenhuma",
    "non",
    "mai",
    "senza",
    "nessun",
    "nessuno",
    "nessuna",
    "niente",
    "niet",
    "geen",
    "nooit",
    "zonder",
    "nigdy",
    "bez",
    "żaden",
    "nikdy",
    "inte",
    "aldrig",
    "utan",
    "ikke",
    "aldri",
    "uten",
    "uden",
    "değil",
    "yok",
    "asla",
    "hiç",
    "не",
    "нет",
    "никогда",
    "без",
    "ни",
    "ні",
    "ніколи",
    "δεν",
    "μην",
    "ποτέ",
    "χωρίσ",
    "không",
    "chưa",
    "đừng",
    "tidak",
    "bukan",
    "tanpa",
    "jangan",
    "tak",
    "لا",
    "ليس",
    "لم",
    "لن",
    "بدون",
    "לא",
    "אין",
    "בלי",
    "नहीं",
    "मत",
    "ना",
    "बिना",
];

/// Verbs and determiners that deny in every form.
const BEGINNINGS: &[&str] = &[
    "avoid", "dislik", "refus", "hate", "detest", "détest", "loath", "despis", "abhor", "kein",
    "vermeid", "evit", "odio", "odia", "odié",
];

const ENDINGS: &[&str] = &["n't", "n’t"];

const PIECES: &[&str] = &[
    "不",
    "没",
    "沒",
    "别",
    "別再",
    "无",
    "無い",
    "ない",
    "ません",
    "なかった",
    "않",
    "없",
    "못 ",
    "안 ",
    "ไม่",
    "อย่า",
    " n’",
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn denials_are_told_from_statements() {
        for denied in [
            "I never buy stocks on margin",
            "don't suggest individual stocks",
            "User doesn’t eat meat",
            "Ich esse kein Fleisch",
            "je n'aime pas le thé",
            "no como carne",
            "User dislikes mornings",
            "я не ем мясо",
            "我不吃肉",
            "ผมไม่กินเนื้อ",
            "肉を食べない",
        ] {
            assert!(is_negated(denied), "{denied}");
        }
        for stated in [
            "I buy stocks on margin",
            "only funds",
            "User is from Norway and knows Nora",
            "notes are important",
            "Ich esse Fleisch",
            "j'aime le thé",
            "我吃肉",
            "ผมกินเนื้อ",
        ] {
            assert!(!is_negated(stated), "{stated}");
        }
    }

    proptest! {
        #[test]
        fn plain_words_are_told_as_others(
            parts in prop::collection::vec(prop::sample::select(
                [WORDS, BEGINNINGS, ENDINGS, &["'", " ", ".", "s", "do", "notes", "A", "NO", "N'T", "n'", " N'", "\t"]].concat(),
            ), 0..6),
        ) {
            let text = parts.concat();
            let folded = crate::text::fold(&text);
            if text.is_ascii() {
                prop_assert_eq!(plain_words_deny(&text), words_deny(&folded));
                prop_assert_eq!(is_negated(&text), words_deny(&folded) || folded.contains(" n'"));
            }
        }
    }

    #[test]
    fn the_tables_are_folded() {
        for word in [WORDS, BEGINNINGS, ENDINGS].into_iter().flatten() {
            assert_eq!(*word, crate::text::fold(word));
        }
    }
}
