//! Chats, messages, traces, usage and embeddings of a change set, as parts of its statement.

use uuid::Uuid;

use crate::change::{EmbeddingChange, NewMessage, Place, SessionChange, TraceChange};
use crate::embedding::{EmbeddingKey, Vector};
use crate::ids::SessionId;
use crate::row::Kind;
use crate::search::Document;
use crate::search::keywords::{Terms, memory_document, message_document};
use crate::session::Session;
use crate::store::database::postings::Counts;
use crate::store::database::prepare::{CommitRequest, touched};
use crate::store::database::segments::lists;
use crate::store::database::words::Word;
use crate::store::postgres::columns::{self, column, integer, list, to_json};
use crate::store::postgres::prepare::{Ready, purged_sessions};
use crate::store::postgres::rows::purged_ids;
use crate::store::postgres::segments;
use crate::store::postgres::statement::{Statement, given};
use crate::timestamp::Timestamp;
use crate::trace::Trace;

/// What a chat's last moment is divided by for the index, in microseconds; the remainder is cut off, here as on the server.
pub(super) const HOUR: i64 = 3_600_000_000;

/// Chats that are new or changed, and those that go, with what was said and called in them.
pub(super) fn write(statement: &mut Statement, request: &CommitRequest, ready: &Ready) {
    let changes = &request.changes;
    let mut whole = Vec::new();
    let mut active: Vec<(SessionId, Option<Timestamp>)> = Vec::new();
    for id in touched(changes).into_keys() {
        match changes.sessions.get(&id) {
            Some(SessionChange::Purge) => {}
            Some(SessionChange::Edit(edit)) if edit.only_recency().is_some() => {
                active.push((id, edit.only_recency()));
            }
            None => active.push((id, None)),
            Some(_) => whole.extend(ready.session_after(id, request)),
        }
    }
    let last_number = |id: SessionId| {
        let last = ready.last_number(id, request);
        last.map(|number| integer(number.get()))
    };
    if !active.is_empty() {
        let given = given(
            "active",
            "id uuid, moment bigint, last_number bigint",
            active.len(),
        );
        let sql = format!(
            "UPDATE @session SET active_at = coalesce(active.moment, session.active_at), \
             active_hour = coalesce(active.moment, session.active_at) / {HOUR}, last_number = active.last_number \
             FROM guard, {given} WHERE owner_id = guard.id AND session.id = active.id"
        );
        statement
            .part("active_session", &sql)
            .each(column(&active, |(id, _)| id.uuid()))
            .each(column(&active, |(_, moment)| {
                moment.map(Timestamp::as_micros)
            }))
            .each(column(&active, |(id, _)| last_number(*id)));
    }
    if !whole.is_empty() {
        put(statement, &whole, last_number);
    }
    let purged = purged_sessions(request);
    if !purged.is_empty() {
        for (name, sql) in [
            (
                "purged_message",
                "DELETE FROM @message USING guard WHERE owner_id = guard.id AND session = ANY($1) RETURNING 1",
            ),
            (
                "purged_session",
                "DELETE FROM @session USING guard WHERE owner_id = guard.id AND session.id = ANY($1)",
            ),
            (
                "purged_traces",
                "DELETE FROM @trace USING guard WHERE owner_id = guard.id AND session = ANY($1)",
            ),
        ] {
            statement.part(name, sql).bind(purged.clone());
        }
        segments::shorten(statement, &ready.shortened);
    }
}

