//! Commits: the reference semantics, then what is searched is brought up to date.

use std::collections::BTreeMap;

use crate::change::{ChangeSet, EmbeddingChange, Expected, Receipt, RowChange, SessionChange};
use crate::error::Result;
use crate::ids::RowId;
use crate::owner::Owner;
use crate::row::MemoryRow;
use crate::search::keywords::{Terms, memory_document, message_document};
use crate::search::scenes::Scene;
use crate::search::vectors::Matrix;
use crate::store::in_memory::Owned;

pub(super) fn commit(
    owners: &mut BTreeMap<Owner, Owned>,
    owner: &Owner,
    expected: Expected,
    changes: &ChangeSet,
) -> Result<Receipt> {
    if let Some(owned) = owners.get_mut(owner) {
        return owned.commit(expected, changes);
    }
    let mut owned = Owned::new();
    let receipt = owned.commit(expected, changes)?;
    owners.insert(owner.clone(), owned);
    Ok(receipt)
}

impl Owned {
    fn commit(&mut self, expected: Expected, changes: &ChangeSet) -> Result<Receipt> {
        if let Some(receipt) = self.snapshot.receipt(changes.operation) {
            return Ok(receipt.clone());
        }
        let purged = self.purged_memories(changes);
        let silenced = self.purged_messages(changes);
        let receipt = self.snapshot.apply(expected, changes)?;

        for (document, terms) in silenced {
            self.messages.remove(document, &terms);
        }
        for row in purged {
            let document = memory_document(row.body.number, row.body.version);
            self.memories
                .remove(document, &Terms::of_memory(&row.body.claim));
            if let Some(documents) = self.layers.get_mut(&row.body.claim.layer) {
                documents.remove(&document);
            }
            self.ended.remove(&document);
            self.scenes.remove(document);
            self.matrices
                .values_mut()
                .for_each(|matrix| matrix.remove(document));
        }
        for change in changes.rows.values() {
            if let RowChange::Insert(row) = change
                && let Some(memory) = row.memory()
            {
                let document = memory_document(memory.number, memory.version);
                self.memories
                    .insert(document, &Terms::of_memory(&memory.claim));
                let layer = self.layers.entry(memory.claim.layer).or_default();
                layer.insert(document);
            }
        }
        for id in changes.rows.keys() {
            self.stage(*id);
        }
        for (message, place) in changes.messages.iter().zip(&receipt.places) {
            let terms = Terms::of_message(&message.utterance);
            self.messages
                .insert(message_document(place.ordinal), &terms);
        }
        for (key, change) in &changes.embeddings {
            self.embed(key.memory, &key.embedder, change);
        }
        Ok(receipt)
    }

    fn purged_memories(&self, changes: &ChangeSet) -> Vec<MemoryRow> {
        changes
            .rows
            .iter()
            .filter(|(_, change)| matches!(change, RowChange::Purge(crate::row::Kind::Memory)))
            .filter_map(|(id, _)| self.snapshot.memory(*id).cloned())
            .collect()
    }

    fn purged_messages(&self, changes: &ChangeSet) -> Vec<(u64, Terms)> {
        changes
            .sessions
            .iter()
            .filter(|(_, change)| matches!(change, SessionChange::Purge))
            .flat_map(|(session, _)| self.snapshot.messages_of(*session))
            .map(|message| {
                (
                    message_document(message.ordinal),
                    Terms::of_message(&message.utterance),
                )
            })
            .collect()
    }

    /// Sets or takes away the scene of a memory, by whether it is open, and takes note of one that has ended.
    fn stage(&mut self, row: RowId) {
        let Some(row) = self.snapshot.memory(row) else {
            return;
        };
        let document = memory_document(row.body.number, row.body.version);
        if row.is_open() {
            let scene = Scene::of(row.id, &row.body.claim);
            self.scenes.set(document, scene);
        } else {
            self.scenes.remove(document);
            self.ended.insert(document);
        }
    }

    fn embed(&mut self, memory: RowId, embedder: &str, change: &EmbeddingChange) {
        let Some(row) = self.snapshot.memory(memory) else {
            return;
        };
        let document = memory_document(row.body.number, row.body.version);
        for ((name, _), matrix) in &mut self.matrices {
            if name == embedder {
                matrix.remove(document);
            }
        }
        if let EmbeddingChange::Set(vector) = change {
            self.matrices
                .entry((embedder.to_owned(), vector.dimensions()))
                .or_insert_with(|| Matrix::new(vector.dimensions()))
                .set(document, vector.as_slice());
        }
    }
}
