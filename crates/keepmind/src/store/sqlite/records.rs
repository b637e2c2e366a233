//! Chats, messages, observations, traces, usage and the journal: what SQL is asked for them.

use sqlx::{Row as _, SqliteConnection};

use crate::ids::{ObservationId, SessionId, UsageId};
use crate::journal::JournalEntry;
use crate::message::Message;
use crate::observation::Observation;
use crate::owner::{Owner, OwnerState};
use crate::session::Session;
use crate::store::database::records::{CHUNK, Moment, Records};
use crate::store::database::words::Word;
use crate::store::sqlite::columns::{self, blob, integer};
use crate::store::sqlite::failure::Work;
use crate::store::sqlite::load;
use crate::store::{MessageQuery, ObservationQuery, SessionQuery, TraceQuery, UsageQuery};
use crate::timestamp::Timestamp;
use crate::trace::Trace;
use crate::usage::Usage;

/// Messages and the owner's counters, in a row that is there also where no message is. Joined as tables, so that the index
/// gives the order: what stands in a subquery would be kept twice, words and all.
macro_rules! messages_and_state {
    ($which:literal) => {
        concat!(
            "SELECT epoch, revision, next_number, last_stamp, embedding_changes, ",
            columns::message_columns!(),
            " FROM owner LEFT JOIN message ON owner_id = owner.id AND ",
            $which
        )
    };
}

fn messages_sql(has_session: bool, newest_first: bool) -> &'static str {
    match (has_session, newest_first) {
        (true, false) => messages_and_state!(
            "session = ?3 AND number > max(?4, coalesce(?2, 0)) WHERE name = ?1 ORDER BY number LIMIT ?5 + 0"
        ),
        (true, true) => messages_and_state!(
            "session = ?3 AND number > ?4 AND number < coalesce(?2, 9223372036854775807) WHERE name = ?1 ORDER BY number DESC LIMIT ?5 + 0"
        ),
        (false, false) => messages_and_state!(
            "ordinal > coalesce(?2, 0) AND ?3 IS NULL AND ?4 = 0 WHERE name = ?1 ORDER BY ordinal LIMIT ?5 + 0"
        ),
        (false, true) => messages_and_state!(
            "ordinal < coalesce(?2, 9223372036854775807) AND ?3 IS NULL AND ?4 = 0 WHERE name = ?1 ORDER BY ordinal DESC LIMIT ?5 + 0"
        ),
    }
}

impl Records for SqliteConnection {
    async fn sessions_before(
        &mut self,
        owner_id: i64,
        query: &SessionQuery,
        (moment, id): Moment<SessionId>,
    ) -> Work<Vec<Session>> {
        let rows = sqlx::query(columns::session_sql!(
            "owner_id = ?1 AND active_at <= ?2 AND (active_at < ?2 OR id < ?3) \
             AND (?5 IS NULL OR retry_at <= ?5) AND (?6 IS NULL OR (deleted_at IS NOT NULL) = ?6) \
             ORDER BY active_at DESC, id DESC LIMIT ?4 + 0"
        ))
        .bind(owner_id)
        .bind(moment)
        .bind(id.map(|id| blob(id.uuid())))
        .bind(CHUNK as i64)
        .bind(query.retry_due.map(Timestamp::as_micros))
        .bind(query.deleted)
        .fetch_all(self)
        .await?;
        columns::each(&rows, columns::session)
    }

    /// In one statement: a tool call looks for what was said since, and most often nothing was.
    async fn messages_after(
        &mut self,
        owner: &Owner,
        query: &MessageQuery,
        place: Option<u64>,
        limit: usize,
    ) -> Work<(Vec<Message>, OwnerState)> {
        let rows = sqlx::query(messages_sql(query.session.is_some(), query.newest_first))
            .bind(owner.as_str())
            .bind(place.map(integer))
            .bind(query.session.map(|session| blob(session.uuid())))
            .bind(query.after_number.map_or(0, |number| integer(number.get())))
            .bind(limit as i64)
            .fetch_all(self)
            .await?;
        let Some(first) = rows.first() else {
            return Ok((Vec::new(), OwnerState::NONE));
        };
        let state = columns::owner_state(first)?;
        if first.try_get::<Option<i64>, _>("number")?.is_none() {
            return Ok((Vec::new(), state));
        }
        Ok((columns::each(&rows, columns::message)?, state))
    }

    async fn observations_after(
        &mut self,
        owner_id: i64,
        query: &ObservationQuery,
        (moment, id): Moment<ObservationId>,
        end: i64,
    ) -> Work<Vec<Observation>> {
        // The plus has SQLite look the ids up, and not walk through the moments.
        let sql = match (query.ids.is_empty(), query.newest_first) {
            (true, false) => {
                "SELECT * FROM observation WHERE owner_id = ?1 AND at >= ?2 AND (at > ?2 OR id > ?3) AND at < ?4 \
                 AND ?6 = '[]' ORDER BY at, id LIMIT ?5 + 0"
            }
            (true, true) => {
                "SELECT * FROM observation WHERE owner_id = ?1 AND at <= ?2 AND (at < ?2 OR id < ?3) AND at > ?4 \
                 AND ?6 = '[]' ORDER BY at DESC, id DESC LIMIT ?5 + 0"
            }
            (false, false) => {
                "SELECT * FROM observation WHERE owner_id = ?1 AND +at >= ?2 AND (+at > ?2 OR id > ?3) AND +at < ?4 \
                 AND id IN (SELECT unhex(value) FROM json_each(?6)) ORDER BY +at, id LIMIT ?5 + 0"
            }
            (false, true) => {
                "SELECT * FROM observation WHERE owner_id = ?1 AND +at <= ?2 AND (+at < ?2 OR id < ?3) AND +at > ?4 \
                 AND id IN (SELECT unhex(value) FROM json_each(?6)) ORDER BY +at DESC, id DESC LIMIT ?5 + 0"
            }
        };
        let rows = sqlx::query(sql)
            .bind(owner_id)
            .bind(moment)
            .bind(id.map(|id| blob(id.uuid())))
            .bind(end)
            .bind(CHUNK as i64)
            .bind(load::hex(query.ids.iter().map(|id| id.uuid())))
            .fetch_all(self)
            .await?;
        columns::each(&rows, columns::observation)
    }

