//! The flow of a proposal: an assistant notices, the user confirms, edits or rejects.

use keepmind::Policy;
use keepmind_tests::host::on_every_store;
use serde_json::{Value, json};

use crate::door::{Door, through_every_door};

/// What the document's example proposes.
async fn proposed(door: &Door) -> Value {
    let arguments = json!({"content": "User prefers Kroger for groceries", "domain": "shopping",
        "key": "store", "value": "Kroger", "authority": "rule",
        "reasoning": "User has consistently chosen Kroger", "evidence": "order from Kroger again"});
    let said = "Please order from Kroger again";
    let reply = door.tool(said, "propose_memory", arguments).await;
    assert_eq!(reply["is_error"], json!(false), "{reply}");
    assert_eq!(reply["event"]["kind"], json!("proposed"));
    let mut waiting = door.pending().await;
    assert_eq!(waiting.len(), 1);
    waiting.remove(0)
}

#[tokio::test]
async fn what_is_accepted_is_what_was_shown() {
    through_every_door(async |door| {
        let proposal = proposed(door).await;
        assert_eq!(
            proposal["body"]["reasoning"],
            json!("User has consistently chosen Kroger")
        );
        assert_eq!(
            proposal["body"]["evidence"][0]["quote"],
            json!("Please order from Kroger again")
        );
        // Until then it is nowhere.
        let live = door.ask(json!({"query": "list"})).await;
        assert_eq!(live["rows"], json!([]));

        let accepted = door
            .ask(json!({"command": "accept", "proposal": proposal["id"]}))
            .await;
        let stored = &accepted["event"]["after"]["body"]["claim"];
        let shown = &proposal["body"]["operation"]["claim"];
        for field in [
            "content",
            "domain",
            "key",
            "value",
            "authority",
            "category",
            "evidence",
        ] {
            assert_eq!(stored[field], shown[field], "{field}");
        }
        assert_eq!(
            (&stored["source"], &stored["trust"]),
            (&json!("user"), &json!("user"))
        );
        assert!(door.pending().await.is_empty());
        let twice = door
            .refused(json!({"command": "accept", "proposal": proposal["id"]}))
            .await;
        assert!(twice.contains("settled already"), "{twice}");
    })
    .await;
}

#[tokio::test]
async fn an_edited_proposal_keeps_nothing_of_the_words_it_lost() {
    through_every_door(async |door| {
        let proposal = proposed(door).await;
        let edited = json!({"command": "accept", "proposal": proposal["id"],
            "content": "User prefers Aldi for groceries", "value": "Aldi"});
        let accepted = door.ask(edited).await;
        let claim = &accepted["event"]["after"]["body"]["claim"];
        assert_eq!(claim["content"], json!("User prefers Aldi for groceries"));
        assert_eq!(claim["value"], json!("Aldi"));
        let block = door.ask(json!({"request": "block"})).await;
        let text = block["text"].as_str().unwrap();
        assert!(text.contains("[shopping] store: Aldi"), "{text}");
        assert!(!text.contains("Kroger"), "{text}");

        let alone = json!({"command": "accept", "proposal": proposal["id"], "value": "Aldi"});
        door.refused(alone).await;
        door.ask(json!({"command": "undo", "token": accepted["event"]["undo"]}))
            .await;
        assert_eq!(door.pending().await.len(), 1);
        let waiting = door.pending().await;
        let words = json!({"command": "accept", "proposal": waiting[0]["id"],
            "content": "User prefers Lidl for groceries"});
        let accepted = door.ask(words).await;
        assert_eq!(
            accepted["event"]["after"]["body"]["claim"].get("value"),
            None
        );
    })
    .await;
}

#[tokio::test]
async fn what_was_rejected_is_not_proposed_again_from_the_same_words() {
    through_every_door(async |door| {
        let proposal = proposed(door).await;
        door.ask(json!({"command": "reject", "proposal": proposal["id"]}))
            .await;
        assert!(door.pending().await.is_empty());
        let live = door.ask(json!({"query": "list"})).await;
        assert_eq!(live["rows"], json!([]));
        let forget = json!({"command": "accept", "proposal": proposal["id"], "content": "x"});
        door.refused(forget).await;
    })
    .await;
}

