//! A sentence in Latin script with the classes of its words: who is spoken to, what a verb's object
//! is, and what around it counts as a name. What an order asks for is in `orders`.

use std::ops::Range;
use std::sync::LazyLock;

use super::instruction_words::*;
use crate::text::lexicon::{Classes, Lexicon, Words};

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::new(LATIN));

/// How many words after a verb its object is looked for.
const REACH: usize = 7;

/// Who is spoken to by a verb.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// Somebody else's doing, or nobody's.
    None,
    /// An imperative without a subject.
    Bare,
    /// The assistant is named.
    Assistant,
}

/// The words of a text and their classes.
pub(super) struct Sentence<'w> {
    pub(super) words: &'w Words,
    pub(super) classes: Vec<Classes>,
}

impl<'w> Sentence<'w> {
    pub(super) fn of(words: &'w Words) -> Self {
        let lexicon = &*LEXICON;
        let mut classes = vec![0; words.len()];
        for index in 0..words.len() {
            let (found, length) = lexicon.look_up(words, index);
            for class in classes.iter_mut().skip(index).take(length) {
                *class |= found;
            }
        }
        Sentence { words, classes }
    }

    pub(super) fn is(&self, at: usize, word: &str) -> bool {
        self.words.text(at) == word
    }

    pub(super) fn class(&self, at: usize) -> Classes {
        self.classes.get(at).copied().unwrap_or(0)
    }

    pub(super) fn joined(&self, at: usize) -> bool {
        self.words.get(at).is_some_and(|word| word.joined)
    }

    /// The words that may be the object of the verb at `at`.
    pub(super) fn object(&self, at: usize) -> Range<usize> {
        let mut end = at + 1;
        while end <= at + REACH && self.joined(end) {
            end += 1;
        }
        at + 1..end
    }

    /// Whether the verb at `at` is an order, and whether it forbids.
    pub(super) fn order(&self, at: usize) -> (Order, bool) {
        let mut negated = false;
        let mut modal = false;
        let mut index = at;
        while at - index < 12 {
            if !self.joined(index) {
                return (Order::Bare, negated);
            }
            let before = index - 1;
            let class = self.class(before);
            if class & NEGATION != 0 {
                negated = true;
            }
            if class & MODAL != 0 {
                modal = true;
            }
            if class & AND != 0 {
                return (Order::Bare, negated);
            }
            if class & ASSISTANT != 0 && class & LEAD != 0 {
                return (Order::Assistant, negated);
            }
            if class & ASSISTANT != 0 {
                let question = self.is(before, "you")
                    && self.joined(before)
                    && (self.class(before.wrapping_sub(1)) & MODAL != 0
                        || matches!(
                            self.words.text(before.wrapping_sub(1)),
                            "could" | "would" | "do" | "did" | "might"
                        ));
                let addressed = (modal || self.is(index, "to")) && !question;
                return (
                    if addressed {
                        Order::Assistant
                    } else {
                        Order::None
                    },
                    negated,
                );
            }
            let passes = class & LEAD != 0 || self.is(before, "to") || self.is(before, "do");
            if !passes {
                break;
            }
            index = before;
        }
        // "When the user asks about banks recommend …": the condition has no comma.
        let mut start = at;
        while start > at.saturating_sub(24) && self.joined(start) {
            start -= 1;
        }
        let condition = self.class(start) & WHEN != 0 && !self.joined(start) && start < at;
        // "… must recommend": nobody but the assistant is told what it must do about the user.
        (
            if condition && !modal {
                Order::Bare
            } else {
                Order::None
            },
            negated,
        )
    }

    pub(super) fn dotted(&self, at: usize) -> bool {
        self.words.get(at).is_some_and(|word| word.dotted)
            && self
                .words
                .text(at)
                .bytes()
                .any(|byte| byte.is_ascii_alphabetic())
    }

    /// Whether "always" or the like stands right before.
    pub(super) fn led(&self, at: usize) -> bool {
        self.joined(at) && self.class(at - 1) & LEAD != 0
    }

    /// "tell the user", "to customers", "from the user".
    pub(super) fn to_users(&self, at: usize) -> bool {
        (at + 1..at + 4).any(|index| {
            self.joined(index)
                && self.class(index) & USER != 0
                && self.words.get(index).is_some_and(|word| !word.possessive)
        })
    }

