//! One owner never sees another's row, whatever the names, ids and words they share.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::conformance::fixtures::{Scribe, vector};
use crate::conformance::furnish::furnish;
use crate::export::export;
use crate::row::Kind;
use crate::store::{Filter, KeywordQuery, MemoryStore, MessageSearch, Selection, VectorQuery};

/// Two owners whose rows, chats and operations have the same ids do not touch each other.
pub async fn two_owners_may_use_the_same_ids(store: Arc<dyn MemoryStore>) {
    let mut alice = Scribe::new(&store, "alice");
    let furnished = furnish(&mut alice).await;
    let alone = alice.everything().await;
    let mut bob = Scribe::new(&store, "bob");
    furnish(&mut bob).await;
    assert_eq!(
        bob.everything().await,
        alone,
        "bob's data are made of the same ids"
    );
    assert_eq!(
        alice.everything().await,
        alone,
        "and alice's are still hers"
    );

    bob.write(|draft| draft.purge(Kind::Memory, furnished.digest.id))
        .await;
    bob.note("only bob's").await;
    assert_eq!(
        alice.everything().await,
        alone,
        "what bob purges and saves is bob's"
    );
    store.erase(&bob.owner).await.expect("an erasure");
    assert_eq!(alice.everything().await, alone, "what bob erases is bob's");
}

/// Names are compared byte for byte: neither case nor accents nor blanks make two owners one.
pub async fn owners_are_compared_byte_by_byte(store: Arc<dyn MemoryStore>) {
    let names = [
        "ann",
        "Ann",
        "ann ",
        " ann",
        "anné",
        "anne\u{301}",
        "ann%",
        "a_n",
        "ann'--",
        "ａｎｎ",
    ];
    for name in names {
        Scribe::new(&store, name)
            .note(&format!("I am {}", name.len()))
            .await;
    }
    for name in names {
        let rows = Scribe::new(&store, name)
            .listed(Filter::new(Selection::All))
            .await;
        let contents: Vec<_> = rows
            .iter()
            .map(|row| row.body.claim.content.clone())
            .collect();
        assert_eq!(contents, [format!("I am {}", name.len())], "{name:?}");
    }
    let owners = store.owners(None, 100).await.expect("owners");
    let mut sorted = names.map(str::to_owned);
    sorted.sort();
    assert_eq!(
        owners
            .iter()
            .map(|entry| entry.owner.as_str())
            .collect::<Vec<_>>(),
        sorted
    );
}

/// Scores and order are the same to the last bit, however much others have written.
pub async fn ranking_does_not_depend_on_other_owners(store: Arc<dyn MemoryStore>) {
    let mut alice = Scribe::new(&store, "alice");
    let furnished = furnish(&mut alice).await;
    alice.say(furnished.session, "green tea in Rome").await;
    let all = || Filter::new(Selection::All);
    let words = KeywordQuery::new("green tea in rome, ended", all(), 100);
    let near = VectorQuery {
        embedder: "small".to_owned(),
        vector: vector(&[1.0, 0.3, 0.0]),
        filter: all(),
        limit: 9,
    };
    let said = MessageSearch {
        text: "rome tea".to_owned(),
        session: None,
        roles: BTreeSet::new(),
        limit: 9,
    };
    let ranked = async || {
        let mut bits = Vec::new();
        for hit in store.search(&alice.owner, &words).await.expect("a search") {
            bits.push((hit.row.id.to_string(), hit.score.to_bits()));
        }
        for hit in store
            .search_vectors(&alice.owner, &near)
            .await
            .expect("a search")
        {
            bits.push((hit.row.id.to_string(), hit.score.to_bits()));
        }
        for hit in store
            .search_messages(&alice.owner, &said)
            .await
            .expect("a search")
        {
            bits.push((hit.message.ordinal.get().to_string(), hit.score.to_bits()));
        }
        bits
    };
    let alone = ranked().await;
    assert!(alone.len() > 10);
    for place in 0..5 {
        let mut other = Scribe::new(&store, &format!("other {place}"));
        let furnished = furnish(&mut other).await;
        other.say(furnished.session, "tea tea tea rome").await;
        other.note("green tea, green tea, Rome").await;
    }
    assert_eq!(ranked().await, alone);
}

/// An owner of whom nothing is known answers nothing to every question.
pub async fn an_unknown_owner_answers_nothing(store: Arc<dyn MemoryStore>) {
    let mut alice = Scribe::new(&store, "alice");
    let furnished = furnish(&mut alice).await;
    let nobody = Scribe::new(&store, "nobody");
    assert_eq!(nobody.listed(Filter::new(Selection::All)).await, []);
    assert_eq!(nobody.found("tea", Selection::All).await, [""; 0]);
    let near = VectorQuery {
        embedder: "small".to_owned(),
        vector: vector(&[1.0, 0.3, 0.0]),
        filter: Filter::new(Selection::All),
        limit: 9,
    };
    let owner = &nobody.owner;
    assert_eq!(
        store.search_vectors(owner, &near).await.expect("a search"),
        []
    );
    let sessions = crate::store::SessionQuery {
        deleted: None,
        ..crate::store::SessionQuery::recent(9)
    };
    assert_eq!(
        store
            .sessions(owner, &sessions)
            .await
            .expect("sessions")
            .items,
        []
    );
    let messages = crate::store::MessageQuery::of(furnished.session, 9);
    assert_eq!(
        store
            .messages(owner, &messages)
            .await
            .expect("messages")
            .items,
        []
    );
    let said = MessageSearch {
        text: "rome".to_owned(),
        session: None,
        roles: BTreeSet::new(),
        limit: 9,
    };
    assert_eq!(
        store.search_messages(owner, &said).await.expect("a search"),
        []
    );
    let seen = crate::store::ObservationQuery::all(9);
    assert_eq!(
        store
            .observations(owner, &seen)
            .await
            .expect("observations")
            .items,
        []
    );
    let calls = crate::store::TraceQuery {
        session: Some(furnished.session),
        limit: 9,
        after: None,
    };
    assert_eq!(store.traces(owner, &calls).await.expect("traces").items, []);
    let uses = crate::store::UsageQuery {
        memories: [furnished.tea.id].into(),
        ..crate::store::UsageQuery::all(9)
    };
    assert_eq!(store.usage(owner, &uses).await.expect("usage").items, []);
    assert_eq!(store.journal(owner, 0, 9).await.expect("journal"), []);
    assert!(
        !store.erase(owner).await.expect("an erasure"),
        "there was nothing to erase"
    );
    assert_eq!(
        store.owners(None, 9).await.expect("owners").len(),
        1,
        "asking makes no owner"
    );
    let lines = export(&*store, owner).await.expect("an export");
    assert_eq!(lines.lines().count(), 2, "a header and a footer");
}
