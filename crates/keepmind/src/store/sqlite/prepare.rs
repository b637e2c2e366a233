//! What a change set meets before its first byte is written: read, and held against it.

use std::collections::BTreeMap;

use sqlx::{Row as _, SqliteConnection};

use crate::change::{Place, Receipt};
use crate::ids::{MessageOrdinal, OperationId, SessionId};
use crate::owner::{Owner, OwnerState};
use crate::search::Document;
use crate::session::Session;
use crate::store::database::prepare::{CommitRequest, Touched, check_numbers, touched};
use crate::store::sqlite::columns::{self, blob};
use crate::store::sqlite::failure::{Work, damaged};
use crate::store::sqlite::transaction::Transaction;

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
    Ok(columns::json(receipt.as_deref())?)
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
    found.check(changes)?;
    if !changes.messages.is_empty() && found.last_ordinal.is_none() {
        // Said in a chat that this set opens: other chats may have messages.
        let last: Option<i64> =
            sqlx::query_scalar("SELECT max(ordinal) FROM message WHERE owner_id = ?1")
                .bind(owner_id)
                .fetch_one(transaction.connection().await?)
                .await?;
        found.last_ordinal = last.and_then(|last| MessageOrdinal::new(last.cast_unsigned()));
    }
    let places = found.place_messages(changes)?;
    check_numbers(changes, &before)?;
    Ok(Prepared::Ready(Ready {
        owner_id,
        before,
        after,
        sessions: found.sessions,
        places,
        indexed_through,
    }))
}
