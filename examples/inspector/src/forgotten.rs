//! What was forgotten or thrown away and has not come back: the rows of facts that a restore can bring back.

use std::collections::BTreeMap;

use keepmind::command::List;
use keepmind::visibility::{Status, Visibility};
use keepmind::{MemoryRow, Number, Result, UserMemory, Why};

/// The latest first.
pub async fn latest(memory: &UserMemory, limit: usize) -> Result<Vec<MemoryRow>> {
    let mut list = List::default();
    list.status = Some(Status::Inactive);
    // Rows come in order of version: the last one says what became of the fact.
    let mut last: BTreeMap<Number, MemoryRow> = BTreeMap::new();
    loop {
        let page = memory.list(list.clone()).await?;
        last.extend(page.rows.into_iter().map(|row| (row.body.number, row)));
        list.after = page.next;
        if list.after.is_none() {
            break;
        }
    }
    let is_kept = |row: &MemoryRow| {
        row.end
            .is_some_and(|end| matches!(end.why, Why::Forgotten | Why::Trashed))
    };
    let mut rows: Vec<MemoryRow> = last.into_values().filter(is_kept).collect();
    rows.sort_by_key(|row| std::cmp::Reverse((row.end.map(|end| end.at), row.body.number)));
    let mut gone = Vec::new();
    for row in rows {
        if gone.len() == limit {
            break;
        }
        if memory.visibility(row.body.number).await? == Visibility::Ended {
            gone.push(row);
        }
    }
    Ok(gone)
}
