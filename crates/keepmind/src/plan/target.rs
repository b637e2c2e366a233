//! Which fact a target names, and what is said of one that is not live.

use std::collections::BTreeMap;

use crate::command::Which;
use crate::ids::{Number, RowId};
use crate::memory::Layer;
use crate::order::Gather;
use crate::plan::{Planner, Planning};
use crate::refusal::{Candidate, Code, Refusal};
use crate::row::{MemoryRow, Why};
use crate::text;
use crate::timestamp::Timestamp;
use crate::visibility::{Visibility, visibility};

/// How many candidates an ambiguous target is answered with.
const CANDIDATES: usize = 8;

/// What a target can mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Aim {
    /// A fact.
    Number(Number),
    /// Digits alone: a fact, or where no fact ever had the number, part of a content.
    Digits(Number, String),
    /// A row.
    Row(RowId),
    /// Part of a content, folded.
    Part(String),
}

impl Aim {
    /// Reads a target, or says why nothing can be meant by it.
    pub(crate) fn read(which: &Which) -> Result<Aim, Refusal> {
        let written = text::line(which.as_str()).map_err(|error| match error {
            text::TextError::Empty => Refusal::new(
                Code::Empty,
                "name the fact: its number like #12, or part of its content",
            ),
            error => error.into(),
        })?;
        let count = |digits: &str| digits.parse().ok().and_then(Number::new);
        let is_digits =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if let Some(digits) = written.strip_prefix('#').map(str::trim_start)
            && is_digits(digits)
        {
            return count(digits)
                .map(Aim::Number)
                .ok_or_else(|| unknown(digits));
        }
        if is_digits(&written) {
            return match count(&written) {
                Some(number) => Ok(Aim::Digits(number, text::fold(&written))),
                None => Err(unknown(&written)),
            };
        }
        if written.len() == 36
            && let Ok(id) = written.parse()
        {
            return Ok(Aim::Row(id));
        }
        if written.chars().count() < 2 && written.chars().all(char::is_alphabetic) {
            return Err(Refusal::new(
                Code::Limit,
                "one letter is too little to find a fact by: give its number like #12, or more of its content",
            ));
        }
        Ok(Aim::Part(text::fold(&written)))
    }
}

fn unknown(digits: &str) -> Refusal {
    let shown: String = digits.chars().take(20).collect();
    Refusal::new(Code::NotFound, format_args!("there is no fact #{shown}"))
}

/// The one fact among these rows whose content holds a folded part; none when no row does.
pub(crate) fn pick<'a>(
    part: &str,
    rows: impl IntoIterator<Item = &'a MemoryRow>,
) -> Result<Option<Number>, Refusal> {
    let holds = |row: &&MemoryRow| text::fold(&row.body.claim.content).contains(part);
    let mut found: BTreeMap<Number, &MemoryRow> = rows
        .into_iter()
        .filter(holds)
        .map(|row| (row.body.number, row))
        .gather();
    // What was told of a chat repeats what its facts say: they are meant.
    let is_fact = |row: &MemoryRow| row.body.claim.layer == Layer::Fact;
    if found.values().any(|row| is_fact(row)) {
        found.retain(|_, row| is_fact(row));
    }
    if found.len() < 2 {
        return Ok(found.keys().next().copied());
    }
    let candidates = found.into_values().take(CANDIDATES).map(Candidate::of);
    let message = "several facts hold that text: name one by its number";
    Err(Refusal::new(Code::Ambiguous, message).among(candidates))
}

impl Candidate {
    /// A row as something to choose.
    pub(crate) fn of(row: &MemoryRow) -> Self {
        Candidate {
            number: row.body.number,
            content: row.body.claim.content.clone(),
        }
    }
}

