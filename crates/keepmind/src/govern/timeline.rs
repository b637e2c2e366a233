//! A fact's life: its versions by when they were true, what happened to them and through whom, and what it used
//! to be in words. Pure; reading versions and the journal is the engine's, and drawing them is in `drawn`.

mod drawn;

use std::collections::BTreeSet;

use serde::Serialize;

use crate::govern::past::{sentences, values};
use crate::ids::{Number, SessionId, Version};
use crate::journal::{Effect, JournalEntry, Who};
use crate::order;
use crate::row::{Kind, MemoryRow, State, Why};
use crate::timestamp::Timestamp;

/// A fact's life. Its `Display` is a picture for people; days are in UTC.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Timeline {
    /// Which fact.
    pub number: Number,
    /// When the first version began to be true.
    pub from: Timestamp,
    /// The moment that was asked at.
    pub until: Timestamp,
    /// Every version, in order.
    pub versions: Vec<TimelineVersion>,
    /// What happened to them, in order.
    pub events: Vec<TimelineEvent>,
    /// What it used to be and is, in sentences; empty where nothing may be told.
    pub told: String,
}

/// One version.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TimelineVersion {
    /// Which one.
    pub version: Version,
    /// What it says.
    pub content: String,
    /// It was never believed by itself: a candidate.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_candidate: bool,
    /// It says again what an earlier version said: brought back by a restore, an undo or a redo.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_copy: bool,
    /// Since when it is true.
    pub valid_from: Timestamp,
    /// Until when it was true, or is held to have been where it ended without saying so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<Timestamp>,
    /// When it was recorded.
    pub recorded_at: Timestamp,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// Why it ended: `superseded`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<&'static str>,
    /// How sure it is, 0 to 1; nothing for what was said explicitly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// How often it was affirmed.
    pub confirmations: u32,
    /// How often behaviour spoke against it.
    pub contradictions: u32,
}

/// Something that happened to a version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TimelineEvent {
    /// When.
    pub at: Timestamp,
    /// To which version.
    pub version: Version,
    /// What: `recorded`, `found` (a candidate), `believed` (a candidate that was confirmed), `confirmed`,
    /// `contradicted`, `brought back`, `taken back`, `changed`, or why it ended.
    pub what: &'static str,
    /// Through whom.
    pub who: Who,
    /// In which chat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
}

/// The life of a fact from all its rows, in order of version, and the journal as far as it touches them.
pub(crate) fn timeline(
    number: Number,
    rows: &[&MemoryRow],
    journal: &[JournalEntry],
    withdrawn: &BTreeSet<String>,
    now: Timestamp,
) -> Timeline {
    let begins = rows.iter().map(|row| row.body.claim.valid_from);
    Timeline {
        number,
        from: begins.min().unwrap_or(now),
        until: now,
        versions: rows
            .iter()
            .map(|row| TimelineVersion::of(row, now))
            .collect(),
        events: journal
            .iter()
            .flat_map(|entry| events(entry, rows))
            .collect(),
        told: sentences(&values(rows, withdrawn, now)),
    }
}

impl TimelineVersion {
    fn of(row: &MemoryRow, now: Timestamp) -> Self {
        let claim = &row.body.claim;
        let expired = claim.expires_at.filter(|expires| *expires <= now);
        let valid_until = match row.end {
            Some(end) => Some(end.why.valid_until().unwrap_or(end.at)),
            None => expired,
        };
        TimelineVersion {
            version: row.body.version,
            content: claim.content.clone(),
            is_candidate: claim.held,
            is_copy: row.id.uuid() != row.origin.uuid(),
            valid_from: claim.valid_from,
            valid_until,
            recorded_at: row.recorded_at,
            ended_at: row.end.map(|end| end.at),
            ended: row.end.map(|end| end.why.word()),
            confidence: row.marks.confidence,
            confirmations: row.marks.confirmations,
            contradictions: row.marks.contradictions,
        }
    }
}

fn events(entry: &JournalEntry, rows: &[&MemoryRow]) -> Vec<TimelineEvent> {
    let mut found: Vec<TimelineEvent> = Vec::new();
    for effect in entry
        .effects
        .iter()
        .filter(|effect| effect.kind == Kind::Memory)
    {
        // Of copies of one body, the last that was there.
        let was_there =
            |row: &&&MemoryRow| row.origin == effect.origin && row.recorded_at <= entry.stamp;
        let Some(row) = rows.iter().rfind(was_there) else {
            continue;
        };
        found.extend(
            words(effect, row, rows)
                .into_iter()
                .map(|what| TimelineEvent {
                    at: entry.stamp,
                    version: row.body.version,
                    what,
                    who: entry.who,
                    session: entry.session,
                }),
        );
    }
    order::sort_by_key(&mut found, |event| event.version);
    found
}

