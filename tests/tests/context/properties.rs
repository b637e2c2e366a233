//! Laws of every context, whatever is stored, said and allowed.

use std::collections::BTreeSet;
use std::sync::Arc;

use keepmind::command::{ContextRequest, Save};
use keepmind::inject::parse;
use keepmind::{
    Authority, CountingIds, InMemoryStore, Item, Keepmind, ManualClock, Policy, Timestamp,
    TokenCounter,
};
use proptest::prelude::*;

/// Counts bytes, and more for a text than for its lines.
#[derive(Debug)]
struct Uneven;

impl TokenCounter for Uneven {
    fn count(&self, text: &str) -> usize {
        text.len() / 3 + text.lines().count().pow(2) / 8
    }
}

#[derive(Debug, Clone)]
struct Kept {
    content: String,
    category: usize,
    domain: Option<&'static str>,
    is_rule: bool,
}

fn content() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "tea",
        "dinner",
        "hotel",
        "flight",
        "#",
        "- ",
        "```",
        "System:",
        "<|im_start|>",
        "likes",
        "Ghent",
        "绿茶",
        "🍵",
        "(tentative)",
        "### Rules",
        "1.",
        "\\",
        "crane",
        "restaurant",
    ]);
    prop::collection::vec(words, 1..8).prop_map(|words| words.join(" "))
}

fn kept() -> impl Strategy<Value = Kept> {
    let domain = prop::option::of(prop::sample::select(vec!["food", "travel", "work"]));
    (content(), 0usize..8, domain, any::<bool>()).prop_map(
        |(content, category, domain, is_rule)| Kept {
            content,
            category,
            domain,
            is_rule,
        },
    )
}

fn message() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("Which restaurant for dinner tonight?".to_owned()),
        Just("Do you remember which flight and hotel I took last time?".to_owned()),
        Just("What is the boiling point of water at sea level?".to_owned()),
        content(),
        "(?s).{0,60}",
    ]
}

fn policy(name: &str) -> Policy {
    let mut policy = Policy::preset(name).expect("a preset");
    // So that there is more than fits the block too.
    policy.block.budget = policy.block.budget.min(120);
    for category in &mut policy.categories {
        category.budget = category.budget.min(60);
    }
    policy
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn the_baseline_is_there_whatever_is_asked(
        preset in prop::sample::select(vec!["default", "chat", "assistant"]),
        rows in prop::collection::vec(kept(), 0..14),
        later in prop::collection::vec(kept(), 0..4),
        message in message(),
        budget in prop_oneof![0u32..80, 80u32..600, Just(10_000u32)],
        window in prop_oneof![Just(None), (0u32..4_000).prop_map(Some)],
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let policy = policy(preset);
            let clock = ManualClock::new(Timestamp::parse("2026-03-01T09:00:00Z").unwrap());
            let keepmind = Keepmind::builder(Arc::new(InMemoryStore::new()))
                .policy(policy.clone())
                .clock(Arc::new(clock))
                .tokens(Arc::new(Uneven))
                .ids(CountingIds::after(1 << 64))
                .build()
                .unwrap();
            let alice = keepmind.user("alice").unwrap();
            let categories: Vec<String> =
                policy.writable_categories().map(|category| category.name.clone()).collect();
            let save = |kept: &Kept| {
                let mut save = Save::new(kept.content.clone())
                    .category(categories[kept.category % categories.len()].clone());
                save.domain = kept.domain.map(str::to_owned);
                save.authority = kept.is_rule.then_some(Authority::Rule);
                save
            };
            for kept in &rows {
                // What a host may not save is of no interest here.
                let _ = alice.save(save(kept)).await;
            }
            let chat = alice.open_session().await.unwrap();
            for kept in &later {
                let _ = alice.save(save(kept)).await;
            }
            let mut asked = ContextRequest::new(message).budget(budget);
            asked.window = window;
            let mut nothing = asked.clone();
            nothing.message.clear();
            for (context, bare) in [
                (alice.context(asked.clone()).await.unwrap(), alice.context(nothing.clone()).await.unwrap()),
                (chat.context(asked.clone()).await.unwrap(), chat.context(nothing).await.unwrap()),
            ] {
                prop_assert_eq!(&context.baseline, &bare.baseline);
                prop_assert_eq!(&bare.text, &bare.baseline);
                prop_assert!(context.text.starts_with(&context.baseline));
                prop_assert!(Uneven.count(&context.text) <= budget as usize || context.text.is_empty());
                if !context.text.is_empty() {
                    let window = window.unwrap_or(policy.compression.context_budget);
                    prop_assert!(context.tokens as f64 <= f64::from(window) * policy.recall.window_share);
                }
                let mut seen = BTreeSet::new();
                for used in &context.used {
                    let Item::Memory { number, .. } = used.item else { continue };
                    prop_assert!(seen.insert(number), "{number} twice");
                }
                for left_out in &context.left_out {
                    if let Item::Memory { number, .. } = left_out.item {
                        let is_told_above = left_out.reason == keepmind::LeftOutReason::Duplicate;
                        prop_assert!(!seen.contains(&number) || is_told_above);
                    }
                }
                // Every line is a memory's own, whatever it holds.
                let live = alice.list(Default::default()).await.unwrap().rows;
                let contents: BTreeSet<&str> =
                    live.iter().map(|row| row.body.claim.content.as_str()).collect();
                let lines = parse(&context.text);
                prop_assert_eq!(lines.len(), context.used.len(), "{}", &context.text);
                for line in lines {
                    // The assistant's block says of a rule which domain it is of.
                    let text = line.text.as_str();
                    let bare = text.split_once("] ").filter(|_| text.starts_with('['));
                    let bare = bare.map_or(text, |(_, bare)| bare);
                    let is_known = contents.contains(text) || contents.contains(bare);
                    prop_assert!(is_known, "{}", text);
                }
            }
            Ok(())
        })?;
    }
}
