//! The keyword index of what was said. Messages wait as they are, and many are put into it at once.
//!
//! A message's terms lie scattered over any tree that is sorted by term: writing each message's at once takes
//! a page of the log for nearly every one of them. So what was said last is searched by reading it, and so many
//! messages together become a *segment*, which is sorted by term and written in one piece. Segments of one level
//! are merged into one of the next, so that a search looks into few. Where a posting is makes no difference to
//! what is found.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sqlx::SqliteConnection;

use crate::order::Gather;
use crate::search::Document;
use crate::search::keywords::{Posting, Terms};
use crate::store::database::segments::{
    LAST_LEVEL, MERGED_TOGETHER, lists, said, with_waiting, without,
};
use crate::store::sqlite::batch::Batch;
use crate::store::sqlite::columns::{integer, to_json};
use crate::store::sqlite::failure::Work;
use crate::store::sqlite::transaction::Transaction;

/// The messages that wait, oldest first.
macro_rules! waiting_sql {
    () => {
        "SELECT ordinal, content FROM message WHERE owner_id = ?1 AND ordinal > \
         coalesce((SELECT through FROM message_segment WHERE owner_id = ?1 ORDER BY number DESC LIMIT 1), 0) \
         ORDER BY ordinal LIMIT ?2 + 0"
    };
}

/// The postings of these terms, each list in order of document.
pub(super) async fn read(
    connection: &mut SqliteConnection,
    owner_id: i64,
    terms: &[String],
) -> Work<Vec<Arc<Vec<Posting>>>> {
    if terms.is_empty() {
        return Ok(Vec::new());
    }
    let indexed: Vec<(String, String)> = sqlx::query_as(
        "SELECT term, group_concat(postings, ' ') FROM message_segment CROSS JOIN json_each(?2) \
         CROSS JOIN message_posting ON message_posting.owner_id = ?1 AND segment = number AND term = value \
         WHERE message_segment.owner_id = ?1 GROUP BY term",
    )
    .bind(owner_id)
    .bind(to_json(&terms))
    .fetch_all(&mut *connection)
    .await?;
    Ok(with_waiting(
        terms,
        indexed,
        &waiting(connection, owner_id, -1).await?,
    )?)
}

async fn waiting(
    connection: &mut SqliteConnection,
    owner_id: i64,
    most: i64,
) -> Work<Vec<(Document, Terms)>> {
    let rows: Vec<(i64, String)> = sqlx::query_as(waiting_sql!())
        .bind(owner_id)
        .bind(most)
        .fetch_all(connection)
        .await?;
    rows.into_iter()
        .map(|(ordinal, content)| Ok(said(ordinal, &content)?))
        .collect()
}

/// Makes a segment of the messages that have waited longest, as many as may wait; whether as many are left.
pub(super) async fn gather(
    connection: &mut SqliteConnection,
    owner_id: i64,
    most: usize,
) -> Work<bool> {
    let waiting = waiting(connection, owner_id, most as i64).await?;
    let Some((through, _)) = waiting.last() else {
        return Ok(false);
    };
    let mut batch = Batch::default();
    put(&mut batch, owner_id, *through, &waiting);
    run(batch, connection).await?;
    for level in 0..LAST_LEVEL {
        let count: i64 = sqlx::query_scalar(
            "SELECT count(*) FROM message_segment WHERE owner_id = ?1 AND level = ?2",
        )
        .bind(owner_id)
        .bind(level)
        .fetch_one(&mut *connection)
        .await?;
        if count < MERGED_TOGETHER {
            break;
        }
        let mut batch = Batch::default();
        merge(&mut batch, owner_id, level);
        run(batch, connection).await?;
    }
    let left: i64 = sqlx::query_scalar(concat!("SELECT count(*) FROM (", waiting_sql!(), ")"))
        .bind(owner_id)
        .bind(most as i64)
        .fetch_one(connection)
        .await?;
    Ok(left >= most as i64)
}

async fn run(batch: Batch, connection: &mut SqliteConnection) -> Work<()> {
    match batch.run(connection).await {
        Ok(_) => Ok(()),
        Err(stopped) => Err(stopped.failure),
    }
}

