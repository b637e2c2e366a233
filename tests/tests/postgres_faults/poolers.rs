//! A pooler that hands each transaction to another connection of its own.

use std::str::FromStr as _;
use std::time::Duration;

use keepmind::conformance::fixtures::Scribe;
use keepmind_tests::cluster::Cluster;
use keepmind_tests::pooler;
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, Row as _};

use crate::writers::{storm_on, tables_once_with};
use crate::{Stage, open, run};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_writers_behind_a_pooler_lose_nothing() {
    let (Some(stage), Some(pooler)) = (Stage::shared(), pooler::shared()) else {
        return;
    };
    let options = pooler.options(stage.folder.path()).connections(4);
    tables_once_with(&options, "alice").await;
    let stores = [open(options.clone()).await, open(options).await];
    storm_on(stores, "bob").await;
}

/// Nothing that one client has set is there for the next: all of it is for a transaction.
#[tokio::test]
async fn a_pooler_is_left_as_it_was() {
    let (Some(stage), Some(pooler)) = (Stage::shared(), pooler::shared()) else {
        return;
    };
    let options = pooler.options(stage.folder.path());
    let store = open(options.lock_timeout(Duration::from_millis(1234))).await;
    let mut alice = Scribe::new(&store, "alice");
    alice.note("drinks tea").await;
    alice.everything().await;
    let options = PgConnectOptions::from_str(&pooler.url()).unwrap();
    let mut through = options.extra_float_digits(None).connect().await.unwrap();
    for _ in 0..10 {
        let left = "SELECT (SELECT count(*) FROM pg_settings WHERE name = 'lock_timeout' AND setting = '1234' \
                    OR name = 'search_path' AND setting = 'pg_catalog') + (SELECT count(*) FROM pg_prepared_statements)";
        let rows = sqlx::raw_sql(left).fetch_all(&mut through).await.unwrap();
        let left: i64 = rows[0].try_get(0).unwrap();
        assert_eq!(left, 0);
    }
    store.close().await.unwrap();
}

/// Without what a connection is told at its start, the server's usual isolation is left: transactions name theirs.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_strict_server_is_no_matter_without_options_either() {
    let Some(cluster) = Cluster::start("-c default_transaction_isolation=serializable") else {
        return;
    };
    let stage = Stage::on(&cluster);
    let options = stage.unprepared().connections(4);
    tables_once_with(&options, "alice").await;
    let stores = [open(options.clone()).await, open(options).await];
    storm_on(stores, "bob").await;
    let mut stranger = stage.stranger().await;
    run(
        &mut stranger,
        "UPDATE setting SET value = value - 1 WHERE name = 'terms'",
    )
    .await;
    tables_once_with(&stage.unprepared(), "carol").await;
}
