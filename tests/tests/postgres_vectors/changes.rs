//! The extension comes and goes, and processes that know of it write beside others that do not.

use std::sync::Arc;

use keepmind::conformance::fixtures::{Scribe, vector};
use keepmind::store::postgres::PostgresOptions;
use keepmind::{EmbeddingChange, EmbeddingKey, Kind};

use crate::{Stage, TURN, ahead, open, three};

const WITH_NEAR: &str = "SELECT count(*) FROM embedding WHERE has_near AND near IS NOT NULL";

/// As soon as there is one vector that the server cannot compare, it is not asked.
#[tokio::test]
async fn what_is_not_in_the_column_is_found_all_the_same() {
    for missing in ["has_near = false", "near = NULL"] {
        let Some(stage) = Stage::with_extension().await else {
            return;
        };
        let (alice, _) = three(&stage.open().await).await;
        stage.run(TURN).await;
        let turned =
            "FROM memory WHERE memory.id = embedding.memory AND memory.record LIKE '%\"aside\"%'";
        stage
            .run(&format!("UPDATE embedding SET {missing} {turned}"))
            .await;
        assert_eq!(ahead(&stage.open().await, &alice.owner).await, "ahead");
    }
}

/// What was there before it was installed stays where it was; a process that began before it was does not know of it.
#[tokio::test]
async fn an_extension_that_comes_is_used_by_who_comes_after() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let before = stage.open().await;
    let (mut alice, [first, second, _]) = three(&before).await;
    assert!(!stage.has_column().await);
    stage.run("CREATE EXTENSION vector").await;
    let after = stage.open().await;
    assert!(stage.has_column().await);
    assert_eq!(ahead(&after, &alice.owner).await, "ahead");
    assert_eq!(stage.count(WITH_NEAR).await, 0);

    // All are set anew, so that the server can compare them; then one by whoever does not know.
    let all = alice.everything().await;
    alice.store = Arc::clone(&after);
    let mut set = alice.unchecked();
    for (key, vector) in all.embeddings() {
        let vector = EmbeddingChange::Set(vector.clone());
        set.embeddings.insert(key.clone(), vector);
    }
    alice.put(set).await;
    assert_eq!(stage.count(WITH_NEAR).await, 3);
    alice.store = Arc::clone(&before);
    alice.embed(first, "small", vector(&[-1.0, 0.0])).await;
    assert_eq!(stage.count(WITH_NEAR).await, 2);
    assert_eq!(ahead(&stage.open().await, &alice.owner).await, "beside");
    // The same in another length, which could not even be compared.
    alice.embed(first, "small", vector(&[1.0])).await;
    alice.store = Arc::clone(&after);
    alice.embed(second, "small", vector(&[0.0, 0.0, 1.0])).await;
    assert_eq!(ahead(&stage.open().await, &alice.owner).await, "aside");
}

/// Whatever a store is about to do when it goes, it is done without.
#[tokio::test]
async fn an_extension_that_goes_is_done_without() {
    for is_pooled in [false, true] {
        let Some(stage) = Stage::with_extension().await else {
            return;
        };
        let options = || match is_pooled {
            true => {
                let url = format!("{}&statement-cache-capacity=0", stage.url_of("keepmind"));
                PostgresOptions::new(&url).unwrap()
            }
            false => stage.options(),
        };
        let (writer, reader) = (open(options()).await, open(options()).await);
        let (mut alice, [first, ..]) = three(&writer).await;
        assert_eq!(ahead(&reader, &alice.owner).await, "ahead");
        assert_eq!(stage.count(WITH_NEAR).await, 3);
        stage.run("DROP EXTENSION vector CASCADE").await;
        assert!(!stage.has_column().await);
        // Two owners at once, of whom one notices after the other.
        let mut bob = Scribe::new(&writer, "bob");
        let row = bob.note("drinks tea").await;
        tokio::join!(
            bob.embed(row.id, "small", vector(&[1.0, 0.0])),
            alice.embed(first, "small", vector(&[0.9, 0.1]))
        );
        assert_eq!(ahead(&reader, &alice.owner).await, "ahead");
        assert_eq!(ahead(&writer, &alice.owner).await, "ahead");
        assert_eq!(ahead(&reader, &bob.owner).await, "drinks tea");

        // It comes again: nothing of what was there is.
        stage.run("CREATE EXTENSION vector").await;
        let again = stage.open().await;
        assert_eq!(ahead(&again, &alice.owner).await, "ahead");
        alice.embed(first, "small", vector(&[0.7, 0.7])).await;
        assert_eq!(ahead(&again, &alice.owner).await, "beside");
        assert_eq!(stage.count(WITH_NEAR).await, 0);
        let carol = Scribe::new(&again, "carol");
        three_of(carol).await;
        assert_eq!(stage.count(WITH_NEAR).await, 1);
    }
}

async fn three_of(mut scribe: Scribe) {
    let row = scribe.note("drinks milk").await;
    scribe.embed(row.id, "small", vector(&[1.0, 0.0])).await;
}

/// It can be put elsewhere while stores are open.
#[tokio::test]
async fn an_extension_that_moves_is_done_without_until_a_store_connects() {
    let Some(stage) = Stage::with_extension().await else {
        return;
    };
    let store = stage.open().await;
    let (mut alice, [first, ..]) = three(&store).await;
    stage
        .run("CREATE SCHEMA \"Else\"; ALTER EXTENSION vector SET SCHEMA \"Else\"")
        .await;
    alice.embed(first, "small", vector(&[0.9, 0.1])).await;
    assert_eq!(stage.count(WITH_NEAR).await, 2);
    alice.store = stage.open().await;
    alice.embed(first, "small", vector(&[1.0, 0.0])).await;
    assert_eq!(stage.count(WITH_NEAR).await, 3);
    stage.run("SET search_path = keepmind, \"Else\"; UPDATE embedding SET near = '[-1,0]' WHERE near <#> '[1,0]' = -1").await;
    assert_eq!(ahead(&stage.open().await, &alice.owner).await, "beside");
}

/// What is removed, purged and erased is gone from the column with its row.
#[tokio::test]
async fn nothing_is_left_in_the_column() {
    let Some(stage) = Stage::with_extension().await else {
        return;
    };
    let store = stage.open().await;
    let (mut alice, [first, second, _]) = three(&store).await;
    let mut set = alice.unchecked();
    let key = EmbeddingKey {
        memory: first,
        embedder: "small".to_owned(),
    };
    set.embeddings.insert(key, EmbeddingChange::Remove);
    alice.put(set).await;
    alice.write(|draft| draft.purge(Kind::Memory, second)).await;
    assert_eq!(stage.count("SELECT count(*) FROM embedding").await, 1);
    assert_eq!(ahead(&stage.open().await, &alice.owner).await, "aside");
    assert!(store.erase(&alice.owner).await.unwrap());
    assert_eq!(stage.count("SELECT count(*) FROM embedding").await, 0);
}
