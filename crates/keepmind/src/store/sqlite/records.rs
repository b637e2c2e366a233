//! Chats, messages, observations, traces, usage and the journal, page by page.

use sqlx::SqliteConnection;

use crate::ids::{ObservationId, SessionId, UsageId};
use crate::journal::JournalEntry;
use crate::message::Message;
use crate::observation::Observation;
use crate::owner::{Owner, OwnerState};
use crate::session::Session;
use crate::store::sqlite::columns::{self, blob, integer};
use crate::store::sqlite::failure::Work;
use crate::store::sqlite::load;
use crate::store::{
    Cursor, CursorKind, MessageQuery, ObservationQuery, Page, SessionQuery, TraceQuery, UsageQuery,
    paging,
};
use crate::timestamp::Timestamp;
use crate::trace::Trace;
use crate::usage::Usage;

/// How many rows are read at a time while looking for those that match.
const CHUNK: usize = 256;

fn nothing<T>() -> Page<T> {
    Page {
        items: Vec::new(),
        next: None,
        state: OwnerState::NONE,
    }
}

pub(super) async fn sessions(
    connection: &mut SqliteConnection,
    owner: &Owner,
    query: &SessionQuery,
) -> Work<Page<Session>> {
    let mut after = paging::moment_place::<SessionId>(
        query.after.as_ref(),
        CursorKind::Sessions,
        owner,
        "sessions",
    )?;
    let Some((owner_id, state)) = load::owner(connection, owner).await? else {
        return Ok(nothing());
    };
    let wanted = paging::limit(query.limit) + 1;
    let newest = query.inactive_since.map_or(i64::MAX, Timestamp::as_micros);
    let mut items: Vec<Session> = Vec::new();
    loop {
        let (moment, id) = after.map_or((newest, None), |(moment, id)| {
            (moment, Some(blob(id.uuid())))
        });
        // What decides is the query itself; SQL only spares the reading of rows that surely do not match.
        let rows = sqlx::query(columns::session_sql!(
            "owner_id = ?1 AND active_at <= ?2 AND (active_at < ?2 OR id < ?3) \
             AND (?5 IS NULL OR retry_at <= ?5) AND (?6 IS NULL OR (deleted_at IS NOT NULL) = ?6) \
             ORDER BY active_at DESC, id DESC LIMIT ?4"
        ))
        .bind(owner_id)
        .bind(moment)
        .bind(id)
        .bind(CHUNK as i64)
        .bind(query.retry_due.map(Timestamp::as_micros))
        .bind(query.deleted)
        .fetch_all(&mut *connection)
        .await?;
        for row in &rows {
            let session = columns::session(row)?;
            after = Some((session.active_at.as_micros(), session.id));
            if query.matches(&session) {
                items.push(session);
            }
        }
        if rows.len() < CHUNK || items.len() >= wanted {
            break;
        }
    }
    Ok(paging::page(
        items.into_iter(),
        query.limit,
        state,
        |session| paging::moment_cursor(CursorKind::Sessions, owner, session.active_at, session.id),
    ))
}

pub(super) async fn messages(
    connection: &mut SqliteConnection,
    owner: &Owner,
    query: &MessageQuery,
) -> Work<Page<Message>> {
    query.validate()?;
    let after = paging::message_place(query.after.as_ref(), owner)?;
    let Some((owner_id, state)) = load::owner(connection, owner).await? else {
        return Ok(nothing());
    };
    let sql = match (query.session.is_some(), query.newest_first) {
        (true, false) => columns::message_sql!(
            "owner_id = ?1 AND session = ?3 AND number > max(?4, coalesce(?2, 0)) ORDER BY number LIMIT ?5"
        ),
        (true, true) => columns::message_sql!(
            "owner_id = ?1 AND session = ?3 AND number > ?4 AND number < coalesce(?2, 9223372036854775807) ORDER BY number DESC LIMIT ?5"
        ),
        (false, false) => columns::message_sql!(
            "owner_id = ?1 AND ordinal > coalesce(?2, 0) AND ?3 IS NULL AND ?4 = 0 ORDER BY ordinal LIMIT ?5"
        ),
        (false, true) => columns::message_sql!(
            "owner_id = ?1 AND ordinal < coalesce(?2, 9223372036854775807) AND ?3 IS NULL AND ?4 = 0 ORDER BY ordinal DESC LIMIT ?5"
        ),
    };
    let rows = sqlx::query(sql)
        .bind(owner_id)
        .bind(after.map(integer))
        .bind(query.session.map(|session| blob(session.uuid())))
        .bind(query.after_number.map_or(0, |number| integer(number.get())))
        .bind(integer(paging::limit(query.limit) as u64 + 1))
        .fetch_all(connection)
        .await?;
    let items: Vec<Message> = rows.iter().map(columns::message).collect::<Work<_>>()?;
    Ok(paging::page(
        items.into_iter(),
        query.limit,
        state,
        |message| Cursor::new(CursorKind::Messages, owner, query.place(message)),
    ))
}

