//! What a change set meets before it is written: read in one round trip, or known from the last one.

use std::collections::{BTreeMap, BTreeSet};

use uuid::Uuid;

use crate::change::{Place, Receipt, RowChange, SessionChange};
use crate::error::{Error, ErrorKind, Result};
use crate::ids::{MessageOrdinal, RowId, SessionId};
use crate::order::Gather;
use crate::owner::OwnerState;
use crate::row::{Kind, MemoryRow};
use crate::search::Document;
use crate::search::keywords::{Terms, memory_document};
use crate::session::Session;
use crate::store::database::Counters;
use crate::store::database::prepare::{CommitRequest, Touched, check_numbers, touched};
use crate::store::database::segments::said;
use crate::store::postgres::columns::{self, Cells as _, damaged, key};
use crate::store::postgres::connection::Line;
use crate::store::postgres::facts;
use crate::store::postgres::failure::{Failure, Work};
use crate::store::postgres::known::{Chat, Known};
use crate::store::postgres::load::{OWNER, SESSIONS};
use crate::store::postgres::reading::Reading;
use crate::store::postgres::schema::{self, Settings};
use crate::store::postgres::segments::{self, Shortened};
use crate::timestamp::Timestamp;

/// What a change set meets before it is written.
pub(super) enum Prepared {
    /// It was committed before.
    Repeated(Receipt),
    /// It can be written.
    Ready(Box<Ready>),
}

/// All that writing needs to know of what is stored.
pub(super) struct Ready {
    /// `None` for an owner of whom nothing is stored.
    pub(super) known: Option<Known>,
    /// The write's own id.
    pub(super) write: Uuid,
    pub(super) after: OwnerState,
    pub(super) sessions: Touched,
    pub(super) places: Vec<Place>,
    /// The place of the last message, once what goes is gone.
    pub(super) last_left: Option<MessageOrdinal>,
    pub(super) purged: Vec<MemoryRow>,
    /// The messages that go with their chats.
    pub(super) silenced: BTreeMap<Document, Terms>,
    /// Lists of the keyword index without them.
    pub(super) shortened: Vec<Shortened>,
    /// Facts that wait for the keyword index, where the set would overtake them.
    pub(super) waiting: Vec<(Document, Terms)>,
}

/// What is stored of all that a set speaks of.
#[derive(Default)]
struct Stored {
    known: Option<Known>,
    receipt: Option<Receipt>,
    sessions: Touched,
    /// Rows that are altered or purged, and whether each is open.
    heads: BTreeMap<(Kind, RowId), bool>,
    purged: Vec<MemoryRow>,
    silenced: BTreeMap<Document, Terms>,
    waiting: Vec<(Document, Terms)>,
    last_left: Option<MessageOrdinal>,
}

/// With what is known alone. The statement that writes finds out whether it still holds.
pub(super) fn prepare_known(request: &CommitRequest, known: Known) -> Result<Prepared> {
    let mut stored = Stored {
        last_left: known.last_ordinal,
        ..Stored::default()
    };
    for (id, chat) in &known.chats {
        let session = Session {
            status: chat.status,
            deleted_at: chat.deleted_at,
            ..Session::open(*id, Timestamp::UNIX_EPOCH)
        };
        stored.sessions.sessions.insert(*id, session);
        stored.sessions.last_numbers.insert(*id, chat.last_number);
    }
    stored.sessions.last_ordinal = known.last_ordinal;
    stored.known = Some(known);
    check(request, stored)
}

/// With what is stored now.
pub(super) async fn prepare(line: &mut Line, request: &CommitRequest) -> Work<Prepared> {
    let mut stored = read(line, request).await?;
    if let Some(receipt) = stored.receipt.take() {
        return Ok(Prepared::Repeated(receipt));
    }
    check_heads(request, &stored)?;
    let silenced = std::mem::take(&mut stored.silenced);
    let mut prepared = check(request, stored)?;
    if let Prepared::Ready(ready) = &mut prepared
        && !silenced.is_empty()
    {
        ready.shortened = segments::without(line, key(&request.owner), &silenced).await?;
        ready.silenced = silenced;
    }
    Ok(prepared)
}

