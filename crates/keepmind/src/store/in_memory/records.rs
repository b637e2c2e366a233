//! Chats, messages, observations, traces, usage and the journal, page by page.

use crate::error::Result;
use crate::ids::{ObservationId, SessionId, UsageId};
use crate::journal::JournalEntry;
use crate::message::Message;
use crate::observation::Observation;
use crate::order;
use crate::owner::Owner;
use crate::session::Session;
use crate::store::in_memory::Owned;
use crate::store::{
    Cursor, CursorKind, MessageQuery, ObservationQuery, Page, SessionQuery, TraceQuery, UsageQuery,
    paging,
};
use crate::trace::Trace;
use crate::usage::Usage;

pub(super) fn sessions(
    owned: &Owned,
    owner: &Owner,
    query: &SessionQuery,
) -> Result<Page<Session>> {
    let after = paging::moment_place::<SessionId>(
        query.after.as_ref(),
        CursorKind::Sessions,
        owner,
        "sessions",
    )?;
    let place = |session: &Session| (session.active_at.as_micros(), session.id);
    let mut sessions: Vec<&Session> = owned
        .snapshot
        .sessions()
        .filter(|session| {
            query.matches(session) && after.is_none_or(|after| place(session) < after)
        })
        .collect();
    order::sort_by_key(&mut sessions, |session| std::cmp::Reverse(place(session)));
    Ok(paging::page(
        sessions.into_iter().cloned(),
        query.limit,
        *owned.snapshot.state(),
        |session| paging::moment_cursor(CursorKind::Sessions, owner, session.active_at, session.id),
    ))
}

pub(super) fn messages(
    owned: &Owned,
    owner: &Owner,
    query: &MessageQuery,
) -> Result<Page<Message>> {
    query.validate()?;
    let after = paging::message_place(query.after.as_ref(), owner)?;
    let wanted = |message: &&Message| {
        query.matches(message)
            && after.is_none_or(|after| match query.newest_first {
                true => query.place(message) < after,
                false => query.place(message) > after,
            })
    };
    let mut messages: Vec<&Message> = match query.session {
        Some(session) => owned.snapshot.messages_of(session).filter(wanted).collect(),
        None => owned.snapshot.messages().filter(wanted).collect(),
    };
    order::sort_by_key(&mut messages, |message| query.place(message));
    if query.newest_first {
        messages.reverse();
    }
    Ok(paging::page(
        messages.into_iter().cloned(),
        query.limit,
        *owned.snapshot.state(),
        |message| Cursor::new(CursorKind::Messages, owner, query.place(message)),
    ))
}

pub(super) fn observations(
    owned: &Owned,
    owner: &Owner,
    query: &ObservationQuery,
) -> Result<Page<Observation>> {
    let kind = CursorKind::Observations;
    let after =
        paging::moment_place::<ObservationId>(query.after.as_ref(), kind, owner, "observations")?;
    let place = |observation: &Observation| (observation.at.as_micros(), observation.id);
    let matches = query.matcher();
    let mut observations: Vec<&Observation> = owned
        .snapshot
        .observations()
        .filter(|seen| {
            let comes = |after| match query.newest_first {
                true => place(seen) < after,
                false => place(seen) > after,
            };
            after.is_none_or(comes) && matches(seen)
        })
        .collect();
    order::sort_by_key(&mut observations, |seen| place(seen));
    if query.newest_first {
        observations.reverse();
    }
    Ok(paging::page(
        observations.into_iter().cloned(),
        query.limit,
        *owned.snapshot.state(),
        |seen| paging::moment_cursor(kind, owner, seen.at, seen.id),
    ))
}

pub(super) fn traces(owned: &Owned, owner: &Owner, query: &TraceQuery) -> Result<Page<Trace>> {
    let after = paging::trace_place(query.after.as_ref(), owner)?;
    let place = |trace: &Trace| {
        (
            trace.started_at.as_micros(),
            trace.key.session,
            trace.key.call.clone(),
        )
    };
    let wanted = |trace: &&Trace| after.as_ref().is_none_or(|after| place(trace) > *after);
    let mut traces: Vec<&Trace> = match query.session {
        Some(session) => owned.snapshot.traces_of(session).filter(wanted).collect(),
        None => owned.snapshot.traces().filter(wanted).collect(),
    };
    order::sort_by_key(&mut traces, |trace| place(trace));
    Ok(paging::page(
        traces.into_iter().cloned(),
        query.limit,
        *owned.snapshot.state(),
        |trace| paging::trace_cursor(owner, trace),
    ))
}

pub(super) fn usage(owned: &Owned, owner: &Owner, query: &UsageQuery) -> Result<Page<Usage>> {
    let kind = CursorKind::Usage;
    let after = paging::moment_place::<UsageId>(query.after.as_ref(), kind, owner, "usage")?;
    let place = |usage: &Usage| (usage.at.as_micros(), usage.id);
    let mut uses: Vec<&Usage> = owned
        .snapshot
        .usage()
        .filter(|usage| query.matches(usage))
        .filter(|usage| after.is_none_or(|after| place(usage) > after))
        .collect();
    order::sort_by_key(&mut uses, |usage| place(usage));
    Ok(paging::page(
        uses.into_iter().cloned(),
        query.limit,
        *owned.snapshot.state(),
        |usage| paging::moment_cursor(kind, owner, usage.at, usage.id),
    ))
}

pub(super) fn journal(owned: &Owned, since: u64, limit: usize) -> Vec<JournalEntry> {
    owned
        .snapshot
        .journal_since(since)
        .take(paging::limit(limit))
        .cloned()
        .collect()
}
