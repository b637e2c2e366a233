//! Saving a new fact: what it will say, how far it is trusted, and whether it is one already.

use crate::change::Slice;
use crate::command::{Command, Save};
use crate::event::EventKind;
use crate::memory::{Authority, Claim, Evidence, Layer, Marks, Trust};
use crate::plan::expiry::{Life, expires_at};
use crate::plan::grounding::{foreign_link, ground};
use crate::plan::spans::stretches;
use crate::plan::{Entry, Planned, Planner, Planning, Told, Turn};
use crate::policy::WithoutConsent;
use crate::refusal::{Code, Refusal};
use crate::row::MemoryRow;
use crate::text;
use crate::timestamp::Timestamp;
use crate::visibility::{Visibility, visibility};

/// What saving must read: facts that say the same, and the rule that holds the same key.
pub(super) fn reads(save: &Save, slice: &mut Slice) {
    // What cannot be cleaned will be refused; there is nothing to read for it.
    if let Ok(content) = text::line(&save.content) {
        slice.contents.insert(content);
    }
    if save.authority == Some(Authority::Rule)
        && let (Some(domain), Some(Ok(key))) = (&save.domain, save.key.as_deref().map(text::line))
    {
        slice.rules.insert((domain.clone(), key));
    }
}

/// Whether a tool's save may have to wait for the user's word even where nothing foreign was said.
pub(super) fn may_be_doubted(command: &Command) -> bool {
    match command {
        Command::Save(save) => {
            save.authority == Some(Authority::Rule)
                || save.authorises_action
                || save.domain.is_some()
        }
        _ => false,
    }
}

/// How far the words of a write may be trusted, and what they rest on.
pub(super) struct Standing {
    pub trust: Trust,
    pub evidence: Vec<Evidence>,
    /// Why it must wait for the user's word; empty when it need not.
    pub doubts: Vec<Code>,
}

/// Where a content stands in the user's words.
#[derive(PartialEq)]
enum Found {
    Stands(Vec<Evidence>),
    /// Only in words that were forgotten.
    Entombed,
    Nowhere,
}