fn words(effect: &Effect, row: &MemoryRow, rows: &[&MemoryRow]) -> Vec<&'static str> {
    let successor = |row: &MemoryRow| row.end.and_then(|end| end.why.successor());
    let was_held = || {
        rows.iter()
            .any(|other| other.body.claim.held && successor(other) == Some(row.origin))
    };
    let began = || match row.body.claim.held {
        true => "found",
        false if was_held() => "believed",
        false => "recorded",
    };
    match (effect.before, effect.after) {
        (State::Absent, State::Live { .. }) => vec![began()],
        (State::Absent, State::Ended { why, .. }) => vec![began(), why.word()],
        (State::Live { marks: before }, State::Live { marks: after }) => {
            let what = if after.contradictions > before.contradictions {
                "contradicted"
            } else if after.confirmations > before.confirmations {
                "confirmed"
            } else if after.confirmations < before.confirmations
                || after.contradictions < before.contradictions
            {
                "taken back"
            } else {
                "changed"
            };
            vec![what]
        }
        (State::Live { marks: before }, State::Ended { why, marks: after }) => {
            // What is believed from now on is told as that.
            if row.body.claim.held && matches!(why, Why::Superseded { .. }) {
                return Vec::new();
            }
            let contradicted = after.contradictions > before.contradictions;
            let spoke = contradicted.then_some("contradicted");
            spoke.into_iter().chain([why.word()]).collect()
        }
        (State::Ended { .. }, State::Live { .. }) => vec!["brought back"],
        (State::Ended { .. }, State::Ended { why, .. }) => vec![why.word()],
        (_, State::Absent) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{OperationId, Origin, RowId};
    use crate::memory::{Claim, Marks, Memory};
    use crate::row::End;

    fn at(day: &str) -> Timestamp {
        Timestamp::parse(&format!("{day}T00:00:00Z")).unwrap()
    }

    fn origin(count: u128) -> Origin {
        RowId::new(uuid::Uuid::from_u128(count)).into()
    }

    fn row(version: u64, content: &str, from: &str, end: Option<(&str, Why)>) -> MemoryRow {
        let id = RowId::new(uuid::Uuid::from_u128(u128::from(version)));
        MemoryRow {
            id,
            origin: id.into(),
            recorded_at: at(from),
            end: end.map(|(day, why)| End { at: at(day), why }),
            marks: Marks::default(),
            body: Memory {
                number: Number::FIRST,
                version: Version::new(version).unwrap(),
                claim: Claim::note("fact", content, at(from)),
            },
        }
    }

    fn entry(revision: u64, day: &str, effects: Vec<(u128, State, State)>) -> JournalEntry {
        JournalEntry {
            revision,
            operation: OperationId::new(uuid::Uuid::from_u128(u128::from(revision))),
            stamp: at(day),
            who: Who::User,
            session: None,
            group: None,
            effects: effects
                .into_iter()
                .map(|(count, before, after)| Effect {
                    kind: Kind::Memory,
                    origin: origin(count),
                    before,
                    after,
                })
                .collect(),
            undoes: BTreeSet::new(),
            redoes: BTreeSet::new(),
            line: "did".to_owned(),
        }
    }

    fn live(confirmations: u32, contradictions: u32) -> State {
        let marks = Marks {
            confirmations,
            contradictions,
            ..Marks::default()
        };
        State::Live { marks }
    }

    #[test]
    fn a_life_is_drawn_with_what_happened_in_it() {
        let why = Why::Superseded {
            by: origin(2),
            until: at("2026-07-02"),
        };
        let lyon = row(1, "lives in Lyon", "2026-01-01", Some(("2026-07-02", why)));
        let paris = row(2, "lives in Paris", "2026-07-02", None);
        let ended = State::Ended {
            why,
            marks: Marks::default(),
        };
        let journal = [
            entry(1, "2026-01-01", vec![(1, State::Absent, live(0, 0))]),
            entry(2, "2026-03-01", vec![(1, live(0, 0), live(1, 0))]),
            entry(3, "2026-05-01", vec![(1, live(1, 0), live(1, 1))]),
            entry(
                4,
                "2026-07-02",
                vec![(1, live(1, 1), ended), (2, State::Absent, live(0, 0))],
            ),
            entry(5, "2026-08-01", vec![(9, State::Absent, live(0, 0))]),
        ];
        let nothing = BTreeSet::new();
        let life = timeline(
            Number::FIRST,
            &[&lyon, &paris],
            &journal,
            &nothing,
            at("2027-01-01"),
        );
        let told: Vec<(u64, &str)> = life
            .events
            .iter()
            .map(|event| (event.version.get(), event.what))
            .collect();
        assert_eq!(
            told,
            [
                (1, "recorded"),
                (1, "confirmed"),
                (1, "contradicted"),
                (1, "superseded"),
                (2, "recorded")
            ]
        );
        let drawn = life.to_string();
        let mut lines = drawn.lines();
        assert_eq!(lines.next(), Some("#1 from 2026-01-01 to 2027-01-01"));
        assert_eq!(
            lines.nth(1),
            Some("  v1 ========+======x=======|........................  lives in Lyon")
        );
        assert_eq!(
            lines.nth(1),
            Some("  v2 .......................========================>  lives in Paris")
        );
        assert!(drawn.ends_with(
            "Used to be: lives in Lyon (January 2026 to July 2026). Since July 2026: lives in Paris.\n"
        ));
    }

    #[test]
    fn what_was_never_so_is_drawn_apart_and_a_moment_is_no_trouble() {
        let held = {
            let mut row = row(
                1,
                "likes tea",
                "2026-01-01",
                Some((
                    "2026-01-01",
                    Why::Superseded {
                        by: origin(2),
                        until: at("2026-01-01"),
                    },
                )),
            );
            row.body.claim.held = true;
            row
        };
        let believed = row(2, "likes tea", "2026-01-01", None);
        let ended = State::Ended {
            why: held.end.unwrap().why,
            marks: Marks::default(),
        };
        let journal = [entry(
            1,
            "2026-01-01",
            vec![(1, live(0, 0), ended), (2, State::Absent, live(0, 0))],
        )];
        let nothing = BTreeSet::new();
        let life = timeline(
            Number::FIRST,
            &[&held, &believed],
            &journal,
            &nothing,
            at("2026-01-01"),
        );
        assert_eq!(life.events.len(), 1);
        assert_eq!(life.events[0].what, "believed");
        assert!(life.to_string().contains("a candidate"), "{life}");
        assert_eq!(life.told, "Since January 2026: likes tea.");
    }
}
