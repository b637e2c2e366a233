//! Whether a clause names a day or a month in the calendar.

use super::super::words::Word;

#[rustfmt::skip]
const MONTHS: &[&str] = &[
    "january", "february", "march", "april", "june", "july", "august", "september", "october", "november",
    "december", "jan", "feb", "apr", "jun", "jul", "aug", "sept", "sep", "oct", "nov", "dec",
];

/// A day, a month or a year that stands in a calendar: not "Friday", which is another one next week.
pub(super) fn has_date(words: &[Word<'_>]) -> bool {
    words.iter().enumerate().any(|(index, word)| {
        let near = |at: Option<usize>| at.and_then(|at| words.get(at));
        let is_day = |word: &Word<'_>| {
            let digits = word
                .form
                .trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
            digits
                .parse::<u32>()
                .is_ok_and(|day| (1..=31).contains(&day))
        };
        let before = near(index.checked_sub(1));
        let after = near(Some(index + 1));
        let beside_day = before.is_some_and(is_day) || after.is_some_and(is_day);
        let in_it = before.is_some_and(|before| {
            before.is(&["in", "of", "early", "late", "mid", "next", "until", "this"])
        });
        let is_month = word.is(MONTHS) && (beside_day || in_it);
        let is_may = word.form == "may" && (beside_day || in_it && word.is_capital());
        let is_year = word
            .number()
            .is_some_and(|year| (1930..=2100).contains(&year));
        is_month || is_may || is_year || is_numeric_date(&word.form)
    })
}

/// "2027-03-01", "3.5.2027", "9/14".
fn is_numeric_date(form: &str) -> bool {
    let parts: Vec<&str> = form.split(['-', '.', '/']).collect();
    (2..=3).contains(&parts.len())
        && (parts.len() == 3 || form.contains('/'))
        && parts.iter().all(|part| {
            (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
        })
}
