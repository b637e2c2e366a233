//! The usage ledger: what waits is written off everybody's path, and what is written is read.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::runtime::Handle;

use crate::attempt::{Attempt, until_done};
use crate::change::{ChangeSet, Expected, Receipt, Slice};
use crate::command::{UsageList, UsedAs, WhyQuery};
use crate::engine::findings::Among;
use crate::engine::ledger::{Due, MOST_ALONE, MOST_ALONG, Taken, Use};
use crate::engine::{Engine, UserMemory};
use crate::error::Error;
use crate::govern::{SessionUsage, UsagePage, session_usage};
use crate::ids::{OperationId, RowId, SessionId, UsageId};
use crate::model::IdSource;
use crate::order::Gather;
use crate::owner::{Owner, Revision};
use crate::plan::{self, Objection};
use crate::refusal::{Code, Refusal};
use crate::row::MemoryRow;
use crate::store::{MAX_LIMIT, UsageQuery};
use crate::text;
use crate::usage::{Usage, UsageKind};

/// How long a line about what a use changed may be.
const INFLUENCE_CHARACTERS: usize = 500;

impl UserMemory {
    /// Takes note of uses. They are written when a chat is closed and when somebody asks for them; where so many
    /// wait that they should not, by a task that nobody waits for.
    pub(crate) fn note(&self, uses: impl IntoIterator<Item = Use>) {
        let engine = &self.engine;
        let due = engine.ledger.add(&self.owner, engine.now(), uses);
        if due == Due::Nothing {
            return;
        }
        let Ok(runtime) = Handle::try_current() else {
            // Where nobody can, the next close takes them, or whoever can.
            engine.ledger.tried(&self.owner, due);
            return;
        };
        let memory = self.clone();
        runtime.spawn(async move {
            // What fails waits on, and is tried again when more is added.
            let tried = match due {
                Due::All => memory.engine.write_all_uses().await,
                Due::Owners | Due::Nothing => memory.engine.write_uses(&memory.owner).await,
            };
            drop(tried);
            memory.engine.ledger.tried(&memory.owner, due);
        });
    }

    /// Takes note of rows that were found.
    pub(crate) fn note_retrieved(
        &self,
        session: Option<SessionId>,
        rows: impl IntoIterator<Item = RowId>,
    ) {
        self.note(rows.into_iter().map(|memory| Use {
            session,
            memory,
            kind: UsageKind::Retrieved,
            influence: None,
        }));
    }
}

impl Engine {
    /// Commits what a close learned, together with uses that wait. Commits that somebody waits for in a chat
    /// carry none: that would make the first one of each chat slower.
    pub(crate) async fn commit_with_uses(
        &self,
        owner: &Owner,
        expected: Expected,
        changes: &Arc<ChangeSet>,
    ) -> Result<Receipt, Error> {
        let along = self.take_uses(owner, MOST_ALONG);
        if along.uses().is_empty() {
            return self.commit(owner, expected, changes).await;
        }
        let mut changes = ChangeSet::clone(changes);
        changes.usage.extend(by_id(along.uses()));
        let receipt = self.commit(owner, expected, &Arc::new(changes)).await?;
        along.arrived();
        Ok(receipt)
    }