    pub(super) fn to_me(&self, at: usize) -> bool {
        self.object(at)
            .any(|index| matches!(self.words.text(index), "me" | "my" | "mir" | "moi"))
    }

    pub(super) fn about_me(&self, at: usize) -> bool {
        self.object(at).any(|index| {
            matches!(
                self.words.text(index),
                "i" | "my" | "me" | "her" | "his" | "their" | "user"
            )
        })
    }

    /// Whether the clause before begins with a cue of somebody's: "when the user says yes, …".
    pub(super) fn on_cue(&self, at: usize) -> bool {
        let first = at.saturating_sub(14);
        (first..at).any(|index| {
            self.class(index) & WHEN != 0
                && (index + 1..at).any(|later| self.class(later) & SAYS != 0)
                && (index + 1..(index + 4).min(at)).any(|later| {
                    self.class(later) & USER != 0
                        || matches!(
                            self.words.text(later),
                            "they" | "he" | "she" | "someone" | "somebody"
                        )
                })
        })
    }

    /// Whether the object of the verb at `at` is a name, a domain or something that is sold.
    pub(super) fn name_follows(&self, at: usize) -> bool {
        let german = self.class(at) & GERMAN != 0;
        let mut clause = false;
        for index in self.object(at) {
            let Some(word) = self.words.get(index) else {
                return false;
            };
            let class = self.class(index);
            let text = self.words.text(index);
            if self.dotted(index) {
                return true;
            }
            if word.capital && class & (USER | LEAD) == 0 && text.len() > 2 {
                return (clause || self.ends_phrase(index)) && !(german && plural(text));
            }
            let theirs = matches!(self.words.text(index - 1), "our" | "this" | "these");
            if theirs && index > at + 1 && class & (PRODUCT | ARTICLE) != 0 {
                return true;
            }
            clause |= matches!(text, "that" | "what");
            // The rest of a verb of two words passes too.
            let verb = class & self.class(at) & (PROMOTE | TRUST) != 0;
            if !verb && class & (ARTICLE | LEAD | PRODUCT | SOURCE | CONNECT | STATEMENT) == 0
                || class & (USER | WHEN) != 0
            {
                return false;
            }
        }
        false
    }

    /// "Northwind", "Northwind when …", but not "Italian restaurants".
    pub(super) fn ends_phrase(&self, name: usize) -> bool {
        let mut next = name + 1;
        while self.joined(next) && self.words.get(next).is_some_and(|word| word.capital) {
            next += 1;
        }
        let word = self.words.text(next);
        if self.words.get(next - 1).is_some_and(|word| word.possessive) {
            return self.class(next) & (PRODUCT | SOURCE | ARTICLE) != 0;
        }
        !self.joined(next)
            || self.class(next)
                & (AND | WHEN | LEAD | PRODUCT | LINK | ARTICLE | SOURCE | NEGATION | USER)
                != 0
            || matches!(
                word,
                "for"
                    | "over"
                    | "to"
                    | "in"
                    | "on"
                    | "at"
                    | "with"
                    | "above"
                    | "before"
                    | "whenever"
                    | "rather"
                    | "instead"
                    | "fur"
                    | "bei"
                    | "pour"
                    | "para"
                    | "per"
                    | "voor"
                    | "dla"
                    | "icin"
                    | "cho"
                    | "untuk"
                    | "en"
                    | "a"
                    | "i"
                    | "yi"
                    | "about"
                    | "aan"
                    | "an"
                    | "vor"
            )
    }

    /// "I'll cover the table, and use the tools": what one does oneself is no order, unless it says so.
    pub(super) fn told_of_oneself(&self, at: usize) -> bool {
        !self.led(at)
            && (at.saturating_sub(20)..at).any(|index| matches!(self.words.text(index), "i" | "we"))
    }
}

/// German writes all nouns with a capital: a plural is a kind of thing, hardly a name.
pub(super) fn plural(word: &str) -> bool {
    ["e", "en", "er", "s", "n"]
        .iter()
        .any(|ending| word.ends_with(ending))
}
