//! From one store to another: every owner with all they have, one commit each. What was interrupted is run again.

use std::ops::ControlFlow;

use serde::Serialize;

use crate::change::{ChangeSet, Expected, Slice, Snapshot};
use crate::error::{Error, ErrorKind, Result};
use crate::export::lines::{lines_of, made_of};
use crate::ids::OperationId;
use crate::model::{Clock, IdSource, SystemClock, TimeOrderedIds};
use crate::owner::{Owner, Revision};
use crate::store::{MemoryStore, StorePlace};

const COPY: &str = "copy";
const ITSELF: &str =
    "a store is not copied over itself, or over a copy of its files: name two places";

/// How many owners are asked for at once.
const OWNERS: usize = 256;
/// How often an owner is looked at anew because somebody else wrote them, or nobody knows whether it was written.
const LOOKS: usize = 4;

/// How stores are copied. Nothing of the target's is lost unless told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CopyOptions {
    /// Owners of whom the target has anything else are erased there and copied anew, instead of being refused.
    pub replace: bool,
}

impl CopyOptions {
    /// Owners of whom the target has anything else are erased there and copied anew: for a second run, after the
    /// source went on. What was written to the target about them since is lost.
    #[must_use]
    pub fn replacing(mut self) -> Self {
        self.replace = true;
        self
    }
}

/// What became of one owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CopyOutcome {
    /// They are in the target now.
    Copied,
    /// The target had exactly this already.
    Unchanged,
    /// The target had something else, which was erased; they are there now.
    Replaced,
    /// They were left out; the report says why.
    Refused,
}

/// An owner is done, and how far the copy is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CopyProgress {
    /// Whose memory.
    pub owner: Owner,
    /// What became of it.
    pub outcome: CopyOutcome,
    /// How many owners are done, this one among them.
    pub owners: u64,
    /// How many there were to do when it began.
    pub total: u64,
}

/// What a copy did.
#[derive(Debug, Clone, Default, Serialize)]
#[non_exhaustive]
pub struct CopyReport {
    /// How many owners it is done with.
    pub owners: u64,
    /// How many of them are in the target since now.
    pub copied: u64,
    /// How many were there already, exactly so.
    pub unchanged: u64,
    /// How many were there otherwise, and are there anew.
    pub replaced: u64,
    /// Who was left out. The others were copied all the same.
    pub refused: Vec<CopyRefusal>,
    /// It was told to stop before the end.
    pub stopped: bool,
}

/// An owner who was not copied.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct CopyRefusal {
    /// Whose memory.
    pub owner: Owner,
    /// Why: [`Conflict`](ErrorKind::Conflict) where the target has other data of theirs; otherwise what is wrong
    /// with this owner alone, as data that cannot be read, or too much to be written in time.
    pub error: Error,
}

impl CopyReport {
    /// True when everything the source had is in the target.
    pub fn is_complete(&self) -> bool {
        !self.stopped && self.refused.is_empty()
    }

    /// All of it in one line, for a person.
    pub fn line(&self) -> String {
        let mut parts = vec![format!("copied {}", self.copied)];
        for (count, what) in [
            (self.replaced, "replaced"),
            (self.unchanged, "already there"),
            (self.refused.len() as u64, "refused"),
        ] {
            if count > 0 {
                parts.push(format!("{what} {count}"));
            }
        }
        let stopped = if self.stopped { ", stopped" } else { "" };
        format!("{}{stopped}", parts.join(", "))
    }
}

/// Copies every owner from one store into another, without loss, and tells of each one; `progress` may stop it.
///
/// An owner is read at one moment and written in one commit, so they are in the target as a whole or not at all.
/// Interrupted anywhere, by an error, a kill or a dropped future, it is run again: whoever is in the target
/// exactly as in the source is passed over, the others are copied. Ids, numbers, stamps and the count of the revision
/// stay, so undo tokens and cursors of the change feed work on; what is the store's own does not come along: its
/// epoch, its indexes, and the operation ids it remembers, so let no call be under way that would be repeated.
///
/// An owner of whom the target has anything else is left as they are there, and the report names them; so is one
/// who was written to in the source since an earlier copy. Whoever is written to while it runs is in the target as
/// of the moment they were read: stop writing to the source, and run it once more with
/// [`replacing`](CopyOptions::replacing). Whoever was erased in the source since an earlier copy is not looked for
/// in the target: erase them there too.
///
/// ```
/// use std::ops::ControlFlow;
/// use keepmind::export::{CopyOptions, copy};
/// use keepmind::{Clock as _, InMemoryStore, SystemClock, TimeOrderedIds};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let (from, to) = (InMemoryStore::new(), InMemoryStore::new());
/// let mut ids = TimeOrderedIds::at(SystemClock.now());
/// let progress = |progress: &keepmind::export::CopyProgress| {
///     println!("{} of {}", progress.owners, progress.total);
///     ControlFlow::Continue(())
/// };
/// let options = CopyOptions::default();
/// let report = copy(&from, &to, options, &SystemClock, &mut ids, progress).await?;
/// assert!(report.is_complete());
/// # Ok::<(), keepmind::Error>(()) }).unwrap();
/// ```
pub async fn copy(
    from: &dyn MemoryStore,
    to: &dyn MemoryStore,
    options: CopyOptions,
    clock: &dyn Clock,
    ids: &mut dyn IdSource,
    mut progress: impl FnMut(&CopyProgress) -> ControlFlow<()> + Send,
) -> Result<CopyReport> {
    let mut target = Target {
        store: to,
        replace: options.replace,
        clock,
        ids,
    };
    let total = from.info().await?.owners;
    let mut report = CopyReport::default();
    let mut after: Option<Owner> = None;
    loop {
        let page = from.owners(after.as_ref(), OWNERS).await?;
        let is_last = page.len() < OWNERS;
        for summary in page {
            let owner = summary.owner;
            after = Some(owner.clone());
            let outcome = match target.take_from(from, &owner).await {
                Ok(None) => continue,
                Ok(Some(outcome)) => outcome,
                Err(error) if is_of_one_owner(&error) => {
                    report.refuse(&owner, error);
                    CopyOutcome::Refused
                }
                Err(error) => return Err(error),
            };
            report.count(outcome);
            let told = CopyProgress {
                owner,
                outcome,
                owners: report.owners,
                // Others may have come since.
                total: total.max(report.owners),
            };
            if progress(&told).is_break() {
                report.stopped = true;
                return Ok(report);
            }
        }
        if is_last {
            return Ok(report);
        }
    }
}

