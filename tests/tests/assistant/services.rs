//! The document's operations, in the words of this library.

use serde_json::{Value, json};

use crate::door::through_every_door;
use crate::fill;

fn contents(page: &Value) -> Vec<&str> {
    let rows = page["rows"].as_array().unwrap().iter();
    rows.filter_map(|row| row["body"]["claim"]["content"].as_str())
        .collect()
}

#[tokio::test]
async fn list_has_type_domain_status_search_limit_and_cursor() {
    through_every_door(async |door| {
        fill(door).await;
        let list = async |mut query: Value| {
            query["query"] = json!("list");
            door.ask(query).await
        };
        assert_eq!(
            list(json!({"authority": "rule"})).await["rows"]
                .as_array()
                .unwrap()
                .len(),
            4
        );
        assert_eq!(
            list(json!({"authority": "note"})).await["rows"]
                .as_array()
                .unwrap()
                .len(),
            4
        );
        let food = list(json!({"domain": "food"})).await;
        assert_eq!(contents(&food), ["No shellfish or peanuts"]);
        let dinners = list(json!({"text": "dinner WEEK"})).await;
        assert_eq!(
            contents(&dinners),
            ["Prefers low-effort dinners during busy work weeks"]
        );
        let keyed = list(json!({"text": "preferred_store"})).await;
        assert_eq!(contents(&keyed), ["Kroger"]);
        assert_eq!(
            contents(&list(json!({"text": "zeppelin"})).await),
            Vec::<&str>::new()
        );

        let first = list(json!({"limit": 3})).await;
        assert_eq!(contents(&first).len(), 3);
        let second = list(json!({"limit": 50, "after": first["next"]})).await;
        assert_eq!(contents(&second).len(), 5);
        assert_eq!(second["next"], Value::Null);

        door.ask(json!({"command": "update", "target": 3, "content": "Aldi"}))
            .await;
        door.ask(json!({"command": "forget", "target": 8})).await;
        let status = async |status: &str| list(json!({"status": status})).await;
        assert_eq!(contents(&status("active").await).len(), 7);
        assert_eq!(contents(&status("superseded").await), ["Kroger"]);
        let inactive = status("inactive").await;
        assert_eq!(
            contents(&inactive),
            ["Training for a marathon, watching protein intake"]
        );
        assert_eq!(contents(&status("expired").await), Vec::<&str>::new());
        assert_eq!(contents(&status("candidate").await), Vec::<&str>::new());

        for wrong in [
            json!({"query": "list", "status": "proposed"}),
            json!({"query": "list", "status": "active", "filter": {"selection": {"rows": "all"}}}),
            json!({"query": "list", "text": "tea", "filter": {"selection": {"rows": "all"}, "text": "milk"}}),
            json!({"query": "list", "authority": "HARD"}),
            json!({"query": "list", "text": "x".repeat(1_001)}),
        ] {
            door.refused(wrong).await;
        }
    })
    .await;
}

#[tokio::test]
async fn create_get_update_and_delete_one_memory() {
    through_every_door(async |door| {
        let create = json!({"command": "save", "authority": "rule", "domain": "food", "key": "exclude",
            "content": "No shellfish", "value": ["shellfish"]});
        let made = door.ask(create.clone()).await;
        assert_eq!((&made["verdict"], &made["number"]), (&json!("done"), &json!(1)));
        let again = door.ask(create).await;
        assert_eq!(again["verdict"], json!("unchanged"));

        let fact = door.ask(json!({"query": "get", "target": "#1"})).await;
        let claim = &fact["row"]["body"]["claim"];
        assert_eq!(claim["value"], json!(["shellfish"]));
        assert_eq!(claim["source"], json!("user"));

        // The same (domain, key) once more is the next version of the one rule, not a second one.
        let changed = json!({"command": "save", "authority": "rule", "domain": "food", "key": "exclude",
            "content": "No shellfish, no nuts", "value": ["shellfish", "nuts"]});
        let changed = door.ask(changed).await;
        assert_eq!(changed["event"]["kind"], json!("updated"));
        let rules = door.ask(json!({"query": "list", "authority": "rule"})).await;
        assert_eq!(contents(&rules), ["No shellfish, no nuts"]);
        let history = door.ask(json!({"query": "history", "target": 1})).await;
        assert_eq!(contents(&history), ["No shellfish", "No shellfish, no nuts"]);

        // Deleted is removed at once: nothing waits in a trash.
        door.ask(json!({"command": "trash", "target": 1})).await;
        let gone = door.refused(json!({"query": "history", "target": 1})).await;
        assert!(gone.contains("#1"), "{gone}");
        let all = json!({"query": "list", "filter": {"selection": {"rows": "all"}}});
        assert_eq!(contents(&door.ask(all).await), Vec::<&str>::new());
    })
    .await;
}

#[tokio::test]
async fn another_users_memory_is_not_there() {
    through_every_door(async |door| {
        fill(door).await;
        let mine = door.ask(json!({"query": "get", "target": 1})).await;
        let id = mine["row"]["id"].clone();
        for request in [
            json!({"user": "bob", "query": "get", "target": 1}),
            json!({"user": "bob", "query": "get", "target": id}),
            json!({"user": "bob", "command": "forget", "target": id}),
        ] {
            let refused = door.refused_as_written(request).await;
            assert!(!refused.contains("16:00"), "{refused}");
        }
    })
    .await;
}
