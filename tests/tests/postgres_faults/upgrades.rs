//! Others are upgraded while a store is open, and opening where much is to be done or little is allowed.

use std::time::Duration;

use keepmind::conformance::fixtures::{Scribe, claim, save, vector};
use keepmind::store::postgres::PostgresOptions;
use keepmind::store::{Selection, SessionQuery};
use keepmind::{ErrorKind, PostgresStore};

use crate::{Stage, count, open, run};

#[tokio::test]
async fn a_store_that_others_have_outgrown_writes_nothing_more() {
    let Some(stage) = Stage::shared() else {
        return;
    };
    let store = open(stage.options().index_after(1)).await;
    let mut alice = Scribe::new(&store, "alice");
    alice.note("drinks tea").await;
    let mut stranger = stage.stranger().await;
    for setting in ["terms", "schema"] {
        let (_, planned) = alice.plan(|draft| save(draft, claim("drinks milk"))).await;
        let newer = format!("UPDATE setting SET value = value + 1 WHERE name = '{setting}'");
        run(&mut stranger, &newer).await;
        alice
            .assert_unwritten(planned.clone(), ErrorKind::Newer, "the owner is known")
            .await;
        let mut bob = Scribe::new(&store, "bob");
        let (_, first) = bob.plan(|draft| save(draft, claim("drinks milk"))).await;
        bob.assert_unwritten(first, ErrorKind::Newer, "the owner is new")
            .await;
        let older = format!("UPDATE setting SET value = value - 1 WHERE name = '{setting}'");
        run(&mut stranger, &older).await;
        alice.commit(planned).await.unwrap();
    }
    store.close().await.unwrap();
}

/// A database of the first schema, with an owner in it, is brought along.
#[tokio::test]
async fn an_older_schema_is_brought_along() {
    let Some(stage) = Stage::shared() else {
        return;
    };
    let store = stage.open().await;
    let mut alice = Scribe::new(&store, "alice");
    let tea = alice.note("drinks green tea").await;
    alice.update(&tea, "drinks white tea").await;
    alice.embed(tea.id, "small", vector(&[1.0, 0.0])).await;
    let chat = alice.open_session().await;
    let before = alice.everything().await;
    store.close().await.unwrap();
    let mut stranger = stage.stranger().await;
    run(
        &mut stranger,
        "ALTER TABLE embedding DROP COLUMN has_near; \
         ALTER TABLE session DROP COLUMN active_hour; CREATE INDEX session_recency ON session (owner_id, active_at, id); \
         DROP INDEX memory_ended; ALTER TABLE owner DROP COLUMN last_write, DROP COLUMN revised, DROP COLUMN embedded, \
         DROP COLUMN facts_indexed_through; \
         DROP INDEX memory_origin; CREATE INDEX memory_origin ON memory (owner_id, origin); \
         DELETE FROM setting WHERE name = 'row_security'; UPDATE setting SET value = 1 WHERE name = 'schema'",
    )
    .await;
    alice.store = stage.open().await;
    assert_eq!(alice.everything().await, before);
    let hours = "SELECT count(*) FROM session WHERE active_hour = active_at / 3600000000";
    assert_eq!(count(&mut stranger, hours).await, 1);
    let indexed = "SELECT facts_indexed_through FROM owner";
    assert!(count(&mut stranger, indexed).await > 1, "all are");
    alice.note("drinks milk").await;
    alice.say(chat, "And milk.").await;
    assert_eq!(count(&mut stranger, indexed).await, 1);
    assert_eq!(alice.everything().await.memories().count(), 3);
    for (word, content) in [("white", "drinks white tea"), ("milk", "drinks milk")] {
        assert_eq!(alice.found(word, Selection::All).await, [content]);
    }
    let recent = SessionQuery::recent(9);
    let chats = alice.store.sessions(&alice.owner, &recent).await;
    assert_eq!(chats.unwrap().items.len(), 1);
    alice.store.close().await.unwrap();
}

/// Less than what is waited for here, and more than a statement that waits for nobody takes.
const HASTE: Duration = Duration::from_secs(1);

/// The time-outs are for statements that are short: one that goes through everything takes as long as it needs.
#[tokio::test]
async fn erasing_and_migrating_take_as_long_as_they_need() {
    let Some(stage) = Stage::shared() else {
        return;
    };
    let store = open(stage.options()).await;
    let mut alice = Scribe::new(&store, "alice");
    alice.note("drinks tea").await;
    store.close().await.unwrap();
    let mut stranger = stage.stranger().await;
    // Another process migrates: who comes now waits for it.
    // By itself: in one request with the other it would be part of that transaction, and nobody would see it.
    run(
        &mut stranger,
        "UPDATE setting SET value = value - 1 WHERE name = 'terms'",
    )
    .await;
    run(
        &mut stranger,
        "BEGIN; SELECT pg_advisory_xact_lock(1802333796, hashtext(current_schema()))",
    )
    .await;
    let hasty = stage.options();
    let hasty = hasty.lock_timeout(HASTE).statement_timeout(HASTE);
    let open_hastily = || tokio::spawn(PostgresStore::connect_with(hasty.clone()));
    let mut opening = open_hastily();
    let mut watcher = stage.stranger().await;
    let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'advisory' \
                   AND query_start < clock_timestamp() - interval '1100 milliseconds'";
    while count(&mut watcher, waiting).await == 0 {
        // On a machine that is too busy for such haste, it comes again.
        if opening.is_finished() {
            opening = open_hastily();
        }
        tokio::task::yield_now().await;
    }
    run(&mut stranger, "COMMIT").await;
    opening.await.unwrap().unwrap();

    run(
        &mut stranger,
        "CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(1.2); RETURN NULL; END $$; \
         CREATE TRIGGER linger AFTER DELETE ON memory EXECUTE FUNCTION linger()",
    )
    .await;
    let store = open(stage.options().statement_timeout(HASTE)).await;
    assert!(store.erase(&alice.owner).await.unwrap());
    store.close().await.unwrap();
}

#[tokio::test]
async fn a_role_that_may_only_use_a_schema_can() {
    let Some(stage) = Stage::shared() else {
        return;
    };
    let schema = keepmind_tests::cluster::schema(stage.folder.path());
    let mut stranger = stage.stranger().await;
    let role = format!("user{}", &schema[schema.len() - 20..]);
    run(&mut stranger, &format!("CREATE ROLE {role} LOGIN")).await;
    let options = PostgresOptions::new(&stage.cluster.url_of(&role)).unwrap();
    let options = options.schema(schema.clone()).unwrap();
    let refused = PostgresStore::connect_with(options.clone())
        .await
        .unwrap_err();
    assert_eq!(
        refused.kind(),
        ErrorKind::Unsupported,
        "it may make no schema"
    );
    run(
        &mut stranger,
        &format!("CREATE SCHEMA {schema} AUTHORIZATION {role}"),
    )
    .await;
    let store = open(options).await;
    Scribe::new(&store, "alice").note("drinks tea").await;
    store.close().await.unwrap();
}

#[tokio::test]
async fn a_database_that_cannot_hold_all_text_is_refused() {
    let Some(stage) = Stage::shared() else {
        return;
    };
    let mut stranger = stage.stranger().await;
    run(
        &mut stranger,
        "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0",
    )
    .await;
    let url = stage.cluster.url().replace("/postgres?", "/latin?");
    let refused = PostgresStore::connect(&url).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unsupported);
    assert!(refused.to_string().contains("UTF8"), "{refused}");
}
