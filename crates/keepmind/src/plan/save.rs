//! Saving a new fact: what it will say, how far it is trusted, and whether it is one already.

use std::cell::LazyCell;

use crate::change::Slice;
use crate::command::{Command, Save};
use crate::event::EventKind;
use crate::memory::{Authority, Claim, Layer, Marks, Trust};
use crate::plan::expiry::{Life, expires_at};
use crate::plan::faults::Faults;
use crate::plan::trust::Given;
use crate::plan::{Planned, Planner, Planning, Told};
use crate::policy::{Policy, WithoutConsent};
use crate::refusal::{Code, Refusal};
use crate::row::MemoryRow;
use crate::text;
use crate::timestamp::Timestamp;
use crate::visibility::{Visibility, visibility};

/// What saving must read: facts that say the same, and the rule that holds the same key.
pub(super) fn reads(save: &Save, policy: &Policy, slice: &mut Slice) {
    // What cannot be cleaned will be refused; there is nothing to read for it.
    if let Ok(content) = text::line(&save.content) {
        slice.contents.insert(content);
    }
    if save.authority == Some(Authority::Rule)
        && let Some(Ok(key)) = save.key.as_deref().map(text::line)
    {
        // The domain may yet be found in the words: then it is one that needs consent.
        let found = policy
            .domains
            .iter()
            .filter(|domain| domain.needs_consent());
        let domains = save.domain.iter().chain(found.map(|domain| &domain.name));
        slice
            .rules
            .extend(domains.map(|domain| (domain.clone(), key.clone())));
    }
}

/// Whether a tool's save may have to wait for the user's word even where nothing foreign was said.
pub(super) fn may_be_doubted(command: &Command, policy: &Policy) -> bool {
    // A domain that needs consent may yet be found in the words.
    let proposes = policy.governance.without_consent != WithoutConsent::Refuse;
    match command {
        Command::Save(_) | Command::Update(_) if proposes => true,
        Command::Save(save) => {
            save.authority == Some(Authority::Rule)
                || save.authorises_action
                || save.domain.is_some()
        }
        _ => false,
    }
}

/// What a command would store, and why it must wait for the user's word, if it must.
pub(super) struct Worded {
    pub claim: Claim,
    pub marks: Marks,
    pub doubts: Vec<Code>,
}