async fn read(line: &mut Line, request: &CommitRequest) -> Work<Stored> {
    let changes = &request.changes;
    let owner_id = key(&request.owner);
    let mut reading = Reading::default();
    reading.ask("owner", OWNER).bind(owner_id);
    reading
        .ask(
            "receipt",
            "SELECT receipt FROM @operation WHERE owner_id = $1 AND id = $2",
        )
        .bind(owner_id)
        .bind(changes.operation.uuid());
    reading.ask("setting", "SELECT name, value FROM @setting");
    let (mut light, mut settings) = (BTreeMap::new(), Settings::new());
    // A set that is wrong by itself is answered from its operation id alone.
    if request.verdict.is_ok() {
        light = touched(changes);
        ask_sessions(&mut reading, owner_id, &light);
        ask_rows(&mut reading, owner_id, request);
        ask_silenced(&mut reading, owner_id, request);
        if facts::overtakes(changes) {
            reading.ask("waiting", facts::WAITING).bind(owner_id);
        }
    }
    let mut stored = Stored::default();
    for (part, row) in reading.answer(line, owner_id).await? {
        match part.as_str() {
            "owner" => {
                let known = Known::read(&row)?;
                stored.last_left = known.last_ordinal;
                stored.known = Some(known);
            }
            "setting" => {
                let name = row.text("name")?.unwrap_or_default();
                settings.insert(name.to_owned(), row.integer("value")?);
            }
            "receipt" => stored.receipt = columns::json(row.text("receipt")?)?,
            "chat" | "session" => {
                let id = SessionId::new(row.id("id")?.ok_or_else(|| damaged("id"))?);
                let is_light = light.get(&id).copied().unwrap_or_default();
                stored.sessions.add(id, is_light, &row)?;
            }
            "purged" => stored.purged.push(columns::memory(&row)?),
            "silenced" => {
                let content = row.text("content")?.unwrap_or_default();
                let (document, terms) = said(row.integer("ordinal")?, content)?;
                stored.silenced.insert(document, terms);
            }
            "waiting" => {
                let record = row.text("record")?.unwrap_or_default();
                stored.waiting.push(facts::indexed(record)?);
            }
            "left" => {
                let last = row.optional_integer("last_ordinal")?;
                stored.last_left = last.and_then(|last| MessageOrdinal::new(last.cast_unsigned()));
            }
            _ => {
                let kind = kind_of(&part).ok_or_else(|| damaged("part"))?;
                let id = RowId::new(row.id("id")?.ok_or_else(|| damaged("id"))?);
                stored.heads.insert((kind, id), row.flag("is_open")?);
            }
        }
    }
    stored.sessions.last_ordinal = stored.known.as_ref().and_then(|known| known.last_ordinal);
    if stored.receipt.is_none() && !schema::is_current("commit", &settings)? {
        return Err(Failure::Refused(Error::new(
            ErrorKind::Unsupported,
            "commit",
            "the database was set back to older tables: open the store anew",
        )));
    }
    Ok(stored)
}

fn ask_sessions(reading: &mut Reading, owner_id: Uuid, touched: &BTreeMap<SessionId, bool>) {
    let of = |wanted: bool| -> Vec<Uuid> {
        let some = touched.iter().filter(|(_, light)| **light == wanted);
        some.map(|(id, _)| id.uuid()).collect()
    };
    // Every message touches its chat: its block and the lines it was served stay where they are.
    let (light, whole) = (of(true), of(false));
    if !light.is_empty() {
        reading
            .ask(
                "chat",
                "SELECT id, status, deleted_at, last_number FROM @session WHERE owner_id = $1 AND id = ANY($2)",
            )
            .bind(owner_id)
            .bind(light);
    }
    if !whole.is_empty() {
        reading.ask("session", SESSIONS).bind(owner_id).bind(whole);
    }
}

