//! What each preset promises, number by number, and the look-ups that read it.

use crate::policy::*;

fn all() -> Vec<Policy> {
    Policy::presets()
        .iter()
        .map(|name| Policy::preset(name).expect("a listed preset"))
        .collect()
}

fn budgets(policy: &Policy) -> Vec<(&str, u32)> {
    policy
        .categories
        .iter()
        .map(|category| (category.name.as_str(), category.budget))
        .collect()
}

fn half_lives(policy: &Policy) -> Vec<(&str, Option<u32>)> {
    policy
        .categories
        .iter()
        .map(|category| (category.name.as_str(), category.half_life_days))
        .collect()
}

fn sensitive(policy: &Policy) -> Vec<&str> {
    policy
        .domains
        .iter()
        .filter(|domain| policy.sensitive(&domain.name))
        .map(|domain| domain.name.as_str())
        .collect()
}

#[test]
fn every_preset_loads_validates_and_carries_its_name() {
    assert_eq!(
        Policy::presets(),
        [
            "default",
            "advisor",
            "chat",
            "assistant",
            "personal",
            "observer"
        ]
    );
    for (name, policy) in Policy::presets().iter().zip(all()) {
        assert_eq!(policy.name, *name);
        assert_eq!(policy.validate(), Ok(()));
    }
    let by_constructor = [
        Policy::default(),
        Policy::advisor(),
        Policy::chat(),
        Policy::assistant(),
        Policy::personal(),
        Policy::observer(),
    ];
    assert_eq!(all(), by_constructor);
}

#[test]
fn an_unknown_preset_lists_those_there_are() {
    let error = Policy::preset("Advisor").expect_err("names are exact");
    assert_eq!(error.path(), Some("preset"));
    assert!(error.to_string().contains("advisor, chat, assistant"));
}

#[test]
fn what_all_presets_share() {
    for policy in all() {
        let name = &policy.name;
        assert_eq!(policy.floors.inject, 0.7, "{name}");
        assert_eq!(policy.floors.near_duplicate_vectors, 0.85, "{name}");
        assert_eq!(policy.floors.contradiction_importance, 0.85, "{name}");
        assert_eq!(policy.time_to_live.contextual, 7, "{name}");
        assert_eq!(policy.time_to_live.temporary, 1, "{name}");
        assert_eq!(policy.time_to_live.deadline_grace, 7, "{name}");
        assert_eq!(policy.compression.context_budget, 32_000, "{name}");
        assert_eq!(policy.compression.threshold, 0.8, "{name}");
        assert_eq!(policy.retention.session_trash_days, 30, "{name}");
        assert_eq!(policy.retention.archive_after_idle_days, 30, "{name}");
        assert_eq!(policy.retention.usage_days, 90, "{name}");
        assert_eq!(policy.consolidation.every_days, 1, "{name}");
        let grades = &policy.grades;
        assert_eq!((grades.strong_times, grades.strong_sessions), (5, 2));
        assert_eq!((grades.tentative_times, grades.candidate_days), (2, 14));
        assert_eq!(grades.strong_importance, 0.9);
        assert_eq!(grades.tentative_importance_lowest, 0.4);
        assert_eq!(grades.tentative_importance_highest, 0.6);
        let limits = &policy.limits;
        assert_eq!(limits.content_characters, 500, "{name}");
        assert_eq!(limits.reply_bytes, 64 * 1024, "{name}");
        assert_eq!((limits.reply_operations, limits.reply_depth), (32, 16));
        assert_eq!(limits.operations_per_quote, 3, "{name}");
        assert_eq!(policy.recall.cache_seconds, 300, "{name}");
        assert_eq!(policy.recall.cache_memories, 50, "{name}");
        assert_eq!(policy.recall.window_share, 0.15, "{name}");
        assert!(policy.tools.offers(Tool::Recall), "{name}");
        let fallback = policy.category(&policy.default_category).expect("exists");
        assert_eq!(fallback.time_to_live, TimeToLive::Lasting, "{name}");
    }
}

