//! Vectors that a PostgreSQL server compares itself, where it has the extension pgvector: what is found is the same to the
//! last bit, with the extension, without it, and when it comes or goes.
//!
//! Where the server does not have it one line says so, and there is nothing to do; `KEEPMIND_REQUIRE_PGVECTOR=1` makes that
//! a failure.

#[path = "postgres_vectors/answers.rs"]
mod answers;
#[path = "postgres_vectors/changes.rs"]
mod changes;
#[path = "postgres_vectors/roles.rs"]
mod roles;

use std::io::Write as _;
use std::sync::Arc;
use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};

use keepmind::conformance::fixtures::{Scribe, vector};
use keepmind::store::postgres::PostgresOptions;
use keepmind::store::{Filter, Selection, VectorQuery};
use keepmind::{MemoryStore, Owner, PostgresStore, RowId};
use keepmind_tests::cluster::{self, Cluster};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

/// A database of its own, without the extension at first.
struct Stage {
    cluster: &'static Cluster,
    database: String,
}

impl Stage {
    /// In the server of this process, where there is one and it offers the extension.
    async fn new() -> Option<Self> {
        static DATABASES: AtomicU32 = AtomicU32::new(0);
        let cluster = cluster::shared()?;
        let mut admin = PgConnection::connect(&cluster.url())
            .await
            .expect("the server");
        let offered = "SELECT count(*) FROM pg_available_extensions WHERE name = 'vector'";
        if count(&mut admin, offered).await == 0 {
            skip();
            return None;
        }
        let database = format!("vectors_{}", DATABASES.fetch_add(1, Ordering::Relaxed));
        let create = format!("CREATE DATABASE {database} TEMPLATE template0");
        run(&mut admin, &create).await;
        Some(Stage { cluster, database })
    }

    /// The same with the extension in its usual place.
    async fn with_extension() -> Option<Self> {
        let stage = Stage::new().await?;
        stage.run("CREATE EXTENSION vector").await;
        Some(stage)
    }

    fn url_of(&self, role: &str) -> String {
        let url = self.cluster.url_of(role);
        url.replace("/postgres?", &format!("/{}?", self.database))
    }

    fn options(&self) -> PostgresOptions {
        self.options_of("keepmind")
    }

    fn options_of(&self, role: &str) -> PostgresOptions {
        let options = PostgresOptions::new(&self.url_of(role)).expect("a URL");
        options.connections(2)
    }

    /// A store that has been asked nothing yet.
    async fn open(&self) -> Arc<dyn MemoryStore> {
        open(self.options()).await
    }

    async fn admin(&self) -> PgConnection {
        let url = self.url_of("keepmind");
        let mut admin = PgConnection::connect(&url).await.expect("the server");
        run(&mut admin, "SET search_path = keepmind, public").await;
        admin
    }

    /// Does something behind the stores' backs.
    async fn run(&self, sql: &str) {
        run(&mut self.admin().await, sql).await;
    }

    async fn count(&self, sql: &str) -> i64 {
        count(&mut self.admin().await, sql).await
    }

    async fn has_column(&self) -> bool {
        let columns = "SELECT count(*) FROM information_schema.columns WHERE table_name = 'embedding' AND column_name = 'near'";
        self.count(columns).await == 1
    }
}

fn skip() {
    static ONCE: Once = Once::new();
    let is_required = std::env::var("KEEPMIND_REQUIRE_PGVECTOR").as_deref() == Ok("1");
    assert!(
        !is_required,
        "pgvector is required, and the server has it not"
    );
    // Not by a macro: those are only heard of tests that fail.
    let line = "skipped: the tests on pgvector, which the server has not\n";
    ONCE.call_once(|| {
        std::io::stderr().write_all(line.as_bytes()).ok();
    });
}

async fn open(options: PostgresOptions) -> Arc<dyn MemoryStore> {
    let store = PostgresStore::connect_with(options).await;
    Arc::new(store.expect("the server"))
}

async fn run(connection: &mut PgConnection, sql: &str) {
    let done = sqlx::raw_sql(AssertSqlSafe(sql.to_owned()))
        .execute(connection)
        .await;
    done.unwrap_or_else(|error| panic!("{sql}: {error}"));
}

async fn count(connection: &mut PgConnection, sql: &str) -> i64 {
    sqlx::query_scalar(AssertSqlSafe(sql.to_owned()))
        .fetch_one(connection)
        .await
        .expect("a count")
}

/// Three facts, from the one that points ahead to the one that points aside.
async fn three(store: &Arc<dyn MemoryStore>) -> (Scribe, [RowId; 3]) {
    let mut alice = Scribe::new(store, "alice");
    let mut ids = Vec::new();
    for (content, numbers) in [
        ("ahead", [1.0, 0.0]),
        ("beside", [0.8, 0.6]),
        ("aside", [0.0, 1.0]),
    ] {
        let row = alice.note(content).await;
        alice.embed(row.id, "small", vector(&numbers)).await;
        ids.push(row.id);
    }
    (alice, ids.try_into().expect("three"))
}

/// What lies ahead, by the store's reckoning.
async fn ahead(store: &Arc<dyn MemoryStore>, owner: &Owner) -> String {
    let query = VectorQuery {
        embedder: "small".to_owned(),
        vector: vector(&[1.0, 0.0]),
        filter: Filter::new(Selection::All),
        limit: 1,
    };
    let hits = store
        .search_vectors(owner, &query)
        .await
        .expect("an answer");
    hits[0].row.body.claim.content.clone()
}

/// Turns around the fact that points ahead, in the column that the server compares alone: who answers by that does not
/// find it ahead.
const TURN: &str = "UPDATE embedding SET near = '[-1,0]' FROM memory \
                    WHERE memory.id = embedding.memory AND memory.record LIKE '%\"ahead\"%'";

/// On such a server all other tests are with the extension too.
#[tokio::test]
async fn the_server_of_the_tests_has_the_extension() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let url = stage.cluster.url();
    let mut admin = PgConnection::connect(&url).await.expect("the server");
    let installed = "SELECT count(*) FROM pg_extension WHERE extname = 'vector'";
    assert_eq!(count(&mut admin, installed).await, 1);
}
