//! Which sensitive domains a memory's text belongs to, told from its words, so that leaving its domain
//! out helps nobody; and whether it speaks of another person. What follows from that is the gate's.

mod belief_words;
mod classes;
mod glossary;
mod health_words;
mod identity_words;
mod money_words;
mod people_words;
mod person;
mod record_words;
mod unspaced_words;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use self::belief_words::BELIEF_WORDS;
use self::classes::*;
use self::glossary::{Glossary, Pieces};
use self::health_words::HEALTH_WORDS;
use self::identity_words::IDENTITY_WORDS;
use self::money_words::MONEY_WORDS;
use self::people_words::PEOPLE_WORDS;
use self::person::{Subject, subjects};
use self::record_words::RECORD_WORDS;
use self::unspaced_words::UNSPACED_WORDS;
use super::lexicon::{Classes, Words};
use super::script::unspaced;
use super::skeleton::skeleton;

static GLOSSARY: LazyLock<Glossary> = LazyLock::new(|| {
    let tables = [
        HEALTH_WORDS,
        MONEY_WORDS,
        BELIEF_WORDS,
        IDENTITY_WORDS,
        RECORD_WORDS,
        PEOPLE_WORDS,
    ];
    Glossary::new(tables.into_iter().flatten())
});
static PIECES: LazyLock<Pieces> = LazyLock::new(|| Pieces::new(UNSPACED_WORDS));

/// How many words after a field of work or leisure still belong to it.
const FIELD_REACH: usize = 5;
/// How many words after a topic may make a field of it: "gay romance novels".
const OF_FIELD_REACH: usize = 2;

/// The sensitive domains that an uncovered text surely belongs to, by the names that the presets give them.
///
/// A word screen, in any mixture of languages: words that are only somebody's work, studies or
/// reading do not count, nor does what is said of animals or of people in general. What is denied
/// counts: that somebody is *not* ill is a matter of health too.
pub(super) fn topics(plain: &str, words: &Words) -> BTreeSet<&'static str> {
    let mut found = BTreeSet::new();
    each_topic(plain, words, |domain, _| {
        found.insert(DOMAINS[domain]);
    });
    found
}

/// Whether something sensitive is said of another person than the user.
///
/// The grammatical subject decides. A relationship has two sides and is never only another's.
pub(super) fn is_about_another(plain: &str, words: &Words) -> bool {
    let mut another = false;
    each_topic(plain, words, |domain, subject| {
        another |= subject == Subject::Other && domain != RELATIONS;
    });
    another
}

fn each_topic(plain: &str, words: &Words, mut found: impl FnMut(usize, Subject)) {
    in_words(plain, words, &mut found);
    if !plain.is_ascii() && plain.chars().any(|character| unspaced(character).is_some()) {
        in_pieces(&skeleton(plain), &mut found);
    }
}

fn in_words(plain: &str, words: &Words, found: &mut impl FnMut(usize, Subject)) {
    let classes = classes_of(plain, words);
    if classes.iter().all(|class| class & TOPICAL == 0) {
        return;
    }
    let starts: Vec<bool> = (0..words.len())
        .map(|index| classes[index] & BREAK != 0 || breaks_before(plain, words, index))
        .collect();
    // "I like tea I take insulin": whoever does something begins anew. The halves of a topic still belong
    // together: "the 5,000 euros I owe".
    let begins: Vec<bool> = (0..words.len())
        .map(|index| starts[index] || runs_on(words, &classes, index))
        .collect();
    let subjects = subjects(words, &classes, &begins);
    let mut halves = 0;
    let mut start = 0;
    for index in 0..words.len() {
        if starts[index] {
            halves = 0;
        }
        if begins[index] {
            start = index;
        }
        let class = classes[index];
        if class & TOPICAL == 0 || subjects[index] == Subject::Nobody {
            continue;
        }
        halves |= class;
        let field = || is_field(&classes, &begins, start, index);
        for domain in 0..DOMAINS.len() {
            let both = half(domain) | other_half(domain);
            let says = class & sure(domain) != 0
                || class & both != 0 && halves & both == both && !(domain == ETHNICITY && field())
                || class & likely(domain) != 0 && !field();
            if says {
                found(domain, subjects[index]);
            }
        }
    }
}

/// Whether a clause begins at the word without anything that parts it from the one before.
fn runs_on(words: &Words, classes: &[Classes], index: usize) -> bool {
    // "Type I diabetes": what does something has a verb behind it.
    let is_followed = classes
        .get(index + 1)
        .is_some_and(|next| next & TELLING == 0);
    let is_possessive = || words.get(index).is_some_and(|word| word.possessive);
    // "Studies how they treat cancer" is one.
    let is_led_on = || {
        let before = index.checked_sub(1).map(|before| classes[before]);
        before.is_none_or(|before| before & (NO_NAME | OF_PERSON) != 0)
    };
    let class = classes[index];
    let begins = class & DOER != 0 || class & SAME_DOER != 0 && !is_led_on();
    begins && is_followed && !is_possessive()
}

