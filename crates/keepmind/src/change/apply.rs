//! What a commit means: the reference that every store is compared with.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::change::sessions::Placement;
use crate::change::snapshot::Snapshot;
use crate::change::{
    Alteration, ChangeSet, EmbeddingChange, Expected, Place, Receipt, RowChange, SessionChange,
    TraceChange,
};
use crate::error::{Error, ErrorKind, Result};
use crate::ids::{Epoch, RowId};
use crate::message::Message;
use crate::owner::{OwnerState, Revision};
use crate::row::{Body, Kind, Row};
use crate::timestamp::Timestamp;

const COMMIT: &str = "commit";

impl Snapshot {
    /// Commits a change set: all of it, or nothing and an error.
    ///
    /// This is the reference semantics. Call it on a whole owner's data, never on a slice.
    pub fn apply(&mut self, expected: Expected, changes: &ChangeSet) -> Result<Receipt> {
        if let Some(receipt) = self.operations.get(&changes.operation) {
            return Ok(receipt.clone());
        }
        changes.validate()?;
        let state = changes.next_state(&self.state, expected)?;
        self.check_sessions(changes)?;
        let places = self.place_messages(changes)?;
        self.check_rows(changes)?;

        let receipt = Receipt {
            revision: state.revision,
            at: changes.at,
            places,
        };
        self.state = state;
        self.write(changes, &receipt);
        self.operations.insert(changes.operation, receipt.clone());
        Ok(receipt)
    }

    /// Lets go of usage, traces and operation ids from before a moment: how many of each went.
    pub(crate) fn retain(
        &mut self,
        usage: Option<Timestamp>,
        traces: Option<Timestamp>,
        operations: Option<Timestamp>,
    ) -> [u64; 3] {
        fn keep<K: Ord, V>(
            map: &mut BTreeMap<K, V>,
            before: Option<Timestamp>,
            at: impl Fn(&V) -> Timestamp,
        ) -> u64 {
            let count = map.len();
            map.retain(|_, item| before.is_none_or(|before| at(item) >= before));
            (count - map.len()) as u64
        }
        [
            keep(&mut self.usage, usage, |usage| usage.at),
            keep(&mut self.traces, traces, |trace| trace.finished_at),
            keep(&mut self.operations, operations, |receipt| receipt.at),
        ]
    }

    fn check_sessions(&self, changes: &ChangeSet) -> Result<()> {
        for (id, change) in &changes.sessions {
            change.check(*id, self.session(*id), self.last_message(*id))?;
        }
        Ok(())
    }

    fn place_messages(&self, changes: &ChangeSet) -> Result<Vec<Place>> {
        changes.check_spoken_in(|session| self.sessions.contains_key(&session))?;
        let mut places = Placement::new(self.last_ordinal());
        changes
            .messages
            .iter()
            .map(|message| {
                let stays = |other: &Message| {
                    !matches!(
                        changes.sessions.get(&other.session),
                        Some(SessionChange::Purge)
                    )
                };
                let taken = message.place.is_some_and(|place| {
                    self.message(message.session, place.number)
                        .is_some_and(stays)
                        || self.message_at(place.ordinal).is_some_and(stays)
                });
                if taken {
                    return Err(Error::invalid(COMMIT, "a message's place is taken"));
                }
                places.next(message, || self.last_message(message.session))
            })
            .collect()
    }

    fn write(&mut self, changes: &ChangeSet, receipt: &Receipt) {
        let ChangeSet {
            operation: _,
            at: _,
            entries,
            next_number: _,
            rows,
            lineage,
            consents,
            sessions,
            messages,
            observations,
            traces,
            usage,
            embeddings,
        } = changes;

        for entry in entries {
            self.put_entry(entry.clone());
        }
        // Purges, then ends, then insertions: a place given up in the set may be taken in the set.
        for (id, change) in rows {
            if let RowChange::Purge(kind) = change {
                self.purge(*kind, *id);
            }
        }
        for (id, change) in rows {
            if let RowChange::Alter(alteration) = change {
                self.alter(*id, *alteration);
            }
        }
        for change in rows.values() {
            if let RowChange::Insert(row) = change {
                self.insert(row.clone());
            }
        }
        for step in lineage {
            self.put_lineage(*step);
        }
        self.consents.extend(
            consents
                .iter()
                .map(|(key, granted)| (key.clone(), *granted)),
        );
        for (id, change) in sessions {
            match change {
                SessionChange::Open(session) => self.put_session(session.clone()),
                SessionChange::Edit(edit) => {
                    if let Some(session) = self.sessions.get_mut(id) {
                        edit.apply(Arc::make_mut(session));
                    }
                }
                SessionChange::Purge => {
                    self.sessions.remove(id);
                    self.take_messages_of(*id);
                    self.traces.retain(|key, _| key.session != *id);
                }
            }
        }
        for (message, place) in messages.iter().zip(&receipt.places) {
            self.put_message(Message {
                session: message.session,
                number: place.number,
                ordinal: place.ordinal,
                utterance: message.utterance.clone(),
            });
        }
        for (id, observation) in observations {
            self.observations
                .entry(*id)
                .or_insert_with(|| observation.clone());
        }
        for (key, change) in traces {
            match change {
                TraceChange::Record(trace) if self.sessions.contains_key(&key.session) => {
                    self.traces
                        .entry(key.clone())
                        .or_insert_with(|| trace.clone());
                }
                TraceChange::Record(_) => {}
                TraceChange::Purge => {
                    self.traces.remove(key);
                }
            }
        }
        for (id, entry) in usage {
            if self.memories.contains_key(&entry.memory) {
                self.usage.entry(*id).or_insert_with(|| entry.clone());
            }
        }
        for (key, change) in embeddings {
            match change {
                EmbeddingChange::Set(vector) if self.memories.contains_key(&key.memory) => {
                    self.put_embedding(key.clone(), vector.clone());
                }
                EmbeddingChange::Set(_) => {}
                EmbeddingChange::Remove => {
                    self.embeddings.remove(key);
                }
            }
        }
    }

