//! What every context begins with, whatever the message is: the block, as far as there is room. A chat's
//! frozen block stands as long as everything in it does.

use std::collections::{BTreeMap, BTreeSet};

use crate::ids::RowId;
use crate::memory::Authority;
use crate::model::TokenCounter;
use crate::order::{self, Gather};
use crate::policy::Policy;
use crate::row::MemoryRow;
use crate::session::FrozenBlock;
use crate::timestamp::Timestamp;
use crate::visibility::{Visibility, visibility};

use super::line::Line;
use super::render::Layout;
use super::select::{self, Candidate};
use super::{budget, standing};

/// The memories that are told always.
#[derive(Debug, Default)]
pub(crate) struct Baseline<'a> {
    /// With a newline at its end; empty if nothing is shown.
    pub text: String,
    /// What stands in it, in the order shown.
    pub rows: Vec<&'a MemoryRow>,
    /// What could stand in it and found no room.
    pub left_out: Vec<&'a MemoryRow>,
    /// Not even all that the block has room for fits: there is room for nothing else.
    pub is_shrunk: bool,
}

/// The block within `most` tokens: what the chat has frozen where that still holds and fits, else as it would
/// be frozen now. Where even that has no room, notes go before rules, categories in the policy's order.
pub(crate) fn baseline<'a>(
    lines: &[(&'a MemoryRow, &'a Line)],
    policy: &Policy,
    excluded_domains: &BTreeSet<String>,
    now: Timestamp,
    frozen: Option<&FrozenBlock>,
    most: usize,
    tokens: &dyn TokenCounter,
) -> Baseline<'a> {
    if policy.block.budget == 0 {
        return Baseline::default();
    }
    let candidates = select::candidates(lines.iter().copied(), policy, excluded_domains, now);
    let shows = |row: &MemoryRow| {
        let domain = row.body.claim.domain.as_ref();
        visibility(row, now) == Visibility::Live
            && !domain.is_some_and(|domain| excluded_domains.contains(domain))
    };
    let held = frozen.and_then(|frozen| {
        let rows = still_holds(frozen, lines, &candidates, shows)?;
        let text = memory_part(frozen, policy).filter(|text| tokens.count(text) <= most)?;
        Some((text, rows))
    });
    if let Some((text, rows)) = held {
        let shown: BTreeSet<RowId> = rows.iter().map(|row| row.id).gather();
        let others = candidates.iter().map(|candidate| candidate.row);
        return Baseline {
            text,
            rows,
            left_out: others.filter(|row| !shown.contains(&row.id)).collect(),
            is_shrunk: false,
        };
    }
    let layout = Layout::new(policy);
    let fitted = budget::fit(&candidates, &layout, policy, tokens);
    let wanted = fitted.shown.len();
    let (shown, text) = shrink(fitted, &candidates, &layout, policy, most, tokens);
    let is_shown: BTreeSet<usize> = shown.iter().copied().gather();
    let row = |index: usize| candidates[index].row;
    Baseline {
        is_shrunk: shown.len() < wanted,
        text,
        rows: shown.iter().copied().map(row).collect(),
        left_out: (0..candidates.len())
            .filter(|index| !is_shown.contains(index))
            .map(row)
            .collect(),
    }
}

/// The rows of a frozen block, if all of them may still be shown and no rule has come since.
fn still_holds<'a>(
    frozen: &FrozenBlock,
    lines: &[(&'a MemoryRow, &'a Line)],
    candidates: &[Candidate<'a>],
    shows: impl Fn(&MemoryRow) -> bool,
) -> Option<Vec<&'a MemoryRow>> {
    let ids: BTreeSet<RowId> = frozen.rows.iter().copied().gather();
    let is_new_rule = |candidate: &Candidate<'_>| {
        candidate.row.body.claim.authority == Authority::Rule && !ids.contains(&candidate.row.id)
    };
    if candidates.iter().any(is_new_rule) {
        return None;
    }
    let known: BTreeMap<RowId, &'a MemoryRow> = lines
        .iter()
        .filter(|(row, _)| ids.contains(&row.id) && shows(row))
        .map(|(row, _)| (row.id, *row))
        .gather();
    frozen
        .rows
        .iter()
        .map(|id| known.get(id).copied())
        .collect()
}

/// A frozen block without the standing text; nothing if that was another then.
fn memory_part(frozen: &FrozenBlock, policy: &Policy) -> Option<String> {
    let part = frozen.text.strip_suffix(&standing::standing(policy))?;
    match (part.is_empty(), frozen.rows.is_empty()) {
        (true, true) => Some(String::new()),
        (false, false) => Some(
            part.strip_suffix('\n')
                .filter(|part| part.ends_with('\n'))?
                .to_owned(),
        ),
        _ => None,
    }
}

