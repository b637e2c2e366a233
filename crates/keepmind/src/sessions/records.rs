//! Records of calls that wrote nothing: they travel with the chat's next write. What is purged while they
//! wait must not come back with them.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::change::{ChangeSet, Expected, Receipt, Slice, TraceChange};
use crate::engine::UserMemory;
use crate::error::{Error, ErrorKind};
use crate::owner::Revision;
use crate::row::{Kind, State};
use crate::store::MAX_LIMIT;
use crate::trace::{Trace, TraceKey};

/// How many records may wait before they are written by themselves.
const MOST_WAITING: usize = 64;
/// How often what was purged meanwhile is looked up again because somebody wrote between.
const LOOKS: usize = 8;

/// The records that wait.
#[derive(Debug, Default)]
pub(super) struct Records(Mutex<Vec<Waiting>>);

/// The record of a call, and where the owner's data stood when it was made.
#[derive(Debug, Clone)]
struct Waiting {
    trace: Trace,
    since: Revision,
}

impl Records {
    /// Lets a record wait. True when that is enough of them.
    pub(super) fn add(&self, trace: Trace, since: Revision) -> bool {
        let mut waiting = self.waiting();
        waiting.push(Waiting { trace, since });
        waiting.len() >= MOST_WAITING
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting().is_empty()
    }

    /// Commits what `fill` adds, which moves no revision, together with the records that wait. They wait
    /// on where that fails, or its caller goes away.
    pub(super) async fn append(
        &self,
        memory: &UserMemory,
        fill: impl Fn(&mut ChangeSet),
    ) -> Result<Receipt, Error> {
        let mut taken = Taken {
            records: self,
            kept: std::mem::take(&mut *self.waiting()),
        };
        let engine = &memory.engine;
        let owner = &memory.owner;
        if taken.kept.is_empty() {
            return engine.append(owner, Expected::Any, fill).await;
        }
        let fill = &fill;
        let fill_with = |traces: Vec<Trace>| {
            move |changes: &mut ChangeSet| {
                fill(changes);
                changes.traces.extend(traces.into_iter().map(recorded));
            }
        };
        let mut last = None;
        for _ in 0..LOOKS {
            let (traces, revision) = unpurged(memory, &taken.kept).await?;
            let is_new = last.replace(revision) != Some(revision);
            let expected = Expected::At(revision);
            match engine.append(owner, expected, fill_with(traces)).await {
                // Where nobody wrote, it is the chat that is not what it should be.
                Err(error) if error.kind() == ErrorKind::Conflict && is_new => {}
                Ok(receipt) => {
                    taken.kept.clear();
                    return Ok(receipt);
                }
                failed => return failed,
            }
        }
        let traces = taken.kept.iter().map(wordless).collect();
        let all = fill_with(traces);
        let receipt = engine.append(owner, Expected::Any, all).await?;
        taken.kept.clear();
        Ok(receipt)
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<Waiting>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Records on their way; those that did not arrive wait again.
struct Taken<'a> {
    records: &'a Records,
    kept: Vec<Waiting>,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        if !self.kept.is_empty() {
            self.records.waiting().append(&mut self.kept);
        }
    }
}

/// The records, without the words of those that were made before something was purged; and where the
/// owner's data stands.
async fn unpurged(memory: &UserMemory, kept: &[Waiting]) -> Result<(Vec<Trace>, Revision), Error> {
    let engine = &memory.engine;
    let seen = engine.load(&memory.owner, &Slice::default()).await?;
    let now = seen.state().revision;
    let is_this_life = |one: &&Waiting| one.since.epoch == now.epoch;
    let oldest = kept.iter().filter(is_this_life).map(|one| one.since.count);
    let mut from = oldest.min().unwrap_or(now.count);
    let mut purged = 0;
    while from < now.count {
        let entries = engine
            .store
            .journal(&memory.owner, from + 1, MAX_LIMIT)
            .await?;
        let Some(last) = entries.last().map(|entry| entry.revision) else {
            break;
        };
        for entry in &entries {
            let is_purge = entry
                .effects
                .iter()
                .any(|effect| effect.kind == Kind::Memory && effect.after == State::Absent);
            if is_purge {
                purged = entry.revision;
            }
        }
        from = last;
    }
    let traces = kept.iter().map(|one| {
        if is_this_life(&one) && one.since.count >= purged {
            one.trace.clone()
        } else {
            wordless(one)
        }
    });
    Ok((traces.collect(), now))
}

fn wordless(waiting: &Waiting) -> Trace {
    Trace {
        arguments: serde_json::Value::Null,
        result: String::new(),
        ..waiting.trace.clone()
    }
}

fn recorded(trace: Trace) -> (TraceKey, TraceChange) {
    (trace.key.clone(), TraceChange::Record(trace))
}
