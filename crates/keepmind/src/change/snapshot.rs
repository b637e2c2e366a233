//! An owner's data in memory: all of it, or the slice a plan reads.
//! What a commit does to it is in `apply`; what a slice of it holds is in `slice`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::change::Receipt;
use crate::change::slice::content_hash;
use crate::consent::Consent;
use crate::embedding::{EmbeddingKey, Vector};
use crate::ids::{
    MessageNumber, MessageOrdinal, Number, ObservationId, OperationId, Origin, RowId, SessionId,
    UsageId, Version,
};
use crate::journal::JournalEntry;
use crate::link::Link;
use crate::memory::{Authority, Claim, Lineage, Memory};
use crate::message::Message;
use crate::observation::Observation;
use crate::owner::OwnerState;
use crate::proposal::Proposal;
use crate::row::{Body, Kind, MemoryRow, Row};
use crate::session::Session;
use crate::timestamp::Timestamp;
use crate::tombstone::Tombstone;
use crate::trace::{Trace, TraceKey};
use crate::usage::Usage;

/// An owner's data at one revision: all of it, or the slice that was loaded.
///
/// Read-only for everyone but [`Snapshot::apply`](Snapshot::apply), which is what a commit means.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    pub(super) state: OwnerState,
    pub(super) memories: BTreeMap<RowId, MemoryRow>,
    pub(super) links: BTreeMap<RowId, Row<Link>>,
    pub(super) tombstones: BTreeMap<RowId, Row<Tombstone>>,
    pub(super) proposals: BTreeMap<RowId, Row<Proposal>>,
    pub(super) lineage: BTreeSet<Lineage>,
    pub(super) consents: BTreeMap<(String, Timestamp), bool>,
    pub(super) journal: BTreeMap<u64, JournalEntry>,
    /// Shared with what was loaded from here: a chat holds all that it was served.
    pub(super) sessions: BTreeMap<SessionId, Arc<Session>>,
    pub(super) messages: BTreeMap<SessionId, BTreeMap<MessageNumber, Message>>,
    pub(super) observations: BTreeMap<ObservationId, Observation>,
    pub(super) traces: BTreeMap<TraceKey, Trace>,
    pub(super) usage: BTreeMap<UsageId, Usage>,
    pub(super) embeddings: BTreeMap<EmbeddingKey, Vector>,
    pub(super) operations: BTreeMap<OperationId, Receipt>,
    index: Index,
}

/// What is derived from the rows, to find them without a walk.
#[derive(Debug, Clone, Default, PartialEq)]
struct Index {
    numbers: BTreeMap<(Number, Version), RowId>,
    /// Open candidates: few, and asked for by every close.
    held: BTreeMap<(Number, Version), RowId>,
    copies: BTreeSet<(Kind, Origin, Timestamp, RowId)>,
    open_rules: BTreeMap<(String, String), RowId>,
    hashes: BTreeSet<(i64, RowId)>,
    links: BTreeSet<(Number, RowId)>,
    made_from: BTreeSet<(RowId, RowId)>,
    ordinals: BTreeMap<MessageOrdinal, (SessionId, MessageNumber)>,
}

const FIRST_ID: RowId = RowId::new(uuid::Uuid::nil());
const LAST_ID: RowId = RowId::new(uuid::Uuid::max());

impl Snapshot {
    /// An owner's data with nothing in it, at that state.
    pub fn empty(state: OwnerState) -> Self {
        Snapshot {
            state,
            memories: BTreeMap::new(),
            links: BTreeMap::new(),
            tombstones: BTreeMap::new(),
            proposals: BTreeMap::new(),
            lineage: BTreeSet::new(),
            consents: BTreeMap::new(),
            journal: BTreeMap::new(),
            sessions: BTreeMap::new(),
            messages: BTreeMap::new(),
            observations: BTreeMap::new(),
            traces: BTreeMap::new(),
            usage: BTreeMap::new(),
            embeddings: BTreeMap::new(),
            operations: BTreeMap::new(),
            index: Index::default(),
        }
    }

    /// The owner's counters.
    pub fn state(&self) -> &OwnerState {
        &self.state
    }

    /// One memory.
    pub fn memory(&self, id: RowId) -> Option<&MemoryRow> {
        self.memories.get(&id)
    }

    /// All memories, in order of number and version.
    pub fn memories(&self) -> impl Iterator<Item = &MemoryRow> {
        self.memories_after(None)
    }

    /// The memories after a (number, version), in that order.
    pub fn memories_after(
        &self,
        after: Option<(Number, Version)>,
    ) -> impl Iterator<Item = &MemoryRow> {
        self.rows_after(&self.index.numbers, after)
    }