#[test]
fn default_is_careful() {
    let policy = Policy::default();
    assert_eq!(policy.floors.keep, 0.5);
    assert_eq!(policy.floors.keep_importance, None);
    assert_eq!(policy.governance.without_consent, WithoutConsent::Refuse);
    assert_eq!(policy.retention.trash_days, 30);
    assert_eq!(policy.retention.expired_purge_days, None);
    assert_eq!(policy.tools.offered, Tool::ALL);
    assert_eq!(policy.extraction.write, WriteMode::Direct);
    assert_eq!(policy.extraction.mode, ExtractionMode::AtClose);
    assert_eq!(policy.recall.fusion.method, FusionMethod::Score);
    assert!(!policy.consolidation.observations);
    assert_eq!(
        sensitive(&policy),
        [
            "health",
            "finance",
            "religion",
            "politics",
            "union_membership",
            "sexuality",
            "ethnicity",
            "genetics",
            "criminal_record"
        ]
    );
    assert!(!policy.needs_consent("food"));
    let total: u32 = policy.categories.iter().map(|c| c.budget).sum();
    assert_eq!(total, policy.block.budget);
}

#[test]
fn advisor() {
    let policy = Policy::advisor();
    assert_eq!(
        budgets(&policy),
        [
            ("profile", 300),
            ("finance_context", 500),
            ("response_style", 200),
            ("fact", 500)
        ]
    );
    assert_eq!(policy.block.budget, 1_500);
    assert_eq!(policy.block.style, BlockStyle::Advisor);
    assert_eq!(policy.default_category, "fact");
    assert_eq!(policy.floors.keep, 0.5);
    assert_eq!(policy.retention.trash_days, 30);
    assert!(sensitive(&policy).is_empty());
    assert!(policy.domain("health").is_some());
    let names: Vec<String> = policy
        .tools
        .offered
        .iter()
        .map(|tool| policy.tool_name(*tool))
        .collect();
    assert_eq!(
        names,
        [
            "save_preference",
            "update_preference",
            "forget_preference",
            "confirm_preference",
            "link_preferences",
            "list_preferences",
            "recall_preferences"
        ]
    );
    assert_eq!(
        half_lives(&policy),
        [
            ("profile", None),
            ("finance_context", Some(365)),
            ("response_style", Some(180)),
            ("fact", Some(365))
        ]
    );
}

#[test]
fn chat() {
    let policy = Policy::chat();
    assert_eq!(
        budgets(&policy),
        [
            ("identity", 500),
            ("preference", 0),
            ("project", 0),
            ("context", 0),
            ("relationship", 0)
        ]
    );
    assert_eq!(
        half_lives(&policy),
        [
            ("identity", None),
            ("preference", Some(180)),
            ("project", Some(90)),
            ("context", Some(30)),
            ("relationship", None)
        ]
    );
    assert_eq!(policy.floors.keep, 0.7);
    assert_eq!(policy.floors.keep_importance, Some(0.7));
    assert_eq!(policy.floors.recall, 0.7);
    assert_eq!(policy.extraction.mode, ExtractionMode::EveryTurn);
    assert_eq!(policy.extraction.context_messages, 10);
    assert_eq!(policy.recall.fusion.method, FusionMethod::ReciprocalRank);
    assert_eq!(policy.recall.fusion.rank_constant, 60);
    assert!(policy.recall.rerank_candidates > 0);
    let limits = &policy.recall.message_limits;
    assert_eq!((limits.short_below_characters, limits.short), (20, 0));
    assert_eq!((limits.continuation, limits.otherwise), (3, 3));
    assert_eq!((limits.long_above_characters, limits.long), (100, 10));
    assert_eq!(policy.retention.expired_purge_days, Some(90));
    let order: Vec<&str> = policy
        .truncation_order()
        .iter()
        .map(|category| category.name.as_str())
        .collect();
    assert_eq!(
        order,
        [
            "context",
            "project",
            "identity",
            "preference",
            "relationship"
        ]
    );
    let context = policy.category("context").expect("it exists");
    assert_eq!(context.time_to_live, TimeToLive::Contextual);
}

