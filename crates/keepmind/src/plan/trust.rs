//! How far the words of a write may be trusted, and what they rest on. The user's own call is the user's
//! word; a tool's is, where it stands in what the user wrote.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeSet;

use serde_json::Value;

use crate::memory::{Authority, Claim, Evidence, Trust};
use crate::order::{self, Gather};
use crate::plan::details::links;
use crate::plan::faults::Faults;
use crate::plan::grounding::{foreign_link, ground};
use crate::plan::spans::stretches;
use crate::plan::{Entry, Planner, Planning, Turn};
use crate::policy::{Domain, WithoutConsent};
use crate::refusal::{Code, Refusal};
use crate::row::MemoryRow;
use crate::text;

/// What a write rests on.
pub(super) struct Backing {
    pub trust: Trust,
    pub evidence: Vec<Evidence>,
    /// Why it must wait for the user's word; empty when it need not.
    pub doubts: Vec<Code>,
}

/// Where a content stands in the user's words.
#[derive(PartialEq)]
enum Stand {
    Said(Vec<Evidence>),
    /// Only in words that were forgotten.
    Entombed,
    Nowhere,
}

/// Everything that a command would have kept in words, whether or not it may be.
pub(super) struct Given<'t> {
    texts: Vec<Cow<'t, str>>,
    /// The domains that the words belong to, once somebody has asked.
    topics: OnceCell<BTreeSet<&'static str>>,
}

impl<'t> Given<'t> {
    pub(super) fn new(texts: impl Iterator<Item = &'t str>, value: Option<&Value>) -> Self {
        let cleaned = |given: &'t str| match text::is_plain_line(given) {
            true => Cow::Borrowed(given),
            false => text::passage(given).map_or(Cow::Borrowed(given), Cow::Owned),
        };
        let value = value.filter(|value| !value.is_null());
        let value = value.map(|value| Cow::Owned(value.to_string()));
        Given {
            texts: texts.map(cleaned).chain(value).collect(),
            topics: OnceCell::new(),
        }
    }
}

