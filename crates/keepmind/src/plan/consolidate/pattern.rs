//! What a host saw again and again: observations that say the same, counted by times and days.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use time::{Date, OffsetDateTime, UtcOffset};

use crate::consolidated::Grade;
use crate::conversation::shortened;
use crate::ids::ObservationId;
use crate::observation::Observation;
use crate::order::{self, Gather};
use crate::plan::consolidate::grade::Times;
use crate::policy::Grades;
use crate::text;
use crate::timestamp::Timestamp;

/// How many observations a habit cites: enough to be looked at.
const MOST_CITED: usize = 16;
/// How many patterns one consolidation looks at, the most frequent first.
const MOST_PATTERNS: usize = 64;
/// How many parts of a payload are told.
const MOST_PARTS: usize = 6;

/// Something that was seen, in words.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sighting {
    source: String,
    told: String,
    at: Timestamp,
    id: ObservationId,
}

impl Sighting {
    /// An observation in words, so few that what is kept of it has at most `most` characters. Nothing where
    /// it has none.
    pub(crate) fn of(seen: &Observation, most: usize) -> Option<Self> {
        let around = worded("", &seen.source).chars().count();
        Some(Sighting {
            source: seen.source.clone(),
            told: told(&seen.payload, most.checked_sub(around)?)?,
            at: seen.at,
            id: seen.id,
        })
    }

    /// What sightings that say the same share.
    pub(super) fn group(&self) -> String {
        text::fold(&format!("{} {}", self.source, self.told))
    }

    /// What a habit of it would be kept as.
    pub(super) fn content(&self) -> String {
        worded(&self.told, &self.source)
    }

    pub(super) fn seen(&self) -> (Timestamp, ObservationId) {
        (self.at, self.id)
    }
}

/// What a pattern is kept as.
fn worded(told: &str, source: &str) -> String {
    format!("Again and again: {told} ({source})")
}

/// Something that was seen again and again.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Pattern {
    /// What it would be kept as.
    pub content: String,
    /// What saw it.
    pub source: String,
    /// When it was seen, oldest first.
    pub seen: Vec<(Timestamp, ObservationId)>,
}

impl Pattern {
    /// How often, and on how many of the user's days, it was seen after a moment.
    pub(super) fn times_after(&self, moment: Option<Timestamp>, offset: UtcOffset) -> Times {
        let counted = self
            .seen
            .iter()
            .filter(|(at, _)| moment.is_none_or(|moment| *at > moment));
        let day = |at: Timestamp| OffsetDateTime::from(at).checked_to_offset(offset);
        let days: Vec<Option<Date>> = counted
            .map(|(at, _)| day(*at).map(OffsetDateTime::date))
            .collect();
        let occasions: BTreeSet<Option<Date>> = days.iter().copied().gather();
        Times {
            times: days.len(),
            occasions: occasions.len(),
        }
    }

    /// When it was last seen.
    pub(super) fn last(&self) -> Option<Timestamp> {
        self.seen.last().map(|(at, _)| *at)
    }

    /// The observations that a row cites.
    pub(super) fn cited(&self) -> impl Iterator<Item = ObservationId> {
        self.seen.iter().take(MOST_CITED).map(|(_, id)| *id)
    }
}

/// What recurs among observations, the most frequent first. What differs only in numbers and moments is the
/// same.
pub(crate) fn patterns(
    seen: impl IntoIterator<Item = Sighting>,
    grades: &Grades,
    offset: UtcOffset,
) -> Vec<Pattern> {
    let mut groups: BTreeMap<String, Pattern> = BTreeMap::new();
    for sighting in seen {
        let group = groups.entry(sighting.group()).or_insert_with(|| Pattern {
            content: sighting.content(),
            source: sighting.source.clone(),
            seen: Vec::new(),
        });
        group.seen.push((sighting.at, sighting.id));
    }
    let mut found: Vec<Pattern> = groups
        .into_values()
        .filter(|pattern| pattern.times_after(None, offset).grade(0, grades) > Grade::Candidate)
        .collect();
    for pattern in &mut found {
        order::sort_by(&mut pattern.seen, Ord::cmp);
    }
    order::sort_by_key(&mut found, |pattern| std::cmp::Reverse(pattern.seen.len()));
    found.truncate(MOST_PATTERNS);
    found
}

/// A payload in at most `most` characters: its texts, with what they are called. Nothing where it has none, or
/// where they cannot stand in a line.
fn told(payload: &Value, most: usize) -> Option<String> {
    let mut parts = Vec::new();
    gather("", payload, most, &mut parts);
    let line = text::line(&parts.join(", ")).ok()?;
    let line = text::line(&shortened(&line, most)).ok()?;
    (!line.is_empty()).then_some(line)
}

