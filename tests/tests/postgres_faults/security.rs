//! Row-level security: what a role that goes around the library sees of owners.

use keepmind::conformance::fixtures::Scribe;
use keepmind::store::postgres::PostgresOptions;
use keepmind::{Body, Link, Number};
use keepmind_tests::cluster;
use sqlx::PgConnection;

use crate::{Stage, count, open, run};

/// A role of its own that may do everything in the stage's schema, and nothing that a superuser may.
async fn role(stage: &Stage<'_>) -> (String, PostgresOptions) {
    let schema = cluster::schema(stage.folder.path());
    let role = format!("role{}", &schema[schema.len() - 20..]);
    let mut admin = stage.stranger().await;
    run(
        &mut admin,
        &format!("CREATE ROLE {role} LOGIN; CREATE SCHEMA {schema} AUTHORIZATION {role}"),
    )
    .await;
    let options = PostgresOptions::new(&stage.cluster.url_of(&role)).unwrap();
    let options = options.schema(schema).unwrap().connections(4);
    (role, options)
}

/// How many rows of each table somebody sees.
async fn seen(connection: &mut PgConnection) -> Vec<(&'static str, i64)> {
    let mut seen = Vec::new();
    for table in [
        "owner",
        "memory",
        "fact",
        "link",
        "journal",
        "operation",
        "posting",
        "session",
        "message",
    ] {
        let rows = count(connection, &format!("SELECT count(*) FROM {table}")).await;
        seen.push((table, rows));
    }
    seen
}

#[tokio::test]
async fn a_role_that_goes_around_the_library_sees_one_owner_or_none() {
    let Some(stage) = Stage::shared() else {
        return;
    };
    let (role, options) = role(&stage).await;
    let store = open(options.clone().row_security(true)).await;
    for (name, facts) in [("alice", 2), ("bob", 3)] {
        let mut scribe = Scribe::new(&store, name);
        let session = scribe.open_session().await;
        scribe.say(session, "I drink tea").await;
        for place in 0..facts {
            scribe.note(&format!("cup {place} of tea")).await;
        }
        // A later version is in the keyword index at once, and what is linked in the table of facts.
        let spilt = scribe.note("a cup of milk").await;
        let full = scribe.update(&spilt, "a cup of coffee").await;
        scribe
            .write(|draft| {
                let link = Link {
                    from: full.body.number,
                    to: Number::FIRST,
                    relation: "supports".to_owned(),
                };
                draft.insert(Body::Link(link))
            })
            .await;
    }
    assert_eq!(store.info().await.unwrap().owners, 2);
    assert_eq!(store.owners(None, 10).await.unwrap().len(), 2);

    let mut around = stage.stranger_as(&role).await;
    assert!(seen(&mut around).await.iter().all(|(_, rows)| *rows == 0));
    let mut admin = stage.stranger().await;
    let id = async |admin: &mut PgConnection, name: &str| -> String {
        let sql = format!("SELECT id::text FROM owner WHERE name = '{name}'");
        let id = sqlx::query_scalar(sqlx::AssertSqlSafe(sql))
            .fetch_one(admin)
            .await;
        id.expect("an owner")
    };
    let (alice, bob) = (id(&mut admin, "alice").await, id(&mut admin, "bob").await);
    run(
        &mut around,
        &format!("BEGIN; SET LOCAL keepmind.owner = '{alice}'"),
    )
    .await;
    let own = seen(&mut around).await;
    assert!(
        own.contains(&("owner", 1)) && own.contains(&("memory", 4)),
        "{own:?}"
    );
    assert!(own.iter().all(|(_, rows)| *rows > 0), "{own:?}");
    let others = format!("SELECT count(*) FROM memory WHERE owner_id <> '{alice}'");
    assert_eq!(count(&mut around, &others).await, 0);
    run(&mut around, &format!("DELETE FROM posting WHERE owner_id = '{bob}'; UPDATE owner SET name = 'x' WHERE id = '{bob}'")).await;
    let stolen = format!("UPDATE fact SET owner_id = '{bob}'");
    let refused = sqlx::raw_sql(sqlx::AssertSqlSafe(stolen))
        .execute(&mut around)
        .await;
    assert!(refused.is_err(), "no row is put to another owner");
    run(&mut around, "ROLLBACK").await;
    // What was set has ended, and is empty now: again nothing is seen.
    assert!(seen(&mut around).await.iter().all(|(_, rows)| *rows == 0));
    store.close().await.unwrap();
}

/// Whoever opens the database later is held to it as well, asked for or not; also an index is made anew under it.
#[tokio::test]
async fn it_stays_on() {
    let Some(stage) = Stage::shared() else {
        return;
    };
    let (role, options) = role(&stage).await;
    let store = open(options.clone()).await;
    let mut alice = Scribe::new(&store, "alice");
    alice.note("drinks tea").await;
    let before = alice.everything().await;
    store.close().await.unwrap();
    open(options.clone().row_security(true))
        .await
        .close()
        .await
        .unwrap();
    let mut admin = stage.stranger().await;
    run(
        &mut admin,
        "UPDATE setting SET value = value - 1 WHERE name = 'terms'; DELETE FROM posting",
    )
    .await;
    alice.store = open(options).await;
    assert_eq!(alice.everything().await, before);
    let all = keepmind::store::Selection::All;
    assert_eq!(alice.found("tea", all).await, ["drinks tea"]);
    alice.note("drinks milk").await;
    let mut around = stage.stranger_as(&role).await;
    assert!(seen(&mut around).await.iter().all(|(_, rows)| *rows == 0));
    alice.store.close().await.unwrap();
}
