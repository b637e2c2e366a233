//! The time that a question names: a day, a month or a year. Unlike a deadline it may lie in the past, and a
//! date without a year is of any year.

use time::{Date, Duration, Month, OffsetDateTime};

use super::date_words::{Name, name};
use super::lexicon::Words;
use super::skeleton::uncovered;
use crate::timestamp::Timestamp;

/// A day, a month or a year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Period {
    year: Option<i32>,
    /// From 1.
    month: Option<u8>,
    /// Only with a month.
    day: Option<u8>,
}

impl Period {
    /// The first period that a text names.
    pub(crate) fn named_in(text: &str) -> Option<Self> {
        let text = uncovered(text);
        let words = Words::of(&text);
        let reader = Reader {
            words: &words,
            text: &text,
        };
        (0..words.len())
            .find_map(|index| reader.at(index))
            .or_else(|| written_with_signs(&text))
    }

    /// Whether a moment lies in it, or up to so many days behind it: people speak of things after they
    /// happened. Without a year it is that of the moment or the one before.
    pub(crate) fn holds(self, moment: Timestamp, days_after: u16) -> bool {
        let moment = OffsetDateTime::from(moment).date();
        let years = match self.year {
            Some(year) => [Some(year), None],
            None => [Some(moment.year()), moment.year().checked_sub(1)],
        };
        years.into_iter().flatten().any(|year| {
            let last_held = self
                .last(year)
                .and_then(|last| last.checked_add(Duration::days(i64::from(days_after))));
            match (self.first(year), last_held) {
                (Some(first), Some(last)) => (first..=last).contains(&moment),
                _ => false,
            }
        })
    }

    fn first(self, year: i32) -> Option<Date> {
        let month = Month::try_from(self.month.unwrap_or(1)).ok()?;
        Date::from_calendar_date(year, month, self.day.unwrap_or(1)).ok()
    }

    fn last(self, year: i32) -> Option<Date> {
        let month = Month::try_from(self.month.unwrap_or(12)).ok()?;
        let day = self.day.unwrap_or(month.length(year));
        Date::from_calendar_date(year, month, day).ok()
    }
}

struct Reader<'a> {
    words: &'a Words,
    text: &'a str,
}

impl Reader<'_> {
    fn at(&self, index: usize) -> Option<Period> {
        self.in_numbers(index)
            .or_else(|| self.with_month(index))
            .or_else(|| self.year_alone(index))
    }

    /// A number of so many digits at most, with an ordinal ending at most.
    fn number(&self, index: usize, most: usize) -> Option<u16> {
        let word = self.words.text(index);
        let end = word
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(word.len());
        let is_ordinal = matches!(&word[end..], "" | "st" | "nd" | "rd" | "th" | "er" | "re");
        (is_ordinal && (1..=most).contains(&end)).then(|| word[..end].parse().ok())?
    }

    fn day(&self, index: usize) -> Option<u8> {
        let day = self.number(index, 2).filter(|day| (1..=31).contains(day))?;
        u8::try_from(day).ok()
    }

    fn year(&self, index: usize) -> Option<i32> {
        let word = self.words.text(index);
        let year: i32 = (word.len() == 4).then(|| word.parse().ok())??;
        (1900..2100).contains(&year).then_some(year)
    }

    fn between(&self, index: usize) -> &str {
        match (self.words.get(index), self.words.get(index + 1)) {
            (Some(before), Some(after)) => self
                .text
                .get(before.place.end..after.place.start)
                .unwrap_or(""),
            _ => "",
        }
    }

    /// `2023-05-07`, `2023-05`.
    fn in_numbers(&self, index: usize) -> Option<Period> {
        let year = self.year(index)?;
        let month = self.number(index + 1, 2)?;
        if self.between(index) != "-" || !(1..=12).contains(&month) {
            return None;
        }
        let day = self
            .day(index + 2)
            .filter(|_| self.between(index + 1) == "-");
        Some(Period {
            year: Some(year),
            month: u8::try_from(month).ok(),
            day,
        })
    }

    /// "7 May 2023", "the 7th of May", "May 7th, 2023", "May 2023", "in May".
    fn with_month(&self, index: usize) -> Option<Period> {
        let month = self.month(index)?;
        let before = |back: usize| index.checked_sub(back);
        let is_small = |at: usize| matches!(self.words.text(at), "of" | "de");
        let day_before = match before(1) {
            Some(at) if is_small(at) => before(2).and_then(|at| self.day(at)),
            Some(at) => self.day(at),
            None => None,
        };
        let mut next = index + 1;
        let day_after = match day_before {
            None if self.words.text(next) == "the" => self.day(next + 1).inspect(|_| next += 2),
            None => self.day(next).inspect(|_| next += 1),
            Some(_) => None,
        };
        if is_small(next) {
            next += 1;
        }
        Some(Period {
            year: self.year(next),
            month: Some(month),
            day: day_before.or(day_after),
        })
    }

    /// A month; of those that are also other words or names, only with a number beside it, or, in English,
    /// with a capital that does not begin the question.
    fn month(&self, index: usize) -> Option<u8> {
        let Some(Name::Month(month)) = name(self.words.text(index)) else {
            return None;
        };
        let has_capital = || index > 0 && self.words.get(index).is_some_and(|word| word.capital);
        let is_small = |at: usize| matches!(self.words.text(at), "of" | "de" | "the");
        let has_number = || {
            let step = |at: usize| if is_small(at) { 2 } else { 1 };
            let before = index.checked_sub(1).map_or(0, step);
            let before = index.checked_sub(before.max(1));
            before.is_some_and(|at| self.number(at, 2).is_some())
                || self.number(index + step(index + 1), 4).is_some()
        };
        let is_told = match self.words.text(index) {
            "may" | "march" => has_capital() || has_number(),
            "mayo" | "mai" | "mars" | "abril" | "julio" => has_number(),
            _ => true,
        };
        is_told.then(|| u8::try_from(month).ok())?
    }

    /// "in 2022".
    fn year_alone(&self, index: usize) -> Option<Period> {
        let year = self.year(index)?;
        let before = self.words.text(index.checked_sub(1)?);
        let leads = matches!(
            before,
            "in" | "of" | "during" | "since" | "im" | "seit" | "en" | "depuis" | "desde" | "de"
        );
        leads.then_some(Period {
            year: Some(year),
            month: None,
            day: None,
        })
    }
}

