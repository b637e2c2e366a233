//! Chats, messages, traces, usage and embeddings of a change set, as parts of its statement.

use uuid::Uuid;

use crate::change::{EmbeddingChange, NewMessage, Place, SessionChange, TraceChange};
use crate::embedding::EmbeddingKey;
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
use crate::store::postgres::statement::Statement;
use crate::timestamp::Timestamp;
use crate::trace::Trace;

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
        statement
            .part(
                "active_session",
                "UPDATE @session SET active_at = coalesce(active.moment, session.active_at), last_number = active.last_number \
                 FROM guard, unnest($1::uuid[], $2::bigint[], $3::bigint[]) AS active (id, moment, last_number) \
                 WHERE owner_id = guard.id AND session.id = active.id",
            )
            .bind(column(&active, |(id, _)| id.uuid()))
            .bind(column(&active, |(_, moment)| moment.map(Timestamp::as_micros)))
            .bind(column(&active, |(id, _)| last_number(*id)));
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
    statement
        .part(
            "put_session",
            "INSERT INTO @session (owner_id, id, opened_at, active_at, status, deleted_at, title, title_by_user, \
             extracted_through, attempts, retry_at, lease_holder, lease_until, recap, recap_through, block, block_revision, \
             block_rows, served, last_number) SELECT guard.id, new.* FROM guard, unnest($1::uuid[], $2::bigint[], \
             $3::bigint[], $4::text[], $5::bigint[], $6::text[], $7::boolean[], $8::bigint[], $9::bigint[], $10::bigint[], \
             $11::uuid[], $12::bigint[], $13::text[], $14::bigint[], $15::text[], $16::bigint[], $17::text[], $18::text[], \
             $19::bigint[]) AS new \
             ON CONFLICT (owner_id, id) DO UPDATE SET opened_at = excluded.opened_at, active_at = excluded.active_at, \
             status = excluded.status, deleted_at = excluded.deleted_at, title = excluded.title, \
             title_by_user = excluded.title_by_user, extracted_through = excluded.extracted_through, \
             attempts = excluded.attempts, retry_at = excluded.retry_at, lease_holder = excluded.lease_holder, \
             lease_until = excluded.lease_until, recap = excluded.recap, recap_through = excluded.recap_through, \
             block = excluded.block, block_revision = excluded.block_revision, block_rows = excluded.block_rows, \
             served = excluded.served, last_number = excluded.last_number",
        )
        .bind(column(whole, |chat| chat.id.uuid()))
        .bind(column(whole, |chat| chat.opened_at.as_micros()))
        .bind(column(whole, |chat| chat.active_at.as_micros()))
        .bind(column(whole, |chat| chat.status.word()))
        .bind(column(whole, |chat| chat.deleted_at.map(Timestamp::as_micros)))
        .bind(column(whole, |chat| Some(chat.title.as_ref()?.text.clone())))
        .bind(column(whole, |chat| Some(chat.title.as_ref()?.by_user)))
        .bind(column(whole, |chat| Some(integer(chat.extracted_through?.get()))))
        .bind(column(whole, |chat| i64::from(chat.attempts)))
        .bind(column(whole, |chat| chat.retry_at.map(Timestamp::as_micros)))
        .bind(column(whole, |chat| Some(chat.lease?.holder.uuid())))
        .bind(column(whole, |chat| Some(chat.lease?.until.as_micros())))
        .bind(column(whole, |chat| Some(chat.recap.as_ref()?.text.clone())))
        .bind(column(whole, |chat| {
            Some(integer(chat.recap.as_ref()?.through.get()))
        }))
        .bind(column(whole, |chat| Some(chat.block.as_ref()?.text.clone())))
        .bind(column(whole, |chat| {
            Some(integer(chat.block.as_ref()?.revision))
        }))
        .bind(column(whole, |chat| Some(to_json(&chat.block.as_ref()?.rows))))
        .bind(column(whole, |chat| list(&chat.served, chat.served.is_empty())))
        .bind(column(whole, |chat| last_number(chat.id)));
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
    statement
        .part(
            "new_message",
            "INSERT INTO @message (owner_id, ordinal, session, number, role, content, hidden, origin, untrusted, calls, at) \
             SELECT guard.id, new.* FROM guard, unnest($1::bigint[], $2::uuid[], $3::bigint[], $4::text[], $5::text[], \
             $6::text[], $7::text[], $8::text[], $9::text[], $10::bigint[]) AS new WHERE true",
        )
        .after(is_purged.then_some("purged_message"))
        .bind(column(&new, |(_, place)| integer(place.ordinal.get())))
        .bind(column(&new, |(message, _)| message.session.uuid()))
        .bind(column(&new, |(_, place)| integer(place.number.get())))
        .bind(column(&new, |(message, _)| message.utterance.role.word()))
        .bind(column(&new, |(message, _)| message.utterance.content.clone()))
        .bind(column(&new, |(message, _)| message.utterance.hidden.clone()))
        .bind(column(&new, |(message, _)| message.utterance.origin.word()))
        .bind(column(&new, |(message, _)| {
            let untrusted = &message.utterance.untrusted;
            list(untrusted, untrusted.is_empty())
        }))
        .bind(column(&new, |(message, _)| {
            let calls = &message.utterance.calls;
            list(calls, calls.is_empty())
        }))
        .bind(column(&new, |(message, _)| message.utterance.at.as_micros()));
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
    statement
        .part(
            "new_trace",
            "INSERT INTO @trace (owner_id, session, call, tool, arguments, result, outcome, started_at, finished_at) \
             SELECT guard.id, new.* FROM guard, unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], \
             $7::bigint[], $8::bigint[]) AS new (session, call, tool, arguments, result, outcome, started_at, finished_at) \
             WHERE new.session = ANY($9) OR new.session <> ALL($10) AND EXISTS (SELECT 1 FROM @session \
             WHERE session.owner_id = guard.id AND session.id = new.session) ON CONFLICT DO NOTHING",
        )
        .bind(column(&new, |(session, ..)| session.uuid()))
        .bind(column(&new, |(_, call, _)| call.to_string()))
        .bind(column(&new, |(.., trace)| trace.tool.clone()))
        .bind(column(&new, |(.., trace)| to_json(&trace.arguments)))
        .bind(column(&new, |(.., trace)| trace.result.clone()))
        .bind(column(&new, |(.., trace)| trace.outcome.word()))
        .bind(column(&new, |(.., trace)| trace.started_at.as_micros()))
        .bind(column(&new, |(.., trace)| trace.finished_at.as_micros()))
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
    statement
        .part(
            "new_usage",
            "INSERT INTO @usage (owner_id, id, at, session, memory, kind, influence) SELECT guard.id, new.* \
             FROM guard, unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::uuid[], $5::text[], $6::text[]) \
             AS new (id, at, session, memory, kind, influence) \
             WHERE new.memory = ANY($7) OR new.memory <> ALL($8) AND EXISTS (SELECT 1 FROM @memory \
             WHERE memory.owner_id = guard.id AND memory.id = new.memory) ON CONFLICT DO NOTHING",
        )
        .bind(column(&new, |used| used.id.uuid()))
        .bind(column(&new, |used| used.at.as_micros()))
        .bind(column(&new, |used| used.session.map(|id| id.uuid())))
        .bind(column(&new, |used| used.memory.uuid()))
        .bind(column(&new, |used| used.kind.word()))
        .bind(column(&new, |used| used.influence.clone()))
        .bind(column(&brought(request), |(id, _)| *id))
        .bind(purged_ids(&changes.rows, Kind::Memory));
}

