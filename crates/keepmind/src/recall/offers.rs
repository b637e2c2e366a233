//! What is offered for a message: memories of its domains, memories that were found, and what was said last.
//! What of it fits is decided elsewhere.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::context::{Item, LeftOut, LeftOutReason, Offer, Tier};
use crate::confidence;
use crate::conversation::{own_words, readable_line, shortened};
use crate::ids::Number;
use crate::inject;
use crate::memory::{Authority, Layer};
use crate::message::{Message, Role};
use crate::order::{self, Gather};
use crate::policy::{BlockStyle, Policy};
use crate::row::MemoryRow;
use crate::text;
use crate::timestamp::Timestamp;
use crate::visibility::{Visibility, visibility};

/// How much of a message is told, in characters.
const LONGEST_MESSAGE: usize = 300;

/// The headings of everything that is offered.
#[derive(Debug)]
pub(crate) struct Sections {
    /// The domains that the message was routed to: their sections come first.
    domains: Vec<String>,
    /// With their newlines, in the order shown.
    pub headings: Vec<String>,
    style: BlockStyle,
}

impl Sections {
    pub(crate) fn new(policy: &Policy, domains: &[&str]) -> Self {
        let title = |name: &str| match policy.domain(name) {
            Some(domain) => domain.title.clone(),
            None => name.to_owned(),
        };
        let mut headings: Vec<String> = domains
            .iter()
            .map(|name| format!("### {}\n", title(name)))
            .collect();
        headings.extend(
            [
                "Recalled for this message",
                "Past conversations",
                "Said in this chat lately",
            ]
            .map(|title| format!("### {title}\n")),
        );
        Sections {
            domains: domains.iter().map(|name| (*name).to_owned()).collect(),
            headings,
            style: policy.block.style,
        }
    }

    fn of_domain(&self, row: &MemoryRow) -> Option<usize> {
        let domain = row.body.claim.domain.as_ref()?;
        self.domains.iter().position(|one| one == domain)
    }

    fn recalled(&self, row: &MemoryRow) -> usize {
        let episodes = usize::from(row.body.claim.layer == Layer::Episode);
        self.domains.len() + episodes
    }

    fn messages(&self) -> usize {
        self.domains.len() + 2
    }
}

fn item(row: &MemoryRow) -> Item {
    Item::Memory {
        number: row.body.number,
        row: row.id,
    }
}

/// A memory that was found, and how well it fits.
pub(crate) struct Fitting<'a> {
    pub row: &'a MemoryRow,
    pub relevance: f64,
    pub why: String,
}

/// The memories of the domains that a message was routed to: those that fit it first, then as the block
/// ranks them. Beside them those that may not be told by themselves.
pub(crate) fn of_domains<'a>(
    rows: impl Iterator<Item = &'a MemoryRow>,
    sections: &Sections,
    found: &[Fitting<'_>],
    policy: &Policy,
    withdrawn: &BTreeSet<String>,
    now: Timestamp,
) -> (Vec<Offer>, Vec<LeftOut>) {
    let found: BTreeMap<Number, f64> = found
        .iter()
        .map(|fitting| (fitting.row.body.number, fitting.relevance))
        .gather();
    let mut ranked = Vec::new();
    let mut turned_down = Vec::new();
    for row in rows {
        let claim = &row.body.claim;
        let Some(section) = sections.of_domain(row) else {
            continue;
        };
        if claim.layer != Layer::Fact || visibility(row, now) != Visibility::Live {
            continue;
        }
        let relevance = found.get(&row.body.number).copied();
        let sure = confidence::effective(row, policy, now);
        let is_explicit = claim.source.is_explicit();
        let reason = match claim.domain.as_ref() {
            Some(domain) if withdrawn.contains(domain) => Some(LeftOutReason::Hidden),
            _ if !is_explicit && sure < policy.floors.inject => Some(LeftOutReason::BelowFloor),
            _ => None,
        };
        if let Some(reason) = reason {
            turned_down.push(LeftOut {
                item: item(row),
                tier: Tier::Domain,
                relevance,
                reason,
            });
            continue;
        }
        let Some(line) = inject::line(row, sections.style) else {
            continue;
        };
        let is_rule = claim.authority == Authority::Rule;
        let weight = row.marks.importance * sure;
        let rank = (is_rule, is_explicit, weight, row.recorded_at);
        let offer = Offer {
            item: item(row),
            tier: Tier::Domain,
            category: Some(claim.category.clone()),
            section,
            line: line + "\n",
            relevance,
            why: format!("of the domain {}", sections.domains[section]),
        };
        ranked.push((rank, offer));
    }
    order::sort_by(&mut ranked, |(one_rank, one), (other_rank, other)| {
        let fits = |offer: &Offer| offer.relevance.unwrap_or(f64::NEG_INFINITY);
        let key = |rank: &(bool, bool, f64, Timestamp)| (rank.0, rank.1);
        fits(other)
            .total_cmp(&fits(one))
            .then_with(|| key(other_rank).cmp(&key(one_rank)))
            .then_with(|| other_rank.2.total_cmp(&one_rank.2))
            .then_with(|| other_rank.3.cmp(&one_rank.3))
            .then_with(|| one.item.cmp(&other.item))
    });
    let offers = ranked.into_iter().map(|(_, offer)| offer).collect();
    (offers, turned_down)
}