fn gather(name: &str, value: &Value, most: usize, parts: &mut Vec<String>) {
    if parts.len() >= MOST_PARTS {
        return;
    }
    match value {
        // A moment is another one each time.
        Value::String(text) if Timestamp::parse(text).is_ok() => {}
        Value::String(text) if name.is_empty() => parts.push(head(text, most)),
        Value::String(text) => parts.push(format!("{} {}", head(name, most), head(text, most))),
        Value::Array(items) => {
            for item in items {
                gather(name, item, most, parts);
            }
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                gather(name, value, most, parts);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// As much of a long text as can count: one more than there is room for says that there is more.
fn head(text: &str, most: usize) -> String {
    text.chars().take(most.saturating_add(1)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use uuid::Uuid;

    use super::*;
    use crate::policy::Policy;

    fn seen(id: u128, source: &str, payload: Value, at: &str) -> Observation {
        Observation {
            id: ObservationId::new(Uuid::from_u128(id)),
            source: source.to_owned(),
            payload,
            at: Timestamp::parse(at).unwrap(),
        }
    }

    #[test]
    fn what_is_seen_again_is_one_pattern_whatever_its_numbers() {
        let open = |minute: u32| json!({"action": "opened", "app": "calendar", "after": minute});
        let observations = [
            seen(1, "desktop", open(3), "2026-03-01T08:00:00Z"),
            seen(2, "desktop", open(9), "2026-03-02T08:00:00Z"),
            seen(
                3,
                "desktop",
                json!("locked the screen"),
                "2026-03-02T09:00:00Z",
            ),
            seen(4, "phone", open(1), "2026-03-02T09:00:00Z"),
            seen(
                5,
                "desktop",
                json!({"app": "Calendar", "action": "Opened"}),
                "2026-03-02T23:30:00Z",
            ),
            seen(6, "desktop", json!(17), "2026-03-03T08:00:00Z"),
            seen(7, "desktop", json!(17), "2026-03-03T08:00:00Z"),
        ];
        let grades = Policy::observer().grades;
        let told = observations.iter();
        let told = told.filter_map(|seen| Sighting::of(seen, 500));
        let found = patterns(told, &grades, UtcOffset::UTC);
        assert_eq!(found.len(), 1);
        assert_eq!(
            found[0].content,
            "Again and again: action opened, app calendar (desktop)"
        );
        let times = |moment, offset| found[0].times_after(moment, offset);
        assert_eq!(
            times(None, UtcOffset::UTC),
            Times {
                times: 3,
                occasions: 2
            }
        );
        let east = UtcOffset::from_hms(1, 0, 0).unwrap();
        assert_eq!(
            times(None, east),
            Times {
                times: 3,
                occasions: 3
            }
        );
        let first = Timestamp::parse("2026-03-01T08:00:00Z").unwrap();
        assert_eq!(
            times(Some(first), UtcOffset::UTC),
            Times {
                times: 2,
                occasions: 1
            }
        );
    }

    #[test]
    fn hostile_payloads_are_bounded_and_never_make_a_second_line() {
        let told = |payload: &Value| told(payload, 40);
        let wide = json!((0..1_000).map(|n| format!("p{n}")).collect::<Vec<_>>());
        let parts = told(&wide).unwrap();
        assert_eq!(parts.split(", ").count(), MOST_PARTS);
        assert_eq!(told(&json!("one\n# two")).as_deref(), Some("one # two"));
        assert_eq!(told(&json!("\u{202e}")), None);
        assert_eq!(
            told(&json!({"at": "2026-03-01T08:00:00Z", "count": 3})),
            None
        );
        for long in ["ab ".repeat(100_000), "字".repeat(100_000)] {
            let named = Value::Object([(long.clone(), json!("x"))].into_iter().collect());
            for payload in [json!(long), json!({ "page": long }), named] {
                let line = told(&payload).unwrap();
                assert!(line.chars().count() <= 40 && line.ends_with('…'), "{line}");
            }
        }
    }

    #[test]
    fn what_is_kept_of_a_long_payload_is_as_long_as_a_memory_may_be() {
        let long = json!("ab ".repeat(1_000));
        let observations =
            [1, 2].map(|id| seen(id, "desktop", long.clone(), "2026-03-01T08:00:00Z"));
        let told = observations.iter();
        let told = told.filter_map(|seen| Sighting::of(seen, 100));
        let found = patterns(told, &Policy::observer().grades, UtcOffset::UTC);
        let content = &found[0].content;
        assert!((90..=100).contains(&content.chars().count()), "{content}");
        assert!(content.ends_with("… (desktop)"), "{content}");
        assert_eq!(Sighting::of(&observations[0], 9), None);
    }
}
