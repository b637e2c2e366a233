//! How well a memory does: rates of one owner from what is kept, and counts of one process. Nothing leaves it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;

use crate::govern::latency::Latency;
use crate::govern::stats::{ProposalCounts, Settled};
use crate::ids::{RowId, SessionId};
use crate::order::Gather;
use crate::proposal::Proposal;
use crate::refusal::Code;
use crate::report::{Fate, Report};
use crate::row::Row;
use crate::timestamp::Timestamp;
use crate::usage::{Usage, UsageKind};

/// What one process has done since it began, for all its users: counts and times, no names and no words. Its
/// `Display` is a report for people, in Markdown.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Metrics {
    /// What became of everything that was found in chats.
    pub extraction: ExtractionCounts,
    /// How often chats recalled.
    pub recalls: u64,
    /// How often that took no search.
    pub cached_recalls: u64,
    /// What prompts took.
    pub tokens: TokenUse,
    /// Uses of memories that wait to be written.
    pub uses_waiting: u64,
    /// Uses that were lost because too many waited.
    pub uses_lost: u64,
    /// How long each operation takes, by name.
    pub operations: BTreeMap<&'static str, Latency>,
}

/// What became of candidates for memory.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ExtractionCounts {
    /// By what became of them.
    pub by_fate: BTreeMap<Fate, u64>,
    /// By what spoke against them.
    pub by_code: BTreeMap<Code, u64>,
}

/// What blocks and contexts took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TokenUse {
    /// How many chats began with a block, or resumed with one.
    pub blocks: u64,
    /// What these took, in tokens.
    pub block_tokens: u64,
    /// How many contexts were made.
    pub contexts: u64,
    /// What these took, in tokens, without the standing text.
    pub context_tokens: u64,
}

/// How well the memory of one user does, from what is kept. Its `Display` is a report for people, in Markdown.
///
/// A rate is a share from 0 to 1, and nothing where there is nothing to take a share of.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct UserMetrics {
    /// Proposals, by what became of them.
    pub proposals: ProposalCounts,
    /// Of the accepted ones, how many the user put into other words.
    pub edited: u64,
    /// The share of proposals that were accepted, of all that are settled.
    pub acceptance_rate: Option<f64>,
    /// The share of accepted proposals that the user put into other words.
    pub correction_rate: Option<f64>,
    /// Entries of the usage ledger by kind, as far back as it is kept.
    pub uses: BTreeMap<UsageKind, u64>,
    /// Memories that shaped an answer or an action: applied or cited, each once a chat.
    pub used: u64,
    /// Those of them that the answer cited.
    pub cited: u64,
    /// The share of memories that shaped something and were cited: `cited` of `used`.
    pub citation_rate: Option<f64>,
    /// The share of memories that were told in a chat, each once a chat, and shaped something there.
    pub used_rate: Option<f64>,
    /// The share of memories that were told in a chat, each once a chat, and that the user decided otherwise
    /// about.
    pub override_rate: Option<f64>,
}

impl ExtractionCounts {
    /// Counts what became of everything that was found in a chat.
    pub(crate) fn add(&mut self, report: &Report) {
        for lesson in &report.lessons {
            *self.by_fate.entry(lesson.fate).or_default() += 1;
            for code in &lesson.codes {
                *self.by_code.entry(*code).or_default() += 1;
            }
        }
    }
}

impl UserMetrics {
    /// Counts a proposal, of which this is the last copy; `is_edited` tells whether what was accepted is kept
    /// in other words.
    pub(crate) fn count_proposal(
        &mut self,
        row: &Row<Proposal>,
        kept: &BTreeMap<Timestamp, Vec<String>>,
        now: Timestamp,
    ) {
        let settled = Settled::of(row, now);
        self.proposals.add(settled);
        self.edited += u64::from(settled == Settled::Accepted && is_edited(row, kept));
    }

    /// Counts the ledger, and takes the shares.
    pub(crate) fn finish(mut self, uses: &[Usage]) -> Self {
        let mut pairs: BTreeMap<UsageKind, BTreeSet<(SessionId, RowId)>> = BTreeMap::new();
        for usage in uses {
            *self.uses.entry(usage.kind).or_default() += 1;
            // Outside of a chat nobody knows what belongs together.
            if let Some(session) = usage.session {
                let of_kind = pairs.entry(usage.kind).or_default();
                of_kind.insert((session, usage.memory));
            }
        }
        let none = BTreeSet::new();
        let of = |kind| pairs.get(&kind).unwrap_or(&none);
        let cited = of(UsageKind::Cited);
        let used: BTreeSet<_> = of(UsageKind::Applied).union(cited).copied().gather();
        let told: BTreeSet<_> = of(UsageKind::Retrieved).union(&used).copied().gather();
        let overridden = of(UsageKind::Overridden).intersection(&told).count();
        self.used = used.len() as u64;
        self.cited = cited.len() as u64;
        self.citation_rate = rate(self.cited, self.used);
        self.used_rate = rate(self.used, told.len() as u64);
        self.override_rate = rate(overridden as u64, told.len() as u64);
        let ProposalCounts {
            accepted,
            rejected,
            lapsed,
            ..
        } = self.proposals;
        self.acceptance_rate = rate(accepted, accepted + rejected + lapsed);
        self.correction_rate = rate(self.edited, accepted);
        self
    }
}

