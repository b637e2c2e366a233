//! The date that a sentence names as a deadline, counted from a day that is given. Names of months,
//! days and units are in `date_words`; what a deadline does to a memory is decided elsewhere.

use time::{Date, Duration, Month, Weekday};

use super::date_words::{Name, name, number, phrase_ends_month};
use super::lexicon::Words;
use super::skeleton::uncovered;

/// The date that `text` names, the latest when it names several; `None` when it names none.
///
/// Read are ISO dates (`2027-03-01`), European ones (`12.03.2027`, `12.03.`), dates with slashes,
/// names of months in English, German, French and Spanish with a day before or after ("30 April
/// 2027", "March 12th", "le 3 mai"), a month with its year or after "end of" (its last day), days of the
/// week, "today", "tomorrow", "in 3 days", "in two weeks", "next month", "end of the month".
///
/// - Numbers with slashes are day before month (`03/04/2027` is 3 April), unless only month before
///   day is a real date.
/// - Without a year it is the next such day, and `today` is one. "Next Monday" is never today.
/// - A year of two digits is in this century. What is no real date (30 February) is not read.
///
/// ```
/// use keepmind::text::deadline;
/// use time::{Date, Month};
/// let today = Date::from_calendar_date(2027, Month::March, 1).unwrap();
/// let taxes = deadline("has to file taxes by 30 April 2027", today).unwrap();
/// assert_eq!(taxes.to_string(), "2027-04-30");
/// assert_eq!(deadline("exam on March 12", today).unwrap().to_string(), "2027-03-12");
/// assert_eq!(deadline("likes tea", today), None);
/// ```
#[must_use]
pub fn deadline(text: &str, today: Date) -> Option<Date> {
    let text = uncovered(text);
    let reader = Reader {
        words: Words::of(&text),
        text: &text,
        today,
    };
    let mut latest: Option<Date> = None;
    let mut index = 0;
    while index < reader.words.len() {
        let (found, length) = reader.at(index).unwrap_or((None, 1));
        latest = latest.max(found);
        index += length;
    }
    latest
}

/// What was read: a date, or something that would be one if it existed, and how many words it took.
type Read = Option<(Option<Date>, usize)>;

struct Reader<'text> {
    words: Words,
    text: &'text str,
    today: Date,
}

