//! A word of its own in every place that can hold a user's words, in every kind of row.

use std::sync::Arc;

use keepmind::conformance::fixtures::{Scribe, claim, save, vector};
use keepmind::{
    Body, Direction, FrozenBlock, Link, Marks, MemoryStore, MessageNumber, NewMessage, Observation,
    ObservationId, Proposal, ProposedOperation, Recap, Revision, Rival, Role, Row, RowId, Session,
    SessionChange, SessionId, SqliteStore, Target, Title, Tombstone, Trace, TraceChange, TraceKey,
    TraceOutcome, Utterance,
};

use crate::{full_of, occurrences, use_row};

const CANARY: &str = "zqxall";

/// Everything that is looked for: each is written below, once or more.
const MARKERS: &[&str] = &[
    "owner",
    "key",
    "value",
    "content",
    "summary",
    "body",
    "tag",
    "quote",
    "influence",
    "title",
    "recap",
    "block",
    "served",
    "spoken",
    "hidden",
    "callid",
    "tool",
    "argument",
    "result",
    "source",
    "payload",
    "embedder",
    "domain",
    "relation",
    "reasoning",
    "proposed",
    "rival",
    "journal",
];

fn word(marker: &str) -> String {
    format!("{CANARY}{marker}")
}

/// A chat with words in all its columns.
async fn chat(scribe: &mut Scribe) -> SessionId {
    let id = SessionId::new(scribe.new_id());
    let session = Session {
        title: Some(Title {
            text: word("title"),
            by_user: true,
        }),
        recap: Some(Recap {
            text: word("recap"),
            through: MessageNumber::FIRST,
        }),
        block: Some(FrozenBlock {
            text: word("block"),
            revision: 0,
            rows: Vec::new(),
        }),
        served: [word("served")].into(),
        ..Session::open(id, scribe.clock)
    };
    let mut changes = scribe.unchecked();
    changes.sessions.insert(id, SessionChange::Open(session));
    let utterance = Utterance {
        hidden: Some(word("hidden")),
        calls: vec![word("callid")],
        ..Utterance::new(Role::User, word("spoken"), scribe.clock)
    };
    changes.messages.push(NewMessage {
        session: id,
        place: None,
        utterance,
    });
    let key = TraceKey {
        session: id,
        call: word("callid"),
    };
    let trace = Trace {
        key: key.clone(),
        tool: word("tool"),
        arguments: serde_json::json!({ "content": [word("argument")] }),
        result: word("result"),
        outcome: TraceOutcome::Failed,
        started_at: scribe.clock,
        finished_at: scribe.clock,
    };
    changes.traces.insert(key, TraceChange::Record(trace));
    let seen = ObservationId::new(scribe.new_id());
    let observation = Observation {
        id: seen,
        source: word("source"),
        payload: serde_json::json!({ word("payload"): true }),
        at: scribe.clock,
    };
    changes.observations.insert(seen, observation);
    scribe.put(changes).await;
    id
}

/// A proposal to save, and one that asks which of two is true; one waits, one was rejected.
async fn proposals(scribe: &mut Scribe, session: SessionId, row: &Row<keepmind::Memory>) {
    let target = Target {
        number: row.body.number,
        origin: row.origin,
    };
    let operations = [
        ProposedOperation::Save {
            claim: Box::new(full_of(&word("proposed"), session)),
            marks: Marks::default(),
        },
        ProposedOperation::Choose {
            target,
            rival: Rival::Claim {
                claim: Box::new(full_of(&word("rival"), session)),
                marks: Marks::default(),
            },
        },
    ];
    for operation in operations {
        let proposal = Proposal {
            operation,
            reasoning: word("reasoning"),
            evidence: full_of(CANARY, session).evidence,
            session: Some(session),
            expires_at: None,
        };
        scribe
            .write(|draft| draft.insert(Body::Proposal(proposal)))
            .await;
    }
}

#[tokio::test]
async fn nothing_of_an_erased_owner_is_in_any_column() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memories.db");
    let store: Arc<dyn MemoryStore> = Arc::new(SqliteStore::open(&path).await.unwrap());
    let mut bob = Scribe::new(&store, "bob");
    bob.note("a fact of another owner").await;
    let mut alice = Scribe::new(&store, &word("owner"));
    let session = chat(&mut alice).await;
    let row = alice.save(full_of(CANARY, session)).await;
    let other = alice.note("another fact").await;
    proposals(&mut alice, session, &row).await;
    use_row(&mut alice, row.id, session, CANARY).await;
    alice
        .embed(row.id, &word("embedder"), vector(&[0.25, 0.5]))
        .await;
    let (from, to) = (row.body.number, other.body.number);
    alice
        .write(|draft| {
            draft.insert(Body::Link(Link {
                from,
                to,
                relation: word("relation"),
            }))?;
            draft.insert(Body::Tombstone(Tombstone {
                number: to,
                session,
                message: MessageNumber::FIRST,
                span: keepmind::Span { start: 0, end: 2 },
            }))?;
            let domain = (word("domain"), draft.stamp());
            draft.others().consents.insert(domain, true);
            Ok(())
        })
        .await;
    // Copies that an undo and a redo leave.
    let effects = alice
        .write(|draft| {
            let id: RowId = save(draft, claim(&format!("{CANARY}content again")))?;
            Ok(id)
        })
        .await;
    let entry = alice.everything().await;
    let entry = entry.journal().last().unwrap().clone();
    for direction in [Direction::Back, Direction::Forth] {
        let effects = entry.effects.clone();
        alice.write(|draft| draft.replay(&effects, direction)).await;
    }
    assert_ne!(
        alice.row(effects).await.end,
        None,
        "it was undone, and came back as a copy"
    );
    let (_, mut planned) = alice
        .plan(|draft| save(draft, claim("says something")))
        .await;
    planned.changes.entries[0].line = word("journal");
    alice.commit(planned).await.unwrap();

    for marker in MARKERS {
        let found = occurrences(folder.path(), &word(marker));
        assert!(found > 0, "{marker} must be there to be missed");
    }
    let lines = keepmind::export::export(&*store, &alice.owner)
        .await
        .unwrap();
    assert!(store.erase(&alice.owner).await.unwrap());
    assert_eq!(
        occurrences(folder.path(), CANARY),
        0,
        "while the store is open"
    );

    // Brought back and erased again: a restore leaves no more than a life did.
    let clock = keepmind::ManualClock::new(alice.clock);
    let mut ids = keepmind::CountingIds::after(1 << 80);
    let restored = keepmind::export::restore(&*store, &alice.owner, &lines, &clock, &mut ids).await;
    assert_ne!(restored.unwrap().revision, Revision::NONE);
    for marker in MARKERS {
        assert!(occurrences(folder.path(), &word(marker)) > 0, "{marker}");
    }
    assert!(store.erase(&alice.owner).await.unwrap());
    assert_eq!(occurrences(folder.path(), CANARY), 0, "after a restore");
    assert_eq!(bob.everything().await.memories().count(), 1);
    store.close().await.unwrap();
    assert_eq!(occurrences(folder.path(), CANARY), 0, "after it was closed");
}
