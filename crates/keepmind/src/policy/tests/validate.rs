//! One row for each rule of `validate`: break it, and the error must name the field.

use crate::policy::*;

type Break = fn(&mut Policy);

/// Breaks the default policy in one way for each row and compares the path the error names.
fn table(rows: &[(&str, Break)]) {
    for (index, (path, break_it)) in rows.iter().enumerate() {
        let mut policy = Policy::default();
        break_it(&mut policy);
        let error = policy
            .validate()
            .expect_err(&format!("row {index} ({path}) passed"));
        assert_eq!(error.path(), Some(*path), "row {index}: {error}");
        let message = error.to_string();
        assert!(message.contains(path), "{message}");
        assert!(
            ["must", "twice"].iter().any(|word| message.contains(word)),
            "says what is allowed: {message}"
        );
    }
}

#[test]
fn names_and_titles() {
    table(&[
        ("name", |p| p.name.clear()),
        ("name", |p| p.name = "My policy".into()),
        ("categories", |p| p.categories.clear()),
        ("categories", |p| {
            p.categories = (0..33)
                .map(|n| Category::new(format!("c{n}"), format!("C {n}"), 0))
                .collect();
        }),
        ("categories[0].name", |p| p.categories[0].name.clear()),
        ("categories[1].name", |p| {
            p.categories[1].name = "Caps".into()
        }),
        ("categories[1].name", |p| {
            p.categories[1].name = "a-b".into()
        }),
        ("categories[1].name", |p| p.categories[1].name = "é".into()),
        ("categories[1].name", |p| {
            p.categories[1].name = "a".repeat(41)
        }),
        ("categories[2].name", |p| {
            p.categories[2].name = p.categories[0].name.clone();
        }),
        ("categories[2].title", |p| {
            p.categories[2].title = p.categories[0].title.clone();
        }),
        ("categories[2].title", |p| {
            p.categories[2].title = " ".into()
        }),
        ("categories[2].title", |p| {
            p.categories[2].title = "A ".into()
        }),
        ("categories[2].title", |p| {
            p.categories[2].title = "A\n## B".into();
        }),
        ("categories[2].title", |p| {
            p.categories[2].title = "A\u{202E}B".into();
        }),
        ("categories[2].title", |p| {
            p.categories[2].title = "t".repeat(61);
        }),
        ("categories[2].description", |p| {
            p.categories[2].description = "d".repeat(201);
        }),
        ("default_category", |p| {
            p.default_category = "nowhere".into()
        }),
        ("default_category", |p| {
            p.default_category = "episode".into()
        }),
        ("domains", |p| {
            p.domains = (0..65)
                .map(|n| Domain::new(format!("d{n}"), format!("D {n}")))
                .collect();
        }),
        ("domains[3].name", |p| p.domains[3].name = "a b".into()),
        ("domains[3].name", |p| {
            p.domains[3].name = p.domains[0].name.clone();
        }),
        ("domains[3].title", |p| p.domains[3].title.clear()),
        ("domains[3].title", |p| {
            p.domains[3].title = p.domains[0].title.clone();
        }),
        ("block.title", |p| p.block.title = "two\nlines".into()),
    ]);
}

#[test]
fn tools() {
    table(&[
        ("tools.singular", |p| p.tools.singular.clear()),
        ("tools.singular", |p| p.tools.singular = "note_book".into()),
        ("tools.singular", |p| p.tools.singular = "Note".into()),
        ("tools.plural", |p| p.tools.plural = "notes2".into()),
        ("tools.plural", |p| p.tools.plural = "a".repeat(41)),
        ("tools.plural", |p| {
            p.tools.plural = p.tools.singular.clone()
        }),
        ("tools.offered[8]", |p| p.tools.offered.push(Tool::Save)),
    ]);
}

