//! What a candidate is to what is known: new, the same, the opposite, another version, or none of its
//! business.

use keepmind::store::{Filter, Selection};
use keepmind::{Code, Fate, Lesson, Policy, UsageKind};
use keepmind_tests::answers::{add, answer, answers, confirm, update, with};
use keepmind_tests::chats::chat;
use keepmind_tests::host::{Host, on_every_store, on_every_store_with};
use serde_json::Value;

/// What becomes of one operation on a chat, where a fact is known: said, or only inferred.
async fn fate(host: &Host, said: &str) -> Lesson {
    let report = chat(&host.alice(), said)
        .await
        .close()
        .await
        .unwrap()
        .report;
    report.lessons.into_iter().next().expect("one operation")
}

async fn judged(
    known: Option<&str>,
    inferred: Option<Value>,
    operation: Value,
    said: &str,
) -> Vec<(Fate, Vec<Code>, Vec<String>)> {
    let seen = std::cell::RefCell::new(Vec::new());
    let model = || {
        let first = inferred.iter().map(|one| answer([one.clone()]));
        answers(first.chain([answer([operation.clone()])]))
    };
    on_every_store_with(Policy::default(), model, async |host, _| {
        let alice = host.alice();
        if let Some(known) = known {
            alice.save(known).await.unwrap();
        }
        if let Some(inferred) = &inferred {
            let quote = inferred["quote"].as_str().unwrap();
            chat(&alice, quote).await.close().await.unwrap();
        }
        let lesson = fate(host, said).await;
        let live = host.live(&alice).await;
        seen.borrow_mut().push((lesson.fate, lesson.codes, live));
    })
    .await;
    let seen = seen.into_inner();
    assert!(
        seen.windows(2).all(|pair| pair[0] == pair[1]),
        "stores differ: {seen:?}"
    );
    seen
}

#[tokio::test]
async fn what_was_said_on_purpose_is_not_changed_by_what_is_inferred() {
    let cases = [
        (
            update(1, "User eats meat", "I had a steak"),
            "I had a steak yesterday",
            Fate::Refused,
            vec![Code::Tier],
        ),
        (
            add("User is not vegetarian", "I am not vegetarian"),
            "I am not vegetarian",
            Fate::Refused,
            vec![Code::Tier],
        ),
        (
            update(1, "User is vegetarian", "still vegetarian"),
            "still vegetarian of course",
            Fate::Skipped,
            vec![],
        ),
        (
            confirm(1, "still vegetarian"),
            "still vegetarian of course",
            Fate::Skipped,
            vec![],
        ),
        (
            add("User is a vegetarian", "I am a vegetarian"),
            "I am a vegetarian",
            Fate::Skipped,
            vec![],
        ),
    ];
    for (operation, said, expected, codes) in cases {
        let seen = judged(Some("User is vegetarian"), None, operation.clone(), said).await;
        for (fate, found, live) in seen {
            assert_eq!((fate, &found), (expected, &codes), "{operation}");
            assert_eq!(live, ["User is vegetarian"], "{operation}");
        }
    }
}

#[tokio::test]
async fn a_conflict_with_what_was_said_is_recorded() {
    let model = || answers([answer([update(1, "User eats meat", "I had a steak")])]);
    on_every_store_with(Policy::default(), model, async |host, _| {
        let alice = host.alice();
        alice.save("User is vegetarian").await.unwrap();
        let row = alice.get("#1").await.unwrap().row.id;
        fate(host, "I had a steak yesterday").await;
        let store = host.keepmind.store();
        let seen = store
            .load(alice.owner(), &keepmind::Slice::everything())
            .await
            .unwrap();
        let recorded = seen
            .usage()
            .filter(|used| used.kind == UsageKind::Conflicted);
        let rows: Vec<_> = recorded.map(|used| used.memory).collect();
        assert_eq!(rows, [row]);
    })
    .await;
}

#[tokio::test]
async fn what_was_inferred_gives_way() {
    let inferred = || Some(add("User likes mushrooms", "I like mushrooms"));
    let cases = [
        (
            add("User hates mushrooms", "I hate mushrooms"),
            "I hate mushrooms",
            Fate::Updated,
            "User hates mushrooms",
        ),
        (
            update(1, "User likes only truffles", "I like only truffles"),
            "I like only truffles",
            Fate::Updated,
            "User likes only truffles",
        ),
        (
            add("User likes mushrooms", "I like mushrooms"),
            "I like mushrooms, you know",
            Fate::Skipped,
            "User likes mushrooms",
        ),
    ];
    for (operation, said, expected, content) in cases {
        for (fate, _, live) in judged(None, inferred(), operation.clone(), said).await {
            assert_eq!(
                (fate, live),
                (expected, vec![content.to_owned()]),
                "{operation}"
            );
        }
    }
}

#[tokio::test]
async fn numbers_and_names_make_another_fact() {
    let inferred = || Some(add("User has a cat named Pip", "I have a cat named Pip"));
    let operation = add("User has a cat named Pop", "I have a cat named Pop");
    for (fate, _, live) in judged(None, inferred(), operation, "I have a cat named Pop").await {
        assert_eq!(fate, Fate::Learned);
        assert_eq!(live.len(), 2);
    }
    let inferred = || Some(add("User's birthday is 3 May", "my birthday is 3 May"));
    let operation = add("User's birthday is 17 June", "my birthday is 17 June");
    for (fate, _, live) in judged(None, inferred(), operation, "my birthday is 17 June").await {
        assert_eq!(fate, Fate::Updated, "nobody has two");
        assert_eq!(live, ["User's birthday is 17 June"]);
    }
    let inferred = || Some(add("User's exam is on 3 May", "my exam is on 3 May"));
    let operation = add("User's exam is on 17 May", "my exam is on 17 May");
    for (fate, _, live) in judged(None, inferred(), operation, "my exam is on 17 May").await {
        assert_eq!(fate, Fate::Updated, "an exam has one day");
        assert_eq!(live, ["User's exam is on 17 May"]);
    }
}

