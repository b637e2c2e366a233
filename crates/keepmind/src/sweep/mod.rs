//! Maintenance on the host's schedule: what time alone makes due, for one user or for all. Every step can
//! be repeated, by several processes at once; what one of them finished the others find finished.

mod steps;

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use serde::Serialize;

use crate::engine::{Keepmind, UserMemory};
use crate::error::{Error, Result};
use crate::owner::Owner;

use steps::STEPS;

/// How many owners are asked for at once.
const OWNERS: usize = 256;

/// Where a sweep is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SweepProgress {
    /// Whose memory.
    pub owner: Owner,
    /// Which step.
    pub step: &'static str,
    /// How much the step has done for this owner so far.
    pub done: u64,
    /// How many owners are finished.
    pub owners: u64,
}

/// What a sweep did.
#[derive(Debug, Clone, Default, Serialize)]
#[non_exhaustive]
pub struct SweepReport {
    /// How many owners it finished.
    pub owners: u64,
    /// How much each step did, over all owners.
    pub done: BTreeMap<&'static str, u64>,
    /// Users who should look through what is known by now: the policy's days have gone by since they last did.
    pub reviews_due: Vec<Owner>,
    /// What failed; the sweep went on, and the next one tries again.
    pub failures: Vec<SweepFailure>,
    /// It was told to stop before the end.
    pub stopped: bool,
}

/// A step that failed for an owner.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct SweepFailure {
    /// Whose memory.
    pub owner: Owner,
    /// Which step.
    pub step: &'static str,
    /// Why.
    pub error: Error,
}

impl SweepReport {
    /// How much a step did, over all owners.
    pub fn of(&self, step: &str) -> u64 {
        self.done.get(step).copied().unwrap_or(0)
    }
}

impl Keepmind {
    /// Does everything that is due, for every user: closes chats that nobody closed, tries again what a
    /// model failed at, ends what has expired, archives, empties trash, lets go of old records.
    ///
    /// A failing owner does not stop the rest. Safe to run from several processes at once, and to drop at
    /// any time: what is half done is finished by the next one.
    pub async fn sweep(&self) -> Result<SweepReport> {
        self.sweep_watched(|_| ControlFlow::Continue(())).await
    }

    /// The same, telling where it is, and stopping when told to.
    pub async fn sweep_watched(
        &self,
        watch: impl FnMut(&SweepProgress) -> ControlFlow<()> + Send,
    ) -> Result<SweepReport> {
        let mut watch = watch;
        let mut sweeping = Sweeping::new(&mut watch);
        let mut after = None;
        loop {
            let owners = self.store().owners(after.as_ref(), OWNERS).await?;
            for summary in &owners {
                let memory = self.user(summary.owner.as_str())?;
                if sweeping.owner(&memory).await.is_break() {
                    return Ok(sweeping.report);
                }
            }
            if owners.len() < OWNERS {
                return Ok(sweeping.report);
            }
            after = owners.last().map(|summary| summary.owner.clone());
        }
    }
}

impl UserMemory {
    /// Does everything that is due for this user; see [`Keepmind::sweep`].
    pub async fn sweep(&self) -> Result<SweepReport> {
        let mut watch = |_: &SweepProgress| ControlFlow::Continue(());
        let mut sweeping = Sweeping::new(&mut watch);
        let _all = sweeping.owner(self).await;
        Ok(sweeping.report)
    }
}

type Watch<'a> = dyn FnMut(&SweepProgress) -> ControlFlow<()> + Send + 'a;

/// A sweep on its way.
struct Sweeping<'a> {
    watch: &'a mut Watch<'a>,
    report: SweepReport,
}

impl<'a> Sweeping<'a> {
    fn new(watch: &'a mut Watch<'a>) -> Self {
        Sweeping {
            watch,
            report: SweepReport::default(),
        }
    }

    async fn owner(&mut self, memory: &UserMemory) -> ControlFlow<()> {
        for step in STEPS {
            let mut counting = Counting {
                progress: SweepProgress {
                    owner: memory.owner.clone(),
                    step: step.name(),
                    done: 0,
                    owners: self.report.owners,
                },
                watch: self.watch,
                stopped: false,
                is_review_due: false,
            };
            counting.tell();
            let ran = if counting.stopped {
                Ok(())
            } else {
                step.run(memory, &mut counting).await
            };
            let Counting {
                progress,
                stopped,
                is_review_due,
                ..
            } = counting;
            if is_review_due {
                self.report.reviews_due.push(progress.owner.clone());
            }
            if progress.done > 0 {
                *self.report.done.entry(progress.step).or_default() += progress.done;
            }
            if let Err(error) = ran {
                self.report.failures.push(SweepFailure {
                    owner: progress.owner,
                    step: progress.step,
                    error,
                });
            }
            if stopped {
                self.report.stopped = true;
                return ControlFlow::Break(());
            }
        }
        self.report.owners += 1;
        ControlFlow::Continue(())
    }
}

/// Counts what a step does, and hears when to stop.
struct Counting<'a> {
    progress: SweepProgress,
    watch: &'a mut (dyn FnMut(&SweepProgress) -> ControlFlow<()> + Send),
    stopped: bool,
    /// The user should look through what is known.
    is_review_due: bool,
}

impl Counting<'_> {
    /// Something was done. Whether to go on.
    fn did(&mut self, much: u64) -> ControlFlow<()> {
        self.progress.done += much;
        self.tell();
        if self.stopped {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    /// The user should look through what is known. Nothing is done about it here: the report says so.
    fn review_is_due(&mut self) {
        self.is_review_due = true;
    }

    fn tell(&mut self) {
        self.stopped |= (self.watch)(&self.progress).is_break();
    }
}
