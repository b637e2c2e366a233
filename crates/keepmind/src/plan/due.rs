//! What time alone makes due: rows whose time has run out are ended, so that history says when; and what
//! ended long ago is gone for good.

use crate::change::{ChangeSet, Draft, EntryHeader, Snapshot};
use crate::journal::Who;
use crate::model::IdSource;
use crate::plan::Planning;
use crate::plan::expiry::is_over;
use crate::policy::Policy;
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

/// Whether a row was in the trash for longer than the policy keeps it there: it cannot be restored, and the
/// sweep purges it.
pub(crate) fn is_trashed_for_long(row: &MemoryRow, policy: &Policy, now: Timestamp) -> bool {
    let days = policy.retention.trash_days;
    row.end
        .is_some_and(|end| end.why == Why::Trashed && is_over(end.at, days, now))
}

/// Whether a row expired so long ago that the policy has it purged.
pub(crate) fn is_expired_for_long(row: &MemoryRow, policy: &Policy, now: Timestamp) -> bool {
    let Some(days) = policy.retention.expired_purge_days else {
        return false;
    };
    row.end
        .is_some_and(|end| matches!(end.why, Why::Expired { .. }) && is_over(end.at, days, now))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{Number, RowId, Version};
    use crate::memory::{Claim, Marks, Memory};
    use crate::row::End;

    fn row(end: Option<End>) -> MemoryRow {
        let id = RowId::new(uuid::Uuid::nil());
        MemoryRow {
            id,
            origin: id.into(),
            recorded_at: Timestamp::UNIX_EPOCH,
            end,
            marks: Marks::default(),
            body: Memory {
                number: Number::FIRST,
                version: Version::FIRST,
                claim: Claim::note("fact", "likes tea", Timestamp::UNIX_EPOCH),
            },
        }
    }

    #[test]
    fn what_ended_is_gone_for_good_after_its_days_and_not_before() {
        let at = Timestamp::parse("2026-03-01T00:00:00Z").unwrap();
        let on_the_day = Timestamp::parse("2026-03-31T00:00:00Z").unwrap();
        let just_after = on_the_day.next().unwrap();
        let mut policy = Policy::default();
        policy.retention.trash_days = 30;
        let expired = Why::Expired { until: at };
        // Per end and days after which what expired goes: whether it is gone on the day, and just after.
        let table = [
            (None, Some(30), [false, false], [false, false]),
            (
                Some(Why::Forgotten),
                Some(30),
                [false, false],
                [false, false],
            ),
            (Some(Why::Trashed), None, [false, true], [false, false]),
            (Some(Why::Trashed), Some(30), [false, true], [false, false]),
            (Some(expired), Some(30), [false, false], [false, true]),
            (Some(expired), None, [false, false], [false, false]),
        ];
        for (why, expired_purge_days, trashed, expired) in table {
            policy.retention.expired_purge_days = expired_purge_days;
            let row = row(why.map(|why| End { at, why }));
            let moments = [on_the_day, just_after];
            assert_eq!(
                moments.map(|now| is_trashed_for_long(&row, &policy, now)),
                trashed,
                "{why:?}"
            );
            assert_eq!(
                moments.map(|now| is_expired_for_long(&row, &policy, now)),
                expired,
                "{why:?} {expired_purge_days:?}"
            );
        }
    }
}
