//! Hears everything that is traced, at every level.

use std::fmt::{Debug, Write as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// A subscriber that keeps what it hears: names and values of fields.
#[derive(Clone, Default)]
pub struct Listener(Arc<Mutex<String>>);

impl Listener {
    /// Hears every thread of the process from now on.
    ///
    /// # Panics
    /// When something in this process listens already.
    pub fn everywhere() -> Self {
        let listener = Self::default();
        let set = tracing::subscriber::set_global_default(listener.clone());
        set.expect("nobody else listens");
        // A place that another thread reached first was told that nobody listens, and remembers it.
        tracing::callsite::rebuild_interest_cache();
        listener
    }

    /// What was heard since it was last asked.
    pub fn heard(&self) -> String {
        std::mem::take(&mut *self.words())
    }

    fn words(&self) -> MutexGuard<'_, String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Visit for Listener {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let mut heard = self.words();
        write!(heard, " {field}={value:?}").expect("a string grows");
    }
}

impl Subscriber for Listener {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        span.record(&mut self.clone());
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        values.record(&mut self.clone());
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut self.clone());
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
