//! A change set as SQL. What it means is `Snapshot::apply`; constraints of the schema refuse the rest.

use std::collections::{BTreeMap, BTreeSet};

use sqlx::{Row as _, SqliteConnection};

use crate::change::{
    Alteration, ChangeSet, EmbeddingChange, Expected, NewMessage, Place, Placement, Receipt,
    RowChange, SessionChange, TraceChange,
};
use crate::embedding::{EmbeddingKey, Vector};
use crate::error::{Error, ErrorKind};
use crate::ids::{MessageNumber, MessageOrdinal, Number, OperationId, RowId, SessionId};
use crate::journal::JournalEntry;
use crate::memory::Memory;
use crate::owner::{Owner, OwnerState};
use crate::row::{Body, Kind, Row};
use crate::search::Document;
use crate::search::keywords::{Terms, memory_document, message_document};
use crate::session::Session;
use crate::store::sqlite::columns::{self, blob, end_columns, integer, list, to_json};
use crate::store::sqlite::failure::{Failure, Work};
use crate::store::sqlite::words::Word;
use crate::timestamp::Timestamp;

/// What postings belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Space {
    Memories = 1,
    Messages = 2,
}

impl Space {
    /// Adds to an owner's count of documents and their length.
    pub(super) fn count_sql(self) -> &'static str {
        match self {
            Space::Memories => {
                "UPDATE owner SET memory_documents = memory_documents + ?2, memory_length = memory_length + ?3 WHERE id = ?1"
            }
            Space::Messages => {
                "UPDATE owner SET message_documents = message_documents + ?2, message_length = message_length + ?3 WHERE id = ?1"
            }
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
    owner: Owner,
    owner_id: Option<i64>,
    before: OwnerState,
    after: OwnerState,
    sessions: BTreeMap<SessionId, Session>,
    places: Vec<Place>,
}

/// What a commit did, as far as caches care.
pub(super) struct Committed {
    pub(super) receipt: Receipt,
    pub(super) before: OwnerState,
    pub(super) after: OwnerState,
    pub(super) indexed: Vec<(Document, Terms)>,
    pub(super) unindexed: Vec<(Document, Terms)>,
    pub(super) embedded: Vec<(Document, String, Option<Vector>)>,
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
    owner: &Owner,
    expected: Expected,
    changes: &ChangeSet,
) -> Work<Prepared> {
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
    changes.validate()?;
    let after = changes.next_state(&before, expected)?;
    let sessions = check_sessions(connection, owner_id, changes).await?;
    let places = place_messages(connection, owner_id, &sessions, changes).await?;
    for change in changes.rows.values() {
        if let RowChange::Insert(row) = change
            && let Some(memory) = row.memory()
            && memory.number.get() >= after.next_number
        {
            return Err(refused(row.id, "its number was not given out yet"));
        }
    }
    Ok(Prepared::Ready(Ready {
        owner: owner.clone(),
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
        match (change, sessions.get(id)) {
            (SessionChange::Open(_), Some(_)) => {
                return Err(
                    Error::invalid("commit", format_args!("session {id} is open already")).into(),
                );
            }
            (SessionChange::Open(_), None) | (SessionChange::Purge, Some(_)) => {}
            (SessionChange::Edit(_) | SessionChange::Purge, None) => return Err(no_session(*id)),
            (SessionChange::Edit(edit), Some(session)) => {
                let last = match edit.expect_last_message {
                    Some(_) => last_message(connection, owner_id, *id).await?,
                    None => None,
                };
                edit.check(session, last)?;
            }
        }
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
    let last: Option<i64> =
        sqlx::query_scalar("SELECT max(ordinal) FROM message WHERE owner_id = ?1")
            .bind(owner_id)
            .fetch_one(&mut *connection)
            .await?;
    let mut placement =
        Placement::new(last.and_then(|last| MessageOrdinal::new(last.cast_unsigned())));
    let mut places = Vec::with_capacity(changes.messages.len());
    let mut lasts = BTreeMap::new();
    for message in &changes.messages {
        let is_there = match changes.sessions.get(&message.session) {
            Some(SessionChange::Open(_)) => true,
            Some(SessionChange::Purge) => false,
            Some(SessionChange::Edit(_)) | None => sessions.contains_key(&message.session),
        };
        if !is_there {
            return Err(no_session(message.session));
        }
        if !lasts.contains_key(&message.session) {
            let last = last_message(connection, owner_id, message.session).await?;
            lasts.insert(message.session, last);
        }
        places.push(placement.next(message, || lasts.get(&message.session).copied().flatten())?);
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

/// Writes what was prepared. Any failure here leaves the transaction to be rolled back.
pub(super) async fn write(
    connection: &mut SqliteConnection,
    ready: Ready,
    changes: &ChangeSet,
) -> Work<Committed> {
    let ChangeSet {
        operation,
        at,
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
    let Ready {
        owner,
        owner_id,
        before,
        after,
        sessions: stored,
        places,
    } = ready;
    let owner_id = put_owner(connection, owner_id, &owner, &after).await?;
    let mut writing = Writing {
        connection,
        owner_id,
        indexed: Vec::new(),
        unindexed: Vec::new(),
    };
    for entry in entries {
        writing.entry(entry).await?;
    }
    writing.rows(rows).await?;
    for step in lineage {
        sqlx::query(
            "INSERT OR IGNORE INTO lineage (owner_id, row_id, from_id) VALUES (?1, ?2, ?3)",
        )
        .bind(owner_id)
        .bind(blob(step.row.uuid()))
        .bind(blob(step.from.uuid()))
        .execute(&mut *writing.connection)
        .await?;
    }
    for ((domain, moment), granted) in consents {
        sqlx::query(
            "INSERT INTO consent (owner_id, domain, recorded_at, granted) VALUES (?1, ?2, ?3, ?4)",
        )
        .bind(owner_id)
        .bind(domain)
        .bind(moment.as_micros())
        .bind(granted)
        .execute(&mut *writing.connection)
        .await?;
    }
    let mut messages_change = Counts::default();
    for (id, change) in sessions {
        match change {
            SessionChange::Open(session) => writing.put_session(session).await?,
            SessionChange::Edit(edit) => {
                let mut session = stored.get(id).cloned().ok_or_else(|| no_session(*id))?;
                edit.apply(&mut session);
                writing.put_session(&session).await?;
            }
            SessionChange::Purge => messages_change.subtract(writing.purge_session(*id).await?),
        }
    }
    for (message, place) in messages.iter().zip(&places) {
        messages_change.add(writing.message(message, *place).await?);
    }
    for observation in observations.values() {
        sqlx::query("INSERT OR IGNORE INTO observation (owner_id, id, source, payload, at) VALUES (?1, ?2, ?3, ?4, ?5)")
            .bind(owner_id)
            .bind(blob(observation.id.uuid()))
            .bind(&observation.source)
            .bind(to_json(&observation.payload))
            .bind(observation.at.as_micros())
            .execute(&mut *writing.connection)
            .await?;
    }
    for (key, change) in traces {
        writing.trace(&key.session, &key.call, change).await?;
    }
    for entry in usage.values() {
        sqlx::query(
            "INSERT OR IGNORE INTO usage (owner_id, id, at, session, memory, kind, influence) \
             SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 WHERE EXISTS (SELECT 1 FROM memory WHERE owner_id = ?1 AND id = ?5)",
        )
        .bind(owner_id)
        .bind(blob(entry.id.uuid()))
        .bind(entry.at.as_micros())
        .bind(entry.session.map(|session| blob(session.uuid())))
        .bind(blob(entry.memory.uuid()))
        .bind(entry.kind.word())
        .bind(&entry.influence)
        .execute(&mut *writing.connection)
        .await?;
    }
    let mut embedded = Vec::new();
    for (key, change) in embeddings {
        embedded.extend(writing.embedding(key, change).await?);
    }

    let Writing {
        connection,
        indexed,
        unindexed,
        ..
    } = writing;
    let mut memories_change = Counts::default();
    indexed
        .iter()
        .for_each(|(_, terms)| memories_change.add(Counts::of(terms)));
    unindexed
        .iter()
        .for_each(|(_, terms)| memories_change.subtract(Counts::of(terms)));
    for (space, change) in [
        (Space::Memories, memories_change),
        (Space::Messages, messages_change),
    ] {
        change.store(connection, owner_id, space).await?;
    }
    let receipt = Receipt {
        revision: after.revision,
        at: *at,
        places,
    };
    sqlx::query("INSERT INTO operation (owner_id, id, at, receipt) VALUES (?1, ?2, ?3, ?4)")
        .bind(owner_id)
        .bind(blob(operation.uuid()))
        .bind(at.as_micros())
        .bind(to_json(&receipt))
        .execute(connection)
        .await?;
    Ok(Committed {
        receipt,
        before,
        after,
        indexed,
        unindexed,
        embedded,
    })
}

async fn put_owner(
    connection: &mut SqliteConnection,
    owner_id: Option<i64>,
    owner: &Owner,
    state: &OwnerState,
) -> Work<i64> {
    let last_stamp = state.last_stamp.map(Timestamp::as_micros);
    let Some(owner_id) = owner_id else {
        let id = sqlx::query_scalar(
            "INSERT INTO owner (name, epoch, revision, next_number, last_stamp, embedding_changes, \
             memory_documents, memory_length, message_documents, message_length) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, 0, 0, 0) RETURNING id",
        )
        .bind(owner.as_str())
        .bind(blob(state.revision.epoch.uuid()))
        .bind(integer(state.revision.count))
        .bind(integer(state.next_number))
        .bind(last_stamp)
        .bind(integer(state.embedding_changes))
        .fetch_one(connection)
        .await?;
        return Ok(id);
    };
    sqlx::query("UPDATE owner SET revision = ?2, next_number = ?3, last_stamp = ?4, embedding_changes = ?5 WHERE id = ?1")
        .bind(owner_id)
        .bind(integer(state.revision.count))
        .bind(integer(state.next_number))
        .bind(last_stamp)
        .bind(integer(state.embedding_changes))
        .execute(connection)
        .await?;
    Ok(owner_id)
}

/// Writes a document's postings.
pub(super) async fn post(
    connection: &mut SqliteConnection,
    owner_id: i64,
    space: Space,
    document: Document,
    terms: &Terms,
) -> Work<()> {
    sqlx::query(
        "INSERT INTO posting (owner_id, space, term, document, frequency, length) \
         SELECT ?1, ?2, key, ?3, value, ?4 FROM json_each(?5)",
    )
    .bind(owner_id)
    .bind(space as i64)
    .bind(integer(document))
    .bind(terms.length)
    .bind(to_json(&terms.frequencies))
    .execute(connection)
    .await?;
    Ok(())
}

async fn unpost(
    connection: &mut SqliteConnection,
    owner_id: i64,
    space: Space,
    document: Document,
    terms: &Terms,
) -> Work<()> {
    sqlx::query(
        "DELETE FROM posting WHERE owner_id = ?1 AND space = ?2 AND document = ?3 \
         AND term IN (SELECT key FROM json_each(?4))",
    )
    .bind(owner_id)
    .bind(space as i64)
    .bind(integer(document))
    .bind(to_json(&terms.frequencies))
    .execute(connection)
    .await?;
    Ok(())
}

/// How an owner's count of documents and their length change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counts {
    documents: i64,
    length: i64,
}

impl Counts {
    fn of(terms: &Terms) -> Self {
        Counts {
            documents: 1,
            length: i64::from(terms.length),
        }
    }

    fn add(&mut self, other: Counts) {
        self.documents += other.documents;
        self.length += other.length;
    }

    fn subtract(&mut self, other: Counts) {
        self.documents -= other.documents;
        self.length -= other.length;
    }

    async fn store(
        self,
        connection: &mut SqliteConnection,
        owner_id: i64,
        space: Space,
    ) -> Work<()> {
        if self == Counts::default() {
            return Ok(());
        }
        sqlx::query(space.count_sql())
            .bind(owner_id)
            .bind(self.documents)
            .bind(self.length)
            .execute(connection)
            .await?;
        Ok(())
    }
}

struct Writing<'a> {
    connection: &'a mut SqliteConnection,
    owner_id: i64,
    indexed: Vec<(Document, Terms)>,
    unindexed: Vec<(Document, Terms)>,
}

impl Writing<'_> {
    async fn entry(&mut self, entry: &JournalEntry) -> Work<()> {
        let JournalEntry {
            revision,
            operation,
            stamp,
            who,
            session,
            group,
            effects,
            undoes,
            redoes,
            line,
        } = entry;
        sqlx::query(
            "INSERT INTO journal (owner_id, revision, operation, stamp, who, session, group_id, effects, undoes, redoes, line) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        )
        .bind(self.owner_id)
        .bind(integer(*revision))
        .bind(blob(operation.uuid()))
        .bind(stamp.as_micros())
        .bind(who.word())
        .bind(session.map(|session| blob(session.uuid())))
        .bind(group.map(|group| blob(group.uuid())))
        .bind(to_json(effects))
        .bind(list(undoes, undoes.is_empty()))
        .bind(list(redoes, redoes.is_empty()))
        .bind(line)
        .execute(&mut *self.connection)
        .await?;
        Ok(())
    }

    /// Purges, then closes, then opens: so that a place given up in the set can be taken in the set.
    async fn rows(&mut self, rows: &BTreeMap<RowId, RowChange>) -> Work<()> {
        let mut emptied = BTreeSet::new();
        for (id, change) in rows {
            if let RowChange::Purge(kind) = change {
                emptied.extend(self.purge(*kind, *id).await?);
            }
        }
        for (id, change) in rows {
            if let RowChange::Alter(alteration) = change {
                self.alter(*id, alteration).await?;
            }
        }
        for change in rows.values() {
            if let RowChange::Insert(row) = change {
                self.insert(row).await?;
            }
        }
        for number in emptied {
            sqlx::query(
                "DELETE FROM fact WHERE owner_id = ?1 AND number = ?2 \
                 AND NOT EXISTS (SELECT 1 FROM memory WHERE owner_id = ?1 AND number = ?2)",
            )
            .bind(self.owner_id)
            .bind(integer(number.get()))
            .execute(&mut *self.connection)
            .await?;
        }
        Ok(())
    }

    /// Purges a row; answers the number that may have no row left.
    async fn purge(&mut self, kind: Kind, id: RowId) -> Work<Option<Number>> {
        let mut number = None;
        if kind == Kind::Memory {
            let row = sqlx::query(columns::memory_sql!("owner_id = ?1 AND id = ?2"))
                .bind(self.owner_id)
                .bind(blob(id.uuid()))
                .fetch_optional(&mut *self.connection)
                .await?
                .ok_or_else(|| refused(id, "it is not there"))?;
            let memory = columns::memory(&row)?.body;
            let document = memory_document(memory.number, memory.version);
            let terms = Terms::of_memory(&memory.claim);
            unpost(
                self.connection,
                self.owner_id,
                Space::Memories,
                document,
                &terms,
            )
            .await?;
            self.unindexed.push((document, terms));
            number = Some(memory.number);
        }
        let purge = match kind {
            Kind::Memory => "DELETE FROM memory WHERE owner_id = ?1 AND id = ?2",
            Kind::Link => "DELETE FROM link WHERE owner_id = ?1 AND id = ?2",
            Kind::Tombstone => "DELETE FROM tombstone WHERE owner_id = ?1 AND id = ?2",
            Kind::Proposal => "DELETE FROM proposal WHERE owner_id = ?1 AND id = ?2",
        };
        let purged = sqlx::query(purge)
            .bind(self.owner_id)
            .bind(blob(id.uuid()))
            .execute(&mut *self.connection)
            .await?;
        match purged.rows_affected() {
            0 => Err(refused(id, "it is not there")),
            _ => Ok(number),
        }
    }

    async fn alter(&mut self, id: RowId, alteration: &Alteration) -> Work<()> {
        let Alteration { kind, marks, end } = alteration;
        let mut altered = 1;
        if let (Kind::Memory, Some(marks)) = (kind, marks) {
            altered = sqlx::query(
                "UPDATE memory SET importance = ?3, confidence = ?4, last_confirmed_at = ?5, confirmations = ?6, \
                 contradictions = ?7 WHERE owner_id = ?1 AND id = ?2 AND ended_at IS NULL",
            )
            .bind(self.owner_id)
            .bind(blob(id.uuid()))
            .bind(marks.importance)
            .bind(marks.confidence)
            .bind(marks.last_confirmed_at.map(Timestamp::as_micros))
            .bind(marks.confirmations)
            .bind(marks.contradictions)
            .execute(&mut *self.connection)
            .await?
            .rows_affected();
        }
        // An alteration without an end still must meet an open row.
        if end.is_some() || *kind != Kind::Memory {
            let (at, reason, by, until) = end_columns(*end);
            altered = altered.min(
                sqlx::query(end_sql(*kind))
                    .bind(self.owner_id)
                    .bind(blob(id.uuid()))
                    .bind(at)
                    .bind(reason)
                    .bind(by)
                    .bind(until)
                    .execute(&mut *self.connection)
                    .await?
                    .rows_affected(),
            );
        }
        match altered {
            0 => Err(refused(id, "it is not there, or has ended")),
            _ => Ok(()),
        }
    }

    async fn insert(&mut self, row: &Row<Body>) -> Work<()> {
        match &row.body {
            Body::Memory(memory) => return self.insert_memory(row, memory).await,
            Body::Link(link) => self
                .headed(
                    "INSERT INTO link (owner_id, id, origin, recorded_at, ended_at, end_reason, superseded_by, valid_until, \
                     from_number, to_number, relation) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
                    row,
                )
                .bind(integer(link.from.get()))
                .bind(integer(link.to.get()))
                .bind(&link.relation),
            Body::Tombstone(tombstone) => self
                .headed(
                    "INSERT INTO tombstone (owner_id, id, origin, recorded_at, ended_at, end_reason, superseded_by, valid_until, \
                     number, session, message, span_start, span_end) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
                    row,
                )
                .bind(integer(tombstone.number.get()))
                .bind(blob(tombstone.session.uuid()))
                .bind(integer(tombstone.message.get()))
                .bind(tombstone.span.start)
                .bind(tombstone.span.end),
            Body::Proposal(proposal) => {
                let mut targets = proposal.targets().map(|target| integer(target.number.get()));
                self.headed(
                    "INSERT INTO proposal (owner_id, id, origin, recorded_at, ended_at, end_reason, superseded_by, valid_until, \
                     target_number, rival_number, proposal) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
                    row,
                )
                .bind(targets.next())
                .bind(targets.next())
                .bind(to_json(proposal))
            }
        }
        .execute(&mut *self.connection)
        .await?;
        Ok(())
    }

    /// A statement with what all rows have bound to its first eight parameters.
    fn headed<'q>(
        &self,
        sql: &'static str,
        row: &Row<Body>,
    ) -> sqlx::query::Query<'q, sqlx::Sqlite, sqlx::sqlite::SqliteArguments> {
        let (at, reason, by, until) = end_columns(row.end);
        sqlx::query(sql)
            .bind(self.owner_id)
            .bind(blob(row.id.uuid()))
            .bind(blob(row.origin.uuid()))
            .bind(row.recorded_at.as_micros())
            .bind(at)
            .bind(reason)
            .bind(by)
            .bind(until)
    }

    async fn insert_memory(&mut self, row: &Row<Body>, memory: &Memory) -> Work<()> {
        let Memory {
            number,
            version,
            claim,
        } = memory;
        sqlx::query("INSERT OR IGNORE INTO fact (owner_id, number) VALUES (?1, ?2)")
            .bind(self.owner_id)
            .bind(integer(number.get()))
            .execute(&mut *self.connection)
            .await?;
        self.headed(
            "INSERT INTO memory (owner_id, id, origin, recorded_at, ended_at, end_reason, superseded_by, valid_until, \
             number, version, layer, category, authority, domain, key, value, content, content_hash, summary, body, tags, \
             source, trust, held, session, messages, evidence, valid_from, expires_at, authorises_action, importance, \
             confidence, last_confirmed_at, confirmations, contradictions) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, \
             ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, \
             ?33, ?34, ?35)",
            row,
        )
        .bind(integer(number.get()))
        .bind(integer(version.get()))
        .bind(claim.layer.word())
        .bind(&claim.category)
        .bind(claim.authority.word())
        .bind(&claim.domain)
        .bind(&claim.key)
        .bind(claim.value.as_ref().map(to_json))
        .bind(&claim.content)
        .bind(crate::change::content_hash(&claim.content))
        .bind(&claim.summary)
        .bind(&claim.body)
        .bind(list(&claim.tags, claim.tags.is_empty()))
        .bind(claim.source.word())
        .bind(claim.trust.word())
        .bind(claim.held)
        .bind(claim.session.map(|session| blob(session.uuid())))
        .bind(list(&claim.messages, claim.messages.is_empty()))
        .bind(list(&claim.evidence, claim.evidence.is_empty()))
        .bind(claim.valid_from.as_micros())
        .bind(claim.expires_at.map(Timestamp::as_micros))
        .bind(claim.authorises_action)
        .bind(row.marks.importance)
        .bind(row.marks.confidence)
        .bind(row.marks.last_confirmed_at.map(Timestamp::as_micros))
        .bind(row.marks.confirmations)
        .bind(row.marks.contradictions)
        .execute(&mut *self.connection)
        .await?;
        let document = memory_document(*number, *version);
        let terms = Terms::of_memory(claim);
        post(
            self.connection,
            self.owner_id,
            Space::Memories,
            document,
            &terms,
        )
        .await?;
        self.indexed.push((document, terms));
        Ok(())
    }

    async fn put_session(&mut self, session: &Session) -> Work<()> {
        let Session {
            id,
            opened_at,
            active_at,
            status,
            deleted_at,
            title,
            extracted_through,
            attempts,
            retry_at,
            lease,
            recap,
            block,
            served,
        } = session;
        sqlx::query(
            "INSERT INTO session (owner_id, id, opened_at, active_at, status, deleted_at, title, title_by_user, \
             extracted_through, attempts, retry_at, lease_holder, lease_until, recap, recap_through, block, block_revision, \
             block_rows, served) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19) \
             ON CONFLICT (owner_id, id) DO UPDATE SET opened_at = excluded.opened_at, active_at = excluded.active_at, \
             status = excluded.status, deleted_at = excluded.deleted_at, title = excluded.title, \
             title_by_user = excluded.title_by_user, extracted_through = excluded.extracted_through, \
             attempts = excluded.attempts, retry_at = excluded.retry_at, lease_holder = excluded.lease_holder, \
             lease_until = excluded.lease_until, recap = excluded.recap, recap_through = excluded.recap_through, \
             block = excluded.block, block_revision = excluded.block_revision, block_rows = excluded.block_rows, \
             served = excluded.served",
        )
        .bind(self.owner_id)
        .bind(blob(id.uuid()))
        .bind(opened_at.as_micros())
        .bind(active_at.as_micros())
        .bind(status.word())
        .bind(deleted_at.map(Timestamp::as_micros))
        .bind(title.as_ref().map(|title| &title.text))
        .bind(title.as_ref().map(|title| title.by_user))
        .bind(extracted_through.map(|number| integer(number.get())))
        .bind(attempts)
        .bind(retry_at.map(Timestamp::as_micros))
        .bind(lease.map(|lease| blob(lease.holder.uuid())))
        .bind(lease.map(|lease| lease.until.as_micros()))
        .bind(recap.as_ref().map(|recap| &recap.text))
        .bind(recap.as_ref().map(|recap| integer(recap.through.get())))
        .bind(block.as_ref().map(|block| &block.text))
        .bind(block.as_ref().map(|block| integer(block.revision)))
        .bind(block.as_ref().map(|block| to_json(&block.rows)))
        .bind(list(served, served.is_empty()))
        .execute(&mut *self.connection)
        .await?;
        Ok(())
    }

    async fn purge_session(&mut self, id: SessionId) -> Work<Counts> {
        let mut gone = Counts::default();
        let messages = sqlx::query(columns::message_sql!("owner_id = ?1 AND session = ?2"))
            .bind(self.owner_id)
            .bind(blob(id.uuid()))
            .fetch_all(&mut *self.connection)
            .await?;
        for row in &messages {
            let message = columns::message(row)?;
            let terms = Terms::of_message(&message.utterance);
            let document = message_document(message.ordinal);
            unpost(
                self.connection,
                self.owner_id,
                Space::Messages,
                document,
                &terms,
            )
            .await?;
            gone.add(Counts::of(&terms));
        }
        sqlx::query("DELETE FROM session WHERE owner_id = ?1 AND id = ?2")
            .bind(self.owner_id)
            .bind(blob(id.uuid()))
            .execute(&mut *self.connection)
            .await?;
        Ok(gone)
    }

    async fn message(&mut self, message: &NewMessage, place: Place) -> Work<Counts> {
        let utterance = &message.utterance;
        sqlx::query(
            "INSERT INTO message (owner_id, ordinal, session, number, role, content, hidden, origin, untrusted, calls, at) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        )
        .bind(self.owner_id)
        .bind(integer(place.ordinal.get()))
        .bind(blob(message.session.uuid()))
        .bind(integer(place.number.get()))
        .bind(utterance.role.word())
        .bind(&utterance.content)
        .bind(&utterance.hidden)
        .bind(utterance.origin.word())
        .bind(list(&utterance.untrusted, utterance.untrusted.is_empty()))
        .bind(list(&utterance.calls, utterance.calls.is_empty()))
        .bind(utterance.at.as_micros())
        .execute(&mut *self.connection)
        .await?;
        let terms = Terms::of_message(utterance);
        let document = message_document(place.ordinal);
        post(
            self.connection,
            self.owner_id,
            Space::Messages,
            document,
            &terms,
        )
        .await?;
        Ok(Counts::of(&terms))
    }

    async fn trace(&mut self, session: &SessionId, call: &str, change: &TraceChange) -> Work<()> {
        match change {
            TraceChange::Record(trace) => sqlx::query(
                "INSERT OR IGNORE INTO trace (owner_id, session, call, tool, arguments, result, outcome, started_at, finished_at) \
                 SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9 WHERE EXISTS (SELECT 1 FROM session WHERE owner_id = ?1 AND id = ?2)",
            )
            .bind(self.owner_id)
            .bind(blob(session.uuid()))
            .bind(call)
            .bind(&trace.tool)
            .bind(to_json(&trace.arguments))
            .bind(&trace.result)
            .bind(trace.outcome.word())
            .bind(trace.started_at.as_micros())
            .bind(trace.finished_at.as_micros()),
            TraceChange::Purge => sqlx::query("DELETE FROM trace WHERE owner_id = ?1 AND session = ?2 AND call = ?3")
                .bind(self.owner_id)
                .bind(blob(session.uuid()))
                .bind(call),
        }
        .execute(&mut *self.connection)
        .await?;
        Ok(())
    }

    /// Sets or removes an embedding; answers what it did, if it did anything.
    async fn embedding(
        &mut self,
        key: &EmbeddingKey,
        change: &EmbeddingChange,
    ) -> Work<Option<(Document, String, Option<Vector>)>> {
        let (document, vector): (Option<i64>, _) = match change {
            EmbeddingChange::Set(vector) => {
                let document = sqlx::query_scalar(
                    "INSERT INTO embedding (owner_id, memory, document, embedder, vector) \
                     SELECT ?1, ?2, number << 24 | version, ?3, ?4 FROM memory WHERE owner_id = ?1 AND id = ?2 \
                     ON CONFLICT (owner_id, memory, embedder) DO UPDATE SET vector = excluded.vector RETURNING document",
                )
                .bind(self.owner_id)
                .bind(blob(key.memory.uuid()))
                .bind(&key.embedder)
                .bind(columns::bytes(vector))
                .fetch_optional(&mut *self.connection)
                .await?;
                (document, Some(vector.clone()))
            }
            EmbeddingChange::Remove => {
                let document = sqlx::query_scalar(
                    "DELETE FROM embedding WHERE owner_id = ?1 AND memory = ?2 AND embedder = ?3 RETURNING document",
                )
                .bind(self.owner_id)
                .bind(blob(key.memory.uuid()))
                .bind(&key.embedder)
                .fetch_optional(&mut *self.connection)
                .await?;
                (document, None)
            }
        };
        Ok(document.map(|document| (document.cast_unsigned(), key.embedder.clone(), vector)))
    }
}

fn end_sql(kind: Kind) -> &'static str {
    match kind {
        Kind::Memory => {
            "UPDATE memory SET ended_at = ?3, end_reason = ?4, superseded_by = ?5, valid_until = ?6 WHERE owner_id = ?1 AND id = ?2 AND ended_at IS NULL"
        }
        Kind::Link => {
            "UPDATE link SET ended_at = ?3, end_reason = ?4, superseded_by = ?5, valid_until = ?6 WHERE owner_id = ?1 AND id = ?2 AND ended_at IS NULL"
        }
        Kind::Tombstone => {
            "UPDATE tombstone SET ended_at = ?3, end_reason = ?4, superseded_by = ?5, valid_until = ?6 WHERE owner_id = ?1 AND id = ?2 AND ended_at IS NULL"
        }
        Kind::Proposal => {
            "UPDATE proposal SET ended_at = ?3, end_reason = ?4, superseded_by = ?5, valid_until = ?6 WHERE owner_id = ?1 AND id = ?2 AND ended_at IS NULL"
        }
    }
}

fn refused(id: RowId, what: &str) -> Failure {
    Error::invalid("commit", format_args!("row {id}: {what}")).into()
}

fn no_session(id: SessionId) -> Failure {
    Error::new(
        ErrorKind::NotFound,
        "commit",
        format_args!("there is no session {id}: open it first"),
    )
    .into()
}
