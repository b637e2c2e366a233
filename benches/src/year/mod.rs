//! `year`: one year of one user, closed and consolidated day by day: without a model, and with one that
//! misbehaves. What the assistant is told stays right, and a day costs in December what it did in January.
//!
//! Modules in reading order: the life of the user (`life`), what is told of it (`check`), and the picture of
//! both (`plot`).

mod check;
mod life;
mod plot;

use std::sync::Arc;
use std::time::Duration;

use keepmind::command::List;
use keepmind::policy::Tool;
use keepmind::testing::{Scripted, ScriptedModel};
use keepmind::{
    Clock as _, Keepmind, KeepmindBuilder, ManualClock, Memory, MemoryStore, ModelByTask, Patience,
    PlugError, Policy, ProposedOperation, Row, SessionHandle, Task, Timestamp, UserMemory,
};
use serde::Serialize;
use serde_json::json;

use crate::Result;
use crate::arguments::YearOptions;
use crate::junk::facts::Fact;
use crate::junk::model::Misbehaving;
use crate::measure::{cpu_time, micros};
use crate::stage;
use crate::year::life::Life;

/// Midnight on 1 January 2026.
const BEGIN_MICROS: i64 = 1_767_225_600_000_000;
const DAY: Duration = Duration::from_secs(86_400);
/// How many chats there are on a day, at least; on every tenth day one more.
const CHATS: usize = 4;
const DAYS_A_MONTH: u64 = 30;
/// The goals.
const CURRENT_GOAL: f64 = 0.95;
const FLAT_GOAL: f64 = 1.5;

/// One month, as it is printed.
#[derive(Debug, Default, Clone, Serialize)]
pub struct Month {
    pub month: u64,
    pub sessions: usize,
    /// What holds at its end, and the least share of it that was told on any of its days.
    pub facts: usize,
    pub current: f64,
    /// The most on any of its days.
    pub stale: usize,
    pub duplicates: usize,
    pub junk: usize,
    pub block_tokens: usize,
    pub over_budget: usize,
    pub store_bytes: u64,
    /// CPU microseconds of one close, and of one consolidation.
    pub close: f64,
    pub consolidation: f64,
}

/// One way through the year.
#[derive(Debug, Serialize)]
pub struct Path {
    pub name: &'static str,
    pub months: Vec<Month>,
    #[serde(skip)]
    wrong: Vec<String>,
    #[serde(skip)]
    days: Vec<Spent>,
}

impl Path {
    /// Takes of each day the least that it cost: the same is done every time, and whatever else the machine does only
    /// adds to it.
    fn cheaper(&mut self, again: Path) {
        for (day, again) in self.days.iter_mut().zip(again.days) {
            day.closes = day.closes.min(again.closes);
            day.consolidation = day.consolidation.min(again.consolidation);
        }
    }

    fn tell_costs(&mut self) {
        let days = self.days.chunks(usize::try_from(DAYS_A_MONTH).unwrap_or(1));
        for (month, days) in self.months.iter_mut().zip(days) {
            let closes: Duration = days.iter().map(|day| day.closes).sum();
            let consolidations: Duration = days.iter().map(|day| day.consolidation).sum();
            month.close = micros(closes) / month.sessions.max(1) as f64;
            month.consolidation = micros(consolidations) / days.len() as f64;
        }
    }
}

/// Runs the year. False unless every goal is met.
pub async fn run(options: &YearOptions) -> Result<bool> {
    let mut paths = Vec::new();
    for name in ["without a model", "with a model that misbehaves"] {
        let mut path = live(name, options).await?;
        for _ in 1..options.repeat {
            path.cheaper(live(name, options).await?);
        }
        path.tell_costs();
        print(&path);
        paths.push(path);
    }
    if let Some(file) = &options.svg {
        std::fs::write(file, plot::svg(&paths))?;
    }
    if let Some(file) = &options.json {
        std::fs::write(file, serde_json::to_string_pretty(&paths)?)?;
    }
    Ok(paths.iter().all(is_good))
}

