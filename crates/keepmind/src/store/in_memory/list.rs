//! Memories by filter, page by page.

use crate::error::Result;
use crate::owner::Owner;
use crate::row::MemoryRow;
use crate::store::in_memory::Owned;
use crate::store::paging::{self, MemoryPlace};
use crate::store::{ListQuery, Page, Selection};
use crate::visibility::as_of;

pub(super) fn list(owned: &Owned, owner: &Owner, query: &ListQuery) -> Result<Page<MemoryRow>> {
    query.filter.validate("list")?;
    let after = MemoryPlace::read(query.after.as_ref(), owner)?;
    let snapshot = &owned.snapshot;
    let selected = snapshot
        .memories_after(after.map(MemoryPlace::pair))
        .filter(|row| query.filter.matches(row))
        .filter(|row| match query.filter.selection {
            Selection::AsOf { question } => {
                let versions: Vec<&MemoryRow> = snapshot.versions(row.body.number).collect();
                as_of(&versions, question).is_some_and(|answer| answer.id == row.id)
            }
            _ => true,
        })
        .cloned();
    Ok(paging::page(
        selected,
        query.limit,
        *snapshot.state(),
        |row| MemoryPlace::of(row).cursor(owner),
    ))
}