fn put(
    statement: &mut Statement,
    whole: &[Session],
    last_number: impl Fn(SessionId) -> Option<i64>,
) {
    let columns = "id uuid, opened_at bigint, active_at bigint, active_hour bigint, status text, deleted_at bigint, title text, \
                   title_by_user boolean, extracted_through bigint, attempts bigint, retry_at bigint, lease_holder uuid, \
                   lease_until bigint, recap text, recap_through bigint, block text, block_revision bigint, \
                   block_rows text, served text, last_number bigint";
    statement
        .insert("session", columns, whole.len())
        .and(
            " ON CONFLICT (owner_id, id) DO UPDATE SET opened_at = excluded.opened_at, active_at = excluded.active_at, \
             active_hour = excluded.active_hour, \
             status = excluded.status, deleted_at = excluded.deleted_at, title = excluded.title, \
             title_by_user = excluded.title_by_user, extracted_through = excluded.extracted_through, \
             attempts = excluded.attempts, retry_at = excluded.retry_at, lease_holder = excluded.lease_holder, \
             lease_until = excluded.lease_until, recap = excluded.recap, recap_through = excluded.recap_through, \
             block = excluded.block, block_revision = excluded.block_revision, block_rows = excluded.block_rows, \
             served = excluded.served, last_number = excluded.last_number",
        )
        .each(column(whole, |chat| chat.id.uuid()))
        .each(column(whole, |chat| chat.opened_at.as_micros()))
        .each(column(whole, |chat| chat.active_at.as_micros()))
        .each(column(whole, |chat| chat.active_at.as_micros() / HOUR))
        .each(column(whole, |chat| chat.status.word()))
        .each(column(whole, |chat| chat.deleted_at.map(Timestamp::as_micros)))
        .each(column(whole, |chat| Some(chat.title.as_ref()?.text.clone())))
        .each(column(whole, |chat| Some(chat.title.as_ref()?.by_user)))
        .each(column(whole, |chat| Some(integer(chat.extracted_through?.get()))))
        .each(column(whole, |chat| i64::from(chat.attempts)))
        .each(column(whole, |chat| chat.retry_at.map(Timestamp::as_micros)))
        .each(column(whole, |chat| Some(chat.lease?.holder.uuid())))
        .each(column(whole, |chat| Some(chat.lease?.until.as_micros())))
        .each(column(whole, |chat| Some(chat.recap.as_ref()?.text.clone())))
        .each(column(whole, |chat| {
            Some(integer(chat.recap.as_ref()?.through.get()))
        }))
        .each(column(whole, |chat| Some(chat.block.as_ref()?.text.clone())))
        .each(column(whole, |chat| {
            Some(integer(chat.block.as_ref()?.revision))
        }))
        .each(column(whole, |chat| Some(to_json(&chat.block.as_ref()?.rows))))
        .each(column(whole, |chat| list(&chat.served, chat.served.is_empty())))
        .each(column(whole, |chat| last_number(chat.id)));
}

/// What messages change of the index.
#[derive(Default)]
pub(super) struct Said {
    /// How many there are more or less.
    pub(super) counts: Counts,
    /// Those at places that are in the index already. Only an export brings such: nothing waits there.
    late: Vec<(Document, Terms)>,
}

pub(super) fn note_messages(request: &CommitRequest, ready: &Ready) -> Said {
    let mut said = Said::default();
    let silenced = ready.silenced.values();
    silenced.for_each(|terms| said.counts.subtract(Counts::of(terms)));
    let indexed_through = ready
        .known
        .as_ref()
        .map_or(0, |known| known.indexed_through);
    for (message, place) in request.changes.messages.iter().zip(&ready.places) {
        let terms = Terms::of_message(&message.utterance);
        said.counts.add(Counts::of(&terms));
        let document = message_document(place.ordinal);
        if document <= indexed_through {
            said.late.push((document, terms));
        }
    }
    said
}

pub(super) fn write_messages(
    statement: &mut Statement,
    request: &CommitRequest,
    ready: &Ready,
    said: &Said,
) {
    let messages = &request.changes.messages;
    if messages.is_empty() {
        return;
    }
    let new: Vec<(&NewMessage, &Place)> = messages.iter().zip(&ready.places).collect();
    let is_purged = !purged_sessions(request).is_empty();
    let columns = "ordinal bigint, session uuid, number bigint, role text, content text, hidden text, origin text, \
                   untrusted text, calls text, at bigint";
    statement
        .insert("message", columns, new.len())
        .after(is_purged.then_some("purged_message"))
        .each(column(&new, |(_, place)| integer(place.ordinal.get())))
        .each(column(&new, |(message, _)| message.session.uuid()))
        .each(column(&new, |(_, place)| integer(place.number.get())))
        .each(column(&new, |(message, _)| message.utterance.role.word()))
        .each(column(&new, |(message, _)| {
            message.utterance.content.clone()
        }))
        .each(column(&new, |(message, _)| {
            message.utterance.hidden.clone()
        }))
        .each(column(&new, |(message, _)| message.utterance.origin.word()))
        .each(column(&new, |(message, _)| {
            let untrusted = &message.utterance.untrusted;
            list(untrusted, untrusted.is_empty())
        }))
        .each(column(&new, |(message, _)| {
            let calls = &message.utterance.calls;
            list(calls, calls.is_empty())
        }))
        .each(column(&new, |(message, _)| {
            message.utterance.at.as_micros()
        }));
    if !said.late.is_empty() {
        segments::put(statement, &lists(&said.late));
    }
}