#[tokio::test]
async fn other_words_for_what_keeps_none_are_refused() {
    through_every_door(async |door| {
        door.ask(json!({"command": "save", "content": "Likes tea"}))
            .await;
        let propose = json!({"command": "propose", "change": {"change": "forget", "target": 1},
            "reasoning": "May have changed"});
        door.ask(propose).await;
        let waiting = door.pending().await;
        let edited =
            json!({"command": "accept", "proposal": waiting[0]["id"], "content": "Likes milk"});
        let refused = door.refused(edited).await;
        assert!(
            refused.contains("accept it without other words"),
            "{refused}"
        );
        assert_eq!(door.pending().await.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn what_nobody_answers_passes() {
    on_every_store(Policy::assistant(), async |host| {
        let alice = host.alice();
        let propose = json!({"command": "propose", "change": {"change": "save", "content": "Likes tea"},
            "reasoning": "Ordered it twice"});
        alice.request(&propose.to_string()).await.unwrap();
        let waiting = alice.pending().await.unwrap();
        let expires = waiting[0].body.expires_at.expect("the preset lets proposals pass");
        host.at(&expires.to_string());
        assert!(alice.pending().await.unwrap().is_empty());
        let late = alice.accept(waiting[0].id).await.unwrap_err();
        assert!(late.message().contains("expired"), "{late}");
    })
    .await;
}

#[tokio::test]
async fn what_takes_a_rules_place_stays_as_long_as_the_rule() {
    let mut policy = Policy::assistant();
    policy.tools.offered.push(keepmind::policy::Tool::Save);
    on_every_store(policy, async |host| {
        let alice = host.alice();
        let rule = json!({"command": "save", "content": "User does not eat fish", "authority": "rule",
            "domain": "food", "key": "exclude", "value": ["fish"], "category": "preference"});
        alice.request(&rule.to_string()).await.unwrap();
        let session = alice.open_session().await.unwrap();
        session.push(keepmind::Push::user("I eat fish, at least today")).await.unwrap();
        let save = json!({"content": "User eats fish", "ttl": "temporary"});
        keepmind_tests::host::call(&session, "save_memory", save).await;
        let waiting = alice.pending().await.unwrap();
        alice.accept(waiting[0].id).await.unwrap();
        host.days(400);
        assert_eq!(host.live(&alice).await, ["User eats fish"]);
        // The key's value is void: it must not read as its opposite.
        let block = alice.block().await.unwrap().text;
        assert!(block.contains("- [food] User eats fish (confidence: high)"), "{block}");
    })
    .await;
}

#[tokio::test]
async fn a_note_against_a_rule_asks_which_is_true() {
    // The preset has no tool that saves at once; a host may offer it.
    let mut policy = Policy::assistant();
    policy.tools.offered.push(keepmind::policy::Tool::Save);
    on_every_store(policy, async |host| {
        let alice = host.alice();
        let rule = json!({"command": "save", "content": "User eats meat", "authority": "rule",
            "domain": "food", "key": "meat", "category": "preference"});
        alice.request(&rule.to_string()).await.unwrap();
        let session = alice.open_session().await.unwrap();
        session
            .push(keepmind::Push::user("I do not eat meat"))
            .await
            .unwrap();
        let save = json!({"content": "User does not eat meat"});
        let reply = keepmind_tests::host::call(&session, "save_memory", save.clone()).await;
        assert_eq!(reply.codes, [keepmind::Code::Tier]);
        assert!(
            reply.message.contains("speaks against the rule #1"),
            "{}",
            reply.message
        );
        assert_eq!(host.live(&alice).await, ["User eats meat"]);
        let again = keepmind_tests::host::call(&session, "save_memory", save).await;
        assert!(
            again.message.starts_with("Nothing to do"),
            "{}",
            again.message
        );

        let waiting = alice.pending().await.unwrap();
        let asked = serde_json::to_value(&waiting[0].body.operation).unwrap();
        assert_eq!(asked["operation"], json!("choose"));
        assert_eq!(asked["target"]["number"], json!(1));
        alice.accept(waiting[0].id).await.unwrap();
        assert_eq!(host.live(&alice).await, ["User does not eat meat"]);
        let fact = alice.get("#1").await.unwrap();
        assert_eq!(fact.row.body.claim.key.as_deref(), Some("meat"));
        assert_eq!(fact.row.body.claim.authority, keepmind::Authority::Rule);
    })
    .await;
}
