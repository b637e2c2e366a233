//! What of a memory wants a look: found without a model, from the rows as they stand. It names facts by number
//! and quotes none.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;

use crate::confidence;
use crate::ids::{Number, RowId, SessionId};
use crate::inject::{self, Block, Line};
use crate::link::Link;
use crate::memory::{Evidence, Layer};
use crate::model::TokenCounter;
use crate::order::Gather;
use crate::plan::learn::{Kinship, pairs};
use crate::policy::{CategoryKind, Policy};
use crate::row::MemoryRow;
use crate::text;
use crate::timestamp::Timestamp;
use crate::visibility::{Visibility, visibility};

/// How many concerns of one kind, and facts left out of the block, are listed; all are counted.
const MOST_LISTED: usize = 100;
/// For how many half-lives of its category a fact may go unconfirmed.
const HALF_LIVES: u32 = 2;

/// What wants a look. Its `Display` is a report for people, in Markdown.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Health {
    /// How many facts were looked at: those that are live, or whose time has run out unnoticed.
    pub facts: u64,
    /// How often each kind of concern was found.
    pub counts: BTreeMap<ConcernKind, u64>,
    /// The concerns, by kind; the first hundred of each.
    pub concerns: Vec<Concern>,
    /// What the block cannot hold.
    pub block: BlockPressure,
}

/// Something that wants a look.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Concern {
    /// What kind.
    pub kind: ConcernKind,
    /// Which facts it is about.
    pub facts: Vec<Number>,
    /// What was found, for a person. It quotes no memory.
    pub reason: String,
}

/// What kind of concern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ConcernKind {
    /// Two facts say the same.
    Duplicate,
    /// Two facts cannot both be true.
    Contradiction,
    /// Something points to what is not there any more.
    Orphan,
    /// It looks like something that should not be kept.
    JunkLike,
    /// It may not be so any more.
    Stale,
    /// It takes more room than is good for it.
    Oversized,
}

impl ConcernKind {
    /// The word for it: `duplicate`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            ConcernKind::Duplicate => "duplicate",
            ConcernKind::Contradiction => "contradiction",
            ConcernKind::Orphan => "orphan",
            ConcernKind::JunkLike => "junk-like",
            ConcernKind::Stale => "stale",
            ConcernKind::Oversized => "oversized",
        }
    }
}

/// How full the block is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct BlockPressure {
    /// What it may take, in tokens.
    pub budget: u64,
    /// What it takes.
    pub tokens: u64,
    /// How many memories it shows.
    pub shown: u64,
    /// How many it would show if they fitted.
    pub left_out: u64,
    /// How many of each category are left out.
    pub left_out_by_category: BTreeMap<String, u64>,
    /// Which facts those are, the most important first; the first hundred.
    pub left_out_facts: Vec<Number>,
}

/// What a check looks at.
pub(crate) struct Examined<'a> {
    /// Open rows that are believed, expired ones too, with the line each has in a block.
    pub rows: Vec<&'a MemoryRow>,
    pub lines: Vec<(&'a MemoryRow, &'a Line)>,
    /// Open links of these facts.
    pub links: &'a [Link],
    /// The chats that evidence names and that are still there.
    pub sessions: &'a BTreeSet<SessionId>,
    /// The block as it would be rendered now.
    pub block: &'a Block,
    pub withdrawn: &'a BTreeSet<String>,
}

/// Looks through an owner's facts.
pub(crate) fn health(
    examined: &Examined<'_>,
    policy: &Policy,
    now: Timestamp,
    tokens: &dyn TokenCounter,
) -> Health {
    let mut found = Found::default();
    let live: BTreeSet<Number> = examined
        .rows
        .iter()
        .filter(|row| visibility(row, now) == Visibility::Live)
        .map(|row| row.body.number)
        .gather();
    alike(&mut found, &examined.rows, &live, policy);
    links(&mut found, examined.links, &live);
    for row in &examined.rows {
        orphaned(&mut found, row, examined.sessions);
        junk_like(&mut found, row);
        stale(&mut found, row, policy, now);
        long_detail(&mut found, row, policy);
    }
    for (row, line) in &examined.lines {
        large_line(&mut found, row, line, policy);
    }
    let Found { counts, concerns } = found;
    Health {
        facts: examined.rows.len() as u64,
        counts,
        concerns: concerns.into_values().flatten().collect(),
        block: pressure(examined, policy, now, tokens),
    }
}

