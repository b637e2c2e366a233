//! What a command's words must be before they are kept: cleaned, short enough, and, from a tool,
//! neither secret nor instruction.

use std::collections::BTreeSet;
use std::rc::Rc;

use serde_json::Value;

use crate::change::Snapshot;
use crate::order::Gather;
use crate::plan::Planner;
use crate::plan::faults::Faults;
use crate::plan::leaves::leaves;
use crate::policy::Policy;
use crate::refusal::{Code, Refusal};
use crate::text::{self, Cut, Reading, StringSet};

/// How many texts of a command are kept as they were read; a value may have any number.
const MOST_READINGS: usize = 8;

impl Planner<'_> {
    /// A content: one line.
    pub(super) fn content(&self, given: &str) -> Result<String, Refusal> {
        let allowed = self.policy.limits.content_characters;
        self.one_line(given, allowed)
    }

    /// A summary: one line, where there is one.
    pub(super) fn summary(&self, given: Option<&str>) -> Result<Option<String>, Refusal> {
        let allowed = self.policy.limits.summary_characters;
        given.map(|text| self.one_line(text, allowed)).transpose()
    }

    /// A key: one line, where there is one.
    pub(super) fn key(&self, given: Option<&str>) -> Result<Option<String>, Refusal> {
        let allowed = self.policy.limits.key_characters;
        given.map(|text| self.one_line(text, allowed)).transpose()
    }

    /// Refuses words that are a secret by the key that they are kept under. A sentence is none for that: only what is
    /// one word.
    pub(super) fn keyed(&self, key: Option<&str>, given: [Option<&str>; 3]) -> Result<(), Refusal> {
        let mut faults = Faults::default();
        let given = given.into_iter().flatten().map(str::trim);
        for word in given.filter(|text| !text.contains(char::is_whitespace)) {
            let named = key.map(|key| self.no_secret(&format!("{key}: {word}")));
            faults.check(named.unwrap_or(Ok(())));
        }
        faults.finish(())
    }

    fn no_secret(&self, text: &str) -> Result<(), Refusal> {
        let secret = match self.entry.is_screened() {
            true => self.reading(text).secret(),
            false => None,
        };
        secret.map_or(Ok(()), |secret| Err(secret_refusal(secret)))
    }

    /// A detail: a passage, where there is one with anything in it.
    pub(super) fn detail(&self, given: Option<&str>) -> Result<Option<String>, Refusal> {
        let Some(given) = given.filter(|text| !text.trim().is_empty()) else {
            return Ok(None);
        };
        let cleaned = text::passage(given)?;
        let mut faults = Faults::default();
        faults.check(limit(&cleaned, self.policy.limits.body_characters));
        faults.check(self.screen(&cleaned));
        faults.finish(Some(cleaned))
    }

    /// Tags: few, short, cleaned.
    pub(super) fn tags(&self, given: &BTreeSet<String>) -> Result<BTreeSet<String>, Refusal> {
        let allowed = self.policy.limits.tags as usize;
        if given.len() > allowed {
            let message = format!(
                "{} tags were given, at most {allowed} are kept",
                given.len()
            );
            return Err(Refusal::new(Code::Limit, message));
        }
        let mut faults = Faults::default();
        let tags = given
            .iter()
            .map(|tag| faults.take(self.one_line(tag, self.policy.limits.tag_characters)))
            .gather();
        faults.finish(tags)
    }

    /// A structured value: small, and with nothing in its strings that could not be a content.
    pub(super) fn value(
        &self,
        given: Option<&Value>,
        key: Option<&str>,
    ) -> Result<Option<Value>, Refusal> {
        let Some(value) = given.filter(|value| !value.is_null()) else {
            return Ok(None);
        };
        let Some(kept) = text::storable_value(value.clone()) else {
            let message = "two names in the value are the same";
            return Err(Refusal::new(Code::Schema, message));
        };
        let mut faults = Faults::default();
        // What is composed may be longer.
        let written = kept.to_string();
        let allowed = self.policy.limits.value_bytes as usize;
        if written.len() > allowed {
            let message = format!(
                "the value has {} bytes as JSON, at most {allowed} are kept",
                written.len()
            );
            return Err(Refusal::new(Code::Limit, message));
        }
        let Some(leaves) = leaves(key.unwrap_or_default(), value) else {
            let message = "the value has too much in it under too many names: make it flat";
            return Err(Refusal::new(Code::Limit, message));
        };
        for leaf in leaves {
            match text::passage(&leaf.text) {
                Ok(cleaned) if leaf.is_wrapped => faults.check(self.no_secret(&cleaned)),
                Ok(cleaned) => faults.check(self.screen(&cleaned)),
                Err(text::TextError::Empty) => {}
                Err(error) => faults.add(error.into()),
            }
        }
        faults.finish(Some(kept))
    }

    /// A category the policy has, and that may be written to; the default one when none is named.
    pub(super) fn category(&self, given: Option<&str>) -> Result<String, Refusal> {
        category(self.policy, given)
    }

    /// A domain the policy has, where one is named.
    pub(super) fn domain(&self, given: Option<&str>) -> Result<Option<String>, Refusal> {
        let given = given.map(|name| domain(self.policy, name));
        Ok(given.transpose()?.map(str::to_owned))
    }

    /// A share from 0 to 1.
    pub(super) fn importance(&self, given: Option<f64>) -> Result<f64, Refusal> {
        match given {
            None => Ok(crate::memory::Marks::default().importance),
            Some(share) if (0.0..=1.0).contains(&share) => Ok(share + 0.0),
            Some(_) => Err(Refusal::new(
                Code::Schema,
                "importance must be a number from 0 to 1",
            )),
        }
    }

    /// Whether a model may keep something of a domain without asking.
    pub(super) fn has_consent(&self, domain: &str) -> bool {
        !self.entry.is_screened() || is_consented(self.base(), self.policy, domain)
    }

    /// The user's last word on a domain.
    pub(super) fn last_word(&self, domain: &str) -> Option<bool> {
        last_word(self.base(), domain)
    }

    fn one_line(&self, given: &str, allowed: u32) -> Result<String, Refusal> {
        let cleaned = text::line(given)?;
        let mut faults = Faults::default();
        faults.check(limit(&cleaned, allowed));
        faults.check(self.screen(&cleaned));
        // Joined to one line, a heading or a speaker's name no longer stands where it began.
        if cleaned != given
            && given.trim().contains(['\n', '\r', '\u{2028}', '\u{2029}'])
            && let Ok(lines) = text::passage(given)
        {
            faults.check(self.screen(&lines));
        }
        faults.finish(cleaned)
    }

    /// What a model found or writes, or a file holds, was not typed by a hand: it is looked at twice.
    pub(super) fn screen(&self, cleaned: &str) -> Result<(), Refusal> {
        match self.entry.is_screened() {
            true => screen(&self.reading(cleaned)),
            false => Ok(()),
        }
    }

    /// A text as the screens read it. What is looked at for several reasons is read once.
    pub(super) fn reading(&self, text: &str) -> Rc<Reading> {
        let mut readings = self.readings.borrow_mut();
        if let Some(reading) = readings.iter().find(|known| known.text() == text) {
            return Rc::clone(reading);
        }
        let reading = Rc::new(Reading::of(text));
        if readings.len() < MOST_READINGS {
            readings.push(Rc::clone(&reading));
        }
        reading
    }
}