pub(super) async fn observations(
    connection: &mut SqliteConnection,
    owner: &Owner,
    query: &ObservationQuery,
) -> Work<Page<Observation>> {
    let kind = CursorKind::Observations;
    let mut after =
        paging::moment_place::<ObservationId>(query.after.as_ref(), kind, owner, "observations")?;
    let Some((owner_id, state)) = load::owner(connection, owner).await? else {
        return Ok(nothing());
    };
    let from = query.from.map_or(i64::MIN, |from| from.as_micros() - 1);
    let until = query.until.map_or(i64::MAX, Timestamp::as_micros);
    // Without an id, only what lies beyond the moment follows it.
    let (start, end) = match query.newest_first {
        false => (from, until),
        true => (until, from),
    };
    // The plus has SQLite look the ids up, and not walk through the moments.
    let sql = match (query.ids.is_empty(), query.newest_first) {
        (true, false) => {
            "SELECT * FROM observation WHERE owner_id = ?1 AND at >= ?2 AND (at > ?2 OR id > ?3) AND at < ?4 \
             AND ?6 = '[]' ORDER BY at, id LIMIT ?5"
        }
        (true, true) => {
            "SELECT * FROM observation WHERE owner_id = ?1 AND at <= ?2 AND (at < ?2 OR id < ?3) AND at > ?4 \
             AND ?6 = '[]' ORDER BY at DESC, id DESC LIMIT ?5"
        }
        (false, false) => {
            "SELECT * FROM observation WHERE owner_id = ?1 AND +at >= ?2 AND (+at > ?2 OR id > ?3) AND +at < ?4 \
             AND id IN (SELECT unhex(value) FROM json_each(?6)) ORDER BY +at, id LIMIT ?5"
        }
        (false, true) => {
            "SELECT * FROM observation WHERE owner_id = ?1 AND +at <= ?2 AND (+at < ?2 OR id < ?3) AND +at > ?4 \
             AND id IN (SELECT unhex(value) FROM json_each(?6)) ORDER BY +at DESC, id DESC LIMIT ?5"
        }
    };
    let ids = load::hex(query.ids.iter().map(|id| id.uuid()));
    let wanted = paging::limit(query.limit) + 1;
    let mut items: Vec<Observation> = Vec::new();
    loop {
        let (moment, id) = match after {
            Some((moment, id)) => (moment, Some(blob(id.uuid()))),
            None => (start, None),
        };
        let rows = sqlx::query(sql)
            .bind(owner_id)
            .bind(moment)
            .bind(id)
            .bind(end)
            .bind(CHUNK as i64)
            .bind(&ids)
            .fetch_all(&mut *connection)
            .await?;
        {
            let matches = query.matcher();
            for row in &rows {
                let seen = columns::observation(row)?;
                after = Some((seen.at.as_micros(), seen.id));
                if matches(&seen) {
                    items.push(seen);
                }
            }
        }
        if rows.len() < CHUNK || items.len() >= wanted {
            break;
        }
    }
    Ok(paging::page(
        items.into_iter(),
        query.limit,
        state,
        |seen| paging::moment_cursor(kind, owner, seen.at, seen.id),
    ))
}

