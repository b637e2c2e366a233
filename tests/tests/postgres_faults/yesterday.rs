//! A server that is set back to an earlier state under a running store, as a standby that lags and takes over, or a
//! backup, would set it. It comes to the same counts by other writes.

use keepmind::conformance::fixtures::Scribe;
use keepmind::store::Selection;
use keepmind::{Session, SessionChange, SessionId};
use sqlx::PgConnection;

use crate::{Stage, run};

/// Every table, in an order in which rows can be put back.
const TABLES: &[&str] = &[
    "owner",
    "fact",
    "memory",
    "link",
    "tombstone",
    "proposal",
    "lineage",
    "consent",
    "journal",
    "session",
    "message",
    "observation",
    "trace",
    "usage",
    "embedding",
    "operation",
    "posting",
    "message_segment",
    "message_posting",
];

async fn keep(server: &mut PgConnection) {
    for table in TABLES {
        run(
            server,
            &format!("CREATE TABLE kept_{table} AS SELECT * FROM {table}"),
        )
        .await;
    }
}

async fn set_back(server: &mut PgConnection) {
    run(server, "BEGIN").await;
    for table in TABLES.iter().rev() {
        run(server, &format!("DELETE FROM {table}")).await;
    }
    for table in TABLES {
        run(
            server,
            &format!("INSERT INTO {table} SELECT * FROM kept_{table}"),
        )
        .await;
    }
    run(server, "COMMIT").await;
}

#[tokio::test]
async fn what_was_known_of_an_owner_is_not_written_by() {
    let Some(stage) = Stage::shared() else {
        return;
    };
    let (one, other) = (stage.open().await, stage.open().await);
    let mut server = stage.stranger().await;
    let mut alice = Scribe::new(&one, "alice");
    let tea = alice.open_session().await;
    let milk = alice.open_session().await;
    alice.say(tea, "tea please").await;
    keep(&mut server).await;
    // This store knows of a second message in the chat; the server does not any more.
    alice.say(tea, "more tea").await;
    set_back(&mut server).await;
    let mut elsewhere = Scribe::new(&other, "alice");
    elsewhere.clock = alice.clock;
    elsewhere.ids = keepmind::CountingIds::after(1 << 70);
    elsewhere.say(milk, "milk please").await;
    let said = alice.say(tea, "still more tea").await;
    assert_eq!((said.number.get(), said.ordinal.get()), (2, 3));
    let all = alice.everything().await;
    let words: Vec<&str> = all
        .messages()
        .map(|message| message.utterance.content.as_str())
        .collect();
    assert_eq!(words.len(), 3, "{words:?}");
    assert!(!words.contains(&"more tea"));
    keepmind_tests::invariants::assert_sound(&all);
    one.close().await.unwrap();
    other.close().await.unwrap();
}

#[tokio::test]
async fn what_was_cached_of_an_owner_is_not_found() {
    let Some(stage) = Stage::shared() else {
        return;
    };
    let (one, other) = (stage.open().await, stage.open().await);
    let mut server = stage.stranger().await;
    let mut alice = Scribe::new(&one, "alice");
    alice.note("drinks tea").await;
    keep(&mut server).await;
    alice.note("drinks milk").await;
    assert_eq!(
        alice.found("drinks milk", Selection::All).await[0],
        "drinks milk"
    );
    set_back(&mut server).await;
    let mut elsewhere = Scribe::new(&other, "alice");
    elsewhere.clock = alice.clock;
    elsewhere.ids = keepmind::CountingIds::after(1 << 70);
    elsewhere.note("drinks coffee").await;
    assert_eq!(
        alice.found("coffee", Selection::All).await,
        ["drinks coffee"]
    );
    let gone = alice.found("milk", Selection::All).await;
    assert_eq!(
        gone,
        [] as [&str; 0],
        "the fact of that number is another now"
    );
    one.close().await.unwrap();
    other.close().await.unwrap();
}

/// An owner is made, erased, and made again by the same operation, of which somebody has not heard: its counts and its
/// epoch are those of the first.
#[tokio::test]
async fn an_owner_that_is_made_twice_is_not_taken_for_the_first() {
    let Some(stage) = Stage::shared() else {
        return;
    };
    let (one, other) = (stage.open().await, stage.open().await);
    let mut alice = Scribe::new(&one, "alice");
    let session = SessionId::new(alice.new_id());
    let mut made = alice.unchecked();
    let opened = SessionChange::Open(Session::open(session, alice.clock));
    made.sessions.insert(session, opened);
    alice.put(made.clone()).await;
    alice.say(session, "tea please").await;

    let mut elsewhere = Scribe::new(&other, "alice");
    elsewhere.clock = alice.clock;
    elsewhere.ids = keepmind::CountingIds::after(1 << 70);
    assert!(other.erase(&alice.owner).await.unwrap());
    elsewhere.put(made).await;
    elsewhere.open_session().await;
    let said = alice.say(session, "tea again").await;
    assert_eq!((said.number.get(), said.ordinal.get()), (1, 1));
    assert_eq!(alice.everything().await.messages().count(), 1);
    one.close().await.unwrap();
    other.close().await.unwrap();
}
