//! The laws of the block, over arbitrary rows, budgets and counters.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::Index;

use super::{Peculiar, any_policy, any_row, any_rows, day, note, policy};
use crate::confidence;
use crate::inject::flat::flat;
use crate::inject::shown::words;
use crate::inject::{Block, block, parse};
use crate::memory::{Authority, Layer};
use crate::model::{ApproximateTokens, TokenCounter};
use crate::policy::{BlockStyle, Policy};
use crate::row::MemoryRow;
use crate::visibility::{Visibility, visibility};

const COUNTERS: [&dyn TokenCounter; 2] = [&ApproximateTokens, &Peculiar];

fn render(rows: &[MemoryRow], policy: &Policy, tokens: &dyn TokenCounter) -> Block {
    let excluded = BTreeSet::from(["health".to_owned()]);
    block(rows, policy, &excluded, day(20), tokens)
}

fn shows(row: &MemoryRow, policy: &Policy) -> String {
    flat(&words(row, policy.block.style)).into_owned()
}

fn is_tentative(row: &MemoryRow) -> bool {
    !row.body.claim.source.is_explicit() && row.marks.confidence.is_some()
}

fn eligible(row: &MemoryRow, policy: &Policy) -> bool {
    let claim = &row.body.claim;
    visibility(row, day(20)) == Visibility::Live
        && claim.layer == Layer::Fact
        && claim.domain.as_deref() != Some("health")
        && policy
            .category(&claim.category)
            .is_some_and(|category| category.budget > 0)
        && (claim.source.is_explicit()
            || confidence::effective(row, policy, day(20)) >= policy.floors.inject)
        && !shows(row, policy).is_empty()
}

fn section(row: &MemoryRow, policy: &Policy) -> String {
    match (policy.block.style, row.body.claim.authority) {
        (BlockStyle::Advisor, _) => policy
            .category(&row.body.claim.category)
            .unwrap()
            .title
            .clone(),
        (BlockStyle::Assistant, Authority::Rule) => "Rules (must be respected)".to_owned(),
        (BlockStyle::Assistant, Authority::Note) => "Notes (for judgement, not rules)".to_owned(),
    }
}

fn generous(is_advisor: bool) -> Policy {
    policy(
        is_advisor,
        true,
        (1_000_000, 1_000_000, 1_000_000, 1_000_000),
    )
}

