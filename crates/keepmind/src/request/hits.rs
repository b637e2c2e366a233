//! What a recall found, as JSON: of each hit the row as the store holds it, where that is at hand, neither read nor written
//! anew.

use serde::{Serialize, Serializer};

use crate::engine::FoundHit;
use crate::json::Written;
use crate::search::Around;
use crate::store::{self, FoundRow};

/// The hits of one recall.
#[derive(Serialize)]
pub(super) struct Hits<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<&'static str>,
    hits: Vec<Hit<'a>>,
}

/// [`Recalled`](crate::engine::Recalled), field for field.
#[derive(Serialize)]
struct Hit<'a> {
    row: Row<'a>,
    score: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    words: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    meaning: Option<f64>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    matched: &'a [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    around: &'a [Around],
    #[serde(skip_serializing_if = "Option::is_none")]
    reranked_from: Option<usize>,
}

/// As JSON that is written already, or now.
struct Row<'a>(&'a FoundRow);

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.json() {
            Some(json) => Written(json).serialize(serializer),
            None => self.0.row().serialize(serializer),
        }
    }
}

impl<'a> Hits<'a> {
    /// For a request of a chat.
    pub(super) fn of(hits: &'a [FoundHit]) -> Self {
        Hits {
            answer: None,
            hits: hits.iter().map(Hit::of).collect(),
        }
    }

    /// As the answer of a query.
    pub(super) fn answering(hits: &'a [FoundHit]) -> Self {
        Hits {
            answer: Some("recalled"),
            ..Hits::of(hits)
        }
    }
}

impl<'a> Hit<'a> {
    fn of(found: &'a FoundHit) -> Self {
        let FoundHit { hit, reranked_from } = found;
        let store::Hit {
            row,
            score,
            words,
            meaning,
            matched,
            around,
        } = hit;
        Hit {
            row: Row(row),
            score: *score,
            words: *words,
            meaning: *meaning,
            matched,
            around,
            reranked_from: *reranked_from,
        }
    }
}

#[cfg(all(test, feature = "sqlite"))]
mod tests {
    use std::sync::Arc;

    use crate::command::Recall;
    use crate::engine::{FoundHit, Given, Keepmind};
    use crate::store::MemoryStore;
    use crate::store::in_memory::InMemoryStore;
    use crate::store::sqlite::SqliteStore;
    use crate::timestamp::Timestamp;
    use crate::visibility::AsOf;

    fn are_json(hits: &[FoundHit]) -> Vec<bool> {
        let is_json = |found: &FoundHit| found.hit.row.json().is_some();
        hits.iter().map(is_json).collect()
    }

    #[tokio::test]
    async fn rows_stay_json_where_json_is_wanted_and_only_there() {
        let folder = tempfile::tempdir().unwrap();
        let file = SqliteStore::open(folder.path().join("memories.db")).await;
        let stores: [Arc<dyn MemoryStore>; 2] =
            [Arc::new(file.unwrap()), Arc::new(InMemoryStore::new())];
        for store in stores {
            let keepmind = Keepmind::builder(store).build().unwrap();
            let alice = keepmind.user("alice").unwrap();
            alice.save("Drinks tea").await.unwrap();
            let mut before = Recall::new("tea");
            before.since_until = Some(Timestamp::MAX);
            let mut then = Recall::new("tea");
            then.as_of = Some(AsOf::now(Timestamp::MAX));
            for recall in [Recall::new("tea"), before, then] {
                // The first reads the words' lists, the next knows them.
                for _ in 0..2 {
                    let hits = alice.recall_as_json(&recall).await.unwrap();
                    assert_eq!(are_json(&hits), [true], "{recall:?}");
                    let hits = alice.engine.find_hits(&alice.owner, &recall, Given::AsRows);
                    assert_eq!(are_json(&hits.await.unwrap()), [false], "{recall:?}");
                }
            }
            keepmind.close().await.unwrap();
        }
    }

    #[tokio::test]
    async fn what_a_chat_was_answered_in_one_form_it_is_answered_again_in_the_other() {
        let keepmind = Keepmind::builder(Arc::new(InMemoryStore::new()))
            .build()
            .unwrap();
        let alice = keepmind.user("alice").unwrap();
        alice.save("Drinks tea").await.unwrap();
        for is_json in [true, false] {
            let chat = alice.open_session().await.unwrap();
            for is_json in [is_json, !is_json] {
                if is_json {
                    chat.recall_as_json(&Recall::new("tea")).await.unwrap();
                } else {
                    let hits = chat.recall("tea").await.unwrap();
                    assert_eq!(hits[0].row.body.claim.content, "Drinks tea");
                }
            }
            assert_eq!(chat.recall_stats().cached, 1);
        }
    }
}
