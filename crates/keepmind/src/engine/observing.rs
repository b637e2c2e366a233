//! What a host saw: kept as it is given, and read page by page.

use serde::Serialize;
use serde_json::Value;

use crate::change::Expected;
use crate::command::{ObservationList, Observe};
use crate::engine::Engine;
use crate::ids::ObservationId;
use crate::model::IdSource as _;
use crate::observation::Observation;
use crate::owner::Owner;
use crate::plan::Objection;
use crate::refusal::{Code, Refusal};
use crate::store::{Cursor, ObservationQuery};
use crate::text;

/// A page of what a host saw, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Observations {
    /// What was seen.
    pub observations: Vec<Observation>,
    /// Where it ended, when there may be more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<Cursor>,
}

impl Engine {
    pub(crate) async fn observe(
        &self,
        owner: &Owner,
        observe: Observe,
    ) -> Result<Observation, Objection> {
        let now = self.now();
        let refused = |message: &str| Objection::from(Refusal::new(Code::Schema, message));
        if observe.payload == Value::Null {
            return Err(refused(
                "`payload` must say what was seen: any JSON but null",
            ));
        }
        let Some(payload) = text::storable_value(observe.payload) else {
            return Err(refused("two names in `payload` are the same"));
        };
        let at = observe.at.unwrap_or(now);
        if at > now {
            return Err(refused("`at` lies in the future: nothing was seen yet"));
        }
        let seen = Observation {
            id: ObservationId::new(self.plan_ids(now).next_id()),
            source: text::line(&observe.source).map_err(Refusal::from)?,
            payload,
            at,
        };
        let kept = seen.clone();
        self.append(owner, Expected::Any, |changes| {
            changes.observations.insert(kept.id, kept);
        })
        .await?;
        Ok(seen)
    }

    pub(crate) async fn observations(
        &self,
        owner: &Owner,
        list: &ObservationList,
    ) -> Result<Observations, Objection> {
        let query = ObservationQuery {
            source: list.source.clone(),
            text: list.text.clone(),
            from: list.since,
            until: list.until,
            after: list.after.clone(),
            ..ObservationQuery::all(self.limit(list.limit, self.policy.limits.results)?)
        };
        let page = self.store.observations(owner, &query).await?;
        Ok(Observations {
            observations: page.items,
            next: page.next,
        })
    }
}
