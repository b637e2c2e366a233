//! How sure an inferred row must be to be shown, by how rows of its category fared when behaviour spoke of them.

use std::collections::BTreeMap;

use crate::digest::{Digest, DigestKind, DigestLine};
use crate::order::Gather;
use crate::plan::digest::Chosen;
use crate::policy::Policy;
use crate::row::MemoryRow;

/// How often behaviour must have spoken of a category's rows before its floor is another.
const LEAST_FEEDBACK: u64 = 5;
/// The share of contradictions at which a floor is right.
const USUAL_SHARE: f64 = 0.25;
/// How far a floor moves with the share of contradictions.
const REACH: f64 = 0.4;
/// The highest that a floor is raised to.
const HIGHEST_FLOOR: f64 = 0.95;

/// How sure an inferred row of each category must be to be shown, by how such rows fared; nothing for the
/// categories of which too little is known.
pub(crate) fn floors<'a>(
    rows: impl Iterator<Item = &'a MemoryRow>,
    policy: &Policy,
) -> BTreeMap<String, f64> {
    if !policy.consolidation.calibrates {
        return BTreeMap::new();
    }
    let mut fared: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for row in rows.filter(|row| !row.body.claim.source.is_explicit()) {
        let (confirmed, contradicted) = fared.entry(&row.body.claim.category).or_default();
        *confirmed += u64::from(row.marks.confirmations);
        *contradicted += u64::from(row.marks.contradictions);
    }
    fared
        .into_iter()
        .filter(|(_, (confirmed, contradicted))| confirmed + contradicted >= LEAST_FEEDBACK)
        .map(|(category, (confirmed, contradicted))| {
            let share = contradicted as f64 / (confirmed + contradicted) as f64;
            let floor = policy.floors.inject + (share - USUAL_SHARE) * REACH;
            let lowest = policy.floors.recall.max(policy.floors.keep);
            let highest = HIGHEST_FLOOR.max(policy.floors.inject);
            let floor = floor.clamp(lowest.min(highest), highest);
            // Two digits: a floor is read by people, and a block must not change with every word.
            (category.to_owned(), (floor * 100.0).round() / 100.0)
        })
        .gather()
}

/// The floors that feedback has moved, and the rows whose feedback did.
pub(super) fn calibrated<'a>(rows: &[&'a MemoryRow], policy: &Policy) -> Option<Chosen<'a>> {
    let floors = floors(rows.iter().copied(), policy);
    let is_judged = |row: &&&MemoryRow| {
        let marks = &row.marks;
        let is_told = marks.confirmations > 0 || marks.contradictions > 0;
        !row.body.claim.source.is_explicit() && is_told
    };
    let mut cited = Vec::new();
    let mut lines = Vec::new();
    for (category, floor) in floors {
        let of_category = |row: &&&MemoryRow| row.body.claim.category == category;
        let judged = rows.iter().filter(is_judged).filter(of_category).copied();
        let judged: Vec<&MemoryRow> = judged.collect();
        let title = policy.category(&category).map(|known| known.title.clone());
        lines.push(DigestLine {
            text: format!("{}: shown from {floor:.2} on", title.unwrap_or(category)),
            cites: judged.iter().map(|row| row.body.number).collect(),
            by_model: false,
        });
        cited.extend(judged);
    }
    (!lines.is_empty()).then(|| Chosen {
        digest: Digest {
            kind: DigestKind::Floors,
            domain: None,
            title: "Calibrated floors".to_owned(),
            lines,
            left_out: 0,
        },
        rows: cited,
        gists: Vec::new(),
    })
}
