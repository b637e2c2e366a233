//! A moment in UTC, to the microsecond. Reading the clock is not here: that is [`Clock`](crate::Clock).

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};
use time::format_description::well_known::Rfc3339;
use time::{Date, Month, OffsetDateTime, Time, UtcOffset};

/// A moment in UTC, in whole microseconds, between the years 0 and 9999.
///
/// Serialises as RFC 3339 (`2026-03-01T09:30:00.000001Z`) and is stored as an integer, so that every
/// backend orders and compares moments alike.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

/// A moment that cannot be kept: outside the years 0 to 9999, or not RFC 3339.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TimestampError {
    /// The moment lies outside the years that can be kept.
    #[error("a moment must lie between the years 0 and 9999; {0} microseconds since 1970 does not")]
    OutOfRange(i128),
    /// The text is not an RFC 3339 date and time.
    #[error("a moment is written like 2026-03-01T09:30:00Z (RFC 3339)")]
    NotRfc3339,
}

impl Timestamp {
    /// The first moment that can be kept: midnight on the first day of year 0.
    pub const MIN: Timestamp = Timestamp(-62_167_219_200_000_000);
    /// The last moment that can be kept: the last microsecond of the year 9999.
    pub const MAX: Timestamp = Timestamp(253_402_300_799_999_999);
    /// 1970-01-01T00:00:00Z.
    pub const UNIX_EPOCH: Timestamp = Timestamp(0);

    /// The moment that many microseconds after 1970 began.
    pub fn from_micros(micros: i64) -> Result<Self, TimestampError> {
        let moment = Timestamp(micros);
        if moment < Self::MIN || moment > Self::MAX {
            return Err(TimestampError::OutOfRange(micros.into()));
        }
        Ok(moment)
    }

    /// Microseconds since 1970 began; negative before.
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// Reads RFC 3339; any offset is turned into UTC, what is finer than a microsecond is cut.
    pub fn parse(text: &str) -> Result<Self, TimestampError> {
        if let Some(moment) = parse_as_written(text.as_bytes()) {
            return Ok(moment);
        }
        OffsetDateTime::parse(text, &Rfc3339)
            .map_err(|_| TimestampError::NotRfc3339)?
            .try_into()
    }

    /// As RFC 3339, in a buffer and of that length: every row that is read or shown has several moments, and
    /// writing them by a description costs more than all the rest of it.
    fn written(self) -> ([u8; LONGEST], usize) {
        let moment = OffsetDateTime::from(self);
        let (year, month, day) = moment.to_calendar_date();
        let (hour, minute, second, mut micros) = moment.to_hms_micro();
        let mut buffer = *b"0000-00-00T00:00:00.000000Z";
        digits(&mut buffer[..4], year.unsigned_abs());
        digits(&mut buffer[5..7], u32::from(u8::from(month)));
        digits(&mut buffer[8..10], u32::from(day));
        digits(&mut buffer[11..13], u32::from(hour));
        digits(&mut buffer[14..16], u32::from(minute));
        digits(&mut buffer[17..19], u32::from(second));
        let mut end = 19;
        if micros > 0 {
            end = 26;
            while micros.is_multiple_of(10) {
                micros /= 10;
                end -= 1;
            }
            digits(&mut buffer[20..end], micros);
        }
        buffer[end] = b'Z';
        (buffer, end + 1)
    }

    /// Reads RFC 3339, or a date alone: where that day begins for a user at that offset.
    pub(crate) fn parse_day_or_moment(
        text: &str,
        offset: UtcOffset,
    ) -> Result<Self, TimestampError> {
        if text.len() != "2026-03-01".len() {
            return Timestamp::parse(text);
        }
        let midnight = Timestamp::parse(&format!("{text}T00:00:00Z"))?;
        OffsetDateTime::from(midnight)
            .replace_offset(offset)
            .try_into()
    }

