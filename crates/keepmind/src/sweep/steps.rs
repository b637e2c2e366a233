//! The steps of a sweep, in the order they are taken. A new one is a line in the table.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use crate::change::{Expected, Slice};
use crate::command::{Command, Purge};
use crate::engine::{Request, UserMemory};
use crate::error::{ErrorKind, Result};
use crate::ids::{Number, SessionId};
use crate::memory::Layer;
use crate::order::Gather;
use crate::plan::{self, Entry, Objection};
use crate::policy::Policy;
use crate::refusal::Code;
use crate::row::MemoryRow;
use crate::session::{Session, SessionStatus};
use crate::sessions::Closing;
use crate::store::{
    Filter, ListQuery, MAX_LIMIT, Retention, Selection, SessionQuery, UnembeddedQuery,
};
use crate::sweep::Counting;
use crate::timestamp::Timestamp;

/// How many pages of expired rows one sweep ends, or plans anew because somebody wrote between.
const EXPIRY_ROUNDS: usize = 16;

pub(super) const STEPS: &[&dyn Step] = &[
    &CloseStale,
    &TryAgain,
    &Expire,
    &Embed,
    &Archive,
    &EmptySessionTrash,
    &EmptyTrash,
    &PurgeExpired,
    &Consolidate,
    &LetGo,
    &ReviewDue,
];

/// One thing that time makes due.
#[async_trait]
pub(super) trait Step: Sync {
    /// What it is called in reports.
    fn name(&self) -> &'static str;
    /// Does all of it for one user, or as much as it is let.
    async fn run(&self, memory: &UserMemory, counting: &mut Counting<'_>) -> Result<()>;
}

/// Users who have not looked through what is known for the policy's days.
struct ReviewDue;

#[async_trait]
impl Step for ReviewDue {
    fn name(&self) -> &'static str {
        "review_due"
    }

    async fn run(&self, memory: &UserMemory, counting: &mut Counting<'_>) -> Result<()> {
        if memory.engine.is_review_due(&memory.owner).await? {
            counting.review_is_due();
        }
        Ok(())
    }
}

/// Chats that nobody closed: a crashed tab, a killed process.
struct CloseStale;

#[async_trait]
impl Step for CloseStale {
    fn name(&self) -> &'static str {
        "close_stale"
    }

    async fn run(&self, memory: &UserMemory, counting: &mut Counting<'_>) -> Result<()> {
        let close = &memory.engine.policy.close;
        let stale = Duration::from_secs(u64::from(close.stale_after_seconds));
        let query = SessionQuery {
            statuses: [SessionStatus::Active].into_iter().gather(),
            inactive_since: Some(memory.engine.now().saturating_sub(stale)),
            ..SessionQuery::recent(MAX_LIMIT)
        };
        close_each(memory, sessions(memory, query).await?, counting).await
    }
}

/// Chats whose model failed, once it is time again.
struct TryAgain;

#[async_trait]
impl Step for TryAgain {
    fn name(&self) -> &'static str {
        "try_again"
    }

    async fn run(&self, memory: &UserMemory, counting: &mut Counting<'_>) -> Result<()> {
        let query = SessionQuery {
            // One that is talked in again is learned from when it is closed.
            statuses: [SessionStatus::Idle, SessionStatus::Archived]
                .into_iter()
                .gather(),
            retry_due: Some(memory.engine.now()),
            ..SessionQuery::recent(MAX_LIMIT)
        };
        close_each(memory, sessions(memory, query).await?, counting).await
    }
}

async fn close_each(
    memory: &UserMemory,
    ids: Vec<SessionId>,
    counting: &mut Counting<'_>,
) -> Result<()> {
    for id in ids {
        let Some(session) = found(memory.session(id).await)? else {
            continue;
        };
        // Deleted meanwhile, it is no longer due.
        let Some(closed) = still_due(session.close().await)? else {
            continue;
        };
        let is_done = !matches!(closed.closing, Closing::ByAnother | Closing::StillActive);
        if counting.did(u64::from(is_done)).is_break() {
            break;
        }
    }
    Ok(())
}

/// Memories whose time has run out. They are not shown since; this says so in their history.
struct Expire;

