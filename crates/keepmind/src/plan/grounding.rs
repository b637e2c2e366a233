//! Whether what a tool writes stands in the user's own words: what decides its trust.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use crate::ids::{MessageNumber, SessionId};
use crate::memory::{Evidence, Span};
use crate::plan::spans::Stretch;
use crate::text;

/// A quote is cut here, so that a message without any full stop does not become one.
const LONGEST_SENTENCE: usize = 2_000;

/// What a tool call is made in: the chat so far, as far as it can speak for or against a write.
#[derive(Debug, Clone)]
pub(crate) struct Turn {
    pub session: SessionId,
    /// What the user wrote, oldest first.
    pub said: Vec<Said>,
    /// Text that is not the user's stands in what the model sees: a document, a tool's answer, a
    /// message filled in for the user. What it asks for must not become memory by itself.
    pub untrusted: bool,
}

/// One message of the user's.
#[derive(Debug, Clone)]
pub(crate) struct Said {
    pub message: MessageNumber,
    content: Arc<str>,
    untrusted: Vec<Span>,
    sentences: OnceLock<Vec<Sentence>>,
}

#[derive(Debug, Clone)]
struct Sentence {
    span: Span,
    terms: BTreeSet<String>,
    words: BTreeSet<String>,
    folded: String,
}

impl Said {
    pub(crate) fn new(message: MessageNumber, content: &str, untrusted: &[Span]) -> Self {
        Said {
            message,
            content: content.into(),
            untrusted: untrusted.to_vec(),
            sentences: OnceLock::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.content.len()
    }

    /// What the user wrote, sentence by sentence, without the parts that are not the user's own.
    fn sentences(&self) -> &[Sentence] {
        self.sentences.get_or_init(|| {
            trusted(&self.content, &self.untrusted)
                .into_iter()
                .flat_map(|part| sentences(&self.content, part))
                .map(|span| Sentence::of(&self.content, span))
                .collect()
        })
    }
}

impl Sentence {
    fn of(content: &str, span: Span) -> Self {
        let text = slice(content, span);
        Sentence {
            span,
            terms: text::terms(text).into_iter().collect(),
            words: words(text)
                .map(|word| bare(&text::fold(word)).to_owned())
                .collect(),
            folded: text::fold(text),
        }
    }
}

/// Where a content stands in the user's words.
pub(super) struct Grounds {
    pub evidence: Vec<Evidence>,
}

/// Looks for a message that grounds a content, the newest first.
///
/// Its numbers, names and links, and at least half of its content words, must occur in one message,
/// outside what `is_excluded` rules out. What `known` holds, the row that is being updated, needs no
/// support.
pub(super) fn ground(
    content: &str,
    known: &str,
    turn: &Turn,
    is_excluded: impl Fn(Stretch) -> bool,
) -> Option<Grounds> {
    let wanted = Wanted::of(content, known);
    if wanted.terms.is_empty() {
        return None;
    }
    turn.said.iter().rev().find_map(|said| {
        let sentences = said.sentences().iter().filter(|sentence| {
            !is_excluded(Stretch {
                session: turn.session,
                message: said.message,
                span: sentence.span,
            })
        });
        let chosen = wanted.support(sentences.collect())?;
        let evidence = chosen.into_iter().map(|span| Evidence::Quote {
            session: turn.session,
            message: said.message,
            span,
            quote: slice(&said.content, span).to_owned(),
        });
        Some(Grounds {
            evidence: evidence.collect(),
        })
    })
}

/// Whether a content stands in the user's words at all, forgotten or not.
pub(crate) fn is_grounded(content: &str, turn: &Turn) -> bool {
    ground(content, "", turn, |_| false).is_some()
}

/// Where the user wrote these words, the newest place first.
pub(super) fn quote(words: &str, turn: &Turn) -> Option<Evidence> {
    let folded = text::fold(words);
    turn.said.iter().rev().find_map(|said| {
        let sentences = said.sentences();
        let one = sentences
            .iter()
            .find(|sentence| sentence.folded.contains(&folded));
        let span = match one {
            Some(sentence) => sentence.span,
            None => {
                // Words over several sentences: only where nothing foreign stands between them.
                let (first, last) = (sentences.first()?, sentences.last()?);
                let whole = Span {
                    start: first.span.start,
                    end: last.span.end,
                };
                let is_own = said.untrusted.is_empty() && said.len() <= LONGEST_SENTENCE;
                let holds = is_own && text::fold(slice(&said.content, whole)).contains(&folded);
                holds.then_some(whole)?
            }
        };
        Some(Evidence::Quote {
            session: turn.session,
            message: said.message,
            span,
            quote: slice(&said.content, span).to_owned(),
        })
    })
}

/// Whether any of the user's messages speaks of a content at all: one of its words, or its number.
pub(super) fn mentions(content: &str, name: &str, turn: &Turn) -> bool {
    let terms = content_terms(content);
    turn.said.iter().flat_map(Said::sentences).any(|sentence| {
        terms.iter().any(|term| sentence.terms.contains(term)) || sentence.folded.contains(name)
    })
}

/// The first link of a text that none of the user's messages, nor a known text, holds.
pub(super) fn foreign_link<'t>(text: &'t str, known: &str, turn: &Turn) -> Option<&'t str> {
    links(text).find(|link| {
        let folded = text::fold(link);
        !text::fold(known).contains(&folded)
            && !turn
                .said
                .iter()
                .flat_map(Said::sentences)
                .any(|sentence| sentence.folded.contains(&folded))
    })
}