impl Planner<'_> {
    /// The domain that needs consent and that a tool left out, found in the words.
    pub(super) fn found_domain(&self, given: &Given) -> Option<String> {
        let mut found = self.found_domains(given).into_iter();
        found.find(|name| self.policy.needs_consent(name))
    }

    /// The domains of the policy that a tool's words belong to.
    pub(super) fn found_domains(&self, given: &Given) -> BTreeSet<String> {
        let any_needs_consent = self.policy.domains.iter().any(Domain::needs_consent);
        if !self.entry.is_screened() || !any_needs_consent {
            return BTreeSet::new();
        }
        let topics = given.topics.get_or_init(|| {
            let texts = given.texts.iter();
            texts.flat_map(|text| self.reading(text).topics()).gather()
        });
        let found = topics.iter();
        found
            .filter(|name| self.policy.domain(name).is_some())
            .map(|name| (*name).to_owned())
            .gather()
    }

    /// What speaks against keeping these words, whoever said them; returns what only makes them wait.
    pub(super) fn objections(
        &self,
        claim: &Claim,
        given: &Given,
        updated: Option<&MemoryRow>,
        faults: &mut Faults,
    ) -> Vec<Code> {
        if !self.entry.is_screened() {
            return Vec::new();
        }
        let mut doubts = Vec::new();
        let mut domains = self.found_domains(given);
        let is_sensitive = domains.iter().any(|name| self.policy.needs_consent(name));
        if is_sensitive
            && given
                .texts
                .iter()
                .any(|text| self.reading(text).is_about_another())
        {
            let message =
                "this is a sensitive fact about somebody else, who cannot consent: do not keep it";
            faults.add(Refusal::new(Code::Sensitive, message));
        }
        domains.extend(claim.domain.clone());
        if !domains.iter().all(|name| self.has_consent(name)) {
            match self.policy.governance.without_consent {
                WithoutConsent::Refuse => {
                    faults.add(Refusal::new(Code::Sensitive, CONSENT));
                }
                _ => doubts.push(Code::Sensitive),
            }
        }
        let Some(turn) = self.entry.turn() else {
            // Of a file nobody knows whether the user wrote its links.
            if given.texts.iter().any(|text| links(text).next().is_some()) {
                doubts.push(Code::UnsupportedDetail);
            }
            return doubts;
        };
        let known = updated.map_or(String::new(), known_words);
        let has_foreign_link = |text: &Cow<str>| foreign_link(text, &known, turn).is_some();
        if given.texts.iter().any(has_foreign_link) {
            faults.add(Refusal::new(Code::UnsupportedDetail, LINK));
        }
        if !faults.is_empty() && turn.untrusted && self.findings.grounds.is_none() {
            let message = "this is not in the user's own words";
            faults.add(Refusal::new(Code::QuoteWrongRole, message));
        }
        doubts
    }

    /// Refuses a tool's text with a link that the user did not write.
    pub(super) fn own_links(&self, text: &str) -> Result<(), Refusal> {
        match self.entry.turn() {
            Some(turn) if foreign_link(text, "", turn).is_some() => {
                Err(Refusal::new(Code::UnsupportedDetail, LINK))
            }
            _ => Ok(()),
        }
    }

    /// Refuses a tool's text that speaks of a domain without consent, or says why it must wait.
    pub(super) fn own_domains(&self, text: &str) -> Result<Option<Code>, Refusal> {
        let found = self.found_domains(&Given::new([text].into_iter(), None));
        if found.iter().all(|name| self.has_consent(name)) {
            return Ok(None);
        }
        match self.policy.governance.without_consent {
            WithoutConsent::Refuse => Err(Refusal::new(Code::Sensitive, CONSENT)),
            _ => Ok(Some(Code::Sensitive)),
        }
    }

    /// How far a claim may be trusted, besides what made it wait already.
    pub(super) fn backing(
        &self,
        claim: &Claim,
        updated: Option<&MemoryRow>,
        mut doubts: Vec<Code>,
    ) -> Planning<Backing> {
        let Entry::Tool(turn) = self.entry else {
            return Ok(Backing {
                trust: Trust::User,
                evidence: Vec::new(),
                doubts,
            });
        };
        let known = updated.map_or("", |row| row.body.claim.content.as_str());
        let known_detail = updated
            .and_then(|row| row.body.claim.body.as_deref())
            .unwrap_or("");
        let stand = self.stand(&claim.content, known, turn);
        // A detail or a value that nobody said rides on a content that somebody did.
        let rides = turn.untrusted
            && (claim.value.is_some()
                || claim.body.as_deref().is_some_and(|body| {
                    ground(body, known_detail, turn, |range| self.is_entombed(range)).is_none()
                }));
        match stand {
            Stand::Said(evidence) if !rides => {
                // What only the old version knew is trusted as far as that was.
                let is_whole = self.findings.grounds.is_some() || updated.is_none();
                let old = updated.map_or(Trust::User, |row| row.body.claim.trust);
                return Ok(Backing {
                    trust: if is_whole { Trust::User } else { old },
                    evidence: self.keepable(evidence),
                    doubts,
                });
            }
            Stand::Said(_) => {}
            stand => {
                if stand == Stand::Entombed || self.findings.forgotten.is_some() {
                    let message =
                        "the user had this forgotten: save it only when they say it again";
                    return Err(Refusal::new(Code::Forgotten, message).into());
                }
            }
        }
        if turn.untrusted {
            doubts.push(Code::QuoteWrongRole);
        } else if claim.authority == Authority::Rule || claim.authorises_action {
            doubts.push(Code::QuoteNotFound);
        }
        Ok(Backing {
            trust: Trust::Agent,
            evidence: Vec::new(),
            doubts,
        })
    }

    /// Evidence without the words that may not be kept: a sentence that speaks for a harmless fact may hold a secret
    /// besides, or what there is no consent for. Where it stands is enough to forget it by.
    pub(super) fn keepable(&self, mut evidence: Vec<Evidence>) -> Vec<Evidence> {
        for piece in &mut evidence {
            let Evidence::Quote { quote, .. } = piece else {
                continue;
            };
            let given = Given::new([quote.as_str()].into_iter(), None);
            let mut domains = self.found_domains(&given).into_iter();
            if self.reading(quote).secret().is_some()
                || !domains.all(|name| self.has_consent(&name))
            {
                quote.clear();
            }
        }
        evidence
    }

    /// Where a content stands in the user's words.
    fn stand(&self, content: &str, known: &str, turn: &Turn) -> Stand {
        let is_open =
            |evidence: &[Evidence]| !stretches(evidence).any(|range| self.is_entombed(range));
        let anywhere = match (&self.findings.grounds, known) {
            (Some(evidence), _) => Some(evidence.clone()),
            (None, "") => None,
            (None, known) => {
                ground(content, known, turn, |_| false).map(|grounds| grounds.evidence)
            }
        };
        match anywhere {
            None => Stand::Nowhere,
            Some(evidence) if is_open(&evidence) => Stand::Said(evidence),
            Some(_) => match ground(content, known, turn, |range| self.is_entombed(range)) {
                Some(grounds) => Stand::Said(grounds.evidence),
                None => Stand::Entombed,
            },
        }
    }
}

const CONSENT: &str = "this domain needs the user's consent, and there is none: do not keep it";
const LINK: &str = "this holds a link that the user did not write: leave it out";

/// What a version of a fact says at length.
fn known_words(row: &MemoryRow) -> String {
    let claim = &row.body.claim;
    format!("{} {}", claim.content, claim.body.as_deref().unwrap_or(""))
}

impl Backing {
    /// Makes it wait for one more reason.
    pub(super) fn doubt(&mut self, doubt: Option<Code>) {
        let is_new = |doubt: &Code| !self.doubts.contains(doubt);
        let doubt = doubt.filter(is_new);
        self.doubts.extend(doubt);
    }

    pub(super) fn add(&mut self, evidence: Vec<Evidence>) {
        for piece in evidence {
            if !self.evidence.contains(&piece) {
                self.evidence.push(piece);
            }
        }
    }
}

impl Claim {
    /// Takes on how far it is trusted and what it rests on; returns why it must wait for the user's word.
    pub(super) fn settle(&mut self, backing: Backing) -> Vec<Code> {
        self.trust = backing.trust;
        self.evidence = backing.evidence;
        self.messages = self
            .evidence
            .iter()
            .filter_map(|piece| match piece {
                Evidence::Quote { message, .. } => Some(*message),
                Evidence::Observation { .. } => None,
            })
            .collect();
        order::sort_by(&mut self.messages, Ord::cmp);
        self.messages.dedup();
        backing.doubts
    }
}