/// Whether somebody but the user may keep or tell something of a domain.
pub(super) fn is_consented(base: &Snapshot, policy: &Policy, domain: &str) -> bool {
    last_word(base, domain).unwrap_or(!policy.needs_consent(domain))
}

fn last_word(base: &Snapshot, domain: &str) -> Option<bool> {
    let words = base.consents().filter(|word| word.domain == domain);
    words
        .max_by_key(|word| word.recorded_at)
        .map(|word| word.granted)
}

fn secret_refusal(secret: impl std::fmt::Display) -> Refusal {
    let message = format!("this holds {secret}: secrets are never kept");
    Refusal::new(Code::Secret, message)
}

/// Refuses what is a secret or an instruction.
fn screen(reading: &Reading) -> Result<(), Refusal> {
    let mut faults = Faults::default();
    if let Some(secret) = reading.secret() {
        faults.add(secret_refusal(secret));
    }
    if let Some(instruction) = reading.instruction() {
        let message = format!(
            "this holds {instruction}: memories are facts about the user, not instructions"
        );
        faults.add(Refusal::new(Code::Instruction, message));
    }
    faults.finish(())
}

/// Whether a tool's content could be kept at all, as far as its words alone say.
pub(crate) fn is_fit(content: &str, policy: &Policy) -> bool {
    limit(content, policy.limits.content_characters).is_ok()
        && screen(&Reading::of(content)).is_ok()
}

