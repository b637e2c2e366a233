//! Running a case: every turn in a chat of its own at its own time, and then what is known.

use std::sync::Arc;
use std::time::Duration;

use keepmind::visibility::{Visibility, visibility};
use keepmind::{
    Keepmind, Layer, ManualClock, ModelByTask, Patience, PlugError, Policy, Push, Slice, Task,
    Timestamp,
    testing::{Scripted, ScriptedModel},
};

use crate::Result;
use crate::arguments::StoreKind;
use crate::reconcile::case::Case;
use crate::reconcile::oracle::{Oracle, steps};
use crate::reconcile::values::{Known, Values};
use crate::stage;

const USER: &str = "ada";

/// Who reads the chats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// Code: no model is there.
    Code,
    /// A model that does what it should.
    Oracle,
}

/// How a case ended.
pub struct Ended {
    pub known: Known,
    /// How many facts are live.
    pub rows: usize,
}

pub async fn run(case: &Case, reader: Reader, store: StoreKind) -> Result<Ended> {
    let folder = tempfile::tempdir()?;
    let store = stage::store(store, &folder).await?;
    let steps = steps(case);
    let values = Values::of(case, &steps);
    let clock = Arc::new(ManualClock::new(Timestamp::UNIX_EPOCH));
    let policy = Policy::default();
    let mut builder = Keepmind::builder(store)
        .policy(policy.clone())
        .patience(Patience::default().retries(0, Duration::ZERO))
        .clock(Arc::<ManualClock>::clone(&clock));
    if reader == Reader::Oracle {
        let failing = Scripted::Fails(PlugError::lasting("only asked to extract"));
        let model = ModelByTask::new(Arc::new(ScriptedModel::new([failing])))
            .with(Task::Extract, Arc::new(Oracle::new(steps)));
        builder = builder.model(Arc::new(model));
    }
    let keepmind = builder.build()?;
    let user = keepmind.user(USER)?;
    for turn in &case.evidence {
        let at = Timestamp::parse(&turn.time);
        clock.set(at.map_err(|error| format!("the time {:?}: {error}", turn.time))?);
        for domain in &policy.domains {
            user.consent(domain.name.as_str(), true).await?;
        }
        let session = user.open_session().await?;
        session
            .push(Push::new(turn.role, turn.text.as_str()))
            .await?;
        session.close().await?;
    }
    let seen = keepmind
        .store()
        .load(user.owner(), &Slice::everything())
        .await?;
    let now = seen
        .state()
        .reading_time(keepmind::Clock::now(clock.as_ref()));
    let live: Vec<&str> = seen
        .memories()
        .filter(|row| row.body.claim.layer == Layer::Fact)
        .filter(|row| visibility(row, now) == Visibility::Live)
        .map(|row| row.body.claim.content.as_str())
        .collect();
    let ended = Ended {
        known: values.known(live.iter().copied()),
        rows: live.len(),
    };
    keepmind.close().await?;
    Ok(ended)
}
