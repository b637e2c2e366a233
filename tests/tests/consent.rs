//! What needs consent: found in code, held back or asked without it, gone at once when it is withdrawn.

use keepmind::command::{Forget, Propose, ProposedChange, Save};
use keepmind::policy::WithoutConsent;
use keepmind::{Code, DoubtKind, Fate, Policy};
use keepmind_tests::answers::{add, answer, answers, with};
use keepmind_tests::chats::chat;
use keepmind_tests::host::{on_every_store, on_every_store_with};

const SAID: &str = "I take insulin every morning";

fn insulin() -> String {
    answer([add("User takes insulin every morning", SAID)])
}

fn asking() -> Policy {
    let mut policy = Policy::default();
    policy.governance.without_consent = WithoutConsent::Propose;
    policy
}

#[tokio::test]
async fn without_consent_it_is_refused_whatever_domain_the_model_names() {
    let script = [
        insulin(),
        answer([with(
            add("User takes insulin every morning", SAID),
            "domain",
            "food",
        )]),
    ];
    let model = move || answers(script.clone());
    on_every_store_with(Policy::default(), model, async |host, _| {
        let alice = host.alice();
        for _ in 0..2 {
            let report = chat(&alice, SAID).await.close().await.unwrap().report;
            assert_eq!(report.lessons[0].codes, [Code::Sensitive], "{report:?}");
            let told = serde_json::to_string(&report).unwrap();
            assert!(!told.contains("insulin"), "{told}");
        }
        assert!(host.kept(&alice).await.is_empty());
        assert!(alice.pending().await.unwrap().is_empty());
    })
    .await;
}

#[tokio::test]
async fn where_the_policy_says_so_it_is_asked() {
    on_every_store_with(
        asking(),
        || answers([insulin()]),
        async |host, _| {
            let alice = host.alice();
            let report = chat(&alice, SAID).await.close().await.unwrap().report;
            assert_eq!(report.count(Fate::Proposed), 1, "{report:?}");
            assert_eq!(report.lessons[0].codes, [Code::Sensitive]);
            assert!(host.kept(&alice).await.is_empty());
            let block = alice.open_session().await.unwrap().block().await.unwrap();
            assert!(!block.contains("insulin"));
            // Asked again, it waits already.
            let report = chat(&alice, SAID).await.close().await.unwrap().report;
            assert_eq!(report.count(Fate::Skipped), 1, "{report:?}");
            let [waiting] = &alice.pending().await.unwrap()[..] else {
                panic!("one proposal waits");
            };
            alice.accept(waiting.id).await.unwrap();
            assert_eq!(
                host.live(&alice).await,
                ["User takes insulin every morning"]
            );
        },
    )
    .await;
}

#[tokio::test]
async fn with_consent_it_is_kept_and_withdrawn_it_is_gone_at_once() {
    on_every_store_with(
        Policy::default(),
        || answers([insulin()]),
        async |host, model| {
            let alice = host.alice();
            alice.consent("health", true).await.unwrap();
            chat(&alice, SAID).await.close().await.unwrap();
            let row = alice.get("#1").await.unwrap().row;
            assert_eq!(row.body.claim.domain.as_deref(), Some("health"));
            let open = alice.open_session().await.unwrap();
            assert!(open.block().await.unwrap().contains("insulin"));

            alice.consent("health", false).await.unwrap();
            assert!(!open.block().await.unwrap().contains("insulin"));
            assert!(alice.recall("insulin").await.unwrap().is_empty());
            let before = model.asked().len();
            let report = chat(&alice, "good morning")
                .await
                .close()
                .await
                .unwrap()
                .report;
            assert!(
                !model.asked()[before].prompt.contains("insulin"),
                "nor is a model shown it"
            );
            assert_eq!(report.count(Fate::Learned), 0);
        },
    )
    .await;
}

#[tokio::test]
async fn what_is_sensitive_about_somebody_else_is_refused_always() {
    let model = || {
        answers([answer([add(
            "User's neighbour takes insulin",
            "my neighbour takes insulin",
        )])])
    };
    on_every_store_with(asking(), model, async |host, _| {
        let alice = host.alice();
        alice.consent("health", true).await.unwrap();
        let said = "my neighbour takes insulin, poor man";
        let report = chat(&alice, said).await.close().await.unwrap().report;
        assert_eq!(report.lessons[0].codes, [Code::Sensitive], "{report:?}");
        assert!(alice.pending().await.unwrap().is_empty());
    })
    .await;
}

#[tokio::test]
async fn diet_and_allergies_are_food() {
    let model = || {
        answers([answer([add(
            "User is allergic to peanuts",
            "I'm allergic to peanuts",
        )])])
    };
    on_every_store_with(Policy::default(), model, async |host, _| {
        let alice = host.alice();
        let report = chat(&alice, "I'm allergic to peanuts")
            .await
            .close()
            .await
            .unwrap()
            .report;
        assert_eq!(report.count(Fate::Learned), 1, "{report:?}");
    })
    .await;
}

#[tokio::test]
async fn the_advisor_asks_nobody() {
    on_every_store(Policy::advisor(), async |host| {
        let alice = host.alice();
        chat(&alice, "I have a mortgage with the Westbank")
            .await
            .close()
            .await
            .unwrap();
        assert_eq!(
            host.live(&alice).await.len(),
            1,
            "{:?}",
            host.live(&alice).await
        );
    })
    .await;
}

#[tokio::test]
async fn what_waited_when_consent_was_withdrawn_is_shown_no_more() {
    on_every_store(asking(), async |host| {
        let alice = host.alice();
        let mut known = Save::new("Sleeps badly in spring");
        known.domain = Some("health".to_owned());
        alice.save(known).await.unwrap();
        let mut fresh = Save::new("Takes insulin every morning");
        fresh.domain = Some("health".to_owned());
        let tea = Save::new("Likes green tea");
        for change in [
            ProposedChange::Save(Box::new(fresh)),
            ProposedChange::Forget(Forget::new("#1")),
            ProposedChange::Save(Box::new(tea)),
        ] {
            let propose = Propose::new(change, "It came up");
            alice.propose(propose).await.unwrap();
        }
        let shown = async || {
            let review = alice.review().await.unwrap();
            let asked = review.doubtful.iter();
            let asked = asked.filter(|doubt| doubt.kind == DoubtKind::Proposal);
            let told: Vec<String> = asked.map(|doubt| doubt.content.clone()).collect();
            assert_eq!(told.len(), alice.pending().await.unwrap().len());
            told
        };
        assert_eq!(shown().await.len(), 3);
        alice.consent("health", false).await.unwrap();
        assert_eq!(shown().await, ["Likes green tea"], "{}", host.store);

        // What is asked since then is a question of its own.
        let mut later = Save::new("Takes vitamins every evening");
        later.domain = Some("health".to_owned());
        let change = ProposedChange::Save(Box::new(later));
        let propose = Propose::new(change, "It came up again");
        alice.propose(propose).await.unwrap();
        assert_eq!(shown().await.len(), 2);
        alice.consent("health", true).await.unwrap();
        assert_eq!(shown().await.len(), 4);
    })
    .await;
}
