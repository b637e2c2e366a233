//! What digests say: which facts stand in each, in which order, within its tokens. Made from the rows alone, so
//! that what has ended is in none of them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use crate::change::Snapshot;
use crate::confidence;
use crate::digest::{Digest, DigestKind, DigestLine};
use crate::ids::{Number, RowId};
use crate::memory::{Authority, Layer};
use crate::model::TokenCounter;
use crate::order::{self, Gather};
use crate::plan::calibration::{calibrated, floors};
use crate::plan::gist::{Gist, Gists, Place};
use crate::plan::words::is_consented;
use crate::policy::{Category, CategoryKind, Policy};
use crate::row::MemoryRow;
use crate::timestamp::Timestamp;

/// In how many chats something must have come up to be told as recurring.
const RECURS_IN: usize = 3;
/// How many topics are told, of those that recur.
const MOST_TOPICS: usize = 8;
/// How many chats a topic that recurs cites, the latest.
const CITED_A_TOPIC: usize = 5;
/// For how many days a chat counts for what recurs.
const RECENT_DAYS: u64 = 90;

/// A digest and the rows that it cites.
#[derive(Debug)]
pub(crate) struct Chosen<'a> {
    pub digest: Digest,
    pub rows: Vec<&'a MemoryRow>,
    /// The gists among its lines.
    pub gists: Vec<Gist>,
}

/// The digests of what is live, in the order they are shown. `told` are rows that stand elsewhere already.
/// A gist stands in the place of the facts that it cites, as long as each is live, shown and the same.
pub(crate) fn digests<'a>(
    rows: &[&'a MemoryRow],
    policy: &Policy,
    now: Timestamp,
    tokens: &dyn TokenCounter,
    told: &BTreeSet<RowId>,
    gists: &Gists,
) -> Vec<Chosen<'a>> {
    let making = Making {
        policy,
        now,
        tokens,
        told,
        gists,
    };
    let facts = making.ranked(rows);
    let recurring = making.recurring(rows);
    let budgets = &policy.digests;
    let mut made = Vec::new();
    let plain = [
        (DigestKind::Profile, "Profile", budgets.profile),
        (DigestKind::Procedures, "How to help", budgets.procedures),
        (DigestKind::Briefing, "In flight", budgets.briefing),
    ];
    for (kind, title, budget) in plain {
        let of_kind = facts
            .iter()
            .copied()
            .filter(|row| kind_of(row, policy) == kind);
        let mut lines = Vec::new();
        if kind == DigestKind::Profile {
            lines.extend(recurring.get(&None).map(|topics| topics.line()));
        }
        made.extend(making.digest(kind, None, title, of_kind, lines, budget));
    }
    for domain in &policy.domains {
        let name = Some(domain.name.as_str());
        let of_domain = facts
            .iter()
            .copied()
            .filter(|row| row.body.claim.domain.as_deref() == name);
        let lines = recurring.get(&name).map(Topics::line).into_iter().collect();
        let title = &domain.title;
        made.extend(making.digest(
            DigestKind::Domain,
            name,
            title,
            of_domain,
            lines,
            budgets.domain,
        ));
    }
    let is_nowhere = |row: &&MemoryRow| {
        kind_of(row, policy) == DigestKind::Domain && row.body.claim.domain.is_none()
    };
    let others = facts.iter().copied().filter(is_nowhere);
    let domain = DigestKind::Domain;
    made.extend(making.digest(domain, None, "Other", others, Vec::new(), budgets.domain));
    made.extend(calibrated(rows, policy));
    made
}

/// Since when what came up in chats is looked at: digests are made from no episode before.
pub(crate) fn recent(now: Timestamp) -> Timestamp {
    now.saturating_sub(Duration::from_secs(RECENT_DAYS * 86_400))
}

