//! The month itself: chats are held, closed or left open, and swept, while the clock goes on.

use std::sync::Arc;
use std::time::Duration;

use keepmind::testing::{Scripted, ScriptedModel};
use keepmind::{
    Clock as _, Keepmind, ManualClock, ModelByTask, Patience, PlugError, Policy, Task, Timestamp,
};

use crate::Result;
use crate::arguments::JunkOptions;
use crate::junk::chats::{Chat, Chats};
use crate::junk::facts::Fact;
use crate::junk::model::Misbehaving;
use crate::stage;

/// The users: whose month it is, and somebody else.
pub const USERS: [&str; 2] = ["ada", "bob"];
/// Every so many chats of the first user the second has one.
const SECOND: usize = 8;
/// Every so many chats one is left open, and everything due is swept.
const LEFT_OPEN: usize = 9;
const SWEPT: usize = 5;
const MONTH: Duration = Duration::from_secs(30 * 86_400);
const DAY: Duration = Duration::from_secs(86_400);
/// How many days are swept once nobody talks any more: longer than any close is put off.
const QUIET_DAYS: usize = 12;
/// Midnight on 1 January 2026.
const BEGIN_MICROS: i64 = 1_767_225_600_000_000;

/// A month that is over.
pub struct Month {
    pub keepmind: Keepmind,
    pub model: Arc<Misbehaving>,
    pub now: Timestamp,
    /// What each user said, in order: in which chat, and what.
    pub said: [Vec<(String, Fact)>; 2],
    _folder: tempfile::TempDir,
}

pub async fn run(options: &JunkOptions) -> Result<Month> {
    let folder = tempfile::tempdir()?;
    let store = stage::store(options.store, &folder).await?;
    let begin = Timestamp::from_micros(BEGIN_MICROS)?;
    let clock = Arc::new(ManualClock::new(begin));
    let model = Arc::new(Misbehaving::default());
    let failing = Scripted::Fails(PlugError::lasting("only asked to extract"));
    let models = ModelByTask::new(Arc::new(ScriptedModel::new([failing])))
        .with(Task::Extract, Arc::<Misbehaving>::clone(&model));
    let keepmind = Keepmind::builder(store)
        .policy(Policy::default())
        .patience(Patience::default().retries(0, Duration::ZERO))
        .clock(Arc::<ManualClock>::clone(&clock))
        .model(Arc::new(models))
        .build()?;
    let mut chats = [Chats::new(options.seed, 0), Chats::new(options.seed, 1)];
    let mut said = [Vec::new(), Vec::new()];
    let between = MONTH / u32::try_from(options.sessions)?;
    let pass = |time: Duration| clock.set(clock.now().saturating_add(time));
    for index in 0..options.sessions {
        let both = index % SECOND == 0;
        for user in 0..=usize::from(both) {
            let chat = chats[user].next();
            model.expect(user as u64, &chat);
            for fact in &chat.facts {
                said[user].push((chat.tag.clone(), fact.clone()));
            }
            let is_closed = index % LEFT_OPEN != 0;
            hold(&keepmind, USERS[user], &chat, is_closed, &pass).await?;
        }
        pass(between);
        if index % SWEPT == 0 {
            sweep(&keepmind).await?;
        }
    }
    for _ in 0..QUIET_DAYS {
        pass(DAY);
        sweep(&keepmind).await?;
    }
    Ok(Month {
        keepmind,
        model,
        now: clock.now(),
        said,
        _folder: folder,
    })
}

async fn hold(
    keepmind: &Keepmind,
    user: &str,
    chat: &Chat,
    is_closed: bool,
    pass: &impl Fn(Duration),
) -> Result<()> {
    let session = keepmind.user(user)?.open_session().await?;
    for turn in &chat.turns {
        session.push(turn.clone()).await?;
        pass(Duration::from_secs(5));
    }
    if is_closed {
        session.close().await?;
    }
    Ok(())
}

async fn sweep(keepmind: &Keepmind) -> Result<()> {
    let report = keepmind.sweep().await?;
    match report.failures.into_iter().next() {
        Some(failure) => Err(failure.error.into()),
        None => Ok(()),
    }
}