    fn take_uses(&self, owner: &Owner, most: usize) -> Taken<'_> {
        let mut ids = self.plan_ids(self.now());
        self.ledger
            .take(owner, most, || UsageId::new(ids.next_id()))
    }

    /// Writes the owner's uses that wait; those of an owner of whom nothing is known any more are let go.
    pub(crate) async fn write_uses(&self, owner: &Owner) -> Result<(), Error> {
        until_done("usage", || async {
            if !self.ledger.has(owner) {
                return Ok(Attempt::Done(()));
            }
            let seen = self.load(owner, &Slice::default()).await?;
            let revision = seen.state().revision;
            if revision == Revision::NONE {
                self.ledger.let_go(owner);
                return Ok(Attempt::Done(()));
            }
            let taken = self.take_uses(owner, MOST_ALONE);
            let now = self.now();
            let operation = OperationId::new(self.plan_ids(now).next_id());
            let mut changes = ChangeSet::new(operation, now);
            changes.usage = by_id(taken.uses());
            // Not after an erasure: it would bring the owner back.
            let changes = Arc::new(changes);
            match Attempt::of(self.commit(owner, Expected::At(revision), &changes).await)? {
                Attempt::Done(_) => taken.arrived(),
                Attempt::Overtaken => drop(taken),
            }
            // There may be more.
            Ok(Attempt::Overtaken)
        })
        .await
    }

    /// Writes all uses that wait, of every owner.
    pub(super) async fn write_all_uses(&self) -> Result<(), Error> {
        let mut written = Ok(());
        for owner in self.ledger.owners() {
            written = written.and(self.write_uses(&owner).await);
        }
        written
    }

    /// What a host says of a use, checked: of the row that is among those `in_play`, else of the fact as it
    /// stands.
    pub(crate) async fn use_of(
        &self,
        owner: &Owner,
        session: Option<SessionId>,
        used: &UsedAs,
        in_play: impl Fn(RowId) -> bool,
    ) -> Result<Use, Objection> {
        if used.kind == UsageKind::Retrieved {
            let message = "what is retrieved is recorded by itself: say `applied`, `cited`, `conflicted` or `overridden`";
            return Err(Refusal::new(Code::NotApplicable, message).into());
        }
        let influence = used.influence.as_deref().map(influence).transpose()?;
        let number = self.resolve(owner, &used.target, Among::Kept).await?;
        let seen = self.load(owner, &Slice::number(number)).await?;
        let named = |row: &&MemoryRow| row.id.to_string() == used.target.as_str();
        let played = |row: &&MemoryRow| in_play(row.id);
        let row = seen
            .versions(number)
            .find(named)
            .or_else(|| seen.versions(number).filter(played).last())
            .or_else(|| seen.open_version(number))
            .or_else(|| seen.versions(number).last());
        let Some(row) = row else {
            return Err(plan::fate(number, None, self.now(), |_| None).into());
        };
        Ok(Use {
            session,
            memory: row.id,
            kind: used.kind,
            influence,
        })
    }

    /// What was used in a chat.
    pub(crate) async fn why(
        &self,
        owner: &Owner,
        query: &WhyQuery,
    ) -> Result<SessionUsage, Objection> {
        let Some(session) = query.session else {
            let message = "say which `session`";
            return Err(Refusal::new(Code::Schema, message).into());
        };
        let seen = self.load(owner, &Slice::session(session)).await?;
        let uses = self.uses_in(owner, session).await?;
        // One that was purged is still in the ledger.
        if uses.is_empty() && seen.session(session).is_none() {
            let message = "this user has no session of that id";
            return Err(Refusal::new(Code::NotFound, message).into());
        }
        let standing = self.standing(owner).await?;
        let rows = self
            .rows_of(owner, uses.iter().map(|usage| usage.memory).gather())
            .await?;
        Ok(session_usage(
            session,
            &uses,
            &rows,
            &standing.withdrawn,
            standing.now,
        ))
    }

    /// A page of the ledger.
    pub(crate) async fn usage(
        &self,
        owner: &Owner,
        list: &UsageList,
    ) -> Result<UsagePage, Objection> {
        let limit = self.limit(list.limit, self.policy.limits.results)?;
        self.write_waiting(owner).await;
        let mut query = UsageQuery {
            session: list.session,
            kinds: list.kind.into_iter().gather(),
            since: list.since,
            after: list.after.clone(),
            ..UsageQuery::all(limit)
        };
        if let Some(target) = &list.target {
            let number = self.resolve(owner, target, Among::Kept).await?;
            let seen = self.load(owner, &Slice::number(number)).await?;
            query.memories = seen.versions(number).map(|row| row.id).gather();
            if query.memories.is_empty() {
                return Err(plan::fate(number, None, self.now(), |_| None).into());
            }
        }
        let page = self.store.usage(owner, &query).await?;
        Ok(UsagePage {
            uses: page.items,
            next: page.next,
        })
    }

    /// All entries of a chat.
    pub(crate) async fn uses_in(
        &self,
        owner: &Owner,
        session: SessionId,
    ) -> Result<Vec<Usage>, Error> {
        self.all_uses(
            owner,
            UsageQuery {
                session: Some(session),
                ..UsageQuery::all(MAX_LIMIT)
            },
        )
        .await
    }

    /// All entries that fit, page by page.
    pub(crate) async fn all_uses(
        &self,
        owner: &Owner,
        mut query: UsageQuery,
    ) -> Result<Vec<Usage>, Error> {
        self.write_waiting(owner).await;
        let mut uses = Vec::new();
        loop {
            let page = self.store.usage(owner, &query).await?;
            uses.extend(page.items);
            query.after = page.next;
            if query.after.is_none() {
                return Ok(uses);
            }
        }
    }

    /// Writes what waits before it is read. What cannot be written can still be read the next time.
    async fn write_waiting(&self, owner: &Owner) {
        drop(self.write_uses(owner).await);
    }

    /// These rows, ended or not, as far as they are there.
    pub(crate) async fn rows_of(
        &self,
        owner: &Owner,
        mut wanted: BTreeSet<RowId>,
    ) -> Result<Vec<MemoryRow>, Error> {
        let (_, open) = self.at_one_moment(owner).await?;
        let mut rows: Vec<MemoryRow> = open
            .iter()
            .filter(|row| wanted.remove(&row.id))
            .cloned()
            .collect();
        if wanted.is_empty() {
            return Ok(rows);
        }
        let slice = Slice {
            rows: wanted.clone(),
            ..Slice::default()
        };
        let seen = self.load(owner, &slice).await?;
        rows.extend(wanted.iter().filter_map(|id| seen.memory(*id)).cloned());
        Ok(rows)
    }
}

/// What a use changed, as it is kept: one line that holds no secret.
fn influence(given: &str) -> Result<String, Refusal> {
    let cleaned = text::line(given)?;
    text::limit(&cleaned, INFLUENCE_CHARACTERS)?;
    if text::secret(&cleaned).is_some() {
        let message =
            "it holds a password, key, card number or the like: say what changed without it";
        return Err(Refusal::new(Code::Secret, message));
    }
    Ok(cleaned)
}

/// Entries as a change set has them.
pub(super) fn by_id(uses: &[Usage]) -> std::collections::BTreeMap<UsageId, Usage> {
    uses.iter().map(|usage| (usage.id, usage.clone())).gather()
}
