//! What of all that could help with a message fits: the baseline first, whatever the message, then what is
//! offered for it. Finding the offers is the engine's.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::ids::{MessageNumber, Number, RowId};
use crate::model::TokenCounter;
use crate::order::{self, Gather};
use crate::policy::Policy;

/// What a model is told for one message, within one budget.
///
/// The baseline depends on the data and the room, never on the message: what a message brings along takes
/// only what the baseline leaves. Each memory is there once, whole on a line of its own, as in the block.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[non_exhaustive]
pub struct Context {
    /// Everything about the user, with a newline at its end; empty if nothing is shown. Within the budget.
    pub text: String,
    /// The part that the text begins with whatever the message is: tier 0.
    pub baseline: String,
    /// How a model should use it: the block's standing text. No budget counts it.
    pub standing: String,
    /// What the text takes, in tokens.
    pub tokens: usize,
    /// The domains that the message was routed to.
    pub domains: Vec<String>,
    /// What stands in the text, in the order shown.
    pub used: Vec<Used>,
    /// What does not, and why.
    pub left_out: Vec<LeftOut>,
}

impl Context {
    /// The rows that stand in it.
    pub(crate) fn memories(&self) -> impl Iterator<Item = RowId> {
        self.used.iter().filter_map(Used::row)
    }

    /// What goes into the prompt: the text, a blank line, the standing text.
    #[must_use]
    pub fn prompt(&self) -> String {
        if self.text.is_empty() || self.standing.is_empty() {
            return format!("{}{}", self.text, self.standing);
        }
        format!("{}\n{}", self.text, self.standing)
    }
}

/// Why something is in a context at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Tier {
    /// Tier 0: always.
    Baseline,
    /// Tier 1: the message was routed to its domain.
    Domain,
    /// Tier 2: it fits the message, or was said just before.
    Recalled,
}

/// A memory, or a message of the chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(tag = "item", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Item {
    /// A memory.
    Memory {
        /// Its fact.
        number: Number,
        /// Its row.
        row: RowId,
    },
    /// A message.
    Message {
        /// Its place in the chat.
        message: MessageNumber,
    },
}

/// Something that stands in a context.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Used {
    /// What.
    #[serde(flatten)]
    pub item: Item,
    /// In which tier.
    pub tier: Tier,
    /// How well it fits the message, where that was looked at. Comparable within one context only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relevance: Option<f64>,
    /// What brought it here, in a few words for a person.
    pub why: String,
}

impl Used {
    /// The row it is, where it is a memory.
    pub(crate) fn row(&self) -> Option<RowId> {
        match self.item {
            Item::Memory { row, .. } => Some(row),
            Item::Message { .. } => None,
        }
    }
}

/// Something that could have helped and does not stand in a context.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LeftOut {
    /// What.
    #[serde(flatten)]
    pub item: Item,
    /// In which tier it would have been.
    pub tier: Tier,
    /// How well it fits the message, where that was looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relevance: Option<f64>,
    /// Why not.
    pub reason: LeftOutReason,
}

/// Why something does not stand in a context, or not where it was offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LeftOutReason {
    /// It stands in the baseline already, or is an episode that only repeats a fact.
    Duplicate,
    /// It was not said on purpose, and is not sure enough any more.
    BelowFloor,
    /// The user withdrew consent for its domain.
    Hidden,
    /// The budget is used up.
    Budget,
    /// Memories took more than their share of the window, and its category goes before others.
    WindowShare,
    /// More fitted than the message gets.
    Limit,
}

/// How much room there is, in tokens.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    /// For everything.
    pub budget: usize,
    /// For memories, by their share of the window.
    pub memories: usize,
}

impl Room {
    /// What the baseline has at most.
    pub(crate) fn of_baseline(self) -> usize {
        self.budget.min(self.memories)
    }
}

/// Something offered for a message.
#[derive(Debug, Clone)]
pub(crate) struct Offer {
    pub item: Item,
    pub tier: Tier,
    /// The category of a memory; a message has none.
    pub category: Option<String>,
    /// The place of its heading.
    pub section: usize,
    /// Its line, with the newline.
    pub line: String,
    pub relevance: Option<f64>,
    pub why: String,
}

impl Offer {
    fn key(&self) -> Key {
        key(&self.item)
    }

