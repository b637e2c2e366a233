//! How much there is of what: counts of an owner's rows, proposals and chats.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::memory::{Authority, Evidence, Layer, Source};
use crate::order::Gather;
use crate::proposal::Proposal;
use crate::row::{MemoryRow, Row, Why};
use crate::session::{Session, SessionStatus};
use crate::timestamp::Timestamp;
use crate::visibility::{Visibility, visibility};

/// How much is kept of an owner. Its `Display` is a report for people, in Markdown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Stats {
    /// Facts, each counted once.
    pub facts: u64,
    /// Rows: all versions of all facts.
    pub rows: u64,
    /// Facts by what their last version is: `live`, `held`, `expired`, or why it ended.
    pub by_status: BTreeMap<&'static str, u64>,
    /// Live facts by category.
    pub by_category: BTreeMap<String, u64>,
    /// Live facts that belong to a domain, by domain.
    pub by_domain: BTreeMap<String, u64>,
    /// Live facts by where they come from.
    pub by_source: BTreeMap<Source, u64>,
    /// Live facts by authority.
    pub by_authority: BTreeMap<Authority, u64>,
    /// Live facts by layer.
    pub by_layer: BTreeMap<Layer, u64>,
    /// Proposals, by what became of them.
    pub proposals: ProposalCounts,
    /// Chats, by where they are in their lives.
    pub sessions: SessionCounts,
    /// What the rows' words take, in bytes.
    pub sizes: Sizes,
}

/// How many proposals there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ProposalCounts {
    /// They wait for the user's word.
    pub pending: u64,
    /// The user said yes.
    pub accepted: u64,
    /// The user said no.
    pub rejected: u64,
    /// Nobody answered in time.
    pub lapsed: u64,
}

/// How many chats there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SessionCounts {
    /// Being talked in.
    pub active: u64,
    /// Closed, recent.
    pub idle: u64,
    /// Closed long ago.
    pub archived: u64,
    /// In the trash, whatever they were before.
    pub trashed: u64,
}

/// How many bytes words take.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Sizes {
    /// Contents and summaries.
    pub content: u64,
    /// Details.
    pub detail: u64,
    /// Structured values, as JSON.
    pub value: u64,
    /// Quotes.
    pub evidence: u64,
}

/// What became of a proposal, as the last copy of it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Settled {
    Pending,
    Accepted,
    Rejected,
    Lapsed,
    /// It was taken back: nobody has made it.
    Never,
}

impl Settled {
    pub(crate) fn of(row: &Row<Proposal>, now: Timestamp) -> Self {
        match row.end.map(|end| end.why) {
            None if row.is_pending(now) => Settled::Pending,
            None | Some(Why::Expired { .. }) => Settled::Lapsed,
            Some(Why::Done { .. }) => Settled::Accepted,
            Some(Why::Rejected) => Settled::Rejected,
            Some(_) => Settled::Never,
        }
    }
}

impl Stats {
    /// Counts the rows of one fact, in order of version.
    pub(crate) fn count_fact(&mut self, versions: &[MemoryRow], now: Timestamp) {
        let Some(last) = versions.last() else { return };
        self.facts += 1;
        self.rows += versions.len() as u64;
        for row in versions {
            self.sizes.add(row);
        }
        let open = versions.iter().find(|row| row.is_open()).unwrap_or(last);
        let status = match (visibility(open, now), open.end) {
            (Visibility::Live, _) => "live",
            (Visibility::Held, _) => "held",
            (Visibility::Expired, _) => "expired",
            (_, Some(end)) => end.why.word(),
            (_, None) => "ended",
        };
        *self.by_status.entry(status).or_default() += 1;
        if status != "live" {
            return;
        }
        let claim = &open.body.claim;
        *self.by_category.entry(claim.category.clone()).or_default() += 1;
        if let Some(domain) = &claim.domain {
            *self.by_domain.entry(domain.clone()).or_default() += 1;
        }
        *self.by_source.entry(claim.source).or_default() += 1;
        *self.by_authority.entry(claim.authority).or_default() += 1;
        *self.by_layer.entry(claim.layer).or_default() += 1;
    }

    /// Counts a chat.
    pub(crate) fn count_session(&mut self, session: &Session) {
        let count = match (session.deleted_at, session.status) {
            (Some(_), _) => &mut self.sessions.trashed,
            (None, SessionStatus::Active) => &mut self.sessions.active,
            (None, SessionStatus::Idle) => &mut self.sessions.idle,
            (None, SessionStatus::Archived) => &mut self.sessions.archived,
        };
        *count += 1;
    }
}

impl ProposalCounts {
    pub(crate) fn add(&mut self, settled: Settled) {
        let count = match settled {
            Settled::Pending => &mut self.pending,
            Settled::Accepted => &mut self.accepted,
            Settled::Rejected => &mut self.rejected,
            Settled::Lapsed => &mut self.lapsed,
            Settled::Never => return,
        };
        *count += 1;
    }
}

impl Sizes {
    fn add(&mut self, row: &MemoryRow) {
        let claim = &row.body.claim;
        let length = |text: &Option<String>| text.as_ref().map_or(0, String::len) as u64;
        self.content += claim.content.len() as u64 + length(&claim.summary);
        self.detail += length(&claim.body);
        let value = claim.value.as_ref();
        self.value += value.map_or(0, |value| value.to_string().len()) as u64;
        let quotes = claim.evidence.iter().map(|piece| match piece {
            Evidence::Quote { quote, .. } => quote.len() as u64,
            Evidence::Observation { .. } => 0,
        });
        self.evidence += quotes.sum::<u64>();
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "# What is kept\n")?;
        writeln!(formatter, "- facts: {} in {} rows", self.facts, self.rows)?;
        counted(formatter, "status", &self.by_status)?;
        counted(formatter, "category", &self.by_category)?;
        counted(formatter, "domain", &self.by_domain)?;
        let named = |source: &Source| format!("{source:?}").to_lowercase();
        let by_source: BTreeMap<String, u64> = self
            .by_source
            .iter()
            .map(|(source, count)| (named(source), *count))
            .gather();
        counted(formatter, "source", &by_source)?;
        let of = |authority| self.by_authority.get(&authority).copied().unwrap_or(0);
        writeln!(
            formatter,
            "- rules {}, notes {}",
            of(Authority::Rule),
            of(Authority::Note)
        )?;
        let ProposalCounts {
            pending,
            accepted,
            rejected,
            lapsed,
        } = self.proposals;
        writeln!(
            formatter,
            "- proposals: pending {pending}, accepted {accepted}, rejected {rejected}, lapsed {lapsed}"
        )?;
        let SessionCounts {
            active,
            idle,
            archived,
            trashed,
        } = self.sessions;
        writeln!(
            formatter,
            "- chats: active {active}, idle {idle}, archived {archived}, in the trash {trashed}"
        )?;
        let Sizes {
            content,
            detail,
            value,
            evidence,
        } = self.sizes;
        writeln!(
            formatter,
            "- bytes: contents {content}, details {detail}, values {value}, quotes {evidence}"
        )
    }
}

fn counted<K: fmt::Display>(
    formatter: &mut fmt::Formatter<'_>,
    by: &str,
    counts: &BTreeMap<K, u64>,
) -> fmt::Result {
    if counts.is_empty() {
        return Ok(());
    }
    let parts: Vec<String> = counts
        .iter()
        .map(|(name, count)| format!("{name} {count}"))
        .collect();
    writeln!(formatter, "- by {by}: {}", parts.join(", "))
}
