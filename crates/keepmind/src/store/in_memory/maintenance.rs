//! What a host does for all owners: the owners' page and retention.

use std::collections::BTreeMap;
use std::ops::Bound;

use crate::owner::Owner;
use crate::store::in_memory::Owned;
use crate::store::{OwnerSummary, Retained, Retention, paging};

pub(super) fn owners(
    owners: &BTreeMap<Owner, Owned>,
    after: Option<&Owner>,
    limit: usize,
) -> Vec<OwnerSummary> {
    let from = after.map_or(Bound::Unbounded, Bound::Excluded);
    owners
        .range((from, Bound::Unbounded))
        .take(paging::limit(limit))
        .map(|(owner, owned)| OwnerSummary {
            owner: owner.clone(),
            state: *owned.snapshot.state(),
        })
        .collect()
}

pub(super) fn retain(
    owners: &mut BTreeMap<Owner, Owned>,
    owner: &Owner,
    retention: &Retention,
) -> Retained {
    let Some(owned) = owners.get_mut(owner) else {
        return Retained::default();
    };
    let Retention {
        usage_before,
        traces_before,
        operations_before,
    } = *retention;
    let [usage, traces, operations] =
        owned
            .snapshot
            .retain(usage_before, traces_before, operations_before);
    Retained {
        usage,
        traces,
        operations,
    }
}
