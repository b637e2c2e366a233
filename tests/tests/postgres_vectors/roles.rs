//! Who may use the extension, and who may not: neither costs more than the use of it.

use crate::{Stage, TURN, ahead, open, three};

/// A schema and a role for it.
async fn role(stage: &Stage) -> (String, &'static str) {
    let role = format!("role_{}", stage.database);
    let make = format!("CREATE ROLE {role} LOGIN; CREATE SCHEMA own AUTHORIZATION {role}");
    stage.run(&make).await;
    (role, "own")
}

#[tokio::test]
async fn with_row_security_the_server_measures_one_owners_vectors() {
    let Some(stage) = Stage::with_extension().await else {
        return;
    };
    let (role, schema) = role(&stage).await;
    let options = stage.options_of(&role).schema(schema).unwrap();
    let options = options.row_security(true);
    let store = open(options.clone()).await;
    let (alice, _) = three(&store).await;
    let mut bob = keepmind::conformance::fixtures::Scribe::new(&store, "bob");
    let row = bob.note("ahead as well").await;
    let straight = keepmind::conformance::fixtures::vector(&[1.0, 0.0]);
    bob.embed(row.id, "small", straight).await;
    stage
        .run(&format!("SET search_path = {schema}, public; {TURN}"))
        .await;
    let cold = open(options).await;
    assert_eq!(ahead(&cold, &alice.owner).await, "beside");
    assert_eq!(ahead(&cold, &alice.owner).await, "ahead");
    assert_eq!(ahead(&cold, &bob.owner).await, "ahead as well");
}

#[tokio::test]
async fn a_role_that_may_not_change_tables_or_use_the_extension_goes_without() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let (role, schema) = role(&stage).await;
    stage.open().await;
    let user = format!("user_{}", stage.database);
    stage
        .run(&format!(
            "CREATE ROLE {user} LOGIN; GRANT USAGE ON SCHEMA keepmind TO {user}; \
             GRANT ALL ON ALL TABLES IN SCHEMA keepmind TO {user}; \
             CREATE SCHEMA hidden; CREATE EXTENSION vector SCHEMA hidden"
        ))
        .await;
    // The tables belong to somebody else.
    let using = open(stage.options_of(&user)).await;
    let (alice, _) = three(&using).await;
    assert_eq!(ahead(&using, &alice.owner).await, "ahead");
    assert!(!stage.has_column().await);
    // The tables are its own, the extension is not.
    let own = open(stage.options_of(&role).schema(schema).unwrap()).await;
    let (carol, _) = three(&own).await;
    assert_eq!(ahead(&own, &carol.owner).await, "ahead");
    assert!(!stage.has_column().await);

    // Who may adds the column; who may not use it writes on, and what both may use is used by both.
    let owner = stage.open().await;
    assert!(stage.has_column().await);
    drop(owner);
    assert_eq!(
        ahead(&open(stage.options_of(&user)).await, &alice.owner).await,
        "ahead"
    );
    stage
        .run(&format!("GRANT USAGE ON SCHEMA hidden TO {user}"))
        .await;
    let allowed = open(stage.options_of(&user)).await;
    stage
        .run(&format!("REVOKE USAGE ON SCHEMA hidden FROM {user}"))
        .await;
    let mut dave = keepmind::conformance::fixtures::Scribe::new(&allowed, "dave");
    let row = dave.note("ahead").await;
    let straight = keepmind::conformance::fixtures::vector(&[1.0, 0.0]);
    dave.embed(row.id, "small", straight).await;
    assert_eq!(ahead(&allowed, &dave.owner).await, "ahead");
}

/// Adding the column waits for whoever uses the table, but not for long: it can be added another time.
#[tokio::test]
async fn a_column_that_cannot_be_added_now_is_added_later() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let (alice, _) = three(&stage.open().await).await;
    stage.run("CREATE EXTENSION vector").await;
    let mut reader = stage.admin().await;
    crate::run(&mut reader, "BEGIN; SELECT count(*) FROM embedding").await;
    assert_eq!(ahead(&stage.open().await, &alice.owner).await, "ahead");
    assert!(!stage.has_column().await);
    crate::run(&mut reader, "ROLLBACK").await;
    stage.open().await;
    assert!(stage.has_column().await);
}

/// Many processes start at once: one adds the column, and all use it.
#[tokio::test]
async fn many_stores_that_connect_at_once_agree() {
    let Some(stage) = Stage::with_extension().await else {
        return;
    };
    let opening = (0..8).map(|_| tokio::spawn(open(stage.options())));
    let mut stores = Vec::new();
    for opening in opening.collect::<Vec<_>>() {
        stores.push(opening.await.unwrap());
    }
    let (alice, _) = three(&stores[0]).await;
    stage.run(TURN).await;
    for store in &stores[1..] {
        assert_eq!(ahead(store, &alice.owner).await, "beside");
    }
}