/// The classes of each word; those of a phrase stand at its last, and an idiom has no others.
fn classes_of(plain: &str, words: &Words) -> Vec<Classes> {
    let mut classes = vec![0; words.len()];
    let mut idioms = Vec::new();
    let glossary = &*GLOSSARY;
    for index in 0..words.len() {
        glossary.look_up(words, index, |class, length| {
            classes[index + length - 1] |= class;
            if class == IDIOM {
                idioms.push(index..index + length);
            }
        });
    }
    for idiom in idioms {
        classes[idiom].fill(IDIOM);
    }
    for index in 0..words.len() {
        let text = words.text(index);
        // Most words need no closer look.
        let has_digits = text.as_bytes().first().is_some_and(u8::is_ascii_digit);
        if has_digits && is_amount(plain, words, &classes, index) {
            classes[index] |= other_half(FINANCE);
        }
        if classes[index] & DOSE != 0 && index > 0 && is_number(words.text(index - 1))
            || has_digits && text.strip_suffix("mg").is_some_and(is_number)
        {
            classes[index] |= half(HEALTH);
        }
    }
    classes
}

/// Whether a clause ends before the word; what groups digits does not end one.
fn breaks_before(plain: &str, words: &Words, index: usize) -> bool {
    let (Some(word), Some(before)) = (words.get(index), words.get(index.wrapping_sub(1))) else {
        return false;
    };
    let between = &plain[before.place.end..word.place.start];
    let grouped = matches!(between, "," | "." | "'")
        && is_number(words.text(index - 1))
        && words
            .text(index)
            .starts_with(|first: char| first.is_ascii_digit());
    // A currency's sign is no end either.
    let sign = between
        .chars()
        .all(|character| character == ' ' || is_currency(character));
    !word.joined && !grouped && !sign
}

/// Whether the word is a sum of money: with a currency, or too large to be a count of days.
fn is_amount(plain: &str, words: &Words, classes: &[Classes], index: usize) -> bool {
    let text = words.text(index);
    let Some(word) = words.get(index) else {
        return false;
    };
    let digits = text.trim_end_matches(['k', 'm']);
    if !is_number(digits) {
        return false;
    }
    let year = digits.len() == 4 && (digits.starts_with("19") || digits.starts_with("20"));
    let signed = plain[..word.place.start].trim_end().ends_with(is_currency)
        || plain[word.place.end..]
            .trim_start()
            .starts_with(is_currency);
    let named = |index: usize| {
        classes
            .get(index)
            .is_some_and(|class| class & CURRENCY != 0)
    };
    let counted = classes[index.saturating_sub(2)..index]
        .iter()
        .any(|class| class & COUNTING != 0);
    let thousands = text.len() > digits.len();
    signed
        || thousands
        || named(index + 1)
        || named(index.wrapping_sub(1))
        || digits.len() >= 3 && !year && !counted
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_currency(character: char) -> bool {
    matches!(character, '$' | '£' | '¥' | '฿' | '\u{20a0}'..='\u{20cf}')
}

/// Whether the word at `index` is what somebody works on, studies, reads or enjoys.
///
/// The nearest word decides: "reads novels about cancer" is a field, "reads because of her cancer" not.
fn is_field(classes: &[Classes], starts: &[bool], start: usize, index: usize) -> bool {
    let after = (index + 1..classes.len())
        .take(OF_FIELD_REACH)
        .take_while(|at| !starts[*at])
        .any(|at| classes[at] & OF_FIELD != 0);
    after
        || (start..index)
            .rev()
            .take(FIELD_REACH)
            .map(|at| classes[at])
            .find(|class| class & (FIELD | CLAIM) != 0)
            .is_some_and(|class| class & FIELD != 0)
}

fn in_pieces(skeleton: &str, found: &mut impl FnMut(usize, Subject)) {
    let mut main = Subject::User;
    for clause in skeleton.split(|character: char| ",.;!?、。，；！？".contains(character)) {
        let pieces = PIECES.find(clause);
        if let Some(class) = pieces
            .iter()
            .find(|class| **class & (USER | PERSON | ANIMAL) != 0)
        {
            main = match class {
                class if *class & ANIMAL != 0 => Subject::Nobody,
                _ => Subject::User,
            };
        }
        let field = pieces.iter().any(|class| class & FIELD != 0);
        let mut subject = main;
        for class in pieces {
            // Nobody's name comes between: whoever is mentioned first is spoken of.
            if class & PERSON != 0 {
                subject = Subject::Other;
                main = Subject::Other;
            } else if class & ANIMAL != 0 {
                subject = Subject::Nobody;
            }
            if subject == Subject::Nobody {
                continue;
            }
            for domain in 0..DOMAINS.len() {
                if class & sure(domain) != 0 || class & likely(domain) != 0 && !field {
                    found(domain, subject);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
