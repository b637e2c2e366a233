//! What withdrawn consent hides, and keeps out.

use keepmind::command::List;
use keepmind::store::{Filter, Selection};
use keepmind::{Authority, Code, Policy, Push};
use keepmind_tests::host::{call, on_every_store};
use serde_json::json;

use crate::in_domain;

/// §13: withdrawn rows leave prompt and recall at once: no reply to the model may quote them.
#[tokio::test]
async fn no_reply_quotes_what_consent_was_withdrawn_for() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        alice
            .save(in_domain("User takes blood pressure pills", "health"))
            .await
            .unwrap();
        alice
            .save(in_domain("User takes sleeping pills", "health"))
            .await
            .unwrap();
        alice.consent("health", false).await.unwrap();
        let session = alice.open_session().await.unwrap();
        session
            .push(Push::user("I take blood pressure tablets, about my pills"))
            .await
            .unwrap();
        let near = json!({"content": "User takes blood pressure tablets"});
        let both = json!({"id_or_substring": "pills"});
        for (name, arguments) in [
            ("save_memory", near),
            ("confirm_memory", both),
            ("list_memories", json!({})),
            ("recall_memories", json!({"query": "pills"})),
            ("confirm_memory", json!({"id_or_substring": "#1"})),
        ] {
            let reply = call(&session, name, arguments).await;
            assert!(
                !reply.message.contains("pills"),
                "{name}: {}",
                reply.message
            );
        }
    })
    .await;
}

/// §13: that something was said once is a fact about the user as well.
#[tokio::test]
async fn no_reply_confirms_what_was_said_of_a_domain_that_was_withdrawn() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        alice
            .save(in_domain("User takes sleeping pills", "health"))
            .await
            .unwrap();
        alice.save("User keeps sleeping bags").await.unwrap();
        alice.forget("#1").await.unwrap();
        alice.forget("#2").await.unwrap();
        let session = alice.open_session().await.unwrap();
        let asked = async |words: &str| {
            let reply = call(
                &session,
                "confirm_memory",
                json!({"id_or_substring": words}),
            )
            .await;
            assert_eq!(reply.codes, [Code::NotFound], "{}", reply.message);
            reply.message
        };
        let told = "no longer does";
        assert!(asked("sleeping pills").await.contains(told));
        alice.consent("health", false).await.unwrap();
        let never_said = asked("pills to wake up").await;
        assert_eq!(asked("sleeping pills").await, never_said);
        assert!(asked("sleeping bags").await.contains(told));
    })
    .await;
}

/// §13: a fact that is kept from a model is neither named to it nor written to by it.
#[tokio::test]
async fn a_tool_finds_nothing_of_a_domain_that_was_withdrawn() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        let mut tea = in_domain("Drinks green tea", "health");
        tea.detail = Some("three cups".to_owned());
        alice.save(tea).await.unwrap();
        alice
            .save(in_domain("Skips dinner on Fridays", "health"))
            .await
            .unwrap();
        alice.forget("#2").await.unwrap();
        alice.consent("health", false).await.unwrap();
        let session = alice.open_session().await.unwrap();
        for number in ["#1", "#2"] {
            for tool in ["confirm_memory", "forget_memory"] {
                let known = call(&session, tool, json!({"id_or_substring": number})).await;
                let unknown = call(&session, tool, json!({"id_or_substring": "#999"})).await;
                assert_eq!(known.message.replace(number, "#999"), unknown.message);
            }
        }
        let mut rule = in_domain("Never suggest fish", "food");
        rule.authority = Some(Authority::Rule);
        rule.key = Some("diet".to_owned());
        alice.save(rule).await.unwrap();
        alice.consent("food", false).await.unwrap();
        let fish = json!({
            "content": "Never suggest fish", "domain": "food", "key": "diet", "authority": "rule",
        });
        let told = serde_json::to_string(&call(&session, "save_memory", fish).await).unwrap();
        assert!(!told.contains("#3"), "{told}");
        let tea = json!({"content": "Drinks green tea", "detail": "at noon"});
        let reply = call(&session, "save_memory", tea).await;
        assert!(!reply.message.contains("#1"), "{}", reply.message);
        let told = serde_json::to_string(&reply).unwrap();
        assert!(!told.contains("three cups"), "{told}");
        let kept = alice.history("#1").await.unwrap().rows;
        assert_eq!(kept.len(), 1);
        assert_eq!(kept[0].body.claim.body.as_deref(), Some("three cups"));
    })
    .await;
}

/// §13, whatever other domains the policy calls sensitive.
#[tokio::test]
async fn consent_can_be_withdrawn_under_every_policy() {
    for policy in [Policy::advisor(), Policy::chat(), Policy::default()] {
        let Some(domain) = policy.domains.first().map(|domain| domain.name.clone()) else {
            continue;
        };
        on_every_store(policy, async |host| {
            let alice = host.alice();
            alice
                .save(in_domain("Meets on Tuesdays", &domain))
                .await
                .unwrap();
            alice.consent(domain.as_str(), false).await.unwrap();
            assert!(alice.recall("Tuesdays").await.unwrap().is_empty(), "recall");
            assert!(host.kept(&alice).await.is_empty(), "list");
            let block = alice.open_session().await.unwrap().block().await.unwrap();
            assert!(!block.contains("Tuesdays"), "{block}");
        })
        .await;
    }
}

/// §13: consent gates tools. What they kept of a withdrawn domain would be visible to nobody.
#[tokio::test]
async fn a_tool_keeps_nothing_of_a_domain_that_was_withdrawn() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        alice.consent("food", false).await.unwrap();
        let session = alice.open_session().await.unwrap();
        session.push(Push::user("I eat no fish")).await.unwrap();
        let save = json!({"content": "User eats no fish", "domain": "food"});
        let reply = call(&session, "save_memory", save).await;
        assert_eq!(reply.codes, [Code::Sensitive], "{}", reply.message);
        let mut all = List::default();
        all.filter = Some(Filter::new(Selection::All));
        assert!(alice.list(all).await.unwrap().rows.is_empty());
    })
    .await;
}
