//! What the user wrote in a chat, cut into sentences and clauses: what grounds are looked for in.

use std::sync::{Arc, OnceLock};

use crate::ids::{MessageNumber, SessionId};
use crate::memory::Span;
use crate::order;
use crate::plan::details;
use crate::text::{self, Cut, StringSet};

/// A quote is cut here, so that a message without any full stop does not become one.
pub(super) const LONGEST_SENTENCE: usize = 2_000;

/// How much of a message is looked at: what is longer was hardly written by hand, and a call must not
/// take the longer the more somebody pastes.
const LONGEST_SAID: usize = 32 << 10;

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
    pub(super) content: Arc<str>,
    pub(super) untrusted: Vec<Span>,
    /// Cut once for all who hold a copy.
    sentences: Arc<OnceLock<Vec<Sentence>>>,
}

impl Turn {
    /// A message of the user's: as it is at hand, where it is and still says the same.
    pub(crate) fn said(&self, message: MessageNumber, content: &str, untrusted: &[Span]) -> Said {
        let place = self
            .said
            .binary_search_by_key(&message, |said| said.message);
        let known = place.ok().map(|place| &self.said[place]);
        let is_same = |said: &&Said| &*said.content == content && said.untrusted == untrusted;
        let known = known.filter(is_same).cloned();
        known.unwrap_or_else(|| Said::new(message, content, untrusted))
    }
}

#[derive(Debug, Clone)]
pub(super) struct Sentence {
    pub span: Span,
    pub folded: String,
    pub is_negated: bool,
    /// As it was written, where that is not ASCII: there folding may move the border of a word.
    written: Option<String>,
    /// Made when somebody asks: of most sentences nobody does.
    terms: OnceLock<StringSet>,
    words: OnceLock<StringSet>,
}

/// What stands between two commas, or before a "but": as far as a "not" reaches.
#[derive(Debug, Clone)]
pub(super) struct Clause {
    pub terms: StringSet,
    pub is_negated: bool,
}

impl Said {
    pub(crate) fn new(message: MessageNumber, content: &str, untrusted: &[Span]) -> Self {
        Said {
            message,
            content: content.into(),
            untrusted: untrusted.to_vec(),
            sentences: Arc::default(),
        }
    }

    /// Cuts it now, for whoever will ask.
    pub(crate) fn cut(&self) {
        for sentence in self.sentences() {
            sentence.terms();
            sentence.words();
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.content.len()
    }

    /// What the user wrote, sentence by sentence, without the parts that are not the user's own.
    pub(super) fn sentences(&self) -> &[Sentence] {
        self.sentences.get_or_init(|| {
            trusted(&self.content, &self.untrusted)
                .into_iter()
                .flat_map(|part| sentences(&self.content, part))
                .take_while(|span| span.end as usize <= LONGEST_SAID)
                .map(|span| Sentence::of(&self.content, span))
                .collect()
        })
    }

    pub(super) fn slice(&self, span: Span) -> &str {
        slice(&self.content, span)
    }

    /// The same message with blanks for some of its words: as long as before, so that other ranges stay
    /// where they are.
    pub(super) fn without(&self, span: Span) -> Said {
        let mut content = self.content.to_string();
        let range = span.start as usize..span.end as usize;
        if let Some(words) = content.get(range.clone()) {
            content.replace_range(range, &" ".repeat(words.len()));
        }
        Said::new(self.message, &content, &self.untrusted)
    }
}

impl Sentence {
    fn of(content: &str, span: Span) -> Self {
        let text = slice(content, span);
        let folded = text::fold(text);
        Sentence {
            span,
            is_negated: text::is_negated(text),
            folded,
            written: (!text.is_ascii()).then(|| text.to_owned()),
            terms: OnceLock::new(),
            words: OnceLock::new(),
        }
    }

    pub(super) fn terms(&self) -> &StringSet {
        let cut = || Cut::of(self.plain()).terms().collect();
        self.terms.get_or_init(cut)
    }

    /// Its words, folded.
    pub(super) fn words(&self) -> &StringSet {
        let cut = || details::folded_words(self.plain()).collect();
        self.words.get_or_init(cut)
    }

