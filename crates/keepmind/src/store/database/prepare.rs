//! What a change set meets before its first byte is written: it can still be refused at no cost.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::change::{ChangeSet, Expected, Place, Placement, RowChange, SessionChange};
use crate::error::Result;
use crate::ids::{MessageNumber, MessageOrdinal, SessionId};
use crate::order::Gather;
use crate::owner::{Owner, OwnerState};
use crate::session::Session;
use crate::store::database::columns::{self, Cells};

/// What a caller asks to be committed.
pub(crate) struct CommitRequest {
    pub(crate) owner: Owner,
    pub(crate) expected: Expected,
    pub(crate) changes: Arc<ChangeSet>,
    /// What is wrong with the set by itself, found out in the caller's task; answered only when the
    /// operation was not committed before.
    pub(crate) verdict: Result<()>,
}

impl CommitRequest {
    pub(crate) fn new(owner: Owner, expected: Expected, changes: Arc<ChangeSet>) -> Self {
        let verdict = changes.validate();
        CommitRequest {
            owner,
            expected,
            changes,
            verdict,
        }
    }
}

/// The chats that a set touches, and of which of them the state is enough.
pub(crate) fn touched(changes: &ChangeSet) -> BTreeMap<SessionId, bool> {
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
pub(crate) struct Touched {
    pub(crate) sessions: BTreeMap<SessionId, Session>,
    pub(crate) last_numbers: BTreeMap<SessionId, Option<MessageNumber>>,
    /// The last ordinal of all the owner's messages.
    pub(crate) last_ordinal: Option<MessageOrdinal>,
}

impl Touched {
    /// A chat that is there, from its columns.
    pub(crate) fn add(&mut self, id: SessionId, is_light: bool, row: &impl Cells) -> Result<()> {
        let session = match is_light {
            true => columns::session_state(id, row)?,
            false => columns::session(row)?,
        };
        self.sessions.insert(id, session);
        let last = row.optional_integer("last_number")?;
        let last = last.map(columns::message_number).transpose()?;
        self.last_numbers.insert(id, last);
        let ordinal = row.optional_integer("last_ordinal")?;
        self.last_ordinal = ordinal.and_then(|last| MessageOrdinal::new(last.cast_unsigned()));
        Ok(())
    }

    /// Whether each chat still is what the set expects of it.
    pub(crate) fn check(&self, changes: &ChangeSet) -> Result<()> {
        for (id, change) in &changes.sessions {
            let last = self.last_numbers.get(id).copied().flatten();
            change.check(*id, self.sessions.get(id), last)?;
        }
        Ok(())
    }

    /// The places that the messages of a set get.
    pub(crate) fn place_messages(&self, changes: &ChangeSet) -> Result<Vec<Place>> {
        if changes.messages.is_empty() {
            return Ok(Vec::new());
        }
        changes.check_spoken_in(|session| self.sessions.contains_key(&session))?;
        let mut placement = Placement::new(self.last_ordinal);
        changes
            .messages
            .iter()
            .map(|message| {
                let last = self.last_numbers.get(&message.session).copied();
                placement.next(message, || last.flatten())
            })
            .collect()
    }
}

/// Whether the facts that a set inserts have numbers that are theirs.
pub(crate) fn check_numbers(changes: &ChangeSet, before: &OwnerState) -> Result<()> {
    for change in changes.rows.values() {
        if let RowChange::Insert(row) = change
            && let Some(memory) = row.memory()
        {
            changes.check_number(memory, before)?;
        }
    }
    Ok(())
}
