//! What a change set meets before its first byte is written: it can still be refused at no cost.

use std::collections::{BTreeMap, BTreeSet};

use sqlx::{Row as _, SqliteConnection};

use crate::change::{ChangeSet, Expected, Place, Placement, Receipt, RowChange, SessionChange};
use crate::error::Result;
use crate::ids::{MessageNumber, MessageOrdinal, OperationId, SessionId};
use crate::owner::{Owner, OwnerState};
use crate::session::Session;
use crate::store::sqlite::columns::{self, blob};
use crate::store::sqlite::failure::Work;

/// What a caller asks to be committed.
pub(super) struct CommitRequest {
    pub(super) owner: Owner,
    pub(super) expected: Expected,
    pub(super) changes: ChangeSet,
    /// What is wrong with the set by itself, found out in the caller's task; answered only when the
    /// operation was not committed before.
    pub(super) verdict: Result<()>,
}

impl CommitRequest {
    pub(super) fn new(owner: Owner, expected: Expected, changes: ChangeSet) -> Self {
        let verdict = changes.validate();
        CommitRequest {
            owner,
            expected,
            changes,
            verdict,
        }
    }
}

/// What a change set meets before it is written.
pub(super) enum Prepared {
    /// It was committed before.
    Repeated(Receipt),
    /// It can be written.
    Ready(Ready),
}

pub(super) struct Ready {
    pub(super) owner_id: Option<i64>,
    pub(super) before: OwnerState,
    pub(super) after: OwnerState,
    pub(super) sessions: BTreeMap<SessionId, Session>,
    pub(super) places: Vec<Place>,
}

/// What a commit of that operation answered, while it is remembered.
pub(super) async fn receipt(
    connection: &mut SqliteConnection,
    owner: &Owner,
    operation: OperationId,
) -> Work<Option<Receipt>> {
    let receipt: Option<String> = sqlx::query_scalar(
        "SELECT receipt FROM operation WHERE owner_id = (SELECT id FROM owner WHERE name = ?1) AND id = ?2",
    )
    .bind(owner.as_str())
    .bind(blob(operation.uuid()))
    .fetch_optional(connection)
    .await?;
    columns::json(receipt.as_deref())
}

/// Checks everything that can be checked before the first byte is written.
pub(super) async fn prepare(
    connection: &mut SqliteConnection,
    request: &CommitRequest,
) -> Work<Prepared> {
    let CommitRequest {
        owner,
        expected,
        changes,
        verdict,
    } = request;
    let row = sqlx::query(
        "SELECT id, epoch, revision, next_number, last_stamp, embedding_changes, \
         (SELECT receipt FROM operation WHERE owner_id = owner.id AND operation.id = ?2) AS receipt \
         FROM owner WHERE name = ?1",
    )
    .bind(owner.as_str())
    .bind(blob(changes.operation.uuid()))
    .fetch_optional(&mut *connection)
    .await?;
    let (owner_id, before) = match &row {
        Some(row) => {
            if let Some(receipt) = columns::json(row.try_get("receipt")?)? {
                return Ok(Prepared::Repeated(receipt));
            }
            (Some(row.try_get("id")?), columns::owner_state(row)?)
        }
        None => (None, OwnerState::NONE),
    };
    verdict.clone()?;
    let after = changes.next_state(&before, *expected)?;
    let sessions = check_sessions(connection, owner_id, changes).await?;
    let places = place_messages(connection, owner_id, &sessions, changes).await?;
    for change in changes.rows.values() {
        if let RowChange::Insert(row) = change
            && let Some(memory) = row.memory()
        {
            changes.check_number(memory, &before)?;
        }
    }
    Ok(Prepared::Ready(Ready {
        owner_id,
        before,
        after,
        sessions,
        places,
    }))
}

/// The chats that the set touches, as they are now.
async fn check_sessions(
    connection: &mut SqliteConnection,
    owner_id: Option<i64>,
    changes: &ChangeSet,
) -> Work<BTreeMap<SessionId, Session>> {
    let mut sessions = BTreeMap::new();
    let touched = changes.sessions.keys().copied();
    let spoken_in = changes.messages.iter().map(|message| message.session);
    for id in touched.chain(spoken_in).collect::<BTreeSet<_>>() {
        let row = sqlx::query(columns::session_sql!("owner_id = ?1 AND id = ?2"))
            .bind(owner_id)
            .bind(blob(id.uuid()))
            .fetch_optional(&mut *connection)
            .await?;
        if let Some(row) = row {
            sessions.insert(id, columns::session(&row)?);
        }
    }
    for (id, change) in &changes.sessions {
        let last = match change {
            SessionChange::Edit(edit) if edit.expect_last_message.is_some() => {
                last_message(connection, owner_id, *id).await?
            }
            _ => None,
        };
        change.check(*id, sessions.get(id), last)?;
    }
    Ok(sessions)
}

async fn place_messages(
    connection: &mut SqliteConnection,
    owner_id: Option<i64>,
    sessions: &BTreeMap<SessionId, Session>,
    changes: &ChangeSet,
) -> Work<Vec<Place>> {
    if changes.messages.is_empty() {
        return Ok(Vec::new());
    }
    changes.check_spoken_in(|session| sessions.contains_key(&session))?;
    let last: Option<i64> =
        sqlx::query_scalar("SELECT max(ordinal) FROM message WHERE owner_id = ?1")
            .bind(owner_id)
            .fetch_one(&mut *connection)
            .await?;
    let mut placement =
        Placement::new(last.and_then(|last| MessageOrdinal::new(last.cast_unsigned())));
    let mut places = Vec::with_capacity(changes.messages.len());
    for message in &changes.messages {
        let last = match placement.knows(message.session) {
            true => None,
            false => last_message(connection, owner_id, message.session).await?,
        };
        places.push(placement.next(message, || last)?);
    }
    Ok(places)
}

async fn last_message(
    connection: &mut SqliteConnection,
    owner_id: Option<i64>,
    session: SessionId,
) -> Work<Option<MessageNumber>> {
    let last: Option<i64> =
        sqlx::query_scalar("SELECT max(number) FROM message WHERE owner_id = ?1 AND session = ?2")
            .bind(owner_id)
            .bind(blob(session.uuid()))
            .fetch_one(connection)
            .await?;
    last.map(columns::message_number).transpose()
}