#[async_trait]
impl Step for Expire {
    fn name(&self) -> &'static str {
        "expire"
    }

    async fn run(&self, memory: &UserMemory, counting: &mut Counting<'_>) -> Result<()> {
        let engine = &memory.engine;
        for _ in 0..EXPIRY_ROUNDS {
            let query = ListQuery {
                filter: Filter::new(Selection::Expired { at: engine.now() }),
                limit: MAX_LIMIT,
                after: None,
            };
            let page = engine.store.list(&memory.owner, &query).await?;
            if page.items.is_empty() {
                return Ok(());
            }
            let slice = Slice {
                numbers: page.items.iter().map(|row| row.body.number).gather(),
                ..Slice::default()
            };
            let seen = engine.load(&memory.owner, &slice).await?;
            let now = engine.now();
            let planned = plan::expire(&seen, now, &mut engine.plan_ids(now));
            let Some(changes) = planned.map_err(|objection| objection.into_error("sweep"))? else {
                return Ok(());
            };
            let changes = Arc::new(changes);
            let from = seen.state().revision;
            let expected = Expected::At(from);
            match engine.commit(&memory.owner, expected, &changes).await {
                Ok(receipt) => {
                    engine.moved_on(&memory.owner, from, &changes, receipt.revision);
                    let ended = u64::try_from(changes.rows.len()).unwrap_or(u64::MAX);
                    if counting.did(ended).is_break() || page.next.is_none() {
                        return Ok(());
                    }
                }
                Err(error) if error.kind() == ErrorKind::Conflict => {}
                Err(error) => return Err(error),
            }
        }
        // Somebody writes all the time; the next sweep goes on.
        Ok(())
    }
}

/// Candidates, duplicates, contradictions, habits and digests, once a consolidation is due.
struct Consolidate;

#[async_trait]
impl Step for Consolidate {
    fn name(&self) -> &'static str {
        "consolidate"
    }

    async fn run(&self, memory: &UserMemory, counting: &mut Counting<'_>) -> Result<()> {
        let owner = &memory.owner;
        if !memory.engine.is_consolidation_due(owner).await? {
            return Ok(());
        }
        let done = memory.consolidate_while_due().await?;
        let count = done.settled.len();
        let _ = counting.did(u64::try_from(count).unwrap_or(u64::MAX));
        done.failed.map_or(Ok(()), Err)
    }
}

/// Memories that the embedder has not seen: it was down, or it is another one than before. A few at a time, so
/// that recall goes on with those it has.
struct Embed;

/// How many memories are embedded at once.
const EMBEDDED_AT_ONCE: usize = 64;

#[async_trait]
impl Step for Embed {
    fn name(&self) -> &'static str {
        "embed"
    }

    async fn run(&self, memory: &UserMemory, counting: &mut Counting<'_>) -> Result<()> {
        let engine = &memory.engine;
        let Some(embedder) = &engine.embedder else {
            return Ok(());
        };
        let standing = engine.standing(&memory.owner).await?;
        let mut query = UnembeddedQuery {
            embedder: embedder.id().to_owned(),
            dimensions: embedder.dimensions(),
            after: None,
            limit: EMBEDDED_AT_ONCE,
        };
        loop {
            let mut rows = engine.store.unembedded(&memory.owner, &query).await?;
            let Some(last) = rows.last() else {
                return Ok(());
            };
            query.after = Some((last.body.number, last.body.version));
            // What the user no longer wants used is not shown to anybody.
            let is_withdrawn = |row: &MemoryRow| {
                let domain = row.body.claim.domain.as_ref();
                domain.is_some_and(|domain| standing.withdrawn.contains(domain))
            };
            // A digest is found by what it cites.
            rows.retain(|row| !is_withdrawn(row) && row.body.claim.layer != Layer::Digest);
            let embedded = engine.embed(&memory.owner, &rows).await?;
            if counting.did(embedded).is_break() {
                return Ok(());
            }
        }
    }
}

/// Chats that are idle for long.
struct Archive;

