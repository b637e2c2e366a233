//! Secrets that a word gives away: "password is ...", "pin: ...", in many languages. A language is a
//! line in each table. Secrets known by their shape alone are in `secret_shapes`.

use std::sync::LazyLock;

use super::kinds::Secret;
use super::secret_names::*;
use super::secret_shapes::given_out;
use crate::text::lexicon::{Classes, Lexicon, Words};
use crate::text::skeleton::skeleton;

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::new(LATIN));

/// How far after its word a value is looked for, in chunks between blanks.
const REACH: usize = 10;

/// The first secret that a word gives away in an uncovered text.
pub(super) fn told(text: &str, words: &Words) -> Option<Secret> {
    let lexicon = &*LEXICON;
    let found = || (0..words.len()).map(|index| lexicon.look_up(words, index));
    // Of most texts no word names a secret; only beside one that does are the others looked at.
    let classes: Vec<(Classes, usize)> = match found().any(|(class, _)| class & NAMES != 0) {
        true => found().collect(),
        false => Vec::new(),
    };
    for (index, &(class, length)) in classes.iter().enumerate() {
        if class & NAMES == 0 {
            continue;
        }
        let last = words.get(index + length - 1)?;
        let kind = kind(class);
        let phrase = match kind {
            Secret::SeedPhrase => Some(12),
            _ if words.text(index) == "passphrase" => Some(4),
            _ => None,
        };
        if follows(text.get(last.place.end..)?, kind, phrase)
            || precedes(text, words, &classes, index, kind)
        {
            return Some(kind);
        }
    }
    if text.is_ascii() {
        None
    } else {
        told_elsewhere(text)
    }
}

fn kind(class: Classes) -> Secret {
    // The rarer the word, the surer.
    let kinds = [
        (SEED, Secret::SeedPhrase),
        (CARD_CODE, Secret::CardCode),
        (KEY, Secret::Key),
        (ONE_TIME, Secret::OneTimeCode),
        (SOCIAL, Secret::SocialSecurityNumber),
        (ACCOUNT, Secret::AccountNumber),
        (PIN, Secret::Pin),
    ];
    kinds
        .into_iter()
        .find(|(bit, _)| class & bit != 0)
        .map_or(Secret::Password, |(_, kind)| kind)
}

fn classes_of(word: &str) -> Classes {
    LEXICON.look_up(&Words::of(head(word, LONGEST_WORD)), 0).0
}

/// No word of the tables is longer.
const LONGEST_WORD: usize = 128;
/// How far after its name a value is looked for. A text that repeats a name without a blank would
/// otherwise be read to its end for each of them.
const LONGEST_REST: usize = 1_024;

/// The beginning of a text, at most so many bytes of it.
fn head(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// What is between the name and a value that may follow.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Link {
    None,
    /// A word such as "is" was right before.
    Word,
    /// A colon or an equals sign was right before.
    Sign,
}

/// Whether a value follows in what stands after the name.
fn follows(rest: &str, kind: Secret, words: Option<usize>) -> bool {
    let rest = head(rest, LONGEST_REST);
    let rest = rest.strip_prefix("'s").unwrap_or(rest);
    // "password-protected"
    if rest.starts_with('-') && rest[1..].starts_with(char::is_alphabetic) {
        return false;
    }
    let mut link = Link::None;
    let mut chunks = rest
        .split_whitespace()
        .take(REACH + 8)
        .enumerate()
        .peekable();
    while let Some((position, chunk)) = chunks.next() {
        if position >= REACH {
            return false;
        }
        let bare =
            chunk.trim_start_matches([':', '=', '>', '-', '~', '(', '"', '\'', '`', ',', ')']);
        let lead = &chunk[..chunk.len() - bare.len()];
        if lead.contains([':', '=']) || lead.contains("->") || (lead == "-" && bare.is_empty()) {
            link = Link::Sign;
        }
        let quoted = lead.ends_with(['"', '\'', '`']) && (link != Link::None || position == 0);
        let value = bare.trim_end_matches(['.', ',', ';', ':', '?', ')', '"', '\'', '`', '=']);
        if value.is_empty() {
            continue;
        }
        let class = classes_of(value);
        if position == 0 && class & COMPOUND != 0 && link == Link::None {
            return false;
        }
        if let Some(least) = words
            && link != Link::None
            && phrase(&rest[offset(rest, chunk)..], least)
        {
            return true;
        }
        let next = chunks.peek().map_or("", |(_, next)| *next);
        if is_value(value, quoted, link, kind, next) {
            return true;
        }
        let ends = chunk.ends_with(['.', '!', '?', ';']);
        if class & LINK != 0 && value.len() == bare.len() {
            link = Link::Word;
        } else if bare.ends_with([':', '=']) {
            link = Link::Sign;
        } else if class & FILLER == 0 {
            link = Link::None;
        }
        if ends {
            return false;
        }
    }
    false
}

