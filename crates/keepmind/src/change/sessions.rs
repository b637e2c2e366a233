//! What a set may do to chats, and the places its messages get.

use std::collections::{BTreeMap, BTreeSet};

use crate::change::{ChangeSet, NewMessage, Place, SessionChange, SessionEdit};
use crate::error::{Error, ErrorKind, Result};
use crate::ids::{MessageNumber, MessageOrdinal, SessionId};
use crate::session::{Recap, Session, Title};
#[cfg(any(feature = "sqlite", feature = "postgres"))]
use crate::timestamp::Timestamp;

const COMMIT: &str = "commit";

impl SessionChange {
    /// Whether the chat still is what the plan saw; `last` is the number of its last message.
    pub(crate) fn check(
        &self,
        id: SessionId,
        stored: Option<&Session>,
        last: Option<MessageNumber>,
    ) -> Result<()> {
        match (self, stored) {
            (SessionChange::Open(_), Some(_)) => Err(Error::invalid(
                COMMIT,
                format_args!("session {id} is open already"),
            )),
            (SessionChange::Open(_), None) | (SessionChange::Purge, Some(_)) => Ok(()),
            (SessionChange::Edit(_) | SessionChange::Purge, None) => Err(no_session(id)),
            (SessionChange::Edit(edit), Some(session)) => edit.check(session, last),
        }
    }
}

impl ChangeSet {
    /// Whether every chat that is spoken in is there once the set is committed.
    pub(crate) fn check_spoken_in(&self, is_stored: impl Fn(SessionId) -> bool) -> Result<()> {
        for NewMessage { session, .. } in &self.messages {
            let is_there = match self.sessions.get(session) {
                Some(SessionChange::Open(_)) => true,
                Some(SessionChange::Purge) => false,
                Some(SessionChange::Edit(_)) | None => is_stored(*session),
            };
            if !is_there {
                return Err(no_session(*session));
            }
        }
        Ok(())
    }
}

impl SessionEdit {
    /// Whether the chat still is what the plan saw.
    fn check(&self, session: &Session, last: Option<MessageNumber>) -> Result<()> {
        if self
            .expect_last_message
            .is_some_and(|expected| expected != last)
        {
            return Err(Error::new(
                ErrorKind::Conflict,
                COMMIT,
                format_args!(
                    "session {} has other messages by now: load and plan again",
                    session.id
                ),
            ));
        }
        let is_deleted = session.deleted_at.is_some();
        if self
            .expect_status
            .is_some_and(|status| status != session.status)
            || self
                .expect_deleted
                .is_some_and(|deleted| deleted != is_deleted)
            || self
                .expect_titled
                .is_some_and(|titled| titled != session.title.is_some())
        {
            return Err(Error::new(
                ErrorKind::Conflict,
                COMMIT,
                format_args!(
                    "session {} is in another state by now: load and plan again",
                    session.id
                ),
            ));
        }
        if self
            .lease
            .is_some_and(|lease| lease.expected != session.lease)
        {
            return Err(Error::new(
                ErrorKind::Conflict,
                COMMIT,
                format_args!(
                    "the lease of session {} has changed hands: load and plan again",
                    session.id
                ),
            ));
        }
        Ok(())
    }

    /// The chat with its columns changed.
    pub(crate) fn apply(&self, session: &mut Session) {
        let SessionEdit {
            expect_last_message: _,
            expect_status: _,
            expect_deleted: _,
            expect_titled: _,
            lease,
            active_at,
            status,
            deleted_at,
            title,
            extracted_through,
            attempts,
            retry_at,
            recap,
            block,
            served,
        } = self.clone();
        fn set<T>(column: &mut T, to: Option<T>) {
            if let Some(to) = to {
                *column = to;
            }
        }
        set(&mut session.lease, lease.map(|lease| lease.to));
        set(&mut session.active_at, active_at);
        set(&mut session.status, status);
        set(&mut session.deleted_at, deleted_at);
        let is_users = |title: &Option<Title>| title.as_ref().is_some_and(|title| title.by_user);
        let is_automatic =
            |title: &Option<Title>| title.as_ref().is_some_and(|title| !title.by_user);
        if !(is_users(&session.title) && title.as_ref().is_some_and(is_automatic)) {
            set(&mut session.title, title);
        }
        set(&mut session.extracted_through, extracted_through.map(Some));
        set(&mut session.attempts, attempts);
        set(&mut session.retry_at, retry_at);
        let reaches = |recap: &Option<Recap>| recap.as_ref().map(|recap| recap.through);
        // Two may summarise at once: what reaches further stays. Nothing at all is a word of its own.
        if recap
            .as_ref()
            .is_none_or(|recap| recap.is_none() || reaches(recap) >= reaches(&session.recap))
        {
            set(&mut session.recap, recap);
        }
        set(&mut session.block, block);
        set(&mut session.served, served);
    }

    /// When the chat was last active, where that is all that changes: every message says so.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) fn only_recency(&self) -> Option<Timestamp> {
        let same = SessionEdit {
            expect_last_message: self.expect_last_message,
            expect_status: self.expect_status,
            expect_deleted: self.expect_deleted,
            active_at: self.active_at,
            ..SessionEdit::default()
        };
        self.active_at.filter(|_| *self == same)
    }
}

/// Gives messages their places: the one they bring, or the next in their chat and of their owner.
pub(crate) struct Placement {
    last_ordinal: Option<MessageOrdinal>,
    last_numbers: BTreeMap<SessionId, Option<MessageNumber>>,
    taken: BTreeSet<(SessionId, MessageNumber)>,
    ordinals: BTreeSet<MessageOrdinal>,
}

impl Placement {
    pub(crate) fn new(last_ordinal: Option<MessageOrdinal>) -> Self {
        Placement {
            last_ordinal,
            last_numbers: BTreeMap::new(),
            taken: BTreeSet::new(),
            ordinals: BTreeSet::new(),
        }
    }

    /// The place of the next message; `stored` is the last number its chat holds already.
    pub(crate) fn next(
        &mut self,
        message: &NewMessage,
        stored: impl FnOnce() -> Option<MessageNumber>,
    ) -> Result<Place> {
        let last = self
            .last_numbers
            .entry(message.session)
            .or_insert_with(stored);
        let place = match message.place {
            Some(place) => place,
            None => Place {
                number: last
                    .map_or(Some(MessageNumber::FIRST), MessageNumber::next)
                    .ok_or_else(|| {
                        Error::invalid(COMMIT, "the chat has no room for another message")
                    })?,
                ordinal: self
                    .last_ordinal
                    .map_or(Some(MessageOrdinal::FIRST), MessageOrdinal::next)
                    .ok_or_else(|| {
                        Error::invalid(COMMIT, "the owner has no room for another message")
                    })?,
            },
        };
        *last = (*last).max(Some(place.number));
        self.last_ordinal = self.last_ordinal.max(Some(place.ordinal));
        if !self.taken.insert((message.session, place.number))
            || !self.ordinals.insert(place.ordinal)
        {
            return Err(Error::invalid(COMMIT, "a message's place is taken"));
        }
        Ok(place)
    }
}

fn no_session(id: SessionId) -> Error {
    Error::new(
        ErrorKind::NotFound,
        COMMIT,
        format_args!("there is no session {id}: open it first"),
    )
}
