//! `ops --through rust|c|python`: what a call costs more through the C interface, or from Python, than the same
//! call in Rust; and beside itself, which tells how far off the measure is. CPU time of the thread that calls, and of
//! all threads; both sides in turns, for two users of one engine: two engines differ by more than what is looked for,
//! since each has threads of its own, which run on the caller's core or on another.

mod python;

use std::path::Path;

use keepmind_ffi::KM_ROLE_USER;
use keepmind_ffi::host::{Call, Direct, Host, HostSession, HostUser};
use serde::Serialize;
use serde_json::json;

use crate::Result;
use crate::arguments::{Language, ThroughOptions};
use crate::measure::{cpu_time, micros, thread_cpu_time};
use crate::report::Table;
use crate::workload::Workload;

/// How many memories the user has.
pub const ROWS: usize = 1_000;
/// How many calls are made of one kind in one chat.
const CALLS: usize = 40;
/// How many of them one side makes before it is the other's turn.
const IN_TURN: usize = 4;
/// The same where an interpreter is one side. This measures a warm one: with few, each turn begins with caches that the
/// other side filled.
const IN_TURN_OF_AN_INTERPRETER: usize = 20;
/// How many rounds of these a run has.
const ROUNDS: usize = 4;
/// Who is called for in Rust, and who on the other side.
const HERE: &str = "alice";
const THERE: &str = "bob";

/// How much more a call may cost. Microseconds.
const C_AT_MOST: f64 = 15.0;
const PYTHON_AT_MOST: f64 = 60.0;

/// What a call costs on each side. Microseconds.
#[derive(Debug, Serialize)]
struct Cost {
    store: &'static str,
    call: &'static str,
    rust: f64,
    through: f64,
    /// What the same call with the same input cost more, as a median: inputs differ by more than the way to them.
    more: f64,
    /// The same, counting what other threads did for it.
    more_of_all_threads: f64,
}

/// What a call took. Microseconds of CPU time.
#[derive(Debug, Clone, Copy)]
struct Spent {
    /// On the thread that called, which runs everything but the database's own work.
    calling: f64,
    /// On all threads: what the database's did meanwhile, for this call or for the one before.
    all_threads: f64,
}

impl Cost {
    fn of(store: &'static str, call: Call, pairs: &[(Spent, Spent)]) -> Self {
        let median = |told: fn(&(Spent, Spent)) -> f64| median(pairs.iter().map(told).collect());
        Cost {
            store,
            call: call.name(),
            rust: median(|(rust, _)| rust.calling),
            through: median(|(_, through)| through.calling),
            more: median(|(rust, through)| through.calling - rust.calling),
            more_of_all_threads: median(|(rust, through)| through.all_threads - rust.all_threads),
        }
    }
}

pub fn run(options: &ThroughOptions) -> Result<()> {
    let (word, at_most, in_turn) = match options.language {
        Language::Rust => ("Rust again", C_AT_MOST, IN_TURN),
        Language::C => ("through C", C_AT_MOST, IN_TURN),
        Language::Python => ("from Python", PYTHON_AT_MOST, IN_TURN_OF_AN_INTERPRETER),
    };
    println!(
        "CPU of the calling thread for one call beside {ROWS} memories and more: medians of calls, and of pairs of them"
    );
    let heads = [
        "store",
        "call",
        "Rust",
        word,
        "more",
        "all threads",
        "at most",
        "verdict",
    ];
    let folder = tempfile::tempdir_in(&options.directory)?;
    let mut stores = Vec::new();
    for store in ["memory", "sqlite"] {
        stores.push(Beside::filled(options.language, store, folder.path())?);
    }
    // Round by round, not row by row: what disturbs the machine for a second disturbs no row alone.
    for round in 0..=options.repeat * ROUNDS {
        for store in &mut stores {
            for call in Call::all() {
                store.round(call, round, in_turn)?;
            }
        }
    }
    let mut table = Table::new(&[0, 1], &heads);
    let costs: Vec<Cost> = stores.iter().flat_map(Beside::costs).collect();
    for cost in &costs {
        let more = cost.more;
        let verdict = if more <= at_most { "ok" } else { "missed" };
        table.add(vec![
            cost.store.to_owned(),
            cost.call.to_owned(),
            format!("{:.1} µs", cost.rust),
            format!("{:.1} µs", cost.through),
            format!("{more:.1} µs"),
            format!("{:.1} µs", cost.more_of_all_threads),
            format!("{at_most:.0} µs"),
            verdict.to_owned(),
        ]);
    }
    table.print();
    match &options.json {
        Some(path) => crate::report::write_json(path, &json!({"through": word, "costs": costs})),
        None => Ok(()),
    }
}