/// Sets and removes embeddings. The parts `embedded` and `unembedded` say which; whether there is either.
pub(super) fn write_embeddings(statement: &mut Statement, request: &CommitRequest) -> bool {
    let changes = &request.changes;
    if changes.embeddings.is_empty() {
        return false;
    }
    let (mut set, mut removed): (Vec<(&EmbeddingKey, Vec<u8>)>, Vec<&EmbeddingKey>) =
        (Vec::new(), Vec::new());
    for (key, change) in &changes.embeddings {
        match change {
            EmbeddingChange::Set(vector) => set.push((key, columns::bytes(vector))),
            EmbeddingChange::Remove => removed.push(key),
        }
    }
    let brought = brought(request);
    let document = |key: &EmbeddingKey| {
        let found = brought.iter().find(|(id, _)| *id == key.memory.uuid());
        found.map(|(_, document)| *document)
    };
    statement
        .part(
            "embedded",
            "INSERT INTO @embedding (owner_id, memory, document, embedder, vector) \
             SELECT guard.id, new.memory, coalesce(new.document, number << 24 | version), new.embedder, new.vector \
             FROM guard CROSS JOIN unnest($1::uuid[], $2::bigint[], $3::text[], $4::bytea[]) \
             AS new (memory, document, embedder, vector) \
             LEFT JOIN @memory ON memory.owner_id = guard.id AND memory.id = new.memory AND memory.id <> ALL($5) \
             WHERE coalesce(new.document, number) IS NOT NULL \
             ON CONFLICT (owner_id, memory, embedder) DO UPDATE SET vector = excluded.vector \
             RETURNING memory, embedder, document",
        )
        .bind(column(&set, |(key, _)| key.memory.uuid()))
        .bind(column(&set, |(key, _)| document(key)))
        .bind(column(&set, |(key, _)| key.embedder.clone()))
        .bind(column(&set, |(_, vector)| vector.clone()))
        .bind(purged_ids(&changes.rows, Kind::Memory));
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