#[test]
fn budgets_and_durations() {
    table(&[
        ("block.budget", |p| p.block.budget = u32::MAX),
        ("categories[0].budget", |p| p.categories[0].budget = 1_501),
        ("categories[0].budget", |p| p.block.budget = 299),
        ("categories[8].budget", |p| p.categories[8].budget = 1),
        ("categories[1].half_life_days", |p| {
            p.categories[1].half_life_days = Some(0);
        }),
        ("categories[1].half_life_days", |p| {
            p.categories[1].half_life_days = Some(36_501);
        }),
        ("categories[1].priority", |p| {
            p.categories[1].priority = 1_001
        }),
        ("domains[0].default_expiry_days", |p| {
            p.domains[0].default_expiry_days = Some(0);
        }),
        ("governance.proposal_days", |p| {
            p.governance.proposal_days = Some(0);
        }),
        ("time_to_live.contextual", |p| p.time_to_live.contextual = 0),
        ("time_to_live.temporary", |p| p.time_to_live.temporary = 0),
        ("time_to_live.deadline_grace", |p| {
            p.time_to_live.deadline_grace = 36_501;
        }),
        ("retention.trash_days", |p| p.retention.trash_days = 36_501),
        ("retention.session_trash_days", |p| {
            p.retention.session_trash_days = 36_501;
        }),
        ("retention.archive_after_idle_days", |p| {
            p.retention.archive_after_idle_days = 0;
        }),
        ("retention.usage_days", |p| p.retention.usage_days = 0),
        ("retention.expired_purge_days", |p| {
            p.retention.expired_purge_days = Some(36_501);
        }),
        ("retention.operation_days", |p| {
            p.retention.operation_days = 0
        }),
        ("close.lease_seconds", |p| p.close.lease_seconds = 0),
        ("close.attempts", |p| p.close.attempts = 0),
        ("close.backoff_seconds", |p| {
            p.close.backoff_seconds = 31_536_001;
        }),
        ("close.backoff_limit_seconds", |p| {
            p.close.backoff_limit_seconds = 59;
        }),
        ("close.stale_after_seconds", |p| {
            p.close.stale_after_seconds = 0;
        }),
        ("consolidation.every_days", |p| {
            p.consolidation.every_days = 0
        }),
        ("consolidation.review_days", |p| {
            p.consolidation.review_days = Some(0);
        }),
        ("digests.profile", |p| p.digests.profile = 10_000_001),
        ("digests.procedures", |p| p.digests.procedures = 10_000_001),
        ("digests.briefing", |p| p.digests.briefing = 10_000_001),
        ("digests.domain", |p| p.digests.domain = 10_000_001),
        ("compression.context_budget", |p| {
            p.compression.context_budget = 999;
        }),
    ]);
}

#[test]
fn shares_and_floors() {
    table(&[
        ("floors.keep", |p| p.floors.keep = -0.1),
        ("floors.keep", |p| p.floors.keep = f64::NAN),
        ("floors.keep", |p| p.floors.keep = 0.71),
        ("floors.keep_importance", |p| {
            p.floors.keep_importance = Some(7.0);
        }),
        ("floors.inject", |p| p.floors.inject = f64::INFINITY),
        ("floors.recall", |p| p.floors.recall = f64::NEG_INFINITY),
        ("floors.recall", |p| p.floors.recall = 0.9),
        ("floors.fade", |p| p.floors.fade = 1.1),
        ("floors.fade", |p| p.floors.fade = 0.6),
        ("floors.near_duplicate_terms", |p| {
            p.floors.near_duplicate_terms = 0.0;
        }),
        ("floors.near_duplicate_vectors", |p| {
            p.floors.near_duplicate_vectors = f64::NAN;
        }),
        ("floors.contradiction_importance", |p| {
            p.floors.contradiction_importance = 2.0;
        }),
        ("feedback.confirmed", |p| p.feedback.confirmed = 1.5),
        ("feedback.contradicted", |p| p.feedback.contradicted = -0.2),
        ("compression.threshold", |p| p.compression.threshold = 0.0),
        ("recall.window_share", |p| p.recall.window_share = 0.0),
        ("recall.fusion.keyword_share", |p| {
            p.recall.fusion.keyword_share = f64::NAN;
        }),
        ("grades.strong_importance", |p| {
            p.grades.strong_importance = 1.1;
        }),
        ("grades.tentative_importance_lowest", |p| {
            p.grades.tentative_importance_lowest = f64::NAN;
        }),
        ("grades.tentative_importance_lowest", |p| {
            p.grades.tentative_importance_lowest = 0.61;
        }),
        ("grades.tentative_importance_highest", |p| {
            p.grades.tentative_importance_highest = -1.0;
        }),
        ("grades.tentative_importance_highest", |p| {
            p.grades.tentative_importance_highest = 0.95;
        }),
    ]);
}