    /// The open candidates after a (number, version), in that order.
    pub(crate) fn held_after(
        &self,
        after: Option<(Number, Version)>,
    ) -> impl Iterator<Item = &MemoryRow> {
        self.rows_after(&self.index.held, after)
    }

    fn rows_after<'a>(
        &'a self,
        places: &'a BTreeMap<(Number, Version), RowId>,
        after: Option<(Number, Version)>,
    ) -> impl Iterator<Item = &'a MemoryRow> {
        let from = after.map_or(std::ops::Bound::Unbounded, std::ops::Bound::Excluded);
        places
            .range((from, std::ops::Bound::Unbounded))
            .filter_map(|(_, id)| self.memories.get(id))
    }

    /// All versions of a fact, in order.
    pub fn versions(&self, number: Number) -> impl Iterator<Item = &MemoryRow> {
        self.index
            .numbers
            .range((number, Version::FIRST)..=(number, Version::LAST))
            .filter_map(|(_, id)| self.memories.get(id))
    }

    /// One version of a fact.
    pub fn version(&self, number: Number, version: Version) -> Option<&MemoryRow> {
        self.memories
            .get(self.index.numbers.get(&(number, version))?)
    }

    /// The open row of a fact that is not held, if there is one.
    pub fn open_version(&self, number: Number) -> Option<&MemoryRow> {
        self.versions(number)
            .find(|row| row.is_open() && !row.body.claim.held)
    }

    /// The open rule for a (domain, key), if there is one.
    pub fn open_rule(&self, domain: &str, key: &str) -> Option<&MemoryRow> {
        let id = self
            .index
            .open_rules
            .get(&(domain.to_owned(), key.to_owned()))?;
        self.memories.get(id)
    }

    /// All links.
    pub fn links(&self) -> impl Iterator<Item = &Row<Link>> {
        self.links.values()
    }

    /// All links, ended ones too, that a fact is an end of.
    pub fn links_of(&self, number: Number) -> impl Iterator<Item = &Row<Link>> {
        self.index
            .links
            .range((number, FIRST_ID)..=(number, LAST_ID))
            .filter_map(|(_, id)| self.links.get(id))
    }

    /// All tombstones.
    pub fn tombstones(&self) -> impl Iterator<Item = &Row<Tombstone>> {
        self.tombstones.values()
    }

    /// All proposals.
    pub fn proposals(&self) -> impl Iterator<Item = &Row<Proposal>> {
        self.proposals.values()
    }

    /// All lineage.
    pub fn lineage(&self) -> impl Iterator<Item = Lineage> {
        self.lineage.iter().copied()
    }

    /// The lineage a row has a part in, as what was made or as what it was made from.
    pub fn lineage_of(&self, id: RowId) -> impl Iterator<Item = Lineage> {
        let made = Lineage {
            row: id,
            from: FIRST_ID,
        }..=Lineage {
            row: id,
            from: LAST_ID,
        };
        let used = (id, FIRST_ID)..=(id, LAST_ID);
        self.lineage.range(made).copied().chain(
            self.index
                .made_from
                .range(used)
                .map(|&(from, row)| Lineage { row, from }),
        )
    }

    /// Every word on consent, by domain and moment.
    pub fn consents(&self) -> impl Iterator<Item = Consent> {
        self.consents
            .iter()
            .map(|((domain, recorded_at), granted)| Consent {
                domain: domain.clone(),
                recorded_at: *recorded_at,
                granted: *granted,
            })
    }

    /// The last word on a domain; nothing said is not consent.
    pub fn has_consent(&self, domain: &str) -> bool {
        self.consents
            .range((domain.to_owned(), Timestamp::MIN)..=(domain.to_owned(), Timestamp::MAX))
            .next_back()
            .is_some_and(|(_, granted)| *granted)
    }

    /// The journal, oldest first.
    pub fn journal(&self) -> impl Iterator<Item = &JournalEntry> {
        self.journal.values()
    }

    /// The journal from a revision's count on, oldest first.
    pub fn journal_since(&self, since: u64) -> impl Iterator<Item = &JournalEntry> {
        self.journal.range(since..).map(|(_, entry)| entry)
    }

    /// One chat.
    pub fn session(&self, id: SessionId) -> Option<&Session> {
        self.sessions.get(&id).map(AsRef::as_ref)
    }

    /// All chats.
    pub fn sessions(&self) -> impl Iterator<Item = &Session> {
        self.sessions.values().map(AsRef::as_ref)
    }

    /// All messages, in the order they were said.
    pub fn messages(&self) -> impl Iterator<Item = &Message> {
        self.index
            .ordinals
            .values()
            .filter_map(|(session, number)| self.message(*session, *number))
    }

    /// One message.
    pub fn message(&self, session: SessionId, number: MessageNumber) -> Option<&Message> {
        self.messages.get(&session)?.get(&number)
    }

    /// The message at that place among all of the owner's.
    pub fn message_at(&self, ordinal: MessageOrdinal) -> Option<&Message> {
        let (session, number) = self.index.ordinals.get(&ordinal)?;
        self.message(*session, *number)
    }

    /// The messages of one chat, in order.
    pub fn messages_of(&self, session: SessionId) -> impl Iterator<Item = &Message> {
        self.messages
            .get(&session)
            .into_iter()
            .flat_map(BTreeMap::values)
    }

    /// The number of a chat's last message.
    pub fn last_message(&self, session: SessionId) -> Option<MessageNumber> {
        self.messages.get(&session)?.keys().next_back().copied()
    }

    /// All observations.
    pub fn observations(&self) -> impl Iterator<Item = &Observation> {
        self.observations.values()
    }

    /// All records of tool calls.
    pub fn traces(&self) -> impl Iterator<Item = &Trace> {
        self.traces.values()
    }

    /// The records of one chat's tool calls.
    pub fn traces_of(&self, session: SessionId) -> impl Iterator<Item = &Trace> {
        let first = TraceKey {
            session,
            call: String::new(),
        };
        self.traces
            .range(first..)
            .take_while(move |(key, _)| key.session == session)
            .map(|(_, trace)| trace)
    }

    /// The usage ledger.
    pub fn usage(&self) -> impl Iterator<Item = &Usage> {
        self.usage.values()
    }

    /// All embeddings.
    pub fn embeddings(&self) -> impl Iterator<Item = (&EmbeddingKey, &Vector)> {
        self.embeddings.iter()
    }

    /// The last copy of a body: the one that says what it is now.
    pub fn last_copy(&self, kind: Kind, origin: Origin) -> Option<Row<Body>> {
        self.row_of(kind, self.copies(kind, origin).last()?)
    }

    /// One row of a kind.
    pub fn row_of(&self, kind: Kind, id: RowId) -> Option<Row<Body>> {
        match kind {
            Kind::Memory => Some(self.memories.get(&id)?.clone().map(Body::Memory)),
            Kind::Link => Some(self.links.get(&id)?.clone().map(Body::Link)),
            Kind::Tombstone => Some(self.tombstones.get(&id)?.clone().map(Body::Tombstone)),
            Kind::Proposal => Some(self.proposals.get(&id)?.clone().map(Body::Proposal)),
        }
    }

    /// The rows of one body, oldest first.
    pub(crate) fn copies(&self, kind: Kind, origin: Origin) -> impl Iterator<Item = RowId> {
        let from = (kind, origin, Timestamp::MIN, FIRST_ID);
        let to = (kind, origin, Timestamp::MAX, LAST_ID);
        self.index.copies.range(from..=to).map(|copy| copy.3)
    }

    pub(super) fn hashed(&self, hash: i64) -> impl Iterator<Item = &MemoryRow> {
        self.index
            .hashes
            .range((hash, FIRST_ID)..=(hash, LAST_ID))
            .filter_map(|(_, id)| self.memories.get(id))
    }

    pub(super) fn last_ordinal(&self) -> Option<MessageOrdinal> {
        self.index.ordinals.keys().next_back().copied()
    }

    /// What a commit of that operation answered, while it is remembered.
    pub(crate) fn receipt(&self, operation: OperationId) -> Option<&Receipt> {
        self.operations.get(&operation)
    }
}