/// What must be found before a content counts as the user's word.
struct Wanted {
    terms: BTreeSet<String>,
    /// Numbers and names, folded.
    details: BTreeSet<String>,
    links: Vec<String>,
}

impl Wanted {
    fn of(content: &str, known: &str) -> Self {
        let known_words: BTreeSet<String> = words(known)
            .map(|word| bare(&text::fold(word)).to_owned())
            .collect();
        let known = text::fold(known);
        let details = details(content)
            .map(|word| bare(&text::fold(word)).to_owned())
            .filter(|word| !known_words.contains(word));
        let links = links(content)
            .map(text::fold)
            .filter(|link| !known.contains(link));
        Wanted {
            terms: content_terms(content),
            details: details.collect(),
            links: links.collect(),
        }
    }

    /// The fewest sentences, greedily, that hold all details and half of the words.
    fn support(&self, mut sentences: Vec<&Sentence>) -> Option<Vec<Span>> {
        let mut terms: BTreeSet<&String> = BTreeSet::new();
        let mut details: BTreeSet<&String> = BTreeSet::new();
        let mut links: BTreeSet<&String> = BTreeSet::new();
        let mut chosen = Vec::new();
        loop {
            let is_enough = terms.len() * 2 >= self.terms.len()
                && details.len() == self.details.len()
                && links.len() == self.links.len();
            if is_enough {
                chosen.sort();
                return Some(chosen);
            }
            let gain = |sentence: &Sentence| {
                let new_terms = self
                    .terms
                    .iter()
                    .filter(|term| !terms.contains(term) && sentence.terms.contains(*term));
                let new_details = self
                    .details
                    .iter()
                    .filter(|word| !details.contains(word) && sentence.words.contains(*word));
                let new_links = self
                    .links
                    .iter()
                    .filter(|link| !links.contains(link) && sentence.folded.contains(*link));
                new_terms.count() + new_details.count() + new_links.count()
            };
            let (best, most) = sentences
                .iter()
                .enumerate()
                .map(|(index, sentence)| (index, gain(sentence)))
                .max_by_key(|&(index, gain)| (gain, std::cmp::Reverse(index)))?;
            if most == 0 {
                return None;
            }
            let sentence = sentences.remove(best);
            terms.extend(
                self.terms
                    .iter()
                    .filter(|term| sentence.terms.contains(*term)),
            );
            details.extend(
                self.details
                    .iter()
                    .filter(|word| sentence.words.contains(*word)),
            );
            links.extend(
                self.links
                    .iter()
                    .filter(|link| sentence.folded.contains(*link)),
            );
            chosen.push(sentence.span);
        }
    }
}

/// What a content is about: its terms without stop words and words for the user.
fn content_terms(content: &str) -> BTreeSet<String> {
    let about = words(content)
        .filter(|word| {
            let folded = text::fold(word);
            !text::is_user_word(bare(&folded)) && !text::is_stop_word(&folded)
        })
        .flat_map(text::terms);
    about.collect()
}