    fn left_out(&self, reason: LeftOutReason) -> LeftOut {
        LeftOut {
            item: self.item,
            tier: self.tier,
            relevance: self.relevance,
            reason,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Fact(Number),
    Message(MessageNumber),
}

/// What a context is made from.
#[derive(Debug)]
pub(crate) struct Material {
    /// Tier 0, which fits already.
    pub baseline: String,
    /// It had to shrink to fit: nothing else may take what is left.
    pub is_full: bool,
    /// What stands in it.
    pub standing_in: Vec<Used>,
    /// The heading of a context that has no baseline.
    pub title: String,
    /// The headings of the offers' sections, with their newlines, in the order shown.
    pub headings: Vec<String>,
    /// What is offered, the most wanted first in each tier; a fact may be offered in two.
    pub offers: Vec<Offer>,
    /// What was turned down before.
    pub turned_down: Vec<LeftOut>,
}

/// Fills what the baseline leaves of the room: tier 1 at most half of it, so that what fits the message best
/// has a place whatever its domain.
pub(crate) fn assemble(
    material: Material,
    room: Room,
    policy: &Policy,
    tokens: &dyn TokenCounter,
) -> Context {
    let filling = Filling {
        material: &material,
        tokens,
    };
    let mut reasons: BTreeMap<Key, LeftOut> = BTreeMap::new();
    let shown: BTreeSet<Key> = material.standing_in.iter().map(key_of).gather();
    let fresh: Vec<usize> = (0..material.offers.len())
        .filter(|&index| {
            let offer = &material.offers[index];
            let is_fresh = !shown.contains(&offer.key());
            if !is_fresh {
                let reason = LeftOutReason::Duplicate;
                reasons
                    .entry(offer.key())
                    .or_insert_with(|| offer.left_out(reason));
            }
            is_fresh
        })
        .collect();
    let shared = match material.is_full {
        true => fresh.clone(),
        false => filling.within_share(&fresh, room, policy),
    };
    let stayed: BTreeSet<usize> = shared.iter().copied().gather();
    for index in fresh.iter().filter(|index| !stayed.contains(index)) {
        let offer = &material.offers[*index];
        reasons.insert(offer.key(), offer.left_out(LeftOutReason::WindowShare));
    }
    let chosen = match material.is_full {
        true => Vec::new(),
        false => filling.within_budget(&shared, room),
    };
    for offer in shared.iter().map(|index| &material.offers[*index]) {
        let reason = LeftOutReason::Budget;
        reasons
            .entry(offer.key())
            .or_insert_with(|| offer.left_out(reason));
    }
    let text = filling.text(&chosen);
    let used: Vec<Used> = filling
        .in_order(&chosen)
        .map(|offer| Used {
            item: offer.item,
            tier: offer.tier,
            relevance: offer.relevance,
            why: offer.why.clone(),
        })
        .collect();
    let is_used: BTreeSet<Key> = used.iter().map(key_of).gather();
    let mut left_out: Vec<LeftOut> = reasons
        .into_iter()
        .filter(|(key, _)| !is_used.contains(key))
        .map(|(_, left_out)| left_out)
        .collect();
    let is_unsaid = |one: &LeftOut| !is_used.contains(&key(&one.item));
    left_out.extend(material.turned_down.into_iter().filter(is_unsaid));
    order::sort_by_key(&mut left_out, |left_out| (left_out.item, left_out.tier));
    left_out.dedup_by_key(|left_out| left_out.item);
    Context {
        tokens: tokens.count(&text),
        text,
        baseline: material.baseline,
        used: material.standing_in.into_iter().chain(used).collect(),
        left_out,
        ..Context::default()
    }
}

fn key_of(used: &Used) -> Key {
    key(&used.item)
}

/// What there is only one line for: a fact, whichever of its rows is offered, or a message.
fn key(item: &Item) -> Key {
    match *item {
        Item::Memory { number, .. } => Key::Fact(number),
        Item::Message { message } => Key::Message(message),
    }
}

struct Filling<'a> {
    material: &'a Material,
    tokens: &'a dyn TokenCounter,
}

impl Filling<'_> {
    /// All of them, or, where their memories take more than the window's share, those of the categories
    /// that the policy keeps longest.
    fn within_share(&self, fresh: &[usize], room: Room, policy: &Policy) -> Vec<usize> {
        let offers = &self.material.offers;
        let is_memory = |index: &usize| matches!(offers[*index].item, Item::Memory { .. });
        let memories: Vec<usize> = fresh.iter().copied().filter(is_memory).collect();
        let once = self.once(&memories);
        if self.tokens.count(&self.text(&once)) <= room.memories {
            return fresh.to_vec();
        }
        let order = policy.truncation_order();
        let goes = |index: &usize| {
            let category = offers[*index].category.as_deref();
            order
                .iter()
                .position(|known| Some(known.name.as_str()) == category)
        };
        let mut kept_longest = once;
        order::sort_by_key(&mut kept_longest, |index| std::cmp::Reverse(goes(index)));
        // Where not all of a category fits, those that go before it are gone.
        let mut taken = Vec::new();
        for category in kept_longest.chunk_by(|one, next| goes(one) == goes(next)) {
            let wanted = [taken.as_slice(), category].concat();
            taken = self.take(&wanted, room.memories);
            if taken.len() < wanted.len() {
                break;
            }
        }
        let taken = self.settle(taken, room.memories);
        let facts: BTreeSet<Key> = taken.iter().map(|index| offers[*index].key()).gather();
        let stays = |index: &usize| !is_memory(index) || facts.contains(&offers[*index].key());
        fresh.iter().copied().filter(stays).collect()
    }

