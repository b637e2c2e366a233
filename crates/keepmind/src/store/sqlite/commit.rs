//! A change set as SQL. What it means is `Snapshot::apply`; constraints of the schema refuse the rest.

use std::collections::BTreeMap;

use sqlx::Row as _;

use crate::change::{ChangeSet, EmbeddingChange, Receipt, SessionChange};
use crate::embedding::EmbeddingKey;
use crate::ids::RowId;
use crate::journal::JournalEntry;
use crate::owner::{Owner, OwnerState};
use crate::search::Document;
use crate::search::keywords::Terms;
use crate::search::scenes::Scene;
use crate::store::database::cache::{Committed, Embedded};
use crate::store::database::postings::Counts;
use crate::store::database::prepare::CommitRequest;
use crate::store::database::words::Word;
use crate::store::sqlite::batch::{Rows, Statement};
use crate::store::sqlite::columns::{blob, integer, list, to_json};
use crate::store::sqlite::failure::Work;
use crate::store::sqlite::prepare::{Prepared, Ready};
use crate::store::sqlite::transaction::Transaction;
use crate::timestamp::Timestamp;

/// What a commit did, and what it leaves to be done.
pub(super) type Done = (Committed, Option<Backlog>);

/// What a commit leaves to the keyword index of messages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Backlog {
    pub(super) owner_id: i64,
    /// How many messages may wait by now; some of these places may be empty.
    pub(super) messages: u64,
    /// How many bytes of text came with it.
    pub(super) bytes: usize,
}

/// Writes what was prepared and answers the receipt; of a set that was committed before, the first one.
/// Any failure here leaves the transaction to be rolled back.
pub(super) async fn write(
    transaction: &mut Transaction<'_>,
    prepared: Prepared,
    request: &CommitRequest,
) -> Work<(Receipt, Option<Done>)> {
    let ready = match prepared {
        Prepared::Repeated(receipt) => return Ok((receipt, None)),
        Prepared::Ready(ready) => ready,
    };
    let CommitRequest { owner, changes, .. } = request;
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
    } = changes.as_ref();
    let Ready {
        owner_id,
        before,
        after,
        sessions: stored,
        places,
        indexed_through,
    } = ready;
    let owner_id = put_owner(transaction, owner_id, owner, &after).await?;
    let mut writing = Writing {
        transaction,
        owner_id,
        indexed: Vec::new(),
        unindexed: Vec::new(),
        staged: Vec::new(),
        ended: Vec::new(),
        indexed_through,
        late: Vec::new(),
    };
    for entry in entries {
        writing.entry(entry);
    }
    writing.rows(rows).await?;
    for step in lineage {
        writing
            .add("INSERT OR IGNORE INTO lineage (owner_id, row_id, from_id) VALUES (?1, ?2, ?3)")
            .bind(owner_id)
            .bind(blob(step.row.uuid()))
            .bind(blob(step.from.uuid()));
    }
    for ((domain, moment), granted) in consents {
        writing.add(
            "INSERT INTO consent (owner_id, domain, recorded_at, granted) VALUES (?1, ?2, ?3, ?4)",
        )
        .bind(owner_id)
        .bind(domain)
        .bind(moment.as_micros())
        .bind(granted);
    }
    let mut messages_change = Counts::default();
    for (id, change) in sessions {
        match change {
            SessionChange::Open(session) => writing.put_session(session),
            SessionChange::Edit(edit) => {
                if let Some(moment) = edit.only_recency() {
                    writing.touch_session(*id, moment);
                } else if let Some(mut session) = stored.get(id).cloned() {
                    edit.apply(&mut session);
                    writing.put_session(&session);
                }
            }
            SessionChange::Purge => messages_change.subtract(writing.purge_session(*id).await?),
        }
    }
    for (message, place) in messages.iter().zip(&places) {
        messages_change.add(writing.message(message, *place));
        writing.transaction.relieve().await?;
    }
    writing.mark_indexed(sessions);
    for observation in observations.values() {
        writing.add("INSERT OR IGNORE INTO observation (owner_id, id, source, payload, at) VALUES (?1, ?2, ?3, ?4, ?5)")
            .bind(owner_id)
            .bind(blob(observation.id.uuid()))
            .bind(&observation.source)
            .bind(to_json(&observation.payload))
            .bind(observation.at.as_micros());
    }
    for (key, change) in traces {
        writing.trace(&key.session, &key.call, change);
    }
    writing.usage(usage.values());
    for (key, change) in embeddings {
        writing.embedding(key, change);
    }

    let Writing {
        transaction,
        indexed,
        unindexed,
        staged,
        ended,
        ..
    } = writing;
    let last = places.iter().map(|place| place.ordinal.get()).max();
    let backlog = last.map(|last| Backlog {
        owner_id,
        messages: last.saturating_sub(indexed_through),
        bytes: messages
            .iter()
            .map(|message| message.utterance.content.len())
            .sum(),
    });
    let mut memories_change = Counts::default();
    indexed
        .iter()
        .for_each(|(_, terms)| memories_change.add(Counts::of(terms)));
    unindexed
        .iter()
        .for_each(|(_, terms)| memories_change.subtract(Counts::of(terms)));
    update_owner(
        transaction,
        owner_id,
        &after,
        memories_change,
        messages_change,
    );
    let receipt = Receipt {
        revision: after.revision,
        at: *at,
        places,
    };
    transaction
        .add("INSERT INTO operation (owner_id, id, at, receipt) VALUES (?1, ?2, ?3, ?4)")
        .bind(owner_id)
        .bind(blob(operation.uuid()))
        .bind(at.as_micros())
        .bind(to_json(&receipt));
    let embedded = match embeddings.is_empty() {
        true => {
            transaction.settle().await?;
            Vec::new()
        }
        false => {
            let answers = transaction.run().await?;
            // Two more statements follow those of the embeddings.
            let first = answers.len() - 2 - embeddings.len();
            embedded(embeddings, &answers[first..])?
        }
    };
    let committed = Committed {
        before: before.into(),
        after: after.into(),
        indexed,
        unindexed,
        staged,
        ended,
        embedded,
    };
    Ok((receipt, Some((committed, backlog))))
}

