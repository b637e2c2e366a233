//! The terms of the library's own keyword search. Scoring and storing them is elsewhere.

use std::borrow::Cow;
use std::ops::ControlFlow;

use super::normalise::is_mark;
use super::search_form::search_form;
use super::stems::stem;
use super::stop_words::{is_stop_character, is_stop_word};
use super::string_set::StringSet;
use super::tokens::{Token, for_each_token};

/// The version of the rules by which texts become terms.
///
/// It rises whenever [`terms`] or [`query_terms`] may answer differently for some text. A stored
/// index built with another version is rebuilt, never searched.
pub const TERMS_VERSION: u32 = 1;

/// No term is longer than this, in bytes; longer ones are cut between characters.
const MAX_TERM_BYTES: usize = 64;
/// What of a text is indexed at most.
const MAX_TERMS: usize = 100_000;
/// What of a query is searched at most.
const MAX_QUERY_TERMS: usize = 64;
/// From this many good terms on, a query does without weak ones.
const ENOUGH_QUERY_TERMS: usize = 16;

/// The terms of a text to be found, in order and with repeats, at most 20,000 of them.
///
/// - Case, width and the accents of Latin, Greek and Cyrillic make no difference; nor do the
///   vowel signs of Arabic and Hebrew. Those of other scripts are kept.
/// - English words are stemmed (Snowball). `don't` is `dont`, `Anna's` is `anna`.
/// - Words of letters and digits stay whole (`401k`); everything else separates, so codes,
///   times, addresses and URLs are found by their parts (`GPT-4` is `gpt` and `4`).
/// - Scripts without blanks between words, and Hangul, give each pair of neighbouring characters
///   with their marks; ideographs and Hangul syllables, and characters that stand alone, are
///   terms by themselves too. A word is found wherever it stands in a sentence.
/// - An emoji is a term of its own, whatever its skin tone; a joined one is found by its parts.
///
/// ```
/// use keepmind::text::terms;
/// assert_eq!(terms("Anna's Cafés"), ["anna", "cafe"]);
/// assert_eq!(terms("写代码"), ["写", "写代", "代", "代码", "码"]);
/// ```
#[must_use]
pub fn terms(text: &str) -> Vec<String> {
    let mut found = Vec::with_capacity((text.len() / 5).min(MAX_TERMS));
    for_each_term(text, |term, _| {
        found.push(term.into_owned());
        if found.len() < MAX_TERMS {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    found
}

/// The terms to look for when `text` is the query: each once, sorted, at most 64 of them.
///
/// Made as those of [`terms`], so a word of one ideograph or Hangul syllable finds every sentence
/// it stands in; of the other scripts without blanks, a word of two or more characters does.
/// English stop words and Chinese function characters are left out unless there is nothing else.
/// Pairs of characters of which one is a function character are real words as often as not
/// (`可乐`), but in long queries they are mostly noise: they are used only by queries with fewer
/// than 16 other terms. Of more than 64 terms the first are kept.
///
/// ```
/// use keepmind::text::query_terms;
/// assert_eq!(query_terms("What did Anna say about teas?"), ["anna", "say", "tea"]);
/// assert_eq!(query_terms("The Who"), ["the", "who"]);
/// ```
#[must_use]
pub fn query_terms(text: &str) -> Vec<String> {
    let mut chosen = Chosen::<String>::default();
    for_each_term(text, |term, use_of| chosen.take(term.into_owned(), use_of));
    let mut found = chosen.finish();
    found.sort_unstable();
    found
}

/// The words of a text as they are written, each with the term it is found by; nothing of what has no words.
pub(crate) fn words(text: &str) -> Vec<(&str, String)> {
    let is_apart = |c: char| !(c.is_alphanumeric() || is_mark(c) || matches!(c, '\'' | '’'));
    let written = text.split(is_apart).filter(|word| !word.is_empty());
    written
        .filter_map(|word| Some((word, terms(word).into_iter().next()?)))
        .take(MAX_QUERY_TERMS)
        .collect()
}

/// A text cut into terms once, for whoever needs them in several ways.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cut {
    buffer: String,
    /// Where each term begins and ends in the buffer, in the order of the text.
    places: Vec<(usize, usize, Use)>,
}

impl Cut {
    pub(crate) fn of(text: &str) -> Self {
        let mut cut = Cut {
            buffer: String::with_capacity(text.len()),
            places: Vec::with_capacity((text.len() / 5).min(MAX_TERMS)),
        };
        for_each_term(text, |term, use_of| {
            let start = cut.buffer.len();
            cut.buffer.push_str(&term);
            cut.places.push((start, cut.buffer.len(), use_of));
            if cut.places.len() < MAX_TERMS {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        cut
    }

    /// What [`terms`] finds.
    pub(crate) fn terms(&self) -> impl Iterator<Item = &str> {
        let place = |&(start, end, _): &(usize, usize, Use)| &self.buffer[start..end];
        self.places.iter().map(place)
    }

    /// What [`query_terms`] finds.
    pub(crate) fn query_terms(&self) -> StringSet {
        if self.places.len() <= MAX_QUERY_TERMS {
            // None is too many: what is the same need not be told apart one by one.
            return self.few_query_terms();
        }
        let mut chosen = Chosen::<&str>::default();
        for &(start, end, use_of) in &self.places {
            if chosen.take(&self.buffer[start..end], use_of).is_break() {
                break;
            }
        }
        chosen.finish().into_iter().collect()
    }

    fn few_query_terms(&self) -> StringSet {
        let used = |wanted: &[Use]| -> StringSet {
            let places = self.places.iter();
            let chosen = places.filter(|(_, _, use_of)| wanted.contains(use_of));
            chosen
                .map(|&(start, end, _)| &self.buffer[start..end])
                .collect()
        };
        let good = used(&[Use::Good]);
        let is_any = |wanted: Use| self.places.iter().any(|(_, _, use_of)| *use_of == wanted);
        if good.len() < ENOUGH_QUERY_TERMS && is_any(Use::Weak) {
            return used(&[Use::Good, Use::Weak]);
        }
        if good.is_empty() {
            return used(&[Use::Stop]);
        }
        good
    }
}

/// The terms of a query while its text is being cut.
#[derive(Default)]
struct Chosen<T> {
    good: Vec<T>,
    weak: Vec<T>,
    stop: Vec<T>,
}

impl<T: PartialEq> Chosen<T> {
    /// Takes the next term of the text; breaks when there are enough.
    fn take(&mut self, term: T, use_of: Use) -> ControlFlow<()> {
        let kind = match use_of {
            Use::Good => &mut self.good,
            Use::Weak => &mut self.weak,
            Use::Stop => &mut self.stop,
        };
        if kind.len() < MAX_QUERY_TERMS && !kind.contains(&term) {
            kind.push(term);
        }
        if self.good.len() < MAX_QUERY_TERMS {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }

    fn finish(self) -> Vec<T> {
        let mut found = self.good;
        if found.len() < ENOUGH_QUERY_TERMS {
            found.extend(self.weak);
        }
        if found.is_empty() {
            found = self.stop;
        }
        found.truncate(MAX_QUERY_TERMS);
        found
    }
}

/// Calls `visit` with each term of a text in order, and what it is good for, until it breaks.
fn for_each_term(text: &str, mut visit: impl FnMut(Cow<'_, str>, Use) -> ControlFlow<()>) {
    for_each_token(&search_form(text), |token| {
        let use_of = use_of(token);
        visit(term(token, use_of), use_of)
    });
}

/// How much a token helps to tell one text from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    Good,
    Weak,
    Stop,
}

fn use_of(token: Token<'_>) -> Use {
    match token {
        Token::Word(word) if is_stop_word(word) => Use::Stop,
        Token::Character(part) | Token::Pair(part) if part.chars().all(is_stop_character) => {
            Use::Stop
        }
        Token::Pair(part) if part.chars().any(is_stop_character) => Use::Weak,
        _ => Use::Good,
    }
}

fn term(token: Token<'_>, use_of: Use) -> Cow<'_, str> {
    match token {
        Token::Word(word) => {
            // No stop word is so long that it is cut.
            let word = cut(word);
            if use_of != Use::Stop && is_inflected(word) {
                stem(word)
            } else {
                Cow::Borrowed(word)
            }
        }
        Token::Character(part) | Token::Pair(part) | Token::Emoji(part) => Cow::Borrowed(cut(part)),
    }
}

/// Whether `word` is of ASCII letters and ends like a word that the stemmer changes.
///
/// Stemming is what costs most here, and these endings are all it ever removes or rewrites. Stop
/// words are not stemmed either: their stems only collide with other words' ("does", "doe").
fn is_inflected(word: &str) -> bool {
    let [.., _, before, last] = word.as_bytes() else {
        return false;
    };
    let ending = match last {
        b'e' | b'i' | b's' | b'y' => true,
        b'c' => *before == b'i',
        b'd' => *before == b'e',
        b'g' => *before == b'n',
        b'l' => matches!(before, b'a' | b'l' | b'u'),
        b'm' => *before == b's',
        b'n' => *before == b'o',
        b'r' => matches!(before, b'e' | b'o'),
        b't' => *before == b'n',
        _ => false,
    };
    ending && word.bytes().all(|byte| byte.is_ascii_lowercase())
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_TERM_BYTES)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rust_stemmers::{Algorithm, Stemmer};

    /// Whether every term of the query is a term of the text.
    fn finds(query: &str, text: &str) -> bool {
        let indexed = terms(text);
        let wanted = query_terms(query);
        !wanted.is_empty() && wanted.iter().all(|term| indexed.contains(term))
    }

    #[test]
    fn terms_of_texts() {
        let table: &[(&str, &[&str])] = &[
            ("", &[]),
            (" ... !", &[]),
            ("Running runs ran", &["run", "run", "ran"]),
            (
                "don't Anna's boys' we'll I'm",
                &["dont", "anna", "boy", "we", "i"],
            ),
            (
                "16:00 401k GPT-4 3.5",
                &["16", "00", "401k", "gpt", "4", "3", "5"],
            ),
            ("does a doe", &["does", "a", "doe"]),
            ("ผมชอบ", &["ผม", "มช", "ชอ", "อบ"]),
            ("写代码", &["写", "写代", "代", "代码", "码"]),
            ("서울에", &["서", "서울", "울", "울에", "에"]),
            ("👍🏽👩\u{200d}🚀", &["👍", "👩", "🚀"]),
        ];
        for (text, expected) in table {
            assert_eq!(terms(text), *expected, "{text}");
        }
    }

    #[test]
    fn words_are_found_in_sentences() {
        let table = [
            ("ข้าวมันไก่", "ผมชอบกินข้าวมันไก่"),
            ("ไก่", "ผมชอบกินข้าวมันไก่"),
            ("猫", "我家里养了一只猫和两条狗"),
            ("代码", "我用Rust写代码"),
            ("rust", "我用Rust写代码"),
            ("会议", "明天下午有会议"),
            ("我", "他和我"),
            ("食べ物", "好きな食べ物は寿司です"),
            ("すし", "すしが好き"),
            ("ｶﾞｽ", "ガスを止める"),
            ("서울", "저는 서울에서 살아요"),
            ("집", "우리 집은 크다"),
            ("ភាសា", "ខ្ញុំរៀនភាសាខ្មែរ"),
            ("ပန်း", "ကျွန်တော်ပန်းကြိုက်တယ်"),
            ("خواهم", "من می\u{200c}خواهم"),
            ("می خواهم", "من می\u{200c}خواهم"),
            ("हिन्दी", "मुझे हिन्दी पसंद है"),
            ("क्ष", "क्\u{200d}ष"),
            ("strasse", "Hauptstraße, Straße"),
            ("istanbul", "Kullanıcı İstanbul'da yaşıyor"),
            ("ISPARTA", "ısparta"),
            ("dang huong", "Đặng Thị Hường"),
            ("ΣΙΣΥΦΟΣ", "ο Σίσυφος"),
            ("cafe", "the cafe\u{301} Lumen"),
            ("комп'ютер", "мій комп’ютер"),
            ("O'Brien", "friend is O’Brien"),
            ("obrien", "friend is O'Brien"),
            ("c++", "codes in C++ and Rust"),
            ("co-op", "plays co-op games"),
            ("100%", "gives 100% on Mondays"),
            ("iso 8601", "ISO-8601 dates"),
            ("example.org", "write to ann.lee@example.org"),
            ("https://example.org/a_b", "see example.org/a_b via https"),
            ("👩", "👨\u{200d}👩\u{200d}👧"),
            ("❤", "❤\u{fe0f}"),
            ("🇩🇪", "lives in 🇩🇪🇫🇷"),
            ("allergies", "is allergic to nuts, an allergy"),
            ("2024", "سال ۲۰۲۴"),
        ];
        for (query, text) in table {
            assert!(
                finds(query, text),
                "{query}: {:?} in {:?}",
                query_terms(query),
                terms(text)
            );
        }
    }

    #[test]
    fn other_words_are_not_found() {
        for (query, text) in [
            ("狗", "一只猫"),
            ("🇫🇷", "🇩🇪"),
            ("はし", "ばし"),
            ("ไข่", "ไก่"),
        ] {
            assert!(!finds(query, text), "{query} {text}");
        }
    }

    #[test]
    fn queries_leave_out_what_says_nothing() {
        let table: &[(&str, &[&str])] = &[
            (
                "When did Caroline go to the doctor?",
                &["carolin", "doctor", "go"],
            ),
            ("what is it?", &["is", "it", "what"]),
            ("tea tea TEA", &["tea"]),
            ("可乐", &["乐", "可乐"]),
            ("我的猫", &["猫", "的猫"]),
            ("可以", &["以", "可", "可以"]),
        ];
        for (query, expected) in table {
            assert_eq!(query_terms(query), *expected, "{query}");
        }
    }

    #[test]
    fn everything_is_bounded() {
        let long = "x".repeat(10_000);
        assert_eq!(terms(&long), [&long[..MAX_TERM_BYTES]]);
        assert_eq!(terms(&format!("k{}", "й".repeat(99)))[0].len(), 63);
        assert_eq!(terms(&"ab ".repeat(300_000)).len(), MAX_TERMS);
        assert_eq!(terms(&"猫狗".repeat(300_000)).len(), MAX_TERMS);
        let words: String = (0..5_000).map(|number| format!("w{number} ")).collect();
        let query = query_terms(&words);
        assert_eq!(query.len(), MAX_QUERY_TERMS);
        assert!(query.contains(&"w0".to_owned()) && query.contains(&"w63".to_owned()));
    }

    proptest! {
        #[test]
        fn any_text_has_bounded_terms(text in "(?s).{0,64}") {
            for term in terms(&text) {
                prop_assert!(!term.is_empty() && term.len() <= MAX_TERM_BYTES);
                prop_assert!(!term.contains(char::is_whitespace));
            }
        }

        #[test]
        fn a_query_looks_for_terms_of_its_own_text(text in "[a-zA-Z'0-9 éは我的ข้กन्한👍\u{200d}\u{200c}]{0,32}") {
            let indexed = terms(&text);
            let wanted = query_terms(&text);
            prop_assert!(wanted.is_sorted());
            prop_assert_eq!(wanted.is_empty(), indexed.is_empty());
            prop_assert!(wanted.iter().all(|term| indexed.contains(term)));
        }

        #[test]
        fn a_cut_has_the_same_terms(
            text in "([a-zA-Z' ]{0,9}[a-zA-Z'0-9 .éは我的可ข้กन्한👍\u{200d}]{0,6}){0,12}"
        ) {
            let cut = Cut::of(&text);
            prop_assert!(cut.terms().eq(terms(&text).iter().map(String::as_str)));
            prop_assert!(cut.query_terms().iter().eq(query_terms(&text).iter().map(String::as_str)));
        }

        #[test]
        fn other_endings_have_no_stem(word in "[a-z]{0,6}[aeinorst]{0,2}[a-z]{2}") {
            if !is_inflected(&word) && word.len() >= 3 {
                let stem = Stemmer::create(Algorithm::English).stem(&word).into_owned();
                prop_assert_eq!(stem, word);
            }
        }

        #[test]
        fn case_makes_no_difference(text in "[a-zA-Z éÉßøØσΣ0-9]{0,32}") {
            prop_assert_eq!(terms(&text.to_uppercase()), terms(&text));
        }
    }
}
