//! How sure the store still is of a row: decay, computed when read and never written.
//! Only the block looks at it; recall uses the stored confidence, and feedback changes that one.

use crate::policy::Policy;
use crate::row::MemoryRow;
use crate::timestamp::Timestamp;

const MICROS_A_DAY: f64 = 86_400_000_000.0;

/// The confidence of a row at `now`: halved for every half-life of its category since the row was last
/// affirmed, or recorded if it never was.
///
/// Always within 0 to 1. A row without stored confidence was said explicitly: 1. Categories without a
/// half-life, or that the policy does not know, do not decay, nor does a row whose last reinforcement
/// lies ahead of the clock.
pub fn effective(row: &MemoryRow, policy: &Policy, now: Timestamp) -> f64 {
    let Some(stored) = row.marks.confidence else {
        return 1.0;
    };
    let half_life = policy
        .category(&row.body.claim.category)
        .and_then(|category| category.half_life_days);
    let decayed = match half_life {
        None => stored,
        Some(days) => {
            let reinforced = row.marks.last_confirmed_at.unwrap_or(row.recorded_at);
            let micros = now.as_micros().saturating_sub(reinforced.as_micros());
            let passed = micros.max(0) as f64 / MICROS_A_DAY;
            stored * 0.5_f64.powf(passed / f64::from(days.max(1)))
        }
    };
    if decayed.is_nan() {
        return 0.0;
    }
    decayed.clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;
    use crate::ids::{Number, RowId, Version};
    use crate::memory::{Claim, Marks, Memory};

    fn row(category: &str, confidence: Option<f64>, confirmed: Option<Timestamp>) -> MemoryRow {
        let id = RowId::new(Uuid::from_u128(1));
        MemoryRow {
            id,
            origin: id.into(),
            recorded_at: Timestamp::UNIX_EPOCH,
            end: None,
            marks: Marks {
                confidence,
                last_confirmed_at: confirmed,
                ..Marks::default()
            },
            body: Memory {
                number: Number::FIRST,
                version: Version::FIRST,
                claim: Claim::note(category, "likes tea", Timestamp::UNIX_EPOCH),
            },
        }
    }

    fn hours(count: u64) -> Timestamp {
        Timestamp::UNIX_EPOCH.saturating_add(Duration::from_secs(count * 3_600))
    }

    #[test]
    fn confidence_halves_with_every_half_life_since_the_last_affirmation() {
        let policy = Policy::advisor();
        let day = 24;
        let table = [
            ("explicit", "fact", None, None, 10_000 * day, 1.0),
            ("fresh", "fact", Some(0.8), None, 0, 0.8),
            ("half-life", "fact", Some(0.8), None, 365 * day, 0.4),
            ("two of them", "fact", Some(0.8), None, 730 * day, 0.2),
            (
                "part of a day",
                "response_style",
                Some(1.0),
                None,
                12,
                0.998_076_6,
            ),
            (
                "affirmed",
                "fact",
                Some(0.8),
                Some(365 * day),
                730 * day,
                0.4,
            ),
            ("affirmed ahead", "fact", Some(0.8), Some(9 * day), day, 0.8),
            ("a fact of life", "profile", Some(0.8), None, 9_999, 0.8),
            ("unknown", "nowhere", Some(0.8), None, 9_999, 0.8),
            ("above", "profile", Some(7.0), None, 0, 1.0),
            ("below", "profile", Some(-7.0), None, 0, 0.0),
            ("no number", "fact", Some(f64::NAN), None, 0, 0.0),
        ];
        for (what, category, stored, confirmed, now, expected) in table {
            let row = row(category, stored, confirmed.map(hours));
            let found = effective(&row, &policy, hours(now));
            assert!((found - expected).abs() < 1e-6, "{what}: {found}");
        }
        let early = row("fact", Some(0.8), Some(Timestamp::MIN));
        assert_eq!(effective(&early, &policy, Timestamp::MAX), 0.0);
        let late = row("fact", Some(0.8), Some(Timestamp::MAX));
        assert_eq!(effective(&late, &policy, Timestamp::MIN), 0.8);
    }

    proptest! {
        #[test]
        fn time_only_takes_away(
            stored in 0.0_f64..=1.0,
            category in prop::sample::select(vec!["profile", "fact", "response_style", "nowhere"]),
            confirmed in prop::option::of(0_u64..1_000_000),
            one in 0_u64..1_000_000,
            other in 0_u64..1_000_000,
        ) {
            let policy = Policy::advisor();
            let row = row(category, Some(stored), confirmed.map(hours));
            let early = effective(&row, &policy, hours(one.min(other)));
            let late = effective(&row, &policy, hours(one.max(other)));
            prop_assert!(late <= early && early <= stored && late >= 0.0);
        }
    }
}