/// An owner of whom nothing was known gets a row, with counters that `update_owner` sets.
async fn put_owner(
    transaction: &mut Transaction<'_>,
    owner_id: Option<i64>,
    owner: &Owner,
    state: &OwnerState,
) -> Work<i64> {
    if let Some(owner_id) = owner_id {
        return Ok(owner_id);
    }
    let id = sqlx::query_scalar(
        "INSERT INTO owner (name, epoch, revision, next_number, last_stamp, embedding_changes, \
         memory_documents, memory_length, message_documents, message_length) \
         VALUES (?1, ?2, 0, 1, NULL, 0, 0, 0, 0, 0) RETURNING id",
    )
    .bind(owner.as_str())
    .bind(blob(state.revision.epoch.uuid()))
    .fetch_one(transaction.connection().await?)
    .await?;
    Ok(id)
}

fn update_owner(
    transaction: &mut Transaction<'_>,
    owner_id: i64,
    state: &OwnerState,
    memories: Counts,
    messages: Counts,
) {
    transaction.add(
        "UPDATE owner SET revision = ?2, next_number = ?3, last_stamp = ?4, embedding_changes = ?5, \
         memory_documents = memory_documents + ?6, memory_length = memory_length + ?7, \
         message_documents = message_documents + ?8, message_length = message_length + ?9 WHERE id = ?1",
    )
    .bind(owner_id)
    .bind(integer(state.revision.count))
    .bind(integer(state.next_number))
    .bind(state.last_stamp.map(Timestamp::as_micros))
    .bind(integer(state.embedding_changes))
    .bind(memories.documents)
    .bind(memories.length)
    .bind(messages.documents)
    .bind(messages.length);
}

/// A change set being written: the parts are in `rows` and `sessions`.
pub(super) struct Writing<'a, 'c> {
    pub(super) transaction: &'a mut Transaction<'c>,
    pub(super) owner_id: i64,
    pub(super) indexed: Vec<(Document, Terms)>,
    pub(super) unindexed: Vec<(Document, Terms)>,
    pub(super) staged: Vec<(Document, Scene)>,
    pub(super) ended: Vec<RowId>,
    /// All messages up to here are in the keyword index already,
    pub(super) indexed_through: Document,
    /// and so must these be, which came to places before.
    pub(super) late: Vec<(Document, Terms)>,
}

impl Writing<'_, '_> {
    /// Adds a statement to those that are written together.
    pub(super) fn add(&mut self, sql: &'static str) -> Statement<'_> {
        self.transaction.add(sql)
    }

    fn entry(&mut self, entry: &JournalEntry) {
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
        let owner_id = self.owner_id;
        self.add(
            "INSERT INTO journal (owner_id, revision, operation, stamp, who, session, group_id, effects, undoes, redoes, line) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        )
        .bind(owner_id)
        .bind(integer(*revision))
        .bind(blob(operation.uuid()))
        .bind(stamp.as_micros())
        .bind(who.word())
        .bind(session.map(|session| blob(session.uuid())))
        .bind(group.map(|group| blob(group.uuid())))
        .bind(to_json(effects))
        .bind(list(undoes, undoes.is_empty()))
        .bind(list(redoes, redoes.is_empty()))
        .bind(line);
    }
}

/// What the statements of these changes did, by their answers; of those that did nothing there is nothing.
fn embedded(
    changes: &BTreeMap<EmbeddingKey, EmbeddingChange>,
    answers: &[Rows],
) -> Work<Vec<Embedded>> {
    let mut embedded = Vec::new();
    for ((key, change), rows) in changes.iter().zip(answers) {
        let Some(row) = rows.first() else {
            continue;
        };
        let document: i64 = row.try_get(0)?;
        let vector = match change {
            EmbeddingChange::Set(vector) => Some(vector.clone()),
            EmbeddingChange::Remove => None,
        };
        embedded.push((document.cast_unsigned(), key.embedder.clone(), vector));
    }
    Ok(embedded)
}