#[test]
fn assistant() {
    let policy = Policy::assistant();
    assert_eq!(policy.block.style, BlockStyle::Assistant);
    assert_eq!(policy.retention.trash_days, 0);
    assert_eq!(sensitive(&policy), ["health", "finance"]);
    assert_eq!(policy.governance.without_consent, WithoutConsent::Propose);
    assert!(policy.tools.offers(Tool::Propose));
    let domains: Vec<(&str, bool, Option<u32>)> = policy
        .domains
        .iter()
        .map(|d| (d.name.as_str(), d.opt_in, d.default_expiry_days))
        .collect();
    assert_eq!(
        domains,
        [
            ("schedule", false, None),
            ("food", false, None),
            ("shopping", false, None),
            ("communication", false, None),
            ("travel", false, None),
            ("health", true, None),
            ("finance", true, None),
            ("work", false, Some(90)),
            ("personal", false, Some(60)),
            ("relationships", false, None)
        ]
    );
}

#[test]
fn personal() {
    let policy = Policy::personal();
    let kinds: Vec<(&str, CategoryKind)> = policy
        .categories
        .iter()
        .map(|category| (category.name.as_str(), category.kind))
        .collect();
    assert_eq!(
        kinds,
        [
            ("profile", CategoryKind::Statement),
            ("task", CategoryKind::Task),
            ("procedure", CategoryKind::Procedure),
            ("knowledge", CategoryKind::Statement),
            ("episode", CategoryKind::Episode)
        ]
    );
    assert_eq!(policy.extraction.write, WriteMode::Staged);
    assert_eq!(policy.extraction.mode, ExtractionMode::AtClose);
    assert_eq!(policy.consolidation.review_days, Some(30));
    assert!((2_000..=5_000).contains(&policy.digests.domain));
    assert!(policy.sensitive("health") && policy.sensitive("finance"));
}

#[test]
fn observer() {
    let policy = Policy::observer();
    let names: Vec<&str> = policy
        .writable_categories()
        .map(|category| category.name.as_str())
        .collect();
    assert_eq!(names, ["preference", "habit", "skill", "artifact"]);
    assert_eq!(policy.extraction.write, WriteMode::Staged);
    assert!(policy.consolidation.observations);
    assert_eq!(
        sensitive(&policy),
        ["health", "finance", "relationships", "religion"]
    );
    assert_eq!(policy.governance.without_consent, WithoutConsent::Propose);
}

#[test]
fn look_ups() {
    let policy = Policy::default();
    assert_eq!(policy.tool_name(Tool::Save), "save_memory");
    assert_eq!(policy.tool_name(Tool::Recall), "recall_memories");
    assert_eq!(policy.tools.by_name("link_memories"), Some(Tool::Link));
    assert_eq!(policy.tools.by_name("save_Memory"), None);
    assert_eq!(Policy::assistant().tools.by_name("save_memory"), None);
    assert_eq!(policy.category("Profile"), None);
    assert!(!policy.sensitive("nowhere"));
    assert!(!policy.needs_consent("nowhere"));
    let category = |policy: &Policy, kind| policy.category_for(kind).map(|c| c.name.clone());
    assert_eq!(
        category(&policy, CategoryKind::Task).as_deref(),
        Some("task")
    );
    assert_eq!(
        category(&Policy::advisor(), CategoryKind::Episode).as_deref(),
        Some("fact")
    );
    assert!(CategoryKind::Preference.newest_wins() && CategoryKind::Status.newest_wins());
    assert!(!CategoryKind::Statement.newest_wins());
    for tool in Tool::ALL {
        let json = serde_json::to_value(tool).expect("plain data");
        assert_eq!(json, tool.verb());
    }
}

#[test]
fn of_equal_priorities_the_later_category_goes_first() {
    let mut policy = Policy::advisor();
    for category in &mut policy.categories {
        category.priority = 1;
    }
    let first = policy.truncation_order()[0];
    assert_eq!(first.name, "fact");
}