#[tokio::test]
async fn two_operations_on_one_fact_drop_both() {
    let model = || {
        answers([
            answer([add("User lives in Ghent", "I live in Ghent")]),
            answer([
                update(1, "User lives in Bruges", "I moved to Bruges"),
                update(1, "User lives in Antwerp", "I moved to Bruges"),
            ]),
        ])
    };
    on_every_store_with(Policy::default(), model, async |host, _| {
        let alice = host.alice();
        chat(&alice, "I live in Ghent").await.close().await.unwrap();
        let report = chat(&alice, "I moved to Bruges")
            .await
            .close()
            .await
            .unwrap()
            .report;
        let all = report
            .lessons
            .iter()
            .all(|lesson| lesson.codes.contains(&Code::DuplicateTarget));
        assert!(all && report.lessons.len() == 2, "{report:?}");
        assert_eq!(host.live(&alice).await, ["User lives in Ghent"]);
    })
    .await;
}

#[tokio::test]
async fn a_confirmation_must_be_about_the_fact() {
    let model = || {
        answers([
            answer([add("User lives in Ghent", "I live in Ghent")]),
            answer([confirm(1, "I like tea")]),
            answer([serde_json::json!({"op": "confirm", "id": 1})]),
        ])
    };
    on_every_store_with(Policy::default(), model, async |host, _| {
        let alice = host.alice();
        chat(&alice, "I live in Ghent").await.close().await.unwrap();
        for said in ["I like tea", "hello again"] {
            assert_eq!(fate(host, said).await.fate, Fate::Skipped);
        }
        let row = alice.get("#1").await.unwrap().row;
        assert_eq!(
            row.marks.confirmations, 0,
            "a model that only says so affirms nothing"
        );
    })
    .await;
}

#[tokio::test]
async fn since_and_correction_say_when() {
    let model = || {
        answers([
            answer([add("User lives in Ghent", "I live in Ghent")]),
            answer([with(
                update(1, "User lives in Bruges", "moved to Bruges in March"),
                "since",
                "2026-03-10",
            )]),
        ])
    };
    on_every_store_with(Policy::default(), model, async |host, _| {
        let alice = host.alice();
        chat(&alice, "I live in Ghent").await.close().await.unwrap();
        host.days(30);
        fate(host, "I moved to Bruges in March").await;
        let row = alice.get("#1").await.unwrap().row;
        assert_eq!(
            row.body.claim.valid_from.to_string(),
            "2026-03-10T00:00:00Z"
        );
    })
    .await;
}

#[tokio::test]
async fn staged_candidates_are_not_believed_until_they_are_promoted() {
    let mut policy = Policy::default();
    policy.extraction.write = keepmind::policy::WriteMode::Staged;
    on_every_store(policy, async |host| {
        let alice = host.alice();
        for _ in 0..2 {
            chat(&alice, "I work as a carpenter")
                .await
                .close()
                .await
                .unwrap();
        }
        assert!(host.live(&alice).await.is_empty());
        let block = alice.open_session().await.unwrap().block().await.unwrap();
        assert!(!block.contains("carpenter"));
        let mut list = keepmind::command::List::default();
        list.filter = Some(Filter::new(Selection::Held));
        let held = alice.list(list).await.unwrap().rows;
        let contents: Vec<&str> = held.iter().map(|row| &*row.body.claim.content).collect();
        assert_eq!(
            contents,
            ["User works as a carpenter"],
            "said twice, it is one candidate"
        );
        assert_eq!(held[0].marks.confirmations, 1, "and counts twice");
    })
    .await;
}

#[tokio::test]
async fn the_last_word_of_a_chat_counts() {
    let model = || {
        answers([answer([
            add("User likes milk", "I like milk"),
            add("User does not like milk", "I do not like milk"),
        ])])
    };
    on_every_store_with(Policy::default(), model, async |host, _| {
        let alice = host.alice();
        let said = "I like milk. Wait, that was before: I do not like milk.";
        let report = chat(&alice, said).await.close().await.unwrap().report;
        assert_eq!(report.lessons[0].fate, Fate::Skipped, "{report:?}");
        assert_eq!(host.live(&alice).await, ["User does not like milk"]);
    })
    .await;
}

#[tokio::test]
async fn a_correction_changes_what_it_is_about_or_nothing() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        for said in ["I live in Bruges", "I live with my brother"] {
            chat(&alice, said).await.close().await.unwrap();
        }
        let before = host.live(&alice).await;
        let moved = chat(&alice, "Actually, I live in Ghent now").await;
        moved.close().await.unwrap();
        let live = host.live(&alice).await;
        assert!(live.contains(&"User lives in Ghent".to_owned()), "{live:?}");
        let others = before.iter().filter(|content| !content.contains("Bruges"));
        for other in others {
            assert!(live.contains(other), "{live:?}");
        }
        assert!(
            !live.iter().any(|content| content.contains("Bruges")),
            "{live:?}"
        );
    })
    .await;
}
