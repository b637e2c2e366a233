//! Chats, messages, observations, traces, usage and the journal: what SQL is asked for them.

use uuid::Uuid;

use crate::ids::{ObservationId, SessionId, UsageId};
use crate::journal::JournalEntry;
use crate::message::Message;
use crate::observation::Observation;
use crate::owner::{Owner, OwnerState};
use crate::session::Session;
use crate::store::database::records::{CHUNK, Moment, Records};
use crate::store::database::words::Word;
use crate::store::database::{Shelf as _, Standing};
use crate::store::postgres::columns::{self, integer, key, message_columns, session_columns};
use crate::store::postgres::connection::Line;
use crate::store::postgres::failure::Work;
use crate::store::postgres::sessions::HOUR;
use crate::store::{MessageQuery, ObservationQuery, SessionQuery, TraceQuery, UsageQuery};
use crate::timestamp::Timestamp;
use crate::trace::Trace;
use crate::usage::Usage;

/// An id that comes after no other, in the direction that is read.
const FIRST: Uuid = Uuid::nil();
const LAST: Uuid = Uuid::max();

macro_rules! messages {
    ($rest:literal) => {
        concat!(
            "SELECT ",
            message_columns!(),
            " FROM @message WHERE owner_id = $1 AND ",
            $rest
        )
    };
}

impl Records for Line {
    async fn sessions_before(
        &mut self,
        owner_id: Uuid,
        query: &SessionQuery,
        (moment, id): Moment<SessionId>,
    ) -> Work<Vec<Session>> {
        let asked = self
            .query(concat!(
                "SELECT ",
                session_columns!(),
                " FROM @session WHERE owner_id = $1 AND active_hour <= $7 AND (active_at, id) < ($2, $3) \
             AND ($5::bigint IS NULL OR retry_at <= $5) \
             AND ($6::boolean IS NULL OR (deleted_at IS NOT NULL) = $6) \
             ORDER BY active_hour DESC, active_at DESC, id DESC LIMIT $4"
            ))
            .bind(owner_id)
            .bind(moment)
            .bind(id.map_or(FIRST, |id| id.uuid()))
            .bind(CHUNK as i64)
            .bind(query.retry_due.map(Timestamp::as_micros))
            .bind(query.deleted)
            .bind(moment / HOUR);
        let rows = self.read(Some(owner_id), asked).await?;
        columns::each(&rows, columns::session)
    }

    async fn messages_after(
        &mut self,
        owner: &Owner,
        query: &MessageQuery,
        place: Option<u64>,
        limit: usize,
    ) -> Work<(Vec<Message>, OwnerState)> {
        let Some(Standing {
            key: owner_id,
            counters,
            ..
        }) = self.begin(owner).await?
        else {
            self.end().await?;
            return Ok((Vec::new(), OwnerState::NONE));
        };
        let sql = match (query.session.is_some(), query.newest_first) {
            (true, false) => messages!(
                "session = $3 AND number > greatest($4, coalesce($2, 0)) ORDER BY number LIMIT $5"
            ),
            (true, true) => messages!(
                "session = $3 AND number > $4 AND number < coalesce($2, 9223372036854775807) ORDER BY number DESC LIMIT $5"
            ),
            (false, false) => messages!(
                "ordinal > coalesce($2, 0) AND $3::uuid IS NULL AND $4::bigint = 0 ORDER BY ordinal LIMIT $5"
            ),
            (false, true) => messages!(
                "ordinal < coalesce($2, 9223372036854775807) AND $3::uuid IS NULL AND $4::bigint = 0 ORDER BY ordinal DESC LIMIT $5"
            ),
        };
        let asked = self
            .query(sql)
            .bind(owner_id)
            .bind(place.map(integer))
            .bind(query.session.map(|session| session.uuid()))
            .bind(query.after_number.map_or(0, |number| integer(number.get())))
            .bind(limit as i64);
        let rows = self.read(Some(owner_id), asked).await?;
        self.end().await?;
        Ok((columns::each(&rows, columns::message)?, counters.state))
    }

