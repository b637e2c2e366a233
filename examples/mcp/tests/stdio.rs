//! Over stdio: the tools, resources, the prompt, and what two servers on one file tell their clients.

mod support;

use keepmind::{Keepmind, Policy, SqliteStore};
use serde_json::json;
use std::sync::Arc;
use support::Client;

#[test]
fn tools_resources_and_the_prompt_are_served() {
    let folder = tempfile::tempdir().unwrap();
    let mut client = Client::start(&folder.path().join("m.db"), "alice");

    let tools = client.ask("tools/list", json!({}));
    let wanted = keepmind::tools::definitions(&Policy::default(), keepmind::ToolShape::Mcp);
    assert_eq!(tools["result"]["tools"], json!(wanted));

    let answer = client.ask(
        "tools/call",
        json!({"name": "save_memory", "arguments": {"content": "Prefers window seats"}}),
    );
    let event = &answer["result"]["_meta"]["keepmind/event"];
    assert_eq!(event["line"], "Saved #1: Prefers window seats");
    assert!(event["undo"].is_string(), "{answer}");
    client.wait_for("notifications/resources/list_changed");

    let (refused, found) = client.call("recall_memories", json!({"query": "which seats?"}));
    assert!(
        !refused && found.contains("#1") && found.contains("window seats"),
        "{found}"
    );

    let listed = client.ask("resources/list", json!({}));
    let resources = listed["result"]["resources"].as_array().unwrap();
    let of = |uri: &str| resources.iter().find(|one| one["uri"] == uri);
    assert_eq!(
        of("keepmind://fact/1").unwrap()["title"],
        "Prefers window seats"
    );
    assert_eq!(
        of("keepmind://memory").unwrap()["mimeType"],
        "text/markdown"
    );
    let category = resources.iter().find(|one| {
        let uri = one["uri"].as_str().unwrap();
        uri.starts_with("keepmind://category/") && client.read(uri).contains("window seats")
    });
    assert!(category.is_some(), "{listed}");
    assert!(
        client
            .read("keepmind://memory")
            .contains("[#1 v1] Prefers window seats")
    );
    assert!(
        client
            .read("keepmind://fact/1")
            .starts_with("- [#1 v1] Prefers window seats")
    );
    let missing = client.ask("resources/read", json!({"uri": "keepmind://fact/2"}));
    assert_eq!(missing["error"]["code"], -32002, "{missing}");

    let prompts = client.ask("prompts/list", json!({}));
    assert_eq!(prompts["result"]["prompts"][0]["name"], "memory");
    let prompt = client.ask("prompts/get", json!({"name": "memory"}));
    let text = prompt["result"]["messages"][0]["content"]["text"]
        .as_str()
        .unwrap();
    assert!(text.contains("Prefers window seats"), "{text}");
    assert!(client.leave());
}

#[test]
fn resources_are_listed_page_by_page() {
    let folder = tempfile::tempdir().unwrap();
    let mut client = Client::start(&folder.path().join("m.db"), "alice");
    let most = Policy::default().limits.results as usize;
    for number in 0..most + 3 {
        let content = format!("Has read book number {number}");
        let (refused, said) = client.call("save_memory", json!({"content": content}));
        assert!(!refused, "{said}");
    }
    let (mut facts, mut cursor) = (0, None);
    loop {
        let page = client.ask("resources/list", json!({"cursor": cursor}));
        let resources = page["result"]["resources"].as_array().unwrap();
        let is_fact = |uri: &str| uri.starts_with("keepmind://fact/");
        facts += resources
            .iter()
            .filter(|one| is_fact(one["uri"].as_str().unwrap()))
            .count();
        match page["result"]["nextCursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => break,
        }
    }
    assert_eq!(facts, most + 3);
    let wrong = client.ask("resources/list", json!({"cursor": "no cursor"}));
    assert_eq!(wrong["error"]["code"], -32602, "{wrong}");
}

#[test]
fn two_servers_on_one_file_tell_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("m.db");
    let mut first = Client::start(&db, "alice");
    let mut second = Client::start(&db, "alice");
    second.ask("resources/subscribe", json!({"uri": "keepmind://fact/1"}));

    first.call("save_memory", json!({"content": "Plays the cello"}));
    second.wait_for("notifications/resources/list_changed");
    let updated = second.wait_for("notifications/resources/updated");
    assert_eq!(updated["params"]["uri"], "keepmind://fact/1");
    let (_, found) = second.call("recall_memories", json!({"query": "cello"}));
    assert!(found.contains("Plays the cello"), "{found}");

    // Both at once: nothing is lost, and no number is given out twice.
    for round in 0..10 {
        for (client, who) in [(&mut first, "first"), (&mut second, "second")] {
            let content = format!("Has met {who} person number {round}");
            client.request(
                "tools/call",
                json!({"name": "save_memory", "arguments": {"content": content}}),
            );
        }
    }
    for client in [&mut first, &mut second] {
        let mut answered = 0;
        while answered < 10 {
            let heard = client.heard();
            if heard.get("id").is_some() {
                assert_eq!(heard["result"]["isError"], false, "{heard}");
                answered += 1;
            }
        }
    }
    let all = first.read("keepmind://memory");
    for number in 1..=21 {
        let marks = all.matches(&format!("- [#{number} v1] ")).count();
        assert_eq!(marks, 1, "#{number} in {all}");
    }
    assert!(first.leave() && second.leave());
}

#[test]
fn another_user_sees_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("m.db");
    let mut alice = Client::start(&db, "alice");
    alice.call(
        "save_memory",
        json!({"content": "Keeps a canary called Zephyrine"}),
    );
    let mut bob = Client::start(&db, "bob");
    let (_, listed) = bob.call("list_memories", json!({}));
    let resources = bob.ask("resources/list", json!({})).to_string();
    let prompt = bob
        .ask("prompts/get", json!({"name": "memory"}))
        .to_string();
    let all = bob.read("keepmind://memory");
    let fact = bob
        .ask("resources/read", json!({"uri": "keepmind://fact/1"}))
        .to_string();
    for told in [listed, resources, prompt, all, fact] {
        assert!(!told.contains("Zephyrine"), "{told}");
    }
}

#[test]
fn what_consent_was_withdrawn_for_is_in_no_resource() {
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("m.db");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let store = SqliteStore::open(&db).await.unwrap();
        let keepmind = Keepmind::builder(Arc::new(store)).build().unwrap();
        let alice = keepmind.user("alice").unwrap();
        alice.save("Plays the cello").await.unwrap();
        alice.consent("health", true).await.unwrap();
        let mut gout = keepmind::command::Save::new("Has gout");
        gout.domain = Some("health".to_owned());
        gout.detail = Some("Since May, in the left foot".to_owned());
        alice.save(gout).await.unwrap();
        alice.consent("health", false).await.unwrap();
        keepmind.close().await.unwrap();
    });
    let mut client = Client::start(&db, "alice");
    let listed = client.ask("resources/list", json!({})).to_string();
    let all = client.read("keepmind://memory");
    let fact = client.ask("resources/read", json!({"uri": "keepmind://fact/2"}));
    assert!(all.contains("cello"), "{all}");
    for told in [listed, all, fact.to_string()] {
        assert!(
            !told.contains("gout") && !told.contains("left foot"),
            "{told}"
        );
    }
}
