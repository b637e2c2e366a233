//! Where a quote stands: word for word in one message of the user's, or somewhere that speaks for nothing.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use memchr::memmem::Finder;

use crate::conversation;
use crate::memory::Span;
use crate::message::{Message, MessageOrigin, Role};
use crate::text;

/// What quotes are held against.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chat<'a> {
    /// The part of the chat that is learned from.
    pub messages: &'a [Message],
    /// The lines and answers that the library itself put into the chat.
    pub served: &'a BTreeSet<String>,
}

/// Where a quote stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the user's own words: in which message, and where in it.
    Said { message: usize, span: Span },
    /// Only in words that are not the user's own: another's message, a document, a filled-in message.
    Foreign,
    /// It repeats what the library served.
    Served,
    /// Nowhere in the chat.
    Nowhere,
}

/// What quotes are held against, as they are compared.
pub(crate) struct Ground<'a> {
    messages: &'a [Message],
    /// What stands in the messages, one after the other with a [`BORDER`] after each: a quote is looked for
    /// in all of them at once.
    text: String,
    parts: Vec<Part>,
    served: Vec<Line>,
}

/// Stands in no flat text, so that no quote reaches over it.
const BORDER: char = '\n';

/// A text of a message.
struct Part {
    message: usize,
    is_hidden: bool,
    /// Where it begins in the text of all.
    start: usize,
    origins: Origins,
}

/// A line that the library served, without what only marks it as one. Every quote is looked for in it, and
/// it in every quote.
struct Line {
    text: String,
    pairs: Pairs,
    /// Finds it, once somebody has asked.
    finder: OnceCell<Finder<'static>>,
}

/// Which two bytes stand side by side in a text, several to a bit: nearly every line has some that a quote has
/// not, which says that it is no part of it.
#[derive(Debug, Clone, Copy, Default)]
struct Pairs([u64; 4]);

impl Pairs {
    fn of(text: &str) -> Self {
        let mut pairs = Pairs::default();
        for pair in text.as_bytes().windows(2) {
            let place = usize::from(pair[0].wrapping_mul(31).wrapping_add(pair[1]));
            pairs.0[place / 64] |= 1 << (place % 64);
        }
        pairs
    }

    /// Whether a text with these may be part of one with those.
    fn may_be_in(&self, whole: &Pairs) -> bool {
        (0..self.0.len()).all(|place| self.0[place] & !whole.0[place] == 0)
    }
}

/// A quote, ready to be looked for. Making a search ready takes the longer the more is looked for, and a few
/// letters tell nearly all places apart.
struct Quote<'q> {
    text: &'q str,
    head: Finder<'q>,
}

/// How much of a quote is looked for, in bytes, before the rest of it is compared.
const HEAD: usize = 24;

/// All of a longer quote is looked for: in a text that repeats itself, comparing at every place would take long.
const LONGEST_COMPARED: usize = 256;

impl<'q> Quote<'q> {
    fn new(text: &'q str) -> Self {
        let sought = match text.len() {
            ..=LONGEST_COMPARED => text.len().min(HEAD),
            length => length,
        };
        Quote {
            text,
            head: Finder::new(&text.as_bytes()[..sought]),
        }
    }

    /// Where it begins in a text; of places that overlap only the first.
    fn find_in(&self, text: &str) -> impl Iterator<Item = usize> {
        let (bytes, quote) = (text.as_bytes(), self.text.as_bytes());
        let mut next = 0;
        std::iter::from_fn(move || {
            loop {
                let start = next + self.head.find(bytes.get(next..)?)?;
                if bytes[start..].starts_with(quote) {
                    next = start + quote.len();
                    return Some(start);
                }
                next = start + 1;
            }
        })
    }
}

