//! What the first source document, the advisor's chat, promises of engine, tools, events, undo, links,
//! block, recall, trash, provenance and isolation. One scenario for each promise, on every store.

#[path = "advisor/block.rs"]
mod block;
#[path = "advisor/page.rs"]
mod page;

use std::collections::BTreeSet;
use std::sync::Arc;

use keepmind::command::{List, Save};
use keepmind::inject::parse;
use keepmind::{
    Code, EventKind, InMemoryStore, Keepmind, Policy, Push, ToolReply, ToolShape, Trust,
    UserMemory, Verdict,
};
use keepmind_tests::chats::chat;
use keepmind_tests::host::{Host, call, on_every_store};
use serde_json::{Value, json};

async fn advisor(scenario: impl AsyncFn(&Host, UserMemory)) {
    on_every_store(Policy::advisor(), async |host| {
        scenario(host, host.alice()).await
    })
    .await;
}

fn shown(block: &str) -> Vec<String> {
    parse(block).into_iter().map(|line| line.text).collect()
}

async fn next_block(user: &UserMemory) -> String {
    user.open_session()
        .await
        .expect("a chat")
        .block()
        .await
        .expect("a block")
}

#[tokio::test]
async fn the_advisor_saves_a_fact_the_moment_it_is_stated() {
    advisor(async |host, alice| {
        let session = chat(&alice, "remember I'm targeting retirement at 50").await;
        let save = json!({"category": "profile", "content": "Targets retirement at 50"});
        let reply = call(&session, "save_preference", save).await;
        assert!(!reply.is_error, "{}", reply.message);
        assert_eq!(host.live(&alice).await, ["Targets retirement at 50"]);
        let found = call(&session, "list_preferences", json!({"category": "profile"})).await;
        assert_eq!(found.message, "#1 [profile] Targets retirement at 50");
        assert_eq!(alice.recall("retirement").await.unwrap().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn every_write_shows_what_changed_and_takes_itself_back() {
    advisor(async |host, alice| {
        let session = chat(&alice, "I only do funds, no stocks. I hold bonds.").await;
        let save = |content: &str| json!({"category": "finance_context", "content": content});
        call(&session, "save_preference", save("Funds only, no stocks")).await;
        call(&session, "save_preference", save("Holds bonds")).await;
        let one = json!({"id_or_substring": "#1"});
        let update = json!({"id_or_substring": "#1", "new_content": "Index funds only, no stocks"});
        let link = json!({"from_id": "#1", "to_id": "#2", "relation": "relates_to"});
        for (tool, arguments, kind, line) in [
            (
                "update_preference",
                update,
                EventKind::Updated,
                "Updated #1: Funds only, no stocks → Index funds only, no stocks",
            ),
            (
                "confirm_preference",
                one.clone(),
                EventKind::Confirmed,
                "Confirmed #1: Funds only, no stocks",
            ),
            (
                "link_preferences",
                link,
                EventKind::Linked,
                "Linked #1 relates_to #2",
            ),
            (
                "forget_preference",
                one,
                EventKind::Forgotten,
                "Forgot #1: Funds only, no stocks",
            ),
            (
                "save_preference",
                save("Holds bonds and funds"),
                EventKind::Saved,
                "Saved #3: Holds bonds and funds",
            ),
        ] {
            let before = alice.list(List::default()).await.unwrap().rows;
            let event = call(&session, tool, arguments).await.event.expect(tool);
            assert_eq!((event.kind, event.line.as_str()), (kind, line));
            alice.undo(event.undo.expect("an undo")).await.unwrap();
            let after = alice.list(List::default()).await.unwrap().rows;
            let words = |rows: &[keepmind::MemoryRow]| -> Vec<(u64, String)> {
                rows.iter()
                    .map(|row| (row.body.number.get(), row.body.claim.content.clone()))
                    .collect()
            };
            assert_eq!(words(&after), words(&before), "{tool}");
            assert!(alice.get("#1").await.unwrap().links.is_empty());
        }
        assert_eq!(
            host.live(&alice).await,
            ["Funds only, no stocks", "Holds bonds"]
        );
    })
    .await;
}

#[tokio::test]
async fn the_same_again_is_saved_once_and_the_closest_are_named() {
    advisor(async |host, alice| {
        let session = chat(&alice, "I only do index funds, funds only").await;
        let save = json!({"category": "finance_context", "content": "Funds only"});
        call(&session, "save_preference", save).await;
        let again = json!({"category": "finance_context", "content": "  funds ONLY "});
        let reply = call(&session, "save_preference", again).await;
        assert_eq!(reply.message, "Nothing to do: #1 says so already.");
        assert!(reply.event.is_none());
        let near = json!({"category": "finance_context", "content": "Index funds only"});
        let reply = call(&session, "save_preference", near).await;
        assert!(reply.message.contains("#1 Funds only"), "{}", reply.message);
        assert_eq!(host.live(&alice).await.len(), 2);
    })
    .await;
}

#[tokio::test]
async fn a_target_is_an_id_or_words_that_one_memory_has() {
    advisor(async |host, alice| {
        alice.save("Likes bonds").await.unwrap();
        let second = alice.save("Likes funds").await.unwrap();
        let id = second.event.unwrap().after.unwrap().id.to_string();
        let session = chat(&alice, "still true").await;
        for target in ["#2", "2", id.as_str(), "FUNDS", "kes fun"] {
            let reply = call(
                &session,
                "confirm_preference",
                json!({"id_or_substring": target}),
            )
            .await;
            assert_eq!(
                reply
                    .shown
                    .iter()
                    .map(|number| number.get())
                    .collect::<Vec<_>>(),
                [2],
                "{target}"
            );
        }
        let reply = call(
            &session,
            "confirm_preference",
            json!({"id_or_substring": "likes"}),
        )
        .await;
        assert_eq!(reply.codes, [Code::Ambiguous]);
        assert!(
            reply.message.contains("#1 Likes bonds") && reply.message.contains("#2 Likes funds")
        );
        for nothing in ["%", "like_", "", " "] {
            let reply = call(
                &session,
                "forget_preference",
                json!({"id_or_substring": nothing}),
            )
            .await;
            assert!(reply.is_error, "{nothing:?}");
        }
        assert_eq!(host.live(&alice).await.len(), 2);
    })
    .await;
}

#[tokio::test]
async fn the_context_of_an_edit_is_hidden_and_no_evidence() {
    advisor(async |_, alice| {
        let session = alice.open_session().await.unwrap();
        let reply =
            Push::user("make it 55 please").hidden("#1 Retires at 50. Body: met Sarah in Ghent");
        session.push(reply).await.unwrap();
        let save = json!({"content": "Met Sarah in Ghent"});
        let saved = call(&session, "save_preference", save)
            .await
            .event
            .unwrap()
            .after
            .unwrap();
        assert_eq!(saved.body.claim.trust, Trust::Agent);
        assert!(saved.body.claim.evidence.is_empty());
        let messages = session.messages(None, 10).await.unwrap().items;
        assert_eq!(messages[0].utterance.content, "make it 55 please");
    })
    .await;
}

#[tokio::test]
async fn no_tool_call_reaches_another_user() {
    advisor(async |host, alice| {
        let saved = alice.save("Alice banks at Fidelity").await.unwrap();
        let row = saved
            .event
            .as_ref()
            .unwrap()
            .after
            .clone()
            .unwrap()
            .id
            .to_string();
        alice.save("Alice has a gate code").await.unwrap();
        let bob = host.keepmind.user("bob").unwrap();
        let session = chat(&bob, "what does Alice have at Fidelity, #1?").await;
        let calls: Vec<(&str, Value)> = vec![
            ("list_preferences", json!({})),
            (
                "recall_preferences",
                json!({"query": "Alice Fidelity gate code"}),
            ),
            ("confirm_preference", json!({"id_or_substring": "#1"})),
            ("confirm_preference", json!({"id_or_substring": row})),
            ("forget_preference", json!({"id_or_substring": "Fidelity"})),
            (
                "update_preference",
                json!({"id_or_substring": "gate", "new_content": "Bob has it"}),
            ),
            (
                "link_preferences",
                json!({"from_id": 1, "to_id": 2, "relation": "supports"}),
            ),
            ("list_preferences", json!({"user_id": "alice"})),
        ];
        for (name, arguments) in calls {
            let ToolReply { message, event, .. } = call(&session, name, arguments).await;
            assert!(
                event.is_none() && !message.contains("Alice"),
                "{name}: {message}"
            );
        }
        let token = saved.event.unwrap().undo.unwrap();
        assert_eq!(
            bob.undo(token).await.unwrap_err().code(),
            Some("E_NOT_FOUND")
        );
        assert_eq!(host.live(&alice).await.len(), 2);
        assert!(!session.block().await.unwrap().contains("Alice"));
        assert!(host.keepmind.user("").is_err(), "no call without an owner");
    })
    .await;
}

#[tokio::test]
async fn demo_users_live_in_memory() {
    let demo = |name: &str| {
        let keepmind = Keepmind::builder(Arc::new(InMemoryStore::new()))
            .policy(Policy::advisor())
            .build();
        keepmind.unwrap().user(name).unwrap()
    };
    let (one, other) = (demo("demo"), demo("demo"));
    let session = chat(&one, "be concise").await;
    let save = json!({"category": "response_style", "content": "Be concise"});
    assert!(!call(&session, "save_preference", save).await.is_error);
    assert_eq!(shown(&next_block(&one).await), ["Be concise"]);
    assert!(shown(&next_block(&other).await).is_empty());
    let again = one
        .save(Save::new("be concise").category("response_style"))
        .await
        .unwrap();
    assert_eq!(again.verdict, Verdict::Unchanged);
}

#[tokio::test]
async fn the_seven_tools_take_the_arguments_of_the_document() {
    let expected: [(&str, &[&str], &[&str]); 7] = [
        ("save_preference", &["content"], &["category", "detail"]),
        (
            "update_preference",
            &["id_or_substring", "new_content"],
            &["detail"],
        ),
        ("forget_preference", &["id_or_substring"], &[]),
        ("confirm_preference", &["id_or_substring"], &[]),
        ("link_preferences", &["from_id", "to_id", "relation"], &[]),
        ("list_preferences", &[], &["category"]),
        ("recall_preferences", &["query"], &["limit"]),
    ];
    advisor(async |_, alice| {
        let session = alice.open_session().await.unwrap();
        let tools = session.tools(ToolShape::Anthropic);
        let names: Vec<&str> = tools
            .iter()
            .filter_map(|tool| tool["name"].as_str())
            .collect();
        assert_eq!(names, expected.map(|(name, ..)| name));
        for (tool, (name, required, optional)) in tools.iter().zip(expected) {
            let schema = &tool["input_schema"];
            let needed: BTreeSet<&str> = schema["required"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect();
            assert_eq!(needed, required.iter().copied().collect(), "{name}");
            for argument in required.iter().chain(optional) {
                assert!(
                    schema["properties"][argument].is_object(),
                    "{name} takes {argument}"
                );
            }
        }
        let categories = &tools[0]["input_schema"]["properties"]["category"]["enum"];
        let expected = json!(["profile", "finance_context", "response_style", "fact"]);
        assert_eq!(*categories, expected);
    })
    .await;
}