/// How the stores and `apply` fill a snapshot. Putting a row that is there already replaces it.
impl Snapshot {
    pub(crate) fn put_memory(&mut self, row: MemoryRow) {
        self.take_memory(row.id);
        let Memory {
            number,
            version,
            claim,
        } = &row.body;
        self.index.numbers.insert((*number, *version), row.id);
        self.index
            .hashes
            .insert((content_hash(&claim.content), row.id));
        if is_held(&row) {
            self.index.held.insert((*number, *version), row.id);
        }
        if let Some(rule) = rule_of(&row) {
            self.index.open_rules.insert(rule, row.id);
        }
        self.put_copy(Kind::Memory, row.origin, row.recorded_at, row.id);
        self.memories.insert(row.id, row);
    }

    pub(super) fn take_memory(&mut self, id: RowId) -> Option<MemoryRow> {
        let row = self.memories.remove(&id)?;
        let place = (row.body.number, row.body.version);
        self.index.numbers.remove(&place);
        self.index.held.remove(&place);
        self.index
            .hashes
            .remove(&(content_hash(&row.body.claim.content), id));
        if let Some(rule) = rule_of(&row) {
            self.index.open_rules.remove(&rule);
        }
        self.take_copy(Kind::Memory, row.origin, row.recorded_at, id);
        Some(row)
    }

