//! Where pages begin and end, the same on every backend.

use std::fmt::Display;
use std::str::FromStr;

use crate::error::{Error, Result};
use crate::ids::{Number, SessionId, Version};
use crate::owner::{Owner, OwnerState};
use crate::row::MemoryRow;
use crate::store::{Cursor, CursorKind, MAX_LIMIT, Page};
use crate::timestamp::Timestamp;
use crate::trace::Trace;

/// How many items a page may have.
pub(crate) fn limit(asked: usize) -> usize {
    asked.min(MAX_LIMIT)
}

/// A page from items in order. It has a cursor when there is at least one more.
pub(crate) fn page<T>(
    items: impl Iterator<Item = T>,
    asked: usize,
    state: OwnerState,
    cursor: impl Fn(&T) -> Cursor,
) -> Page<T> {
    let limit = limit(asked);
    let mut items: Vec<T> = items.take(limit + 1).collect();
    let more = items.len() > limit;
    items.truncate(limit);
    let next = if more { items.last().map(cursor) } else { None };
    Page { items, next, state }
}

/// A place in the order of memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MemoryPlace {
    pub(crate) number: Number,
    pub(crate) version: Version,
}

impl MemoryPlace {
    pub(crate) fn of(row: &MemoryRow) -> Self {
        MemoryPlace {
            number: row.body.number,
            version: row.body.version,
        }
    }

    pub(crate) fn pair(self) -> (Number, Version) {
        (self.number, self.version)
    }

    pub(crate) fn cursor(self, owner: &Owner) -> Cursor {
        let place = format_args!("{} {}", self.number.get(), self.version.get()).to_string();
        Cursor::new(CursorKind::Memories, owner, place)
    }

    pub(crate) fn read(cursor: Option<&Cursor>, owner: &Owner) -> Result<Option<Self>> {
        read(cursor, CursorKind::Memories, owner, "list", |position| {
            let (number, version) = position.split_once(' ')?;
            Some(MemoryPlace {
                number: Number::new(number.parse().ok()?)?,
                version: Version::new(version.parse().ok()?)?,
            })
        })
    }
}

/// A place in the order of messages, which [`MessageQuery::place`](crate::store::MessageQuery) gave.
pub(crate) fn message_place(cursor: Option<&Cursor>, owner: &Owner) -> Result<Option<u64>> {
    read(
        cursor,
        CursorKind::Messages,
        owner,
        "messages",
        |position| position.parse().ok().filter(|place| *place > 0),
    )
}

/// A place that is a moment and an id: of chats, observations and usage.
pub(crate) fn moment_place<T: FromStr>(
    cursor: Option<&Cursor>,
    kind: CursorKind,
    owner: &Owner,
    operation: &'static str,
) -> Result<Option<(i64, T)>> {
    read(cursor, kind, owner, operation, |position| {
        let (moment, id) = position.split_once(' ')?;
        Some((moment.parse().ok()?, id.parse().ok()?))
    })
}

/// A place in the order of traces: when a call began, its chat, its id.
pub(crate) fn trace_place(
    cursor: Option<&Cursor>,
    owner: &Owner,
) -> Result<Option<(i64, SessionId, String)>> {
    read(cursor, CursorKind::Traces, owner, "traces", |position| {
        let mut parts = position.splitn(3, ' ');
        let moment = parts.next()?.parse().ok()?;
        Some((
            moment,
            parts.next()?.parse().ok()?,
            parts.next()?.to_owned(),
        ))
    })
}

pub(crate) fn trace_cursor(owner: &Owner, trace: &Trace) -> Cursor {
    let place = format!(
        "{} {} {}",
        trace.started_at.as_micros(),
        trace.key.session,
        trace.key.call
    );
    Cursor::new(CursorKind::Traces, owner, place)
}

pub(crate) fn moment_cursor(
    kind: CursorKind,
    owner: &Owner,
    moment: Timestamp,
    id: impl Display,
) -> Cursor {
    Cursor::new(kind, owner, format_args!("{} {id}", moment.as_micros()))
}

fn read<T>(
    cursor: Option<&Cursor>,
    kind: CursorKind,
    owner: &Owner,
    operation: &'static str,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Result<Option<T>> {
    let Some(cursor) = cursor else {
        return Ok(None);
    };
    let position = cursor.position(kind, owner, operation)?;
    let place = parse(position).ok_or_else(|| {
        Error::invalid(
            operation,
            "this is not a cursor: pass the one of the last page, or none",
        )
    })?;
    Ok(Some(place))
}