impl Planner<'_> {
    pub(super) fn save(mut self, save: &Save) -> Planning<Planned> {
        let (mut claim, mut marks) = self.claim(save)?;
        let same = self.same(&claim);
        if let Some(number) = same
            .as_ref()
            .filter(|row| says_all_of(row, &claim))
            .map(|row| row.body.number)
        {
            return self.unchanged(Some(number), format!("{number} says so already"));
        }
        let standing = self.standing(&claim, same.as_ref())?;
        if let Some(rule) = self.rule_of(&claim) {
            return self.supersede(&rule, claim, marks, standing, false);
        }
        if let Some(same) = same {
            let is_rule = claim.authority > same.body.claim.authority;
            if standing.trust < Trust::User && !is_rule {
                let number = same.body.number;
                return self.unchanged(Some(number), format!("{number} says so already"));
            }
            // Said in so many words, what was only inferred becomes the user's own.
            claim.inherit(&same.body.claim);
            if save.importance.is_none() {
                marks.importance = same.marks.importance;
            }
            return self.supersede(&same, claim, marks, standing, false);
        }
        claim.settle(&standing);
        if !standing.doubts.is_empty() {
            return self.propose_save(claim, marks, standing.doubts);
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

    /// What a save would store, cleaned, screened and within limits.
    pub(super) fn claim(&self, save: &Save) -> Planning<(Claim, Marks)> {
        let now = self.now();
        let content = self.content(&save.content)?;
        let category = self.category(save.category.as_deref())?;
        let domain = self.domain(save.domain.as_deref())?;
        let authority = save.authority.unwrap_or(Authority::Note);
        let life = Life {
            content: &content,
            category: &category,
            domain: domain.as_deref(),
            authority,
            class: save.ttl,
        };
        let claim = Claim {
            layer: Layer::Fact,
            authority,
            key: self.key(save.key.as_deref())?,
            value: self.value(save.value.as_ref(), save.key.as_deref())?,
            summary: self.summary(save.summary.as_deref())?,
            body: self.detail(save.detail.as_deref())?,
            tags: self.tags(&save.tags)?,
            source: self.entry.source(),
            trust: Trust::User,
            held: false,
            session: self.entry.session(),
            messages: Vec::new(),
            evidence: Vec::new(),
            valid_from: self.since(save.since)?,
            expires_at: expires_at(&life, self.policy, now, self.offset),
            authorises_action: save.authorises_action,
            content,
            category,
            domain,
        };
        let marks = Marks {
            importance: self.importance(save.importance)?,
            ..Marks::default()
        };
        Ok((claim, marks))
    }

    /// Since when something holds: a moment that has come.
    pub(super) fn since(&self, given: Option<Timestamp>) -> Planning<Timestamp> {
        match given {
            Some(since) if since > self.now() => Err(Refusal::new(
                Code::Schema,
                "`since` lies in the future: say since when it has been true, or leave it out",
            )
            .into()),
            Some(since) => Ok(since),
            None => Ok(self.now()),
        }
    }

    /// How far a claim may be trusted. The user's own call is the user's word; a tool's is, where it
    /// stands in what the user wrote.
    pub(super) fn standing(
        &self,
        claim: &Claim,
        updated: Option<&MemoryRow>,
    ) -> Planning<Standing> {
        let Entry::Tool(turn) = self.entry else {
            return Ok(Standing {
                trust: Trust::User,
                evidence: Vec::new(),
                doubts: Vec::new(),
            });
        };
        let mut doubts = Vec::new();
        if !self.has_consent(claim.domain.as_deref()) {
            if self.policy.governance.without_consent == WithoutConsent::Refuse {
                let message =
                    "this domain needs the user's consent, and there is none: do not keep it";
                return Err(Refusal::new(Code::Sensitive, message).into());
            }
            doubts.push(Code::Sensitive);
        }

        let known = updated.map_or("", |row| row.body.claim.content.as_str());
        let known_detail = updated
            .and_then(|row| row.body.claim.body.as_deref())
            .unwrap_or("");
        let value = claim.value.as_ref().map(ToString::to_string);
        let texts = [
            Some(claim.content.as_str()),
            claim.summary.as_deref(),
            claim.body.as_deref(),
            value.as_deref(),
        ];
        for text in texts.into_iter().flatten() {
            if foreign_link(text, &format!("{known} {known_detail}"), turn).is_some() {
                let message = "this holds a link that the user did not write: leave it out";
                return Err(Refusal::new(Code::UnsupportedDetail, message).into());
            }
        }

        let grounds = self.grounds(&claim.content, known, turn);
        // A detail or a value that nobody said rides on a content that somebody did.
        let rides = turn.untrusted
            && (value.is_some()
                || claim.body.as_deref().is_some_and(|body| {
                    ground(body, known_detail, turn, |range| self.is_entombed(range)).is_none()
                }));
        match grounds {
            Found::Stands(evidence) if !rides => {
                // What only the old version knew is trusted as far as that was.
                let is_whole = self.findings.grounds.is_some() || updated.is_none();
                let old = updated.map_or(Trust::User, |row| row.body.claim.trust);
                return Ok(Standing {
                    trust: if is_whole { Trust::User } else { old },
                    evidence,
                    doubts,
                });
            }
            Found::Stands(_) => {}
            found => {
                if found == Found::Entombed || self.findings.forgotten.is_some() {
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
        Ok(Standing {
            trust: Trust::Agent,
            evidence: Vec::new(),
            doubts,
        })
    }

    /// Where a content stands in the user's words.
    fn grounds(&self, content: &str, known: &str, turn: &Turn) -> Found {
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
            None => Found::Nowhere,
            Some(evidence) if is_open(&evidence) => Found::Stands(evidence),
            Some(_) => match ground(content, known, turn, |range| self.is_entombed(range)) {
                Some(grounds) => Found::Stands(grounds.evidence),
                None => Found::Entombed,
            },
        }
    }

    /// The open rule for the same (domain, key).
    pub(super) fn rule_of(&self, claim: &Claim) -> Option<MemoryRow> {
        let (domain, key) = (claim.domain.as_deref()?, claim.key.as_deref()?);
        if claim.authority != Authority::Rule {
            return None;
        }
        self.base().open_rule(domain, key).cloned()
    }

    /// A live fact of the same category and content.
    pub(super) fn same(&self, claim: &Claim) -> Option<MemoryRow> {
        let folded = text::fold(&claim.content);
        let mut live = self
            .base()
            .memories()
            .filter(|row| visibility(row, self.now()) == Visibility::Live);
        live.find(|row| {
            let other = &row.body.claim;
            other.category == claim.category && text::fold(&other.content) == folded
        })
        .cloned()
    }
}

/// Whether a fact that has the same words says everything that a claim would: it was said, and binds as
/// much.
fn says_all_of(row: &MemoryRow, claim: &Claim) -> bool {
    row.marks.confidence.is_none() && row.body.claim.authority >= claim.authority
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

    /// Takes on how far it is trusted and what it rests on.
    pub(super) fn settle(&mut self, standing: &Standing) {
        self.trust = standing.trust;
        self.evidence.clone_from(&standing.evidence);
        self.messages = standing
            .evidence
            .iter()
            .filter_map(|piece| match piece {
                Evidence::Quote { message, .. } => Some(*message),
                Evidence::Observation { .. } => None,
            })
            .collect();
        self.messages.sort();
        self.messages.dedup();
    }
}
