//! An episode without a model: the user's sentences that say most, each looked at by itself.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use crate::conversation::{self, LocalTime, Quoted};
use crate::memory::{Evidence, Span};
use crate::order::{self, Gather};
use crate::plan::episode::{Happened, Telling};
use crate::plan::said::{Said, Sentence};
use crate::plan::spans::Stretch;
use crate::plan::{Planner, Turn};
use crate::text;

/// How many sentences are quoted.
const MOST_QUOTES: usize = 5;

/// How many are looked at for them: each is screened.
const MOST_LOOKS: usize = 40;

/// How many are weighed, the newest of them: a chat may be as long as it likes.
const MOST_WEIGHED: usize = 1_000;

/// What is longer was hardly said in one breath, in bytes.
const LONGEST_SENTENCE: usize = 1_000;

/// How many words say something of something.
const LEAST_TERMS: usize = 2;

/// How many words are kept that say what a chat was about.
const MOST_TOPICS: usize = 4;

/// A sentence of the user's, and how much it says.
struct Weighed<'t> {
    said: &'t Said,
    /// Its place in the message.
    place: usize,
    quote: Quoted<'t>,
    points: i32,
}

impl<'t> Weighed<'t> {
    fn sentence(&self) -> &'t Sentence {
        &self.said.sentences()[self.place]
    }

    fn words(&self) -> &'t str {
        self.said.slice(self.sentence().span)
    }

    /// Where the quoted words stand.
    fn stretch(&self, turn: &Turn) -> Stretch {
        let span = self.sentence().span;
        let lead = self.words().find(self.quote.said).unwrap_or(0);
        let bytes = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let start = span.start + bytes(lead);
        Stretch {
            session: turn.session,
            message: self.said.message,
            span: Span {
                start,
                end: start + bytes(self.quote.said.len()),
            },
        }
    }

    /// Whether it is a secret with the sentence before it or after it, of which neither is one by itself: a
    /// password on a line of its own.
    fn is_half_a_secret(&self) -> bool {
        let sentences = self.said.sentences();
        let own = self.sentence().span;
        let before = self.place.checked_sub(1).map(|place| &sentences[place]);
        let beside = before.into_iter().chain(sentences.get(self.place + 1));
        beside.map(|other| other.span).any(|other| {
            let both = Span {
                start: own.start.min(other.start),
                end: own.end.max(other.end),
            };
            let is_secret = |span: Span| text::secret(self.said.slice(span)).is_some();
            is_secret(both) && !is_secret(other)
        })
    }
}