impl Metrics {
    /// The share of recalls that took no search, where there were any.
    #[must_use]
    pub fn cache_hit_rate(&self) -> Option<f64> {
        rate(self.cached_recalls, self.recalls)
    }
}

fn rate(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

fn percent(rate: Option<f64>) -> String {
    rate.map_or("none".to_owned(), |rate| format!("{:.0} %", rate * 100.0))
}

impl fmt::Display for Metrics {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "# What this process did\n")?;
        for (fate, count) in &self.extraction.by_fate {
            writeln!(formatter, "- candidates {}: {count}", fate.word())?;
        }
        for (code, count) in &self.extraction.by_code {
            writeln!(formatter, "- objections {code}: {count}")?;
        }
        let cached = percent(self.cache_hit_rate());
        writeln!(
            formatter,
            "- recalls of chats: {}, without a search: {cached}",
            self.recalls
        )?;
        let TokenUse {
            blocks,
            block_tokens,
            contexts,
            context_tokens,
        } = self.tokens;
        writeln!(
            formatter,
            "- blocks: {blocks} of {block_tokens} tokens in all"
        )?;
        writeln!(
            formatter,
            "- contexts: {contexts} of {context_tokens} tokens in all"
        )?;
        for (name, latency) in &self.operations {
            writeln!(
                formatter,
                "- {name}: {} times, half within {} µs, 99 of 100 within {} µs",
                latency.count, latency.p50, latency.p99
            )?;
        }
        Ok(())
    }
}

impl fmt::Display for UserMetrics {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "# How well it does\n")?;
        let accepted = percent(self.acceptance_rate);
        let edited = percent(self.correction_rate);
        writeln!(
            formatter,
            "- proposals accepted: {accepted}, of these in other words: {edited}"
        )?;
        for (kind, count) in &self.uses {
            writeln!(formatter, "- {}: {count}", kind.word())?;
        }
        writeln!(
            formatter,
            "- cited, of what shaped an answer: {}",
            percent(self.citation_rate)
        )?;
        writeln!(
            formatter,
            "- of what was told, used: {}, overridden: {}",
            percent(self.used_rate),
            percent(self.override_rate)
        )
    }
}

/// Whether something else was recorded when a proposal ended than what it proposed. Where nothing was, it was
/// there already, or is gone by now.
fn is_edited(row: &Row<Proposal>, kept: &BTreeMap<Timestamp, Vec<String>>) -> bool {
    let (Some((claim, _)), Some(end)) = (row.body.claim(), row.end) else {
        return false;
    };
    let recorded = kept.get(&end.at);
    recorded.is_some_and(|contents| !contents.contains(&claim.content))
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::ids::UsageId;

    #[test]
    fn rates_count_each_memory_once_a_chat() {
        let chat = |id| Some(SessionId::new(Uuid::from_u128(id)));
        let table = [
            (chat(1), 1, UsageKind::Retrieved),
            (chat(1), 1, UsageKind::Retrieved),
            (chat(1), 1, UsageKind::Cited),
            (chat(1), 2, UsageKind::Retrieved),
            (chat(1), 2, UsageKind::Applied),
            (chat(2), 1, UsageKind::Retrieved),
            (chat(2), 1, UsageKind::Overridden),
            (chat(2), 3, UsageKind::Retrieved),
            (chat(3), 9, UsageKind::Overridden),
            (None, 1, UsageKind::Applied),
        ];
        let uses: Vec<Usage> = (1..)
            .zip(table)
            .map(|(id, (session, memory, kind))| Usage {
                id: UsageId::new(Uuid::from_u128(id)),
                at: Timestamp::UNIX_EPOCH,
                session,
                memory: RowId::new(Uuid::from_u128(memory)),
                kind,
                influence: None,
            })
            .collect();
        let metrics = UserMetrics::default().finish(&uses);
        assert_eq!(metrics.uses[&UsageKind::Retrieved], 5);
        assert_eq!((metrics.used, metrics.cited), (2, 1));
        assert_eq!(metrics.citation_rate, Some(0.5));
        assert_eq!(metrics.used_rate, Some(0.5), "2 of 4");
        assert_eq!(metrics.override_rate, Some(0.25));
        assert_eq!(UserMetrics::default().finish(&[]).citation_rate, None);
    }
}