/// The facts that are sure enough to be shown, those that go first in front.
fn ranked<'a>(rows: &[&'a MemoryRow], policy: &Policy, now: Timestamp) -> Vec<&'a MemoryRow> {
    let floors = floors(rows.iter().copied(), policy);
    let mut facts: Vec<(f64, &MemoryRow)> = rows
        .iter()
        .filter(|row| row.body.claim.layer == Layer::Fact)
        .filter_map(|row| {
            let sure = confidence::effective(row, policy, now);
            let floor = floors.get(&row.body.claim.category).copied();
            let floor = floor.unwrap_or(policy.floors.inject);
            let passes = row.body.claim.source.is_explicit() || sure >= floor;
            passes.then_some((row.marks.importance * sure, *row))
        })
        .collect();
    order::sort_by(&mut facts, |(weight, one), (other_weight, other)| {
        let place = |row: &MemoryRow| {
            let claim = &row.body.claim;
            (
                claim.authority == Authority::Rule,
                claim.source.is_explicit(),
            )
        };
        place(other)
            .cmp(&place(one))
            .then(other_weight.total_cmp(weight))
            .then(other.recorded_at.cmp(&one.recorded_at))
            .then(one.body.number.cmp(&other.body.number))
    });
    facts.into_iter().map(|(_, row)| row).collect()
}

/// The facts that a model may say in other lines, those that go first in front. Not what must be respected or
/// permits something: that is told as it was said. Not what needs a consent that nobody has given.
pub(crate) fn citable<'a>(
    rows: &[&'a MemoryRow],
    policy: &Policy,
    now: Timestamp,
    base: &Snapshot,
) -> Vec<&'a MemoryRow> {
    let mut facts = ranked(rows, policy, now);
    facts.retain(|row| {
        let claim = &row.body.claim;
        let domain = claim.domain.as_deref();
        is_plain(row) && domain.is_none_or(|domain| is_consented(base, policy, domain))
    });
    facts
}

fn is_plain(row: &MemoryRow) -> bool {
    let claim = &row.body.claim;
    claim.authority == Authority::Note && !claim.authorises_action
}

/// Whether a fact stands in a digest.
pub(super) fn takes(place: &Place, row: &MemoryRow, policy: &Policy) -> bool {
    match place.kind {
        DigestKind::Domain => row.body.claim.domain == place.domain,
        kind => kind_of(row, policy) == kind,
    }
}

/// The digests that a model may write lines for and that a fact stands in, by name.
pub(crate) fn stands_in<'p>(row: &'p MemoryRow, policy: &'p Policy) -> Vec<&'p str> {
    let plain = [DigestKind::Profile, DigestKind::Procedures].into_iter();
    let plain = plain.filter(|kind| kind_of(row, policy) == *kind && budget_of(*kind, policy) > 0);
    let mut names: Vec<&str> = plain.map(DigestKind::word).collect();
    let domain = row.body.claim.domain.as_deref();
    let domain = domain.and_then(|name| policy.domain(name));
    let domain = domain.filter(|_| policy.digests.domain > 0);
    names.extend(domain.map(|domain| domain.name.as_str()));
    names
}

/// How many tokens a digest may take.
pub(super) fn budget_of(kind: DigestKind, policy: &Policy) -> u32 {
    let budgets = &policy.digests;
    match kind {
        DigestKind::Profile => budgets.profile,
        DigestKind::Procedures => budgets.procedures,
        DigestKind::Briefing => budgets.briefing,
        DigestKind::Domain => budgets.domain,
        DigestKind::Floors => 0,
    }
}

struct Making<'m> {
    policy: &'m Policy,
    now: Timestamp,
    tokens: &'m dyn TokenCounter,
    told: &'m BTreeSet<RowId>,
    gists: &'m Gists,
}