impl<'a> Ground<'a> {
    /// Made once for all quotes of an answer.
    pub(crate) fn of(chat: Chat<'a>) -> Self {
        let served = chat.served.iter();
        let mut ground = Ground {
            messages: chat.messages,
            text: String::new(),
            parts: Vec::with_capacity(chat.messages.len()),
            served: served.map(|line| Line::of(line)).collect(),
        };
        for (index, Message { utterance, .. }) in chat.messages.iter().enumerate() {
            ground.add(index, false, &utterance.content);
            if let Some(hidden) = &utterance.hidden {
                ground.add(index, true, hidden);
            }
        }
        ground
    }

    fn add(&mut self, message: usize, is_hidden: bool, original: &str) {
        let flat = Flat::of(original);
        self.parts.push(Part {
            message,
            is_hidden,
            start: self.text.len(),
            origins: flat.origins,
        });
        self.text.push_str(&flat.text);
        self.text.push(BORDER);
    }

    /// Where a quote stands, whole words only: in which text, and where in its original.
    fn find(&self, quote: &Quote<'_>) -> impl Iterator<Item = (&Part, Span)> {
        let is_letter = |letter: Option<char>| {
            letter.is_some_and(|letter| {
                letter.is_alphanumeric() && !text::is_unspaced(letter) || text::is_mark(letter)
            })
        };
        let cuts = move |border: usize| {
            let before = self.text[..border].chars().next_back();
            is_letter(before) && is_letter(self.text[border..].chars().next())
        };
        quote
            .find_in(&self.text)
            .map(|start| (start, start + quote.text.len()))
            .filter(move |(start, end)| !cuts(*start) && !cuts(*end))
            .filter_map(|(start, end)| {
                let next = self.parts.partition_point(|part| part.start <= start);
                let part = self.parts.get(next.checked_sub(1)?)?;
                let origin = |place: usize| part.origins.of(place - part.start);
                let (start, end) = (origin(start), origin(end));
                Some((part, Span { start, end }))
            })
    }
}

/// Where a quote stands, the newest message first.
///
/// Compared are the words as written: letters, case and numbers count; the Unicode form, what shows
/// nothing, straight or curly quotes and how many blanks there are do not.
pub(crate) fn place(quote: &str, ground: &Ground<'_>) -> Place {
    let flat = Flat::of(&text::nfc(quote));
    let quote = Quote::new(flat.text.trim());
    if quote.text.is_empty() {
        return Place::Nowhere;
    }
    let pairs = Pairs::of(quote.text);
    let mut served = ground.served.iter();
    if served.any(|line| is_echo(&quote, &pairs, line)) {
        return Place::Served;
    }
    let mut is_foreign = false;
    let mut said = None;
    for (part, span) in ground.find(&quote) {
        let utterance = &ground.messages[part.message].utterance;
        let is_own = utterance.role == Role::User && utterance.origin == MessageOrigin::Typed;
        let is_untrusted = || utterance.untrusted.iter().any(|part| part.overlaps(span));
        if part.is_hidden || !is_own || is_untrusted() {
            is_foreign = true;
        } else if said.is_none_or(|(message, _)| message != part.message) {
            said = Some((part.message, span));
        }
    }
    match said {
        Some((message, span)) => Place::Said { message, span },
        None if is_foreign => Place::Foreign,
        None => Place::Nowhere,
    }
}

impl Line {
    fn of(line: &str) -> Self {
        let flat = Flat::of(line);
        let text = flat.text.trim().trim_start_matches(['-', '#', ' ']);
        Line {
            pairs: Pairs::of(text),
            text: text.to_owned(),
            finder: OnceCell::new(),
        }
    }

    fn is_in(&self, text: &str) -> bool {
        let new = || Finder::new(&self.text).into_owned();
        let finder = self.finder.get_or_init(new);
        finder.find(text.as_bytes()).is_some()
    }
}

fn is_echo(quote: &Quote<'_>, pairs: &Pairs, line: &Line) -> bool {
    let served = line.text.as_str();
    let may_be_quoted = pairs.may_be_in(&line.pairs);
    let may_be_in_quote = line.pairs.may_be_in(pairs);
    if !may_be_quoted && !may_be_in_quote {
        return false;
    }
    let is_quoted = || may_be_quoted && quote.find_in(served).next().is_some();
    let is_in_quote = || may_be_in_quote && line.is_in(quote.text);
    conversation::is_echo(quote.text, served, is_quoted, is_in_quote)
}