/// An engine, as C has it.
fn opened(store: &str, folder: &Path) -> Result<Host> {
    let file = folder.join("memories.db");
    let place = match store {
        "memory" => "memory:",
        _ => file.to_str().ok_or("the folder's name is not UTF-8")?,
    };
    Ok(Host::open(
        &[("store", place), ("durability", "off")],
        None,
    )?)
}

/// What is said or saved the n-th time: no two are alike, so that each is kept.
fn words(workload: &Workload, turn: usize) -> String {
    format!(
        "{} {turn}",
        workload.fact(0, turn as u64 % ROWS as u64 + 1, 1).content
    )
}

/// A side beside Rust on one store: both do the same in the same order, each for a user of its own.
struct Beside {
    store: &'static str,
    direct: Box<dyn Caller>,
    other: Box<dyn Caller>,
    workload: Workload,
    /// How much was said or saved.
    turn: usize,
    /// What each kind of call took in Rust, and on the other side.
    pairs: Vec<(Call, Vec<(Spent, Spent)>)>,
    /// Closed after both sides. Where Python is one of them, the engine is in its process.
    _engine: Option<Host>,
}

impl Beside {
    fn filled(language: Language, store: &'static str, folder: &Path) -> Result<Self> {
        let mut beside = match language {
            Language::Python => {
                let (direct, other) = python::start(store, folder)?;
                Beside::empty(store, Box::new(direct), Box::new(other), None)
            }
            language => {
                let engine = opened(store, folder)?;
                let keepmind = engine.keepmind().ok_or("the engine is gone")?;
                let other: Box<dyn Caller> = match language {
                    Language::C => Box::new(Foreign::on(&engine, THERE)?),
                    _ => Box::new(Direct::open(&keepmind, THERE)?),
                };
                let direct = Direct::open(&keepmind, HERE)?;
                Beside::empty(store, Box::new(direct), other, Some(engine))
            }
        };
        while beside.turn < ROWS {
            let inputs = beside.inputs();
            beside.direct.call(Call::Save, &inputs)?;
            beside.other.call(Call::Save, &inputs)?;
        }
        Ok(beside)
    }

    fn empty(
        store: &'static str,
        direct: Box<dyn Caller>,
        other: Box<dyn Caller>,
        engine: Option<Host>,
    ) -> Self {
        Beside {
            store,
            direct,
            other,
            workload: Workload::new(),
            turn: 0,
            pairs: Call::all().map(|call| (call, Vec::new())).into(),
            _engine: engine,
        }
    }

    fn inputs(&mut self) -> Vec<String> {
        let turns = self.turn..self.turn + CALLS;
        self.turn = turns.end;
        turns.map(|turn| words(&self.workload, turn)).collect()
    }

    /// The first round of each call warms and does not count.
    fn round(&mut self, call: Call, round: usize, in_turn: usize) -> Result<()> {
        let inputs = self.inputs();
        let (direct, other) = (self.direct.as_mut(), self.other.as_mut());
        // Whoever comes second finds the caches of the other's: each is first as often as second.
        let is_first = |turn: usize| turn.is_multiple_of(2);
        // What was said lately, not a chat that has grown with every round.
        in_order(is_first(round), direct, other, |side| {
            side.new_chat()?;
            match call {
                Call::ToolSave => side.call(Call::Push, &inputs),
                _ => Ok(Vec::new()),
            }
        })?;
        for (place, inputs) in inputs.chunks(in_turn).enumerate() {
            let is_first = is_first(round + place);
            let (one, two) = in_order(is_first, direct, other, |side| side.call(call, inputs))?;
            let made = self.pairs.iter_mut().find(|(made, _)| *made == call);
            if let Some((_, pairs)) = made.filter(|_| round > 0) {
                pairs.extend(one.into_iter().zip(two));
            }
        }
        Ok(())
    }