pub(super) fn write_traces(statement: &mut Statement, request: &CommitRequest) {
    let changes = &request.changes;
    let purged: Vec<_> = changes
        .traces
        .iter()
        .filter(|(_, change)| matches!(change, TraceChange::Purge))
        .map(|(key, _)| key)
        .collect();
    if !purged.is_empty() {
        statement
            .part(
                "purged_trace",
                "DELETE FROM @trace USING guard, unnest($1::uuid[], $2::text[]) AS gone (session, call) \
                 WHERE owner_id = guard.id AND trace.session = gone.session AND trace.call = gone.call",
            )
            .bind(column(&purged, |key| key.session.uuid()))
            .bind(column(&purged, |key| key.call.clone()));
    }
    let new: Vec<(SessionId, &str, &Trace)> = changes
        .traces
        .iter()
        .filter_map(|(key, change)| match change {
            TraceChange::Record(trace) => Some((key.session, key.call.as_str(), trace)),
            TraceChange::Purge => None,
        })
        .collect();
    if new.is_empty() {
        return;
    }
    let opened: Vec<Uuid> = changes
        .sessions
        .iter()
        .filter(|(_, change)| matches!(change, SessionChange::Open(_)))
        .map(|(id, _)| id.uuid())
        .collect();
    let columns = "session uuid, call text, tool text, arguments text, result text, outcome text, started_at bigint, \
                   finished_at bigint";
    statement
        .insert("trace", columns, new.len())
        .and(
            " AND (new.session = ANY($9) OR new.session <> ALL($10) AND EXISTS (SELECT 1 FROM @session \
             WHERE session.owner_id = guard.id AND session.id = new.session)) ON CONFLICT DO NOTHING",
        )
        .each(column(&new, |(session, ..)| session.uuid()))
        .each(column(&new, |(_, call, _)| call.to_string()))
        .each(column(&new, |(.., trace)| trace.tool.clone()))
        .each(column(&new, |(.., trace)| to_json(&trace.arguments)))
        .each(column(&new, |(.., trace)| trace.result.clone()))
        .each(column(&new, |(.., trace)| trace.outcome.word()))
        .each(column(&new, |(.., trace)| trace.started_at.as_micros()))
        .each(column(&new, |(.., trace)| trace.finished_at.as_micros()))
        .bind(opened)
        .bind(purged_sessions(request));
}

/// The memories that a set brings, by their ids, with the documents they become.
fn brought(request: &CommitRequest) -> Vec<(Uuid, i64)> {
    let rows = request.changes.rows.values();
    rows.filter_map(|change| match change {
        crate::change::RowChange::Insert(row) => {
            let memory = row.memory()?;
            let document = memory_document(memory.number, memory.version);
            Some((row.id.uuid(), integer(document)))
        }
        _ => None,
    })
    .collect()
}

pub(super) fn write_usage(statement: &mut Statement, request: &CommitRequest) {
    let changes = &request.changes;
    if changes.usage.is_empty() {
        return;
    }
    let new: Vec<_> = changes.usage.values().collect();
    let columns = "id uuid, at bigint, session uuid, memory uuid, kind text, influence text";
    statement
        .insert("usage", columns, new.len())
        .and(
            " AND (new.memory = ANY($7) OR new.memory <> ALL($8) AND EXISTS (SELECT 1 FROM @memory \
             WHERE memory.owner_id = guard.id AND memory.id = new.memory)) ON CONFLICT DO NOTHING",
        )
        .each(column(&new, |used| used.id.uuid()))
        .each(column(&new, |used| used.at.as_micros()))
        .each(column(&new, |used| used.session.map(|id| id.uuid())))
        .each(column(&new, |used| used.memory.uuid()))
        .each(column(&new, |used| used.kind.word()))
        .each(column(&new, |used| used.influence.clone()))
        .bind(column(&brought(request), |(id, _)| *id))
        .bind(purged_ids(&changes.rows, Kind::Memory));
}

