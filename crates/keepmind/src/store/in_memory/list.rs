//! Memories by filter, page by page.

use crate::error::Result;
use crate::ids::{Number, RowId};
use crate::owner::Owner;
use crate::row::MemoryRow;
use crate::search::keywords::memory_document;
use crate::store::in_memory::Owned;
use crate::store::paging::{self, MemoryPlace};
use crate::store::{ListQuery, Page, Selection, UnembeddedQuery};
use crate::visibility::as_of;

pub(super) fn list(owned: &Owned, owner: &Owner, query: &ListQuery) -> Result<Page<MemoryRow>> {
    query.filter.validate("list")?;
    let after = MemoryPlace::read(query.after.as_ref(), owner)?;
    let snapshot = &owned.snapshot;
    let after = after.map(MemoryPlace::pair);
    let rows: Box<dyn Iterator<Item = &MemoryRow>> = match query.filter.selection {
        Selection::Held => Box::new(snapshot.held_after(after)),
        _ => Box::new(snapshot.memories_after(after)),
    };
    let mut answer: Option<(Number, Option<RowId>)> = None;
    let selected = rows
        .filter(|row| match query.filter.selection {
            Selection::AsOf { question } => {
                let number = row.body.number;
                if answer.is_none_or(|(known, _)| known != number) {
                    let versions: Vec<&MemoryRow> = snapshot.versions(number).collect();
                    answer = Some((number, as_of(&versions, question).map(|row| row.id)));
                }
                answer == Some((number, Some(row.id)))
            }
            _ => true,
        })
        .filter(|row| query.filter.matches(row))
        .cloned();
    Ok(paging::page(
        selected,
        query.limit,
        *snapshot.state(),
        |row| MemoryPlace::of(row).cursor(owner),
    ))
}

pub(super) fn unembedded(owned: &Owned, query: &UnembeddedQuery) -> Vec<MemoryRow> {
    let key = (query.embedder.clone(), query.dimensions);
    let matrix = owned.matrices.get(&key);
    let has_none = |row: &&MemoryRow| {
        let document = memory_document(row.body.number, row.body.version);
        row.is_open() && !matrix.is_some_and(|matrix| matrix.holds(document))
    };
    let rows = owned.snapshot.memories_after(query.after).filter(has_none);
    rows.take(paging::limit(query.limit)).cloned().collect()
}
