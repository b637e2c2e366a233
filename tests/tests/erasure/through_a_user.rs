//! The same through the methods that a host calls, after a life with tools, chats, undo and imports.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use keepmind::command::{Propose, ProposedChange, Save, Update};
use keepmind::export::Import;
use keepmind::testing::{Scripted, ScriptedModel};
use keepmind::{
    Embedder, ImportReport, Keepmind, MemoryStore, Number, Owner, PlugError, Push, Role,
    SqliteStore, UserMemory,
};
use keepmind_tests::host::call;
use serde_json::json;
use tempfile::TempDir;

use crate::occurrences;

#[derive(Debug)]
struct Lengths;

#[async_trait]
impl Embedder for Lengths {
    fn id(&self) -> &str {
        "lengths"
    }

    fn dimensions(&self) -> usize {
        2
    }

    async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, PlugError> {
        let vector = |text: &&str| vec![text.len() as f32, 1.0];
        Ok(texts.iter().map(vector).collect())
    }
}

/// Alice on a file of her own, which holds enough of others' for pages to fill up.
async fn alice() -> (TempDir, Arc<dyn MemoryStore>, UserMemory) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memories.db");
    let store: Arc<dyn MemoryStore> = Arc::new(SqliteStore::open(&path).await.unwrap());
    let keepmind = Keepmind::builder(Arc::clone(&store))
        .embedder(Arc::new(Lengths))
        .build()
        .unwrap();
    let alice = keepmind.user("alice").unwrap();
    for place in 0..40 {
        alice.save(format!("Other fact {place}")).await.unwrap();
    }
    (folder, store, alice)
}

async fn assert_gone(folder: &Path, store: &Arc<dyn MemoryStore>, canary: &str) {
    assert_eq!(occurrences(folder, canary), 0, "while the store is open");
    store.close().await.unwrap();
    assert_eq!(occurrences(folder, canary), 0, "after it was closed");
}

/// Everything that can happen to a fact without the user saying it in a chat.
async fn live_with(alice: &UserMemory, canary: &str) -> Number {
    let mut save = Save::new(format!("User keeps {canary}content"));
    save.summary = Some(format!("{canary}summary"));
    save.detail = Some(format!("{canary}detail ").repeat(200));
    save.key = Some(format!("{canary}key"));
    save.value = Some(json!({"of": [format!("{canary}value")]}));
    save.tags = [format!("{canary}tag")].into();
    let number = alice.save(save).await.unwrap().number.unwrap();
    let update = Update::new(number, format!("User keeps many {canary}content"));
    let token = alice.update(update).await.unwrap().event.unwrap().undo;
    alice.undo(token.unwrap()).await.unwrap();
    alice.redo(token.unwrap()).await.unwrap();
    alice
        .link(number, Number::FIRST, "relates_to")
        .await
        .unwrap();
    let change = Update::new(number, format!("User keeps few {canary}proposed"));
    let propose = Propose::new(
        ProposedChange::Update(Box::new(change)),
        format!("{canary}reasoning"),
    );
    alice.propose(propose).await.unwrap();
    let waiting = alice.pending().await.unwrap();
    alice.reject(waiting[0].id).await.unwrap();
    // A chat is served it, recalls it, and is closed with it in its block.
    let session = alice.open_session().await.unwrap();
    session.push(Push::user("What do I keep?")).await.unwrap();
    call(
        &session,
        "recall_memories",
        json!({"query": format!("{canary}content")}),
    )
    .await;
    let refused =
        json!({"content": format!("User keeps many {canary}content"), "category": "none"});
    call(&session, "save_memory", refused).await;
    session.context("What do I keep?").await.unwrap();
    session.flush().await.unwrap();
    session.close().await.unwrap();
    alice.forget(number).await.unwrap();
    alice.restore(number).await.unwrap();
    number
}

#[tokio::test]
async fn a_fact_that_is_purged_after_a_long_life() {
    const CANARY: &str = "zqxlived";
    let (folder, store, alice) = alice().await;
    let number = live_with(&alice, CANARY).await;
    for marker in [
        "content",
        "summary",
        "detail",
        "key",
        "value",
        "tag",
        "proposed",
        "reasoning",
    ] {
        let found = occurrences(folder.path(), &format!("{CANARY}{marker}"));
        assert!(found > 0, "{marker} must be there to be missed");
    }
    alice.purge(number).await.unwrap();
    let exported = alice.export().await.unwrap();
    assert!(!exported.contains(CANARY), "{exported}");
    assert_gone(folder.path(), &store, CANARY).await;
}