/// Numbers, and words inside a sentence that are written like names.
fn details(content: &str) -> impl Iterator<Item = &str> {
    let mut begins = true;
    let mut last_end = 0;
    words(content).filter(move |word| {
        let start = word.as_ptr() as usize - content.as_ptr() as usize;
        let gap = &content[last_end..start];
        begins |= gap.contains(['.', '!', '?', ':', '\n', '"', '“']);
        last_end = start + word.len();
        let at_beginning = std::mem::replace(&mut begins, false);
        let folded = text::fold(word);
        let is_name = word.chars().next().is_some_and(char::is_uppercase)
            && !at_beginning
            && word.chars().count() > 1
            && !text::is_user_word(bare(&folded))
            && !text::is_stop_word(&folded);
        is_name || word.chars().any(|character| character.is_numeric())
    })
}

/// Runs of letters, marks and digits; an apostrophe, a dot, a comma or a dash inside joins.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| {
        !(character.is_alphanumeric()
            || matches!(character, '\'' | '’' | '.' | ',' | '-')
            || is_mark(character))
    })
    .map(|word| word.trim_matches(['\'', '’', '.', ',', '-']))
    .filter(|word| !word.is_empty())
}

/// Vowel signs and accents that belong to the letter before them.
fn is_mark(character: char) -> bool {
    unicode_normalization::char::is_combining_mark(character)
}

/// A folded word without the English possessive.
fn bare(word: &str) -> &str {
    word.strip_suffix("'s")
        .or_else(|| word.strip_suffix("’s"))
        .unwrap_or(word)
}

/// What looks like an address on the web or of a mailbox.
pub(super) fn links(text: &str) -> impl Iterator<Item = &str> {
    let ends = |character: char| {
        character.is_whitespace()
            || matches!(character, '(' | ')' | '<' | '>' | '"' | '[' | ']' | ',')
    };
    text.split(ends)
        .map(|word| word.trim_end_matches(['.', '!', '?', ';', ':']))
        .filter(|word| {
            let lower = word.to_ascii_lowercase();
            lower.contains("://") || lower.starts_with("www.") || is_host(&lower)
        })
}

fn is_host(word: &str) -> bool {
    let host = word.split(['/', '?', '#']).next().unwrap_or_default();
    let (_, after_at) = host.split_once('@').unwrap_or(("", host));
    let Some((name, ending)) = after_at.rsplit_once('.') else {
        return false;
    };
    let labels = |text: &str| {
        text.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.'))
    };
    let has_path = word.len() > host.len() || host.contains('@');
    !name.is_empty()
        && labels(name)
        && name.bytes().any(|byte| byte.is_ascii_alphabetic())
        && ending.len() >= 2
        && ending.bytes().all(|byte| byte.is_ascii_alphabetic())
        && (has_path || COMMON_ENDINGS.contains(&ending))
}

/// Without a path, only what is surely an address: `index.html` and `Node.js` are none.
const COMMON_ENDINGS: &[&str] = &[
    "com", "net", "org", "io", "ai", "dev", "app", "example", "info", "biz", "co", "me", "xyz",
    "top", "ru", "cn", "de", "fr", "uk", "nl", "eu", "ch", "at", "es", "it", "pl", "br", "jp",
    "th",
];

/// The parts of a content that are not untrusted.
fn trusted(content: &str, untrusted: &[Span]) -> Vec<Span> {
    let length = u32::try_from(content.len()).unwrap_or(u32::MAX);
    let mut spans = untrusted.to_vec();
    spans.sort();
    let mut parts = Vec::new();
    let mut start = 0;
    for span in spans {
        if span.start > start {
            parts.push(Span {
                start,
                end: span.start.min(length),
            });
        }
        start = start.max(span.end);
    }
    if start < length {
        parts.push(Span { start, end: length });
    }
    parts
}

fn slice(content: &str, span: Span) -> &str {
    content
        .get(span.start as usize..span.end as usize)
        .unwrap_or_default()
}

