//! A recall as JSON, which stores hand on as they hold it: the same bytes as the hits written anew.

use std::time::Duration;

use keepmind::command::{Query, Recall, RecallBy, Save, Update};
use keepmind::visibility::AsOf;
use keepmind::{Clock as _, Policy};
use keepmind_tests::host::on_every_store;
use keepmind_tests::learned::learn;
use serde_json::json;

#[tokio::test]
async fn a_recall_as_json_says_what_a_typed_one_says() {
    on_every_store(Policy::default(), async |host| {
        let alice = host.alice();
        alice.save("Drinks tea").await.unwrap();
        let mut important = Save::new("Sells tea: \"green\", \u{1f642}\\").category("work");
        important.importance = Some(0.9);
        important.value = Some(json!({"body": {"a": 1, "body": ["\n"]}}));
        alice.save(important).await.unwrap();
        let before = host.clock.now().saturating_add(Duration::from_secs(60));
        host.days(10);
        alice
            .update(Update::new("#1", "Drinks white tea"))
            .await
            .unwrap();
        let now = host.clock.now();
        learn(&host.keepmind, &alice, now, "fact", "Grows tea", 0.6).await;

        let mut past = Recall::new("tea");
        past.as_of = Some(AsOf {
            valid: before,
            known: host.clock.now(),
        });
        let mut few = Recall::new("tea").limit(1);
        few.by = RecallBy::Words;
        let chat = alice.open_session().await.unwrap();
        for (recall, found) in [
            (Recall::new("tea"), 3),
            (few, 1),
            (past, 2),
            (Recall::new("coffee"), 0),
        ] {
            let query = Query::Recall(recall.clone());
            let request = serde_json::to_string(&query).unwrap();
            let typed = alice.query(query).await.unwrap();
            let told = alice.request(&request).await.unwrap();
            assert_eq!(
                told,
                serde_json::to_string(&typed).unwrap(),
                "{}",
                host.store
            );
            assert_eq!(chat.request(&request).await.unwrap(), told);

            let request = request.replacen("query", "request", 1);
            // The first time it is looked for, then it is known.
            let answers = [
                chat.request(&request).await.unwrap(),
                chat.request(&request).await.unwrap(),
            ];
            let hits = chat.recall(recall).await.unwrap();
            assert_eq!(hits.len(), found, "{}", host.store);
            let hits = serde_json::to_string(&hits).unwrap();
            for answer in answers {
                assert_eq!(answer, format!("{{\"hits\":{hits}}}"), "{}", host.store);
            }
        }
    })
    .await;
}
