//! What a purge takes with it, and what it leaves.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::change::{RowChange, SessionChange, Slice};
use crate::conformance::fixtures::{Scribe, claim, vector};
use crate::conformance::furnish::furnish;
use crate::error::ErrorKind;
use crate::ids::{UsageId, Version};
use crate::memory::{Lineage, Marks};
use crate::row::{Body, Kind, State};
use crate::store::{
    Filter, KeywordQuery, MemoryStore, MessageSearch, Selection, UsageQuery, VectorQuery,
};
use crate::usage::{Usage, UsageKind};

/// A purged row is found by nothing any more: not by lineage, vectors, the ledger or words.
pub async fn purging_a_memory_takes_lineage_embeddings_usage_and_index_entries(
    store: Arc<dyn MemoryStore>,
) {
    let mut scribe = Scribe::new(&store, "alice");
    let keep = scribe.note("drinks green tea").await;
    let gone = scribe.note("drinks jasmine tea").await;
    scribe
        .write(|draft| {
            draft.others().lineage.insert(Lineage {
                row: keep.id,
                from: gone.id,
            });
            draft.others().lineage.insert(Lineage {
                row: gone.id,
                from: keep.id,
            });
            Ok(())
        })
        .await;
    for memory in [keep.id, gone.id] {
        scribe.embed(memory, "small", vector(&[1.0, 0.5])).await;
        let id = UsageId::new(scribe.new_id());
        let usage = Usage {
            id,
            at: scribe.clock,
            session: None,
            memory,
            kind: UsageKind::Cited,
            influence: None,
        };
        let mut changes = scribe.unchecked();
        changes.usage.insert(id, usage);
        scribe.put(changes).await;
    }
    let before = *scribe.everything().await.state();
    scribe
        .write(|draft| draft.purge(Kind::Memory, gone.id))
        .await;

    let everything = scribe.everything().await;
    assert_eq!(
        everything.memories().map(|row| row.id).collect::<Vec<_>>(),
        [keep.id]
    );
    assert_eq!(everything.lineage().count(), 0);
    assert!(
        everything
            .embeddings()
            .all(|(key, _)| key.memory == keep.id)
    );
    assert!(everything.usage().all(|usage| usage.memory == keep.id));
    assert!(
        everything.state().embedding_changes > before.embedding_changes,
        "a cache of vectors must notice"
    );
    assert_eq!(scribe.found("jasmine", Selection::All).await, [""; 0]);
    assert_eq!(
        scribe.found("tea", Selection::All).await,
        ["drinks green tea"]
    );
    let query = VectorQuery {
        embedder: "small".to_owned(),
        vector: vector(&[1.0, 0.5]),
        filter: Filter::new(Selection::All),
        limit: 10,
    };
    let hits = store
        .search_vectors(&scribe.owner, &query)
        .await
        .expect("a search");
    assert_eq!(
        hits.iter().map(|hit| hit.row.id).collect::<Vec<_>>(),
        [keep.id]
    );
    let query = UsageQuery {
        memories: [gone.id].into(),
        ..UsageQuery::all(10)
    };
    assert_eq!(
        store
            .usage(&scribe.owner, &query)
            .await
            .expect("usage")
            .items,
        []
    );
}

/// Tombstones, consent and the journal outlive the fact they name.
pub async fn purging_a_fact_leaves_tombstones_and_the_journal(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let furnished = furnish(&mut scribe).await;
    let before = scribe.everything().await;
    let tea = furnished.tea.body.number;
    let links: Vec<_> = before.links_of(tea).map(|row| row.id).collect();
    scribe
        .write(|draft| {
            links
                .iter()
                .try_for_each(|&link| draft.purge(Kind::Link, link))?;
            draft.purge(Kind::Memory, furnished.tea.id)
        })
        .await;
    let after = scribe.everything().await;
    assert_eq!(after.versions(tea).count(), 0);
    assert_eq!(after.links_of(tea).count(), 0);
    assert!(
        after.tombstones().eq(before.tombstones()),
        "tombstones stay"
    );
    assert!(
        after.proposals().eq(before.proposals()),
        "proposals are the plan's to purge"
    );
    assert!(after.consents().eq(before.consents()));
    assert_eq!(after.state().next_number, before.state().next_number);
    let entry = after.journal().last().expect("the purge is journalled");
    let effect = entry
        .effects
        .iter()
        .find(|effect| effect.origin == furnished.tea.origin);
    assert_eq!(effect.map(|effect| effect.after), Some(State::Absent));
    assert!(
        after
            .journal()
            .take(before.journal().count())
            .eq(before.journal()),
        "entries never change"
    );
    let part = scribe.load(&Slice::number(tea)).await;
    assert_eq!(
        part.tombstones().count(),
        2,
        "a slice still finds them by the number"
    );
}

