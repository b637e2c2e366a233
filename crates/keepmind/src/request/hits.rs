//! What a recall found, as JSON: of each hit the row as the store holds it, where that is at hand. To write ten rows anew
//! was the largest part of what a recall through C adds.

use serde::Serialize;

use crate::engine::Recalled;
use crate::json::Written;
use crate::row::MemoryRow;
use crate::search::Around;

/// The hits of one recall.
#[derive(Serialize)]
pub(super) struct Hits<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<&'static str>,
    hits: Vec<Hit<'a>>,
}

/// [`Recalled`], field for field.
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

#[derive(Serialize)]
#[serde(untagged)]
enum Row<'a> {
    Written(Written<'a>),
    Read(&'a MemoryRow),
}

impl<'a> Hits<'a> {
    /// For a request of a chat.
    pub(super) fn of(hits: &'a [Recalled]) -> Self {
        Hits {
            answer: None,
            hits: hits.iter().map(Hit::of).collect(),
        }
    }

    /// As the answer of a query.
    pub(super) fn answering(hits: &'a [Recalled]) -> Self {
        Hits {
            answer: Some("recalled"),
            ..Hits::of(hits)
        }
    }
}

impl<'a> Hit<'a> {
    fn of(hit: &'a Recalled) -> Self {
        let Recalled {
            row,
            score,
            words,
            meaning,
            matched,
            around,
            reranked_from,
            json,
        } = hit;
        Hit {
            row: match json {
                Some(json) => Row::Written(Written(json)),
                None => Row::Read(row),
            },
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

    use crate::command::{Query, Recall};
    use crate::engine::{Answer, Given, Keepmind};
    use crate::store::sqlite::SqliteStore;

    #[tokio::test]
    async fn a_file_hands_rows_on_as_it_holds_them_where_json_is_wanted_and_only_there() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path().join("memories.db"))
            .await
            .unwrap();
        let keepmind = Keepmind::builder(Arc::new(store)).build().unwrap();
        let alice = keepmind.user("alice").unwrap();
        alice.save("Drinks tea").await.unwrap();
        let handed_on = async |given| {
            let query = Query::Recall(Recall::new("tea"));
            match alice.answer(query, given).await.unwrap() {
                Answer::Recalled { hits } => hits.iter().map(|hit| hit.json.is_some()).collect(),
                _ => Vec::new(),
            }
        };
        // The first reads the words' lists, the next knows them.
        for _ in 0..2 {
            assert_eq!(handed_on(Given::AsJson).await, [true]);
            assert_eq!(handed_on(Given::AsRows).await, [false]);
        }
        let chat = alice.open_session().await.unwrap();
        for given in [Given::AsJson, Given::AsRows, Given::AsJson] {
            let hits = chat.recall_given(&Recall::new("tea"), given).await.unwrap();
            // Kept for later without.
            let is_first = chat.recall_stats().recalls == 1;
            assert_eq!(hits[0].json.is_some(), is_first);
        }
        keepmind.close().await.unwrap();
    }
}