#[test]
fn counts() {
    table(&[
        ("grades.strong_times", |p| p.grades.strong_times = 1),
        ("grades.strong_sessions", |p| p.grades.strong_sessions = 6),
        ("grades.tentative_times", |p| p.grades.tentative_times = 5),
        ("grades.candidate_days", |p| p.grades.candidate_days = 0),
        ("extraction.context_messages", |p| {
            p.extraction.context_messages = 0;
        }),
        ("extraction.queue_turns", |p| p.extraction.queue_turns = 0),
        ("extraction.transcript_tokens", |p| {
            p.extraction.transcript_tokens = 99;
        }),
        ("extraction.known_memories", |p| {
            p.extraction.known_memories = 1_001;
        }),
        ("recall.fusion.rank_constant", |p| {
            p.recall.fusion.rank_constant = 0;
        }),
        ("recall.rerank_candidates", |p| {
            p.recall.rerank_candidates = 1_001;
        }),
        ("recall.limit", |p| p.recall.limit = 0),
        ("recall.limit", |p| p.recall.limit = 101),
        ("recall.limit", |p| p.limits.results = 9),
        ("recall.message_limits.short", |p| {
            p.recall.message_limits.short = 101;
        }),
        ("recall.message_limits.continuation", |p| {
            p.recall.message_limits.continuation = 101;
        }),
        ("recall.message_limits.long", |p| {
            p.recall.message_limits.long = 101;
        }),
        ("recall.message_limits.otherwise", |p| {
            p.recall.message_limits.otherwise = 101;
        }),
        ("recall.message_limits.short_below_characters", |p| {
            p.recall.message_limits.short_below_characters = 100_001;
        }),
        ("recall.message_limits.long_above_characters", |p| {
            p.recall.message_limits.short_below_characters = 101;
        }),
        ("recall.cache_seconds", |p| {
            p.recall.cache_seconds = 31_536_001;
        }),
        ("recall.cache_memories", |p| p.recall.cache_memories = 0),
        ("limits.content_characters", |p| {
            p.limits.content_characters = 501;
        }),
        ("limits.summary_characters", |p| {
            p.limits.summary_characters = 0;
        }),
        ("limits.body_characters", |p| {
            p.limits.body_characters = 100_001;
        }),
        ("limits.tags", |p| p.limits.tags = 65),
        ("limits.tag_characters", |p| p.limits.tag_characters = 201),
        ("limits.key_characters", |p| p.limits.key_characters = 0),
        ("limits.value_bytes", |p| p.limits.value_bytes = 65_537),
        ("limits.message_bytes", |p| {
            p.limits.message_bytes = u32::MAX
        }),
        ("limits.query_characters", |p| p.limits.query_characters = 0),
        ("limits.results", |p| p.limits.results = 1_001),
        ("limits.reply_bytes", |p| p.limits.reply_bytes = 65_537),
        ("limits.reply_operations", |p| {
            p.limits.reply_operations = 33;
        }),
        ("limits.reply_depth", |p| p.limits.reply_depth = 17),
        ("limits.operations_per_quote", |p| {
            p.limits.operations_per_quote = 0;
        }),
    ]);
}

#[test]
fn the_edges_of_ranges_pass() {
    let edits: [Break; 8] = [
        |p| p.floors.keep = p.floors.inject,
        |p| p.floors.fade = p.floors.keep,
        |p| p.floors.recall = p.floors.inject,
        |p| p.categories[0].budget = p.block.budget,
        |p| p.tools.offered.clear(),
        |p| p.domains.clear(),
        |p| p.recall.cache_seconds = 0,
        |p| p.retention.trash_days = 0,
    ];
    for (index, edit) in edits.iter().enumerate() {
        let mut policy = Policy::default();
        edit(&mut policy);
        assert_eq!(policy.validate(), Ok(()), "edit {index}");
    }
}
