//! What digests hold: the same whatever order the rows come in, within their tokens, each line with what it cites.

use std::collections::BTreeSet;

use proptest::prelude::*;
use uuid::Uuid;

use crate::digest::{Digest, DigestKind};
use crate::ids::{Number, RowId, Version};
use crate::memory::{Claim, Layer, Marks, Memory, Source};
use crate::model::{ApproximateTokens, TokenCounter as _};
use crate::plan::{all_kept_in, digests, floors};
use crate::policy::Policy;
use crate::row::MemoryRow;
use crate::timestamp::Timestamp;

fn row(number: u64, category: &str, content: &str) -> MemoryRow {
    let id = RowId::new(Uuid::from_u128(u128::from(number)));
    MemoryRow {
        id,
        origin: id.into(),
        recorded_at: Timestamp::UNIX_EPOCH,
        end: None,
        marks: Marks::default(),
        body: Memory {
            number: Number::new(number).unwrap(),
            version: Version::FIRST,
            claim: Claim::note(category, content, Timestamp::UNIX_EPOCH),
        },
    }
}

fn made(rows: &[MemoryRow], policy: &Policy) -> Vec<Digest> {
    let rows: Vec<&MemoryRow> = rows.iter().collect();
    let now = Timestamp::UNIX_EPOCH;
    let none = BTreeSet::new();
    let gists = all_kept_in(rows.iter().copied());
    let chosen = digests(&rows, policy, now, &ApproximateTokens, &none, &gists);
    chosen.into_iter().map(|one| one.digest).collect()
}

