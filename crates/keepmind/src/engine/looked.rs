//! What consolidations have looked at, and whether another one is due: read from the journal.

use std::time::Duration;

use crate::engine::{Engine, Standing};
use crate::error::Result;
use crate::journal::JournalEntry;
use crate::owner::Owner;
use crate::plan::{self, LookedAt};
use crate::row::MemoryRow;
use crate::store::{Filter, MAX_LIMIT, ObservationQuery, Selection};
use crate::timestamp::Timestamp;

/// How many entries are read at first when looking back from the end: a day's. Twice as many each time.
const AT_FIRST: u64 = 32;
const AT_ONCE: u64 = 1_024;
/// How much early a consolidation may be: a sweep at the same hour of every day must not find each second one
/// not due yet.
const EARLY: Duration = Duration::from_secs(6 * 3_600);

impl Engine {
    /// Whether the policy has a consolidation made by now: long enough after the last one, and of something
    /// that it has not seen.
    pub(crate) async fn is_consolidation_due(&self, owner: &Owner) -> Result<bool> {
        let standing = self.standing(owner).await?;
        let last = self.looked_at(owner, &standing).await?;
        self.is_due_after(owner, last.as_ref(), &standing).await
    }

    /// The same, where it is known how far the last one has looked.
    pub(super) async fn is_due_after(
        &self,
        owner: &Owner,
        last: Option<&LookedAt>,
        standing: &Standing,
    ) -> Result<bool> {
        let is_cut = last.is_some_and(|last| last.through.is_some());
        if !is_cut && !self.is_long_ago(last, standing.now) {
            return Ok(false);
        }
        let held = self.held(owner, standing).await?;
        Ok(self.has_news(owner, last, &held, standing).await?
            || last.is_some() && self.is_compiling_due(owner).await?)
    }

    /// Whether a consolidation is to be written down even where nothing comes of it.
    pub(super) async fn is_worth_noting(
        &self,
        owner: &Owner,
        last: Option<&LookedAt>,
        held: &[MemoryRow],
        standing: &Standing,
    ) -> Result<bool> {
        // Digests that could not be compiled are tried again as often as the policy says, and no more.
        Ok(self.has_news(owner, last, held, standing).await?
            || last.is_some()
                && self.is_long_ago(last, standing.now)
                && self.is_compiling_due(owner).await?)
    }

    fn is_long_ago(&self, last: Option<&LookedAt>, now: Timestamp) -> bool {
        let days = u64::from(self.policy.consolidation.every_days);
        let passed = Duration::from_secs(days * 86_400).saturating_sub(EARLY);
        last.is_none_or(|last| last.at.saturating_add(passed) <= now)
    }

    /// Where the last consolidation stopped looking; nothing where there was none.
    pub(super) async fn looked_at(
        &self,
        owner: &Owner,
        standing: &Standing,
    ) -> Result<Option<LookedAt>> {
        let mut before = standing.revision.count + 1;
        let mut many = AT_FIRST;
        while before > 1 {
            let from = before.saturating_sub(many).max(1);
            many = (2 * many).min(AT_ONCE);
            #[expect(clippy::cast_possible_truncation, reason = "at most a thousand")]
            let wanted = (before - from) as usize;
            let entries = self.store.journal(owner, from, wanted).await?;
            let last = entries.iter().rev().find_map(LookedAt::read);
            if last.is_some() {
                return Ok(last);
            }
            before = from;
        }
        Ok(None)
    }

    /// The candidates that may be looked at.
    pub(super) async fn held(&self, owner: &Owner, standing: &Standing) -> Result<Vec<MemoryRow>> {
        let mut held = Filter::new(Selection::Held);
        held.excluded_domains.clone_from(&standing.withdrawn);
        self.rows(owner, held).await
    }

    /// Whether there is anything that the last consolidation has not seen, or left to time.
    async fn has_news(
        &self,
        owner: &Owner,
        last: Option<&LookedAt>,
        held: &[MemoryRow],
        standing: &Standing,
    ) -> Result<bool> {
        let is_let_go = |row: &MemoryRow| plan::is_let_go(row, &self.policy, standing.now);
        if last.is_some_and(|last| last.through.is_some()) || held.iter().any(is_let_go) {
            return Ok(true);
        }
        let mut since = last.map_or(1, |last| last.revision + 1);
        while since <= standing.revision.count {
            let entries = self.store.journal(owner, since, MAX_LIMIT).await?;
            let is_news =
                |entry: &JournalEntry| !plan::is_compiling(entry) && !plan::is_review(entry);
            if entries.iter().any(is_news) {
                return Ok(true);
            }
            let Some(end) = entries.last() else { break };
            since = end.revision + 1;
        }
        if !self.policy.consolidation.observations {
            return Ok(false);
        }
        let query = ObservationQuery {
            from: last.and_then(|last| last.at.next()),
            ..ObservationQuery::all(1)
        };
        let seen = self.store.observations(owner, &query).await?;
        Ok(!seen.items.is_empty())
    }
}
