//! Looking back: what a review and a fact's timeline are made from is read here, and judged in `govern`. The
//! journal says when something happened; its stamps rise with its revisions.

use std::collections::{BTreeMap, BTreeSet};

use crate::change::Slice;
use crate::command::TimelineOf;
use crate::engine::Engine;
use crate::engine::findings::Among;
use crate::error::Error;
use crate::govern::{self, Review, ReviewDates, Reviewed, Timeline};
use crate::ids::{Number, Origin};
use crate::journal::JournalEntry;
use crate::order::Gather;
use crate::owner::Owner;
use crate::plan::{self, Objection};
use crate::policy::Domain;
use crate::row::MemoryRow;
use crate::store::{Filter, ListQuery, MAX_LIMIT, Selection};
use crate::timestamp::Timestamp;

/// How many entries are read at once when looking back from the end.
const AT_ONCE: u64 = 1_000;
/// How many facts are told to a model with what they were before.
const MOST_PASTS: usize = 10;

impl Engine {
    pub(crate) async fn timeline(
        &self,
        owner: &Owner,
        asked: &TimelineOf,
    ) -> Result<Timeline, Objection> {
        let number = self.resolve(owner, &asked.target, Among::Kept).await?;
        let standing = self.standing(owner).await?;
        let seen = self.load(owner, &Slice::number(number)).await?;
        let rows: Vec<&MemoryRow> = seen.versions(number).collect();
        let Some(first) = rows.iter().map(|row| row.recorded_at).min() else {
            return Err(plan::fate(number, None, standing.now, |_| None).into());
        };
        let origins: BTreeSet<Origin> = rows.iter().map(|row| row.origin).gather();
        let last = seen.state().revision.count;
        let mut since = self.first_since(owner, first, last).await?;
        let mut journal = Vec::new();
        while since <= last {
            let entries = self.store.journal(owner, since, MAX_LIMIT).await?;
            let Some(end) = entries.last() else { break };
            since = end.revision + 1;
            journal.extend(entries.into_iter().filter(|entry| touches(entry, &origins)));
        }
        let now = standing.now;
        let withdrawn = &standing.withdrawn;
        Ok(govern::timeline(number, &rows, &journal, withdrawn, now))
    }

    /// The first revision that was committed at a moment or later.
    async fn first_since(&self, owner: &Owner, moment: Timestamp, last: u64) -> Result<u64, Error> {
        let (mut low, mut high) = (1, last.saturating_add(1));
        while low < high {
            let middle = low + (high - low) / 2;
            let entries = self.store.journal(owner, middle, 1).await?;
            match entries.first() {
                Some(entry) if entry.stamp < moment => low = entry.revision + 1,
                _ => high = middle,
            }
        }
        Ok(low)
    }

    pub(crate) async fn review(&self, owner: &Owner) -> Result<Review, Objection> {
        let health = self.health(owner).await?;
        let (standing, rows) = self.at_one_moment(owner).await?;
        let held = self.rows(owner, Filter::new(Selection::Held)).await?;
        let pending = self.pending(owner).await?;
        let consents = self.consents(owner).await?;
        let needs = self
            .policy
            .domains
            .iter()
            .filter(|domain| domain.needs_consent());
        let is_granted = |domain: &&Domain| {
            let mut words = consents.iter();
            words.any(|word| word.granted && word.domain == domain.name)
        };
        let without_consent = needs.filter(|domain| !is_granted(domain));
        let without_consent = without_consent.map(|domain| domain.name.clone()).gather();
        let material = Reviewed {
            rows: rows.iter().collect(),
            held: &held,
            pending: &pending,
            concerns: &health.concerns,
            withdrawn: &standing.withdrawn,
            without_consent: &without_consent,
            dates: self.review_dates(owner, None).await?,
        };
        Ok(govern::review(&material, &self.policy, standing.now))
    }

    /// Whether the policy has the user look through what is known by now.
    pub(crate) async fn is_review_due(&self, owner: &Owner) -> Result<bool, Error> {
        let Some(days) = self.policy.consolidation.review_days else {
            return Ok(false);
        };
        let now = self.standing(owner).await?.now;
        let span = std::time::Duration::from_secs(u64::from(days) * 86_400);
        // A review before that makes the next one due all the same: nobody has to look for it.
        let since = now.saturating_sub(span);
        let first = self.store.journal(owner, 1, 1).await?;
        if first.first().is_none_or(|entry| entry.stamp > since) {
            return Ok(false);
        }
        let anything = ListQuery {
            filter: Filter::live(now),
            limit: 1,
            after: None,
        };
        if self.store.list(owner, &anything).await?.items.is_empty() {
            return Ok(false);
        }
        let dates = self.review_dates(owner, Some(since)).await?;
        Ok(dates.due_at(&self.policy).is_some_and(|due| due <= now))
    }

    /// When the user last looked through what is known, and when anything was first kept; from the end of the
    /// journal back to a moment, where there is one.
    async fn review_dates(
        &self,
        owner: &Owner,
        since: Option<Timestamp>,
    ) -> Result<ReviewDates, Error> {
        let first = self.store.journal(owner, 1, 1).await?;
        let mut dates = ReviewDates {
            last: None,
            first_kept: first.first().map(|entry| entry.stamp),
        };
        let mut before = self
            .load(owner, &Slice::default())
            .await?
            .state()
            .revision
            .count
            + 1;
        while before > 1 && dates.last.is_none() {
            let from = before.saturating_sub(AT_ONCE).max(1);
            #[expect(clippy::cast_possible_truncation, reason = "at most a thousand")]
            let wanted = (before - from) as usize;
            let entries = self.store.journal(owner, from, wanted).await?;
            let mut reviews = entries.iter().rev().filter(|entry| plan::is_review(entry));
            dates.last = reviews.next().map(|entry| entry.stamp);
            let is_early = |entry: &JournalEntry| since.is_some_and(|since| entry.stamp < since);
            if entries.first().is_none_or(is_early) {
                break;
            }
            before = from;
        }
        Ok(dates)
    }

    /// What live facts were before, in a line each: for a model that is asked about the past.
    pub(crate) async fn pasts(
        &self,
        owner: &Owner,
        rows: &[&MemoryRow],
    ) -> Result<BTreeMap<Number, String>, Error> {
        let changed = rows.iter().filter(|row| row.body.version.get() > 1);
        let slice = Slice {
            numbers: changed.take(MOST_PASTS).map(|row| row.body.number).gather(),
            ..Slice::default()
        };
        if slice.numbers.is_empty() {
            return Ok(BTreeMap::new());
        }
        let standing = self.standing(owner).await?;
        let seen = self.load(owner, &slice).await?;
        let told = slice.numbers.iter().filter_map(|number| {
            let versions: Vec<&MemoryRow> = seen.versions(*number).collect();
            let line = govern::before(&versions, &standing.withdrawn, standing.now)?;
            Some((*number, line))
        });
        Ok(told.gather())
    }
}

fn touches(entry: &JournalEntry, origins: &BTreeSet<Origin>) -> bool {
    let mut effects = entry.effects.iter();
    effects.any(|effect| origins.contains(&effect.origin))
}
