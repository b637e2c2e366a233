//! What ends with a fact, or comes back with it: what a plan must be told of before it ends anything.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::change::Slice;
use crate::command::Command;
use crate::engine::Engine;
use crate::engine::consolidating::OBSERVATIONS_AT_A_TIME;
use crate::error::Error;
use crate::ids::{Number, ObservationId};
use crate::memory::Layer;
use crate::order::Gather;
use crate::owner::Owner;
use crate::plan::{self, Findings, LastSeen, Sighting, Trail};
use crate::proposal::ProposedOperation;
use crate::row::MemoryRow;
use crate::store::ObservationQuery;

/// What a command does to a fact, as far as what was made of it is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// It comes back.
    Restored,
    /// It is gone, or waits in the trash.
    Thrown,
    Forgotten,
}

/// Whether a command may end a fact, or bring one back.
pub(super) fn may_end(command: &Command) -> bool {
    matches!(
        command,
        Command::Forget(_)
            | Command::Trash(_)
            | Command::Purge(_)
            | Command::Restore(_)
            | Command::Accept(_)
    )
}

impl Engine {
    /// The fact that a command ends or brings back.
    pub(super) async fn ended_by(
        &self,
        owner: &Owner,
        command: &Command,
        target: Option<Number>,
    ) -> Result<Option<(Number, Ending)>, Error> {
        let ending = match command {
            Command::Restore(_) => Ending::Restored,
            Command::Forget(_) | Command::Accept(_) => Ending::Forgotten,
            Command::Trash(_) | Command::Purge(_) => Ending::Thrown,
            _ => return Ok(None),
        };
        let target = match command {
            Command::Accept(accept) => {
                let slice = Slice {
                    rows: [accept.proposal].into_iter().gather(),
                    ..Slice::default()
                };
                let seen = self.load(owner, &slice).await?;
                let mut proposals = seen.proposals().filter(|row| row.id == accept.proposal);
                proposals.find_map(|row| match &row.body.operation {
                    ProposedOperation::Forget { target } => Some(target.number),
                    _ => None,
                })
            }
            _ => target,
        };
        Ok(target.map(|number| (number, ending)))
    }

    /// Finds what a fact that is to end leaves behind.
    pub(super) async fn find_trail(
        &self,
        owner: &Owner,
        number: Number,
        findings: &mut Findings,
    ) -> Result<(), Error> {
        let seen = self.load(owner, &Slice::number(number)).await?;
        let versions: Vec<MemoryRow> = seen.versions(number).cloned().collect();
        let absorbed = self.absorbed_by(owner, number).await?;
        let trail = Trail {
            seen: self.last_seen(owner, &versions, &absorbed).await?,
            absorbed: absorbed.iter().map(|row| row.id).gather(),
        };
        findings.trails.insert(number, trail);
        let numbers = versions.iter().chain(&absorbed);
        let numbers: BTreeSet<Number> = numbers.map(|row| row.body.number).gather();
        let (_, rows) = self.at_one_moment(owner).await?;
        let says_it = |row: &&MemoryRow| {
            let gists = plan::kept_in(row);
            let mut cited = numbers.iter();
            cited.any(|number| gists.iter().any(|gist| gist.cites(*number)))
        };
        let digests = rows
            .of(Layer::Digest)
            .filter(says_it)
            .map(|row| row.body.number);
        findings.digests.extend(digests);
        Ok(())
    }

    /// The rows that a fact has taken up, and those that they had. One that came back stands by itself.
    async fn absorbed_by(&self, owner: &Owner, number: Number) -> Result<Vec<MemoryRow>, Error> {
        let mut slice = Slice::number(number);
        loop {
            let seen = self.load(owner, &slice).await?;
            let absorbed = plan::absorbed_by(&seen, number);
            // What a row was made from is known with the row; what became of it, with the row itself.
            let rows = seen.versions(number).map(|row| row.id);
            let rows = rows.chain(absorbed.iter().copied());
            let cited = rows.flat_map(|id| seen.lineage_of(id));
            let before = slice.rows.len();
            slice.rows.extend(cited.map(|step| step.from));
            if slice.rows.len() == before {
                let absorbed = absorbed.iter().filter_map(|id| seen.memory(*id));
                return Ok(absorbed.cloned().collect());
            }
        }
    }

    /// What was last seen of the behaviour that a fact was concluded from, as far back as behaviour counts.
    async fn last_seen(
        &self,
        owner: &Owner,
        versions: &[MemoryRow],
        absorbed: &[MemoryRow],
    ) -> Result<Vec<ObservationId>, Error> {
        let Some(mut last) = LastSeen::of(versions, absorbed) else {
            return Ok(Vec::new());
        };
        let days = u64::from(self.policy.grades.candidate_days);
        let most = self.policy.limits.content_characters as usize;
        let now = self.standing(owner).await?.now;
        let mut query = ObservationQuery {
            from: Some(now.saturating_sub(Duration::from_secs(days * 86_400))),
            ..ObservationQuery::all(OBSERVATIONS_AT_A_TIME)
        };
        loop {
            let page = self.store.observations(owner, &query).await?;
            let sightings = page.items.iter().filter_map(|one| Sighting::of(one, most));
            sightings.for_each(|sighting| last.add(&sighting));
            query.after = page.next;
            if query.after.is_none() {
                return Ok(last.finish());
            }
        }
    }
}