/// The memories that were found, at most `limit` besides those that are told anyway; those beyond it.
pub(crate) fn recalled(
    found: Vec<Fitting<'_>>,
    sections: &Sections,
    told: &BTreeSet<Number>,
    limit: usize,
) -> (Vec<Offer>, Vec<LeftOut>) {
    let mut taken = 0;
    let mut offers = Vec::new();
    let mut beyond = Vec::new();
    for Fitting {
        row,
        relevance,
        why,
    } in found
    {
        let Some(line) = inject::line(row, sections.style) else {
            continue;
        };
        let is_told = told.contains(&row.body.number);
        if !is_told && taken == limit {
            beyond.push(LeftOut {
                item: item(row),
                tier: Tier::Recalled,
                relevance: Some(relevance),
                reason: LeftOutReason::Limit,
            });
            continue;
        }
        taken += usize::from(!is_told);
        offers.push(Offer {
            item: item(row),
            tier: Tier::Recalled,
            category: Some(row.body.claim.category.clone()),
            section: sections.recalled(row),
            line: line + "\n",
            relevance: Some(relevance),
            why,
        });
    }
    (offers, beyond)
}

/// What was said last, the latest first: the speakers' own words only, and not the message itself.
pub(crate) fn said(messages: &[Message], sections: &Sections, message: &str) -> Vec<Offer> {
    let wanted: BTreeSet<String> = text::query_terms(message).into_iter().gather();
    let mut latest: Vec<&Message> = messages.iter().collect();
    order::sort_by_key(&mut latest, |said| Reverse(said.number));
    if latest
        .first()
        .is_some_and(|last| last.utterance.content.trim() == message.trim())
    {
        latest.remove(0);
    }
    latest
        .into_iter()
        .filter_map(|said| {
            let speaker = match said.utterance.role {
                Role::User => "user",
                Role::Assistant => "assistant",
                _ => return None,
            };
            let own: Vec<&str> = own_words(&said.utterance).collect();
            let words = readable_line(&own.join(" "))?;
            let terms: BTreeSet<String> = text::terms(&words).into_iter().gather();
            let shared = wanted.intersection(&terms).count();
            let line = format!("({speaker}) {}", shortened(&words, LONGEST_MESSAGE));
            Some(Offer {
                item: Item::Message {
                    message: said.number,
                },
                tier: Tier::Recalled,
                category: None,
                section: sections.messages(),
                line: format!("- {}\n", inject::text(&line)),
                relevance: Some(shared as f64 / wanted.len().max(1) as f64),
                why: "said in this chat just before".to_owned(),
            })
        })
        .collect()
}