/// Where `part` of `whole` begins.
fn offset(whole: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize)
}

/// So many words or more without any that only grammar needs.
fn phrase(text: &str, least: usize) -> bool {
    const GRAMMAR: [&str; 14] = [
        "the", "a", "an", "of", "to", "in", "and", "is", "was", "my", "on", "with", "by", "for",
    ];
    let mut count = 0;
    for word in text
        .split(|c: char| !c.is_alphabetic())
        .filter(|word| !word.is_empty())
        .take(least)
    {
        if GRAMMAR.contains(&word.to_lowercase().as_str()) {
            return false;
        }
        count += 1;
    }
    count >= least
}

/// Whether a value stands before the name: "… is the password", "uses … as PIN".
fn precedes(
    text: &str,
    words: &Words,
    classes: &[(Classes, usize)],
    index: usize,
    kind: Secret,
) -> bool {
    let nearest = index.saturating_sub(4);
    (nearest.max(1)..index).rev().any(|at| {
        if classes[at].0 & AS == 0 {
            return false;
        }
        let Some(word) = words.get(at).filter(|word| word.joined) else {
            return false;
        };
        let Some(before) = text.get(..word.place.start) else {
            return false;
        };
        let chunk = before.split_whitespace().next_back().unwrap_or("");
        let value = chunk.trim_matches(['"', '\'', '`', ',', '.', ':', ';', '(', ')']);
        let between =
            (at + 1..index).all(|middle| words.get(middle).is_some_and(|word| word.joined));
        between && (strong(value) || is_value(value, false, Link::None, kind, ""))
    })
}

fn digits(value: &str) -> usize {
    value.bytes().filter(u8::is_ascii_digit).count()
}

fn numeric(value: &str) -> bool {
    value
        .bytes()
        .all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'.' | b'/' | b' ' | b'!'))
}

fn is_value(value: &str, quoted: bool, link: Link, kind: Secret, next: &str) -> bool {
    let count = digits(value);
    if count > 0 && classes_of(next) & UNIT != 0 {
        return false;
    }
    match kind {
        Secret::Pin => numeric(value) && (4..=8).contains(&count) && !date(value, link),
        Secret::CardCode => numeric(value) && (3..=4).contains(&count),
        Secret::OneTimeCode => {
            (numeric(value) && (4..=8).contains(&count)) || (link != Link::None && strong(value))
        }
        Secret::SocialSecurityNumber => {
            let whole = format!("{value} {next}");
            let all: Vec<u8> = whole.bytes().filter(u8::is_ascii_digit).collect();
            (numeric(value) && count == 9 && given_out(&all[..9]))
                || (count == 3 && numeric(value) && digits(next) >= 2)
        }
        Secret::AccountNumber => {
            numeric(value) && (count >= 8 || (count >= 3 && digits(next) >= 3 && numeric(next)))
        }
        Secret::Key => value.len() >= 8 && strong(value),
        Secret::SeedPhrase => false,
        _ if address(value) => false,
        _ => password(value, quoted, link, next),
    }
}

/// A year or a day is not a PIN unless the sentence says so.
fn date(value: &str, link: Link) -> bool {
    link == Link::None
        && (value.starts_with("19") || value.starts_with("20"))
        && (value.len() == 4 || !value.bytes().all(|byte| byte.is_ascii_digit()))
}

fn address(value: &str) -> bool {
    value.contains("://")
        || value.contains('\\')
        || value.starts_with("www.")
        || value.split_once('@').is_some_and(|(name, host)| {
            !name.is_empty() && host.contains('.') && !host.contains(['!', '#', '$'])
        })
}

fn password(value: &str, quoted: bool, link: Link, next: &str) -> bool {
    if strong(value) {
        return true;
    }
    let length = value.chars().count();
    if link == Link::None {
        return quoted
            && length >= 4
            && !next.is_empty()
            && value.chars().all(|c| c.is_alphanumeric())
            && digits(value) > 0;
    }
    if numeric(value) {
        return digits(value) >= 4;
    }
    if value.contains(['@', '#', '$', '%', '^', '&', '*', '_', '+', '~']) && length >= 4 {
        return true;
    }
    if digits(value) > 0 && length >= 5 && value.contains(char::is_alphabetic) && !known(value) {
        return true;
    }
    if value.contains(char::is_lowercase)
        && value.chars().skip(1).any(char::is_uppercase)
        && !value.contains(['\'', '-', '/'])
        && length >= 6
    {
        return true;
    }
    let about = classes_of(value) & (ABOUT | LINK | FILLER | COMPOUND) != 0;
    let described = [
        "ed", "ing", "able", "ible", "ful", "ly", "less", "ous", "ive",
    ]
    .iter()
    .any(|ending| value.ends_with(ending));
    if quoted {
        return (!about || link == Link::Sign) && length >= 3;
    }
    // One plain word, and nothing after it: "my password is swordfish".
    let last = next.is_empty() || next.starts_with(['(', '-', '/']);
    !about
        && !described
        && last
        && length >= 4
        && value.is_ascii()
        && !value.starts_with(|c: char| c.is_uppercase() && link == Link::Word)
}

