//! What was used in a chat, gathered from the ledger: by memory, by kind.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;

use crate::ids::{Number, RowId, SessionId, Version};
use crate::inject;
use crate::order;
use crate::policy::BlockStyle;
use crate::row::{MemoryRow, Why};
use crate::store::Cursor;
use crate::timestamp::Timestamp;
use crate::usage::{Usage, UsageKind};
use crate::visibility::{Visibility, visibility};

/// How many different influences of one kind are told of a memory.
const MOST_INFLUENCES: usize = 20;

/// What was used in a chat, and how. Its `Display` is for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SessionUsage {
    /// Which chat.
    pub session: SessionId,
    /// What was used there, in order of number and version.
    pub memories: Vec<MemoryUsage>,
}

/// How one row was used in a chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct MemoryUsage {
    /// Its fact.
    pub number: Number,
    /// Which version of it.
    pub version: Version,
    /// The row.
    pub row: RowId,
    /// What it is to a reader now.
    pub visibility: Visibility,
    /// What it says, as a block would. Nothing of what was thrown away, or may not be shown any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
    /// How it was used, in the order of the kinds.
    pub uses: Vec<KindUsage>,
}

/// How often a row was used in one way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct KindUsage {
    /// In which way.
    pub kind: UsageKind,
    /// How many entries the ledger has of it.
    pub times: u64,
    /// The first.
    pub first: Timestamp,
    /// The last.
    pub last: Timestamp,
    /// What it changed: what was said of it, each once, oldest first, at most 20.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub influences: Vec<String>,
}

/// A page of the usage ledger, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct UsagePage {
    /// The entries.
    pub uses: Vec<Usage>,
    /// Where it ended, when there may be more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<Cursor>,
}

/// Gathers the ledger's entries of a chat. Entries of rows that are not given are left out.
pub(crate) fn session_usage<'a>(
    session: SessionId,
    uses: &[Usage],
    rows: impl IntoIterator<Item = &'a MemoryRow>,
    withdrawn: &BTreeSet<String>,
    now: Timestamp,
) -> SessionUsage {
    let mut by_row: BTreeMap<RowId, BTreeMap<UsageKind, KindUsage>> = BTreeMap::new();
    for entry in uses {
        let kinds = by_row.entry(entry.memory).or_default();
        let usage = kinds.entry(entry.kind).or_insert_with(|| KindUsage {
            kind: entry.kind,
            times: 0,
            first: entry.at,
            last: entry.at,
            influences: Vec::new(),
        });
        usage.times += 1;
        usage.first = usage.first.min(entry.at);
        usage.last = usage.last.max(entry.at);
        if let Some(influence) = &entry.influence
            && usage.influences.len() < MOST_INFLUENCES
            && !usage.influences.contains(influence)
        {
            usage.influences.push(influence.clone());
        }
    }
    let mut memories: Vec<MemoryUsage> = rows
        .into_iter()
        .filter_map(|row| {
            let kinds = by_row.remove(&row.id)?;
            let is_thrown_away = row.end.is_some_and(|end| end.why == Why::Trashed);
            let domain = row.body.claim.domain.as_ref();
            let is_withdrawn = domain.is_some_and(|domain| withdrawn.contains(domain));
            let is_hidden = is_thrown_away || is_withdrawn;
            let mut kinds: Vec<KindUsage> = kinds.into_values().collect();
            if is_hidden {
                // What it changed may say what it said.
                kinds.iter_mut().for_each(|kind| kind.influences.clear());
            }
            let line = (!is_hidden).then(|| inject::line(row, BlockStyle::Advisor));
            Some(MemoryUsage {
                number: row.body.number,
                version: row.body.version,
                row: row.id,
                visibility: visibility(row, now),
                line: line
                    .flatten()
                    .map(|line| line.trim_start_matches("- ").to_owned()),
                uses: kinds,
            })
        })
        .collect();
    order::sort_by_key(&mut memories, |memory| {
        (memory.number, memory.version, memory.row)
    });
    SessionUsage { session, memories }
}

impl fmt::Display for SessionUsage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.memories.is_empty() {
            return formatter.write_str("No memory was used in this chat.\n");
        }
        for memory in &self.memories {
            let line = memory.line.as_deref().unwrap_or("(not shown any more)");
            writeln!(formatter, "{} {line}", memory.number)?;
            for usage in &memory.uses {
                write!(formatter, "  {}", usage.kind.word())?;
                if usage.times > 1 {
                    write!(formatter, " {} times", usage.times)?;
                }
                writeln!(formatter, ", last {}", usage.last)?;
                for influence in &usage.influences {
                    writeln!(formatter, "    {influence}")?;
                }
            }
        }
        Ok(())
    }
}
