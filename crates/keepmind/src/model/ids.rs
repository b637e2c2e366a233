//! Making new identifiers.

use uuid::{NoContext, Uuid};

use crate::timestamp::Timestamp;

/// Makes new identifiers. Planning takes them from here, so a plan can be repeated exactly.
///
/// Asked while other writers of the owner wait: it must not call back into the library.
pub trait IdSource: Send {
    /// An identifier that was never made before.
    fn next_id(&mut self) -> Uuid;
}

/// Identifiers of UUID version 7: sorted by the moment given, random beyond it.
#[derive(Debug, Clone, Copy)]
pub struct TimeOrderedIds(Timestamp);

impl TimeOrderedIds {
    /// Identifiers of that moment.
    pub fn at(moment: Timestamp) -> Self {
        TimeOrderedIds(moment)
    }
}

impl IdSource for TimeOrderedIds {
    fn next_id(&mut self) -> Uuid {
        let micros = u64::try_from(self.0.as_micros()).unwrap_or(0);
        let nanos = u32::try_from(micros % 1_000_000).unwrap_or(0) * 1_000;
        Uuid::new_v7(uuid::Timestamp::from_unix(
            NoContext,
            micros / 1_000_000,
            nanos,
        ))
    }
}

/// Identifiers that count up: for tests and replays.
#[derive(Debug, Clone, Default)]
pub struct CountingIds(u128);

impl CountingIds {
    /// Identifiers that count up from after `start`.
    pub fn after(start: u128) -> Self {
        CountingIds(start)
    }
}

impl IdSource for CountingIds {
    fn next_id(&mut self) -> Uuid {
        self.0 += 1;
        Uuid::from_u128(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_by_their_moment() {
        let early = TimeOrderedIds::at(Timestamp::parse("2026-01-01T00:00:00Z").unwrap()).next_id();
        let late = TimeOrderedIds::at(Timestamp::parse("2026-01-01T00:00:01Z").unwrap()).next_id();
        assert!(early < late);
        assert_eq!(early.get_version_num(), 7);
    }
}