    /// What is cut: what is folded need not be folded word by word.
    fn plain(&self) -> &str {
        self.written.as_ref().unwrap_or(&self.folded)
    }
}

impl Clause {
    /// The clauses of a text.
    pub(super) fn all(text: &str) -> impl Iterator<Item = Clause> {
        clauses(text).map(|clause| Clause {
            terms: Cut::of(clause).terms().collect(),
            is_negated: text::is_negated(clause),
        })
    }
}

/// Whether a content denies just what the user's clauses deny: for each of its clauses one of those that
/// share most of its `terms`. What shares none says nothing about it.
pub(super) fn denies_alike(content: &str, said: &[Clause], terms: &StringSet) -> bool {
    // "in Ghent, not in Bruges" says nothing of Bruges but that it is not so.
    let is_only_denied = |term: &str| {
        let mut holding = said.iter().filter(|clause| clause.terms.contains(term));
        let first = holding.next();
        first.is_some_and(|clause| clause.is_negated) && holding.all(|clause| clause.is_negated)
    };
    Clause::all(content).all(|clause| {
        let mut wanted = clause.terms.iter().filter(|term| terms.contains(term));
        if !clause.is_negated && wanted.any(is_only_denied) {
            return false;
        }
        let about = |other: &Clause| {
            let common = clause
                .terms
                .iter()
                .filter(|term| other.terms.contains(term));
            common.filter(|term| terms.contains(term)).count()
        };
        let most = said.iter().map(about).max().unwrap_or(0);
        let mut closest = said.iter().filter(|other| about(other) == most);
        most == 0 || closest.any(|other| other.is_negated == clause.is_negated)
    })
}

/// Words before which a clause ends: what follows is said apart from what came before.
const TURNS: &[&str] = &[
    " but ",
    " because ",
    " although ",
    " though ",
    " while ",
    " and i ",
    " and i'm ",
    " and my ",
    " and we ",
    " and it ",
    " and it's ",
    " and no ",
    " so ",
    " which ",
    " aber ",
    " sondern ",
    " weil ",
    " und ich ",
    " und es ",
    " mais ",
    " donc ",
    " et je ",
    " pero ",
    " porque ",
    " y yo ",
    " mas ",
    " ma ",
    " maar ",
    " но ",
    " а ",
];

fn clauses(sentence: &str) -> impl Iterator<Item = &str> {
    let lower = sentence.to_ascii_lowercase();
    let mut borders = vec![0];
    for (at, character) in lower.char_indices() {
        let is_mark = ",;:()，、；：（）—–".contains(character);
        let turns = character == ' ' && TURNS.iter().any(|word| lower[at..].starts_with(word));
        if is_mark || turns {
            borders.push(at);
        }
    }
    borders.push(sentence.len());
    let parts: Vec<&str> = borders
        .windows(2)
        .map(|border| &sentence[border[0]..border[1]])
        .filter(|part| part.chars().any(char::is_alphanumeric))
        .collect();
    parts.into_iter()
}

/// The parts of a content that are not untrusted.
fn trusted(content: &str, untrusted: &[Span]) -> Vec<Span> {
    let length = u32::try_from(content.len()).unwrap_or(u32::MAX);
    let mut spans = untrusted.to_vec();
    order::sort_by(&mut spans, Ord::cmp);
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
        let length = end - start;
        let too_long = length >= LONGEST_SENTENCE
            && (character.is_whitespace() || length >= 2 * LONGEST_SENTENCE);
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
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_at_hand_is_taken_only_where_it_says_the_same() {
        let number = MessageNumber::FIRST;
        let known = Said::new(number, "I like tea. Look.", &[]);
        known.cut();
        let turn = Turn {
            session: SessionId::new(uuid::Uuid::nil()),
            said: vec![known.clone()],
            untrusted: false,
        };
        let is_known = |said: &Said| Arc::ptr_eq(&said.sentences, &known.sentences);
        assert!(is_known(&turn.said(number, "I like tea. Look.", &[])));
        let part = Span { start: 12, end: 17 };
        let marked = turn.said(number, "I like tea. Look.", &[part]);
        assert!(!is_known(&marked) && marked.sentences().len() == 1);
        assert!(!is_known(&turn.said(number, "           . Look.", &[])));
        let later = MessageNumber::new(2).unwrap();
        assert!(!is_known(&turn.said(later, "I like tea. Look.", &[])));
    }

    proptest! {
        #[test]
        fn a_folded_sentence_is_cut_as_it_was_written(text in "([A-Za-z0-9'.,-]{0,9}[ \\t:!(#]{0,2}){0,8}") {
            let folded = text::fold(&text);
            prop_assert!(Cut::of(&folded).terms().eq(Cut::of(&text).terms()));
            prop_assert!(details::folded_words(&folded).eq(details::folded_words(&text)));
            prop_assert_eq!(text::is_negated(&folded), text::is_negated(&text));
        }
    }
}