/// [`copy`] from the store in one place to the one in another, which is made where it is not there.
pub async fn copy_between(
    from: &StorePlace,
    to: &StorePlace,
    options: CopyOptions,
    progress: impl FnMut(&CopyProgress) -> ControlFlow<()> + Send,
) -> Result<CopyReport> {
    if from.is_fleeting() || to.is_fleeting() {
        let message = "a memory that ends with the process can be copied only by who has it open";
        return Err(Error::invalid(COPY, message));
    }
    if from.is_same_as(to) {
        return Err(Error::invalid(COPY, ITSELF));
    }
    if from.is_missing() {
        let message = "there is no file to copy from: check the path";
        return Err(Error::new(ErrorKind::NotFound, COPY, message));
    }
    let from = from.open().await?;
    let copied = match to.open().await {
        Ok(to) => {
            let mut ids = TimeOrderedIds::at(SystemClock.now());
            let copied = copy(&*from, &*to, options, &SystemClock, &mut ids, progress).await;
            to.close().await.and(copied)
        }
        Err(error) => Err(error),
    };
    from.close().await.and(copied)
}

impl CopyReport {
    fn count(&mut self, outcome: CopyOutcome) {
        self.owners += 1;
        match outcome {
            CopyOutcome::Copied => self.copied += 1,
            CopyOutcome::Unchanged => self.unchanged += 1,
            CopyOutcome::Replaced => self.replaced += 1,
            CopyOutcome::Refused => {}
        }
    }

    fn refuse(&mut self, owner: &Owner, error: Error) {
        let owner = owner.clone();
        self.refused.push(CopyRefusal { owner, error });
    }
}

/// Where owners are copied to, and what making them there needs.
struct Target<'a> {
    store: &'a dyn MemoryStore,
    replace: bool,
    clock: &'a dyn Clock,
    ids: &'a mut dyn IdSource,
}

/// Whether an error speaks of one owner, and the next may still be copied.
fn is_of_one_owner(error: &Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::Conflict | ErrorKind::Refused | ErrorKind::Busy | ErrorKind::Damaged
    )
}

impl Target<'_> {
    /// Nothing where the owner was erased since they were listed: then the source has nothing to say of them.
    async fn take_from(
        &mut self,
        from: &dyn MemoryStore,
        owner: &Owner,
    ) -> Result<Option<CopyOutcome>> {
        let data = from.load(owner, &Slice::everything()).await?;
        match data.state().revision == Revision::NONE {
            true => Ok(None),
            false => self.take(owner, &data).await.map(Some),
        }
    }

    async fn take(&mut self, owner: &Owner, data: &Snapshot) -> Result<CopyOutcome> {
        let mut outcome = CopyOutcome::Copied;
        let mut may_be_written = false;
        let mut looks = 0;
        loop {
            looks += 1;
            let present = self.store.load(owner, &Slice::everything()).await?;
            if present.state().revision != Revision::NONE {
                if is_same(data, &present) {
                    return Ok(match may_be_written {
                        true => outcome,
                        false => CopyOutcome::Unchanged,
                    });
                }
                if !self.replace {
                    let message = "the target has other data of this owner: erase them there, or copy replacing";
                    return Err(Error::new(ErrorKind::Conflict, COPY, message));
                }
                // Every copy begins a life of its own: with this one, the only one would be erased.
                if present.state().revision.epoch == data.state().revision.epoch {
                    return Err(Error::invalid(COPY, ITSELF));
                }
                self.store.erase(owner).await?;
                outcome = CopyOutcome::Replaced;
            }
            let operation = OperationId::new(self.ids.next_id());
            let changes = made_of(data, ChangeSet::new(operation, self.clock.now()));
            let committed = self
                .store
                .commit(owner, Expected::At(Revision::NONE), changes.into());
            let Err(error) = committed.await else {
                return Ok(outcome);
            };
            may_be_written |= error.kind() == ErrorKind::OutcomeUnknown;
            let is_unclear = may_be_written || error.kind() == ErrorKind::Conflict;
            if !is_unclear || looks == LOOKS {
                return Err(error);
            }
        }
    }
}

/// Whether two stores hold the same of an owner; their counters of writes and lives aside.
fn is_same(one: &Snapshot, other: &Snapshot) -> bool {
    one.state().next_number == other.state().next_number && lines_of(one).eq(lines_of(other))
}