/// Letters with digits and signs, as nothing but a code has them.
fn strong(value: &str) -> bool {
    let letters = value.chars().filter(|c| c.is_alphabetic()).count();
    let count = digits(value);
    let signs = value
        .trim_end_matches(['.', ',', '!', '?'])
        .bytes()
        .any(|byte| {
            matches!(
                byte,
                b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*' | b'_' | b'+' | b'='
            )
        });
    let mixed = letters >= 2 && count >= 1 && value.len() >= 6;
    (mixed || (letters >= 3 && signs && count >= 1)) && !known(value) && !address(value)
}

/// Names of things that have letters and digits, next to which passwords are spoken of.
fn known(value: &str) -> bool {
    const KNOWN: [&str; 22] = [
        "wpa",
        "sha",
        "md5",
        "win",
        "iphone",
        "1pass",
        "2fa",
        "oauth",
        "utf",
        "bcrypt",
        "aes",
        "rsa",
        "covid",
        "galaxy",
        "ipad",
        "office",
        "base64",
        "http",
        "playstation",
        "xbox",
        "web3",
        "argon",
    ];
    let lower = value.to_ascii_lowercase();
    let starts_with_number = lower.trim_start_matches(|c: char| c.is_ascii_digit());
    // "16th", "24-hour", "8-character", "30min"
    let counted = starts_with_number.len() < lower.len()
        && (starts_with_number.starts_with('-')
            || matches!(
                starts_with_number,
                "th" | "st"
                    | "nd"
                    | "rd"
                    | "am"
                    | "pm"
                    | "min"
                    | "k"
                    | "gb"
                    | "mb"
                    | "s"
                    | "er"
                    | "x"
            ));
    counted || KNOWN.iter().any(|known| lower.starts_with(known))
}

/// Scripts whose words have no blanks between them, or many endings: the name is looked for as it
/// is, and the value is the first run of ASCII after it.
fn told_elsewhere(text: &str) -> Option<Secret> {
    let folded = skeleton(text);
    for (kind, names) in OTHER {
        for name in names.split('|') {
            for (at, _) in folded.match_indices(name) {
                if value_after(&folded[at + name.len()..], *kind) {
                    return Some(*kind);
                }
            }
        }
    }
    None
}

fn value_after(rest: &str, kind: Secret) -> bool {
    let near: &str = rest
        .char_indices()
        .nth(48)
        .map_or(rest, |(end, _)| &rest[..end]);
    let near = near
        .split(['。', '!', '?', ';', '।'])
        .next()
        .unwrap_or(near);
    let Some(start) = near.find(|c: char| c.is_ascii_alphanumeric()) else {
        return false;
    };
    let run = &rest[start..];
    let end = run
        .find(|c: char| !c.is_ascii_graphic())
        .unwrap_or(run.len());
    let value = run[..end].trim_end_matches(['.', ',', ';', ':', '?', ')', '"', '\'']);
    let before = near[..start].trim_end();
    let linked = before.is_empty()
        || before.ends_with([
            ':', '=', '-', '"', '是', '为', '為', 'は', '는', '은', '이', '가', '로',
        ])
        || [
            "هي",
            "هو",
            "है",
            "คือ",
            "这是",
            "ειναι",
            "ειναι",
            "הוא",
            "היא",
        ]
        .iter()
        .any(|link| before.ends_with(link));
    match kind {
        Secret::Pin | Secret::OneTimeCode => is_value(value, false, Link::None, kind, ""),
        Secret::Key => value.len() >= 8 && strong(value),
        _ if address(value) => false,
        _ if linked => value.len() >= 4 && (digits(value) > 0 || value.len() >= 6) && !known(value),
        _ => strong(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_in_the_form_that_is_looked_at() {
        for (_, list) in LATIN {
            assert_eq!(
                skeleton(list),
                list.split_whitespace().collect::<Vec<_>>().join(" ")
            );
        }
        for (_, names) in OTHER {
            for name in names.split('|') {
                assert_eq!(skeleton(&format!("{name}|")), format!("{name}|"));
            }
        }
    }
}