#[tokio::test]
async fn a_fact_that_a_model_joined_with_others() {
    const CANARY: &str = "zqxjoined";
    let (folder, store, _) = alice().await;
    let model = Arc::new(ScriptedModel::failing());
    let keepmind = Keepmind::builder(Arc::clone(&store))
        .model(model.clone())
        .build()
        .unwrap();
    let carol = keepmind.user("carol").unwrap();
    let kept = format!("User keeps {CANARY}");
    carol.save(kept.as_str()).await.unwrap();
    carol.save("User keeps bees").await.unwrap();
    let joined = json!({"digest": "profile", "text": format!("{kept} and bees"), "cites": [1, 2]});
    let answer = json!({"lines": [joined]}).to_string();
    model.follow([Scripted::Answers(answer.clone())]);
    let token = carol.consolidate().await.unwrap().event.unwrap().undo;
    carol.undo(token.unwrap()).await.unwrap();
    model.follow([Scripted::Answers(answer)]);
    carol.consolidate().await.unwrap();
    let session = carol.open_session().await.unwrap();
    session.context("What do I keep?").await.unwrap();
    assert!(occurrences(folder.path(), &format!("{CANARY} and bees")) > 0);
    // Its digest is gone by then, and with it what tells which chats were told the line.
    carol.forget("#1").await.unwrap();
    carol.purge("#1").await.unwrap();
    assert!(carol.export().await.unwrap().contains("User keeps bees"));
    assert_gone(folder.path(), &store, CANARY).await;
}

#[tokio::test]
async fn a_chat_that_is_purged() {
    const CANARY: &str = "zqxchat";
    let (folder, store, alice) = alice().await;
    let session = alice.open_session().await.unwrap();
    for place in 0..30 {
        let mut push = Push::user(format!("What is {CANARY}{place}?"));
        push.hidden = Some(format!("{CANARY}hidden"));
        session.push(push).await.unwrap();
        let answer = Push::new(Role::Assistant, format!("{CANARY} is something"));
        session.push(answer).await.unwrap();
    }
    call(&session, "recall_memories", json!({"query": CANARY})).await;
    session
        .rename(format!("About {CANARY}title"))
        .await
        .unwrap();
    session.close().await.unwrap();
    assert_eq!(alice.search_sessions(CANARY, 5).await.unwrap().len(), 1);
    for marker in ["", "hidden", "title"] {
        assert!(occurrences(folder.path(), &format!("{CANARY}{marker}")) > 0);
    }
    session.purge().await.unwrap();
    assert!(!alice.export().await.unwrap().contains(CANARY));
    assert_gone(folder.path(), &store, CANARY).await;
}

#[tokio::test]
async fn a_user_who_is_erased_with_what_was_imported() {
    const CANARY: &str = "zqxmoved";
    let (_elsewhere, other, bob) = alice().await;
    live_with(&bob, CANARY).await;
    let session = bob.open_session().await.unwrap();
    let said = format!("I live in {CANARY}ville");
    session.push(Push::user(said)).await.unwrap();
    let saved = json!({"content": format!("User lives in {CANARY}ville")});
    call(&session, "save_memory", saved).await;
    let lines = bob.export().await.unwrap();
    other.close().await.unwrap();

    let (folder, store, alice) = alice().await;
    live_with(&alice, &format!("{CANARY}own")).await;
    let import = || Import::new(lines.clone()).of(Owner::new("alice").unwrap());
    let first = alice.import_export(import()).await.unwrap();
    let town = |report: &ImportReport| report.lines.iter().filter_map(|line| line.number).max();
    let taken_back = town(&first).unwrap();
    let token = first.event.unwrap().undo.unwrap();
    alice.undo(token).await.unwrap();
    let stands = town(&alice.import_export(import()).await.unwrap()).unwrap();
    assert!(occurrences(folder.path(), &format!("{CANARY}ville")) > 0);
    // What came in is purged like what was said here, and so is what was taken back.
    alice.purge(taken_back).await.unwrap();
    alice.purge(stands).await.unwrap();
    assert_eq!(occurrences(folder.path(), &format!("{CANARY}ville")), 0);
    assert!(occurrences(folder.path(), CANARY) > 0);
    assert!(alice.erase().await.unwrap());
    assert_gone(folder.path(), &store, CANARY).await;
}
