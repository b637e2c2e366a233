//! What is purged or erased is gone from every byte of every file: as a store is told to, and as a user is.

#[path = "erasure/all_columns.rs"]
mod all_columns;
#[path = "erasure/through_a_user.rs"]
mod through_a_user;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use keepmind::conformance::fixtures::{Scribe, claim, save, vector};
use keepmind::store::MessageSearch;
use keepmind::store::sqlite::SqliteOptions;
use keepmind::{
    Claim, Evidence, Kind, Marks, MemoryStore, MessageNumber, Observation, ObservationId, RowId,
    SessionChange, SessionId, Slice, Source, Span, SqliteStore, Trace, TraceChange, TraceKey,
    TraceOutcome, Trust, Usage, UsageId, UsageKind, Why,
};

/// How often the words stand in the files of a folder, whatever their case.
fn occurrences(folder: &Path, canary: &str) -> usize {
    let canary = canary.to_lowercase().into_bytes();
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let bytes = fs::read(entry.unwrap().path())
                .unwrap()
                .to_ascii_lowercase();
            bytes
                .windows(canary.len())
                .filter(|window| *window == canary.as_slice())
                .count()
        })
        .sum()
}

/// A claim with the canary in every field that can hold a user's words.
fn full_of(canary: &str, session: SessionId) -> Claim {
    Claim {
        domain: Some("health".to_owned()),
        key: Some(format!("{canary}key")),
        value: Some(serde_json::json!({ "deep": [format!("{canary}value")] })),
        content: format!("the user likes {canary}content"),
        summary: Some(format!("{canary}summary")),
        body: Some(
            format!("long {canary}body ")
                .repeat(400)
                .trim_end()
                .to_owned(),
        ),
        tags: BTreeSet::from([format!("{canary}tag")]),
        source: Source::Agent,
        trust: Trust::User,
        session: Some(session),
        evidence: vec![Evidence::Quote {
            session,
            message: MessageNumber::FIRST,
            span: Span { start: 0, end: 4 },
            quote: format!("{canary}quote"),
        }],
        ..claim("replaced")
    }
}

/// Leaves a use and an embedding of a row behind.
async fn use_row(scribe: &mut Scribe, memory: RowId, session: SessionId, canary: &str) {
    scribe
        .embed(memory, "embedder", vector(&[0.1, 0.7, -0.3, 0.2]))
        .await;
    let mut changes = scribe.unchecked();
    let id = UsageId::new(scribe.new_id());
    let usage = Usage {
        id,
        at: scribe.clock,
        session: Some(session),
        memory,
        kind: UsageKind::Applied,
        influence: Some(format!("{canary}influence")),
    };
    changes.usage.insert(id, usage);
    scribe.put(changes).await;
}

#[tokio::test]
async fn a_purged_fact_leaves_no_byte_outside_the_users_messages() {
    const CANARY: &str = "zqxpurged";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memories.db");
    let store: Arc<dyn MemoryStore> = Arc::new(SqliteStore::open(&path).await.unwrap());
    let mut alice = Scribe::new(&store, "alice");
    for place in 0..200 {
        alice.note(&format!("other fact {place} that stays")).await;
    }
    let session = alice.open_session().await;
    alice
        .say(session, "zqxspoken stays, it is what the user said")
        .await;

    let mut row = alice.save(full_of(CANARY, session)).await;
    for _ in 0..5 {
        let (number, origin) = (row.body.number, row.origin);
        let id = alice
            .write(|draft| {
                let until = draft.stamp();
                let id =
                    draft.insert_version(number, full_of(CANARY, session), Marks::default())?;
                draft.end(
                    Kind::Memory,
                    origin,
                    Why::Superseded {
                        by: id.into(),
                        until,
                    },
                )?;
                Ok(id)
            })
            .await;
        use_row(&mut alice, id, session, CANARY).await;
        row = alice.row(id).await;
    }
    assert!(
        occurrences(folder.path(), CANARY) > 100,
        "the canary must be there to be missed"
    );

    let number = row.body.number;
    alice
        .write(|draft| {
            let versions: Vec<RowId> = draft.base().versions(number).map(|row| row.id).collect();
            assert_eq!(versions.len(), 6);
            versions
                .into_iter()
                .try_for_each(|id| draft.purge(Kind::Memory, id))
        })
        .await;
    assert_eq!(
        occurrences(folder.path(), CANARY),
        0,
        "while the store is open"
    );
    assert!(
        occurrences(folder.path(), "zqxspoken") > 0,
        "the user's own message stays"
    );
    store.close().await.unwrap();
    assert_eq!(occurrences(folder.path(), CANARY), 0, "after it was closed");
}