/// A category the policy has, and that may be written to; the default one when none is named.
pub(crate) fn category(policy: &Policy, given: Option<&str>) -> Result<String, Refusal> {
    let name = given.unwrap_or(&policy.default_category);
    match policy
        .writable_categories()
        .find(|category| category.name == name)
    {
        Some(category) => Ok(category.name.clone()),
        None => {
            let known: Vec<&str> = policy
                .writable_categories()
                .map(|category| category.name.as_str())
                .collect();
            let message = format!("there is no such category; there are: {}", known.join(", "));
            Err(Refusal::new(Code::Schema, message))
        }
    }
}

/// A domain that the policy has.
pub(crate) fn domain<'n>(policy: &Policy, name: &'n str) -> Result<&'n str, Refusal> {
    if policy.domain(name).is_some() {
        return Ok(name);
    }
    let known: Vec<&str> = policy
        .domains
        .iter()
        .map(|domain| domain.name.as_str())
        .collect();
    let message = format!("there is no such domain; there are: {}", known.join(", "));
    Err(Refusal::new(Code::Schema, message))
}

fn limit(cleaned: &str, allowed: u32) -> Result<(), Refusal> {
    text::limit(cleaned, allowed as usize).map_err(Refusal::from)
}

/// A content that is to be written, cleaned and cut once for all that look at it.
pub(crate) struct Wording {
    pub content: String,
    pub(super) cut: Cut,
}

impl Wording {
    /// Nothing where it cannot be cleaned: then it will be refused.
    pub(crate) fn of(given: &str) -> Option<Self> {
        let content = text::line(given).ok()?;
        let cut = Cut::of(&content);
        Some(Wording { content, cut })
    }

    pub(crate) fn likeness(&self) -> Likeness {
        Likeness(self.cut.query_terms())
    }
}

/// A content's terms, to be compared with those of others.
pub(crate) struct Likeness(StringSet);

impl Likeness {
    /// How many of its terms a content holds at least that has such a share in common with it.
    pub(crate) fn least_terms(&self, shared: f64) -> usize {
        let whole = self.0.len();
        let is_enough = |held: &usize| share(*held, whole) >= shared;
        (0..=whole).find(is_enough).unwrap_or(whole + 1)
    }

    /// The share of terms in common, 0 to 1.
    pub(crate) fn of(&self, other: &str) -> f64 {
        let other = Cut::of(other).query_terms();
        share(self.0.common(&other), self.0.len().max(other.len()))
    }
}

#[expect(clippy::cast_precision_loss, reason = "a line has few terms")]
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        return 0.0;
    }
    part as f64 / whole as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const WORDS: [&str; 8] = [
        "tea", "coffee", "Rome", "the", "likes", "night", "green", "bee",
    ];

    proptest! {
        #[test]
        fn what_is_alike_holds_the_least_terms(
            one in prop::collection::vec(prop::sample::select(&WORDS[..]), 0..8),
            other in prop::collection::vec(prop::sample::select(&WORDS[..]), 0..8),
            floor in prop_oneof![Just(0.0), Just(0.5), Just(1.0), Just(1.5), Just(f64::NAN), 0.0..1.0],
        ) {
            let (one, other) = (one.join(" "), other.join(" "));
            let likeness = Likeness(Cut::of(&one).query_terms());
            let least = likeness.least_terms(floor);
            let held = text::query_terms(&one);
            let held = held.iter().filter(|term| text::query_terms(&other).contains(term)).count();
            prop_assert!(likeness.of(&other) < floor || floor.is_nan() || held >= least);
            if floor > 1.0 || floor.is_nan() {
                prop_assert!(least > text::query_terms(&one).len());
            }
            if least > 0 {
                prop_assert!(share(least - 1, likeness.0.len()) < floor || floor.is_nan());
            }
        }
    }
}
