//! How a block looks, and what its edges are.

use std::collections::BTreeSet;

use super::{day, note};
use crate::inject::{Block, block, parse};
use crate::memory::{Authority, Source};
use crate::model::{ApproximateTokens, TokenCounter};
use crate::policy::{Policy, Tool};
use crate::row::MemoryRow;
use serde_json::{Value, json};

fn render(rows: &[MemoryRow], policy: &Policy) -> Block {
    block(rows, policy, &BTreeSet::new(), day(1), &ApproximateTokens)
}

fn rule(number: u64, category: &str, content: &str) -> MemoryRow {
    let mut row = note(number, category, content);
    row.body.claim.authority = Authority::Rule;
    row
}

fn learned(number: u64, category: &str, content: &str) -> MemoryRow {
    let mut row = note(number, category, content);
    row.body.claim.source = Source::Extracted;
    row.marks.confidence = Some(0.9);
    row
}

#[test]
fn advisor_style_has_a_heading_for_each_category() {
    let mut short = note(
        5,
        "fact",
        "User's wife is called Sarah, and they met in Chiang Mai",
    );
    short.body.claim.summary = Some("wife: Sarah".to_owned());
    let rows = [
        short,
        learned(4, "response_style", "be concise"),
        note(3, "finance_context", "no individual stocks (funds only)"),
        note(2, "profile", "time horizon: 10–15 years"),
        note(1, "profile", "risk tolerance: moderate"),
    ];
    let block = render(&rows, &Policy::advisor());
    assert_eq!(
        block.text,
        "\
## Stored preferences
### Profile
- risk tolerance: moderate
- time horizon: 10–15 years
### Finance context
- no individual stocks (funds only)
### Response style
- be concise (tentative)
### Facts
- wife: Sarah
"
    );
    assert_eq!(block.left_out, 0);
    assert_eq!(block.lines[4], "- wife: Sarah");
    assert_eq!(
        block.prompt(),
        format!("{}\n{}", block.text, block.standing)
    );
    let parsed = parse(&block.prompt());
    assert_eq!(parsed[3].section, "Response style");
    assert_eq!(
        (parsed[3].text.as_str(), parsed[3].tentative),
        ("be concise", true)
    );
}

fn keyed(number: u64, domain: &str, key: &str, value: Option<Value>) -> MemoryRow {
    let mut row = rule(number, "preference", "as said");
    row.body.claim.domain = Some(domain.to_owned());
    row.body.claim.key = Some(key.to_owned());
    row.body.claim.value = value;
    row.marks.last_confirmed_at = Some(day(8));
    row
}

#[test]
fn assistant_style_has_rules_before_notes() {
    let rows = [
        learned(1, "context", "planning a wedding this month"),
        rule(2, "preference", "no meetings after 16:00"),
        note(3, "preference", "prefers mornings"),
        rule(4, "context", "never serve shellfish"),
        note(5, "context", "# new team member: Alex"),
        keyed(6, "schedule", "no_meetings_after", None),
        keyed(7, "food", "exclude", Some(json!(["shellfish", "peanuts"]))),
    ];
    let block = render(&rows, &Policy::assistant());
    assert_eq!(
        block.text,
        "\
## User memory
### Rules (must be respected)
- no meetings after 16:00 (confidence: high)
- never serve shellfish (confidence: high)
- [schedule] no_meetings_after: as said (confidence: high, confirmed: 1970-01-09)
- [food] exclude: shellfish, peanuts (confidence: high, confirmed: 1970-01-09)
### Notes (for judgement, not rules)
- planning a wedding this month (tentative, confidence: high)
- prefers mornings
- \\# new team member: Alex
"
    );
    assert!(block.standing.starts_with("## Conduct\n"));
}

#[test]
fn the_last_line_says_how_many_are_missing_and_who_finds_them() {
    let rows: Vec<MemoryRow> = (1..=200)
        .map(|number| {
            note(
                number,
                "fact",
                &format!("likes the tea that is number {number}"),
            )
        })
        .collect();
    let mut policy = Policy::advisor();
    let block = render(&rows, &policy);
    let last = block.text.lines().last().unwrap();
    assert_eq!(
        last,
        format!("({} more: recall_preferences finds them)", block.left_out)
    );
    assert_eq!(block.rows.len() + block.left_out, 200);
    // Of equals the lowest numbers stay, and nearly all of the budget is used.
    assert_eq!(block.rows.last(), Some(&rows[block.rows.len() - 1].id));
    let used = block.lines.join("\n").chars().count() / 4;
    assert!((485..=500).contains(&used), "{used}");

    policy.tools.offered.retain(|tool| *tool != Tool::Recall);
    let block = render(&rows, &policy);
    assert!(
        block
            .text
            .ends_with(&format!("\n({} more not shown)\n", block.left_out))
    );
}

#[test]
fn what_no_budget_left_out_is_not_counted() {
    let rows = [
        note(1, "identity", "called Ada"),
        note(2, "preference", "likes tea"),
        note(3, "nowhere", "likes tea"),
    ];
    let block = render(&rows, &Policy::chat());
    assert_eq!(
        block.text,
        "## About the user\n### Identity\n- called Ada\n"
    );
    assert_eq!(block.left_out, 0);
}

#[test]
fn nothing_is_shown_where_nothing_fits() {
    let rows = [
        note(1, "fact", "likes tea"),
        note(2, "fact", "likes coffee"),
    ];
    let mut policy = Policy::advisor();
    policy.block.budget = 9;
    let block = render(&rows, &policy);
    assert_eq!((block.text.as_str(), block.left_out), ("", 2));
    assert_eq!(block.prompt(), block.standing);

    policy.block.budget = 0;
    assert_eq!(render(&rows, &policy), Block::default());
    assert_eq!(render(&[], &Policy::advisor()).prompt(), block.standing);
}

#[test]
fn budgets_are_used_to_the_last_token() {
    let rows: Vec<MemoryRow> = (1..=9)
        .map(|number| note(number, "fact", &format!("likes tea {number}")))
        .collect();
    let mut policy = Policy::advisor();
    let whole = render(&rows, &policy).text;
    let budget = u32::try_from(ApproximateTokens.count(&whole)).unwrap();
    policy.block.budget = budget;
    assert_eq!(render(&rows, &policy).text, whole);
    policy.block.budget = budget - 1;
    assert!(render(&rows, &policy).left_out > 0);

    let lines = whole.strip_prefix("## Stored preferences\n").unwrap();
    policy.block.budget = budget;
    policy.categories[3].budget = u32::try_from(ApproximateTokens.count(lines)).unwrap();
    assert_eq!(render(&rows, &policy).text, whole);
    policy.categories[3].budget -= 1;
    policy.block.budget = 200;
    assert_eq!(render(&rows, &policy).left_out, 1);
}
