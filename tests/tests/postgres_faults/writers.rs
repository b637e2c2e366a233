//! Many writers: nothing is lost, nothing is written twice, and no transaction stays behind.

use std::collections::BTreeSet;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use keepmind::conformance::fixtures::{Scribe, claim, save};
use keepmind::store::postgres::PostgresOptions;
use keepmind::store::{Filter, ListQuery, Selection};
use keepmind::{ErrorKind, Expected, MemoryStore, NewMessage, Role, Slice, Utterance};
use keepmind_tests::cluster::{self, Cluster};

use crate::{Stage, count, run};

const TASKS: usize = 8;
const WRITES: usize = 20;

/// A caller gives up at any moment. The driver loses a BEGIN of which it was not waited for the answer, and whatever
/// runs there next sits in a transaction that nobody commits; the library's tasks are never given up.
#[tokio::test]
async fn callers_that_give_up_leave_no_transaction_behind() {
    let Some(stage) = Stage::shared() else {
        return;
    };
    let store = stage.open().await;
    let mut alice = Scribe::new(&store, "alice");
    let session = alice.open_session().await;
    let mut kept = BTreeSet::new();
    let owner = alice.owner.clone();
    let query = ListQuery {
        filter: Filter::new(Selection::All),
        limit: 3,
        after: None,
    };
    for polls in 0..120 {
        let mut given_up = pin!(store.list(&owner, &query));
        for _ in 0..polls % 7 {
            let asked = |context: &mut Context<'_>| Poll::Ready(given_up.as_mut().poll(context));
            if poll_fn(asked).await.is_ready() {
                break;
            }
            tokio::task::yield_now().await;
        }
        kept.insert(alice.say(session, "tea please").await.ordinal);
    }
    // Another process sees all that was acknowledged.
    let elsewhere = stage.open().await;
    let seen = elsewhere.load(&alice.owner, &Slice::everything()).await;
    let seen: BTreeSet<_> = seen.unwrap().messages().map(|said| said.ordinal).collect();
    assert_eq!(seen, kept);
    elsewhere.close().await.unwrap();
    store.close().await.unwrap();
    let mut stranger = stage.stranger().await;
    let schema = cluster::schema(stage.folder.path());
    let open = format!(
        "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%' \
         AND xact_start < now() - interval '5 seconds' AND query LIKE '%{schema}%'"
    );
    assert_eq!(count(&mut stranger, &open).await, 0);
}

/// After an error the driver's COMMIT answers OK and stores nothing: so nothing is committed after one.
#[tokio::test]
async fn what_fails_inside_a_transaction_is_never_acknowledged() {
    let Some(stage) = Stage::shared() else {
        return;
    };
    let store = stage.open().await;
    let mut alice = Scribe::new(&store, "alice");
    alice.note("drinks tea").await;
    let mut stranger = stage.stranger().await;
    run(
        &mut stranger,
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$; \
         CREATE TRIGGER refuse BEFORE INSERT OR DELETE ON memory EXECUTE FUNCTION refuse()",
    )
    .await;
    let (_, planned) = alice.plan(|draft| save(draft, claim("drinks milk"))).await;
    alice
        .assert_unwritten(planned.clone(), ErrorKind::Io, "the server refuses it")
        .await;
    let before = alice.everything().await;
    let erased = store.erase(&alice.owner).await;
    assert_eq!(erased.unwrap_err().kind(), ErrorKind::Io);
    assert_eq!(alice.everything().await, before);
    run(&mut stranger, "DROP TRIGGER refuse ON memory").await;
    alice.commit(planned).await.unwrap();
    assert_eq!(alice.everything().await.memories().count(), 2);
    assert!(store.erase(&alice.owner).await.unwrap());
    assert_eq!(alice.everything().await.memories().count(), 0);
    store.close().await.unwrap();
}

#[tokio::test]
async fn a_plan_that_another_process_overtook_conflicts() {
    let Some(stage) = Stage::shared() else {
        return;
    };
    let (one, other) = (stage.open().await, stage.open().await);
    let mut alice = Scribe::new(&one, "alice");
    let row = alice.note("drinks tea").await;
    let (_, stale) = alice.plan(|draft| save(draft, claim("drinks milk"))).await;
    let mut elsewhere = Scribe::new(&other, "alice");
    elsewhere.clock = alice.clock;
    elsewhere.ids = keepmind::CountingIds::after(1 << 70);
    elsewhere.update(&row, "drinks coffee").await;
    alice
        .assert_unwritten(stale, ErrorKind::Conflict, "another process was faster")
        .await;
    one.close().await.unwrap();
    other.close().await.unwrap();
}

/// Messages and facts from many tasks on two stores, as from two processes.
async fn storm(stage: &Stage<'_>) {
    storm_on([stage.open().await, stage.open().await], "alice").await;
}

