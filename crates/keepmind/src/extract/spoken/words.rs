//! A message cut into sentences of words, each with its place, its folded form and what stands before it.
//! Contractions are two words ("I'm": i, am), so that tables hold one form of each.

use std::borrow::Cow;
use std::ops::Range;

use crate::text::fold;

/// A sentence of more words than this is no speech: a paste, a list, noise. It is not read.
pub(super) const LONGEST_SENTENCE: usize = 160;

/// What stands between two words, the strongest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mark {
    Nothing,
    Comma,
    Dash,
    Colon,
}

/// A word of a sentence.
#[derive(Debug, Clone)]
pub(super) struct Word<'content> {
    /// Folded; one part of a contraction.
    pub(super) form: Cow<'static, str>,
    /// As it was written.
    pub(super) written: &'content str,
    /// Where it stands in the content.
    pub(super) place: Range<usize>,
    /// What stands before it; nothing before the first.
    pub(super) mark: Mark,
    /// The second part of a contraction: no blank before it.
    pub(super) glued: bool,
}

impl Word<'_> {
    /// Whether nothing but blanks parts it from the word before.
    pub(super) fn follows(&self) -> bool {
        self.mark == Mark::Nothing
    }

    pub(super) fn is_capital(&self) -> bool {
        self.written.starts_with(char::is_uppercase)
    }

    /// All capitals, and more than an initial or an acronym.
    pub(super) fn is_shouted(&self) -> bool {
        self.written.chars().count() > 3
            && !self.written.chars().any(char::is_lowercase)
            && self.written.chars().all(char::is_alphabetic)
    }

    pub(super) fn is(&self, forms: &[&str]) -> bool {
        forms.contains(&&*self.form)
    }

    /// A number written in digits.
    pub(super) fn number(&self) -> Option<u32> {
        self.form.parse().ok()
    }
}

/// Words up to a full stop, a question mark, a line end or what is not the speaker's.
#[derive(Debug, Clone, Default)]
pub(super) struct Sentence<'content> {
    pub(super) words: Vec<Word<'content>>,
    /// A question mark ends it.
    pub(super) asks: bool,
    /// A colon ends it: what follows is what it speaks of.
    pub(super) announces: bool,
    /// What ends it is somebody else's words, or the mark before them.
    pub(super) cites: bool,
}

/// The sentences of a content, without the parts in `foreign`, which are in order and on borders.
pub(super) fn sentences<'content>(
    content: &'content str,
    foreign: &[Range<usize>],
) -> Vec<Sentence<'content>> {
    let mut found = Vec::new();
    let mut from = 0;
    for part in foreign {
        if part.start > from {
            cut(content, from..part.start, &mut found);
        }
        if let Some(before) = found.last_mut() {
            before.cites = true;
        }
        from = from.max(part.end);
    }
    cut(content, from..content.len(), &mut found);
    found.retain(|sentence: &Sentence<'_>| !sentence.words.is_empty());
    found
}

fn cut<'content>(content: &'content str, range: Range<usize>, found: &mut Vec<Sentence<'content>>) {
    let mut sentence = Sentence::default();
    let mut mark = Mark::Nothing;
    let mut at = range.start;
    while at < range.end {
        let rest = &content[at..range.end];
        let Some(first) = rest.chars().next() else {
            break;
        };
        let length = word_length(rest);
        if length > 0 {
            if sentence.words.is_empty() {
                mark = Mark::Nothing;
            }
            push(content, at..at + length, mark, &mut sentence.words);
            mark = Mark::Nothing;
            at += length;
            continue;
        }
        let after = &rest[first.len_utf8()..];
        at += first.len_utf8();
        match between(first, after, &sentence.words) {
            Between::Stop => {
                sentence.asks |= matches!(first, '?' | '？' | '؟');
                sentence.announces = mark == Mark::Colon;
                // "?!" and "!?" ask alike.
                if after.starts_with(['?', '？', '!', '！', '.']) {
                    continue;
                }
                found.push(std::mem::take(&mut sentence));
                mark = Mark::Nothing;
            }
            Between::Mark(new) => mark = mark.max(new),
        }
    }
    sentence.announces = mark == Mark::Colon;
    found.push(sentence);
}

enum Between {
    Stop,
    Mark(Mark),
}