impl Reader<'_> {
    fn at(&self, index: usize) -> Read {
        self.numeric(index)
            .or_else(|| self.day_and_month(index))
            .or_else(|| self.month_and_day(index))
            .or_else(|| self.end_of(index))
            .or_else(|| self.span(index))
            .or_else(|| self.weekday(index))
            .or_else(|| self.single(index))
    }

    fn name(&self, index: usize) -> Option<Name> {
        name(self.words.text(index))
    }

    /// A number written in digits, with an ordinal ending at most.
    fn digits(&self, index: usize) -> Option<u32> {
        let word = self.words.text(index);
        let end = word
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(word.len());
        let ordinal = matches!(&word[end..], "" | "st" | "nd" | "rd" | "th" | "er" | "re");
        (ordinal && (1..=4).contains(&end)).then(|| word[..end].parse().ok())?
    }

    /// What stands between a word and the next.
    fn between(&self, index: usize) -> &str {
        let place = |index| self.words.get(index).map(|word| word.place.clone());
        match (place(index), place(index + 1)) {
            (Some(before), Some(after)) => self.text.get(before.end..after.start).unwrap_or(""),
            (Some(before), None) => self.text.get(before.end..).unwrap_or(""),
            _ => "",
        }
    }

    /// `2027-03-01`, `12.03.2027`, `12/03/2027`, `12.03.`
    fn numeric(&self, index: usize) -> Read {
        let bare = |index: usize| {
            self.digits(index).filter(|_| {
                self.words
                    .text(index)
                    .bytes()
                    .all(|byte| byte.is_ascii_digit())
            })
        };
        let first = bare(index)?;
        let sign = self.between(index);
        let second = self.words.text(index + 1);
        // "2027-03-01T09:00"
        let third = self.words.text(index + 2);
        let third = third.split('t').next().unwrap_or(third);
        if !matches!(sign, "-" | "." | "/" | ". ") {
            return None;
        }
        let month = bare(index + 1)?;
        let again = self.between(index + 1);
        let longer = (!third.is_empty()
            && third.bytes().all(|byte| byte.is_ascii_digit())
            && third.len() <= 4)
            .then(|| third.parse::<u32>().ok())
            .flatten()
            .filter(|_| again == sign);
        if self.words.text(index).len() == 4 && sign != ". " {
            let day = longer?;
            return Some((real(first, month, day), 3));
        }
        if let Some(year) = longer.filter(|_| third.len() == 4 || third.len() == 2) {
            let year = if third.len() == 2 {
                century(self.today) + year
            } else {
                year
            };
            let date = real(year, month, first)
                .or_else(|| (sign == "/").then(|| real(year, first, month)).flatten());
            return Some((date, 3));
        }
        let dotted = matches!(sign, "." | ". ")
            && again.starts_with('.')
            && (again.len() > 1 || third.is_empty())
            && second.len() <= 2;
        if dotted && self.words.text(index).len() <= 2 {
            return Some((self.next_day(month, first), 2));
        }
        None
    }

    fn month(&self, index: usize) -> Option<u32> {
        match self.name(index) {
            Some(Name::Month(month)) => Some(month),
            _ => None,
        }
    }

    /// A year of four digits that belongs to the date before it.
    fn year(&self, index: usize) -> Option<u32> {
        let near = matches!(
            self.between(index.checked_sub(1)?),
            " " | ", " | ". " | "-" | "/" | " '"
        );
        let word = self.words.text(index);
        let four = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
        (near && four).then(|| word.parse().ok())?
    }

    /// "30 April 2027", "the 30th of April", "1. Mai", "le 3 mai", "3 de mayo de 2027".
    fn day_and_month(&self, index: usize) -> Read {
        let day = self
            .digits(index)
            .filter(|_| self.words.text(index).len() <= 4)?;
        let mut at = index + 1;
        if matches!(self.words.text(at), "of" | "de" | "the") {
            at += 1;
        }
        if !matches!(self.between(index), " " | ". " | "." | "-" | "/") {
            return None;
        }
        let month = self.month(at)?;
        let mut after = at + 1;
        if matches!(self.words.text(after), "de" | "del" | "of") && self.year(after + 1).is_some() {
            after += 1;
        }
        Some(match self.year(after) {
            Some(year) => (real(year, month, day), after + 1 - index),
            None => (self.next_day(month, day), at + 1 - index),
        })
    }

    /// "March 12", "March 12th, 2027", "March 2027".
    fn month_and_day(&self, index: usize) -> Read {
        let month = self.month(index)?;
        let mut at = index + 1;
        if self.words.text(at) == "the" {
            at += 1;
        }
        let near = matches!(self.between(index), " " | ". " | "-" | "." | ", ");
        if let Some(year) = self.year(index + 1) {
            return Some((last_of(year, month), 2));
        }
        let day = self.digits(at).filter(|day| near && *day <= 31)?;
        Some(match self.year(at + 1) {
            Some(year) => (real(year, month, day), at + 2 - index),
            None => (self.next_day(month, day), at + 1 - index),
        })
    }

    /// "end of the month", "by the end of March", "Ende März", "fin de mes".
    fn end_of(&self, index: usize) -> Read {
        if self.name(index) != Some(Name::End) {
            return None;
        }
        let mut at = index + 1;
        while at < index + 4 && phrase_ends_month(self.words.text(at)) {
            at += 1;
        }
        let (year, month) = (
            self.today.year().unsigned_abs(),
            u32::from(u8::from(self.today.month())),
        );
        let date = match self.name(at)? {
            Name::Month(month) => match self.year(at + 1) {
                Some(year) => last_of(year, month),
                None => {
                    let this = last_of(year, month)?;
                    if this >= self.today {
                        Some(this)
                    } else {
                        last_of(year + 1, month)
                    }
                }
            },
            Name::Months => {
                let next = (index + 1..at).any(|word| self.name(word) == Some(Name::Next));
                let (year, month) = if next {
                    following(year, month)
                } else {
                    (year, month)
                };
                last_of(year, month)
            }
            Name::Years => real(year, 12, 31),
            Name::Weeks => self.next_weekday(Weekday::Sunday, false),
            Name::Days => Some(self.today),
            _ => return None,
        };
        Some((date, at + 1 - index))
    }

    /// "in 3 days", "in two weeks", "within a month", "next week".
    fn span(&self, index: usize) -> Read {
        let (count, unit, length) = match self.name(index)? {
            Name::Within => {
                let count = self
                    .digits(index + 1)
                    .or_else(|| number(self.words.text(index + 1)))?;
                (count, self.name(index + 2)?, 3)
            }
            Name::Next => (1, self.name(index + 1)?, 2),
            _ => return None,
        };
        let count = i64::from(count.min(9_999));
        let date = match unit {
            Name::Days => self.later(count),
            Name::Weeks => self.later(count * 7),
            Name::Months => {
                let months =
                    i64::from(self.today.year()) * 12 + i64::from(u8::from(self.today.month())) - 1
                        + count;
                let year = u32::try_from(months / 12).ok();
                let month = u32::try_from(months % 12 + 1).ok();
                let day = u32::from(self.today.day());
                year.zip(month).and_then(|(year, month)| {
                    real(year, month, day).or_else(|| last_of(year, month))
                })
            }
            Name::Years => {
                let year = u32::try_from(i64::from(self.today.year()) + count).ok();
                let month = u32::from(u8::from(self.today.month()));
                year.and_then(|year| {
                    real(year, month, u32::from(self.today.day())).or_else(|| last_of(year, month))
                })
            }
            _ => return None,
        };
        Some((date, length))
    }

    /// "Friday", "next Monday".
    fn weekday(&self, index: usize) -> Read {
        let (day, length, strictly) = match (self.name(index)?, self.name(index + 1)) {
            (Name::Next, Some(Name::Weekday(day))) => (day, 2, true),
            (Name::Weekday(day), following) => (day, 1, following == Some(Name::Next)),
            _ => return None,
        };
        Some((self.next_weekday(day, strictly), length))
    }

    fn single(&self, index: usize) -> Read {
        let Name::After(days) = self.name(index)? else {
            return None;
        };
        // "the day after tomorrow"
        let after = days == 1
            && index >= 2
            && self.words.text(index - 1) == "after"
            && self.words.text(index - 2) == "day";
        Some((self.later(days + i64::from(after)), 1))
    }

    fn later(&self, days: i64) -> Option<Date> {
        self.today
            .checked_add(Duration::days(days))
            .filter(|date| date.year() <= 9_999)
    }

    fn next_weekday(&self, day: Weekday, strictly: bool) -> Option<Date> {
        let from = i64::from(self.today.weekday().number_days_from_monday());
        let to = i64::from(day.number_days_from_monday());
        let days = (to - from).rem_euclid(7);
        self.later(if strictly && days == 0 { 7 } else { days })
    }

    /// The next such day: up to eight years on for 29 February.
    fn next_day(&self, month: u32, day: u32) -> Option<Date> {
        let year = u32::try_from(self.today.year()).ok()?;
        (year..=year + 8)
            .filter_map(|year| real(year, month, day))
            .find(|date| *date >= self.today)
    }
}

