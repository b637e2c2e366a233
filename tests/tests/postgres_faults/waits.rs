//! Waiting has an end: for a lock, for a statement, for a connection.

use std::time::Duration;

use keepmind::ErrorKind;
use keepmind::conformance::fixtures::{Scribe, claim, save};

use crate::{Stage, open, run};

/// Long enough for a lock that nobody holds,
const SHORT: Duration = Duration::from_millis(50);
/// and for whatever a busy machine has to do beside.
const LONG: Duration = Duration::from_secs(2);

#[tokio::test]
async fn a_lock_or_a_statement_that_takes_too_long_is_told_as_busy() {
    let Some(stage) = Stage::shared() else {
        return;
    };
    for options in [
        stage.options().lock_timeout(SHORT),
        stage
            .options()
            .lock_timeout(Duration::ZERO)
            .statement_timeout(LONG),
    ] {
        let store = open(options).await;
        let mut alice = Scribe::new(&store, "alice");
        alice.note("drinks tea").await;
        let (_, planned) = alice.plan(|draft| save(draft, claim("drinks milk"))).await;
        let mut stranger = stage.stranger().await;
        run(&mut stranger, "BEGIN; SELECT 1 FROM owner FOR UPDATE").await;
        alice
            .assert_unwritten(planned.clone(), ErrorKind::Busy, "the owner is locked")
            .await;
        let erased = alice.store.erase(&alice.owner).await;
        assert_eq!(erased.unwrap_err().kind(), ErrorKind::Busy);
        run(&mut stranger, "ROLLBACK").await;
        alice.commit(planned).await.unwrap();
        assert!(store.erase(&alice.owner).await.unwrap());
        store.close().await.unwrap();
    }
}

#[tokio::test]
async fn who_waits_too_long_for_a_connection_is_told_so() {
    let Some(stage) = Stage::shared() else {
        return;
    };
    let store = open(stage.options().connections(1).acquire_timeout(LONG)).await;
    let mut alice = Scribe::new(&store, "alice");
    alice.note("drinks tea").await;
    let (_, planned) = alice.plan(|draft| save(draft, claim("drinks milk"))).await;
    let mut stranger = stage.stranger().await;
    run(&mut stranger, "BEGIN; SELECT 1 FROM owner FOR UPDATE").await;
    let writer = {
        let (store, owner) = (store.clone(), alice.owner.clone());
        let planned = planned.clone();
        tokio::spawn(async move {
            store
                .commit(&owner, planned.expected, planned.changes.into())
                .await
        })
    };
    // The writer has the only connection once somebody waits for the stranger's lock.
    let mut other = stage.stranger().await;
    let waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted";
    while crate::count(&mut other, waiting).await == 0 {
        tokio::task::yield_now().await;
    }
    let refused = alice.store.info().await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Busy, "{refused}");
    run(&mut stranger, "ROLLBACK").await;
    writer.await.unwrap().unwrap();
    assert_eq!(alice.everything().await.memories().count(), 2);
    store.close().await.unwrap();
}
