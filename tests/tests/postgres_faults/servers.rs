//! Servers that are not what they should be: read-only, newer, restarted, not there.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use keepmind::conformance::fixtures::{Scribe, claim, save};
use keepmind::store::postgres::PostgresOptions;
use keepmind::store::{Filter, KeywordQuery, MessageSearch, Selection};
use keepmind::{
    ErrorKind, Expected, MemoryStore, NewMessage, PostgresStore, Role, Slice, Utterance,
};
use keepmind_tests::cluster::Cluster;

use crate::{Stage, open, run};

#[tokio::test]
async fn a_read_only_server_is_read_from_and_refuses_to_be_written_to() {
    let Some(cluster) = Cluster::start("") else {
        return;
    };
    let stage = Stage::on(&cluster);
    let store = stage.open().await;
    let mut alice = Scribe::new(&store, "alice");
    alice.note("drinks tea").await;
    store.close().await.unwrap();
    let mut stranger = stage.stranger().await;
    run(
        &mut stranger,
        "ALTER SYSTEM SET default_transaction_read_only = on",
    )
    .await;
    run(&mut stranger, "SELECT pg_reload_conf()").await;

    let readable = async || loop {
        // A new session sees the setting once the server has read it.
        let mut fresh = stage.stranger().await;
        let on = "SELECT count(*) FROM pg_settings WHERE name = 'default_transaction_read_only' AND setting = 'on'";
        if crate::count(&mut fresh, on).await == 1 {
            return;
        }
        tokio::task::yield_now().await;
    };
    readable().await;
    alice.store = stage.open().await;
    let (_, planned) = alice.plan(|draft| save(draft, claim("drinks milk"))).await;
    alice
        .assert_unwritten(
            planned.clone(),
            ErrorKind::Unsupported,
            "the server is read-only",
        )
        .await;
    let erased = alice.store.erase(&alice.owner).await;
    assert_eq!(erased.unwrap_err().kind(), ErrorKind::Unsupported);
    alice.store.close().await.unwrap();

    run(&mut stranger, "SET default_transaction_read_only = off").await;
    run(
        &mut stranger,
        "ALTER SYSTEM RESET default_transaction_read_only",
    )
    .await;
    run(&mut stranger, "SELECT pg_reload_conf()").await;
    loop {
        alice.store = stage.open().await;
        match alice.commit(planned.clone()).await {
            Ok(_) => break,
            Err(error) => assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}"),
        }
        alice.store.close().await.unwrap();
    }
    assert_eq!(alice.everything().await.memories().count(), 2);
    alice.store.close().await.unwrap();
}

#[tokio::test]
async fn a_newer_database_is_refused_and_left_as_it_is() {
    let Some(stage) = Stage::shared() else {
        return;
    };
    stage.open().await.close().await.unwrap();
    let mut stranger = stage.stranger().await;
    for setting in ["schema", "terms"] {
        let newer = format!("UPDATE setting SET value = value + 1000 WHERE name = '{setting}'");
        run(&mut stranger, &newer).await;
        let refused = PostgresStore::connect_with(stage.options()).await;
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::Newer, "{setting}");
        let older = format!("UPDATE setting SET value = value - 1000 WHERE name = '{setting}'");
        run(&mut stranger, &older).await;
    }
    stage.open().await.close().await.unwrap();
}

#[tokio::test]
async fn an_index_of_older_terms_is_made_anew() {
    let Some(stage) = Stage::shared() else {
        return;
    };
    let store = open(stage.options().index_after(4)).await;
    let mut alice = Scribe::new(&store, "alice");
    let session = alice.open_session().await;
    for place in 0..9 {
        alice.note(&format!("Mia: cup {place} of tea")).await;
        alice.say(session, &format!("tea number {place}")).await;
    }
    let found = async |store: &Arc<dyn MemoryStore>| {
        let words = KeywordQuery::new("tea cup 3", Filter::new(Selection::All), 5);
        let said = MessageSearch {
            text: "tea number 3".to_owned(),
            session: None,
            roles: BTreeSet::new(),
            limit: 5,
        };
        (
            store.search(&alice.owner, &words).await.unwrap(),
            store.search_messages(&alice.owner, &said).await.unwrap(),
        )
    };
    let before = found(&store).await;
    store.close().await.unwrap();

    let mut stranger = stage.stranger().await;
    run(
        &mut stranger,
        "UPDATE setting SET value = value - 1 WHERE name = 'terms'; UPDATE posting SET term = term || 'x'; \
         UPDATE owner SET memory_length = 1, message_documents = 1; UPDATE memory SET speaker = NULL",
    )
    .await;
    let store = stage.open().await;
    assert_eq!(found(&store).await, before);
    let told = "SELECT count(*) FROM memory WHERE speaker = 'mia'";
    assert_eq!(crate::count(&mut stranger, told).await, 9);
    store.close().await.unwrap();
}

