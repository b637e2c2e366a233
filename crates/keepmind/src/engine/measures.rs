//! What a process counts of what it does: numbers and times in memory, no names of users and no words. Under
//! the feature `tracing` every operation is also a span.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::engine::{Engine, UserMemory};
use crate::govern::{ExtractionCounts, Histogram, Metrics, TokenUse};
use crate::order::Gather;
use crate::report::Report;
use crate::session::FrozenBlock;

/// The counts of a process.
#[derive(Debug, Default)]
pub(crate) struct Measures(Mutex<Counts>);

#[derive(Debug, Default)]
struct Counts {
    extraction: ExtractionCounts,
    tokens: TokenUse,
    operations: BTreeMap<&'static str, Histogram>,
}

impl Measures {
    /// A context was made that takes so much.
    pub(crate) fn count_context(&self, tokens: usize) {
        let counts = &mut self.counts().tokens;
        counts.contexts += 1;
        counts.context_tokens += tokens as u64;
    }

    /// A chat was learned from.
    pub(crate) fn count_lessons(&self, report: &Report) {
        self.counts().extraction.add(report);
    }

    fn count_operation(&self, operation: &'static str, micros: u64, is_failure: bool) {
        let mut counts = self.counts();
        let histogram = counts.operations.entry(operation).or_default();
        histogram.add(micros, is_failure);
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Engine {
    /// A chat begins with a block.
    pub(crate) fn count_block(&self, block: &Option<FrozenBlock>) {
        let Some(block) = block else { return };
        let taken = self.tokens.count(&block.text) as u64;
        let counts = &mut self.measures.counts().tokens;
        counts.blocks += 1;
        counts.block_tokens += taken;
    }

    pub(super) fn metrics(&self) -> Metrics {
        let recalls = self.recall_cache.total();
        let (waiting, lost) = self.ledger.counts();
        let counts = self.measures.counts();
        let operations = counts.operations.iter();
        Metrics {
            extraction: counts.extraction.clone(),
            recalls: recalls.recalls,
            cached_recalls: recalls.cached,
            tokens: counts.tokens,
            uses_waiting: waiting as u64,
            uses_lost: lost,
            operations: operations
                .map(|(name, histogram)| (*name, histogram.latency()))
                .gather(),
        }
    }
}

impl UserMemory {
    /// Does something, and takes note of how long it took by the engine's clock.
    pub(crate) fn measured<'w, T, E>(
        &'w self,
        operation: &'static str,
        work: impl Future<Output = Result<T, E>> + 'w,
    ) -> impl Future<Output = Result<T, E>> + 'w {
        // Kept off the stack: what an operation needs is much, and each caller up to the host's would move it.
        let work = Box::pin(work);
        async move {
            let engine = &self.engine;
            let began = engine.now();
            let done = traced(operation, work).await;
            let micros = engine.now().as_micros().saturating_sub(began.as_micros());
            // A clock that went back says nothing about how long it took.
            let micros = u64::try_from(micros).unwrap_or(0);
            engine
                .measures
                .count_operation(operation, micros, done.is_err());
            finished(operation, micros, done.is_err());
            done
        }
    }
}

#[cfg(feature = "tracing")]
fn traced<F: Future>(operation: &'static str, work: F) -> tracing::instrument::Instrumented<F> {
    let span = tracing::debug_span!(target: "keepmind", "operation", name = operation);
    tracing::Instrument::instrument(work, span)
}

#[cfg(not(feature = "tracing"))]
fn traced<F: Future>(_: &'static str, work: F) -> F {
    work
}

#[cfg(feature = "tracing")]
fn finished(operation: &'static str, micros: u64, failed: bool) {
    tracing::debug!(target: "keepmind", operation, micros, failed, "finished");
}

#[cfg(not(feature = "tracing"))]
fn finished(_: &'static str, _: u64, _: bool) {}
