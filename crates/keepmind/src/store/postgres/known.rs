//! What this process last knew of owners: enough to write to them without reading first.
//!
//! Every write moves the owner's count of writes, and every write says at which count it was made. What is known
//! is good at that one write, which has an id of its own: a server that was set back counts to the same number again.
//! So knowing something old costs a round trip and never more.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use uuid::Uuid;

use crate::change::{ChangeSet, RowChange, SessionChange};
use crate::error::Result;
use crate::ids::{Epoch, MessageNumber, MessageOrdinal, SessionId};
use crate::owner::Owner;
use crate::search::Document;
use crate::session::SessionStatus;
use crate::store::database::Counters;
use crate::store::postgres::columns::{self, Cells, damaged};
use crate::store::postgres::facts;
use crate::timestamp::Timestamp;

/// Of how many owners something is kept in mind, and of how many chats of each. All is forgotten beyond.
const MOST_OWNERS: usize = 10_000;
const MOST_CHATS: usize = 64;

/// Where an owner's data stands.
#[derive(Debug, Clone)]
pub(super) struct Known {
    /// How many writes there were.
    pub(super) writes: i64,
    /// The last of them.
    pub(super) last_write: Uuid,
    pub(super) counters: Counters,
    /// The place of the last message of all.
    pub(super) last_ordinal: Option<MessageOrdinal>,
    /// All messages up to here are in the keyword index.
    pub(super) indexed_through: Document,
    /// Of all facts up to this number every version is,
    pub(super) facts_indexed_through: u64,
    pub(super) chats: BTreeMap<SessionId, Chat>,
}

/// What a message needs to know of its chat.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chat {
    pub(super) status: SessionStatus,
    pub(super) deleted_at: Option<Timestamp>,
    pub(super) last_number: Option<MessageNumber>,
}

impl Known {
    /// From the owner's row.
    pub(super) fn read(row: &impl Cells) -> Result<Self> {
        let last = row.optional_integer("last_ordinal")?;
        let counters = columns::counters(row)?;
        // Where facts have never waited it is more than any number.
        let through = columns::count(row, "facts_indexed_through")?;
        let given = counters.state.next_number.saturating_sub(1);
        Ok(Known {
            writes: row.integer("writes")?,
            last_write: row.id("last_write")?.ok_or_else(|| damaged("id"))?,
            counters,
            last_ordinal: last.and_then(|last| MessageOrdinal::new(last.cast_unsigned())),
            indexed_through: columns::count(row, "indexed_through")?,
            facts_indexed_through: through.min(given),
            chats: BTreeMap::new(),
        })
    }

    /// Whether it is enough to write a set with: nothing that must be read first goes or is overtaken, and of each chat
    /// that is edited its state is known.
    pub(super) fn suffices(&self, changes: &ChangeSet) -> bool {
        let is_gone = |change: &RowChange| matches!(change, RowChange::Purge(_));
        if facts::overtakes(changes) && self.facts_waiting() > 0 {
            return false;
        }
        let is_known = |id: &SessionId| self.chats.contains_key(id);
        !changes.rows.values().any(is_gone)
            && changes.sessions.iter().all(|(id, change)| match change {
                SessionChange::Open(_) => !is_known(id),
                SessionChange::Edit(edit) => edit.only_recency().is_some() && is_known(id),
                SessionChange::Purge => false,
            })
            && changes.messages.iter().all(|message| {
                changes.sessions.contains_key(&message.session) || is_known(&message.session)
            })
    }

    /// How many facts wait for the keyword index, at most.
    pub(super) fn facts_waiting(&self) -> u64 {
        let last = self.counters.state.next_number.saturating_sub(1);
        last.saturating_sub(self.facts_indexed_through)
    }

    fn epoch(&self) -> Epoch {
        self.counters.state.revision.epoch
    }

    pub(super) fn put_chat(&mut self, id: SessionId, chat: Chat) {
        if self.chats.len() >= MOST_CHATS && !self.chats.contains_key(&id) {
            self.chats.clear();
        }
        self.chats.insert(id, chat);
    }
}

#[derive(Debug, Default)]
pub(super) struct KnownOwners(Mutex<HashMap<Owner, Known>>);

impl KnownOwners {
    pub(super) fn get(&self, owner: &Owner) -> Option<Known> {
        self.lock().get(owner).cloned()
    }

    /// Keeps what was just read or written, unless something newer is known by now.
    pub(super) fn put(&self, owner: &Owner, known: Known) {
        let mut owners = self.lock();
        if owners.len() >= MOST_OWNERS && !owners.contains_key(owner) {
            owners.clear();
        }
        match owners.get_mut(owner) {
            Some(other) if other.epoch() == known.epoch() => {
                if other.writes < known.writes {
                    *other = known;
                } else if other.last_write == known.last_write {
                    for (id, chat) in known.chats {
                        other.put_chat(id, chat);
                    }
                }
            }
            _ => {
                owners.insert(owner.clone(), known);
            }
        }
    }

    pub(super) fn forget(&self, owner: &Owner) {
        self.lock().remove(owner);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Owner, Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
