//! What time alone makes due: rows whose time has run out are ended, so that history says when.

use crate::change::{ChangeSet, Draft, EntryHeader, Snapshot};
use crate::journal::Who;
use crate::model::IdSource;
use crate::plan::Planning;
use crate::row::{Kind, MemoryRow, Why};
use crate::timestamp::Timestamp;

/// Ends every open row of these facts whose time has run out. Nothing when there is none.
pub(crate) fn expire(
    base: &Snapshot,
    clock: Timestamp,
    ids: &mut dyn IdSource,
) -> Planning<Option<ChangeSet>> {
    let mut draft = Draft::new(base, clock, ids)?;
    let now = draft.stamp();
    let due = |row: &MemoryRow| row.body.claim.expires_at.filter(|until| *until <= now);
    let rows: Vec<_> = base
        .memories()
        .filter(|row| row.is_open())
        .filter_map(|row| due(row).map(|until| (row.origin, until)))
        .collect();
    if rows.is_empty() {
        return Ok(None);
    }
    let line = format!("{} expired", rows.len());
    for (origin, until) in rows {
        draft.end(Kind::Memory, origin, Why::Expired { until })?;
    }
    Ok(Some(draft.finish(EntryHeader::new(Who::Sweep, line))?))
}