pub(super) async fn traces(
    connection: &mut SqliteConnection,
    owner: &Owner,
    query: &TraceQuery,
) -> Work<Page<Trace>> {
    let after = paging::trace_place(query.after.as_ref(), owner)?;
    let Some((owner_id, state)) = load::owner(connection, owner).await? else {
        return Ok(nothing());
    };
    let (moment, session, call) = match after {
        Some((moment, session, call)) => (moment, Some(blob(session.uuid())), Some(call)),
        None => (i64::MIN, None, None),
    };
    let rows = sqlx::query(
        "SELECT * FROM trace WHERE owner_id = ?1 AND started_at >= ?2 \
         AND (started_at > ?2 OR (session, call) > (?3, ?4)) AND (?5 IS NULL OR session = ?5) \
         ORDER BY started_at, session, call LIMIT ?6",
    )
    .bind(owner_id)
    .bind(moment)
    .bind(session)
    .bind(call)
    .bind(query.session.map(|session| blob(session.uuid())))
    .bind(integer(paging::limit(query.limit) as u64 + 1))
    .fetch_all(connection)
    .await?;
    let items: Vec<Trace> = rows.iter().map(columns::trace).collect::<Work<_>>()?;
    Ok(paging::page(
        items.into_iter(),
        query.limit,
        state,
        |trace| paging::trace_cursor(owner, trace),
    ))
}

pub(super) async fn usage(
    connection: &mut SqliteConnection,
    owner: &Owner,
    query: &UsageQuery,
) -> Work<Page<Usage>> {
    let kind = CursorKind::Usage;
    let after = paging::moment_place::<UsageId>(query.after.as_ref(), kind, owner, "usage")?;
    let Some((owner_id, state)) = load::owner(connection, owner).await? else {
        return Ok(nothing());
    };
    let mut place = after.map_or((i64::MIN, None), |(moment, id)| {
        (moment, Some(blob(id.uuid())))
    });
    // Without an id, only what is later than the moment follows it.
    if let Some(before) = query.since.map(|since| since.as_micros() - 1)
        && before >= place.0
    {
        place = (before, None);
    }
    let (moment, id) = place;
    let memories = query.memories.iter().map(|memory| memory.uuid());
    let memories = (!query.memories.is_empty()).then(|| load::hex(memories));
    let kinds: Vec<&str> = query.kinds.iter().map(|kind| kind.word()).collect();
    let kinds = (!kinds.is_empty()).then(|| columns::to_json(&kinds));
    let rows = sqlx::query(
        "SELECT * FROM usage WHERE owner_id = ?1 AND at >= ?2 AND (at > ?2 OR id > ?3) \
         AND (?4 IS NULL OR session = ?4) \
         AND (?5 IS NULL OR memory IN (SELECT unhex(value) FROM json_each(?5))) \
         AND (?6 IS NULL OR kind IN (SELECT value FROM json_each(?6))) ORDER BY at, id LIMIT ?7",
    )
    .bind(owner_id)
    .bind(moment)
    .bind(id)
    .bind(query.session.map(|session| blob(session.uuid())))
    .bind(memories)
    .bind(kinds)
    .bind(integer(paging::limit(query.limit) as u64 + 1))
    .fetch_all(connection)
    .await?;
    let items: Vec<Usage> = rows.iter().map(columns::usage).collect::<Work<_>>()?;
    Ok(paging::page(
        items.into_iter(),
        query.limit,
        state,
        |usage| paging::moment_cursor(kind, owner, usage.at, usage.id),
    ))
}

pub(super) async fn journal(
    connection: &mut SqliteConnection,
    owner: &Owner,
    since: u64,
    limit: usize,
) -> Work<Vec<JournalEntry>> {
    let rows = sqlx::query(
        "SELECT * FROM journal WHERE owner_id = (SELECT id FROM owner WHERE name = ?1) AND revision >= ?2 \
         ORDER BY revision LIMIT ?3",
    )
    .bind(owner.as_str())
    .bind(integer(since))
    .bind(integer(paging::limit(limit) as u64))
    .fetch_all(connection)
    .await?;
    rows.iter().map(columns::entry).collect()
}
