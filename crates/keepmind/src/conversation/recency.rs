//! How long ago something was, as a list of chats puts it: by the days of the user's calendar.

use serde::{Deserialize, Serialize};
use time::{Date, OffsetDateTime, UtcOffset};

use crate::timestamp::Timestamp;

/// How long ago, newest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Recency {
    /// On the user's present day, or later.
    Today,
    /// On the day before.
    Yesterday,
    /// On one of the six days before that.
    PreviousSevenDays,
    /// Earlier.
    Older,
}

/// The clock on the user's wall.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LocalTime {
    /// How far it is ahead of UTC.
    pub offset: UtcOffset,
    /// Until that moment it was another: where clocks were moved within the days that matter.
    pub before: Option<(Timestamp, UtcOffset)>,
}

impl LocalTime {
    /// What the calendar beside it showed.
    pub(crate) fn date(&self, at: Timestamp) -> Date {
        let offset = match self.before {
            Some((until, offset)) if at < until => offset,
            _ => self.offset,
        };
        let moment = OffsetDateTime::from(at);
        // At the ends of the years that can be kept, a day has no neighbour.
        moment
            .checked_to_offset(offset)
            .map_or_else(|| moment.date(), OffsetDateTime::date)
    }
}

/// How long before `now` the moment was, in days of the user. What is still to come counts as today.
pub(crate) fn recency(at: Timestamp, now: Timestamp, local: &LocalTime) -> Recency {
    let day = |moment| local.date(moment).to_julian_day();
    match day(now) - day(at) {
        ..=0 => Recency::Today,
        1 => Recency::Yesterday,
        2..=7 => Recency::PreviousSevenDays,
        _ => Recency::Older,
    }
}

#[cfg(test)]
mod tests {
    use super::Recency::{Older, PreviousSevenDays, Today, Yesterday};
    use super::*;

    fn moment(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    fn hours(hours: i8) -> UtcOffset {
        UtcOffset::from_hms(hours, 0, 0).unwrap()
    }

    #[test]
    fn days_of_the_user() {
        let table = [
            (0, "2026-03-10T00:00:00Z", "2026-03-10T00:00:00Z", Today),
            (
                0,
                "2026-03-10T00:00:00Z",
                "2026-03-09T23:59:59.999999Z",
                Yesterday,
            ),
            (0, "2026-03-10T23:59:59Z", "2026-03-10T00:00:00Z", Today),
            (0, "2026-03-10T23:59:59Z", "2026-03-09T00:00:00Z", Yesterday),
            (
                0,
                "2026-03-10T23:59:59Z",
                "2026-03-08T23:59:59Z",
                PreviousSevenDays,
            ),
            (
                0,
                "2026-03-10T12:00:00Z",
                "2026-03-03T00:00:00Z",
                PreviousSevenDays,
            ),
            (0, "2026-03-10T12:00:00Z", "2026-03-02T23:59:59Z", Older),
            (0, "2026-03-10T12:00:00Z", "2026-03-11T12:00:00Z", Today),
            (0, "2026-03-10T12:00:00Z", "2030-01-01T00:00:00Z", Today),
            (0, "2026-01-01T01:00:00Z", "2025-12-31T23:00:00Z", Yesterday),
            // 22:30 in New York is half past two the next day in UTC.
            (-4, "2026-07-02T02:30:00Z", "2026-07-01T04:00:00Z", Today),
            (
                -4,
                "2026-07-02T02:30:00Z",
                "2026-07-01T03:59:59Z",
                Yesterday,
            ),
            // Nine in the morning in Tokyo is midnight in UTC.
            (9, "2026-07-02T00:00:00Z", "2026-07-01T15:00:00Z", Today),
            (9, "2026-07-02T00:00:00Z", "2026-07-01T14:59:59Z", Yesterday),
            (
                14,
                "2026-07-01T10:00:00Z",
                "2026-07-01T09:59:59Z",
                Yesterday,
            ),
            (-12, "2026-07-01T11:59:59Z", "2026-07-01T12:00:00Z", Today),
            (14, "9999-12-31T23:59:59Z", "9999-12-31T00:00:00Z", Today),
            (-12, "0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z", Today),
        ];
        for (offset, now, at, expected) in table {
            let local = LocalTime {
                offset: hours(offset),
                before: None,
            };
            assert_eq!(
                recency(moment(at), moment(now), &local),
                expected,
                "{at} at {now}"
            );
        }
    }

    #[test]
    fn clocks_that_were_moved() {
        // Berlin: from +1 to +2 on 29 March 2026 at 01:00 UTC, back on 25 October at 01:00 UTC.
        let spring = (moment("2026-03-29T01:00:00Z"), hours(1));
        let autumn = (moment("2026-10-25T01:00:00Z"), hours(2));
        let table = [
            // Midnight before the change was at 23:00 UTC, not at 22:00.
            (
                2,
                spring,
                "2026-03-29T10:00:00Z",
                "2026-03-28T22:59:59Z",
                Yesterday,
            ),
            (
                2,
                spring,
                "2026-03-29T10:00:00Z",
                "2026-03-28T23:00:00Z",
                Today,
            ),
            (
                2,
                spring,
                "2026-03-29T22:00:00Z",
                "2026-03-29T21:59:59Z",
                Yesterday,
            ),
            (
                2,
                spring,
                "2026-03-30T10:00:00Z",
                "2026-03-28T22:30:00Z",
                PreviousSevenDays,
            ),
            (
                1,
                autumn,
                "2026-10-25T10:00:00Z",
                "2026-10-24T22:00:00Z",
                Today,
            ),
            (
                1,
                autumn,
                "2026-10-25T10:00:00Z",
                "2026-10-24T21:59:59Z",
                Yesterday,
            ),
            (
                1,
                autumn,
                "2026-10-25T23:00:00Z",
                "2026-10-25T22:59:59Z",
                Yesterday,
            ),
            (
                1,
                autumn,
                "2026-10-26T10:00:00Z",
                "2026-10-24T22:30:00Z",
                Yesterday,
            ),
        ];
        for (offset, before, now, at, expected) in table {
            let local = LocalTime {
                offset: hours(offset),
                before: Some(before),
            };
            assert_eq!(
                recency(moment(at), moment(now), &local),
                expected,
                "{at} at {now}"
            );
        }
    }

    #[test]
    fn written_as_words_and_sorted_newest_first() {
        assert!(Today < Yesterday && PreviousSevenDays < Older);
        let written = serde_json::to_string(&PreviousSevenDays).unwrap();
        assert_eq!(written, "\"previous_seven_days\"");
    }
}