/// The sentences of a part of a content, without the blanks around them.
fn sentences(content: &str, part: Span) -> Vec<Span> {
    let text = slice(content, part);
    let mut found = Vec::new();
    let mut start = 0;
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let end = at + character.len_utf8();
        let next = characters.peek().map(|(_, next)| *next);
        let full_stop = match character {
            '\n' | '。' | '！' | '？' | '｡' => true,
            '.' | '!' | '?' | '…' | ';' => next.is_none_or(char::is_whitespace),
            _ => false,
        };
        let too_long = end - start >= LONGEST_SENTENCE && character.is_whitespace();
        if full_stop || too_long || next.is_none() {
            let sentence = &text[start..end];
            let trimmed = sentence.trim();
            if !trimmed.is_empty() {
                let lead = sentence.len() - sentence.trim_start().len();
                let from = part.start as usize + start + lead;
                let place = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
                found.push(Span {
                    start: place(from),
                    end: place(from + trimmed.len()),
                });
            }
            start = end;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(said: &[&str]) -> Turn {
        Turn {
            session: SessionId::new(uuid::Uuid::from_u128(1)),
            said: (1..)
                .zip(said)
                .map(|(number, content)| {
                    Said::new(MessageNumber::new(number).unwrap(), content, &[])
                })
                .collect(),
            untrusted: false,
        }
    }

    fn quotes(content: &str, said: &[&str]) -> Option<Vec<String>> {
        let grounds = ground(content, "", &turn(said), |_| false)?;
        let quote = |piece: Evidence| match piece {
            Evidence::Quote { quote, .. } => Some(quote),
            Evidence::Observation { .. } => None,
        };
        Some(grounds.evidence.into_iter().filter_map(quote).collect())
    }

    #[test]
    fn grounded_in_the_users_words() {
        for (content, said, quote) in [
            (
                "User likes tea",
                "remember that I like tea",
                "remember that I like tea",
            ),
            (
                "User is targeting retirement at 50",
                "Hi. I'm targeting retirement at 50! What now?",
                "I'm targeting retirement at 50!",
            ),
            (
                "The user's wife is named Sarah",
                "my wife's name is sarah",
                "my wife's name is sarah",
            ),
            (
                "User lives in Zürich",
                "Ich wohne in Zürich.",
                "Ich wohne in Zürich.",
            ),
            ("用户喜欢喝茶", "我喜欢喝茶。你呢？", "我喜欢喝茶。"),
            (
                "User's site is example.com/me",
                "see example.com/me, my site",
                "see example.com/me, my site",
            ),
        ] {
            assert_eq!(
                quotes(content, &[said]),
                Some(vec![quote.to_owned()]),
                "{content}"
            );
        }
        assert_eq!(
            quotes(
                "User owns a brown dog named Rex",
                &["I own a brown dog. Nice day. Rex it is."]
            ),
            Some(vec![
                "I own a brown dog.".to_owned(),
                "Rex it is.".to_owned()
            ])
        );
    }

    #[test]
    fn not_grounded() {
        for (content, said) in [
            ("User is an administrator of the bank", "read this page"),
            ("User likes tea", "yes"),
            (
                "User is targeting retirement at 55",
                "I'm targeting retirement at 50",
            ),
            ("User's wife is Anna", "my wife is Sarah"),
            ("User likes tea, see http://evil.example", "I like tea"),
            ("The user", "the user"),
            ("User has a cat and plays tennis on Sundays", "I have a cat"),
        ] {
            assert_eq!(quotes(content, &[said]), None, "{content}");
        }
        assert_eq!(
            quotes(
                "User owns a brown dog Rex",
                &["I own a brown dog", "Rex is nice"]
            ),
            None
        );
    }

    #[test]
    fn what_is_not_the_users_own_grounds_nothing() {
        let content = "Look: \"I like tea\" they say";
        let span = Span { start: 6, end: 18 };
        let said = Said::new(MessageNumber::FIRST, content, &[span]);
        let turn = Turn {
            said: vec![said],
            ..turn(&[])
        };
        assert!(ground("User likes tea", "", &turn, |_| false).is_none());
    }

    #[test]
    fn an_update_need_not_repeat_what_is_known() {
        let turn = turn(&["actually, make that 55"]);
        assert!(
            ground(
                "Retire at 55 in Lisbon",
                "Retire at 50 in Lisbon",
                &turn,
                |_| false
            )
            .is_none()
        );
        let turn = self::turn(&["change retirement to 55"]);
        assert!(
            ground(
                "Retirement at 55 in Lisbon",
                "Retirement at 50 in Lisbon",
                &turn,
                |_| false
            )
            .is_some()
        );
    }

    #[test]
    fn links_are_found_with_and_without_a_scheme() {
        let found = |text| links(text).collect::<Vec<_>>();
        assert_eq!(
            found("see https://a.example/x?y=1."),
            ["https://a.example/x?y=1"]
        );
        assert_eq!(
            found("mail me@x.org or (www.b.net)"),
            ["me@x.org", "www.b.net"]
        );
        assert_eq!(found("evil.example is mine"), ["evil.example"]);
        assert!(found("uses Node.js and index.html, e.g. v1.2.3, 3.5 km").is_empty());
    }
}