/// A text as quotes are compared, and where each of its bytes comes from.
struct Flat {
    text: String,
    origins: Origins,
}

/// Where each byte of a flat text comes from.
struct Origins {
    /// Nothing where each byte stands where it stood.
    places: Option<Vec<u32>>,
    end: u32,
}

impl Origins {
    fn of(&self, place: usize) -> u32 {
        match &self.places {
            None => place_of(place),
            Some(places) => places.get(place).copied().unwrap_or(self.end),
        }
    }
}

impl Flat {
    fn of(original: &str) -> Self {
        let end = place_of(original.len());
        if has_single_blanks(original) {
            return Flat {
                text: original.to_owned(),
                origins: Origins { places: None, end },
            };
        }
        let mut text = String::with_capacity(original.len());
        let mut origins = Vec::with_capacity(original.len());
        let mut was_blank = false;
        for (at, character) in original.char_indices() {
            // Joiners and direction marks are kept in what is stored; a model may leave them out.
            let is_mark = matches!(character, '\u{200c}' | '\u{200d}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
            if is_mark || text::shows_nothing(character) {
                continue;
            }
            let is_blank = character.is_whitespace();
            if is_blank && was_blank {
                continue;
            }
            was_blank = is_blank;
            let shown = match character {
                _ if is_blank => ' ',
                '‘' | '’' | '‛' | 'ʼ' => '\'',
                '“' | '”' | '„' | '‟' => '"',
                other => other,
            };
            text.push(shown);
            origins.extend(std::iter::repeat_n(place_of(at), shown.len_utf8()));
        }
        let places = Some(origins);
        Flat {
            text,
            origins: Origins { places, end },
        }
    }
}

/// Whether a text is ASCII with no white space but single blanks: then it is compared as it is.
fn has_single_blanks(text: &str) -> bool {
    let is_other = |byte: &u8| !byte.is_ascii() || matches!(byte, b'\t'..=b'\r');
    let bytes = text.as_bytes();
    !bytes.iter().any(is_other) && !bytes.windows(2).any(|pair| pair == b"  ")
}

fn place_of(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{MessageNumber, MessageOrdinal, SessionId};
    use crate::message::Utterance;
    use crate::timestamp::Timestamp;
    use proptest::prelude::*;

    fn message(role: Role, content: &str) -> Message {
        Message {
            session: SessionId::new(uuid::Uuid::nil()),
            number: MessageNumber::FIRST,
            ordinal: MessageOrdinal::FIRST,
            utterance: Utterance::new(role, content, Timestamp::UNIX_EPOCH),
        }
    }

    fn placed(quote: &str, messages: &[Message], served: &[&str]) -> Place {
        let served = served.iter().map(|line| (*line).to_owned()).collect();
        let chat = Chat {
            messages,
            served: &served,
        };
        place(quote, &Ground::of(chat))
    }

    proptest! {
        #[test]
        fn a_quote_is_found_wherever_it_stands(
            quote in "(ab|a|é){1,40}c?|(ab){130,140}",
            text in "((ab|a|é){1,60}[c ]?){0,6}|(ab){0,400}",
        ) {
            let found: Vec<usize> = Quote::new(&quote).find_in(&text).collect();
            let plain: Vec<usize> = text.match_indices(&quote).map(|(at, _)| at).collect();
            prop_assert_eq!(found, plain);
        }
    }

    #[test]
    fn words_are_found_as_they_were_written() {
        for (said, quote, found) in [
            ("Well, I live in Ghent now.", "I live in Ghent", true),
            (
                "our team is\u{a0}called Jokers",
                "our team is called  Jokers",
                true,
            ),
            ("I am fond of tea", "I am fond of te\u{200b}a", true),
            ("j’ai une fille", "j'ai une fille", true),
            ("cafe\u{301} au lait", "café au lait", false),
            ("caf\u{e9} au lait", "cafe\u{301} au lait", true),
            ("I live in Москва", "I live in Mocква", false),
            ("my number is 5", "my number is ⑤", false),
            ("I like tea", "i like tea", false),
            ("I like teapots", "I like tea", false),
            ("我吃素食", "我吃素", true),
            ("I work nights.", "I work nights ... at a hospital", false),
            ("I like tea", "", false),
        ] {
            let place = placed(quote, &[message(Role::User, said)], &[]);
            assert_eq!(matches!(place, Place::Said { .. }), found, "{quote}");
        }
    }

    #[test]
    fn the_span_is_that_of_the_original() {
        let said = "So: I\u{200b} live\n\n in Ghent, yes";
        let Place::Said { span, .. } = placed("I live in Ghent", &[message(Role::User, said)], &[])
        else {
            panic!("it was said");
        };
        let found = &said[span.start as usize..span.end as usize];
        assert_eq!(found, "I\u{200b} live\n\n in Ghent");
    }

    #[test]
    fn the_newest_message_speaks_and_there_the_first_place() {
        let chat = [
            message(Role::User, "I like tea"),
            message(Role::User, "So\n\n I like tea. I like tea, and so"),
            message(Role::Assistant, "I like tea"),
            message(Role::User, "on it goes"),
        ];
        let span = Span { start: 5, end: 15 };
        let expected = Place::Said { message: 1, span };
        assert_eq!(placed("I like tea", &chat, &[]), expected);
        for quote in [
            "and so I like tea",
            "and so\nI like tea",
            "so\n\non",
            "tea on",
        ] {
            assert_eq!(placed(quote, &chat, &[]), Place::Nowhere, "{quote}");
        }
    }

    #[test]
    fn others_words_speak_for_nothing() {
        let mut pasted = message(Role::User, "Summarise: I trust BlueKite");
        pasted.utterance.untrusted = vec![Span { start: 11, end: 27 }];
        let mut filled = message(Role::User, "I trust BlueKite");
        filled.utterance.origin = MessageOrigin::Prefill;
        let mut hidden = message(Role::User, "see the file");
        hidden.utterance.hidden = Some("I trust BlueKite".to_owned());
        for foreign in [
            message(Role::Assistant, "I trust BlueKite"),
            message(Role::Tool, "<p>I trust BlueKite</p>"),
            message(Role::System, "I trust BlueKite"),
            pasted,
            filled,
            hidden,
        ] {
            let own = message(Role::User, "I trust BlueKite");
            assert_eq!(
                placed("I trust BlueKite", std::slice::from_ref(&foreign), &[]),
                Place::Foreign
            );
            let both = [own, foreign];
            let place = placed("I trust BlueKite", &both, &[]);
            assert!(matches!(place, Place::Said { message: 0, .. }));
        }
    }

    #[test]
    fn what_was_served_is_only_an_echo() {
        let said = message(Role::User, "Is that right? User prefers metric units");
        let served = ["- #2 User prefers metric units"];
        assert_eq!(
            placed(
                "User prefers metric units",
                std::slice::from_ref(&said),
                &served
            ),
            Place::Served
        );
        let place = placed("metric", &[said], &served);
        assert!(matches!(place, Place::Said { .. }), "too little to be one");
    }

    proptest! {
        #[test]
        fn what_is_part_of_a_text_has_no_other_pairs(before in ".{0,20}", part in ".{0,20}", after in ".{0,20}") {
            let whole = format!("{before}{part}{after}");
            prop_assert!(Pairs::of(&part).may_be_in(&Pairs::of(&whole)));
        }

        #[test]
        fn spans_stand_in_the_original(said in "\\PC{0,60}", from in 0_usize..60, length in 1_usize..30) {
            let quote: String = said.chars().skip(from).take(length).collect();
            if let Place::Said { span, .. } = placed(&quote, &[message(Role::User, &said)], &[]) {
                prop_assert!(said.get(span.start as usize..span.end as usize).is_some());
            }
        }
    }
}