#[test]
fn each_fact_stands_where_its_category_and_domain_say() {
    let mut trading = row(4, "knowledge", "Chip makers move in cycles");
    trading.body.claim.domain = Some("work".to_owned());
    let mut episode = row(6, "episode", "talked about chips");
    episode.body.claim.layer = Layer::Episode;
    let rows = [
        row(1, "profile", "lives in Ghent"),
        row(2, "task", "find a plumber"),
        row(3, "procedure", "wants numbers"),
        trading,
        row(5, "knowledge", "bees dance"),
        episode,
    ];
    let found: Vec<_> = made(&rows, &Policy::personal())
        .into_iter()
        .map(|digest| {
            let cited = digest.lines.iter().flat_map(|line| &line.cites);
            let cited: Vec<u64> = cited.map(|number| number.get()).collect();
            (digest.kind, digest.domain, cited)
        })
        .collect();
    let expected = [
        (DigestKind::Profile, None, vec![1]),
        (DigestKind::Procedures, None, vec![3]),
        (DigestKind::Briefing, None, vec![2]),
        (DigestKind::Domain, Some("work".to_owned()), vec![4]),
        (DigestKind::Domain, None, vec![5]),
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_gist_stands_in_the_place_of_its_facts_while_they_are_what_they_were() {
    let mut kept = row(9, "digest", "Profile (3 rows)");
    kept.body.claim.layer = Layer::Digest;
    kept.body.claim.key = Some("profile".to_owned());
    let gist = serde_json::json!({"text": "likes tea and milk", "cites": [[1, 1], [3, 1]]});
    kept.body.claim.value = Some(serde_json::json!({"gists": [gist]}));
    let rows = [
        row(1, "profile", "likes tea"),
        row(2, "profile", "rows"),
        row(3, "profile", "likes milk"),
        kept,
    ];
    let policy = Policy::personal();
    let lines = |rows: &[MemoryRow], policy: &Policy| -> Vec<String> {
        let lines = made(rows, policy).into_iter();
        let lines = lines.flat_map(|digest| digest.lines);
        lines.map(|line| line.text).collect()
    };
    assert_eq!(lines(&rows, &policy), ["likes tea and milk", "rows"]);
    // No room for the line is no reason to lose the facts.
    let mut narrow = policy.clone();
    let most = |text: &str| ApproximateTokens.count(text) as u32;
    narrow.digests.profile = most("Profile") + most("- likes tea\n");
    assert_eq!(lines(&rows, &narrow), ["likes tea"]);
    let own = ["likes tea", "rows", "likes milk"];
    for spoil in [
        |row: &mut MemoryRow| row.body.version = Version::new(2).unwrap(),
        |row: &mut MemoryRow| row.body.claim.authorises_action = true,
    ] {
        let mut rows = rows.clone();
        spoil(&mut rows[2]);
        assert_eq!(lines(&rows, &policy), own);
    }
    assert_eq!(lines(&[&rows[..2], &rows[3..]].concat(), &policy), own[..2]);
}

#[test]
fn what_came_up_in_several_chats_is_told_with_the_chats() {
    let talk = |number: u64, topic: &str| {
        let mut episode = row(number, "episode", "talked");
        episode.body.claim.layer = Layer::Episode;
        episode.body.claim.tags.insert(topic.to_owned());
        episode
    };
    let mut rows = vec![talk(1, "chips"), talk(2, "chips"), talk(3, "tea")];
    assert!(made(&rows, &Policy::personal()).is_empty());
    rows.push(talk(4, "chips"));
    let [profile] = &made(&rows, &Policy::personal())[..] else {
        panic!("one digest");
    };
    assert_eq!(profile.lines[0].text, "Comes up often: chips (3 chats)");
    assert_eq!(profile.lines[0].cites.len(), 3);
}

#[test]
fn a_floor_moves_with_how_rows_fared_and_only_where_the_policy_says_so() {
    let fared = |confirmations: u32, contradictions: u32| {
        let mut row = row(1, "habit", "opens the calendar");
        row.body.claim.source = Source::Derived;
        row.marks.confirmations = confirmations;
        row.marks.contradictions = contradictions;
        row
    };
    let floor = |confirmations, contradictions, policy: &Policy| {
        let row = fared(confirmations, contradictions);
        floors([&row].into_iter(), policy).get("habit").copied()
    };
    let observer = Policy::observer();
    let table = [
        (2, 2, None),
        (15, 5, Some(0.7)),
        (20, 0, Some(0.6)),
        (0, 8, Some(0.95)),
        (4, 4, Some(0.8)),
    ];
    for (confirmed, contradicted, expected) in table {
        assert_eq!(floor(confirmed, contradicted, &observer), expected);
    }
    assert_eq!(floor(0, 8, &Policy::personal()), None);
    let digests = made(&[fared(4, 4)], &observer);
    let told = digests
        .iter()
        .find(|digest| digest.kind == DigestKind::Floors);
    let told = told.map(|digest| digest.lines[0].text.as_str());
    assert_eq!(told, Some("Habits: shown from 0.80 on"));
}

proptest! {
    #[test]
    fn digests_depend_on_the_rows_and_not_on_their_order(
        contents in prop::collection::vec("[a-z]{1,12}( [a-z]{1,12}){0,8}", 0..40),
        budget in 0_u32..200,
        turn in 0_usize..40,
    ) {
        let categories = ["profile", "task", "procedure", "knowledge"];
        let mut rows: Vec<MemoryRow> = contents
            .iter()
            .enumerate()
            .map(|(place, content)| row(place as u64 + 1, categories[place % 4], content))
            .collect();
        let mut policy = Policy::personal();
        policy.digests.profile = budget;
        policy.digests.domain = budget / 2;
        let one = made(&rows, &policy);
        let turn = turn.min(rows.len());
        rows.rotate_left(turn);
        prop_assert_eq!(&made(&rows, &policy), &one);
        for digest in one {
            let text: String = digest.lines.iter().map(|line| format!("- {}\n", line.text)).collect();
            let most = match digest.kind {
                DigestKind::Profile => budget,
                DigestKind::Domain => budget / 2,
                _ => 1_000,
            };
            prop_assert!(ApproximateTokens.count(&text) <= most as usize);
            prop_assert!(digest.lines.iter().all(|line| !line.cites.is_empty()));
        }
    }
}
