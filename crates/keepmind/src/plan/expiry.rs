//! When a memory stops being shown by itself: its class, its category's, its domain's.

use std::time::Duration;

use time::{OffsetDateTime, Time, UtcOffset};

use crate::memory::Authority;
use crate::policy::{Policy, TimeToLive};
use crate::text;
use crate::timestamp::Timestamp;

/// What decides how long a memory lives.
pub(super) struct Life<'a> {
    pub content: &'a str,
    pub category: &'a str,
    pub domain: Option<&'a str>,
    pub authority: Authority,
    /// The class that was asked for.
    pub class: Option<TimeToLive>,
}

/// When it expires, if it does. A deadline is a day of the user's, so it needs their offset.
pub(super) fn expires_at(
    life: &Life<'_>,
    policy: &Policy,
    now: Timestamp,
    offset: UtcOffset,
) -> Option<Timestamp> {
    let category = policy.category(life.category);
    let class = life
        .class
        .or_else(|| category.map(|category| category.time_to_live))
        .unwrap_or_default();
    let days = &policy.time_to_live;
    let by_class = match class {
        TimeToLive::Contextual => Some(after(now, days.contextual)),
        TimeToLive::Temporary => Some(after(now, days.temporary)),
        TimeToLive::Deadline => {
            deadline(life.content, now, offset).map(|end| after(end.max(now), days.deadline_grace))
        }
        TimeToLive::Lasting => None,
    };
    // Asked to last, it lasts; the domain speaks only where nobody else did.
    let by_domain = match (by_class, life.class, life.authority) {
        (None, None, Authority::Note) => life
            .domain
            .and_then(|name| policy.domain(name))
            .and_then(|domain| domain.default_expiry_days)
            .map(|days| after(now, days)),
        _ => None,
    };
    by_class.or(by_domain)
}

/// That many days later.
pub(super) fn after(moment: Timestamp, days: u32) -> Timestamp {
    moment.saturating_add(Duration::from_secs(u64::from(days) * 86_400))
}

/// Whether more than that many days went by.
pub(super) fn is_over(since: Timestamp, days: u32, now: Timestamp) -> bool {
    now > after(since, days)
}

/// The end of the day that a content names.
fn deadline(content: &str, now: Timestamp, offset: UtcOffset) -> Option<Timestamp> {
    let today = OffsetDateTime::from(now).checked_to_offset(offset)?.date();
    let day = text::deadline(content, today)?;
    let midnight = day
        .next_day()?
        .with_time(Time::MIDNIGHT)
        .assume_offset(offset);
    Timestamp::try_from(midnight).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn life<'a>(content: &'a str, class: Option<TimeToLive>, domain: Option<&'a str>) -> Life<'a> {
        Life {
            content,
            category: "context",
            domain,
            authority: Authority::Note,
            class,
        }
    }

    #[test]
    fn classes_domains_and_deadlines() {
        let now = Timestamp::parse("2026-03-01T09:00:00Z").unwrap();
        let policy = Policy::assistant();
        let at = |life: &Life<'_>| {
            expires_at(life, &policy, now, UtcOffset::UTC).map(|at| at.to_string())
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(at(&life("x", None, None)), None);
        assert_eq!(
            at(&life("x", Some(TimeToLive::Temporary), None)),
            some("2026-03-02T09:00:00Z")
        );
        assert_eq!(
            at(&life("x", Some(TimeToLive::Contextual), None)),
            some("2026-03-08T09:00:00Z")
        );
        assert_eq!(
            at(&life("x", None, Some("work"))),
            some("2026-05-30T09:00:00Z")
        );
        assert_eq!(
            at(&life("x", Some(TimeToLive::Lasting), Some("work"))),
            None
        );
        let rule = Life {
            authority: Authority::Rule,
            ..life("x", None, Some("work"))
        };
        assert_eq!(at(&rule), None);
        let due = life("Report due 2026-03-10", Some(TimeToLive::Deadline), None);
        assert_eq!(at(&due), some("2026-03-18T00:00:00Z"));
        let east = expires_at(&due, &policy, now, UtcOffset::from_hms(7, 0, 0).unwrap());
        assert_eq!(east.map(|at| at.to_string()), some("2026-03-17T17:00:00Z"));
        assert_eq!(
            at(&life("no date here", Some(TimeToLive::Deadline), None)),
            None
        );
        let past = life(
            "Report was due 2020-03-10",
            Some(TimeToLive::Deadline),
            None,
        );
        assert_eq!(at(&past), some("2026-03-08T09:00:00Z"));
    }
}