/// Writes a segment of these messages. All others up to the mark must be in one already.
pub(super) fn put(
    batch: &mut Batch,
    owner_id: i64,
    through: Document,
    messages: &[(Document, Terms)],
) {
    batch
        .add(
            "INSERT INTO message_segment (owner_id, number, level, through) \
             SELECT ?1, coalesce(max(number), 0) + 1, 0, ?2 FROM message_segment WHERE owner_id = ?1",
        )
        .bind(owner_id)
        .bind(integer(through));
    batch
        .add(
            "INSERT OR FAIL INTO message_posting (owner_id, segment, term, postings) \
             SELECT ?1, (SELECT max(number) FROM message_segment WHERE owner_id = ?1), key, value FROM json_each(?2)",
        )
        .bind(owner_id)
        .bind(to_json(&lists(messages)));
}

/// Makes one segment of all of a level.
fn merge(batch: &mut Batch, owner_id: i64, level: i64) {
    for sql in [
        "INSERT INTO message_segment (owner_id, number, level, through) \
         SELECT ?1, max(number) + 1, ?2 + 1, max(through) FROM message_segment WHERE owner_id = ?1",
        "INSERT OR FAIL INTO message_posting (owner_id, segment, term, postings) \
         SELECT ?1, (SELECT max(number) FROM message_segment WHERE owner_id = ?1), term, group_concat(postings, ' ') \
         FROM message_posting WHERE owner_id = ?1 \
         AND segment IN (SELECT number FROM message_segment WHERE owner_id = ?1 AND level = ?2) GROUP BY term",
        "DELETE FROM message_posting WHERE owner_id = ?1 \
         AND segment IN (SELECT number FROM message_segment WHERE owner_id = ?1 AND level = ?2)",
        "DELETE FROM message_segment WHERE owner_id = ?1 AND level = ?2",
    ] {
        batch.add(sql).bind(owner_id).bind(level);
    }
}

/// Takes messages out of the segments they are in.
pub(super) async fn remove(
    transaction: &mut Transaction<'_>,
    owner_id: i64,
    messages: &BTreeMap<Document, Terms>,
) -> Work<()> {
    let terms: BTreeSet<&str> = messages
        .values()
        .flat_map(|terms| terms.frequencies.keys().map(String::as_str))
        .gather();
    let rows: Vec<(i64, String, String)> = sqlx::query_as(
        "SELECT segment, term, postings FROM message_segment CROSS JOIN json_each(?2) \
         CROSS JOIN message_posting ON message_posting.owner_id = ?1 AND segment = number AND term = value \
         WHERE message_segment.owner_id = ?1",
    )
    .bind(owner_id)
    .bind(to_json(&terms))
    .fetch_all(transaction.connection().await?)
    .await?;
    for (segment, term, text) in rows {
        let Some(left) = without(&text, messages)? else {
            continue;
        };
        let change = match left.is_empty() {
            true => {
                "DELETE FROM message_posting WHERE owner_id = ?1 AND segment = ?2 AND term = ?3"
            }
            false => {
                "UPDATE message_posting SET postings = ?4 WHERE owner_id = ?1 AND segment = ?2 AND term = ?3"
            }
        };
        let change = transaction
            .add(change)
            .bind(owner_id)
            .bind(segment)
            .bind(&term);
        if !left.is_empty() {
            change.bind(left);
        }
        transaction.relieve().await?;
    }
    Ok(())
}

/// Lowers the marks to the last message that is left: places that are free again are given anew, and
/// what comes there waits.
pub(super) fn lower_marks(batch: &mut Batch, owner_id: i64) {
    batch
        .add(
            "UPDATE message_segment SET through = \
             min(through, coalesce((SELECT max(ordinal) FROM message WHERE owner_id = ?1), 0)) WHERE owner_id = ?1",
        )
        .bind(owner_id);
}

#[cfg(test)]
mod tests {
    use sqlx::{ConnectOptions as _, Connection as _};

    use super::*;
    use crate::MemoryStore;
    use crate::change::SessionChange;
    use crate::conformance::fixtures::Scribe;
    use crate::store::database::postings;
    use crate::store::sqlite::{SqliteOptions, SqliteStore};

    async fn open(options: &SqliteOptions) -> Arc<dyn MemoryStore> {
        Arc::new(SqliteStore::open_with(options.clone()).await.unwrap())
    }

