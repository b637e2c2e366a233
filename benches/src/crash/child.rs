//! The process that is killed: opens the file, and works in several tasks at once until it is.

use std::sync::Arc;
use std::time::Duration;

use keepmind::store::{Filter, ListQuery, SessionQuery};
use keepmind::testing::{Scripted, ScriptedModel};
use keepmind::{Clock as _, Keepmind, Layer, PlugError, SystemClock, UserMemory};

use crate::Result;
use crate::arguments::CrashChildOptions;
use crate::crash::lane::{Lane, OwnChat};
use crate::crash::lines::{Answered, Asked};
use crate::crash::plan::{FactState, OwnFact, Plan};
use crate::crash::setting::{self, LANES, MovedClock};
use crate::crash::voice::Voice;
use crate::workload::Random;

/// How many of a user's facts and chats are worked on.
const FACTS: usize = 60;
const CHATS: usize = 16;
/// Nobody has forgotten to kill a process that is still there then.
const LONGEST: Duration = Duration::from_secs(60);

/// Works until it is killed.
pub async fn run(options: &CrashChildOptions) -> Result<()> {
    let CrashChildOptions { file, seed, cycle } = options;
    let (seed, cycle) = (*seed, *cycle);
    let store = setting::open(file).await?;
    let policy = setting::policy(setting::learns_every_turn(seed, cycle));
    let mut builder = setting::engine(store, MovedClock::of(cycle), policy);
    if let Some(model) = model(seed, cycle) {
        builder = builder.model(Arc::new(model));
    }
    let keepmind = builder.build()?;
    let voice = Arc::new(Voice::default());
    voice.ready();

    let users = setting::users(cycle);
    erase_others(&keepmind, &users, &voice).await?;
    let mut lanes = Vec::new();
    for (place, user) in users.iter().enumerate() {
        let memory = keepmind.user(user.as_str())?;
        for lane in 0..LANES {
            let number = (place * LANES + lane) as u64;
            let plan = Plan::new(seed, cycle, number);
            lanes.push(lane_of(&keepmind, &memory, lane, plan, &voice).await?);
        }
    }
    // Only now: what a lane saves must not be found by one that is still looking for its share.
    for lane in lanes {
        tokio::spawn(lane.run());
    }
    if setting::sweeps(seed, cycle) {
        tokio::spawn(sweep(
            keepmind,
            Arc::clone(&voice),
            Random::of(&[seed, cycle, 4]),
        ));
    }
    tokio::time::sleep(LONGEST).await;
    Err("nobody has killed this process".into())
}

/// In half of the cycles there is a model, which takes its time; in half of those it also fails.
fn model(seed: u64, cycle: u64) -> Option<ScriptedModel> {
    let mut random = Random::of(&[seed, cycle, 5]);
    let failing = match random.below(4) {
        0 | 1 => return None,
        2 => 0,
        _ => 3,
    };
    let script = (0..64).map(|_| {
        if random.below(8) < failing {
            return Scripted::Fails(PlugError::passing("the script says so"));
        }
        let delay = Duration::from_millis(1 + random.below(15) as u64);
        let answer = r#"{"ops":[],"recap":"They spoke about where things belong."}"#;
        Scripted::After(delay, answer.to_owned())
    });
    Some(ScriptedModel::new(script.collect::<Vec<_>>()))
}

/// Erases whoever used the memory before.
async fn erase_others(keepmind: &Keepmind, users: &[String], voice: &Voice) -> Result<()> {
    for summary in keepmind.store().owners(None, 100).await? {
        let name = summary.owner.as_str();
        if users.iter().any(|user| user == name) {
            continue;
        }
        let number = voice.announce(name, &Asked::Erase);
        let erased = keepmind.user(name)?.erase().await;
        let answer = erased.map(|_| Answered::Done);
        voice.acknowledge(number, answer.map_err(|error| error.to_string()));
    }
    Ok(())
}

/// A lane with its share of what is there: no fact and no chat is in two lanes, so that what was
/// acknowledged of one came in the order in which it happened.
async fn lane_of(
    keepmind: &Keepmind,
    memory: &UserMemory,
    lane: usize,
    plan: Plan,
    voice: &Arc<Voice>,
) -> Result<Lane> {
    let store = keepmind.store();
    // Nothing that is saved here ever expires. What a close tells is nobody's to write to.
    let mut filter = Filter::live(SystemClock.now());
    filter.layers.insert(Layer::Fact);
    let query = ListQuery {
        filter,
        limit: FACTS,
        after: None,
    };
    let rows = store.list(memory.owner(), &query).await?.items;
    let facts = rows.iter().map(|row| row.body.number);
    let facts = facts
        .filter(|number| number.get() as usize % LANES == lane)
        .map(|number| OwnFact {
            number,
            state: FactState::Live,
            last: None,
        });
    let query = SessionQuery {
        deleted: None,
        ..SessionQuery::recent(CHATS)
    };
    let mut chats = store.sessions(memory.owner(), &query).await?.items;
    // The most recent are worked on first, and those stand last.
    chats.reverse();
    let chats = chats
        .iter()
        .filter(|session| session.id.uuid().as_u128() as usize % LANES == lane)
        .map(|session| OwnChat::found(session.id, session.deleted_at.is_some()));
    Ok(Lane::new(
        memory.clone(),
        plan,
        Arc::clone(voice),
        facts.collect(),
        chats.collect(),
    ))
}

/// Sweeps again and again, for everybody.
async fn sweep(keepmind: Keepmind, voice: Arc<Voice>, mut random: Random) {
    loop {
        tokio::time::sleep(Duration::from_millis(random.below(60) as u64)).await;
        let number = voice.announce("*", &Asked::Sweep);
        let answer = match keepmind.sweep().await {
            Ok(report) => match report.failures.first() {
                None => Ok(Answered::Done),
                Some(failure) => Err(format!("{}: {}", failure.step, failure.error)),
            },
            Err(error) => Err(error.to_string()),
        };
        voice.acknowledge(number, answer);
    }
}
