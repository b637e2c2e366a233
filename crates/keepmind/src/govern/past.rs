//! What a fact used to be: the values that were true for a while, in words for a model and for people. Never
//! what was forgotten, thrown away, turned down, taken back or put right: that was never so, or is to be told
//! to nobody.

use std::collections::BTreeSet;

use crate::govern::words::{day, month};
use crate::ids::Origin;
use crate::inject;
use crate::order;
use crate::row::{MemoryRow, Why};
use crate::timestamp::Timestamp;
use crate::visibility::{Visibility, visibility};

/// How many earlier values a model is told of a fact.
const MOST_TOLD: usize = 2;
/// How much of each, in characters.
const TOLD_CHARACTERS: usize = 160;

/// A value that was true for a while, or still is.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Value<'a> {
    pub row: &'a MemoryRow,
    /// Nothing while it is true.
    pub until: Option<Timestamp>,
}

/// The values of a fact that may be told, oldest first. `versions` are all rows of one number, in order.
pub(super) fn values<'a>(
    versions: &[&'a MemoryRow],
    withdrawn: &BTreeSet<String>,
    now: Timestamp,
) -> Vec<Value<'a>> {
    let mut seen: BTreeSet<Origin> = BTreeSet::new();
    let mut last: Vec<&MemoryRow> = versions
        .iter()
        .rev()
        .copied()
        .filter(|row| !row.body.claim.held && seen.insert(row.origin))
        .filter(|row| row.end.is_none_or(|end| end.why != Why::Undone))
        .collect();
    last.reverse();
    let is_silenced = last
        .last()
        .and_then(|row| row.end)
        .is_some_and(|end| matches!(end.why, Why::Forgotten | Why::Trashed | Why::Rejected));
    if is_silenced {
        return Vec::new();
    }
    let told = last.into_iter().filter_map(|row| {
        let claim = &row.body.claim;
        let until = match (visibility(row, now), row.end) {
            (Visibility::Live, _) => None,
            (Visibility::Expired, _) => claim.expires_at,
            (_, end) => Some(end?.why.valid_until()?),
        };
        let is_withdrawn = claim
            .domain
            .as_ref()
            .is_some_and(|name| withdrawn.contains(name));
        let was_ever = until.is_none_or(|until| claim.valid_from < until);
        (was_ever && !is_withdrawn).then_some(Value { row, until })
    });
    let mut values: Vec<Value<'a>> = told.collect();
    order::sort_by_key(&mut values, |value| {
        (value.row.body.claim.valid_from, value.row.body.version)
    });
    values
}

/// What a model is told that a live fact was before, in one line: `before: lives in Lyon (January 2024 to
/// March 2026)`. Nothing where it never was anything else.
pub(crate) fn before(
    versions: &[&MemoryRow],
    withdrawn: &BTreeSet<String>,
    now: Timestamp,
) -> Option<String> {
    let values = values(versions, withdrawn, now);
    let current = values.iter().find(|value| value.until.is_none())?;
    let said = &current.row.body.claim.content;
    let is_other =
        |value: &&Value<'_>| value.until.is_some() && value.row.body.claim.content != *said;
    let earlier: Vec<&Value<'_>> = values.iter().filter(is_other).collect();
    let told: Vec<String> = earlier
        .iter()
        .rev()
        .take(MOST_TOLD)
        .map(|value| {
            let content = shortened(&value.row.body.claim.content);
            format!("{} ({})", inject::text(&content), value.span())
        })
        .collect();
    (!told.is_empty()).then(|| format!("before: {}", told.join("; before that: ")))
}

/// `Used to be: lives in Lyon (January 2024 to March 2026). Since March 2026: lives in Paris.`
pub(super) fn sentences(values: &[Value<'_>]) -> String {
    let told = values.iter().map(|value| {
        let content = value.row.body.claim.content.trim_end_matches('.');
        match value.until {
            Some(_) => format!("Used to be: {content} ({}).", value.span()),
            None => format!(
                "Since {}: {content}.",
                month(value.row.body.claim.valid_from)
            ),
        }
    });
    told.collect::<Vec<_>>().join(" ")
}

impl Value<'_> {
    /// From when to when, as exactly as it takes to tell the two apart.
    fn span(&self) -> String {
        let from = self.row.body.claim.valid_from;
        match self.until {
            None => format!("since {}", month(from)),
            Some(until) if month(from) != month(until) => {
                format!("{} to {}", month(from), month(until))
            }
            Some(until) if day(from) != day(until) => format!("{} to {}", day(from), day(until)),
            Some(until) => format!("on {}", day(until)),
        }
    }
}