    async fn traces_after(
        &mut self,
        owner_id: i64,
        query: &TraceQuery,
        place: Option<(i64, SessionId, String)>,
        limit: usize,
    ) -> Work<Vec<Trace>> {
        let (moment, session, call) = match place {
            Some((moment, session, call)) => (moment, Some(blob(session.uuid())), Some(call)),
            None => (i64::MIN, None, None),
        };
        // The pluses have SQLite look up what is of the chat, and not walk through all calls ever made.
        let sql = match query.session {
            Some(_) => {
                "SELECT * FROM trace WHERE owner_id = ?1 AND session = ?5 AND +started_at >= ?2 \
                 AND (+started_at > ?2 OR (session, call) > (?3, ?4)) ORDER BY +started_at, call LIMIT ?6 + 0"
            }
            None => {
                "SELECT * FROM trace WHERE owner_id = ?1 AND started_at >= ?2 \
                 AND (started_at > ?2 OR (session, call) > (?3, ?4)) AND ?5 IS NULL \
                 ORDER BY started_at, session, call LIMIT ?6 + 0"
            }
        };
        let rows = sqlx::query(sql)
            .bind(owner_id)
            .bind(moment)
            .bind(session)
            .bind(call)
            .bind(query.session.map(|session| blob(session.uuid())))
            .bind(limit as i64)
            .fetch_all(self)
            .await?;
        columns::each(&rows, columns::trace)
    }

    async fn usage_after(
        &mut self,
        owner_id: i64,
        query: &UsageQuery,
        (moment, id): Moment<UsageId>,
        limit: usize,
    ) -> Work<Vec<Usage>> {
        let memories = query.memories.iter().map(|memory| memory.uuid());
        let memories = (!query.memories.is_empty()).then(|| load::hex(memories));
        let kinds: Vec<&str> = query.kinds.iter().map(|kind| kind.word()).collect();
        let kinds = (!kinds.is_empty()).then(|| columns::to_json(&kinds));
        let rows = sqlx::query(
            "SELECT * FROM usage WHERE owner_id = ?1 AND at >= ?2 AND (at > ?2 OR id > ?3) \
             AND (?4 IS NULL OR session = ?4) \
             AND (?5 IS NULL OR memory IN (SELECT unhex(value) FROM json_each(?5))) \
             AND (?6 IS NULL OR kind IN (SELECT value FROM json_each(?6))) ORDER BY at, id LIMIT ?7 + 0",
        )
        .bind(owner_id)
        .bind(moment)
        .bind(id.map(|id| blob(id.uuid())))
        .bind(query.session.map(|session| blob(session.uuid())))
        .bind(memories)
        .bind(kinds)
        .bind(limit as i64)
        .fetch_all(self)
        .await?;
        columns::each(&rows, columns::usage)
    }

    async fn journal(
        &mut self,
        owner: &Owner,
        since: u64,
        limit: usize,
    ) -> Work<Vec<JournalEntry>> {
        let rows = sqlx::query(
            "SELECT * FROM journal WHERE owner_id = (SELECT id FROM owner WHERE name = ?1) AND revision >= ?2 \
             ORDER BY revision LIMIT ?3 + 0",
        )
        .bind(owner.as_str())
        .bind(integer(since))
        .bind(limit as i64)
        .fetch_all(self)
        .await?;
        columns::each(&rows, columns::entry)
    }
}

#[cfg(test)]
mod tests {
    use sqlx::{AssertSqlSafe, Connection as _};

    use super::*;

    /// A page may be of ten thousand messages: neither sorted nor kept twice.
    #[tokio::test]
    async fn messages_are_read_in_the_order_of_an_index() {
        let mut connection = SqliteConnection::connect("sqlite::memory:").await.unwrap();
        sqlx::raw_sql(include_str!("schema.sql"))
            .execute(&mut connection)
            .await
            .unwrap();
        for (has_session, newest_first, index) in [
            (true, false, "message_number"),
            (true, true, "message_number"),
            (false, false, "message_ordinal"),
            (false, true, "message_ordinal"),
        ] {
            let asked = format!(
                "EXPLAIN QUERY PLAN {}",
                messages_sql(has_session, newest_first)
            );
            let mut asked = sqlx::query(AssertSqlSafe(asked)).bind("alice");
            for _ in 0..4 {
                asked = asked.bind(1);
            }
            let steps = asked.fetch_all(&mut connection).await.unwrap();
            let steps: Vec<String> = steps.iter().map(|step| step.get("detail")).collect();
            assert_eq!(steps.len(), 2, "{steps:?}");
            assert!(steps[0].starts_with("SEARCH owner"), "{steps:?}");
            assert!(
                steps[1].contains(&format!("USING INDEX {index}")),
                "{steps:?}"
            );
        }
    }
}
