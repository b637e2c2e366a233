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

/// Identifiers of UUID version 7: sorted by the moment given, random beyond it, and counting up from the
/// first: asking the system for more chance for each of them would take longer than all else about it.
#[derive(Debug)]
pub struct TimeOrderedIds {
    moment: Timestamp,
    last: Option<Uuid>,
}

/// The last 62 bits of a UUID: all that is behind its variant.
const COUNTED: u128 = (1 << 62) - 1;

impl TimeOrderedIds {
    /// Identifiers of that moment.
    pub fn at(moment: Timestamp) -> Self {
        TimeOrderedIds { moment, last: None }
    }

    fn random(&self) -> Uuid {
        let micros = u64::try_from(self.moment.as_micros()).unwrap_or(0);
        let nanos = u32::try_from(micros % 1_000_000).unwrap_or(0) * 1_000;
        Uuid::new_v7(uuid::Timestamp::from_unix(
            NoContext,
            micros / 1_000_000,
            nanos,
        ))
    }
}

impl IdSource for TimeOrderedIds {
    fn next_id(&mut self) -> Uuid {
        let counted = self.last.map(|last| last.as_u128());
        let id = match counted.filter(|last| last & COUNTED != COUNTED) {
            Some(last) => Uuid::from_u128(last + 1),
            None => self.random(),
        };
        self.last = Some(id);
        id
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

    #[test]
    fn ids_of_one_moment_count_up_and_stay_what_they_are() {
        let mut ids = TimeOrderedIds::at(Timestamp::UNIX_EPOCH);
        let made: Vec<Uuid> = (0..100).map(|_| ids.next_id()).collect();
        assert!(made.windows(2).all(|pair| pair[0] < pair[1]));
        let is_right =
            |id: &Uuid| id.get_version_num() == 7 && id.get_variant() == uuid::Variant::RFC4122;
        assert!(made.iter().all(is_right));
        // Where it cannot count on, it begins anew: never another version or variant.
        ids.last = Some(Uuid::from_u128(made[0].as_u128() | COUNTED));
        let anew = ids.next_id();
        assert!(is_right(&anew) && ids.last == Some(anew));
        let mut others = TimeOrderedIds::at(Timestamp::UNIX_EPOCH);
        assert!(!made.contains(&others.next_id()));
    }
}