    fn costs(&self) -> impl Iterator<Item = Cost> {
        let of = |(call, pairs): &(Call, Vec<_>)| Cost::of(self.store, *call, pairs);
        self.pairs.iter().map(of)
    }
}

/// The same on both sides, one after the other; what came of it in Rust comes first.
fn in_order<T>(
    is_rust_first: bool,
    direct: &mut dyn Caller,
    other: &mut dyn Caller,
    mut work: impl FnMut(&mut dyn Caller) -> Result<T>,
) -> Result<(T, T)> {
    if is_rust_first {
        let one = work(direct)?;
        return Ok((one, work(other)?));
    }
    let two = work(other)?;
    Ok((work(direct)?, two))
}

/// A way to call the library.
trait Caller {
    /// What is said or saved from now on belongs to another chat.
    fn new_chat(&mut self) -> Result<()>;

    /// The same call with each of the inputs, and what each took.
    fn call(&mut self, call: Call, inputs: &[String]) -> Result<Vec<Spent>>;
}

/// What a call with each of the inputs takes, each written before as the side wants it.
fn timed(
    inputs: &[String],
    written: impl Fn(&str) -> String,
    mut call: impl FnMut(&str) -> Result<()>,
) -> Result<Vec<Spent>> {
    let one = |input: &String| {
        let written = written(input);
        let (calling, all) = (thread_cpu_time(), cpu_time());
        call(&written)?;
        Ok(Spent {
            calling: micros(thread_cpu_time().saturating_sub(calling)),
            all_threads: micros(cpu_time().saturating_sub(all)),
        })
    };
    inputs.iter().map(one).collect()
}

fn median(mut measured: Vec<f64>) -> f64 {
    measured.sort_by(f64::total_cmp);
    measured.get(measured.len() / 2).copied().unwrap_or(0.0)
}

fn tool_call(content: &str) -> String {
    json!({"name": "save_memory", "arguments": {"content": content}}).to_string()
}

/// The engine as a Rust host has it.
impl Caller for Direct {
    fn new_chat(&mut self) -> Result<()> {
        Ok(Direct::new_chat(self)?)
    }

    fn call(&mut self, call: Call, inputs: &[String]) -> Result<Vec<Spent>> {
        let written = |input: &str| match call {
            Call::ToolSave => tool_call(input),
            _ => input.to_owned(),
        };
        timed(inputs, written, |written| {
            Ok(Direct::call(self, call, written)?)
        })
    }
}

/// The engine as a C host has it.
struct Foreign {
    user: HostUser,
    chat: HostSession,
}

impl Foreign {
    fn on(host: &Host, user: &str) -> Result<Self> {
        let user = host.user(user)?;
        let chat = user.open_session()?;
        Ok(Foreign { user, chat })
    }
}

impl Caller for Foreign {
    fn new_chat(&mut self) -> Result<()> {
        self.chat = self.user.open_session()?;
        Ok(())
    }

    fn call(&mut self, call: Call, inputs: &[String]) -> Result<Vec<Spent>> {
        let written = |input: &str| match call {
            Call::Save => json!({"command": "save", "content": input}).to_string(),
            Call::Get => json!({"query": "get", "target": 1}).to_string(),
            Call::Recall => json!({"query": "recall", "text": input}).to_string(),
            Call::ToolSave => tool_call(input),
            Call::Push | Call::Block => input.to_owned(),
        };
        timed(inputs, written, |written| {
            match call {
                Call::Save | Call::Get | Call::Recall => drop(self.user.request(written)?),
                Call::Push => drop(self.chat.push(KM_ROLE_USER, written, None)?),
                Call::ToolSave => drop(self.chat.call_tool(written)?),
                Call::Block => drop(self.chat.block()?),
            }
            Ok(())
        })
    }
}