/// `2023年5月7日`, `5月7号`, `5月`, `2023年`.
fn written_with_signs(text: &str) -> Option<Period> {
    let number_before = |at: usize| -> Option<u32> {
        let digits = text[..at].len()
            - text[..at]
                .trim_end_matches(|c: char| c.is_ascii_digit())
                .len();
        (1..=4)
            .contains(&digits)
            .then(|| text[at - digits..at].parse().ok())?
    };
    let year = text
        .find('年')
        .and_then(number_before)
        .filter(|year| (1900..2100).contains(year))
        .and_then(|year| i32::try_from(year).ok());
    let month = text
        .find('月')
        .and_then(|at| Some((at, number_before(at)?)))
        .filter(|(_, month)| (1..=12).contains(month));
    let day = month.and_then(|(at, _)| {
        let after = &text[at + '月'.len_utf8()..];
        let digits = after.find(|c: char| !c.is_ascii_digit())?;
        let is_day = after[digits..].starts_with(['日', '号', '號']);
        let day: u8 = is_day.then(|| after[..digits].parse().ok())??;
        (1..=31).contains(&day).then_some(day)
    });
    let month = month.and_then(|(_, month)| u8::try_from(month).ok());
    (year.is_some() || month.is_some()).then_some(Period { year, month, day })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn period(year: i32, month: u8, day: u8) -> Option<Period> {
        Some(Period {
            year: (year > 0).then_some(year),
            month: (month > 0).then_some(month),
            day: (day > 0).then_some(day),
        })
    }

    #[test]
    fn the_first_period_of_a_question_is_read() {
        let cases = [
            ("What did she paint on 7 May, 2023?", period(2023, 5, 7)),
            ("What happened on the 3rd of June", period(0, 6, 3)),
            ("Where was he on July 12th?", period(0, 7, 12)),
            ("What about August 2022", period(2022, 8, 0)),
            ("Where did we go in october?", period(0, 10, 0)),
            ("What may I eat in the march of progress", None),
            ("Who came in May?", period(0, 5, 0)),
            ("May I ask?", None),
            ("the Mayo Clinic video", None),
            ("What did she do in 2022?", period(2022, 0, 0)),
            ("Is room 2022 free", None),
            ("what was on 2023-05-07", period(2023, 5, 7)),
            ("was war am 3. Dezember 2021", period(2021, 12, 3)),
            ("qué pasó el 3 de mayo de 2021", period(2021, 5, 3)),
            ("2023年5月7日发生了什么", period(2023, 5, 7)),
            ("5月我去了哪里", period(0, 5, 0)),
            ("", None),
            ("月年日", None),
        ];
        for (question, wanted) in cases {
            assert_eq!(Period::named_in(question), wanted, "{question}");
        }
    }

    #[test]
    fn a_moment_lies_in_a_period_or_shortly_behind() {
        let at = |text: &str| Timestamp::parse(text).unwrap();
        let may = period(0, 5, 0).unwrap();
        assert!(may.holds(at("2023-05-31T23:00:00Z"), 0));
        assert!(!may.holds(at("2023-06-01T00:00:00Z"), 0));
        assert!(may.holds(at("2023-06-03T10:00:00Z"), 3));
        assert!(!may.holds(at("2023-06-04T10:00:00Z"), 3));
        let december = period(0, 12, 31).unwrap();
        assert!(december.holds(at("2024-01-02T10:00:00Z"), 3));
        let no_day = period(2023, 2, 30).unwrap();
        assert!(!no_day.holds(at("2023-02-28T10:00:00Z"), 3));
        assert!(!period(2022, 0, 0).unwrap().holds(Timestamp::MAX, 3));
    }
}