    async fn observations_after(
        &mut self,
        owner_id: Uuid,
        query: &ObservationQuery,
        (moment, id): Moment<ObservationId>,
        end: i64,
    ) -> Work<Vec<Observation>> {
        let sql = match query.newest_first {
            false => {
                "SELECT * FROM @observation WHERE owner_id = $1 AND (at, id) > ($2, $3) AND at < $4 \
                 AND ($6::uuid[] IS NULL OR id = ANY($6)) AND ($7::text IS NULL OR source = $7) ORDER BY at, id LIMIT $5"
            }
            true => {
                "SELECT * FROM @observation WHERE owner_id = $1 AND (at, id) < ($2, $3) AND at > $4 \
                 AND ($6::uuid[] IS NULL OR id = ANY($6)) AND ($7::text IS NULL OR source = $7) ORDER BY at DESC, id DESC LIMIT $5"
            }
        };
        let beyond = if query.newest_first { FIRST } else { LAST };
        let ids: Vec<Uuid> = query.ids.iter().map(|id| id.uuid()).collect();
        let asked = self
            .query(sql)
            .bind(owner_id)
            .bind(moment)
            .bind(id.map_or(beyond, |id| id.uuid()))
            .bind(end)
            .bind(CHUNK as i64)
            .bind(Some(ids).filter(|ids| !ids.is_empty()))
            .bind(query.source.as_deref().and_then(columns::plain));
        let rows = self.read(Some(owner_id), asked).await?;
        columns::each(&rows, columns::observation)
    }

    async fn traces_after(
        &mut self,
        owner_id: Uuid,
        query: &TraceQuery,
        place: Option<(i64, SessionId, String)>,
        limit: usize,
    ) -> Work<Vec<Trace>> {
        let (moment, session, call) = match place {
            // A forged place may hold anything; what is stored holds no NUL.
            Some((moment, session, call)) => (moment, session.uuid(), call.replace('\0', "")),
            None => (i64::MIN, FIRST, String::new()),
        };
        // By its chat a call is found without a walk through all that were ever made.
        let sql = match query.session {
            Some(_) => {
                "SELECT * FROM @trace WHERE owner_id = $1 AND session = $5 \
                 AND (started_at, session, call) > ($2, $3, $4) ORDER BY started_at + 0, call LIMIT $6"
            }
            None => {
                "SELECT * FROM @trace WHERE owner_id = $1 AND started_at >= $2 \
                 AND (started_at, session, call) > ($2, $3, $4) AND $5::uuid IS NULL \
                 ORDER BY started_at, session, call LIMIT $6"
            }
        };
        let asked = self
            .query(sql)
            .bind(owner_id)
            .bind(moment)
            .bind(session)
            .bind(call)
            .bind(query.session.map(|session| session.uuid()))
            .bind(limit as i64);
        let rows = self.read(Some(owner_id), asked).await?;
        columns::each(&rows, columns::trace)
    }

    async fn usage_after(
        &mut self,
        owner_id: Uuid,
        query: &UsageQuery,
        (moment, id): Moment<UsageId>,
        limit: usize,
    ) -> Work<Vec<Usage>> {
        let memories: Vec<Uuid> = query.memories.iter().map(|memory| memory.uuid()).collect();
        let kinds: Vec<&str> = query.kinds.iter().map(|kind| kind.word()).collect();
        let asked = self
            .query(
                "SELECT * FROM @usage WHERE owner_id = $1 AND (at, id) > ($2, $3) \
             AND ($4::uuid IS NULL OR session = $4) AND ($5::uuid[] IS NULL OR memory = ANY($5)) \
             AND ($6::text[] IS NULL OR kind = ANY($6)) ORDER BY at, id LIMIT $7",
            )
            .bind(owner_id)
            .bind(moment)
            .bind(id.map_or(LAST, |id| id.uuid()))
            .bind(query.session.map(|session| session.uuid()))
            .bind(Some(memories).filter(|memories| !memories.is_empty()))
            .bind(Some(kinds).filter(|kinds| !kinds.is_empty()))
            .bind(limit as i64);
        let rows = self.read(Some(owner_id), asked).await?;
        columns::each(&rows, columns::usage)
    }

    async fn journal(
        &mut self,
        owner: &Owner,
        since: u64,
        limit: usize,
    ) -> Work<Vec<JournalEntry>> {
        let asked = self.query(
            "SELECT * FROM @journal WHERE owner_id = $1 AND revision >= $2 ORDER BY revision LIMIT $3",
        )
        .bind(key(owner))
        .bind(integer(since))
        .bind(limit as i64);
        let rows = self.read(Some(key(owner)), asked).await?;
        columns::each(&rows, columns::entry)
    }
}
