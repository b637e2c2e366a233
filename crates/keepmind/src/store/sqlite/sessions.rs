//! Chats, messages, traces, usage and embeddings of a change set, as SQL.

use std::collections::BTreeMap;

use uuid::Uuid;

use crate::change::{EmbeddingChange, NewMessage, Place, SessionChange, TraceChange};
use crate::embedding::EmbeddingKey;
use crate::ids::SessionId;
use crate::search::keywords::{Terms, message_document};
use crate::session::Session;
use crate::store::database::postings::Counts;
use crate::store::database::words::Word;
use crate::store::sqlite::columns::{self, blob, integer, list, to_json};
use crate::store::sqlite::commit::Writing;
use crate::store::sqlite::failure::Work;
use crate::store::sqlite::segments;
use crate::timestamp::Timestamp;
use crate::usage::Usage;

impl Writing<'_, '_> {
    pub(super) fn put_session(&mut self, session: &Session) {
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
        let owner_id = self.owner_id;
        self.add(
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
        .bind(owner_id)
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
        .bind(list(served, served.is_empty()));
    }

    /// A chat was active: the one edit that comes with every message, without its long columns.
    pub(super) fn touch_session(&mut self, id: SessionId, moment: Timestamp) {
        let owner_id = self.owner_id;
        self.add("UPDATE session SET active_at = ?3 WHERE owner_id = ?1 AND id = ?2")
            .bind(owner_id)
            .bind(blob(id.uuid()))
            .bind(moment.as_micros());
    }

    pub(super) async fn purge_session(&mut self, id: SessionId) -> Work<Counts> {
        let mut gone = Counts::default();
        let owner_id = self.owner_id;
        self.add(columns::message_sql!("owner_id = ?1 AND session = ?2"))
            .bind(owner_id)
            .bind(blob(id.uuid()));
        let messages = self.transaction.run().await?.pop().unwrap_or_default();
        let mut said = BTreeMap::new();
        for row in &messages {
            let message = columns::message(row)?;
            let terms = Terms::of_message(&message.utterance);
            gone.add(Counts::of(&terms));
            said.insert(message_document(message.ordinal), terms);
        }
        segments::remove(self.transaction, owner_id, &said).await?;
        self.add("DELETE FROM session WHERE owner_id = ?1 AND id = ?2")
            .bind(owner_id)
            .bind(blob(id.uuid()));
        Ok(gone)
    }

    pub(super) fn message(&mut self, message: &NewMessage, place: Place) -> Counts {
        let utterance = &message.utterance;
        let owner_id = self.owner_id;
        self.add(
            "INSERT INTO message (owner_id, ordinal, session, number, role, content, hidden, origin, untrusted, calls, at) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        )
        .bind(owner_id)
        .bind(integer(place.ordinal.get()))
        .bind(blob(message.session.uuid()))
        .bind(integer(place.number.get()))
        .bind(utterance.role.word())
        .bind(&utterance.content)
        .bind(&utterance.hidden)
        .bind(utterance.origin.word())
        .bind(list(&utterance.untrusted, utterance.untrusted.is_empty()))
        .bind(list(&utterance.calls, utterance.calls.is_empty()))
        .bind(utterance.at.as_micros());
        let terms = Terms::of_message(utterance);
        let counts = Counts::of(&terms);
        // Only a place that an export brings can lie before what is indexed: nothing waits there.
        let document = message_document(place.ordinal);
        if document <= self.indexed_through {
            self.late.push((document, terms));
        }
        counts
    }

    /// Keeps true what the keyword index says of itself: which messages are in it.
    pub(super) fn mark_indexed(&mut self, sessions: &BTreeMap<SessionId, SessionChange>) {
        let (owner_id, batch) = (self.owner_id, self.transaction.batch());
        if !self.late.is_empty() {
            segments::put(batch, owner_id, self.indexed_through, &self.late);
        }
        if sessions
            .values()
            .any(|change| matches!(change, SessionChange::Purge))
        {
            segments::lower_marks(batch, owner_id);
        }
    }

    /// Uses of memories that are still there. Together, where no words go with them: a statement for each has this thread
    /// woken as often, and there are hundreds. Words are bound as they are: SQLite ends a text in JSON at a NUL.
    pub(super) fn usage<'u>(&mut self, all: impl Iterator<Item = &'u Usage>) {
        let owner_id = self.owner_id;
        let hex = |id: Uuid| id.simple().to_string();
        let mut together = Vec::new();
        for one in all {
            let session = one.session.map(|session| session.uuid());
            if one.influence.is_none() {
                let (id, memory) = (hex(one.id.uuid()), hex(one.memory.uuid()));
                let (at, kind) = (one.at.as_micros(), one.kind.word());
                together.push((id, at, session.map(hex), memory, kind));
                continue;
            }
            self.add(
                "INSERT OR IGNORE INTO usage (owner_id, id, at, session, memory, kind, influence) \
                 SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 WHERE EXISTS (SELECT 1 FROM memory WHERE owner_id = ?1 AND id = ?5)",
            )
            .bind(owner_id)
            .bind(blob(one.id.uuid()))
            .bind(one.at.as_micros())
            .bind(session.map(blob))
            .bind(blob(one.memory.uuid()))
            .bind(one.kind.word())
            .bind(&one.influence);
        }
        if !together.is_empty() {
            self.add(
                "INSERT OR IGNORE INTO usage (owner_id, id, at, session, memory, kind) \
                 SELECT ?1, unhex(value ->> 0), value ->> 1, unhex(value ->> 2), unhex(value ->> 3), value ->> 4 \
                 FROM json_each(?2) \
                 WHERE EXISTS (SELECT 1 FROM memory WHERE owner_id = ?1 AND id = unhex(value ->> 3))",
            )
            .bind(owner_id)
            .bind(to_json(&together));
        }
    }

    pub(super) fn trace(&mut self, session: &SessionId, call: &str, change: &TraceChange) {
        let owner_id = self.owner_id;
        match change {
            TraceChange::Record(trace) => self.add(
                "INSERT OR IGNORE INTO trace (owner_id, session, call, tool, arguments, result, outcome, started_at, finished_at) \
                 SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9 WHERE EXISTS (SELECT 1 FROM session WHERE owner_id = ?1 AND id = ?2)",
            )
            .bind(owner_id)
            .bind(blob(session.uuid()))
            .bind(call)
            .bind(&trace.tool)
            .bind(to_json(&trace.arguments))
            .bind(&trace.result)
            .bind(trace.outcome.word())
            .bind(trace.started_at.as_micros())
            .bind(trace.finished_at.as_micros()),
            TraceChange::Purge => self.add("DELETE FROM trace WHERE owner_id = ?1 AND session = ?2 AND call = ?3")
                .bind(owner_id)
                .bind(blob(session.uuid()))
                .bind(call),
        };
    }

    /// Sets or removes an embedding. What it did says `embedded`.
    pub(super) fn embedding(&mut self, key: &EmbeddingKey, change: &EmbeddingChange) {
        let owner_id = self.owner_id;
        match change {
            EmbeddingChange::Set(vector) => self
                .add(
                    "INSERT INTO embedding (owner_id, memory, document, embedder, vector) \
                     SELECT ?1, ?2, number << 24 | version, ?3, ?4 FROM memory WHERE owner_id = ?1 AND id = ?2 \
                     ON CONFLICT (owner_id, memory, embedder) DO UPDATE SET vector = excluded.vector RETURNING document",
                )
                .bind(owner_id)
                .bind(blob(key.memory.uuid()))
                .bind(&key.embedder)
                .bind(columns::bytes(vector)),
            EmbeddingChange::Remove => self
                .add("DELETE FROM embedding WHERE owner_id = ?1 AND memory = ?2 AND embedder = ?3 RETURNING document")
                .bind(owner_id)
                .bind(blob(key.memory.uuid()))
                .bind(&key.embedder),
        };
    }
}