const KINDS: [(Kind, &str, &str); 4] = [
    (
        Kind::Memory,
        "memory",
        "SELECT id, ended_at IS NULL AS is_open FROM @memory WHERE owner_id = $1 AND id = ANY($2)",
    ),
    (
        Kind::Link,
        "link",
        "SELECT id, ended_at IS NULL AS is_open FROM @link WHERE owner_id = $1 AND id = ANY($2)",
    ),
    (
        Kind::Tombstone,
        "tombstone",
        "SELECT id, ended_at IS NULL AS is_open FROM @tombstone WHERE owner_id = $1 AND id = ANY($2)",
    ),
    (
        Kind::Proposal,
        "proposal",
        "SELECT id, ended_at IS NULL AS is_open FROM @proposal WHERE owner_id = $1 AND id = ANY($2)",
    ),
];

fn kind_of(part: &str) -> Option<Kind> {
    let found = KINDS.iter().find(|(_, name, _)| *name == part);
    found.map(|(kind, ..)| *kind)
}

fn ask_rows(reading: &mut Reading, owner_id: Uuid, request: &CommitRequest) {
    let rows = &request.changes.rows;
    for (kind, part, sql) in KINDS {
        let is_named = |change: &RowChange| match change {
            RowChange::Insert(_) => false,
            RowChange::Alter(alteration) => alteration.kind == kind,
            RowChange::Purge(purged) => *purged == kind,
        };
        let named = rows.iter().filter(|(_, change)| is_named(change));
        let named: Vec<Uuid> = named.map(|(id, _)| id.uuid()).collect();
        if !named.is_empty() {
            reading.ask(part, sql).bind(owner_id).bind(named);
        }
    }
    let is_purged = |change: &RowChange| matches!(change, RowChange::Purge(Kind::Memory));
    let purged = rows.iter().filter(|(_, change)| is_purged(change));
    let purged: Vec<Uuid> = purged.map(|(id, _)| id.uuid()).collect();
    if !purged.is_empty() {
        reading
            .ask(
                "purged",
                "SELECT record, marks, ending FROM @memory WHERE owner_id = $1 AND id = ANY($2)",
            )
            .bind(owner_id)
            .bind(purged);
    }
}

fn ask_silenced(reading: &mut Reading, owner_id: Uuid, request: &CommitRequest) {
    let purged = purged_sessions(request);
    if purged.is_empty() {
        return;
    }
    reading
        .ask(
            "silenced",
            "SELECT ordinal, content FROM @message WHERE owner_id = $1 AND session = ANY($2)",
        )
        .bind(owner_id)
        .bind(purged.clone());
    reading
        .ask(
            "left",
            "SELECT max(ordinal) AS last_ordinal FROM @message WHERE owner_id = $1 AND session <> ALL($2)",
        )
        .bind(owner_id)
        .bind(purged);
}

pub(super) fn purged_sessions(request: &CommitRequest) -> Vec<Uuid> {
    let sessions = request.changes.sessions.iter();
    sessions
        .filter(|(_, change)| matches!(change, SessionChange::Purge))
        .map(|(id, _)| id.uuid())
        .collect()
}

/// Whether each row is there that is altered or purged, and open where it must be.
fn check_heads(request: &CommitRequest, stored: &Stored) -> Result<()> {
    request.verdict.clone()?;
    // Who plans for another revision is told that first.
    let before = stored
        .known
        .as_ref()
        .map_or(OwnerState::NONE, |known| known.counters.state);
    request.changes.next_state(&before, request.expected)?;
    for (id, change) in &request.changes.rows {
        match change {
            RowChange::Insert(_) => {}
            RowChange::Alter(alteration) => {
                if stored.heads.get(&(alteration.kind, *id)) != Some(&true) {
                    return Err(refused(*id, "it is not there, or has ended"));
                }
            }
            RowChange::Purge(kind) => {
                if !stored.heads.contains_key(&(*kind, *id)) {
                    return Err(refused(*id, "it is not there"));
                }
            }
        }
    }
    Ok(())
}

