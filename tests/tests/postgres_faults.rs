//! What can go wrong between a store and a PostgreSQL server, and what is left of it: OK means that it is stored,
//! an error that nothing changed, and an unknown outcome is settled by doing the same again.
//!
//! The hazards are those that were measured of the driver: see each test. Without PostgreSQL there is nothing to do.

#[path = "postgres_faults/cuts.rs"]
mod cuts;
#[path = "postgres_faults/poolers.rs"]
mod poolers;
#[path = "postgres_faults/security.rs"]
mod security;
#[path = "postgres_faults/servers.rs"]
mod servers;
#[path = "postgres_faults/silence.rs"]
mod silence;
#[path = "postgres_faults/upgrades.rs"]
mod upgrades;
#[path = "postgres_faults/waits.rs"]
mod waits;
#[path = "postgres_faults/writers.rs"]
mod writers;
#[path = "postgres_faults/yesterday.rs"]
mod yesterday;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use keepmind::store::postgres::PostgresOptions;
use keepmind::{MemoryStore, PostgresStore};
use keepmind_tests::cluster::{self, Cluster};
use sqlx::{Connection as _, PgConnection};
use tempfile::TempDir;

/// A schema of its own in a server, and somebody who can stand in the store's way.
struct Stage<'a> {
    cluster: &'a Cluster,
    folder: TempDir,
}

impl Stage<'static> {
    /// In the server of this process, where there is one.
    fn shared() -> Option<Self> {
        Some(Stage::on(cluster::shared()?))
    }
}

impl<'a> Stage<'a> {
    fn on(cluster: &'a Cluster) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        Stage { cluster, folder }
    }

    fn options(&self) -> PostgresOptions {
        self.cluster.options(self.folder.path()).connections(4)
    }

    /// The same, reached through another port.
    fn options_at(&self, port: u16) -> PostgresOptions {
        let options = PostgresOptions::new(&self.cluster.url_at(port)).expect("a URL");
        let schema = cluster::schema(self.folder.path());
        options.schema(schema).expect("a name").connections(2)
    }

    /// The same, as behind a pooler: nothing is prepared, and a connection is told nothing at its start.
    fn unprepared(&self) -> PostgresOptions {
        self.unprepared_at(self.cluster.port())
    }

    fn unprepared_at(&self, port: u16) -> PostgresOptions {
        let url = format!("{}&statement-cache-capacity=0", self.cluster.url_at(port));
        let options = PostgresOptions::new(&url).expect("a URL");
        let schema = cluster::schema(self.folder.path());
        options.schema(schema).expect("a name")
    }

    async fn open(&self) -> Arc<dyn MemoryStore> {
        open(self.options()).await
    }

    /// A connection of somebody else's, in the same schema.
    async fn stranger(&self) -> PgConnection {
        self.stranger_as("keepmind").await
    }

    /// The same with another role.
    async fn stranger_as(&self, role: &str) -> PgConnection {
        let mut connection = PgConnection::connect(&self.cluster.url_of(role))
            .await
            .expect("the server");
        let schema = cluster::schema(self.folder.path());
        let path = format!("SET search_path = {schema}");
        run(&mut connection, &path).await;
        connection
    }
}

async fn open(options: PostgresOptions) -> Arc<dyn MemoryStore> {
    let store = PostgresStore::connect_with(options).await;
    Arc::new(store.expect("the server"))
}

async fn run(connection: &mut PgConnection, sql: &str) {
    sqlx::raw_sql(sqlx::AssertSqlSafe(sql.to_owned()))
        .execute(connection)
        .await
        .expect("a statement");
}

async fn count(connection: &mut PgConnection, sql: &str) -> i64 {
    sqlx::query_scalar(sqlx::AssertSqlSafe(sql.to_owned()))
        .fetch_one(connection)
        .await
        .expect("a count")
}

/// What is shown in `docs/FAULTS.md` is what is tested, and all of it.
#[test]
fn every_fault_is_in_the_table() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut tested = BTreeSet::new();
    for file in fs::read_dir(root.join("tests/postgres_faults")).expect("the folder of these tests")
    {
        let source = fs::read_to_string(file.expect("a file").path()).expect("a source");
        let parts = source.split("#[tokio::test").skip(1);
        let names = parts.filter_map(|part| part.split_once("async fn ")?.1.split_once('('));
        tested.extend(names.map(|(name, _)| name.to_owned()));
    }
    let table = fs::read_to_string(root.join("../docs/FAULTS.md")).expect("the table");
    let rows = table.lines().filter_map(|line| line.strip_suffix("` |"));
    let named = rows.filter_map(|row| row.rsplit_once('`'));
    let named: BTreeSet<String> = named.map(|(_, name)| name.to_owned()).collect();
    assert_eq!(named, tested);
}