    fn insert(&mut self, row: Row<Body>) {
        let (head, body) = row.split();
        match body {
            Body::Memory(body) => self.put_memory(head.map(|()| body)),
            Body::Link(body) => self.put_link(head.map(|()| body)),
            Body::Tombstone(body) => self.put_tombstone(head.map(|()| body)),
            Body::Proposal(body) => self.put_proposal(head.map(|()| body)),
        }
    }

    fn alter(&mut self, id: RowId, alteration: Alteration) {
        fn altered<B>(mut row: Row<B>, alteration: Alteration) -> Row<B> {
            row.marks = alteration.marks.unwrap_or(row.marks);
            row.end = alteration.end.or(row.end);
            row
        }
        match alteration.kind {
            Kind::Memory => {
                if let Some(row) = self.take_memory(id) {
                    self.put_memory(altered(row, alteration));
                }
            }
            Kind::Link => {
                if let Some(row) = self.take_link(id) {
                    self.put_link(altered(row, alteration));
                }
            }
            Kind::Tombstone => {
                if let Some(row) = self.take_tombstone(id) {
                    self.put_tombstone(altered(row, alteration));
                }
            }
            Kind::Proposal => {
                if let Some(row) = self.take_proposal(id) {
                    self.put_proposal(altered(row, alteration));
                }
            }
        }
    }

    fn purge(&mut self, kind: Kind, id: RowId) {
        match kind {
            Kind::Memory => {
                self.take_memory(id);
                self.take_lineage_of(id);
                self.embeddings.retain(|key, _| key.memory != id);
                self.usage.retain(|_, entry| entry.memory != id);
            }
            Kind::Link => {
                self.take_link(id);
            }
            Kind::Tombstone => {
                self.take_tombstone(id);
            }
            Kind::Proposal => {
                self.take_proposal(id);
            }
        }
    }
}

impl ChangeSet {
    /// The owner's counters after this commit, or why it cannot happen at these.
    pub(crate) fn next_state(&self, state: &OwnerState, expected: Expected) -> Result<OwnerState> {
        match expected {
            Expected::At(revision) if revision == state.revision => {}
            Expected::At(revision) => {
                return Err(Error::new(
                    ErrorKind::Conflict,
                    COMMIT,
                    format_args!(
                        "planned at revision {revision}, but the data stands at {}: load and plan again",
                        state.revision
                    ),
                ));
            }
            Expected::Any if self.is_checked() => {
                return Err(Error::invalid(
                    COMMIT,
                    "a set with a checked part is committed at a revision: pass Expected::At",
                ));
            }
            Expected::Any => {}
        }
        let mut next = *state;
        if next.revision.epoch == Epoch::NONE {
            next.revision.epoch = self.operation.into();
        }
        if let (Some(first), Some(last)) = (self.entries.first(), self.entries.last()) {
            if Some(first.revision) != state.revision.count.checked_add(1) {
                return Err(Error::invalid(
                    COMMIT,
                    "the journal entry does not follow the revision it was planned at",
                ));
            }
            if state.last_stamp.is_some_and(|stamp| first.stamp <= stamp) {
                return Err(Error::invalid(
                    COMMIT,
                    "the stamp is not later than the last one: take it from OwnerState::stamp",
                ));
            }
            // Only a restore brings entries of other operations: its own begins a new life of the owner.
            if last.operation != self.operation && state.revision != Revision::NONE {
                return Err(Error::invalid(
                    COMMIT,
                    "the journal entry is not this operation's",
                ));
            }
            next.revision.count = last.revision;
            next.last_stamp = Some(self.at);
        }
        if let Some(number) = self.next_number {
            if number < state.next_number {
                return Err(Error::invalid(COMMIT, "numbers are never given out twice"));
            }
            next.next_number = number;
        }
        let purges_memory = self
            .rows
            .values()
            .any(|change| matches!(change, RowChange::Purge(Kind::Memory)));
        if purges_memory || !self.embeddings.is_empty() {
            next.embedding_changes += 1;
        }
        Ok(next)
    }
}