async fn live(name: &'static str, options: &YearOptions) -> Result<Path> {
    let folder = tempfile::tempdir()?;
    let store = stage::store(options.store, &folder).await?;
    let clock = Arc::new(ManualClock::new(Timestamp::from_micros(BEGIN_MICROS)?));
    let mut policy = Policy::personal();
    policy.consolidation.observations = true;
    let budget = policy.block.budget;
    let model = (name != "without a model").then(|| Arc::new(Misbehaving::default()));
    let keepmind = engine(store, policy, &clock, model.as_ref()).build()?;
    let user = keepmind.user("ada")?;
    let mut life = Life::new(options.seed);
    let mut months: Vec<Month> = Vec::new();
    let mut wrong = Vec::new();
    let mut days = Vec::new();
    for day in 0..options.days {
        if day.is_multiple_of(DAYS_A_MONTH) {
            months.push(Month {
                month: day / DAYS_A_MONTH + 1,
                current: 1.0,
                ..Month::default()
            });
        }
        let Some(month) = months.last_mut() else {
            continue;
        };
        let spent = a_day(&keepmind, &user, &mut life, model.as_deref(), &clock, day).await?;
        let told = check::check(&user, budget, &life).await?;
        for line in &told.wrong {
            wrong.push(format!("{name}, day {day}: {line}"));
        }
        month.sessions += spent.sessions;
        month.facts = told.current;
        let share = told.present as f64 / told.current.max(1) as f64;
        // On the first days there is next to nothing to tell.
        if told.current > 0 {
            month.current = month.current.min(share);
        }
        month.stale = month.stale.max(told.stale);
        month.duplicates = month.duplicates.max(told.duplicates);
        month.junk = month.junk.max(told.junk);
        month.block_tokens = month.block_tokens.max(told.block_tokens);
        month.over_budget += usize::from(!told.is_in_budget);
        days.push(spent);
        month.store_bytes = keepmind.store().info().await?.bytes.unwrap_or(0);
        let next = Timestamp::from_micros(BEGIN_MICROS)?;
        let passed = DAY * u32::try_from(day + 1)?;
        clock.set(next.saturating_add(passed));
    }
    keepmind.close().await?;
    Ok(Path {
        name,
        months,
        wrong,
        days,
    })
}

fn engine(
    store: Arc<dyn MemoryStore>,
    policy: Policy,
    clock: &Arc<ManualClock>,
    model: Option<&Arc<Misbehaving>>,
) -> KeepmindBuilder {
    let builder = Keepmind::builder(store)
        .policy(policy)
        .patience(Patience::default().retries(0, Duration::ZERO))
        .clock(Arc::<ManualClock>::clone(clock));
    let Some(model) = model else { return builder };
    let prose = Scripted::Answers("I would rather not say.".to_owned());
    let others = ModelByTask::new(Arc::new(ScriptedModel::new([Scripted::Fails(
        PlugError::lasting("only asked to extract and to compile"),
    )])));
    let others = others.with(Task::Compile, Arc::new(ScriptedModel::new([prose])));
    builder.model(Arc::new(
        others.with(Task::Extract, Arc::<Misbehaving>::clone(model)),
    ))
}

/// What a day took.
#[derive(Debug)]
struct Spent {
    sessions: usize,
    closes: Duration,
    consolidation: Duration,
}

async fn a_day(
    keepmind: &Keepmind,
    user: &UserMemory,
    life: &mut Life,
    model: Option<&Misbehaving>,
    clock: &ManualClock,
    day: u64,
) -> Result<Spent> {
    let pass = |seconds| clock.set(clock.now().saturating_add(Duration::from_secs(seconds)));
    let chats = life.day(day, CHATS + usize::from(day.is_multiple_of(10)));
    let mut spent = Spent {
        sessions: chats.len(),
        closes: Duration::ZERO,
        consolidation: Duration::ZERO,
    };
    pass(8 * 3_600);
    for seen in life.seen() {
        user.observe(seen).await?;
        pass(60);
    }
    for chat in &chats {
        if let Some(model) = model {
            model.expect(0, chat);
        }
        let session = user.open_session().await?;
        for turn in &chat.turns {
            session.push(turn.clone()).await?;
            pass(20);
            let said = |fact: &&Fact| fact.said == turn.content;
            if let Some(fact) = chat.facts.iter().find(said) {
                correct(keepmind, &session, life, fact).await?;
            }
        }
        let began = cpu_time();
        session.close().await?;
        spent.closes += cpu_time().saturating_sub(began);
        pass(600);
    }
    // What the model failed at is tried again, and at last left to code.
    for _ in 0..4 {
        pass(3_600);
        if let Some(failure) = keepmind.sweep().await?.failures.into_iter().next() {
            return Err(failure.error.into());
        }
    }
    let began = cpu_time();
    user.consolidate().await?;
    spent.consolidation = cpu_time().saturating_sub(began);
    // Asked which of two is true, the user says what they last said.
    for waits in user.pending().await? {
        if matches!(waits.body.operation, ProposedOperation::Choose { .. }) {
            user.accept(waits.id).await?;
        }
    }
    Ok(spent)
}