/// Concerns by kind, the first of each.
#[derive(Default)]
struct Found {
    counts: BTreeMap<ConcernKind, u64>,
    concerns: BTreeMap<ConcernKind, Vec<Concern>>,
}

impl Found {
    fn add(&mut self, kind: ConcernKind, facts: &[Number], reason: impl Into<String>) {
        *self.counts.entry(kind).or_default() += 1;
        let listed = self.concerns.entry(kind).or_default();
        if listed.len() < MOST_LISTED {
            listed.push(Concern {
                kind,
                facts: facts.to_vec(),
                reason: reason.into(),
            });
        }
    }
}

fn alike(found: &mut Found, rows: &[&MemoryRow], live: &BTreeSet<Number>, policy: &Policy) {
    // What happened in two chats may well be told in the same words.
    let is_fact =
        |row: &&&MemoryRow| row.body.claim.layer == Layer::Fact && live.contains(&row.body.number);
    let facts: Vec<&MemoryRow> = rows.iter().filter(is_fact).copied().collect();
    let contents: Vec<&str> = facts
        .iter()
        .map(|row| row.body.claim.content.as_str())
        .collect();
    for ((one, other), kinship) in pairs(&contents, policy) {
        let numbers = [facts[one].body.number, facts[other].body.number];
        let (kind, reason) = match kinship {
            Kinship::Same => (ConcernKind::Duplicate, "one says no more than the other"),
            Kinship::Opposite => (ConcernKind::Contradiction, "one denies the other"),
            Kinship::Revalued => (
                ConcernKind::Contradiction,
                "they give two values of something that has one",
            ),
        };
        found.add(kind, &numbers, reason);
    }
}

fn links(found: &mut Found, links: &[Link], live: &BTreeSet<Number>) {
    for link in links {
        let ends = [link.from, link.to];
        if !ends.iter().all(|end| live.contains(end)) {
            let reason = format!("a link `{}` has an end that is not live", link.relation);
            found.add(ConcernKind::Orphan, &ends, reason);
        } else if link.relation == "contradicts" {
            let reason = "a link says that they contradict each other";
            found.add(ConcernKind::Contradiction, &ends, reason);
        }
    }
}

fn orphaned(found: &mut Found, row: &MemoryRow, sessions: &BTreeSet<SessionId>) {
    let is_gone = |piece: &Evidence| match piece {
        Evidence::Quote { session, .. } => !sessions.contains(session),
        Evidence::Observation { .. } => false,
    };
    let evidence = &row.body.claim.evidence;
    let gone = evidence.iter().filter(|piece| is_gone(piece)).count();
    if gone > 0 {
        let reason = format!(
            "{gone} of {} pieces of evidence are of chats that are gone",
            evidence.len()
        );
        found.add(ConcernKind::Orphan, &[row.body.number], reason);
    }
}

fn junk_like(found: &mut Found, row: &MemoryRow) {
    let content = row.body.claim.content.as_str();
    let reason = if text::secret(content).is_some() {
        "it looks like a secret"
    } else if text::instruction(content).is_some() {
        "it reads like an instruction to the assistant"
    } else if !text::weighs(content) {
        "it says nothing"
    } else {
        return;
    };
    found.add(ConcernKind::JunkLike, &[row.body.number], reason);
}

fn stale(found: &mut Found, row: &MemoryRow, policy: &Policy, now: Timestamp) {
    let claim = &row.body.claim;
    let number = [row.body.number];
    if visibility(row, now) == Visibility::Expired {
        let reason = "its time has run out, and no sweep has ended it";
        return found.add(ConcernKind::Stale, &number, reason);
    }
    let category = policy.category(&claim.category);
    let is_task = category.is_some_and(|category| category.kind == CategoryKind::Task);
    if is_task && is_past_its_date(row, now) {
        return found.add(ConcernKind::Stale, &number, "its date is past");
    }
    let sure = confidence::effective(row, policy, now);
    let was_sure = row.marks.confidence.unwrap_or(1.0) >= policy.floors.inject;
    if was_sure && sure < policy.floors.inject {
        let reason = format!(
            "not confirmed for {} days: no longer sure enough for the block",
            unconfirmed_days(row, now)
        );
        return found.add(ConcernKind::Stale, &number, reason);
    }
    let half_life = category.and_then(|category| category.half_life_days);
    let days = unconfirmed_days(row, now);
    if half_life.is_some_and(|half_life| days > i64::from(half_life.saturating_mul(HALF_LIVES))) {
        let reason = format!("not confirmed for {days} days");
        found.add(ConcernKind::Stale, &number, reason);
    }
}