/// A set that would leave a link without its fact is refused; a fact with a version left keeps its links.
pub async fn a_fact_keeps_its_links_or_is_not_purged(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let furnished = furnish(&mut scribe).await;
    let number = furnished.home.body.number;
    let versions: Vec<_> = scribe
        .everything()
        .await
        .versions(number)
        .map(|row| row.id)
        .collect();
    let (_, mut planned) = scribe
        .plan(|draft| draft.purge(Kind::Memory, furnished.digest.id))
        .await;
    for id in &versions {
        planned
            .changes
            .rows
            .insert(*id, RowChange::Purge(Kind::Memory));
    }
    scribe
        .assert_unwritten(planned, ErrorKind::Invalid, "a purge of a linked fact")
        .await;
    scribe
        .write(|draft| draft.purge(Kind::Memory, versions[0]))
        .await;
    let everything = scribe.everything().await;
    assert_eq!(everything.links_of(number).count(), 2);
    assert_eq!(everything.versions(number).count(), 1);
}

/// A purged version's place, and its origin's, may be taken again in the same set.
pub async fn a_purged_version_may_be_replaced_in_the_same_set(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let tea = scribe.note("drinks jasmine tea").await;
    scribe.embed(tea.id, "small", vector(&[1.0])).await;
    let (id, mut planned) = scribe
        .plan(|draft| {
            draft.purge(Kind::Memory, tea.id)?;
            draft.insert_version(tea.body.number, claim("drinks green tea"), Marks::default())
        })
        .await;
    if let Some(RowChange::Insert(row)) = planned.changes.rows.get_mut(&id)
        && let Body::Memory(memory) = &mut row.body
    {
        memory.version = Version::FIRST;
    }
    scribe.commit(planned).await.expect("the place is free");
    let everything = scribe.everything().await;
    assert_eq!(
        everything
            .version(tea.body.number, Version::FIRST)
            .map(|row| row.id),
        Some(id)
    );
    assert_eq!(everything.embeddings().count(), 0);
    assert_eq!(scribe.found("jasmine", Selection::All).await, [""; 0]);
    assert_eq!(
        scribe.found("green", Selection::All).await,
        ["drinks green tea"]
    );
}

/// Ranking is as if what was purged had never been, for memories and for what was said.
pub async fn what_was_purged_does_not_weigh(store: Arc<dyn MemoryStore>) {
    let mut scores = Vec::new();
    for name in ["alice", "bob"] {
        let mut scribe = Scribe::new(&store, name);
        let session = scribe.open_session().await;
        for words in [
            "drinks green tea",
            "drinks black tea, often",
            "lives in Rome",
        ] {
            scribe.note(words).await;
            scribe.say(session, words).await;
        }
        if name == "bob" {
            let other = scribe.open_session().await;
            for words in [
                "tea tea tea",
                "green, green and a long line about green things",
            ] {
                let row = scribe.note(words).await;
                scribe
                    .write(|draft| draft.purge(Kind::Memory, row.id))
                    .await;
                scribe.say(other, words).await;
            }
            let mut changes = scribe.unchecked();
            changes.sessions.insert(other, SessionChange::Purge);
            scribe.put(changes).await;
        }
        let query = KeywordQuery::new("green tea in Rome", Filter::new(Selection::All), 10);
        let hits = store.search(&scribe.owner, &query).await.expect("a search");
        let search = MessageSearch {
            text: query.text,
            session: None,
            roles: BTreeSet::new(),
            limit: 10,
        };
        let said = store
            .search_messages(&scribe.owner, &search)
            .await
            .expect("a search");
        let memories = hits.iter().map(|hit| hit.score.to_bits());
        let messages = said.iter().map(|hit| hit.score.to_bits());
        scores.push(memories.chain(messages).collect::<Vec<u64>>());
    }
    assert_eq!(scores[0].len(), 6);
    assert_eq!(scores[1], scores[0], "what was purged still weighs");
}
