//! One user's memory as their clients share it: its chat and its change feed.

use std::sync::Arc;
use std::time::Duration;

use keepmind::{InMemoryStore, Keepmind};
use keepmind_example_mcp::host::Host;
use serde_json::json;

/// So rarely that only a write made here is heard of.
const RARELY: Duration = Duration::from_secs(3_600);

fn keepmind() -> Keepmind {
    Keepmind::builder(Arc::new(InMemoryStore::new()))
        .build()
        .unwrap()
}

#[tokio::test]
async fn a_write_is_told_at_once_and_a_read_is_not() {
    let keepmind = keepmind();
    let host = Host::open(&keepmind, "alice", RARELY).await.unwrap();
    let mut changes = host.changes();
    host.call("list_memories", &json!({})).await.unwrap();
    host.call(
        "save_memory",
        &json!({"content": "The wifi password is Tram-77-olive"}),
    )
    .await
    .unwrap();
    assert!(!changes.has_changed().unwrap());
    host.call("save_memory", &json!({"content": "Plays the cello"}))
        .await
        .unwrap();
    changes.changed().await.unwrap();
    host.close().await.unwrap();
}

#[tokio::test]
async fn what_others_wrote_is_found_by_looking_and_erasing_too() {
    let keepmind = keepmind();
    let host = Host::open(&keepmind, "alice", Duration::from_millis(5))
        .await
        .unwrap();
    let mut changes = host.changes();
    let alice = keepmind.user("alice").unwrap();
    alice.save("Plays the cello").await.unwrap();
    changes.changed().await.unwrap();
    alice.erase().await.unwrap();
    changes.changed().await.unwrap();
    alice.save("Plays the flute").await.unwrap();
    changes.changed().await.unwrap();
    keepmind
        .user("bob")
        .unwrap()
        .save("Plays chess")
        .await
        .unwrap();
    assert!(!changes.has_changed().unwrap());
}

#[tokio::test]
async fn a_chat_that_was_thrown_away_is_not_the_end() {
    let keepmind = keepmind();
    let host = Host::open(&keepmind, "alice", RARELY).await.unwrap();
    host.call("save_memory", &json!({"content": "Plays the cello"}))
        .await
        .unwrap();
    let alice = keepmind.user("alice").unwrap();
    for line in alice.sessions(Default::default()).await.unwrap().sessions {
        let chat = alice.session(line.id).await.unwrap();
        chat.trash().await.unwrap();
        chat.purge().await.unwrap();
    }
    let again = host
        .call("save_memory", &json!({"content": "Plays the flute"}))
        .await
        .unwrap();
    assert!(again.message.starts_with("Saved #2"), "{}", again.message);
    alice.erase().await.unwrap();
    let anew = host
        .call("save_memory", &json!({"content": "Plays the harp"}))
        .await
        .unwrap();
    assert!(anew.message.starts_with("Saved #1"), "{}", anew.message);
    host.close().await.unwrap();
}

#[tokio::test]
async fn a_server_that_runs_for_long_begins_another_chat() {
    let keepmind = keepmind();
    let host = Host::open(&keepmind, "alice", RARELY).await.unwrap();
    for _ in 0..1_001 {
        host.call("list_memories", &json!({})).await.unwrap();
    }
    let alice = keepmind.user("alice").unwrap();
    let chats = alice.sessions(Default::default()).await.unwrap().sessions;
    assert_eq!(chats.len(), 2);
    host.close().await.unwrap();
}