#[tokio::test]
async fn a_server_that_is_not_there_is_told_of() {
    let Some(stage) = Stage::shared() else {
        return;
    };
    let kind = async |url: &str| {
        let options = PostgresOptions::new(url)?.connect_timeout(Duration::from_secs(5));
        PostgresStore::connect_with(options).await.map(|_| ())
    };
    let told = |outcome: keepmind::Result<()>| outcome.unwrap_err().kind();
    let nobody = stage.cluster.url_at(1);
    assert_eq!(told(kind(&nobody).await), ErrorKind::Io);
    let elsewhere = stage.cluster.url().replace("/postgres?", "/nowhere?");
    assert_eq!(told(kind(&elsewhere).await), ErrorKind::Unsupported);
    assert_eq!(told(kind("memories.db").await), ErrorKind::Invalid);
    let options = PostgresOptions::new(&stage.cluster.url()).unwrap();
    for name in ["", "a\"b", "a; b", "Ä"] {
        let refused = options.clone().schema(name).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Invalid, "{name:?}");
    }
}

/// The server goes down in the middle of everything and comes back: what was acknowledged is there, once.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_server_that_crashes_under_load_loses_nothing_that_was_acknowledged() {
    let Some(mut cluster) = Cluster::start("-c synchronous_commit=on -c fsync=on") else {
        return;
    };
    let store = Stage::on(&cluster).open().await;
    let session = Scribe::new(&store, "alice").open_session().await;
    let is_over = Arc::new(AtomicBool::new(false));
    let mut tasks = Vec::new();
    for task in 0..4_u128 {
        let (store, is_over) = (Arc::clone(&store), Arc::clone(&is_over));
        tasks.push(tokio::spawn(async move {
            let mut scribe = Scribe::new(&store, "alice");
            scribe.ids = keepmind::CountingIds::after((task + 1) << 80);
            let (mut kept, mut unknown) = (Vec::new(), Vec::new());
            let mut write = 0;
            while !is_over.load(Ordering::SeqCst) {
                write += 1;
                let words = format!("task {task} said {write}");
                let mut changes = scribe.unchecked();
                let utterance = Utterance::new(Role::User, words.as_str(), scribe.clock);
                changes.messages.push(NewMessage {
                    session,
                    place: None,
                    utterance,
                });
                match store
                    .commit(&scribe.owner, Expected::Any, changes.clone().into())
                    .await
                {
                    Ok(_) => kept.push(words),
                    Err(error) if error.kind() == ErrorKind::OutcomeUnknown => {
                        unknown.push((words, changes));
                    }
                    Err(_) => {}
                }
            }
            (kept, unknown)
        }));
    }
    let said = async |least: usize| loop {
        let all = store
            .load(
                &keepmind::Owner::new("alice").unwrap(),
                &Slice::everything(),
            )
            .await;
        if all.is_ok_and(|all| all.messages().count() >= least) {
            return;
        }
        tokio::task::yield_now().await;
    };
    said(50).await;
    cluster.tell("stop");
    cluster.tell("start");
    said(100).await;
    is_over.store(true, Ordering::SeqCst);
    let mut kept = BTreeSet::new();
    for task in tasks {
        let (acknowledged, unknown) = task.await.expect("a writer");
        kept.extend(acknowledged);
        for (words, changes) in unknown {
            let alice = keepmind::Owner::new("alice").unwrap();
            let settled = store.commit(&alice, Expected::Any, changes.into()).await;
            settled.expect("the same again settles it");
            kept.insert(words);
        }
    }
    let alice = Scribe::new(&store, "alice");
    let all = alice.everything().await;
    let said: Vec<String> = all
        .messages()
        .map(|message| message.utterance.content.clone())
        .collect();
    let unique: BTreeSet<String> = said.iter().cloned().collect();
    assert_eq!(said.len(), unique.len(), "nothing is said twice");
    assert_eq!(
        unique, kept,
        "what was acknowledged is there, and nothing else"
    );
    store.close().await.unwrap();
}