    /// This moment moved by `duration`, stopping at [`Timestamp::MAX`].
    pub fn saturating_add(self, duration: Duration) -> Self {
        let micros = i64::try_from(duration.as_micros()).unwrap_or(i64::MAX);
        Timestamp(self.0.saturating_add(micros).min(Self::MAX.0))
    }

    /// This moment moved back by `duration`, stopping at [`Timestamp::MIN`].
    pub fn saturating_sub(self, duration: Duration) -> Self {
        let micros = i64::try_from(duration.as_micros()).unwrap_or(i64::MAX);
        Timestamp(self.0.saturating_sub(micros).max(Self::MIN.0))
    }

    /// The next moment that can be told apart from this one, or `None` after [`Timestamp::MAX`].
    pub fn next(self) -> Option<Self> {
        (self < Self::MAX).then(|| Timestamp(self.0 + 1))
    }
}

/// The longest that a moment is written, in bytes.
const LONGEST: usize = "2026-03-01T09:30:00.000001Z".len();

fn digits(places: &mut [u8], mut number: u32) {
    for place in places.iter_mut().rev() {
        *place = b'0' + (number % 10) as u8;
        number /= 10;
    }
}

/// Reads a moment as it is written here; nothing of any other form, which may be right all the same.
fn parse_as_written(text: &[u8]) -> Option<Timestamp> {
    let number = |from: usize, to: usize| -> Option<u32> {
        let mut number = 0;
        for byte in text.get(from..to)? {
            number = number * 10 + u32::from(byte.is_ascii_digit().then(|| byte - b'0')?);
        }
        Some(number)
    };
    let is_at = |place: usize, sign: u8| text.get(place) == Some(&sign);
    let (last, text_end) = (text.last()?, text.len() - 1);
    let is_shaped = *last == b'Z'
        && is_at(4, b'-')
        && is_at(7, b'-')
        && is_at(10, b'T')
        && is_at(13, b':')
        && is_at(16, b':');
    if !is_shaped {
        return None;
    }
    let micros = match text_end {
        19 => 0,
        21..=26 if is_at(19, b'.') => number(20, text_end)? * 10_u32.pow(26 - text_end as u32),
        _ => return None,
    };
    let small = |from: usize| u8::try_from(number(from, from + 2)?).ok();
    let month = Month::try_from(small(5)?).ok()?;
    let date = Date::from_calendar_date(number(0, 4)?.cast_signed(), month, small(8)?).ok()?;
    let time = Time::from_hms_micro(small(11)?, small(14)?, small(17)?, micros).ok()?;
    date.with_time(time).assume_utc().try_into().ok()
}

impl TryFrom<OffsetDateTime> for Timestamp {
    type Error = TimestampError;

    fn try_from(moment: OffsetDateTime) -> Result<Self, TimestampError> {
        let micros = moment.unix_timestamp_nanos().div_euclid(1_000);
        i64::try_from(micros)
            .map_err(|_| TimestampError::OutOfRange(micros))
            .and_then(Self::from_micros)
    }
}