    pub(crate) fn put_link(&mut self, row: Row<Link>) {
        self.index.links.insert((row.body.from, row.id));
        self.index.links.insert((row.body.to, row.id));
        self.put_copy(Kind::Link, row.origin, row.recorded_at, row.id);
        self.links.insert(row.id, row);
    }

    pub(super) fn take_link(&mut self, id: RowId) -> Option<Row<Link>> {
        let row = self.links.remove(&id)?;
        self.index.links.remove(&(row.body.from, id));
        self.index.links.remove(&(row.body.to, id));
        self.take_copy(Kind::Link, row.origin, row.recorded_at, id);
        Some(row)
    }

    pub(crate) fn put_tombstone(&mut self, row: Row<Tombstone>) {
        self.put_copy(Kind::Tombstone, row.origin, row.recorded_at, row.id);
        self.tombstones.insert(row.id, row);
    }

    pub(super) fn take_tombstone(&mut self, id: RowId) -> Option<Row<Tombstone>> {
        let row = self.tombstones.remove(&id)?;
        self.take_copy(Kind::Tombstone, row.origin, row.recorded_at, id);
        Some(row)
    }

    pub(crate) fn put_proposal(&mut self, row: Row<Proposal>) {
        self.put_copy(Kind::Proposal, row.origin, row.recorded_at, row.id);
        self.proposals.insert(row.id, row);
    }

    pub(super) fn take_proposal(&mut self, id: RowId) -> Option<Row<Proposal>> {
        let row = self.proposals.remove(&id)?;
        self.take_copy(Kind::Proposal, row.origin, row.recorded_at, id);
        Some(row)
    }

    pub(crate) fn put_lineage(&mut self, step: Lineage) {
        self.index.made_from.insert((step.from, step.row));
        self.lineage.insert(step);
    }

    pub(super) fn take_lineage_of(&mut self, id: RowId) {
        let steps: Vec<Lineage> = self.lineage_of(id).collect();
        for step in steps {
            self.lineage.remove(&step);
            self.index.made_from.remove(&(step.from, step.row));
        }
    }

    pub(crate) fn put_consent(&mut self, consent: Consent) {
        self.consents
            .insert((consent.domain, consent.recorded_at), consent.granted);
    }

    pub(crate) fn put_entry(&mut self, entry: JournalEntry) {
        self.journal.insert(entry.revision, entry);
    }

    pub(crate) fn put_session(&mut self, session: impl Into<Arc<Session>>) {
        let session = session.into();
        self.sessions.insert(session.id, session);
    }

    pub(crate) fn put_message(&mut self, message: Message) {
        self.index
            .ordinals
            .insert(message.ordinal, (message.session, message.number));
        self.messages
            .entry(message.session)
            .or_default()
            .insert(message.number, message);
    }

    pub(super) fn take_messages_of(&mut self, session: SessionId) {
        for message in self
            .messages
            .remove(&session)
            .into_iter()
            .flat_map(BTreeMap::into_values)
        {
            self.index.ordinals.remove(&message.ordinal);
        }
    }

    pub(crate) fn put_embedding(&mut self, key: EmbeddingKey, vector: Vector) {
        self.embeddings.insert(key, vector);
    }

    fn put_copy(&mut self, kind: Kind, origin: Origin, at: Timestamp, id: RowId) {
        self.index.copies.insert((kind, origin, at, id));
    }

    fn take_copy(&mut self, kind: Kind, origin: Origin, at: Timestamp, id: RowId) {
        self.index.copies.remove(&(kind, origin, at, id));
    }
}

/// What only a store that loads from elsewhere puts.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
impl Snapshot {
    pub(crate) fn put_observation(&mut self, observation: Observation) {
        self.observations.insert(observation.id, observation);
    }

    pub(crate) fn put_trace(&mut self, trace: Trace) {
        self.traces.insert(trace.key.clone(), trace);
    }

    pub(crate) fn put_usage(&mut self, usage: Usage) {
        self.usage.insert(usage.id, usage);
    }
}

fn is_held(row: &MemoryRow) -> bool {
    row.is_open() && row.body.claim.held
}

/// The (domain, key) that an open row holds as a rule.
pub(super) fn rule_of(row: &MemoryRow) -> Option<(String, String)> {
    let claim = &row.body.claim;
    (row.is_open() && !claim.held).then(|| rule_in(claim))?
}

/// The (domain, key) that a claim is the rule for, where it is one.
pub(super) fn rule_in(claim: &Claim) -> Option<(String, String)> {
    if claim.authority != Authority::Rule {
        return None;
    }
    Some((claim.domain.clone()?, claim.key.clone()?))
}