impl Making<'_> {
    /// The facts that may stand in a digest, those that go first in front.
    fn ranked<'a>(&self, rows: &[&'a MemoryRow]) -> Vec<&'a MemoryRow> {
        let mut facts = ranked(rows, self.policy, self.now);
        facts.retain(|row| !self.told.contains(&row.id));
        facts
    }

    /// What came up in several chats lately, by the domain that it belongs to.
    fn recurring<'a>(&self, rows: &[&'a MemoryRow]) -> BTreeMap<Option<&'a str>, Topics<'a>> {
        let since = recent(self.now);
        let mut by_domain: BTreeMap<Option<&str>, HashMap<&str, Vec<&MemoryRow>>> = BTreeMap::new();
        for row in rows {
            let claim = &row.body.claim;
            if claim.layer != Layer::Episode || claim.valid_from < since {
                continue;
            }
            let topics = by_domain.entry(claim.domain.as_deref()).or_default();
            for tag in &claim.tags {
                topics.entry(tag).or_default().push(row);
            }
        }
        by_domain
            .into_iter()
            .filter_map(|(domain, topics)| Some((domain, Topics::of(topics)?)))
            .gather()
    }

    fn digest<'a>(
        &self,
        kind: DigestKind,
        domain: Option<&str>,
        title: &str,
        facts: impl Iterator<Item = &'a MemoryRow>,
        first: Vec<(String, Vec<&'a MemoryRow>)>,
        budget: u32,
    ) -> Option<Chosen<'a>> {
        if budget == 0 {
            return None;
        }
        let facts: Vec<&MemoryRow> = facts.collect();
        let mut sheet = Sheet {
            tokens: self.tokens,
            left: (budget as usize).saturating_sub(self.tokens.count(title)),
            lines: Vec::new(),
            cited: BTreeMap::new(),
        };
        let mut left_out = 0;
        let mut first = first;
        if kind == DigestKind::Briefing {
            first.extend(under_way(&facts));
        }
        for (text, rows) in first {
            let is_alone = rows.len() == 1;
            let fits = sheet.add(text, rows, false);
            left_out += usize::from(is_alone && !fits);
        }
        let domain = domain.map(str::to_owned);
        let place = Place { kind, domain };
        let (mut gists, mut said) = (Vec::new(), BTreeSet::new());
        let standing = self.standing(&place, &facts);
        for row in facts {
            if said.contains(&row.id) {
                continue;
            }
            if let Some((gist, rows)) = standing.get(&row.id)
                && sheet.add(gist.text.clone(), rows.clone(), true)
            {
                said.extend(rows.iter().map(|row| row.id));
                gists.push((*gist).clone());
                continue;
            }
            let fits = sheet.add(text_of(row).to_owned(), vec![row], false);
            said.insert(row.id);
            left_out += usize::from(!fits);
        }
        // Which fact matters most may change by the day: that makes no other digest of it.
        order::sort_by(&mut gists, |one: &Gist, other: &Gist| {
            one.text.cmp(&other.text)
        });
        let digest = Digest {
            kind,
            domain: place.domain,
            title: title.to_owned(),
            lines: sheet.lines,
            left_out,
        };
        (!digest.lines.is_empty()).then(|| Chosen {
            digest,
            rows: sheet.cited.into_values().collect(),
            gists,
        })
    }

    /// The gists of a digest that stand, by the first fact that each says: all of them are there, are what they
    /// were, and have a line of their own to give up.
    fn standing<'a>(
        &self,
        place: &Place,
        facts: &[&'a MemoryRow],
    ) -> BTreeMap<RowId, (&Gist, Vec<&'a MemoryRow>)> {
        let Some(gists) = self.gists.get(place) else {
            return BTreeMap::new();
        };
        let by_number: BTreeMap<Number, (usize, &MemoryRow)> = facts
            .iter()
            .enumerate()
            .map(|(rank, row)| (row.body.number, (rank, *row)))
            .gather();
        let standing = gists.iter().filter_map(|gist| {
            let cited = gist.cites.iter().map(|(number, version)| {
                let found = by_number.get(number).copied();
                found.filter(|(_, row)| row.body.version == *version && is_plain(row))
            });
            let mut cited: Vec<(usize, &MemoryRow)> = cited.collect::<Option<_>>()?;
            order::sort_by_key(&mut cited, |(rank, _)| *rank);
            let rows: Vec<&MemoryRow> = cited.into_iter().map(|(_, row)| row).collect();
            Some((rows.first()?.id, (gist, rows)))
        });
        standing.gather()
    }
}

