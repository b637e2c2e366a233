//! What a change set meets before its first byte is written: it can still be refused at no cost.

use std::collections::BTreeMap;

use sqlx::sqlite::SqliteRow;
use sqlx::{Row as _, SqliteConnection};

use crate::change::{ChangeSet, Expected, Place, Placement, Receipt, RowChange, SessionChange};
use crate::error::Result;
use crate::ids::{MessageNumber, MessageOrdinal, OperationId, SessionId};
use crate::order::Gather;
use crate::owner::{Owner, OwnerState};
use crate::search::Document;
use crate::session::Session;
use crate::store::sqlite::columns::{self, blob};
use crate::store::sqlite::failure::{Work, damaged};
use crate::store::sqlite::transaction::Transaction;

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
    /// All messages up to here are in the keyword index.
    pub(super) indexed_through: Document,
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
    transaction: &mut Transaction<'_>,
    request: &CommitRequest,
) -> Work<Prepared> {
    let CommitRequest {
        owner,
        expected,
        changes,
        verdict,
    } = request;
    transaction
        .add(
            "SELECT id, epoch, revision, next_number, last_stamp, embedding_changes, \
             (SELECT receipt FROM operation WHERE owner_id = owner.id AND operation.id = ?2) AS receipt, \
             (SELECT through FROM message_segment WHERE owner_id = owner.id ORDER BY number DESC LIMIT 1) AS through \
             FROM owner WHERE name = ?1",
        )
        .bind(owner.as_str())
        .bind(blob(changes.operation.uuid()));
    let touched = match verdict {
        Ok(()) => touched(changes),
        Err(_) => BTreeMap::new(),
    };
    for (id, is_light) in &touched {
        // Every message touches its chat: its block and the lines it was served stay where they are.
        let sql = match is_light {
            true => columns::places_sql!("status, deleted_at"),
            false => columns::places_sql!(columns::session_columns!()),
        };
        transaction
            .add(sql)
            .bind(owner.as_str())
            .bind(blob(id.uuid()));
    }
    let mut answers = transaction.run().await?;
    // What waited to be written was added before.
    let mut answers = answers
        .drain(answers.len() - touched.len() - 1..)
        .map(|rows| rows.into_iter().next());
    let mut indexed_through = 0;
    let (owner_id, before) = match answers.next().flatten() {
        Some(row) => {
            if let Some(receipt) = columns::json(row.try_get("receipt")?)? {
                return Ok(Prepared::Repeated(receipt));
            }
            let through: Option<i64> = row.try_get("through")?;
            let through = columns::as_count(through.unwrap_or(0));
            indexed_through = through.ok_or_else(|| damaged("through"))?;
            (Some(row.try_get("id")?), columns::owner_state(&row)?)
        }
        None => (None, OwnerState::NONE),
    };
    verdict.clone()?;
    let after = changes.next_state(&before, *expected)?;
    let mut found = Touched::default();
    for ((id, is_light), row) in touched.into_iter().zip(answers) {
        if let Some(row) = row {
            found.add(id, is_light, &row)?;
        }
    }
    for (id, change) in &changes.sessions {
        let last = found.last_numbers.get(id).copied().flatten();
        change.check(*id, found.sessions.get(id), last)?;
    }
    if !changes.messages.is_empty() && found.last_ordinal.is_none() {
        // Said in a chat that this set opens: other chats may have messages.
        let last: Option<i64> =
            sqlx::query_scalar("SELECT max(ordinal) FROM message WHERE owner_id = ?1")
                .bind(owner_id)
                .fetch_one(transaction.connection().await?)
                .await?;
        found.last_ordinal = last.and_then(|last| MessageOrdinal::new(last.cast_unsigned()));
    }
    let places = place_messages(&found, changes)?;
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
        sessions: found.sessions,
        places,
        indexed_through,
    }))
}

/// The chats that a set touches, and of which of them the state is enough.
fn touched(changes: &ChangeSet) -> BTreeMap<SessionId, bool> {
    let edited = changes.sessions.keys().copied();
    let spoken_in = changes.messages.iter().map(|message| message.session);
    edited
        .chain(spoken_in)
        .map(|id| {
            let is_light = match changes.sessions.get(&id) {
                Some(SessionChange::Edit(edit)) => edit.only_recency().is_some(),
                Some(SessionChange::Open(_) | SessionChange::Purge) => false,
                None => true,
            };
            (id, is_light)
        })
        .gather()
}

/// The chats that a set touches, as they are now.
#[derive(Default)]
struct Touched {
    sessions: BTreeMap<SessionId, Session>,
    last_numbers: BTreeMap<SessionId, Option<MessageNumber>>,
    /// The last ordinal of all the owner's messages.
    last_ordinal: Option<MessageOrdinal>,
}

impl Touched {
    fn add(&mut self, id: SessionId, is_light: bool, row: &SqliteRow) -> Work<()> {
        let session = match is_light {
            true => columns::session_state(id, row)?,
            false => columns::session(row)?,
        };
        self.sessions.insert(id, session);
        let last: Option<i64> = row.try_get("last_number")?;
        let last = last.map(columns::message_number).transpose()?;
        self.last_numbers.insert(id, last);
        let ordinal: Option<i64> = row.try_get("last_ordinal")?;
        self.last_ordinal = ordinal.and_then(|last| MessageOrdinal::new(last.cast_unsigned()));
        Ok(())
    }
}

fn place_messages(touched: &Touched, changes: &ChangeSet) -> Result<Vec<Place>> {
    if changes.messages.is_empty() {
        return Ok(Vec::new());
    }
    changes.check_spoken_in(|session| touched.sessions.contains_key(&session))?;
    let mut placement = Placement::new(touched.last_ordinal);
    changes
        .messages
        .iter()
        .map(|message| {
            let last = touched.last_numbers.get(&message.session).copied();
            placement.next(message, || last.flatten())
        })
        .collect()
}