fn between(first: char, after: &str, words: &[Word<'_>]) -> Between {
    let ends = after.is_empty() || after.starts_with(|next: char| !next.is_alphanumeric());
    match first {
        '\n' | '\r' | '!' | '?' | '！' | '？' | '。' | '؟' | '…' | '।' | ';' | '；' => {
            Between::Stop
        }
        '.' if ends && !is_abbreviation(words) => Between::Stop,
        ',' | '，' | '、' | '،' => Between::Mark(Mark::Comma),
        ':' | '：' => Between::Mark(Mark::Colon),
        '(' | ')' | '[' | ']' | '—' | '–' | '（' | '）' | '|' => Between::Mark(Mark::Dash),
        '-' if ends => Between::Mark(Mark::Dash),
        _ => Between::Mark(Mark::Nothing),
    }
}

fn is_abbreviation(words: &[Word<'_>]) -> bool {
    const ABBREVIATIONS: &[&str] = &[
        "dr", "mr", "mrs", "ms", "prof", "st", "nr", "vs", "approx", "ca",
    ];
    words.last().is_some_and(|word| {
        word.is(ABBREVIATIONS)
            || word.written.chars().count() == 1 && word.is_capital() && word.form != "i"
    })
}

/// The length of the word a text begins with: letters, digits and marks, with a single hyphen, apostrophe
/// or point inside.
fn word_length(text: &str) -> usize {
    let is_letter = |letter: char| letter.is_alphanumeric() || crate::text::is_mark(letter);
    let mut end = 0;
    let mut characters = text.char_indices().peekable();
    // A sum keeps its currency.
    let is_sum = text.starts_with(['$', '€', '£', '¥']);
    if is_sum
        && text
            .chars()
            .nth(1)
            .is_some_and(|next| next.is_ascii_digit())
    {
        characters.next();
    }
    while let Some((position, letter)) = characters.next() {
        let joins = end > 0
            && matches!(letter, '\'' | '’' | '-' | '.' | '/' | '+' | '@' | '_' | '&')
            && characters.peek().is_some_and(|&(_, next)| is_letter(next));
        // "7:30" is one word, "now: 7" is not.
        let is_digit = |letter: char| letter.is_ascii_digit();
        let is_time = letter == ':'
            && text[..position].ends_with(is_digit)
            && text[position + 1..].starts_with(is_digit);
        let joins = joins || is_time;
        if is_letter(letter) {
            end = position + letter.len_utf8();
        } else if end > 0 && matches!(letter, '%' | '+' | '#') {
            return position + letter.len_utf8();
        } else if !joins {
            break;
        }
    }
    end
}

fn push<'content>(
    content: &'content str,
    place: Range<usize>,
    mark: Mark,
    words: &mut Vec<Word<'content>>,
) {
    let written = &content[place.clone()];
    let form = fold(written).replace('’', "'");
    let word = |form: Cow<'static, str>, place: Range<usize>, mark: Mark, glued: bool| Word {
        form,
        written: &content[place.clone()],
        place,
        mark,
        glued,
    };
    let Some((first, second, tail)) = parts(&form) else {
        words.push(word(form.into(), place, mark, false));
        return;
    };
    // Counted in characters: a typographic apostrophe takes more bytes than the folded one.
    let border = written.char_indices().rev().nth(tail.saturating_sub(1));
    let border = border.map_or(place.start, |(position, _)| place.start + position);
    words.push(word(first, place.start..border, mark, false));
    words.push(word(
        Cow::Borrowed(second),
        border..place.end,
        Mark::Nothing,
        true,
    ));
}

/// The two words of a contraction, and how many characters of it are the second.
fn parts(form: &str) -> Option<(Cow<'static, str>, &'static str, usize)> {
    if let Some(&(_, first, second, tail)) = WITHOUT_APOSTROPHE.iter().find(|row| row.0 == form) {
        return Some((Cow::Borrowed(first), second, tail));
    }
    for &(ending, second) in TAILS {
        if let Some(first) = form.strip_suffix(ending)
            && !first.is_empty()
        {
            let first = match (first, second) {
                ("wo", "not") => "will".into(),
                ("ca", "not") => "can".into(),
                ("ai", "not") => "am".into(),
                _ => Cow::Owned(first.to_owned()),
            };
            let second = if second == "'s" && IS_WITH.contains(&&*first) {
                "is"
            } else {
                second
            };
            return Some((first, second, ending.len()));
        }
    }
    None
}

const TAILS: &[(&str, &str)] = &[
    ("n't", "not"),
    ("'m", "am"),
    ("'ve", "have"),
    ("'re", "are"),
    ("'ll", "will"),
    ("'d", "would"),
    ("'s", "'s"),
];

/// Words after which `'s` is "is"; after others it may own something.
const IS_WITH: &[&str] = &[
    "he",
    "she",
    "it",
    "that",
    "this",
    "what",
    "who",
    "where",
    "there",
    "here",
    "how",
    "name",
    "birthday",
    "everything",
    "everyone",
    "when",
    "why",
];

/// As people type them: the contraction, its words, and the characters of the second.
#[rustfmt::skip]
const WITHOUT_APOSTROPHE: &[(&str, &str, &str, usize)] = &[
    ("im", "i", "am", 1), ("ive", "i", "have", 2), ("weve", "we", "have", 2), ("youre", "you", "are", 2),
    ("dont", "do", "not", 2), ("doesnt", "does", "not", 2), ("didnt", "did", "not", 2),
    ("isnt", "is", "not", 2), ("arent", "are", "not", 2), ("wasnt", "was", "not", 2),
    ("werent", "were", "not", 2), ("cant", "can", "not", 2), ("cannot", "can", "not", 3),
    ("wont", "will", "not", 2), ("couldnt", "could", "not", 2), ("wouldnt", "would", "not", 2),
    ("shouldnt", "should", "not", 2), ("havent", "have", "not", 2), ("hasnt", "has", "not", 2),
    ("hes", "he", "is", 1), ("shes", "she", "is", 1), ("thats", "that", "is", 1), ("theyre", "they", "are", 2),
    ("whats", "what", "is", 1), ("lets", "let", "us", 1), ("gonna", "going", "to", 2),
    ("wanna", "want", "to", 2),
];