impl<'a> Planner<'a> {
    /// The live row of the fact that the command is about.
    pub(super) fn target(&self) -> Planning<&'a MemoryRow> {
        let number = self
            .findings
            .target
            .ok_or_else(|| Refusal::new(Code::NotFound, "there is no such fact"))?;
        self.live(number)
    }

    /// The live row of a fact, or what became of it.
    pub(super) fn live(&self, number: Number) -> Planning<&'a MemoryRow> {
        let open = self.base().open_version(number);
        let last = open.or_else(|| self.base().versions(number).last());
        if last.is_some_and(|row| self.is_withdrawn(row.body.claim.domain.as_deref())) {
            // As of one that never was: a model that counts up is not to learn which numbers are kept from it.
            return Err(fate(number, None, self.now(), |_| None).into());
        }
        match open.filter(|row| visibility(row, self.now()) == Visibility::Live) {
            Some(row) => Ok(row),
            None => Err(self.fate(number).into()),
        }
    }

    /// Whether a model must not see a domain any more.
    pub(super) fn is_withdrawn(&self, domain: Option<&str>) -> bool {
        let (Some(domain), Some(_)) = (domain, self.entry.turn()) else {
            return false;
        };
        self.last_word(domain) == Some(false)
    }

    /// Why a fact is not live, as a refusal.
    fn fate(&self, number: Number) -> Refusal {
        let last = self.base().versions(number).last();
        fate(number, last, self.now(), |origin| {
            let row = self.base().memories().find(|row| row.origin == origin)?;
            Some(row.body.number)
        })
    }
}

/// Why a fact is not live: the successor, or when it ended.
pub(crate) fn fate(
    number: Number,
    last: Option<&MemoryRow>,
    now: Timestamp,
    number_of: impl Fn(crate::ids::Origin) -> Option<Number>,
) -> Refusal {
    let Some(row) = last else {
        return Refusal::new(Code::NotFound, format_args!("there is no fact {number}"));
    };
    let day = |at: Timestamp| at.to_string().chars().take(10).collect::<String>();
    let message = match row.end {
        None if row.body.claim.held => {
            format!("{number} is a candidate that is not believed yet: the user may confirm it")
        }
        None => match row.body.claim.expires_at.filter(|at| *at <= now) {
            Some(at) => format!("{number} expired on {}", day(at)),
            None => format!("{number} is not live"),
        },
        Some(end) => {
            let on = day(end.at);
            match end.why {
                Why::Forgotten => format!("{number} was forgotten on {on}"),
                Why::Trashed => {
                    format!("{number} was put in the trash on {on}; it can be restored")
                }
                Why::Expired { .. } => format!("{number} expired on {on}"),
                Why::Done { .. } => format!("{number} was done on {on}"),
                Why::Faded { .. } => format!("{number} faded on {on}"),
                Why::Undone => format!("{number} was undone on {on}"),
                why => match why.successor().and_then(number_of) {
                    Some(other) if other != number => {
                        format!("{number} ended on {on}; {other} took its place")
                    }
                    _ => format!("{number} ended on {on}"),
                },
            }
        }
    };
    Refusal::new(Code::NotFound, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_a_number_then_an_id_then_a_part() {
        let number = |count| Number::new(count).unwrap();
        let id = "0192f0c1-2345-7abc-8def-0123456789ab";
        for (written, aim) in [
            ("#12", Aim::Number(number(12))),
            (" #12\u{200b} ", Aim::Number(number(12))),
            ("12", Aim::Digits(number(12), "12".into())),
            (id, Aim::Row(id.parse().unwrap())),
            ("%", Aim::Part("%".into())),
            ("_", Aim::Part("_".into())),
            ("HAUPTSTRASSE", Aim::Part("hauptstrasse".into())),
            ("İstanbul", Aim::Part("istanbul".into())),
            ("#12a", Aim::Part("#12a".into())),
        ] {
            assert_eq!(Aim::read(&written.into()), Ok(aim), "{written}");
        }
        for (written, code) in [
            ("", Code::Empty),
            (" \u{200b}\u{a0}", Code::Empty),
            ("a", Code::Limit),
            ("茶", Code::Limit),
            ("#0", Code::NotFound),
            ("99999999999999999999999", Code::NotFound),
            ("a\u{202e}b", Code::ControlCharacters),
        ] {
            let refused = Aim::read(&written.into()).map_err(|refusal| refusal.code);
            assert_eq!(refused, Err(code), "{written:?}");
        }
    }
}
