//! What a commit means: the reference that every store is compared with.

use std::collections::{BTreeMap, BTreeSet};

use crate::change::snapshot::{Snapshot, rule_of};
use crate::change::{
    Alteration, ChangeSet, EmbeddingChange, Expected, NewMessage, Place, Receipt, RowChange,
    SessionChange, SessionEdit, TraceChange,
};
use crate::error::{Error, ErrorKind, Result};
use crate::ids::{MessageNumber, MessageOrdinal, Number, Origin, RowId, SessionId};
use crate::memory::Memory;
use crate::message::Message;
use crate::owner::OwnerState;
use crate::row::{Body, Kind, Row};
use crate::session::Session;
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
            change.check(*id, self.sessions.get(id), self.last_message(*id))?;
        }
        Ok(())
    }

    fn place_messages(&self, changes: &ChangeSet) -> Result<Vec<Place>> {
        let mut places = Placement::new(self.last_ordinal());
        changes
            .messages
            .iter()
            .map(|message| {
                let is_stored = self.sessions.contains_key(&message.session);
                changes.check_spoken_in(message.session, is_stored)?;
                let taken = message.place.is_some_and(|place| {
                    self.message(message.session, place.number).is_some()
                        || self.message_at(place.ordinal).is_some()
                });
                if taken {
                    return Err(Error::invalid(COMMIT, "a message's place is taken"));
                }
                places.next(message, || self.last_message(message.session))
            })
            .collect()
    }

    /// Whether the rows would keep what every commit keeps. Only what the set reaches is looked at.
    pub(super) fn check_rows(&self, changes: &ChangeSet) -> Result<()> {
        let mut after = RowsAfter::new(self, changes);
        for (id, change) in &changes.rows {
            match change {
                RowChange::Insert(row) => {
                    if self.row(row.body.kind(), *id).is_some() {
                        return Err(invalid_row(*id, "there is such a row already"));
                    }
                    if let Body::Memory(memory) = &row.body {
                        changes.check_number(memory, &self.state)?;
                        let taken = self
                            .version(memory.number, memory.version)
                            .is_some_and(|other| !after.purged(other.id));
                        if taken || !after.versions.insert((memory.number, memory.version)) {
                            return Err(invalid_row(*id, "its version is taken"));
                        }
                    }
                    after.open(row)?;
                }
                RowChange::Alter(alteration) => {
                    let row = self.row(alteration.kind, *id);
                    if !row.is_some_and(|row| row.is_open()) {
                        return Err(invalid_row(*id, "it is not there, or has ended"));
                    }
                }
                RowChange::Purge(kind) => {
                    if self.row(*kind, *id).is_none() {
                        return Err(invalid_row(*id, "it is not there"));
                    }
                }
            }
        }
        after.check_links()?;
        for step in &changes.lineage {
            if !after.is_memory(step.row) || !after.is_memory(step.from) {
                return Err(Error::invalid(
                    COMMIT,
                    "lineage names a row that is not there",
                ));
            }
        }
        for (domain, moment) in changes.consents.keys() {
            if self.consents.contains_key(&(domain.clone(), *moment)) {
                return Err(Error::invalid(
                    COMMIT,
                    "consent was recorded at that moment already",
                ));
            }
        }
        Ok(())
    }

    fn row(&self, kind: Kind, id: RowId) -> Option<Row<()>> {
        fn head<B>(row: &Row<B>) -> Row<()> {
            Row {
                id: row.id,
                origin: row.origin,
                recorded_at: row.recorded_at,
                end: row.end,
                marks: row.marks,
                body: (),
            }
        }
        match kind {
            Kind::Memory => self.memories.get(&id).map(head),
            Kind::Link => self.links.get(&id).map(head),
            Kind::Tombstone => self.tombstones.get(&id).map(head),
            Kind::Proposal => self.proposals.get(&id).map(head),
        }
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
                        edit.apply(session);
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
        if next.revision.epoch == crate::ids::Epoch::NONE {
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
    /// Whether a chat is there to be spoken in once the set is committed.
    pub(crate) fn check_spoken_in(&self, session: SessionId, is_stored: bool) -> Result<()> {
        let is_there = match self.sessions.get(&session) {
            Some(SessionChange::Open(_)) => true,
            Some(SessionChange::Purge) => false,
            Some(SessionChange::Edit(_)) | None => is_stored,
        };
        if is_there {
            Ok(())
        } else {
            Err(no_session(session))
        }
    }

    /// Whether an inserted memory's number was given out, by this set at the latest.
    pub(crate) fn check_number(&self, memory: &Memory, stored: &OwnerState) -> Result<()> {
        if memory.number.get() >= self.next_number.unwrap_or(stored.next_number) {
            return Err(Error::invalid(
                COMMIT,
                format_args!(
                    "{} was not given out yet: take numbers from the draft",
                    memory.number
                ),
            ));
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
        set(&mut session.title, title);
        set(&mut session.extracted_through, extracted_through.map(Some));
        set(&mut session.attempts, attempts);
        set(&mut session.retry_at, retry_at);
        set(&mut session.recap, recap);
        set(&mut session.block, block);
        set(&mut session.served, served);
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

    /// Whether it knows a chat's last number already.
    #[cfg(feature = "sqlite")]
    pub(crate) fn knows(&self, session: SessionId) -> bool {
        self.last_numbers.contains_key(&session)
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

/// What the rows will be, as far as a set's changes reach.
struct RowsAfter<'a> {
    before: &'a Snapshot,
    changes: &'a ChangeSet,
    inserted_numbers: BTreeSet<Number>,
    versions: BTreeSet<(Number, crate::ids::Version)>,
    open_origins: BTreeSet<(Kind, Origin)>,
    open_numbers: BTreeSet<Number>,
    open_rules: BTreeSet<(String, String)>,
}

impl<'a> RowsAfter<'a> {
    fn new(before: &'a Snapshot, changes: &'a ChangeSet) -> Self {
        RowsAfter {
            before,
            changes,
            inserted_numbers: inserted(changes)
                .filter_map(|row| row.memory().map(|memory| memory.number))
                .collect(),
            versions: BTreeSet::new(),
            open_origins: BTreeSet::new(),
            open_numbers: BTreeSet::new(),
            open_rules: BTreeSet::new(),
        }
    }

    fn purged(&self, id: RowId) -> bool {
        matches!(self.changes.rows.get(&id), Some(RowChange::Purge(_)))
    }

    fn closed(&self, id: RowId) -> bool {
        match self.changes.rows.get(&id) {
            Some(RowChange::Purge(_)) => true,
            Some(RowChange::Alter(alteration)) => alteration.end.is_some(),
            Some(RowChange::Insert(_)) | None => false,
        }
    }

    /// Counts an inserted row, and refuses it where another open one stands in its place.
    fn open(&mut self, row: &Row<Body>) -> Result<()> {
        if !row.is_open() {
            return Ok(());
        }
        let kind = row.body.kind();
        let another_copy = self.before.copies(kind, row.origin).any(|id| {
            !self.closed(id) && self.before.row(kind, id).is_some_and(|copy| copy.is_open())
        });
        if another_copy || !self.open_origins.insert((kind, row.origin)) {
            return Err(invalid_row(row.id, "another row of its origin is open"));
        }
        let Some(memory) = row.memory() else {
            return Ok(());
        };
        if memory.claim.held {
            return Ok(());
        }
        let another_version = self
            .before
            .versions(memory.number)
            .any(|other| other.is_open() && !other.body.claim.held && !self.closed(other.id));
        if another_version || !self.open_numbers.insert(memory.number) {
            return Err(invalid_row(row.id, "another version of its fact is open"));
        }
        if let Some(rule) = row.clone().into_memory().as_ref().and_then(rule_of) {
            let another_rule = self
                .before
                .open_rule(&rule.0, &rule.1)
                .is_some_and(|other| !self.closed(other.id));
            if another_rule || !self.open_rules.insert(rule) {
                return Err(invalid_row(
                    row.id,
                    "another rule for its domain and key is open",
                ));
            }
        }
        Ok(())
    }

    fn has_fact(&self, number: Number) -> bool {
        self.before.versions(number).any(|row| !self.purged(row.id))
            || self.inserted_numbers.contains(&number)
    }

    fn is_memory(&self, id: RowId) -> bool {
        match self.changes.rows.get(&id) {
            Some(RowChange::Insert(row)) => row.memory().is_some(),
            Some(RowChange::Purge(_)) => false,
            Some(RowChange::Alter(_)) | None => self.before.memory(id).is_some(),
        }
    }

    fn check_links(&self) -> Result<()> {
        for row in inserted(self.changes) {
            if let Body::Link(link) = &row.body
                && !(self.has_fact(link.from) && self.has_fact(link.to))
            {
                return Err(invalid_row(row.id, "it links a fact that is not there"));
            }
        }
        for (id, change) in &self.changes.rows {
            let RowChange::Purge(Kind::Memory) = change else {
                continue;
            };
            let Some(row) = self.before.memory(*id) else {
                continue;
            };
            let number = row.body.number;
            let linked = self
                .before
                .links_of(number)
                .any(|link| !self.purged(link.id));
            if linked && !self.has_fact(number) {
                return Err(invalid_row(
                    *id,
                    "a link to its fact would be left: purge it too",
                ));
            }
        }
        Ok(())
    }
}

fn inserted(changes: &ChangeSet) -> impl Iterator<Item = &Row<Body>> {
    changes.rows.values().filter_map(|change| match change {
        RowChange::Insert(row) => Some(row),
        RowChange::Alter(_) | RowChange::Purge(_) => None,
    })
}

fn no_session(id: SessionId) -> Error {
    Error::new(
        ErrorKind::NotFound,
        COMMIT,
        format_args!("there is no session {id}: open it first"),
    )
}

fn invalid_row(id: RowId, what: &str) -> Error {
    Error::invalid(COMMIT, format_args!("row {id}: {what}"))
}