#[tokio::test]
async fn an_erased_owner_leaves_no_byte_at_all() {
    const CANARY: &str = "zqxerased";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memories.db");
    let store: Arc<dyn MemoryStore> = Arc::new(SqliteStore::open(&path).await.unwrap());
    let mut bob = Scribe::new(&store, "bob");
    let mut alice = Scribe::new(&store, "alice-zqxerased@example.org");
    for place in 0..60 {
        bob.note(&format!("fact {place} of another owner")).await;
        alice.note(&format!("{CANARY} fact {place}")).await;
    }
    let session = alice.open_session().await;
    for place in 0..20 {
        let words = format!("{CANARY} said {place}, at some length so that pages fill up");
        alice.say(session, &words).await;
    }
    let id = alice
        .write(|draft| save(draft, full_of(CANARY, session)))
        .await;
    use_row(&mut alice, id, session, CANARY).await;
    let mut changes = alice.unchecked();
    let key = TraceKey {
        session,
        call: format!("{CANARY}call"),
    };
    let trace = Trace {
        key: key.clone(),
        tool: "save_memory".to_owned(),
        arguments: serde_json::json!({ "content": format!("{CANARY}argument") }),
        result: format!("{CANARY}result"),
        outcome: TraceOutcome::Complete,
        started_at: alice.clock,
        finished_at: alice.clock,
    };
    changes.traces.insert(key, TraceChange::Record(trace));
    let id = ObservationId::new(alice.new_id());
    let observation = Observation {
        id,
        source: "host".to_owned(),
        payload: serde_json::json!([format!("{CANARY}payload")]),
        at: alice.clock,
    };
    changes.observations.insert(id, observation);
    alice.put(changes).await;
    assert!(occurrences(folder.path(), CANARY) > 100);

    let before = bob.everything().await;
    assert!(store.erase(&alice.owner).await.unwrap());
    assert!(
        !store.erase(&alice.owner).await.unwrap(),
        "there is nothing left to erase"
    );
    assert_eq!(
        occurrences(folder.path(), CANARY),
        0,
        "while the store is open"
    );
    assert_eq!(bob.everything().await, before);
    let left = store
        .load(&alice.owner, &Slice::everything())
        .await
        .unwrap();
    assert_eq!(left.memories().count(), 0);
    store.close().await.unwrap();
    assert_eq!(occurrences(folder.path(), CANARY), 0, "after it was closed");
}

/// A purge that shares its transaction with other commits is scrubbed like one alone.
#[tokio::test]
async fn purges_that_are_committed_together_leave_no_byte_either() {
    const CANARY: &str = "zqxtogether";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memories.db");
    let store: Arc<dyn MemoryStore> = Arc::new(SqliteStore::open(&path).await.unwrap());
    let mut scribes: Vec<Scribe> = (0..8)
        .map(|place| Scribe::new(&store, &format!("owner {place}")))
        .collect();
    let mut plans = Vec::new();
    for scribe in &mut scribes {
        let session = scribe.open_session().await;
        scribe
            .write(|draft| {
                (0..30).try_for_each(|_| save(draft, full_of(CANARY, session)).map(drop))?;
                (0..60)
                    .try_for_each(|place| save(draft, claim(&format!("stays {place}"))).map(drop))
            })
            .await;
        let (_, planned) = scribe
            .plan(|draft| {
                let base = draft.base();
                let full = base
                    .memories()
                    .filter(|row| row.body.claim.content.contains(CANARY));
                let ids: Vec<RowId> = full.map(|row| row.id).collect();
                assert_eq!(ids.len(), 30);
                ids.into_iter()
                    .try_for_each(|id| draft.purge(Kind::Memory, id))
            })
            .await;
        plans.push((scribe.owner.clone(), planned));
    }
    assert!(occurrences(folder.path(), CANARY) > 1_000);
    let purges = plans.into_iter().map(|(owner, planned)| {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            store
                .commit(&owner, planned.expected, planned.changes.into())
                .await
        })
    });
    for purge in purges.collect::<Vec<_>>() {
        purge.await.unwrap().unwrap();
    }
    assert_eq!(
        occurrences(folder.path(), CANARY),
        0,
        "while the store is open"
    );
    store.close().await.unwrap();
    assert_eq!(occurrences(folder.path(), CANARY), 0, "after it was closed");
}

/// Some of what is said waits for the index, some is in it: neither leaves anything behind.
#[tokio::test]
async fn a_purged_chat_leaves_no_byte_in_the_index_or_before_it() {
    const CANARY: &str = "zqxsaid";
    for index_after in [1, 3, 64] {
        let folder = tempfile::tempdir().unwrap();
        let options =
            SqliteOptions::new(folder.path().join("memories.db")).index_after(index_after);
        let store: Arc<dyn MemoryStore> = Arc::new(SqliteStore::open_with(options).await.unwrap());
        let mut alice = Scribe::new(&store, "alice");
        let (stays, goes) = (alice.open_session().await, alice.open_session().await);
        for place in 0..100 {
            alice.say(stays, &format!("cup {place} stays")).await;
            alice
                .say(goes, &format!("{CANARY} cup {place}, {CANARY}{place}"))
                .await;
        }
        assert!(occurrences(folder.path(), CANARY) > 200);
        let mut changes = alice.unchecked();
        changes.sessions.insert(goes, SessionChange::Purge);
        alice.put(changes).await;
        assert_eq!(
            occurrences(folder.path(), CANARY),
            0,
            "while the store is open"
        );
        let search = MessageSearch {
            text: "cup".to_owned(),
            session: None,
            roles: BTreeSet::new(),
            limit: 500,
        };
        let left = store.search_messages(&alice.owner, &search).await.unwrap();
        assert_eq!(left.len(), 100);
        store.close().await.unwrap();
        assert_eq!(occurrences(folder.path(), CANARY), 0, "after it was closed");
    }
}