#[async_trait]
impl Step for Archive {
    fn name(&self) -> &'static str {
        "archive"
    }

    async fn run(&self, memory: &UserMemory, counting: &mut Counting<'_>) -> Result<()> {
        let days = memory.engine.policy.retention.archive_after_idle_days;
        let query = SessionQuery {
            statuses: [SessionStatus::Idle].into_iter().gather(),
            inactive_since: Some(days_ago(memory.engine.now(), days)),
            ..SessionQuery::recent(MAX_LIMIT)
        };
        for id in sessions(memory, query).await? {
            let Some(session) = found(memory.session(id).await)? else {
                continue;
            };
            // Resumed or deleted meanwhile, it is no longer due.
            let is_done = still_due(session.archive().await)?.is_some();
            if counting.did(u64::from(is_done)).is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// Chats that were in the trash for long enough.
struct EmptySessionTrash;

#[async_trait]
impl Step for EmptySessionTrash {
    fn name(&self) -> &'static str {
        "empty_session_trash"
    }

    async fn run(&self, memory: &UserMemory, counting: &mut Counting<'_>) -> Result<()> {
        let engine = &memory.engine;
        let query = SessionQuery {
            deleted: Some(true),
            ..SessionQuery::recent(MAX_LIMIT)
        };
        let now = engine.now();
        let is_due = |session: &Session| plan::is_lost(session, &engine.policy, now);
        for id in sessions_that(is_due, memory, query).await? {
            // Another process may have been faster, or restored it.
            let purged = found(memory.handle(id).purge_if_lost().await)?;
            if purged == Some(true) && counting.did(1).is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// Memories that were in the trash for long enough.
struct EmptyTrash;

#[async_trait]
impl Step for EmptyTrash {
    fn name(&self) -> &'static str {
        "empty_trash"
    }

    async fn run(&self, memory: &UserMemory, counting: &mut Counting<'_>) -> Result<()> {
        purge_each(memory, plan::is_trashed_for_long, counting).await
    }
}

/// Memories that expired long ago, where the policy has them purged.
struct PurgeExpired;

#[async_trait]
impl Step for PurgeExpired {
    fn name(&self) -> &'static str {
        "purge_expired"
    }

    async fn run(&self, memory: &UserMemory, counting: &mut Counting<'_>) -> Result<()> {
        if memory.engine.policy.retention.expired_purge_days.is_none() {
            return Ok(());
        }
        purge_each(memory, plan::is_expired_for_long, counting).await
    }
}

/// Purges facts whose last version is due.
async fn purge_each(
    memory: &UserMemory,
    is_due: impl Fn(&MemoryRow, &Policy, Timestamp) -> bool,
    counting: &mut Counting<'_>,
) -> Result<()> {
    let engine = &memory.engine;
    let ended = engine
        .rows(&memory.owner, Filter::new(Selection::Ended))
        .await?;
    let now = engine.now();
    let is_old = |row: &MemoryRow| is_due(row, &engine.policy, now);
    let mut numbers: Vec<Number> = ended
        .iter()
        .filter(|row| is_old(row))
        .map(|row| row.body.number)
        .collect();
    numbers.dedup();
    for number in numbers {
        let seen = engine.load(&memory.owner, &Slice::number(number)).await?;
        // Restored since, or superseded by another version, it is not due.
        if !seen.versions(number).last().is_some_and(is_old) {
            continue;
        }
        let command = Command::Purge(Purge::new(number));
        let request = Request {
            owner: &memory.owner,
            command: &command,
            entry: Entry::Sweep,
            offset: memory.local.offset,
            trace: None,
        };
        match engine.execute(request).await {
            Ok(_) => {}
            // Another process was faster.
            Err(Objection::Refused(refusal)) if refusal.code == Code::NotFound => continue,
            Err(objection) => return Err(objection.into_error("sweep")),
        }
        if counting.did(1).is_break() {
            break;
        }
    }
    Ok(())
}

/// Records that are older than the policy keeps them.
struct LetGo;

#[async_trait]
impl Step for LetGo {
    fn name(&self) -> &'static str {
        "let_go"
    }

    async fn run(&self, memory: &UserMemory, counting: &mut Counting<'_>) -> Result<()> {
        let engine = &memory.engine;
        let kept = &engine.policy.retention;
        let now = engine.now();
        let retention = Retention {
            usage_before: Some(days_ago(now, kept.usage_days)),
            traces_before: None,
            operations_before: Some(days_ago(now, kept.operation_days)),
        };
        let gone = engine.store.retain(&memory.owner, &retention).await?;
        let _ = counting.did(gone.usage + gone.traces + gone.operations);
        Ok(())
    }
}

/// The chats that a query finds, all pages.
async fn sessions(memory: &UserMemory, query: SessionQuery) -> Result<Vec<SessionId>> {
    sessions_that(|_| true, memory, query).await
}

/// Those of them that are so.
async fn sessions_that(
    are_so: impl Fn(&Session) -> bool,
    memory: &UserMemory,
    mut query: SessionQuery,
) -> Result<Vec<SessionId>> {
    let mut ids = Vec::new();
    loop {
        let page = memory.engine.store.sessions(&memory.owner, &query).await?;
        let those = page.items.iter().filter(|session| are_so(session));
        ids.extend(those.map(|session| session.id));
        query.after = page.next;
        if query.after.is_none() {
            return Ok(ids);
        }
    }
}

/// What is there; nothing where it went away meanwhile.
fn found<T>(looked_up: Result<T>) -> Result<Option<T>> {
    match looked_up {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// What a step did; nothing where it may not be taken any more.
fn still_due<T>(taken: Result<T>) -> Result<Option<T>> {
    match found(taken) {
        Err(error) if error.kind() == ErrorKind::Refused => Ok(None),
        taken => taken,
    }
}

fn days_ago(now: Timestamp, days: u32) -> Timestamp {
    now.saturating_sub(Duration::from_secs(u64::from(days) * 86_400))
}