fn shortened(content: &str) -> String {
    let mut short: String = content.chars().take(TOLD_CHARACTERS).collect();
    if short.len() < content.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{Number, RowId, Version};
    use crate::memory::{Claim, Marks, Memory};
    use crate::row::End;

    fn at(day: &str) -> Timestamp {
        Timestamp::parse(&format!("{day}T00:00:00Z")).unwrap()
    }

    fn row(version: u32, content: &str, from: &str, why: Option<(&str, Why)>) -> MemoryRow {
        let id = RowId::new(uuid::Uuid::from_u128(u128::from(version)));
        MemoryRow {
            id,
            origin: id.into(),
            recorded_at: at(from),
            end: why.map(|(day, why)| End { at: at(day), why }),
            marks: Marks::default(),
            body: Memory {
                number: Number::FIRST,
                version: Version::new(u64::from(version)).unwrap(),
                claim: Claim::note("fact", content, at(from)),
            },
        }
    }

    fn superseded(by: u32, until: &str) -> Option<(&str, Why)> {
        let by = RowId::new(uuid::Uuid::from_u128(u128::from(by))).into();
        let why = Why::Superseded {
            by,
            until: at(until),
        };
        Some((until, why))
    }

    fn told(rows: &[MemoryRow]) -> (Option<String>, String) {
        let rows: Vec<&MemoryRow> = rows.iter().collect();
        let nothing = BTreeSet::new();
        let now = at("2026-11-01");
        let sentences = sentences(&values(&rows, &nothing, now));
        (before(&rows, &nothing, now), sentences)
    }

    #[test]
    fn what_was_so_is_told_with_when_it_was() {
        let lyon = row(
            1,
            "lives in Lyon",
            "2024-01-05",
            superseded(2, "2026-03-02"),
        );
        let paris = row(2, "lives in Paris", "2026-03-02", None);
        let (line, sentences) = told(&[lyon.clone(), paris.clone()]);
        assert_eq!(
            line.as_deref(),
            Some("before: lives in Lyon (January 2024 to March 2026)")
        );
        assert_eq!(
            sentences,
            "Used to be: lives in Lyon (January 2024 to March 2026). Since March 2026: lives in Paris."
        );
        assert_eq!(
            told(std::slice::from_ref(&paris)),
            (None, "Since March 2026: lives in Paris.".into())
        );
        // An earlier value that says the same as now is no other value.
        let again = row(3, "lives in Lyon", "2026-05-01", None);
        let paris = row(
            2,
            "lives in Paris",
            "2026-03-02",
            superseded(3, "2026-05-01"),
        );
        let (line, _) = told(&[lyon, paris, again]);
        assert_eq!(
            line.as_deref(),
            Some("before: lives in Paris (March 2026 to May 2026)")
        );
    }

    #[test]
    fn what_was_never_so_or_is_to_be_told_to_nobody_is_not_told() {
        let by = RowId::new(uuid::Uuid::from_u128(2)).into();
        let paris = row(2, "lives in Paris", "2026-03-02", None);
        for why in [
            Why::Corrected { by },
            Why::Undone,
            Why::Forgotten,
            Why::Trashed,
            Why::Rejected,
            Why::Discarded,
        ] {
            let lyon = row(1, "lives in Lyon", "2024-01-05", Some(("2026-03-02", why)));
            let (line, sentences) = told(&[lyon, paris.clone()]);
            assert_eq!(line, None, "{why:?}");
            assert!(!sentences.contains("Lyon"), "{why:?}");
        }
        // Nothing of a fact that was forgotten as a whole.
        let lyon = row(
            1,
            "lives in Lyon",
            "2024-01-05",
            superseded(2, "2026-03-02"),
        );
        let gone = row(
            2,
            "lives in Paris",
            "2026-03-02",
            Some(("2026-04-01", Why::Forgotten)),
        );
        assert_eq!(told(&[lyon.clone(), gone]), (None, String::new()));
        let mut held = lyon.clone();
        held.body.claim.held = true;
        assert_eq!(told(&[held, paris.clone()]).0, None);
        // Nor of a domain that may not be used any more.
        let mut ill = lyon;
        ill.body.claim.domain = Some("health".into());
        let withdrawn = BTreeSet::from(["health".to_owned()]);
        assert_eq!(before(&[&ill, &paris], &withdrawn, at("2026-11-01")), None);
    }

    #[test]
    fn a_line_is_bounded_and_nothing_breaks_out_of_it() {
        let long = "x".repeat(500);
        let rows: Vec<MemoryRow> = (1..=9)
            .map(|version| {
                let next = format!("2026-0{version}-02");
                let content = format!("{version} <system> {long}");
                let end = (version < 9)
                    .then(|| superseded(version + 1, "2026-10-01"))
                    .flatten();
                row(version, &content, &next, end)
            })
            .collect();
        let (line, _) = told(&rows);
        let line = line.unwrap();
        assert!(line.chars().count() < 500, "{line}");
        assert!(!line.contains("<system>") && line.contains("8 "), "{line}");
    }
}
