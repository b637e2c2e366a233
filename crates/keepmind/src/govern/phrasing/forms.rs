//! How forms are written in a language's table, and where they stand in a sentence.

use crate::govern::phrasing::PhrasingKind;
use crate::govern::phrasing::words::Word;

/// Words after which whatever follows is what is thought.
const THAT: &str = "that dass que";

/// A language. All words are in small letters; lists are divided by blanks.
pub(super) struct Table {
    /// Short forms and the words that they stand for.
    pub contractions: &'static [(&'static str, &'static str)],
    /// Words that a `~` in a form passes over.
    pub adverbs: &'static str,
    /// What presumes. Words in order: `a|b` is either, `?a` may be missing, `~` is any number of adverbs.
    pub forms: &'static [(PhrasingKind, &'static str)],
    /// What may stand before a form in its clause: openings that say nothing of their own.
    pub leads: &'static str,
    /// What a clause may begin with after anything.
    pub joints: &'static str,
    /// What makes a condition, a question or a wish of what follows.
    pub opens: &'static str,
    /// What after a thought or a belief makes something else of it: "think about".
    pub turns: &'static str,
    /// What tells that something was said, as forms.
    pub told: &'static [&'static str],
    /// How to begin instead.
    pub suggestions: &'static [(PhrasingKind, &'static str)],
}

impl Table {
    /// The words of a sentence with short forms spelled out.
    pub fn expanded(&self, words: &[Word]) -> Vec<Word> {
        let mut all = Vec::with_capacity(words.len() + 4);
        for word in words {
            let known = self
                .contractions
                .iter()
                .find(|(short, _)| *short == word.text);
            match known {
                None => all.push(word.clone()),
                Some((_, long)) => all.extend(long.split(' ').map(|part| Word {
                    text: part.to_owned(),
                    ..word.clone()
                })),
            }
        }
        all
    }

    /// Whether a sentence tells what the user said.
    pub fn tells(&self, words: &[Word]) -> bool {
        let is_told = |at: usize| {
            self.told
                .iter()
                .any(|form| self.fits(form, &words[at..]) > 0)
        };
        (0..words.len()).any(is_told)
    }

    /// The longest form that begins at a word, and how many words it has.
    pub fn form_at(&self, words: &[Word], at: usize) -> Option<(PhrasingKind, usize)> {
        let fitting = self
            .forms
            .iter()
            .map(|(kind, form)| (*kind, self.fits(form, &words[at..])));
        fitting
            .filter(|(_, length)| *length > 0)
            .max_by_key(|(_, length)| *length)
    }

    /// Whether a form that stands there is said of the user, and meant.
    pub fn presumes(&self, words: &[Word], at: usize, length: usize, kind: PhrasingKind) -> bool {
        let begins = words[..at].iter().rposition(Word::is_border);
        let before = &words[begins.map_or(0, |place| place + 1)..at];
        if before.iter().any(|word| has(self.opens, &word.text)) {
            return false;
        }
        let is_lead = before.iter().all(|word| has(self.leads, &word.text));
        let is_joined = before
            .last()
            .is_some_and(|word| has(self.joints, &word.text));
        let is_turned = match kind {
            PhrasingKind::Belief | PhrasingKind::Thought => {
                let last = words.get(at + length - 1);
                let is_closed = last.is_some_and(|word| has(THAT, &word.text));
                let next = words.get(at + length);
                !is_closed && next.is_some_and(|word| has(self.turns, &word.text))
            }
            PhrasingKind::Feeling | PhrasingKind::Type | PhrasingKind::Personality => false,
        };
        (is_lead || is_joined) && !is_turned
    }

    pub fn suggestion(&self, kind: PhrasingKind) -> &'static str {
        let mut known = self.suggestions.iter();
        let found = known.find(|(of, _)| *of == kind);
        found.map_or("", |(_, suggestion)| suggestion)
    }

    /// How many words a form takes where they begin, at most; none where it does not fit.
    fn fits(&self, form: &str, words: &[Word]) -> usize {
        self.rest_fits(form, words, MOST_ADVERBS).unwrap_or(0)
    }

    /// The same for what is left of a form. What may be passed over is tried both ways: an adverb may also be
    /// the word that comes next. Nobody says more than a few of them, and a reply that does must not take long.
    fn rest_fits(&self, form: &str, words: &[Word], adverbs: usize) -> Option<usize> {
        let (part, rest) = form.split_once(' ').unwrap_or((form, ""));
        if part.is_empty() {
            return Some(0);
        }
        let first = words.first();
        let beyond = |rest: &str, adverbs: usize| {
            let after = self.rest_fits(rest, words.get(1..)?, adverbs)?;
            Some(after + 1)
        };
        if part == "~" {
            let passed = first.is_some_and(|word| has(self.adverbs, &word.text));
            let longer = match adverbs.checked_sub(1).filter(|_| passed) {
                Some(left) => beyond(form, left),
                None => None,
            };
            return longer.max(self.rest_fits(rest, words, adverbs));
        }
        let mut names = part.split('|').map(|name| name.trim_start_matches('?'));
        let fits = first.is_some_and(|word| names.any(|name| name == word.text));
        let taken = if fits { beyond(rest, adverbs) } else { None };
        match part.starts_with('?') {
            true => taken.max(self.rest_fits(rest, words, adverbs)),
            false => taken,
        }
    }
}

/// How many adverbs a form may hold: "you probably still do really believe".
const MOST_ADVERBS: usize = 4;

fn has(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|one| one == word)
}