    /// What fits, in the order offered: first of tier 1, in half of the room, then of everything.
    fn within_budget(&self, offered: &[usize], room: Room) -> Vec<usize> {
        let offers = &self.material.offers;
        let base = self.tokens.count(&self.material.baseline);
        let half = base + room.budget.saturating_sub(base) / 2;
        let of_domain = |index: &usize| offers[*index].tier == Tier::Domain;
        let (first, rest): (Vec<usize>, Vec<usize>) = offered.iter().copied().partition(of_domain);
        let chosen = self.take(&self.once(&first), half);
        let mut all = chosen;
        all.extend(rest);
        // Those of tier 1 that found no room in their half come last.
        all.extend(first);
        self.settle(self.take(&self.once(&all), room.budget), room.budget)
    }

    /// Each fact's first offer.
    fn once(&self, indexes: &[usize]) -> Vec<usize> {
        let mut seen = BTreeSet::new();
        let is_first = |index: &usize| seen.insert(self.material.offers[*index].key());
        indexes.iter().copied().filter(is_first).collect()
    }

    /// Each that still fits, by the sum of its parts.
    fn take(&self, indexes: &[usize], most: usize) -> Vec<usize> {
        let mut begun = vec![false; self.material.headings.len()];
        let mut sum = self.tokens.count(&self.frame());
        let mut taken = Vec::new();
        for &index in indexes {
            let offer = &self.material.offers[index];
            let mut cost = self.tokens.count(&offer.line);
            if !begun[offer.section] {
                let heading = &self.material.headings[offer.section];
                cost = cost.saturating_add(self.tokens.count(heading));
            }
            let with = sum.saturating_add(cost);
            if with <= most {
                sum = with;
                begun[offer.section] = true;
                taken.push(index);
            }
        }
        taken
    }

    /// Drops the last until the text as it is fits: whatever the counter makes of joined texts.
    fn settle(&self, mut taken: Vec<usize>, most: usize) -> Vec<usize> {
        while !taken.is_empty() && self.tokens.count(&self.text(&taken)) > most {
            taken.pop();
        }
        taken
    }

    /// What stands before the sections.
    fn frame(&self) -> String {
        match self.material.baseline.as_str() {
            "" => self.material.title.clone(),
            baseline => format!("{baseline}\n"),
        }
    }

    fn text(&self, taken: &[usize]) -> String {
        if taken.is_empty() {
            return self.material.baseline.clone();
        }
        let mut text = self.frame();
        let mut section = None;
        for offer in self.in_order(taken) {
            if section != Some(offer.section) {
                section = Some(offer.section);
                text.push_str(&self.material.headings[offer.section]);
            }
            text.push_str(&offer.line);
        }
        text
    }

    /// As they are shown: section by section, in each as they were taken.
    fn in_order(&self, taken: &[usize]) -> impl Iterator<Item = &Offer> {
        let mut shown: Vec<&Offer> = taken
            .iter()
            .map(|index| &self.material.offers[*index])
            .collect();
        // Messages as they were said, whichever were taken first.
        let said = |offer: &Offer| match offer.item {
            Item::Message { message } => Some(message),
            Item::Memory { .. } => None,
        };
        order::sort_by_key(&mut shown, |offer| (offer.section, said(offer)));
        shown.into_iter()
    }
}