/// Takes lines away until it fits: notes before rules, of the category that goes first, of that the last
/// in rank.
fn shrink(
    fitted: budget::Fitted,
    candidates: &[Candidate<'_>],
    layout: &Layout,
    policy: &Policy,
    most: usize,
    tokens: &dyn TokenCounter,
) -> (Vec<usize>, String) {
    let budget::Fitted {
        mut shown,
        mut text,
    } = fitted;
    if tokens.count(&text) <= most {
        return (shown, text);
    }
    let order = policy.truncation_order();
    let mut goes: Vec<usize> = shown.clone();
    order::sort_by_key(&mut goes, |index| {
        let claim = &candidates[*index].row.body.claim;
        let place = order.iter().position(|one| one.name == claim.category);
        // Candidates are in rank order.
        let rank = std::cmp::Reverse(*index);
        (claim.authority == Authority::Rule, place, rank)
    });
    for gone in goes {
        shown.retain(|index| *index != gone);
        if shown.is_empty() {
            break;
        }
        let lines = shown.iter().map(|index| candidates[*index].line);
        text = layout.text(lines, candidates.len() - shown.len());
        if tokens.count(&text) <= most {
            return (shown, text);
        }
    }
    (Vec::new(), String::new())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inject::tests::{day, note};
    use crate::inject::{self};
    use crate::model::ApproximateTokens;

    const COUNT: &ApproximateTokens = &ApproximateTokens;

    fn rows() -> Vec<MemoryRow> {
        let mut rule = note(5, "fact", "never advises on tobacco");
        rule.body.claim.authority = Authority::Rule;
        vec![
            note(1, "profile", "lives in Ghent with a cat"),
            note(2, "finance_context", "has a mortgage"),
            note(3, "fact", "drinks tea in the morning"),
            note(4, "fact", "drinks coffee in the evening"),
            rule,
        ]
    }

    fn at(rows: &[MemoryRow], frozen: Option<&FrozenBlock>, most: usize) -> (String, Vec<u64>) {
        let policy = Policy::advisor();
        let made: Vec<(&MemoryRow, Line)> = rows
            .iter()
            .filter_map(|row| Some((row, Line::of(row, &policy, COUNT)?)))
            .collect();
        let lines: Vec<(&MemoryRow, &Line)> = made.iter().map(|(row, line)| (*row, line)).collect();
        let none = BTreeSet::new();
        let made = baseline(&lines, &policy, &none, day(1), frozen, most, COUNT);
        let numbers = made.rows.iter().map(|row| row.body.number.get()).collect();
        (made.text, numbers)
    }

    fn frozen(rows: &[MemoryRow]) -> FrozenBlock {
        let block = inject::block(rows, &Policy::advisor(), &BTreeSet::new(), day(0), COUNT);
        FrozenBlock {
            text: block.prompt(),
            revision: 1,
            rows: block.rows,
        }
    }

    #[test]
    fn it_is_the_block_where_there_is_room() {
        let block = inject::block(&rows(), &Policy::advisor(), &BTreeSet::new(), day(1), COUNT);
        assert_eq!(at(&rows(), None, 1_500).0, block.text);
        assert_eq!(at(&rows(), Some(&frozen(&rows())), 1_500).0, block.text);
    }

    #[test]
    fn what_is_frozen_stands_until_something_in_it_has_ended_or_a_rule_is_new() {
        let mut now = rows();
        let before = frozen(&now[..2]);
        assert_eq!(at(&now[..4], Some(&before), 1_500).1, [1, 2]);
        assert_eq!(at(&now, Some(&before), 1_500).1, [1, 2, 3, 4, 5]);
        now[1].end = Some(crate::row::End {
            at: day(1),
            why: crate::row::Why::Trashed,
        });
        assert_eq!(at(&now[..4], Some(&before), 1_500).1, [1, 3, 4]);
        let nothing = frozen(&[]);
        assert_eq!(
            at(&now[..1], Some(&nothing), 1_500),
            (String::new(), vec![])
        );
    }

    #[test]
    fn notes_go_first_and_categories_in_the_policys_order() {
        let mut steps = Vec::new();
        for most in (0..90).rev() {
            let (text, numbers) = at(&rows(), None, most);
            assert!(COUNT.count(&text) <= most);
            if steps.last() != Some(&numbers) {
                steps.push(numbers);
            }
        }
        let expected: Vec<Vec<u64>> = vec![
            vec![1, 2, 3, 4, 5],
            // With one less there would be as many tokens: the last line says that it is missing.
            vec![1, 2, 5],
            vec![1, 5],
            vec![5],
            vec![],
        ];
        assert_eq!(steps, expected);
    }
}
