//! Telling the time, in one place, so that a test can stop it.

use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::SystemTime;

use crate::timestamp::Timestamp;

/// Tells the time. Nothing in the library reads a clock but through this. It must not call back into
/// the library.
pub trait Clock: Send + Sync + fmt::Debug {
    /// The moment now is.
    fn now(&self) -> Timestamp;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let moment = SystemTime::now();
        match moment.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(since) => Timestamp::UNIX_EPOCH.saturating_add(since),
            Err(before) => Timestamp::UNIX_EPOCH.saturating_sub(before.duration()),
        }
    }
}

/// A clock that stands still until it is moved: for tests, demos and replays.
#[derive(Debug)]
pub struct ManualClock(AtomicI64);

impl ManualClock {
    /// A clock that shows that moment.
    pub fn new(moment: Timestamp) -> Self {
        ManualClock(AtomicI64::new(moment.as_micros()))
    }

    /// Makes it show that moment; back is allowed.
    pub fn set(&self, moment: Timestamp) {
        self.0.store(moment.as_micros(), Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.0.load(Ordering::SeqCst)).unwrap_or(Timestamp::UNIX_EPOCH)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manual_clock_goes_where_it_is_set() {
        let clock = ManualClock::new(Timestamp::UNIX_EPOCH);
        clock.set(Timestamp::MIN);
        assert_eq!(clock.now(), Timestamp::MIN);
    }
}
