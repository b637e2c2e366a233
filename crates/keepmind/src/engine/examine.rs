//! Looking after an owner's memory: what counts, rates and health are made from is read here, and judged in
//! `govern`. Page by page, off everybody's path.

use std::collections::{BTreeMap, BTreeSet};

use crate::change::Slice;
use crate::engine::Engine;
use crate::error::Error;
use crate::govern::{self, Examined, Health, Settled, Stats, UserMetrics};
use crate::ids::{Number, Origin, SessionId};
use crate::inject;
use crate::link::Link;
use crate::memory::Evidence;
use crate::order::Gather;
use crate::owner::Owner;
use crate::proposal::Proposal;
use crate::row::{MemoryRow, Row};
use crate::store::{Filter, ListQuery, MAX_LIMIT, Selection, UsageQuery};
use crate::timestamp::Timestamp;

/// How many facts or chats are loaded at once.
const AT_ONCE: usize = 500;

impl Engine {
    pub(crate) async fn stats(&self, owner: &Owner) -> Result<Stats, Error> {
        let now = self.standing(owner).await?.now;
        let mut stats = Stats::default();
        let mut fact: Vec<MemoryRow> = Vec::new();
        let mut query = ListQuery {
            filter: Filter::new(Selection::All),
            limit: MAX_LIMIT,
            after: None,
        };
        loop {
            let page = self.store.list(owner, &query).await?;
            for row in page.items {
                let is_next = |last: &MemoryRow| last.body.number != row.body.number;
                if fact.last().is_some_and(is_next) {
                    stats.count_fact(&fact, now);
                    fact.clear();
                }
                fact.push(row);
            }
            query.after = page.next;
            if query.after.is_none() {
                break;
            }
        }
        stats.count_fact(&fact, now);
        for proposal in self.last_proposals(owner).await? {
            stats.proposals.add(Settled::of(&proposal, now));
        }
        for session in self.all_sessions(owner).await? {
            stats.count_session(&session);
        }
        Ok(stats)
    }

    pub(crate) async fn user_metrics(&self, owner: &Owner) -> Result<UserMetrics, Error> {
        let now = self.standing(owner).await?.now;
        let proposals = self.last_proposals(owner).await?;
        let is_accepted = |row: &&Row<Proposal>| Settled::of(row, now) == Settled::Accepted;
        let accepted = proposals.iter().filter(is_accepted);
        let since = accepted.filter_map(|row| Some(row.end?.at)).min();
        let kept = match since {
            Some(since) => self.contents_since(owner, since).await?,
            None => BTreeMap::new(),
        };
        let mut metrics = UserMetrics::default();
        for row in &proposals {
            metrics.count_proposal(row, &kept, now);
        }
        let uses = self.all_uses(owner, UsageQuery::all(MAX_LIMIT)).await?;
        Ok(metrics.finish(&uses))
    }

    pub(crate) async fn health(&self, owner: &Owner) -> Result<Health, Error> {
        let (standing, rows) = self.at_one_moment(owner).await?;
        let tokens = self.tokens.as_ref();
        let numbers: Vec<Number> = rows.iter().map(|row| row.body.number).collect();
        let links = self.open_links(owner, &numbers).await?;
        let cited: BTreeSet<SessionId> = rows.iter().flat_map(chats_of).gather();
        let sessions = self.sessions_among(owner, cited).await?;
        let lines: Vec<_> = rows.lines(&self.policy, tokens).collect();
        let block = inject::block_of(
            lines.iter().copied(),
            &self.policy,
            &standing.withdrawn,
            standing.now,
            tokens,
        );
        let examined = Examined {
            rows: rows.iter().collect(),
            lines,
            links: &links,
            sessions: &sessions,
            block: &block,
            withdrawn: &standing.withdrawn,
        };
        Ok(govern::health(
            &examined,
            &self.policy,
            standing.now,
            tokens,
        ))
    }

    /// All proposals, each as its last copy says.
    async fn last_proposals(&self, owner: &Owner) -> Result<Vec<Row<Proposal>>, Error> {
        let slice = Slice {
            all_proposals: true,
            ..Slice::default()
        };
        let seen = self.load(owner, &slice).await?;
        let mut last: BTreeMap<Origin, &Row<Proposal>> = BTreeMap::new();
        for row in seen.proposals() {
            let known = last.entry(row.origin).or_insert(row);
            if (row.recorded_at, row.id) > (known.recorded_at, known.id) {
                *known = row;
            }
        }
        Ok(last.into_values().cloned().collect())
    }

    /// What was recorded since a moment, by when: a commit has one stamp, so what an accepted proposal became
    /// was recorded when it ended.
    async fn contents_since(
        &self,
        owner: &Owner,
        since: Timestamp,
    ) -> Result<BTreeMap<Timestamp, Vec<String>>, Error> {
        let mut filter = Filter::new(Selection::All);
        filter.recorded_from = Some(since);
        let mut kept: BTreeMap<Timestamp, Vec<String>> = BTreeMap::new();
        for row in self.rows(owner, filter).await? {
            let contents = kept.entry(row.recorded_at).or_default();
            contents.push(row.body.claim.content);
        }
        Ok(kept)
    }

    /// The open links of facts, each once.
    async fn open_links(&self, owner: &Owner, numbers: &[Number]) -> Result<Vec<Link>, Error> {
        let mut links = BTreeMap::new();
        for some in numbers.chunks(AT_ONCE) {
            let slice = Slice {
                numbers: some.iter().copied().gather(),
                ..Slice::default()
            };
            let seen = self.load(owner, &slice).await?;
            for link in seen.links().filter(|link| link.is_open()) {
                links.insert(link.id, link.body.clone());
            }
        }
        Ok(links.into_values().collect())
    }

    /// Those of the chats that are there.
    pub(super) async fn sessions_among(
        &self,
        owner: &Owner,
        named: BTreeSet<SessionId>,
    ) -> Result<BTreeSet<SessionId>, Error> {
        let named: Vec<SessionId> = named.into_iter().collect();
        let mut there = BTreeSet::new();
        for some in named.chunks(AT_ONCE) {
            let slice = Slice {
                sessions: some.iter().copied().gather(),
                ..Slice::default()
            };
            let seen = self.load(owner, &slice).await?;
            there.extend(some.iter().filter(|id| seen.session(**id).is_some()));
        }
        Ok(there)
    }
}

/// The chats that a row's evidence is from.
fn chats_of(row: &MemoryRow) -> impl Iterator<Item = SessionId> {
    let evidence = row.body.claim.evidence.iter();
    evidence.filter_map(|piece| match piece {
        Evidence::Quote { session, .. } => Some(*session),
        Evidence::Observation { .. } => None,
    })
}
