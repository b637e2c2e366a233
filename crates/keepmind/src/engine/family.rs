//! Reading where a memory comes from: whole facts, step by step, until nothing is new or it is much.

use std::collections::BTreeSet;

use crate::change::{Slice, Snapshot};
use crate::command::LineageOf;
use crate::engine::Engine;
use crate::engine::findings::Among;
use crate::error::Error;
use crate::govern::{DEEPEST, Kin, LineageTree, MOST_ROWS, Way};
use crate::ids::{ObservationId, RowId};
use crate::order::Gather;
use crate::owner::Owner;
use crate::plan::{self, Aim, Objection};
use crate::row::MemoryRow;
use crate::store::{MAX_LIMIT, ObservationQuery};

impl Engine {
    pub(crate) async fn lineage(
        &self,
        owner: &Owner,
        asked: &LineageOf,
    ) -> Result<LineageTree, Objection> {
        let number = self.resolve(owner, &asked.target, Among::Kept).await?;
        let seen = self.load(owner, &Slice::number(number)).await?;
        // A row is meant where its id was given; a fact is what it says now, or said last.
        let named = match Aim::read(&asked.target)? {
            Aim::Row(id) => seen.memory(id),
            _ => None,
        };
        let last = || seen.versions(number).last();
        let row = named.or_else(|| seen.open_version(number)).or_else(last);
        let Some(row) = row else {
            return Err(plan::fate(number, None, self.now(), |_| None).into());
        };
        let mut kin = Kin::default();
        take_in(&mut kin, &seen);
        let family = seen.versions(number).map(|row| row.id).gather();
        self.follow(owner, &mut kin, [row.id].into_iter().gather(), Way::Down)
            .await?;
        self.follow(owner, &mut kin, family, Way::Up).await?;
        let (sessions, observations) = kin.sources();
        kin.sessions = self.sessions_among(owner, sessions).await?;
        self.find_seen(owner, &mut kin, observations).await?;
        Ok(kin.tree(row))
    }

    /// Reads what lies in one direction.
    async fn follow(
        &self,
        owner: &Owner,
        kin: &mut Kin,
        from: BTreeSet<RowId>,
        way: Way,
    ) -> Result<(), Error> {
        let mut rows = from;
        let mut told = 0;
        for _ in 0..DEEPEST {
            let mut next = kin.next(&rows, way);
            if told + next.len() > MOST_ROWS {
                kin.is_cut = true;
                next.truncate(MOST_ROWS - told);
            }
            told += next.len();
            let unread = next.iter().filter(|id| !kin.rows.contains_key(id));
            let slice = Slice {
                rows: unread.copied().gather(),
                ..Slice::default()
            };
            if !slice.rows.is_empty() {
                take_in(kin, &self.load(owner, &slice).await?);
            }
            rows = next.into_iter().gather();
            if rows.is_empty() {
                break;
            }
        }
        Ok(())
    }

    /// Reads behaviour by its ids.
    async fn find_seen(
        &self,
        owner: &Owner,
        kin: &mut Kin,
        ids: BTreeSet<ObservationId>,
    ) -> Result<(), Error> {
        if ids.is_empty() {
            return Ok(());
        }
        let mut query = ObservationQuery {
            ids,
            ..ObservationQuery::all(MAX_LIMIT)
        };
        loop {
            let page = self.store.observations(owner, &query).await?;
            let seen = page.items.into_iter();
            kin.observations.extend(seen.map(|seen| (seen.id, seen)));
            query.after = page.next;
            if query.after.is_none() {
                return Ok(());
            }
        }
    }
}

fn take_in(kin: &mut Kin, seen: &Snapshot) {
    let rows = seen.memories().cloned();
    kin.rows.extend(rows.map(|row: MemoryRow| (row.id, row)));
    kin.steps.extend(seen.lineage());
}