pub(crate) async fn storm_on(stores: [Arc<dyn MemoryStore>; 2], name: &'static str) {
    let mut first = Scribe::new(&stores[0], name);
    let session = first.open_session().await;
    let mut tasks = Vec::new();
    for task in 0..TASKS {
        let store = Arc::clone(&stores[task % 2]);
        tasks.push(tokio::spawn(async move {
            let mut scribe = Scribe::new(&store, name);
            scribe.ids = keepmind::CountingIds::after((task as u128 + 1) << 80);
            for write in 0..WRITES {
                let mut changes = scribe.unchecked();
                let words = format!("task {task} said {write}");
                let utterance = Utterance::new(Role::User, words.as_str(), scribe.clock);
                changes.messages.push(NewMessage {
                    session,
                    place: None,
                    utterance,
                });
                let said = store
                    .commit(&scribe.owner, Expected::Any, changes.into())
                    .await;
                said.expect("an unchecked set never conflicts");
                loop {
                    let words = words.clone();
                    let (_, planned) = scribe.plan(|draft| save(draft, claim(&words))).await;
                    match scribe.commit(planned).await {
                        Ok(_) => break,
                        Err(error) => assert_eq!(error.kind(), ErrorKind::Conflict, "{error}"),
                    }
                }
            }
        }));
    }
    for task in tasks {
        task.await.expect("no writer is told of another");
    }
    let all = first.everything().await;
    let expected: BTreeSet<String> = (0..TASKS)
        .flat_map(|task| (0..WRITES).map(move |write| format!("task {task} said {write}")))
        .collect();
    let said: BTreeSet<String> = all
        .messages()
        .map(|message| message.utterance.content.clone())
        .collect();
    assert_eq!(said, expected);
    let numbers: Vec<u64> = all.messages().map(|message| message.number.get()).collect();
    assert_eq!(numbers.iter().max(), Some(&((TASKS * WRITES) as u64)));
    let facts: Vec<&str> = all
        .memories()
        .map(|row| row.body.claim.content.as_str())
        .collect();
    assert_eq!(facts.len(), TASKS * WRITES);
    assert_eq!(
        facts.iter().copied().collect::<BTreeSet<_>>().len(),
        facts.len()
    );
    assert_eq!(all.journal().count(), TASKS * WRITES);
    keepmind_tests::invariants::assert_sound(&all);
    for store in stores {
        store.close().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_update_is_lost_between_processes() {
    let Some(stage) = Stage::shared() else {
        return;
    };
    storm(&stage).await;
}

/// A server that keeps transactions strictly apart refuses some of them: they are tried again.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_cannot_be_put_in_order_is_tried_again() {
    for level in ["serializable", "repeatable\\ read"] {
        let setting = format!("-c default_transaction_isolation={level}");
        let Some(cluster) = Cluster::start(&setting) else {
            return;
        };
        tables_once(&Stage::on(&cluster)).await;
        storm(&Stage::on(&cluster)).await;
    }
}

/// The server refuses the first tries of each write; the sequence remembers them, which nothing rolls back.
#[tokio::test]
async fn a_write_that_the_server_puts_off_is_tried_again() {
    let Some(stage) = Stage::shared() else {
        return;
    };
    let store = stage.open().await;
    let mut alice = Scribe::new(&store, "alice");
    alice.note("drinks tea").await;
    let mut stranger = stage.stranger().await;
    run(
        &mut stranger,
        "CREATE SEQUENCE tries; CREATE FUNCTION put_off() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
         IF nextval(TG_TABLE_SCHEMA || '.tries') % 4 <> 0 THEN RAISE EXCEPTION USING ERRCODE = '40001'; END IF; \
         RETURN NULL; END $$; CREATE TRIGGER put_off AFTER INSERT OR DELETE ON memory EXECUTE FUNCTION put_off()",
    )
    .await;
    alice.note("drinks milk").await;
    assert_eq!(alice.everything().await.memories().count(), 2);
    run(&mut stranger, "DROP TRIGGER put_off ON memory; CREATE TRIGGER put_off AFTER DELETE ON memory EXECUTE FUNCTION put_off(); SELECT setval('tries', 101)").await;
    assert!(store.erase(&alice.owner).await.unwrap());
    store.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_processes_make_the_tables_once() {
    let Some(stage) = Stage::shared() else {
        return;
    };
    tables_once(&stage).await;
}

async fn tables_once(stage: &Stage<'_>) {
    tables_once_with(&stage.options(), "alice").await;
}

pub(crate) async fn tables_once_with(options: &PostgresOptions, name: &str) {
    let mut opening = Vec::new();
    for _ in 0..TASKS {
        opening.push(tokio::spawn(crate::open(options.clone())));
    }
    let mut stores: Vec<Arc<dyn MemoryStore>> = Vec::new();
    for store in opening {
        stores.push(store.await.expect("the tables are there"));
    }
    let mut alice = Scribe::new(&stores[0], name);
    alice.note("drinks tea").await;
    for store in stores {
        let info = store.info().await.unwrap();
        assert_eq!(info.backend, "postgres");
        assert!(info.owners >= 1);
        store.close().await.unwrap();
    }
}