fn unconfirmed_days(row: &MemoryRow, now: Timestamp) -> i64 {
    const MICROS_A_DAY: i64 = 86_400_000_000;
    let confirmed = row.marks.last_confirmed_at.unwrap_or(row.recorded_at);
    now.as_micros().saturating_sub(confirmed.as_micros()) / MICROS_A_DAY
}

/// Whether the date that a content names, read when it was recorded, lies before today.
fn is_past_its_date(row: &MemoryRow, now: Timestamp) -> bool {
    let day = |moment: Timestamp| time::OffsetDateTime::from(moment).date();
    let date = text::deadline(&row.body.claim.content, day(row.recorded_at));
    date.is_some_and(|date| date < day(now))
}

fn long_detail(found: &mut Found, row: &MemoryRow, policy: &Policy) {
    let Some(body) = &row.body.claim.body else {
        return;
    };
    let (characters, most) = (body.chars().count(), policy.limits.body_characters as usize);
    if characters * 2 > most {
        let reason = format!("its detail takes {characters} of at most {most} characters");
        found.add(ConcernKind::Oversized, &[row.body.number], reason);
    }
}

fn large_line(found: &mut Found, row: &MemoryRow, line: &Line, policy: &Policy) {
    let Some(category) = policy.category(&row.body.claim.category) else {
        return;
    };
    let budget = category.budget.min(policy.block.budget) as usize;
    if line.tokens() * 2 > budget {
        let reason = format!(
            "its line takes {} of the {budget} tokens that its category has in the block: give it a summary",
            line.tokens()
        );
        found.add(ConcernKind::Oversized, &[row.body.number], reason);
    }
}

fn pressure(
    examined: &Examined<'_>,
    policy: &Policy,
    now: Timestamp,
    tokens: &dyn TokenCounter,
) -> BlockPressure {
    let shown: BTreeSet<RowId> = examined.block.rows.iter().copied().gather();
    let lines = examined.lines.iter().copied();
    let mut left_out = inject::eligible(lines, policy, examined.withdrawn, now);
    if policy.block.budget == 0 {
        left_out.clear();
    }
    left_out.retain(|row| !shown.contains(&row.id));
    let mut by_category: BTreeMap<String, u64> = BTreeMap::new();
    for row in &left_out {
        *by_category
            .entry(row.body.claim.category.clone())
            .or_default() += 1;
    }
    BlockPressure {
        budget: u64::from(policy.block.budget),
        tokens: tokens.count(&examined.block.text) as u64,
        shown: shown.len() as u64,
        left_out: left_out.len() as u64,
        left_out_by_category: by_category,
        left_out_facts: left_out
            .iter()
            .take(MOST_LISTED)
            .map(|row| row.body.number)
            .collect(),
    }
}

impl fmt::Display for Health {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "# Health of the memory\n")?;
        writeln!(formatter, "{} facts were looked at.", self.facts)?;
        if self.concerns.is_empty() {
            writeln!(formatter, "Nothing wants a look.")?;
        }
        let mut kind = None;
        for concern in &self.concerns {
            if kind.replace(concern.kind) != Some(concern.kind) {
                let count = self.counts.get(&concern.kind).copied().unwrap_or(0);
                writeln!(formatter, "\n## {} ({count})\n", concern.kind.word())?;
            }
            let facts: Vec<String> = concern.facts.iter().map(Number::to_string).collect();
            writeln!(formatter, "- {}: {}", facts.join(", "), concern.reason)?;
        }
        let block = &self.block;
        writeln!(
            formatter,
            "\n## block\n\n- {} of {} tokens, {} shown, {} left out",
            block.tokens, block.budget, block.shown, block.left_out
        )?;
        for (category, count) in &block.left_out_by_category {
            writeln!(formatter, "- {category}: {count} left out")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