/// Checks everything that can be checked before the first byte is written.
fn check(request: &CommitRequest, stored: Stored) -> Result<Prepared> {
    let CommitRequest {
        expected,
        changes,
        verdict,
        ..
    } = request;
    verdict.clone()?;
    let Stored {
        known,
        sessions,
        purged,
        last_left,
        mut waiting,
        ..
    } = stored;
    // What the set takes away is not put into the index first.
    let is_purged = |document: &Document| {
        let gone = purged.iter().map(|row| &row.body);
        let mut gone = gone.map(|memory| memory_document(memory.number, memory.version));
        gone.any(|gone| gone == *document)
    };
    waiting.retain(|(document, _)| !is_purged(document));
    let counters = known.as_ref().map(|known| known.counters);
    let before = counters.map_or(OwnerState::NONE, |counters| counters.state);
    let after = changes.next_state(&before, *expected)?;
    sessions.check(changes)?;
    let places = sessions.place_messages(changes)?;
    check_numbers(changes, &before)?;
    Ok(Prepared::Ready(Box::new(Ready {
        known,
        write: Uuid::new_v4(),
        after,
        sessions,
        places,
        last_left,
        purged,
        silenced: BTreeMap::new(),
        shortened: Vec::new(),
        waiting,
    })))
}

impl Ready {
    /// What is known of the owner once the set is written.
    pub(super) fn known_after(
        &self,
        request: &CommitRequest,
        [indexed_through, facts_indexed_through]: [u64; 2],
    ) -> Known {
        let (writes, chats) = match &self.known {
            Some(known) => (known.writes, known.chats.clone()),
            None => (0, BTreeMap::new()),
        };
        let mut known = Known {
            writes: writes + 1,
            last_write: self.write,
            counters: self.counters_after(),
            last_ordinal: self.last_ordinal(),
            indexed_through,
            facts_indexed_through,
            chats,
        };
        let changed: BTreeSet<SessionId> = touched(&request.changes).into_keys().gather();
        for id in changed {
            match self.session_after(id, request) {
                Some(session) => {
                    let chat = Chat {
                        status: session.status,
                        deleted_at: session.deleted_at,
                        last_number: self.last_number(id, request),
                    };
                    known.put_chat(id, chat);
                }
                None => {
                    known.chats.remove(&id);
                }
            }
        }
        known
    }

    /// What the owner's counters were,
    pub(super) fn counters_before(&self) -> Counters {
        let known = self.known.as_ref().map(|known| known.counters);
        known.unwrap_or(OwnerState::NONE.into())
    }

    /// and what they are once the set is written.
    pub(super) fn counters_after(&self) -> Counters {
        let (before, after) = (self.counters_before(), self.after);
        let is_new = self.known.is_none();
        let of = |is_moved: bool, last: Uuid| if is_new || is_moved { self.write } else { last };
        Counters {
            state: after,
            revised: of(after.revision != before.state.revision, before.revised),
            embedded: of(
                after.embedding_changes != before.state.embedding_changes,
                before.embedded,
            ),
        }
    }

    /// The place of the last message, once the set is written.
    pub(super) fn last_ordinal(&self) -> Option<MessageOrdinal> {
        let placed = self.places.iter().map(|place| place.ordinal).max();
        self.last_left.max(placed)
    }

    /// The number of a chat's last message, once the set is written.
    pub(super) fn last_number(
        &self,
        id: SessionId,
        request: &CommitRequest,
    ) -> Option<crate::ids::MessageNumber> {
        let stored = self.sessions.last_numbers.get(&id).copied().flatten();
        let placed = request.changes.messages.iter().zip(&self.places);
        let placed = placed.filter(|(message, _)| message.session == id);
        stored.max(placed.map(|(_, place)| place.number).max())
    }

    /// A chat once the set is written; `None` where it is gone.
    pub(super) fn session_after(&self, id: SessionId, request: &CommitRequest) -> Option<Session> {
        match request.changes.sessions.get(&id) {
            Some(SessionChange::Open(session)) => Some(session.clone()),
            Some(SessionChange::Purge) => None,
            Some(SessionChange::Edit(edit)) => {
                let mut session = self.sessions.sessions.get(&id)?.clone();
                edit.apply(&mut session);
                Some(session)
            }
            None => self.sessions.sessions.get(&id).cloned(),
        }
    }
}

fn refused(id: RowId, what: &str) -> Error {
    Error::invalid("commit", format_args!("row {id}: {what}"))
}
