//! What happened in a part of a chat, as a row: in a model's words where every check passes, otherwise in the
//! user's own. It is found by recall and never in the block.

mod again;
mod quoting;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::change::limits;
use crate::ids::MessageNumber;
use crate::memory::{Claim, Evidence, Layer, Marks, Source, Trust};
use crate::plan::learn::is_supported;
use crate::plan::spans::{Stretch, stretches};
use crate::plan::trust::Given;
use crate::plan::{Planner, Turn};
use crate::policy::CategoryKind;
use crate::proposal::Proposal;
use crate::row::{Kind, Row, Why};
use crate::timestamp::Timestamp;

pub(crate) use again::{Retold, is_retold_for};

/// A part of a chat that an episode is told of.
#[derive(Debug, Clone)]
pub(crate) struct Happened {
    /// Its first and its last message.
    pub messages: (MessageNumber, MessageNumber),
    /// When those were said.
    pub time: (Timestamp, Timestamp),
    /// What the user said in it, the forgotten too.
    pub turn: Turn,
    /// The lines that the library itself put into the chat.
    pub served: BTreeSet<String>,
}

/// The first and the last message that an episode tells of.
pub(crate) fn told_of(claim: &Claim) -> Option<(MessageNumber, MessageNumber)> {
    let place = |name: &str| {
        let number = claim.value.as_ref()?.get(name)?.as_u64()?;
        MessageNumber::new(number)
    };
    // One of an older version names its messages only.
    let first = place("first").or_else(|| claim.messages.iter().min().copied())?;
    let last = place("last").or_else(|| claim.messages.iter().max().copied())?;
    (claim.layer == Layer::Episode && first <= last).then_some((first, last))
}

/// What an episode says, and what it rests on.
struct Telling {
    content: String,
    domain: Option<String>,
    tags: BTreeSet<String>,
    messages: Vec<MessageNumber>,
    evidence: Vec<Evidence>,
}

impl Planner<'_> {
    /// The episode of a part of a chat, from a model's words where there are any that may be kept. Nothing
    /// where the policy keeps none, or nothing that was said may be told.
    pub(super) fn episode(
        &self,
        happened: &Happened,
        told: Option<&str>,
        untellable: &[Stretch],
    ) -> Option<(Claim, Marks)> {
        let mut categories = self.policy.categories.iter();
        let category = categories.find(|category| category.kind == CategoryKind::Episode)?;
        let told = told.and_then(|told| self.told_by_model(told, happened, untellable));
        let telling = told.or_else(|| self.told_in_quotes(happened, untellable))?;
        let claim = Claim {
            layer: Layer::Episode,
            source: Source::Extracted,
            trust: Trust::Extracted,
            session: Some(happened.turn.session),
            messages: telling.messages,
            evidence: telling.evidence,
            // Once consent is withdrawn, it is in no answer any more.
            domain: telling.domain,
            value: Some(span(happened)),
            tags: telling.tags,
            ..Claim::note(
                &category.name,
                telling.content,
                happened.time.0.min(self.now()),
            )
        };
        let marks = Marks {
            confidence: Some(self.policy.floors.inject),
            ..Marks::default()
        };
        Some((claim, marks))
    }

    /// Words that no episode may tell: what was forgotten, and what waits for the user's word or was denied
    /// it.
    pub(super) fn untellable(&self) -> Vec<Stretch> {
        let base = self.base();
        let entombed = base.tombstones().filter(|row| row.is_open());
        let entombed = entombed.map(|row| Stretch::of_tombstone(&row.body));
        let is_accepted = |row: &&Row<Proposal>| {
            let last = base.last_copy(Kind::Proposal, row.origin);
            let end = last.and_then(|last| last.end);
            end.is_some_and(|end| matches!(end.why, Why::Done { .. }))
        };
        let unaccepted = base.proposals().filter(|row| !is_accepted(row));
        let unaccepted = unaccepted.flat_map(|row| stretches(&row.body.evidence));
        entombed.chain(unaccepted).collect()
    }

    /// A model's words, where they hold nothing that a memory may not, and no name or number that the user
    /// did not say or that may not be told.
    fn told_by_model(
        &self,
        told: &str,
        happened: &Happened,
        untellable: &[Stretch],
    ) -> Option<Telling> {
        let content = self.content(told).ok()?;
        let domain = self.told_domain(&content)?;
        let turn = without(&happened.turn, untellable);
        if !is_supported(&content, "", None, &turn) {
            return None;
        }
        let messages = turn.said.iter().map(|said| said.message);
        Some(Telling {
            content,
            domain,
            tags: BTreeSet::new(),
            messages: messages.take(limits::EVIDENCE).collect(),
            evidence: Vec::new(),
        })
    }

    /// The domain of words that may be told without asking; nothing where they may not. A row has one domain,
    /// so what belongs to two that need consent could not be taken back for either.
    fn told_domain(&self, words: &str) -> Option<Option<String>> {
        let mut found = self.found_domains(&Given::new([words].into_iter(), None));
        if !found.iter().all(|name| self.has_consent(name)) {
            return None;
        }
        let is_any = !found.is_empty();
        found.retain(|name| self.policy.needs_consent(name));
        if is_any && self.reading(words).is_about_another() || found.len() > 1 {
            return None;
        }
        Some(found.pop_first())
    }
}

/// Of which messages an episode tells, and of what time.
fn span(happened: &Happened) -> Value {
    let (first, last) = happened.messages;
    let (from, until) = happened.time;
    json!({"first": first, "last": last, "from": from, "until": until.max(from)})
}

/// What was said, without what may not be told of it.
fn without(turn: &Turn, untellable: &[Stretch]) -> Turn {
    let mut turn = turn.clone();
    for stretch in untellable {
        if stretch.session != turn.session {
            continue;
        }
        for said in &mut turn.said {
            if said.message == stretch.message {
                *said = said.without(stretch.span);
            }
        }
    }
    turn
}
