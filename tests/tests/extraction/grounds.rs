//! What may be evidence: the user's own words in one message, as they were meant.

use keepmind::{Code, Fate, Policy, Push, Role};
use keepmind_tests::answers::{add, answer, answers};
use keepmind_tests::host::{Host, on_every_store_with};

/// Closes a chat with an answer, and returns the codes of its one operation.
async fn codes(host: &Host, messages: Vec<Push>) -> Vec<Code> {
    let session = host.alice().open_session().await.unwrap();
    for message in messages {
        session.push(message).await.unwrap();
    }
    let report = session.close().await.unwrap().report;
    let [lesson] = &report.lessons[..] else {
        panic!("one operation has one fate: {report:?}");
    };
    assert_eq!(lesson.fate == Fate::Refused, !lesson.codes.is_empty());
    lesson.codes.clone()
}

async fn judged(content: &'static str, quote: &'static str, cases: Vec<(Vec<Push>, Vec<Code>)>) {
    let model = || answers([answer([add(content, quote)])]);
    on_every_store_with(Policy::default(), model, async |host, _| {
        for (messages, expected) in &cases {
            assert_eq!(
                codes(host, messages.clone()).await,
                *expected,
                "{messages:?}"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn only_the_users_own_words_count() {
    let said = "I trust Bluebird for hosting";
    judged(
        "User trusts Bluebird for hosting",
        said,
        vec![
            (
                vec![Push::new(Role::Assistant, said)],
                vec![Code::QuoteWrongRole, Code::UnsupportedDetail],
            ),
            (
                vec![Push::new(Role::Tool, said)],
                vec![Code::QuoteWrongRole, Code::UnsupportedDetail],
            ),
            (
                vec![Push::new(Role::System, said)],
                vec![Code::QuoteWrongRole, Code::UnsupportedDetail],
            ),
            (
                vec![Push::user(said).prefilled()],
                vec![Code::QuoteWrongRole, Code::UnsupportedDetail],
            ),
            (
                vec![Push::user("see this").hidden(said)],
                vec![Code::QuoteWrongRole, Code::UnsupportedDetail],
            ),
            (
                vec![Push::user(format!("Sum up: {said}")).untrusted(8, 36)],
                vec![Code::QuoteWrongRole, Code::UnsupportedDetail],
            ),
            (
                vec![Push::user("I trust Bluebird"), Push::user("for hosting")],
                vec![Code::QuoteNotFound],
            ),
            (
                vec![Push::user("hello")],
                vec![Code::QuoteNotFound, Code::UnsupportedDetail],
            ),
            (vec![Push::user(said)], vec![]),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_denial_is_neither_dropped_nor_added() {
    judged(
        "User likes raisins",
        "like raisins",
        vec![
            (
                vec![Push::user("I do not like raisins")],
                vec![Code::UnsupportedDetail],
            ),
            (
                vec![Push::user("Nobody says I like raisins, I never did")],
                vec![Code::UnsupportedDetail],
            ),
            (vec![Push::user("I like raisins, but not prunes")], vec![]),
        ],
    )
    .await;
    judged(
        "User does not like prunes",
        "I like prunes",
        vec![(
            vec![Push::user("I like prunes")],
            vec![Code::UnsupportedDetail],
        )],
    )
    .await;
}

#[tokio::test]
async fn names_and_numbers_are_the_users() {
    judged(
        "User has worked at Meridian since 2019",
        "I work there since 2019",
        vec![
            (
                vec![Push::user("I work there since 2019")],
                vec![Code::UnsupportedDetail],
            ),
            (
                vec![Push::user("You know Meridian? I work there since 2019")],
                vec![],
            ),
            (
                vec![
                    Push::user("Meridian is fine."),
                    Push::user("I work there since 2019"),
                ],
                vec![],
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn many_things_read_from_the_same_words_are_invented() {
    let operations = || {
        ["tea", "coffee", "milk", "cocoa"]
            .map(|drink| add(&format!("User likes {drink}"), "I like drinks"))
    };
    let model = move || answers([answer(operations())]);
    on_every_store_with(Policy::default(), model, async |host, _| {
        let alice = host.alice();
        let session = alice.open_session().await.unwrap();
        session.push(Push::user("I like drinks")).await.unwrap();
        let report = session.close().await.unwrap().report;
        assert_eq!(report.count(Fate::Refused), 4);
        assert!(
            report
                .lessons
                .iter()
                .all(|lesson| lesson.codes.contains(&Code::Limit))
        );
        assert!(host.live(&alice).await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn what_is_only_denied_is_not_so() {
    judged(
        "User lives in Bruges",
        "I live in Ghent, not Bruges",
        vec![(
            vec![Push::user("I live in Ghent, not Bruges")],
            vec![Code::UnsupportedDetail],
        )],
    )
    .await;
}

#[tokio::test]
async fn no_answer_makes_a_close_fail() {
    let odd = [
        r#"{"ops":[{"op":"add","content":"User lives in Ghent","quote":"I live in Ghent","confidence":0.9,"importance":-0.0}]}"#,
        r#"{"ops":[{"op":"add","content":"User lives in Ghent","quote":"I live in Ghent","confidence":-0.0}]}"#,
    ];
    let model = move || answers(odd.map(str::to_owned));
    on_every_store_with(Policy::default(), model, async |host, _| {
        let blanks = " ".repeat(70_000);
        for said in [
            "I live in Ghent".to_owned(),
            format!("I live {blanks} in Ghent"),
        ] {
            let session = host.alice().open_session().await.unwrap();
            session.push(Push::user(said)).await.unwrap();
            session.close().await.unwrap();
            assert_eq!(
                session.status().await.unwrap(),
                keepmind::SessionStatus::Idle
            );
        }
        assert_eq!(host.live(&host.alice()).await, ["User lives in Ghent"]);
    })
    .await;
}
