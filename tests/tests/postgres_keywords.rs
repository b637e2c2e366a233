//! New facts wait for PostgreSQL's keyword index and are put into it together: they are found all the while, by other
//! processes too, and score as in a store where nothing waits. Without PostgreSQL there is nothing to do.

use std::sync::Arc;
use std::time::Duration;

use keepmind::conformance::fixtures::{Scribe, claim, save};
use keepmind::store::postgres::PostgresOptions;
use keepmind::store::{Filter, KeywordQuery, Selection};
use keepmind::{InMemoryStore, Kind, MemoryStore, PostgresStore};
use keepmind_tests::cluster::{self, Cluster};
use sqlx::{Connection as _, PgConnection};
use tempfile::TempDir;

/// Longer than indexing takes on any machine: who waits so long waits in vain.
const LONG: Duration = Duration::from_secs(60);
/// How many facts wait.
const MOST_WAITING: i64 = 16;

struct Stage {
    cluster: &'static Cluster,
    folder: TempDir,
}

impl Stage {
    fn new() -> Option<Self> {
        let folder = tempfile::tempdir().expect("a folder");
        let cluster = cluster::shared()?;
        Some(Stage { cluster, folder })
    }

    fn options(&self) -> PostgresOptions {
        self.cluster.options(self.folder.path()).connections(2)
    }

    async fn open(&self) -> Arc<dyn MemoryStore> {
        let store = PostgresStore::connect_with(self.options()).await;
        Arc::new(store.expect("the server"))
    }

    async fn stranger(&self) -> PgConnection {
        let connection = PgConnection::connect(&self.cluster.url()).await;
        let mut connection = connection.expect("the server");
        let schema = cluster::schema(self.folder.path());
        let path = sqlx::AssertSqlSafe(format!("SET search_path = {schema}"));
        let set = sqlx::raw_sql(path).execute(&mut connection).await;
        set.expect("a path");
        connection
    }
}

async fn number(connection: &mut PgConnection, sql: &'static str) -> i64 {
    let number = sqlx::query_scalar(sql).fetch_one(connection).await;
    number.expect("a number")
}

const THROUGH: &str = "SELECT facts_indexed_through FROM owner";
const INDEXED: &str = "SELECT count(DISTINCT document) FROM posting";

/// What words find: which, and how well it fits.
async fn found(scribe: &Scribe, words: &str) -> Vec<(String, f64)> {
    let query = KeywordQuery::new(words, Filter::new(Selection::All), 100);
    let hits = scribe.store.search(&scribe.owner, &query).await;
    let told = hits.expect("a search").into_iter();
    told.map(|hit| (hit.row.body.claim.content, hit.score))
        .collect()
}

fn fact(place: i64) -> String {
    format!("cup {place} of sort{place} tea")
}

#[tokio::test]
async fn facts_are_found_while_they_wait_and_once_they_are_indexed() {
    let Some(stage) = Stage::new() else {
        return;
    };
    let (store, other) = (stage.open().await, stage.open().await);
    let plain: Arc<dyn MemoryStore> = Arc::new(InMemoryStore::new());
    let mut alice = Scribe::new(&store, "alice");
    let mut expected = Scribe::new(&plain, "alice");
    // What another process has written is in nobody's mind here.
    let elsewhere = Scribe::new(&other, "alice");
    let mut stranger = stage.stranger().await;
    for place in 0..MOST_WAITING - 1 {
        alice.note(&fact(place)).await;
        expected.note(&fact(place)).await;
        for words in [format!("sort{place}"), "tea cup 3".to_owned()] {
            let wanted = found(&expected, &words).await;
            assert_eq!(found(&elsewhere, &words).await, wanted, "{words}");
            assert_eq!(found(&alice, &words).await, wanted, "{words}");
        }
    }
    assert_eq!(number(&mut stranger, INDEXED).await, 0);
    for place in MOST_WAITING - 1..2 * MOST_WAITING {
        alice.note(&fact(place)).await;
        expected.note(&fact(place)).await;
    }
    let indexing = async {
        while number(&mut stranger, THROUGH).await < MOST_WAITING {
            tokio::task::yield_now().await;
        }
    };
    let indexed = tokio::time::timeout(LONG, indexing).await;
    indexed.expect("what waits is indexed");
    // More may come to be indexed meanwhile.
    let missing =
        "SELECT facts_indexed_through - (SELECT count(DISTINCT document) FROM posting) FROM owner";
    assert_eq!(number(&mut stranger, missing).await, 0);
    let wanted = found(&expected, "tea sort20").await;
    assert_eq!(found(&elsewhere, "tea sort20").await, wanted);
    assert_eq!(wanted[0].0, fact(20));
    store.close().await.unwrap();
    other.close().await.unwrap();
}

#[tokio::test]
async fn later_versions_do_not_wait_and_what_is_purged_while_it_waits_is_gone() {
    let Some(stage) = Stage::new() else {
        return;
    };
    let (store, other) = (stage.open().await, stage.open().await);
    let plain: Arc<dyn MemoryStore> = Arc::new(InMemoryStore::new());
    let mut stranger = stage.stranger().await;
    let mut wanted = Vec::new();
    for store in [&plain, &store] {
        let mut alice = Scribe::new(store, "alice");
        let first = alice.note("drinks green tea").await;
        alice.note("drinks milk").await;
        let gone = alice.note("drinks jasmine tea").await;
        alice.update(&first, "drinks white tea").await;
        alice
            .write(|draft| draft.purge(Kind::Memory, gone.id))
            .await;
        let elsewhere = Scribe::new(
            if Arc::ptr_eq(store, &plain) {
                &plain
            } else {
                &other
            },
            "alice",
        );
        let mut answers = Vec::new();
        for words in ["tea", "green", "white", "milk", "jasmine", "drinks"] {
            answers.push(found(&elsewhere, words).await);
        }
        wanted.push(answers);
    }
    assert_eq!(wanted[0], wanted[1]);
    assert_eq!(wanted[1][4], []);
    // The second version alone.
    assert_eq!(number(&mut stranger, INDEXED).await, 1);
    store.close().await.unwrap();
    other.close().await.unwrap();
}

#[tokio::test]
async fn what_comes_in_great_number_does_not_wait() {
    let Some(stage) = Stage::new() else {
        return;
    };
    let store = stage.open().await;
    let mut stranger = stage.stranger().await;
    let many = 2 * MOST_WAITING;
    let mut alice = Scribe::new(&store, "alice");
    alice
        .write(|draft| {
            for place in 0..many {
                save(draft, claim(&fact(place)))?;
            }
            Ok(())
        })
        .await;
    assert_eq!(number(&mut stranger, THROUGH).await, many);
    assert_eq!(number(&mut stranger, INDEXED).await, many);
    // What waits is put into the index with it, but for what the same set takes away.
    let gone = alice.note("cup of no tea").await;
    alice.note(&fact(many)).await;
    alice
        .write(|draft| {
            draft.purge(Kind::Memory, gone.id)?;
            for place in many + 1..2 * many + 1 {
                save(draft, claim(&fact(place)))?;
            }
            Ok(())
        })
        .await;
    assert_eq!(number(&mut stranger, THROUGH).await, 2 * many + 2);
    assert_eq!(number(&mut stranger, INDEXED).await, 2 * many + 1);
    let none: [&str; 0] = [];
    assert_eq!(alice.found("no", Selection::All).await, none);
    for place in [0, many, 2 * many] {
        let sort = format!("sort{place}");
        assert_eq!(alice.found(&sort, Selection::All).await, [fact(place)]);
    }
    store.close().await.unwrap();
}
