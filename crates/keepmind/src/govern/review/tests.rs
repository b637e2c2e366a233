//! What is called known, new and doubtful, by tables.

use super::*;
use crate::memory::{Claim, Marks, Memory};

const DAY: u64 = 86_400;

fn after(days: u64) -> Timestamp {
    let start = Timestamp::parse("2026-01-01T00:00:00Z").unwrap();
    start.saturating_add(Duration::from_secs(days * DAY))
}

fn fact(number: u64, content: &str, marks: Marks) -> MemoryRow {
    let id = RowId::new(uuid::Uuid::from_u128(u128::from(number)));
    let mut claim = Claim::note("profile", content, after(0));
    if marks.confidence.is_some() {
        claim.source = Source::Extracted;
        claim.trust = Trust::Extracted;
    }
    MemoryRow {
        id,
        origin: id.into(),
        recorded_at: after(0),
        end: None,
        marks,
        body: Memory {
            number: Number::new(number).unwrap(),
            version: Version::FIRST,
            claim,
        },
    }
}

fn sure(confidence: f64) -> Marks {
    Marks {
        confidence: Some(confidence),
        ..Marks::default()
    }
}

fn made(rows: &[MemoryRow], held: &[MemoryRow], dates: ReviewDates, now: Timestamp) -> Review {
    let nothing = BTreeSet::new();
    let material = Reviewed {
        rows: rows.iter().collect(),
        held,
        pending: &[],
        concerns: &[],
        withdrawn: &BTreeSet::from(["health".to_owned()]),
        without_consent: &nothing,
        dates,
    };
    review(&material, &Policy::personal(), now)
}

#[test]
fn what_is_doubtful_says_why_and_the_rest_is_not_doubted() {
    let now = after(1);
    let contradicted = Marks {
        contradictions: 2,
        ..Marks::default()
    };
    let confirmed = Marks {
        confirmations: 1,
        ..sure(0.75)
    };
    let soon = |days| {
        let mut row = fact(1, "is away", Marks::default());
        row.body.claim.expires_at = Some(after(days));
        row
    };
    let table = [
        (fact(1, "lives in Ghent", Marks::default()), vec![]),
        (fact(1, "likes tea", sure(0.95)), vec![]),
        (fact(1, "likes tea", sure(0.75)), vec![DoubtKind::Tentative]),
        (fact(1, "likes tea", confirmed), vec![]),
        (fact(1, "likes tea", sure(0.6)), vec![DoubtKind::Unsure]),
        (fact(1, "runs", contradicted), vec![DoubtKind::Contradicted]),
        (soon(3), vec![DoubtKind::Expiring]),
        (soon(30), vec![]),
        (soon(1), vec![]),
    ];
    for (row, kinds) in table {
        let review = made(std::slice::from_ref(&row), &[], ReviewDates::default(), now);
        let found: Vec<DoubtKind> = review.doubtful.iter().map(|doubt| doubt.kind).collect();
        assert_eq!(found, kinds, "{row:?}");
    }
    let held = fact(7, "may like rye", sure(0.9));
    let review = made(&[], &[held], ReviewDates::default(), now);
    let [doubt] = &review.doubtful[..] else {
        panic!("one candidate");
    };
    let actions: Vec<_> = doubt.actions.iter().map(|action| action.action).collect();
    assert_eq!(actions, ["confirm", "correct", "forget"]);
    let confirm = serde_json::to_value(&doubt.actions[0].command).unwrap();
    assert_eq!(
        confirm,
        serde_json::json!({"command": "confirm", "target": "#7"})
    );
    assert_eq!(doubt.actions[1].fill_in, Some("content"));

    let believed = fact(7, "likes wheat", Marks::default());
    let held = fact(7, "likes rye", sure(0.9));
    let review = made(&[believed], &[held], ReviewDates::default(), now);
    let candidate = review
        .doubtful
        .iter()
        .find(|doubt| doubt.kind == DoubtKind::Candidate);
    let actions = &candidate.unwrap().actions;
    assert_eq!(
        serde_json::to_value(&actions[0].command).unwrap(),
        serde_json::json!({"command": "update", "target": "#7", "content": "likes rye"})
    );
    assert_eq!(actions.len(), 1);
}

#[test]
fn a_review_is_due_so_many_days_after_the_last_or_after_the_beginning() {
    let mut policy = Policy::personal();
    policy.consolidation.review_days = Some(30);
    let dates = |last: Option<u64>, first: Option<u64>| ReviewDates {
        last: last.map(after),
        first_kept: first.map(after),
    };
    assert_eq!(dates(None, None).due_at(&policy), None);
    assert_eq!(dates(None, Some(2)).due_at(&policy), Some(after(32)));
    assert_eq!(dates(Some(10), Some(2)).due_at(&policy), Some(after(40)));
    policy.consolidation.review_days = None;
    assert_eq!(dates(Some(10), Some(2)).due_at(&policy), None);
}

#[test]
fn new_is_what_came_since_the_last_review_and_what_may_not_be_used_is_only_counted() {
    let mut early = fact(1, "lives in Ghent", Marks::default());
    early.recorded_at = after(1);
    let mut late = fact(2, "has a # dog", Marks::default());
    late.recorded_at = after(9);
    let mut ill = fact(3, "takes insulin", Marks::default());
    ill.body.claim.domain = Some("health".to_owned());
    let dates = ReviewDates {
        last: Some(after(5)),
        first_kept: Some(after(0)),
    };
    let review = made(&[early, late, ill], &[], dates, after(10));
    let new: Vec<u64> = review.new.iter().map(|fact| fact.number.get()).collect();
    assert_eq!(new, [2]);
    assert_eq!((review.known.len(), review.known[0].facts.len()), (1, 2));
    assert_eq!(review.withdrawn, 1);
    let page = review.to_markdown();
    assert!(!page.contains("insulin"), "{page}");
    assert!(
        page.contains("- #2 has a # dog (stated, said by the user, since 2026-01-01)"),
        "{page}"
    );
    assert!(page.contains("Last reviewed on 2026-01-06."), "{page}");
}
