//! Chats, messages, observations, traces, usage and the journal, page by page.

use crate::ids::{ObservationId, SessionId, UsageId};
use crate::journal::JournalEntry;
use crate::message::Message;
use crate::observation::Observation;
use crate::owner::{Owner, OwnerState};
use crate::session::Session;
use crate::store::database::{Shelf, Standing};
use crate::store::{
    Cursor, CursorKind, MessageQuery, ObservationQuery, Page, SessionQuery, TraceQuery, UsageQuery,
    paging,
};
use crate::timestamp::Timestamp;
use crate::trace::Trace;
use crate::usage::Usage;

/// How many rows are read at a time while looking for those that match.
pub(crate) const CHUNK: usize = 256;

/// A moment and an id. Without an id, only what lies beyond the moment follows it.
pub(crate) type Moment<T> = (i64, Option<T>);

/// What a database is asked for records. What decides is the query itself; the database only spares the reading
/// of rows that surely do not match.
pub(crate) trait Records: Shelf {
    /// The next chats, the most recently active first: [`CHUNK`] of them.
    fn sessions_before(
        &mut self,
        key: Self::Key,
        query: &SessionQuery,
        place: Moment<SessionId>,
    ) -> impl Future<Output = Result<Vec<Session>, Self::Failure>> + Send;

    /// The messages that a query asks for, after a place, and where the owner's data stands at that moment.
    fn messages_after(
        &mut self,
        owner: &Owner,
        query: &MessageQuery,
        place: Option<u64>,
        limit: usize,
    ) -> impl Future<Output = Result<(Vec<Message>, OwnerState), Self::Failure>> + Send;

    /// The next observations in the direction of the query, up to another moment: [`CHUNK`] of them.
    fn observations_after(
        &mut self,
        key: Self::Key,
        query: &ObservationQuery,
        place: Moment<ObservationId>,
        end: i64,
    ) -> impl Future<Output = Result<Vec<Observation>, Self::Failure>> + Send;