impl Planner<'_> {
    pub(super) fn save(mut self, save: &Save) -> Planning<Planned> {
        let Worded {
            mut claim,
            mut marks,
            doubts,
        } = self.claim(save)?;
        let same = self.same(&claim);
        if let Some(number) = same
            .as_ref()
            .filter(|row| says_all_of(row, &claim))
            .map(|row| row.body.number)
        {
            return self.unchanged(Some(number), format!("{number} says so already"));
        }
        // What binds more than before must be said in full.
        let known = same
            .as_ref()
            .filter(|row| row.body.claim.authority >= claim.authority);
        let backing = self.backing(&claim, known, doubts)?;
        if let Some(rule) = self.rule_of(&claim) {
            return self.supersede(&rule, claim, marks, backing, false);
        }
        if let Some(same) = same {
            let is_more = claim.authority > same.body.claim.authority || adds_to(&same, &claim);
            if backing.trust < Trust::User && !is_more {
                let number = same.body.number;
                return self.unchanged(Some(number), format!("{number} says so already"));
            }
            // Said in so many words, what was only inferred becomes the user's own.
            claim.inherit(&same.body.claim);
            if save.importance.is_none() {
                marks.importance = same.marks.importance;
            }
            return self.supersede(&same, claim, marks, backing, false);
        }
        let doubts = claim.settle(backing);
        if let Some(rule) = self.opposed_rule(&claim) {
            return self.propose_choice(&rule, claim, marks, doubts, None);
        }
        if !doubts.is_empty() {
            return self.propose_save(claim, marks, doubts);
        }
        let number = self.draft.new_number()?;
        let id = self.draft.insert_version(number, claim, marks)?;
        let told = Told {
            number: Some(number),
            after: Some(id.into()),
            ..Told::default()
        };
        self.done(EventKind::Saved, number.to_string(), told)
    }

    /// What a save would store: cleaned, screened, within limits, and of a kind that may be kept.
    pub(super) fn claim(&self, save: &Save) -> Result<Worded, Refusal> {
        let now = self.now();
        let mut faults = Faults::default();
        let content = faults.take(self.content(&save.content));
        let words = [
            Some(save.content.as_str()),
            save.summary.as_deref(),
            save.detail.as_deref(),
        ];
        faults.check(self.keyed(save.key.as_deref(), words));
        let category = faults.take(self.category(save.category.as_deref()));
        let named = faults.take(self.domain(save.domain.as_deref()));
        let given = words.into_iter().chain([save.key.as_deref()]);
        let given = Given::new(given.flatten(), save.value.as_ref());
        let domain = named.or_else(|| self.found_domain(&given));
        let authority = save.authority.unwrap_or(Authority::Note);
        let life = Life {
            content: &content,
            category: &category,
            domain: domain.as_deref(),
            authority,
            class: save.ttl,
        };
        let since = self.since(save.since);
        let claim = Claim {
            layer: Layer::Fact,
            authority,
            key: faults.take(self.key(save.key.as_deref())),
            value: faults.take(self.value(save.value.as_ref(), save.key.as_deref())),
            summary: faults.take(self.summary(save.summary.as_deref())),
            body: faults.take(self.detail(save.detail.as_deref())),
            tags: faults.take(self.tags(&save.tags)),
            source: self.entry.source(),
            trust: Trust::User,
            held: false,
            session: self.entry.session(),
            messages: Vec::new(),
            evidence: Vec::new(),
            valid_from: faults.take(since.map(Some)).unwrap_or(now),
            expires_at: expires_at(&life, self.policy, now, self.offset),
            authorises_action: save.authorises_action,
            content,
            category,
            domain,
        };
        let marks = Marks {
            importance: faults.take(self.importance(save.importance)),
            ..Marks::default()
        };
        let doubts = self.objections(&claim, &given, None, &mut faults);
        faults.finish(Worded {
            claim,
            marks,
            doubts,
        })
    }

    /// Since when something holds: a moment that has come.
    pub(super) fn since(&self, given: Option<Timestamp>) -> Result<Timestamp, Refusal> {
        match given {
            Some(since) if since > self.now() => Err(Refusal::new(
                Code::Schema,
                "`since` lies in the future: say since when it has been true, or leave it out",
            )),
            Some(since) => Ok(since),
            None => Ok(self.now()),
        }
    }

    /// The open rule for the same (domain, key).
    pub(super) fn rule_of(&self, claim: &Claim) -> Option<MemoryRow> {
        let (domain, key) = (claim.domain.as_deref()?, claim.key.as_deref()?);
        if claim.authority != Authority::Rule {
            return None;
        }
        let rule = self.base().open_rule(domain, key)?;
        // One that is kept from a model is not named to it: what it would change waits for the user's word anyhow.
        (!self.is_withdrawn(Some(domain))).then(|| rule.clone())
    }

    /// A rule in force that other words speak against, unless they are to be the same rule: a note never
    /// overrules one, whoever said it to whom.
    pub(super) fn opposed_rule(&self, claim: &Claim) -> Option<MemoryRow> {
        let number = self.findings.opposed?;
        let rule = self.base().open_version(number)?;
        let binds = |row: &MemoryRow| {
            row.body.claim.authority == Authority::Rule
                && visibility(row, self.now()) == Visibility::Live
        };
        let is_same_rule = claim.authority == Authority::Rule
            && claim.key.is_some()
            && claim.key == rule.body.claim.key
            && claim.domain == rule.body.claim.domain;
        (!is_same_rule && binds(rule)).then(|| rule.clone())
    }

    /// A live fact of the same category and content. One that is kept from a model is neither named to it nor
    /// written to by it.
    pub(super) fn same(&self, claim: &Claim) -> Option<MemoryRow> {
        let folded = LazyCell::new(|| text::fold(&claim.content));
        let mut live = self.base().memories().filter(|row| {
            visibility(row, self.now()) == Visibility::Live
                && !self.is_withdrawn(row.body.claim.domain.as_deref())
        });
        live.find(|row| {
            let other = &row.body.claim;
            other.category == claim.category && text::fold(&other.content) == *folded
        })
        .cloned()
    }
}

/// Whether a fact that has the same words says everything that a claim would: it was said, and binds as
/// much.
fn says_all_of(row: &MemoryRow, claim: &Claim) -> bool {
    row.marks.confidence.is_none()
        && row.body.claim.authority >= claim.authority
        && !adds_to(row, claim)
}

/// Whether a claim says more of a fact than that it is so.
fn adds_to(row: &MemoryRow, claim: &Claim) -> bool {
    let old = &row.body.claim;
    let is_new = |new: &Option<String>, old: &Option<String>| new.is_some() && new != old;
    is_new(&claim.body, &old.body)
        || is_new(&claim.summary, &old.summary)
        || is_new(&claim.key, &old.key)
        || is_new(&claim.domain, &old.domain)
        || (claim.value.is_some() && claim.value != old.value)
        || !claim.tags.is_subset(&old.tags)
}

impl Claim {
    /// Keeps what an earlier version knew and this one leaves open.
    pub(super) fn inherit(&mut self, earlier: &Claim) {
        self.valid_from = earlier.valid_from;
        self.domain = self.domain.take().or_else(|| earlier.domain.clone());
        // A note's key may be another fact's as a rule.
        if self.authority == earlier.authority {
            self.key = self.key.take().or_else(|| earlier.key.clone());
        }
        self.value = self.value.take().or_else(|| earlier.value.clone());
        self.summary = self.summary.take().or_else(|| earlier.summary.clone());
        self.body = self.body.take().or_else(|| earlier.body.clone());
        self.tags.extend(earlier.tags.iter().cloned());
        self.expires_at = self.expires_at.or(earlier.expires_at);
    }
}
