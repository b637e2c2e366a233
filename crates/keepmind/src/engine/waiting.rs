//! What waits for the user's word, as the user is shown it.

use std::collections::BTreeMap;

use crate::change::Slice;
use crate::consent;
use crate::engine::Engine;
use crate::error::Error;
use crate::ids::Number;
use crate::order::{self, Gather};
use crate::owner::Owner;
use crate::plan::Objection;
use crate::proposal::Proposal;
use crate::row::Row;

impl Engine {
    /// Proposals that wait, oldest first. What waited when consent for its domain was withdrawn is shown no
    /// more than the domain's facts are; what is asked since then is a question of its own.
    pub(crate) async fn pending(&self, owner: &Owner) -> Result<Vec<Row<Proposal>>, Objection> {
        let slice = Slice {
            proposals: true,
            consents: true,
            ..Slice::default()
        };
        let seen = self.load(owner, &slice).await?;
        let now = seen.state().reading_time(self.now());
        let waiting = seen.proposals().filter(|row| row.is_pending(now));
        let mut waiting: Vec<Row<Proposal>> = waiting.cloned().collect();
        order::sort_by_key(&mut waiting, |row| (row.recorded_at, row.id));
        let withdrawn = consent::withdrawn(seen.consents());
        if withdrawn.is_empty() {
            return Ok(waiting);
        }
        let domains = self.domains_of_targets(owner, &waiting).await?;
        waiting.retain(|row| {
            let targets = row.body.targets();
            let of_targets = targets.filter_map(|target| domains.get(&target.number));
            let claim = row.body.claim().map(|(claim, _)| claim);
            let of_claim = claim.and_then(|claim| claim.domain.as_ref());
            let withdrawals = of_targets.chain(of_claim);
            let mut withdrawals = withdrawals.filter_map(|domain| withdrawn.get(domain));
            !withdrawals.any(|moment| row.recorded_at < *moment)
        });
        Ok(waiting)
    }

    /// The domains of the facts that proposals are about.
    async fn domains_of_targets(
        &self,
        owner: &Owner,
        waiting: &[Row<Proposal>],
    ) -> Result<BTreeMap<Number, String>, Error> {
        let targets = waiting.iter().flat_map(|row| row.body.targets());
        let slice = Slice {
            numbers: targets.map(|target| target.number).gather(),
            ..Slice::default()
        };
        let seen = self.load(owner, &slice).await?;
        let domain = |number: &Number| seen.open_version(*number)?.body.claim.domain.clone();
        let domains = slice.numbers.iter();
        Ok(domains
            .filter_map(|number| Some((*number, domain(number)?)))
            .gather())
    }
}