impl Planner<'_> {
    /// The sentences that say most and may be told, word for word and in order.
    pub(super) fn told_in_quotes(
        &self,
        happened: &Happened,
        untellable: &[Stretch],
    ) -> Option<Telling> {
        let turn = &happened.turn;
        let served: Vec<String> = happened
            .served
            .iter()
            .map(|line| text::fold(line))
            .collect();
        let longest = self.policy.limits.content_characters as usize;
        let mut chosen: Vec<Weighed<'_>> = Vec::new();
        let mut domain: Option<String> = None;
        for one in weighed(turn).into_iter().take(MOST_LOOKS) {
            if chosen.len() == MOST_QUOTES {
                break;
            }
            let Some(found) = self.tellable(&one, turn, untellable, &served) else {
                continue;
            };
            // A row has one domain.
            if found.is_some() && domain.is_some() && found != domain {
                continue;
            }
            chosen.push(one);
            if text::limit(&self.narrated(happened, &chosen), longest).is_err() {
                chosen.pop();
                continue;
            }
            domain = domain.or(found);
        }
        // Together they may say what none says alone: the one that says least goes first.
        while !chosen.is_empty() {
            let narrated = self.narrated(happened, &chosen);
            if let Ok(content) = self.content(&narrated)
                && let Some(found) = self.told_domain(&content)
                && (found.is_none() || found == domain)
            {
                return Some(self.telling(content, domain, chosen, turn));
            }
            chosen.pop();
        }
        None
    }

    fn telling(
        &self,
        content: String,
        domain: Option<String>,
        mut chosen: Vec<Weighed<'_>>,
        turn: &Turn,
    ) -> Telling {
        order::sort_by_key(&mut chosen, |one| (one.said.message, one.place));
        let quotes = chosen.iter().map(|one| &one.quote);
        let most = MOST_TOPICS.min(self.policy.limits.tags as usize);
        let topics = conversation::topics(quotes, most);
        let messages: BTreeSet<_> = chosen.iter().map(|one| one.said.message).gather();
        let evidence = chosen.iter().map(|one| {
            let Stretch {
                session,
                message,
                span,
            } = one.stretch(turn);
            Evidence::Quote {
                session,
                message,
                span,
                quote: one.quote.said.to_owned(),
            }
        });
        Telling {
            content,
            domain,
            tags: self.tags(&topics).unwrap_or_default(),
            messages: messages.into_iter().collect(),
            evidence: evidence.collect(),
        }
    }

    fn narrated(&self, happened: &Happened, chosen: &[Weighed<'_>]) -> String {
        let mut ordered: Vec<&Weighed<'_>> = chosen.iter().collect();
        order::sort_by_key(&mut ordered, |one| (one.said.message, one.place));
        let local = LocalTime {
            offset: self.offset,
            before: None,
        };
        let (from, until) = happened.time;
        let days = (local.date(from), local.date(until.max(from)));
        conversation::narrated(days, ordered.iter().map(|one| &one.quote))
    }

    /// The domain of a sentence that may be told; nothing where it may not.
    fn tellable(
        &self,
        one: &Weighed<'_>,
        turn: &Turn,
        untellable: &[Stretch],
        served: &[String],
    ) -> Option<Option<String>> {
        let sentence = one.sentence();
        let whole = Stretch {
            span: sentence.span,
            ..one.stretch(turn)
        };
        if untellable.iter().any(|laid| laid.overlaps(whole)) {
            return None;
        }
        // What was to be forgotten is not told by the asking for it.
        if text::asks_to_forget(&sentence.folded) {
            return None;
        }
        let folded = sentence.folded.as_str();
        let is_echo = |line: &String| {
            let line = line.trim_start_matches(['-', '#', ' ']).trim_end();
            let (in_line, in_text) = (|| line.contains(folded), || folded.contains(line));
            conversation::is_echo(folded, line, in_line, in_text)
        };
        if served.iter().any(is_echo) {
            return None;
        }
        let words = text::passage(one.words()).ok()?;
        self.screen(&words).ok()?;
        if one.is_half_a_secret() {
            return None;
        }
        self.told_domain(&words)
    }
}

/// Whether a sentence says something of something: "what else?" does not.
fn says_enough(sentence: &Sentence) -> bool {
    let terms = sentence.terms().iter();
    let weighty = terms.filter(|term| !text::is_stop_word(term) && !text::is_user_word(term));
    weighty.take(LEAST_TERMS).count() == LEAST_TERMS
}

/// What the user said, what says most first; of two that say as much the earlier.
fn weighed(turn: &Turn) -> Vec<Weighed<'_>> {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut all: Vec<Weighed<'_>> = Vec::new();
    'said: for said in turn.said.iter().rev() {
        for (place, sentence) in said.sentences().iter().enumerate().rev() {
            if all.len() == MOST_WEIGHED {
                break 'said;
            }
            let words = said.slice(sentence.span);
            if words.len() > LONGEST_SENTENCE {
                continue;
            }
            let points = conversation::weight(words, &sentence.folded);
            if points <= 0 || !says_enough(sentence) || !seen.insert(&sentence.folded) {
                continue;
            }
            let Some(quote) = Quoted::of(words) else {
                continue;
            };
            all.push(Weighed {
                said,
                place,
                quote,
                points,
            });
        }
    }
    let mut frequency: HashMap<&str, usize> = HashMap::new();
    for term in all.iter().flat_map(|one| one.sentence().terms().iter()) {
        *frequency.entry(term).or_default() += 1;
    }
    let topics: Vec<usize> = all
        .iter()
        .map(|one| {
            let terms = one.sentence().terms().iter();
            let repeated = terms.filter(|term| frequency[term] > 1 && !text::is_stop_word(term));
            repeated.take(3).count()
        })
        .collect();
    for (one, topics) in all.iter_mut().zip(topics) {
        one.points += i32::try_from(topics).unwrap_or(0);
    }
    order::sort_by_key(&mut all, |one| {
        (Reverse(one.points), one.said.message, one.place)
    });
    all
}