    /// How many segments of each level there are. Fails unless all messages up to the mark are in them, as they
    /// are, and nothing else is.
    async fn levels(options: &SqliteOptions) -> Vec<i64> {
        let mut connection = options.writer().connect().await.unwrap();
        // A store that was dropped may still be at it.
        let mut connection = connection.begin().await.unwrap();
        let said: Vec<(i64, i64, String)> = sqlx::query_as(
            "SELECT owner_id, ordinal, content FROM message WHERE ordinal <= \
             (SELECT max(through) FROM message_segment WHERE message_segment.owner_id = message.owner_id)",
        )
        .fetch_all(&mut *connection)
        .await
        .unwrap();
        let mut expected = BTreeSet::new();
        for (owner_id, ordinal, content) in said {
            let Terms {
                frequencies,
                length,
            } = Terms::of_content(&content);
            for (term, frequency) in frequencies {
                expected.insert((owner_id, term, ordinal as u64, frequency, length));
            }
        }
        let indexed: Vec<(i64, String, String)> = sqlx::query_as(
            "SELECT message_posting.owner_id, term, postings FROM message_posting JOIN message_segment \
             ON message_segment.owner_id = message_posting.owner_id AND number = segment",
        )
        .fetch_all(&mut *connection)
        .await
        .unwrap();
        let rows: i64 = sqlx::query_scalar("SELECT count(*) FROM message_posting")
            .fetch_one(&mut *connection)
            .await
            .unwrap();
        assert_eq!(rows, indexed.len() as i64);
        let mut found = BTreeSet::new();
        for (owner_id, term, text) in indexed {
            for posting in postings::parse(&text).unwrap() {
                let Posting {
                    document,
                    frequency,
                    length,
                } = posting;
                let is_new = found.insert((owner_id, term.clone(), document, frequency, length));
                assert!(is_new, "{document} is in two segments");
            }
        }
        assert_eq!(found, expected);
        sqlx::query_scalar("SELECT level FROM message_segment ORDER BY number")
            .fetch_all(&mut *connection)
            .await
            .unwrap()
    }

    #[tokio::test]
    async fn segments_are_merged_up_to_the_last_level() {
        let folder = tempfile::tempdir().unwrap();
        let options = SqliteOptions::new(folder.path().join("memories.db")).index_after(2);
        let store = open(&options).await;
        let mut alice = Scribe::new(&store, "alice");
        let session = alice.open_session().await;
        for place in 0..300 {
            alice
                .say(session, &format!("cup {place} of tea, tea and tea"))
                .await;
        }
        store.close().await.unwrap();
        let mut levels = levels(&options).await;
        levels.sort_unstable();
        assert_eq!(levels, [0, 0, 0, 0, 0, 0, 1, 1, 2, 2]);
    }

    #[tokio::test]
    async fn messages_that_wait_are_there_after_a_crash_and_indexed_later() {
        let folder = tempfile::tempdir().unwrap();
        let options = SqliteOptions::new(folder.path().join("memories.db")).index_after(5);
        let mut store = open(&options).await;
        let mut alice = Scribe::new(&store, "alice");
        let session = alice.open_session().await;
        for place in 0..23 {
            alice.say(session, &format!("cup {place}")).await;
            // Dropped, not closed: nothing is put in order.
            store = open(&options).await;
            alice.store = Arc::clone(&store);
            let lists = {
                let mut connection = options.reader().connect().await.unwrap();
                let mut transaction = connection.begin().await.unwrap();
                read(&mut transaction, 1, &["cup".to_owned()])
                    .await
                    .unwrap()
            };
            let documents: Vec<u64> = lists[0].iter().map(|posting| posting.document).collect();
            assert_eq!(documents, (1..=place + 1).collect::<Vec<u64>>());
        }
        store.close().await.unwrap();
        assert!(levels(&options).await.len() >= 4);
    }

    #[tokio::test]
    async fn a_set_of_many_messages_is_indexed_to_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let options = SqliteOptions::new(folder.path().join("memories.db")).index_after(10);
        let store = open(&options).await;
        let mut alice = Scribe::new(&store, "alice");
        let (stays, goes) = (alice.open_session().await, alice.open_session().await);
        let mut changes = alice.unchecked();
        for place in 0..105 {
            let words = format!("cup {place}");
            let utterance =
                crate::message::Utterance::new(crate::message::Role::User, words, alice.clock);
            changes.messages.push(crate::change::NewMessage {
                session: if place % 2 == 0 { stays } else { goes },
                place: None,
                utterance,
            });
        }
        alice.put(changes).await;
        store.close().await.unwrap();
        assert_eq!(levels(&options).await, [1, 0, 0]);

        let store = open(&options).await;
        alice.store = Arc::clone(&store);
        let mut changes = alice.unchecked();
        changes.sessions.insert(goes, SessionChange::Purge);
        alice.put(changes).await;
        store.close().await.unwrap();
        levels(&options).await;
    }
}
