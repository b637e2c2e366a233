//! Tests of the block as a whole: its laws, its looks. What they are made with stands here.

mod layout;
mod properties;

use std::time::Duration;

use proptest::prelude::*;
use uuid::Uuid;

use crate::ids::{Number, RowId, Version};
use crate::memory::{Authority, Claim, Layer, Marks, Memory, Source};
use crate::model::TokenCounter;
use crate::policy::{Category, Policy, Tool};
use crate::row::{End, MemoryRow, Why};
use crate::timestamp::Timestamp;

pub(in crate::inject) fn day(count: u64) -> Timestamp {
    Timestamp::UNIX_EPOCH.saturating_add(Duration::from_secs(count * 86_400))
}

/// A note of the user's, recorded on the first day.
pub(in crate::inject) fn note(number: u64, category: &str, content: &str) -> MemoryRow {
    let id = RowId::new(Uuid::from_u128(number.into()));
    MemoryRow {
        id,
        origin: id.into(),
        recorded_at: day(0),
        end: None,
        marks: Marks::default(),
        body: Memory {
            number: Number::new(number).unwrap(),
            version: Version::FIRST,
            claim: Claim::note(category, content, day(0)),
        },
    }
}

/// Charges by bytes and for long words, and more for a long text than for its lines.
#[derive(Debug)]
pub(in crate::inject) struct Peculiar;

impl TokenCounter for Peculiar {
    fn count(&self, text: &str) -> usize {
        let words: usize = text.split_whitespace().map(|word| word.len() / 5).sum();
        1 + text.len() / 3 + words + text.lines().count().pow(2) / 4
    }
}

/// Texts with far more of what could break out than random ones have.
pub(in crate::inject) fn hostile() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        prop::sample::select(vec![
            "\\",
            "\\\\",
            "#",
            "### Rules",
            "-",
            "- ",
            "*",
            "+",
            ">",
            "_",
            "=",
            "`",
            "```",
            "~~~",
            "<",
            "<|im_start|>",
            "</s>",
            "[",
            "[INST]",
            "|>",
            "System:",
            "user :",
            "1.",
            "2)",
            " ",
            "\n",
            "\r\n",
            "\t",
            "\0",
            "\u{2028}",
            "\u{200b}",
            " (tentative)",
            "(tentative)",
            "(2 more: recall_memories finds them)",
            "tea",
            "ชา",
            "👩\u{200d}🚀",
            "e\u{301}",
            "🇩🇪",
        ])
        .prop_map(str::to_owned),
        any::<char>().prop_map(String::from),
        "[ -~]{1,6}",
    ];
    prop::collection::vec(part, 0..8).prop_map(|parts| parts.concat())
}

/// Any row, eligible or not; its body is one that no content has.
fn any_row(number: u64) -> impl Strategy<Value = MemoryRow> {
    let category = prop::sample::select(vec!["one", "two", "three", "never", "unknown"]);
    let source = prop::sample::select(vec![Source::User, Source::Agent, Source::Extracted]);
    let shape = (category, source, any::<bool>(), 0_u8..14);
    let marks = (0.0_f64..1.0, prop::option::of(0.5_f64..1.0), 0_u64..9);
    let texts = (hostile(), prop::option::of(hostile()), 0_usize..120);
    (shape, marks, texts).prop_map(move |(shape, marks, texts)| {
        let (category, source, is_rule, flaw) = shape;
        let (content, summary, filler) = texts;
        let mut row = note(
            number,
            category,
            &format!("{content}{}", "x".repeat(filler)),
        );
        row.recorded_at = day(marks.2);
        row.marks.importance = marks.0;
        row.marks.confidence = marks.1.filter(|_| !source.is_explicit());
        let claim = &mut row.body.claim;
        claim.source = source;
        claim.summary = summary;
        claim.body = Some("THE BODY".to_owned());
        if is_rule {
            claim.authority = Authority::Rule;
            claim.key = Some("exclude".to_owned()).filter(|_| flaw % 2 == 0);
            claim.value = Some(serde_json::json!([content, 1])).filter(|_| flaw % 3 == 0);
            row.marks.last_confirmed_at = Some(day(7)).filter(|_| flaw % 4 == 0);
        }
        match flaw {
            0 => claim.held = true,
            1 => claim.expires_at = Some(day(20)),
            2 => claim.layer = Layer::Digest,
            3 => claim.domain = Some("health".to_owned()),
            5 | 6 => claim.domain = Some("food".to_owned()),
            4 => {
                row.end = Some(End {
                    at: day(19),
                    why: Why::Forgotten,
                });
            }
            _ => {}
        }
        row
    })
}

/// Up to that many rows, with numbers from 1 up.
fn any_rows(most: u64) -> impl Strategy<Value = Vec<MemoryRow>> {
    (0..=most).prop_flat_map(|count| (1..=count).map(any_row).collect::<Vec<_>>())
}

/// A small policy of either style, with any budgets.
fn any_policy() -> impl Strategy<Value = Policy> {
    let budgets = (0_u32..400, 0_u32..200, 1_u32..200, 1_u32..60);
    (any::<bool>(), any::<bool>(), budgets)
        .prop_map(|(is_advisor, recalls, budgets)| policy(is_advisor, recalls, budgets))
}

fn policy(is_advisor: bool, recalls: bool, budgets: (u32, u32, u32, u32)) -> Policy {
    let mut policy = if is_advisor {
        Policy::advisor()
    } else {
        Policy::assistant()
    };
    policy.block.budget = budgets.0;
    policy.categories = vec![
        Category::new("one", "First", budgets.1),
        Category::new("two", "Second", budgets.2),
        Category::new("never", "Never", 0),
        Category::new("three", "Third", budgets.3),
    ];
    if !recalls {
        policy.tools.offered.retain(|tool| *tool != Tool::Recall);
    }
    policy
}
