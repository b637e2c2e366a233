//! What the user looks through: what is known, new and doubtful, what can be done about it, and when it is due.

use keepmind::command::{Propose, ProposedChange, Save};
use keepmind::{DoubtKind, ErrorKind, Policy, ReviewAction, Sureness, UserMemory, Verdict, Who};
use keepmind_tests::answers::{add, answer, answers};
use keepmind_tests::chats::chat;
use keepmind_tests::host::{Host, on_every_store, on_every_store_with};
use keepmind_tests::learned::learn;
use serde_json::{Value, json};

async fn inferred(host: &Host, alice: &UserMemory, content: &str, sure: f64) -> keepmind::Number {
    use keepmind::Clock as _;
    learn(
        &host.keepmind,
        alice,
        host.clock.now(),
        "profile",
        content,
        sure,
    )
    .await
}

/// Presses a button.
async fn press(alice: &UserMemory, action: &ReviewAction) -> Verdict {
    alice.execute(action.command.clone()).await.unwrap().verdict
}

#[tokio::test]
async fn what_is_known_new_and_doubtful_is_told_and_acted_on() {
    let model = || answers([answer([add("User likes rye bread", "I like rye bread")])]);
    on_every_store_with(Policy::personal(), model, async |host, _| {
        let alice = host.alice();
        alice.save("Lives in Ghent").await.unwrap();
        host.days(40);
        let tea = inferred(host, &alice, "Likes green tea", 0.75).await;
        alice.save("Is vegetarian").await.unwrap();
        alice.save("Is not vegetarian").await.unwrap();
        let change = ProposedChange::Save(Box::new(Save::new("Flies only by day")));
        alice
            .propose(Propose::new(change, "Asked for day flights twice"))
            .await
            .unwrap();
        chat(&alice, "I like rye bread")
            .await
            .close()
            .await
            .unwrap();

        let review = alice.review().await.unwrap();
        assert!(review.is_due && review.last_reviewed_at.is_none());
        let [profile] = &review.known[..] else {
            panic!("one category: {:?}", review.known);
        };
        assert_eq!(profile.title, "Profile");
        let sure: Vec<Sureness> = profile.facts.iter().map(|fact| fact.sure).collect();
        let stated = Sureness::Stated;
        assert_eq!(sure, [stated, Sureness::Likely, stated, stated]);
        assert_eq!(review.new.len(), 3, "the first is old: {:?}", review.new);
        let kinds: Vec<DoubtKind> = review.doubtful.iter().map(|doubt| doubt.kind).collect();
        assert_eq!(
            kinds,
            [
                DoubtKind::Proposal,
                DoubtKind::Candidate,
                DoubtKind::Contradiction,
                DoubtKind::Tentative
            ]
        );
        let page = review.to_markdown();
        for words in [
            "Lives in Ghent",
            "rye bread",
            "Flies only by day",
            "A review is due",
        ] {
            assert!(page.contains(words), "{page}");
        }

        // Every button does what it says.
        let [proposal, candidate, opposed, tentative] = &review.doubtful[..] else {
            panic!("four doubts");
        };
        press(&alice, &proposal.actions[0]).await;
        press(&alice, &candidate.actions[0]).await;
        press(&alice, &opposed.actions[1]).await;
        assert_eq!(tentative.facts, [tea]);
        press(&alice, &tentative.actions[0]).await;
        alice.reviewed().await.unwrap();
        let review = alice.review().await.unwrap();
        assert!(review.doubtful.is_empty(), "{:?}", review.doubtful);
        assert!(!review.is_due);
        let rye = &alice.recall("rye").await.unwrap()[0].row.body.claim;
        assert_eq!((rye.layer, rye.held), (keepmind::Layer::Fact, false));
        // What waits to be filled in is refused as long as it is empty.
        let correct = &review.known[0].facts[0].actions[1];
        assert_eq!(correct.fill_in, Some("content"));
        let refused = alice.execute(correct.command.clone()).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Invalid, "{refused:?}");
    })
    .await;
}

#[tokio::test]
async fn it_is_due_by_the_policy_and_the_sweep_says_for_whom() {
    let mut policy = Policy::advisor();
    policy.consolidation.review_days = Some(30);
    on_every_store(policy, async |host| {
        let alice = host.alice();
        let bob = host.keepmind.user("bob").unwrap();
        let due = async || {
            let report = host.keepmind.sweep().await.unwrap();
            let names: Vec<String> = report.reviews_due.iter().map(ToString::to_string).collect();
            assert!(report.failures.is_empty(), "{report:?}");
            names
        };
        assert!(!alice.review().await.unwrap().is_due, "nothing is known");
        alice.save("Lives in Ghent").await.unwrap();
        host.days(20);
        bob.save("Lives in Lyon").await.unwrap();
        host.days(9);
        assert!(due().await.is_empty());
        host.days(1);
        assert_eq!(due().await, ["alice"]);
        assert_eq!(due().await, ["alice"], "until she has looked");

        let outcome = alice.reviewed().await.unwrap();
        assert_eq!(outcome.verdict, Verdict::Done);
        assert!(outcome.event.unwrap().undo.is_none());
        assert!(due().await.is_empty());
        let review = alice.review().await.unwrap();
        assert_eq!(review.last_reviewed_at, Some(review.at));
        assert!(review.new.is_empty());
        // It is told in the feed, and an export keeps it.
        let feed = alice.changes(Default::default()).await.unwrap();
        let last = feed.entries.last().unwrap();
        assert_eq!(
            (last.who, last.line.as_str()),
            (Who::User, "reviewed what is known")
        );
        let carol = host.keepmind.user("carol").unwrap();
        carol
            .restore_export(&alice.export().await.unwrap())
            .await
            .unwrap();
        assert_eq!(
            carol.review().await.unwrap().last_reviewed_at,
            review.last_reviewed_at
        );
        host.days(30);
        assert_eq!(due().await, ["alice", "bob", "carol"]);

        // Nobody is asked to look through nothing.
        alice.forget("#1").await.unwrap();
        assert_eq!(due().await, ["bob", "carol"]);
    })
    .await;
}

#[tokio::test]
async fn what_may_not_be_used_is_only_counted_and_json_says_the_same() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let mut insulin = Save::new("Takes insulin");
        insulin.domain = Some("health".into());
        alice.save(insulin).await.unwrap();
        alice.save("Lives in Ghent").await.unwrap();
        alice.consent("health", false).await.unwrap();
        let review = alice.review().await.unwrap();
        assert_eq!(review.withdrawn, 1);
        assert!(!review.to_markdown().contains("insulin"));

        let answer = alice.request(r#"{"query":"review"}"#).await.unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["answer"], "review");
        assert_eq!(answer["markdown"], review.to_markdown());
        let fact = &answer["review"]["known"][0]["facts"][0];
        assert_eq!(
            fact["actions"][0],
            json!({"action": "confirm", "command": {"command": "confirm", "target": "#2"}})
        );
        let pressed = fact["actions"][0]["command"].to_string();
        alice.request(&pressed).await.unwrap();
        alice
            .request(r#"{"query":"review","all":true}"#)
            .await
            .unwrap_err();
        alice
            .request(r#"{"command":"reviewed","at":"now"}"#)
            .await
            .unwrap_err();
        let done = alice.request(r#"{"command":"reviewed"}"#).await.unwrap();
        assert!(done.contains(r#""kind":"reviewed""#), "{done}");
    })
    .await;
}
