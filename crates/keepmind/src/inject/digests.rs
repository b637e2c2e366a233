//! The digests of a context's baseline: what the block has no room for, as far as there is room elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use crate::digest::DigestKind;
use crate::ids::RowId;
use crate::model::TokenCounter;
use crate::plan::Chosen;
use crate::policy::Policy;
use crate::row::MemoryRow;

use super::escape::BULLET;
use super::shown;

/// Adds what digests say to a baseline, within `most` tokens for both. What is known of a domain waits until a
/// message speaks of it.
///
/// Answers the rows that stand in it now, and the lines that join several, without their marks.
pub(crate) fn add_digests<'a>(
    text: &mut String,
    chosen: &[Chosen<'a>],
    policy: &Policy,
    most: usize,
    tokens: &dyn TokenCounter,
) -> (Vec<&'a MemoryRow>, BTreeSet<String>) {
    let mut added: BTreeMap<RowId, &MemoryRow> = BTreeMap::new();
    let mut joined = BTreeSet::new();
    let mut title = match text.is_empty() {
        true => format!("## {}\n", policy.block.title),
        false => String::new(),
    };
    let mut taken = tokens.count(text);
    let always = chosen
        .iter()
        .filter(|one| !matches!(one.digest.kind, DigestKind::Domain | DigestKind::Floors));
    for one in always {
        let mut heading = format!("### {}\n", one.digest.title);
        for line in &one.digest.lines {
            let cited = one.rows.iter().copied();
            let cited = cited.filter(|row| line.cites.contains(&row.body.number));
            let cited: Vec<&MemoryRow> = cited.collect();
            let (shown, rows) = match cited.as_slice() {
                _ if line.by_model => (shown::joined(&line.text, &cited), cited),
                [row] => (
                    shown::line(row, policy.block.style).unwrap_or_default(),
                    cited,
                ),
                _ => (format!("{BULLET}{}", shown::text(&line.text)), Vec::new()),
            };
            let part = format!("{title}{heading}{shown}\n");
            let cost = tokens.count(&part);
            if shown.is_empty() || taken + cost > most {
                continue;
            }
            taken += cost;
            text.push_str(&part);
            title.clear();
            heading.clear();
            if line.by_model {
                joined.insert(shown::unmarked(&shown).to_owned());
            }
            added.extend(rows.into_iter().map(|row| (row.id, row)));
        }
    }
    (added.into_values().collect(), joined)
}
