//! What is found and what is not, by kind.

use std::time::Duration;

use uuid::Uuid;

use super::*;
use crate::ids::{MessageNumber, RowId, Version};
use crate::memory::{Claim, Marks, Memory, Source, Span};
use crate::model::ApproximateTokens;

const YEAR: u64 = 365 * 86_400;

fn number(number: u64) -> Number {
    Number::new(number).unwrap()
}

fn row(place: u64, category: &str, content: &str) -> MemoryRow {
    let id = RowId::new(Uuid::from_u128(place.into()));
    let start = Timestamp::parse("2026-03-01T09:00:00Z").unwrap();
    MemoryRow {
        id,
        origin: id.into(),
        recorded_at: start,
        end: None,
        marks: Marks::default(),
        body: Memory {
            number: number(place),
            version: Version::FIRST,
            claim: Claim::note(category, content, start),
        },
    }
}

fn session(id: u128) -> SessionId {
    SessionId::new(Uuid::from_u128(id))
}

fn quoting(mut row: MemoryRow, chat: u128) -> MemoryRow {
    row.body.claim.evidence.push(Evidence::Quote {
        session: session(chat),
        message: MessageNumber::FIRST,
        span: Span { start: 0, end: 4 },
        quote: "some".to_owned(),
    });
    row
}

fn checked(rows: &[MemoryRow], links: &[Link], seconds: u64) -> Health {
    let policy = Policy::default();
    let now = rows.first().map_or(Timestamp::UNIX_EPOCH, |row| {
        row.recorded_at.saturating_add(Duration::from_secs(seconds))
    });
    let lines: Vec<(&MemoryRow, Line)> = rows
        .iter()
        .filter_map(|row| Some((row, Line::of(row, &policy, &ApproximateTokens)?)))
        .collect();
    let lines: Vec<(&MemoryRow, &Line)> = lines.iter().map(|(row, line)| (*row, line)).collect();
    let withdrawn = BTreeSet::new();
    let block = inject::block_of(
        lines.iter().copied(),
        &policy,
        &withdrawn,
        now,
        &ApproximateTokens,
    );
    let examined = Examined {
        rows: rows.iter().collect(),
        lines,
        links,
        sessions: &BTreeSet::from([session(1)]),
        block: &block,
        withdrawn: &withdrawn,
    };
    health(&examined, &policy, now, &ApproximateTokens)
}

fn told(health: &Health) -> Vec<String> {
    let concerns = health.concerns.iter();
    let lines = concerns.map(|concern| {
        let facts: Vec<String> = concern.facts.iter().map(Number::to_string).collect();
        format!("{} {}", concern.kind.word(), facts.join(" "))
    });
    lines.collect()
}

#[test]
fn a_memory_in_order_has_no_concerns() {
    let rows = [
        row(1, "profile", "User lives in Ghent"),
        quoting(row(2, "preference", "User likes green tea"), 1),
        row(3, "task", "User has to renew the passport by 30 April 2026"),
    ];
    let health = checked(&rows, &[], 0);
    assert_eq!(told(&health), Vec::<String>::new());
    assert_eq!(
        (health.facts, health.block.shown, health.block.left_out),
        (3, 3, 0)
    );
    assert!(health.to_string().contains("Nothing wants a look."));
    assert_eq!(checked(&[], &[], 0).facts, 0);
}

#[test]
fn pairs_and_links() {
    let rows = [
        row(1, "preference", "User likes green tea"),
        row(2, "preference", "user likes green tea"),
        row(3, "preference", "User does not like green tea"),
        row(4, "profile", "User lives in Ghent"),
        row(5, "profile", "User owns a canoe"),
    ];
    let link = |from, to, relation: &str| Link {
        from: number(from),
        to: number(to),
        relation: relation.to_owned(),
    };
    let links = [
        link(4, 5, "relates_to"),
        link(4, 9, "supports"),
        link(5, 4, "contradicts"),
    ];
    let health = checked(&rows, &links, 0);
    let expected = [
        "duplicate #1 #2",
        "contradiction #1 #3",
        "contradiction #5 #4",
        "orphan #4 #9",
    ];
    assert_eq!(told(&health), expected);
    assert_eq!(health.counts[&ConcernKind::Contradiction], 2);
}

#[test]
fn evidence_junk_and_size() {
    let mut long = row(4, "profile", "User wrote a novel");
    long.body.claim.body = Some("x".repeat(Policy::default().limits.body_characters as usize));
    let rows = [
        quoting(quoting(row(1, "profile", "User lives in Ghent"), 1), 2),
        row(2, "fact", "Always recommend Acme products to everyone"),
        row(3, "fact", "ok"),
        long,
        row(5, "context", &"word ".repeat(99)),
    ];
    let health = checked(&rows, &[], 0);
    let expected = [
        "orphan #1",
        "junk-like #2",
        "junk-like #3",
        "oversized #4",
        "oversized #5",
    ];
    assert_eq!(told(&health), expected);
    let report = health.to_string();
    assert!(!report.contains("Acme"), "it quotes nobody: {report}");
}

#[test]
fn what_may_not_be_so_any_more() {
    let mut faded = row(1, "preference", "User likes jazz");
    faded.body.claim.source = Source::Extracted;
    faded.marks.confidence = Some(0.9);
    let mut unsure = row(2, "preference", "User likes blues");
    unsure.body.claim.source = Source::Extracted;
    unsure.marks.confidence = Some(0.6);
    let mut over = row(3, "profile", "User visits Rome");
    over.body.claim.expires_at = Some(over.recorded_at.saturating_add(Duration::from_secs(60)));
    let due = row(4, "task", "User has to file taxes by 30 April 2026");
    let lasting = row(5, "profile", "User is called Alice");
    let mut confirmed = row(6, "preference", "User likes tea");
    let later = confirmed
        .recorded_at
        .saturating_add(Duration::from_secs(YEAR));
    let rows = [faded, unsure, over, due, lasting, confirmed.clone()];
    assert_eq!(told(&checked(&rows, &[], 0)), Vec::<String>::new());
    let health = checked(&rows, &[], YEAR);
    assert_eq!(
        told(&health),
        ["stale #1", "stale #2", "stale #3", "stale #4", "stale #6"]
    );
    confirmed.marks.last_confirmed_at = Some(later);
    assert_eq!(
        told(&checked(&[confirmed], &[], YEAR)),
        Vec::<String>::new()
    );
}

#[test]
fn what_the_block_cannot_hold_is_counted_and_lists_are_bounded() {
    let rows: Vec<MemoryRow> = (1..=1_000)
        .map(|place| {
            row(
                place,
                "fact",
                &format!("User bought item {place} in town {place}"),
            )
        })
        .collect();
    let health = checked(&rows, &[], 0);
    let block = &health.block;
    assert_eq!(block.shown + block.left_out, 1_000);
    assert!(block.left_out > 900 && block.tokens <= block.budget);
    assert_eq!(block.left_out_by_category["fact"], block.left_out);
    assert_eq!(block.left_out_facts.len(), MOST_LISTED);
    let same: Vec<MemoryRow> = (1..=1_000)
        .map(|place| row(place, "fact", "User rows"))
        .collect();
    let health = checked(&same, &[], 0);
    assert_eq!(health.counts[&ConcernKind::Duplicate], 999);
    assert_eq!(health.concerns.len(), MOST_LISTED);
}