fn century(today: Date) -> u32 {
    u32::try_from(today.year()).unwrap_or(2_000) / 100 * 100
}

fn real(year: u32, month: u32, day: u32) -> Option<Date> {
    if !(1..=9_999).contains(&year) {
        return None;
    }
    let month = Month::try_from(u8::try_from(month).ok()?).ok()?;
    Date::from_calendar_date(i32::try_from(year).ok()?, month, u8::try_from(day).ok()?).ok()
}

fn last_of(year: u32, month: u32) -> Option<Date> {
    (28..=31).rev().find_map(|day| real(year, month, day))
}

fn following(year: u32, month: u32) -> (u32, u32) {
    if month == 12 {
        (year + 1, 1)
    } else {
        (year, month + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Option<String> {
        // A Tuesday.
        let today = Date::from_calendar_date(2027, Month::February, 9).unwrap();
        deadline(text, today).map(|date| date.to_string())
    }

    #[test]
    fn dates_are_read() {
        let table = [
            ("has to file taxes by 30 April 2027", "2027-04-30"),
            ("report due 2027-03-01", "2027-03-01"),
            ("due 2027-03-01T09:00", "2027-03-01"),
            ("exam on March 12", "2027-03-12"),
            ("exam on March 12th, 2028 at 9", "2028-03-12"),
            ("exam on the 9th of February", "2027-02-09"),
            ("exam on 8 February", "2028-02-08"),
            ("flight on 12.03.2027", "2027-03-12"),
            ("Abgabe am 12.03.", "2027-03-12"),
            ("Abgabe bis zum 3. März 2027", "2027-03-03"),
            ("rendre le rapport le 1er août", "2027-08-01"),
            ("entregar el 3 de mayo de 2028", "2028-05-03"),
            ("rent due tomorrow", "2027-02-10"),
            ("the day after tomorrow", "2027-02-11"),
            ("by Friday", "2027-02-12"),
            ("by Tuesday", "2027-02-09"),
            ("next Tuesday", "2027-02-16"),
            ("lundi prochain", "2027-02-15"),
            ("in 3 days", "2027-02-12"),
            ("in two weeks", "2027-02-23"),
            ("in einem Monat", "2027-03-09"),
            ("end of the month", "2027-02-28"),
            ("by the end of March", "2027-03-31"),
            ("Ende Januar", "2028-01-31"),
            ("am Ende des Monats", "2027-02-28"),
            ("by March 2028", "2028-03-31"),
            ("03/04/2027", "2027-04-03"),
            ("04/13/2027", "2027-04-13"),
            ("12/03/27", "2027-03-12"),
            ("from 1 May to 3 June", "2027-06-03"),
            ("29 February", "2028-02-29"),
            ("１２．０３．２０２７", "2027-03-12"),
        ];
        for (text, expected) in table {
            assert_eq!(read(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "",
            "likes tea",
            "30 February 2027",
            "2027-02-30",
            "version 1.2.3",
            "may I come",
            "32.01.2027",
            "call 555-0199",
            "2027-13-01",
            "3.5 stars",
            "12/25",
            "march on",
            "00.00.2027",
            "0 May",
            "in 3 cafés",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn the_calendar_ends() {
        for text in [
            "tomorrow",
            "in 9999 years",
            "next week",
            "next year",
            "end of the month",
            "in 9999 weeks",
            "1 May",
        ] {
            assert!(
                deadline(text, Date::MAX).is_none_or(|date| date.year() <= 9_999),
                "{text}"
            );
            let _ = deadline(text, Date::MIN);
        }
        for part in ["1 ", "1.", "end of the ", "in 3 ", "next ", "may "] {
            let _ = deadline(&part.repeat(32 * 1024 / part.len()), Date::MAX);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(?s).{0,48}", day in 0_i32..3_000_000) {
            let today = Date::from_julian_day(day + 100_000).unwrap();
            if let Some(date) = deadline(&text, today) {
                prop_assert!((1..=9_999).contains(&date.year()));
            }
        }

        #[test]
        fn any_mixture_is_read(parts in prop::collection::vec(prop::sample::select(vec![
            "1", "12", "31", "2027", "9999", "0", ".", ". ", "/", "-", " ", "march", "mai", "end", "of", "the", "month", "next", "in", "two",
            "weeks", "years", "friday", "tomorrow", "after", "day", "de", "th", "é", "'",
        ]), 0..14), day in 1_721_500_i32..5_373_484) {
            let today = Date::from_julian_day(day).unwrap();
            if let Some(date) = deadline(&parts.concat(), today) {
                prop_assert!((1..=9_999).contains(&date.year()));
            }
        }
    }
}