proptest! {
    #[test]
    fn the_order_in_which_rows_come_does_not_matter(
        (rows, shuffled) in any_rows(12).prop_flat_map(|rows| (Just(rows.clone()), Just(rows).prop_shuffle())),
        policy in any_policy(),
    ) {
        for tokens in COUNTERS {
            prop_assert_eq!(render(&rows, &policy, tokens), render(&shuffled, &policy, tokens));
        }
    }

    #[test]
    fn budgets_hold_after_escaping(rows in any_rows(24), policy in any_policy()) {
        for tokens in COUNTERS {
            let block = render(&rows, &policy, tokens);
            if block.text.is_empty() {
                prop_assert!(block.rows.is_empty());
                continue;
            }
            prop_assert!(!block.rows.is_empty());
            prop_assert!(tokens.count(&block.text) <= policy.block.budget as usize);
            for category in &policy.categories {
                let mut part = String::new();
                for (id, line) in block.rows.iter().zip(&block.lines) {
                    let row = rows.iter().find(|row| row.id == *id).unwrap();
                    if row.body.claim.category == category.name {
                        if part.is_empty() && policy.block.style == BlockStyle::Advisor {
                            part += &format!("### {}\n", category.title);
                        }
                        part += &format!("{line}\n");
                    }
                }
                prop_assert!(part.is_empty() || tokens.count(&part) <= category.budget as usize);
                prop_assert!(part.is_empty() || block.text.contains(&part) || policy.block.style == BlockStyle::Assistant);
            }
        }
    }

    #[test]
    fn parsing_gives_back_exactly_the_whole_lines_of_eligible_rows(rows in any_rows(16), policy in any_policy()) {
        for tokens in COUNTERS {
            let block = render(&rows, &policy, tokens);
            let parsed = parse(&block.text);
            prop_assert_eq!(&parse(&block.prompt()), &parsed);
            prop_assert_eq!((parsed.len(), block.lines.len()), (block.rows.len(), block.rows.len()));
            for ((id, line), parsed) in block.rows.iter().zip(&block.lines).zip(parsed) {
                let row = rows.iter().find(|row| row.id == *id).unwrap();
                prop_assert!(eligible(row, &policy));
                prop_assert_eq!(parsed.text, shows(row, &policy));
                prop_assert_eq!(parsed.tentative, is_tentative(row));
                prop_assert_eq!(parsed.section, section(row, &policy));
                let whole = format!("\n{line}\n");
                prop_assert!(block.text.contains(&whole));
            }
            let candidates = rows.iter().filter(|row| eligible(row, &policy)).count();
            let expected = if policy.block.budget == 0 { 0 } else { candidates };
            prop_assert_eq!(block.rows.len() + block.left_out, expected);
            prop_assert!(!block.prompt().contains("THE BODY"));
            if !block.text.is_empty() {
                prop_assert_eq!(block.text.contains(" more"), block.left_out > 0 || block.lines.concat().contains(" more"));
            }
        }
    }

    #[test]
    fn a_new_fact_changes_only_what_follows_its_place(rows in any_rows(10), new in any_row(11), at: Index, is_advisor: bool) {
        let policy = generous(is_advisor);
        let mut rows = rows;
        let mut new = new;
        // Its place is anywhere among the others, as that of an older fact that was restored.
        if let Some(other) = rows.get_mut(at.index(11)) {
            std::mem::swap(&mut other.body.number, &mut new.body.number);
        }
        let before = render(&rows, &policy, &ApproximateTokens);
        rows.push(new.clone());
        let after = render(&rows, &policy, &ApproximateTokens);
        prop_assert_eq!((before.left_out, after.left_out), (0, 0));
        let Some(place) = after.rows.iter().position(|id| *id == new.id) else {
            prop_assert_eq!(before, after);
            return Ok(());
        };
        prop_assert_eq!(&before.rows[..place], &after.rows[..place]);
        prop_assert_eq!(&before.rows[place..], &after.rows[place + 1..]);
        if before.text.is_empty() {
            return Ok(());
        }
        let line = format!("{}\n", after.lines[place]);
        let heading = format!("### {}\n", section(&new, &policy));
        let added = if before.text.contains(&heading) { line } else { heading + &line };
        let cut = after.text.match_indices(&added).any(|(start, _)| {
            let rest = &after.text[start + added.len()..];
            before.text.starts_with(&after.text[..start]) && &before.text[start..] == rest
        });
        prop_assert!(cut, "{}\n---\n{}", before.text, after.text);
    }

    #[test]
    fn one_oversize_memory_pushes_nothing_out(rows in any_rows(8), is_advisor: bool, is_rule: bool) {
        let policy = policy(is_advisor, true, (2_000, 1_000, 1_000, 1_000));
        let usual = render(&rows, &policy, &ApproximateTokens);
        let mut large = note(100, "one", &"words".repeat(1_000));
        large.marks.importance = 1.0;
        if is_rule {
            large.body.claim.authority = Authority::Rule;
        }
        let mut more = rows;
        more.push(large);
        let block = render(&more, &policy, &ApproximateTokens);
        prop_assert_eq!(block.rows, usual.rows);
        prop_assert_eq!(block.left_out, usual.left_out + 1);
    }

    /// But for the token or two that joining saves: a smaller memory gets in behind a larger one.
    #[test]
    fn what_is_left_out_would_not_have_fitted(rows in any_rows(24), policy in any_policy()) {
        let tokens = ApproximateTokens;
        let block = render(&rows, &policy, &tokens);
        if block.text.is_empty() {
            return Ok(());
        }
        for row in rows.iter().filter(|row| eligible(row, &policy) && !block.rows.contains(&row.id)) {
            let alone = render(std::slice::from_ref(row), &generous(policy.block.style == BlockStyle::Advisor), &tokens);
            let heading = format!("### {}\n", section(row, &policy));
            let cost = tokens.count(&alone.lines[0]) + tokens.count(&heading) + 2;
            let fellows = block.rows.iter().zip(&block.lines).filter(|(id, _)| {
                let fellow = rows.iter().find(|row| row.id == **id).unwrap();
                fellow.body.claim.category == row.body.claim.category
            });
            let in_category: usize = fellows.map(|(_, line)| tokens.count(line) + 1).sum();
            let category = policy.category(&row.body.claim.category).unwrap();
            prop_assert!(
                in_category + cost > category.budget as usize
                    || tokens.count(&block.text) + cost > policy.block.budget as usize
            );
        }
    }

    #[test]
    fn what_fits_exactly_is_shown(rows in any_rows(24), is_advisor: bool) {
        let mut policy = generous(is_advisor);
        let whole = render(&rows, &policy, &ApproximateTokens);
        policy.block.budget = ApproximateTokens.count(&whole.text).max(1) as u32;
        prop_assert_eq!(render(&rows, &policy, &ApproximateTokens), whole);
    }
}