/// The lines of a digest in the making.
struct Sheet<'m, 'a> {
    tokens: &'m dyn TokenCounter,
    left: usize,
    lines: Vec<DigestLine>,
    cited: BTreeMap<RowId, &'a MemoryRow>,
}

impl<'a> Sheet<'_, 'a> {
    /// Adds a line where there is room for it.
    fn add(&mut self, text: String, rows: Vec<&'a MemoryRow>, by_model: bool) -> bool {
        let cost = self.tokens.count(&format!("- {text}\n"));
        if cost > self.left {
            return false;
        }
        self.left -= cost;
        let cites: BTreeSet<Number> = rows.iter().map(|row| row.body.number).gather();
        self.cited.extend(rows.into_iter().map(|row| (row.id, row)));
        self.lines.push(DigestLine {
            text,
            cites: cites.into_iter().collect(),
            by_model,
        });
        true
    }
}

/// Which digest a fact stands in, besides that of its domain: what is never in the block is only in that one.
fn kind_of(row: &MemoryRow, policy: &Policy) -> DigestKind {
    let category: Option<&Category> = policy.category(&row.body.claim.category);
    match category.map(|category| (category.kind, category.budget)) {
        Some((CategoryKind::Task, _)) => DigestKind::Briefing,
        Some((CategoryKind::Procedure, _)) => DigestKind::Procedures,
        Some((_, 0)) | None => DigestKind::Domain,
        Some(_) => DigestKind::Profile,
    }
}

pub(crate) fn text_of(row: &MemoryRow) -> &str {
    let claim = &row.body.claim;
    claim.summary.as_deref().unwrap_or(&claim.content)
}

/// How many tasks there are, and what ends next.
fn under_way<'a>(tasks: &[&'a MemoryRow]) -> Option<(String, Vec<&'a MemoryRow>)> {
    if tasks.len() < 2 {
        return None;
    }
    let next = tasks
        .iter()
        .filter_map(|row| row.body.claim.expires_at)
        .min();
    let next = match next {
        None => String::new(),
        Some(moment) => {
            let day = moment.to_string();
            format!(", the next ends by {}", day.get(..10).unwrap_or(&day))
        }
    };
    let text = format!("{} things are under way{next}", tasks.len());
    Some((text, tasks.to_vec()))
}

/// What came up in several chats, the most frequent first.
struct Topics<'a>(Vec<(&'a str, Vec<&'a MemoryRow>)>);

impl<'a> Topics<'a> {
    fn of(topics: HashMap<&'a str, Vec<&'a MemoryRow>>) -> Option<Self> {
        let mut found: Vec<_> = topics
            .into_iter()
            .filter(|(_, rows)| rows.len() >= RECURS_IN)
            .collect();
        order::sort_by_key(&mut found, |(topic, rows)| (Reverse(rows.len()), *topic));
        found.truncate(MOST_TOPICS);
        (!found.is_empty()).then_some(Topics(found))
    }

    fn line(&self) -> (String, Vec<&'a MemoryRow>) {
        let told = self.0.iter();
        let told: Vec<String> = told
            .map(|(topic, rows)| format!("{topic} ({} chats)", rows.len()))
            .collect();
        let rows = self.0.iter().flat_map(|(_, rows)| {
            let mut newest = rows.clone();
            order::sort_by_key(&mut newest, |row| {
                Reverse((row.body.claim.valid_from, row.body.number))
            });
            newest.into_iter().take(CITED_A_TOPIC)
        });
        (
            format!("Comes up often: {}", told.join(", ")),
            rows.collect(),
        )
    }
}