impl From<Timestamp> for OffsetDateTime {
    fn from(moment: Timestamp) -> Self {
        let micros = moment.0.rem_euclid(1_000_000) as u32;
        OffsetDateTime::from_unix_timestamp(moment.0.div_euclid(1_000_000))
            .and_then(|second| second.replace_microsecond(micros))
            .unwrap_or(OffsetDateTime::UNIX_EPOCH)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (buffer, length) = self.written();
        formatter.write_str(std::str::from_utf8(&buffer[..length]).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (buffer, length) = self.written();
        let text = std::str::from_utf8(&buffer[..length]).map_err(ser::Error::custom)?;
        serializer.serialize_str(text)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        Timestamp::parse(&text).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reads_and_writes_rfc_3339() {
        for (text, written) in [
            ("2026-03-01T09:30:00Z", "2026-03-01T09:30:00Z"),
            ("2026-03-01T09:30:00.000001Z", "2026-03-01T09:30:00.000001Z"),
            ("2026-03-01T11:30:00+02:00", "2026-03-01T09:30:00Z"),
            (
                "1969-12-31T23:59:59.9999999Z",
                "1969-12-31T23:59:59.999999Z",
            ),
            ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z"),
            ("9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"),
        ] {
            assert_eq!(Timestamp::parse(text).unwrap().to_string(), written);
        }
        assert_eq!(Timestamp::MIN.to_string(), "0000-01-01T00:00:00Z");
        assert_eq!(Timestamp::MAX.to_string(), "9999-12-31T23:59:59.999999Z");
    }

    proptest! {
        #[test]
        fn every_moment_is_written_and_read_as_rfc_3339(
            micros in Timestamp::MIN.0..=Timestamp::MAX.0,
            coarse in prop::sample::select(vec![1, 10, 1_000, 100_000, 1_000_000, 86_400_000_000]),
        ) {
            let moment = Timestamp(micros / coarse * coarse);
            let slowly = OffsetDateTime::from(moment).format(&Rfc3339).unwrap();
            prop_assert_eq!(moment.to_string(), &slowly[..]);
            prop_assert_eq!(Timestamp::parse(&slowly), Ok(moment));
            prop_assert_eq!(parse_as_written(slowly.as_bytes()), Some(moment));
        }

        #[test]
        fn what_is_read_quickly_is_right(
            text in "[0-9]{4}-[01][0-9]-[0-3][0-9][Tt ][0-2][0-9]:[0-6][0-9]:[0-6][0-9](\\.[0-9]{0,7})?[Zz]",
        ) {
            let slowly = OffsetDateTime::parse(&text, &Rfc3339).ok();
            let slowly = slowly.and_then(|moment| Timestamp::try_from(moment).ok());
            if let Some(quickly) = parse_as_written(text.as_bytes()) {
                prop_assert_eq!(Some(quickly), slowly);
            }
            prop_assert_eq!(Timestamp::parse(&text).ok(), slowly);
        }
    }

    #[test]
    fn a_date_alone_is_where_the_day_begins() {
        let east = UtcOffset::from_hms(5, 30, 0).unwrap();
        for (text, offset, read) in [
            ("2026-03-01", UtcOffset::UTC, Some("2026-03-01T00:00:00Z")),
            ("2026-03-01", east, Some("2026-02-28T18:30:00Z")),
            ("2026-03-01T09:30:00Z", east, Some("2026-03-01T09:30:00Z")),
            ("0000-01-01", UtcOffset::UTC, Some("0000-01-01T00:00:00Z")),
            ("0000-01-01", east, None),
            ("2026-02-30", UtcOffset::UTC, None),
            ("2026-3-01", UtcOffset::UTC, None),
            ("next March", UtcOffset::UTC, None),
            ("", UtcOffset::UTC, None),
        ] {
            let moment = Timestamp::parse_day_or_moment(text, offset).ok();
            let read = read.map(|read| Timestamp::parse(read).unwrap());
            assert_eq!(moment, read, "{text} at {offset}");
        }
    }

    #[test]
    fn refuses_what_lies_outside_the_years_kept() {
        for text in [
            "-0001-12-31T23:59:59Z",
            "10000-01-01T00:00:00Z",
            "0000-01-01T00:00:00+01:00",
            "9999-12-31T23:59:59-01:00",
            "yesterday",
            "",
        ] {
            assert!(Timestamp::parse(text).is_err(), "{text}");
        }
        assert!(Timestamp::from_micros(i64::MIN).is_err());
        assert!(Timestamp::from_micros(i64::MAX).is_err());
    }

    #[test]
    fn arithmetic_stops_at_the_ends() {
        let long = Duration::from_secs(u64::MAX);
        assert_eq!(Timestamp::MAX.saturating_add(long), Timestamp::MAX);
        assert_eq!(Timestamp::MIN.saturating_sub(long), Timestamp::MIN);
        assert_eq!(Timestamp::MAX.next(), None);
        assert_eq!(Timestamp::UNIX_EPOCH.next(), Some(Timestamp(1)));
    }
}
