//! What a recall finds and a context tells as of a moment in the past.

use keepmind::command::{ContextRequest, Recall, Save, Update};
use keepmind::visibility::AsOf;
use keepmind::{Clock as _, Policy, Push, Timestamp, UserMemory};
use keepmind_tests::host::{Host, on_every_store};
use serde_json::Value;

async fn told(alice: &UserMemory, message: &str, then: AsOf) -> String {
    let asked = ContextRequest::new(message).as_of(then);
    alice.context(asked).await.unwrap().text
}

async fn found(alice: &UserMemory, words: &str, then: AsOf) -> Vec<String> {
    let mut recall = Recall::new(words);
    recall.as_of = Some(then);
    let hits = alice.recall(recall).await.unwrap().into_iter();
    hits.map(|hit| hit.row.body.claim.content).collect()
}

fn moment(text: &str) -> AsOf {
    AsOf::now(Timestamp::parse(text).unwrap())
}

/// Lived in Lyon, then in Paris; a dog came in between and was forgotten; a cat came later.
async fn a_year(host: &Host, alice: &UserMemory) {
    host.at("2026-01-10T09:00:00Z");
    alice.save("Lives in Lyon").await.unwrap();
    alice.save("Has a dog called Rex").await.unwrap();
    host.at("2026-06-02T09:00:00Z");
    alice
        .update(Update::new("#1", "Lives in Paris"))
        .await
        .unwrap();
    alice.save("Has a cat called Miez").await.unwrap();
    host.at("2026-11-01T09:00:00Z");
}

const MARCH: &str = "2026-03-01T00:00:00Z";

#[tokio::test]
async fn a_context_is_as_it_would_have_been() {
    on_every_store(Policy::advisor(), async |host| {
        let alice = host.alice();
        a_year(host, &alice).await;
        let message = "Tell me about the cat, the dog and where the user lives";
        let march = told(&alice, message, moment(MARCH)).await;
        for (words, is_told) in [
            ("Lyon", true),
            ("Rex", true),
            ("Paris", false),
            ("Miez", false),
        ] {
            assert_eq!(march.contains(words), is_told, "{words} in: {march}");
        }
        assert_eq!(
            found(&alice, "lives", moment(MARCH)).await,
            ["Lives in Lyon"]
        );
        let before = told(&alice, message, moment("2025-12-01T00:00:00Z")).await;
        assert!(before.is_empty(), "{before}");
        // As of now it is what it is.
        let now = AsOf::now(host.clock.now());
        let today = alice.context(message).await.unwrap().text;
        assert_eq!(told(&alice, message, now).await, today);
        assert!(
            today.contains("Paris") && !today.contains("Lyon"),
            "{today}"
        );
    })
    .await;
}

#[tokio::test]
async fn what_the_user_let_go_of_since_is_told_to_no_model() {
    on_every_store(Policy::advisor(), async |host| {
        let alice = host.alice();
        a_year(host, &alice).await;
        let message = "where does the user live, with which dog and cat?";
        let march = moment(MARCH);
        let rex = |text: String| text.contains("Rex");
        assert!(rex(told(&alice, message, march).await));
        let forgot = alice.forget("#2").await.unwrap();
        assert!(!rex(told(&alice, message, march).await), "forgotten");
        alice
            .undo(forgot.event.unwrap().undo.unwrap())
            .await
            .unwrap();
        assert!(rex(told(&alice, message, march).await));
        alice.trash("#2").await.unwrap();
        assert!(!rex(told(&alice, message, march).await), "in the trash");
        alice.restore("#2").await.unwrap();
        alice.purge("#2").await.unwrap();
        assert!(!rex(told(&alice, message, march).await), "purged");
        assert!(found(&alice, "dog", march).await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn withdrawn_consent_holds_for_the_past_and_nothing_said_later_is_told() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        host.at("2026-01-10T09:00:00Z");
        let mut insulin = Save::new("Takes insulin");
        insulin.domain = Some("health".into());
        alice.save(insulin).await.unwrap();
        alice.save("Lives in Lyon").await.unwrap();
        host.at("2026-06-02T09:00:00Z");
        let session = alice.open_session().await.unwrap();
        session.push(Push::user("My parrot sings")).await.unwrap();
        let asked = ContextRequest::new("what do I take, and the parrot?").as_of(moment(MARCH));
        let context = session.context(asked.clone()).await.unwrap();
        assert!(context.text.contains("insulin"), "{}", context.text);
        assert!(!context.text.contains("parrot"), "{}", context.text);
        alice.consent("health", false).await.unwrap();
        let context = session.context(asked).await.unwrap();
        assert!(!context.text.contains("insulin"), "{}", context.text);
        assert!(context.text.contains("Lyon"), "{}", context.text);

        let request = format!(
            r#"{{"request":"context","message":"Lyon","as_of":{{"valid":"{MARCH}","known":"{MARCH}"}}}}"#
        );
        let answer = alice.request(&request).await.unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert!(answer["text"].as_str().unwrap().contains("Lyon"));
        let broken = r#"{"request":"context","message":"x","as_of":{"valid":"then"}}"#;
        alice.request(broken).await.unwrap_err();
    })
    .await;
}