    /// The traces that a query asks for, after a place.
    fn traces_after(
        &mut self,
        key: Self::Key,
        query: &TraceQuery,
        place: Option<(i64, SessionId, String)>,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<Trace>, Self::Failure>> + Send;

    /// The uses that a query asks for, after a place.
    fn usage_after(
        &mut self,
        key: Self::Key,
        query: &UsageQuery,
        place: Moment<UsageId>,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<Usage>, Self::Failure>> + Send;

    /// The journal from a revision's count on.
    fn journal(
        &mut self,
        owner: &Owner,
        since: u64,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<JournalEntry>, Self::Failure>> + Send;
}

/// A page of what is read of an owner at one revision.
macro_rules! page {
    ($shelf:ident, $owner:ident, $query:ident, |$key:ident| $read:expr, $cursor:expr) => {{
        let (items, state) = match $shelf.begin($owner).await? {
            Some(Standing {
                key: $key,
                counters,
                ..
            }) => ($read.await?, counters.state),
            None => (Vec::new(), OwnerState::NONE),
        };
        $shelf.end().await?;
        Ok(paging::page(
            items.into_iter(),
            $query.limit,
            state,
            $cursor,
        ))
    }};
}

pub(crate) async fn sessions<S: Records>(
    shelf: &mut S,
    owner: &Owner,
    query: &SessionQuery,
) -> Result<Page<Session>, S::Failure> {
    let kind = CursorKind::Sessions;
    let after = paging::moment_place(query.after.as_ref(), kind, owner, "sessions")?;
    page!(
        shelf,
        owner,
        query,
        |key| matching_sessions(shelf, key, query, after),
        |session| paging::moment_cursor(kind, owner, session.active_at, session.id)
    )
}

async fn matching_sessions<S: Records>(
    shelf: &mut S,
    key: S::Key,
    query: &SessionQuery,
    after: Option<(i64, SessionId)>,
) -> Result<Vec<Session>, S::Failure> {
    let wanted = paging::limit(query.limit) + 1;
    let newest = query.inactive_since.map_or(i64::MAX, Timestamp::as_micros);
    let mut place = after.map_or((newest, None), |(moment, id)| (moment, Some(id)));
    let mut items: Vec<Session> = Vec::new();
    loop {
        let sessions = shelf.sessions_before(key, query, place).await?;
        let count = sessions.len();
        for session in sessions {
            place = (session.active_at.as_micros(), Some(session.id));
            if query.matches(&session) {
                items.push(session);
            }
        }
        if count < CHUNK || items.len() >= wanted {
            return Ok(items);
        }
    }
}

pub(crate) async fn messages<S: Records>(
    shelf: &mut S,
    owner: &Owner,
    query: &MessageQuery,
) -> Result<Page<Message>, S::Failure> {
    query.validate()?;
    let after = paging::message_place(query.after.as_ref(), owner)?;
    let wanted = paging::limit(query.limit) + 1;
    let (messages, state) = shelf.messages_after(owner, query, after, wanted).await?;
    let cursor = |message: &Message| Cursor::new(CursorKind::Messages, owner, query.place(message));
    let messages = messages.into_iter();
    Ok(paging::page(messages, query.limit, state, cursor))
}

pub(crate) async fn observations<S: Records>(
    shelf: &mut S,
    owner: &Owner,
    query: &ObservationQuery,
) -> Result<Page<Observation>, S::Failure> {
    let kind = CursorKind::Observations;
    let after = paging::moment_place(query.after.as_ref(), kind, owner, "observations")?;
    page!(
        shelf,
        owner,
        query,
        |key| matching_observations(shelf, key, query, after),
        |seen| paging::moment_cursor(kind, owner, seen.at, seen.id)
    )
}

async fn matching_observations<S: Records>(
    shelf: &mut S,
    key: S::Key,
    query: &ObservationQuery,
    after: Option<(i64, ObservationId)>,
) -> Result<Vec<Observation>, S::Failure> {
    let from = query.from.map_or(i64::MIN, |from| from.as_micros() - 1);
    let until = query.until.map_or(i64::MAX, Timestamp::as_micros);
    let (start, end) = match query.newest_first {
        false => (from, until),
        true => (until, from),
    };
    let wanted = paging::limit(query.limit) + 1;
    let mut place = after.map_or((start, None), |(moment, id)| (moment, Some(id)));
    let mut items: Vec<Observation> = Vec::new();
    loop {
        let seen = shelf.observations_after(key, query, place, end).await?;
        let count = seen.len();
        {
            let matches = query.matcher();
            for seen in seen {
                place = (seen.at.as_micros(), Some(seen.id));
                if matches(&seen) {
                    items.push(seen);
                }
            }
        }
        if count < CHUNK || items.len() >= wanted {
            return Ok(items);
        }
    }
}

pub(crate) async fn traces<S: Records>(
    shelf: &mut S,
    owner: &Owner,
    query: &TraceQuery,
) -> Result<Page<Trace>, S::Failure> {
    let after = paging::trace_place(query.after.as_ref(), owner)?;
    let wanted = paging::limit(query.limit) + 1;
    page!(
        shelf,
        owner,
        query,
        |key| shelf.traces_after(key, query, after, wanted),
        |trace| paging::trace_cursor(owner, trace)
    )
}

pub(crate) async fn usage<S: Records>(
    shelf: &mut S,
    owner: &Owner,
    query: &UsageQuery,
) -> Result<Page<Usage>, S::Failure> {
    let kind = CursorKind::Usage;
    let after = paging::moment_place(query.after.as_ref(), kind, owner, "usage")?;
    let mut place = after.map_or((i64::MIN, None), |(moment, id)| (moment, Some(id)));
    if let Some(before) = query.since.map(|since| since.as_micros() - 1)
        && before >= place.0
    {
        place = (before, None);
    }
    let wanted = paging::limit(query.limit) + 1;
    page!(
        shelf,
        owner,
        query,
        |key| shelf.usage_after(key, query, place, wanted),
        |usage| paging::moment_cursor(kind, owner, usage.at, usage.id)
    )
}
