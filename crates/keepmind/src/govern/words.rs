//! The words in which people are told when something was and where it comes from.

use time::OffsetDateTime;

use crate::journal::Who;
use crate::memory::Source;
use crate::timestamp::Timestamp;

/// The day of a moment in UTC: `2026-03-01`.
pub(super) fn day(moment: Timestamp) -> String {
    moment.to_string().chars().take(10).collect()
}

/// The month of a moment in UTC: `March 2026`.
pub(super) fn month(moment: Timestamp) -> String {
    let date = OffsetDateTime::from(moment).date();
    format!("{} {}", date.month(), date.year())
}

/// Where a memory comes from: `said by the user`.
pub(super) fn source(source: Source) -> &'static str {
    match source {
        Source::User => "said by the user",
        Source::Agent => "saved by the assistant",
        Source::Extracted => "read from a chat",
        Source::Derived => "concluded",
        Source::Imported => "imported",
    }
}

/// Who did something: `the user`.
pub(super) fn who(who: Who) -> &'static str {
    match who {
        Who::User => "the user",
        Who::Agent => "the assistant",
        Who::Extractor => "the close of a chat",
        Who::Consolidator => "a consolidation",
        Who::Sweep => "the sweep",
        Who::Host => "the host",
    }
}

/// `1 time`, `3 times`.
pub(super) fn times(count: u32) -> String {
    match count {
        1 => "once".to_owned(),
        count => format!("{count} times"),
    }
}
