//! Filling a store: many facts in a commit, with their vectors.

use keepmind::{
    Draft, EmbeddingChange, EmbeddingKey, Marks, Number, Owner, RowId, Slice, Timestamp, Vector,
};

use crate::Result;
use crate::ours::{EMBEDDER, Ours, claim, end_superseded};
use crate::workload::{self, BATCH, Entry, Workload};

impl Ours {
    /// Writes all facts of an owner, a batch in a commit.
    pub async fn fill(
        &mut self,
        workload: &Workload,
        owner: usize,
        facts: usize,
        vectors: bool,
    ) -> Result<()> {
        let name = workload::owner(owner)?;
        for (batch, first) in (1..=facts as u64).step_by(BATCH as usize).enumerate() {
            let last = (first + BATCH - 1).min(facts as u64);
            let entries = workload.batch(owner, first..=last, 1, vectors);
            let base = self.store.load(&name, &Slice::default()).await?;
            self.write(&name, &base, workload::filled_at(batch as u64), |draft| {
                entries.into_iter().try_for_each(|entry| {
                    let number = draft.new_number()?;
                    insert_entry(draft, number, entry)
                })
            })
            .await?;
            let second = (first..=last).filter(|number| workload::has_second_version(*number));
            let entries = workload.batch(owner, second, 2, vectors);
            self.supersede_entries(&name, entries, workload::superseded_at(batch as u64))
                .await?;
        }
        Ok(())
    }

    async fn supersede_entries(
        &mut self,
        owner: &Owner,
        entries: Vec<Entry>,
        at: Timestamp,
    ) -> Result<()> {
        let slice = Slice {
            numbers: entries
                .iter()
                .filter_map(|entry| Number::new(entry.number))
                .collect(),
            ..Slice::default()
        };
        let base = self.store.load(owner, &slice).await?;
        self.write(owner, &base, at, |draft| {
            entries.into_iter().try_for_each(|entry| {
                let number = Number::new(entry.number).ok_or("numbers count from 1")?;
                let old = base
                    .open_version(number)
                    .ok_or("the fact was not filled")?
                    .origin;
                let new = insert_entry_row(draft, number, entry)?;
                end_superseded(draft, old, new)
            })
        })
        .await
    }
}

fn insert_entry(draft: &mut Draft<'_>, number: Number, entry: Entry) -> Result<()> {
    insert_entry_row(draft, number, entry).map(drop)
}

fn insert_entry_row(draft: &mut Draft<'_>, number: Number, entry: Entry) -> Result<RowId> {
    let claim = claim(entry.fact, draft.stamp());
    let memory = draft.insert_version(number, claim, Marks::default())?;
    if let Some(vector) = entry.vector {
        let key = EmbeddingKey {
            memory,
            embedder: EMBEDDER.to_owned(),
        };
        draft
            .others()
            .embeddings
            .insert(key, EmbeddingChange::Set(Vector::new(vector)?));
    }
    Ok(memory)
}