/// What the user once said on purpose changes only on purpose: an assistant that reads in its block what is no
/// longer so calls the tool for it.
async fn correct(
    keepmind: &Keepmind,
    session: &SessionHandle,
    life: &Life,
    fact: &Fact,
) -> Result<()> {
    let Some(before) = life.before.get(&fact.topic) else {
        return Ok(());
    };
    let mut list = List::default();
    list.text = Some(before.clone());
    let page = session.memory().list(list).await?;
    let is_before = |row: &&Row<Memory>| {
        row.body.claim.source.is_explicit()
            && check::plain(&row.body.claim.content) == check::plain(before)
    };
    let Some(row) = page.rows.iter().find(is_before) else {
        return Ok(());
    };
    let tool = keepmind.policy().tool_name(Tool::Update);
    let arguments = json!({
        "id_or_substring": row.body.number.to_string(),
        "new_content": fact.content,
    });
    let reply = session.call_tool(None, &tool, &arguments).await?;
    match reply.is_error {
        false => Ok(()),
        true => Err(format!("{:?} was not corrected: {}", before, reply.message).into()),
    }
}

fn is_good(path: &Path) -> bool {
    let is_right = |month: &Month| {
        month.current >= CURRENT_GOAL
            && month.stale + month.duplicates + month.junk + month.over_budget == 0
    };
    path.months.iter().all(is_right) && flatness(path) <= FLAT_GOAL
}

/// What a day costs in the last whole month, beside the third: from then on as much is known.
fn flatness(path: &Path) -> f64 {
    let cost = |month: &Month| month.close * CHATS as f64 + month.consolidation;
    let early = path.months.get(2).or(path.months.first());
    let is_whole = |month: &&Month| month.sessions as u64 >= DAYS_A_MONTH * CHATS as u64;
    match (early, path.months.iter().rfind(is_whole)) {
        (Some(early), Some(last)) if cost(early) > 0.0 => cost(last) / cost(early),
        _ => 1.0,
    }
}

fn print(path: &Path) {
    println!("{}", path.name);
    println!(
        "month sessions facts current stale duplicates junk block tokens   store KiB close µs consolidation µs"
    );
    for month in &path.months {
        println!(
            "{:>5} {:>8} {:>5} {:>6.1}% {:>5} {:>10} {:>4} {:>12} {:>11} {:>8.0} {:>16.0}",
            month.month,
            month.sessions,
            month.facts,
            month.current * 100.0,
            month.stale,
            month.duplicates,
            month.junk,
            month.block_tokens,
            month.store_bytes / 1_024,
            month.close,
            month.consolidation,
        );
    }
    println!(
        "a day of the last whole month costs {:.2}x one of the third (goal {FLAT_GOAL})\n",
        flatness(path)
    );
    let mut wrong: Vec<&String> = path.wrong.iter().collect();
    wrong.truncate(20);
    for line in wrong {
        eprintln!("{line}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::StoreKind;

    #[tokio::test]
    async fn forty_days_are_told_as_they_are() {
        let options = YearOptions {
            days: 40,
            seed: 1,
            store: StoreKind::Memory,
            repeat: 1,
            svg: None,
            json: None,
        };
        for name in ["without a model", "with a model that misbehaves"] {
            let path = live(name, &options).await.unwrap();
            let last = path.months.last().unwrap();
            assert!(last.facts > 20, "{path:?}");
            assert_eq!(
                (last.stale, last.duplicates, last.junk),
                (0, 0, 0),
                "{path:?}"
            );
            assert!(last.current >= CURRENT_GOAL, "{path:?}");
        }
        assert!(plot::svg(&[]).starts_with("<svg"));
    }
}