/// Vectors of more numbers than these do not travel twice in one statement: a server takes so many bytes and no more.
const MANY_NUMBERS: usize = 16 << 20;

/// Sets and removes embeddings. The parts `embedded` and `unembedded` say which; whether there is either. Where `near` says
/// where the type of that column is, each vector stands there too.
pub(super) fn write_embeddings(
    statement: &mut Statement,
    request: &CommitRequest,
    near: Option<&str>,
) -> bool {
    let changes = &request.changes;
    if changes.embeddings.is_empty() {
        return false;
    }
    let (mut set, mut removed): (Vec<(&EmbeddingKey, &Vector)>, Vec<&EmbeddingKey>) =
        (Vec::new(), Vec::new());
    for (key, change) in &changes.embeddings {
        match change {
            EmbeddingChange::Set(vector) => set.push((key, vector)),
            EmbeddingChange::Remove => removed.push(key),
        }
    }
    let brought = brought(request);
    let document = |key: &EmbeddingKey| {
        let found = brought.iter().find(|(id, _)| *id == key.memory.uuid());
        found.map(|(_, document)| *document)
    };
    let numbers: usize = set.iter().map(|(_, vector)| vector.dimensions()).sum();
    let near = near.filter(|_| numbers <= MANY_NUMBERS);
    let columns = "memory uuid, document bigint, embedder text, vector bytea, through integer";
    let given = given("new", columns, set.len());
    // There are no arrays of arrays of different lengths: all numbers travel as one, of which each row takes its part.
    let (column_near, set_near, value_near) = match near {
        Some(place) => (
            ", near",
            ", near = excluded.near",
            format!(
                ", ($7::real[])[new.through - length(new.vector) / 4 + 1 : new.through]::{place}vector"
            ),
        ),
        None => ("", "", String::new()),
    };
    let sql = format!(
        "INSERT INTO @embedding (owner_id, memory, document, embedder, vector, has_near{column_near}) \
         SELECT guard.id, new.memory, coalesce(new.document, number << 24 | version), new.embedder, new.vector, {has_near}{value_near} \
         FROM guard CROSS JOIN {given} \
         LEFT JOIN @memory ON memory.owner_id = guard.id AND memory.id = new.memory AND memory.id <> ALL($6) \
         WHERE coalesce(new.document, number) IS NOT NULL \
         ON CONFLICT (owner_id, memory, embedder) \
         DO UPDATE SET vector = excluded.vector, has_near = excluded.has_near{set_near} \
         RETURNING memory, embedder, document",
        has_near = near.is_some(),
    );
    let mut through = 0;
    let ends = set.iter().map(|(_, vector)| {
        through += vector.dimensions() as i32;
        through
    });
    let ends: Vec<i32> = ends.collect();
    let embedded = statement
        .part("embedded", &sql)
        .each(column(&set, |(key, _)| key.memory.uuid()))
        .each(column(&set, |(key, _)| document(key)))
        .each(column(&set, |(key, _)| key.embedder.clone()))
        .each(column(&set, |(_, vector)| columns::bytes(vector)))
        .each(ends)
        .bind(purged_ids(&changes.rows, Kind::Memory));
    if near.is_some() {
        let numbers = set.iter().flat_map(|(_, vector)| vector.as_slice());
        embedded.bind(numbers.copied().collect::<Vec<f32>>());
    }
    statement
        .part(
            "unembedded",
            "DELETE FROM @embedding USING guard, unnest($1::uuid[], $2::text[]) AS gone (memory, embedder) \
             WHERE owner_id = guard.id AND embedding.memory = gone.memory AND embedding.embedder = gone.embedder \
             RETURNING embedding.memory, embedding.embedder, embedding.document",
        )
        .bind(column(&removed, |key| key.memory.uuid()))
        .bind(column(&removed, |key| key.embedder.clone()));
    true
}
