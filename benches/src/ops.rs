//! `ops`: every operation, on every side, for each configuration; with the goals and what was reached.

pub mod alone;
mod chats;
mod chats_by_hand;
mod check;
mod child;
mod cold;
mod results;
mod server;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde::de::DeserializeOwned;
use serde_json::json;

use crate::Result;
use crate::arguments::{Configuration, OpsOptions};
use crate::baseline::Baseline;
use crate::measure;
use crate::operation::{Operation, Side};
use crate::ops::results::Results;
use crate::report::{self, Goal, Table};

pub use child::run as run_child;

/// Where searches are held to their goals.
const TEN_THOUSAND: Configuration = Configuration {
    owners: 1,
    facts: 10_000,
};

pub async fn run(options: &OpsOptions) -> Result<()> {
    if options.on_server {
        return server::run(options).await;
    }
    let start = Instant::now();
    let sync_micros = measure::sync_cost(&options.directory)?;
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    println!(
        "SQLite {}, {cores} cores; a page written and synced: {}",
        Baseline::engine(),
        report::time(sync_micros)
    );
    report::warn_if_busy(cores);

    let mut all = Vec::new();
    for &configuration in &options.configurations {
        let results = measure_configuration(configuration, options)?;
        results.print();
        all.push(results);
    }
    let (chats, chat_goals) = chats::run(&options.directory, options.repeat).await?;
    chats::print(&chats);
    let mut goals = goals(&all);
    goals.extend(chat_goals);
    report::print_goals(&goals);
    print_engine(&all);
    let seconds = start.elapsed().as_secs_f64();
    println!("Measured in {seconds:.0} s.");
    match &options.json {
        Some(path) => report::write_json(
            path,
            &json!({
                "benchmark": "ops",
                "sqlite": Baseline::engine(),
                "cores": cores,
                "sync_micros": sync_micros,
                "repeat": options.repeat,
                "seconds": seconds,
                "configurations": all,
                "chats": chats,
                "goals": goals,
            }),
        ),
        None => Ok(()),
    }
}

/// Peaks of memory cannot be taken back, so each configuration has its own process, and each side
/// another one for its memory.
fn measure_configuration(configuration: Configuration, options: &OpsOptions) -> Result<Results> {
    let folder = tempfile::Builder::new()
        .prefix("keepmind-bench-")
        .tempdir_in(&options.directory)?;
    let mut results: Results = child(configuration, options.repeat, folder.path(), None)?;
    for side in &mut results.sides {
        if side.side != Side::HandPostings {
            side.peak_memory = child(
                configuration,
                options.repeat,
                folder.path(),
                Some(side.side),
            )?;
        }
    }
    Ok(results)
}

fn child<T: DeserializeOwned>(
    configuration: Configuration,
    repeat: usize,
    directory: &Path,
    memory_of: Option<Side>,
) -> Result<T> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args([
        "ops",
        "--child",
        &configuration.to_string(),
        "--repeat",
        &repeat.to_string(),
    ]);
    command.arg("--directory").arg(directory);
    if let Some(side) = memory_of {
        command.args(["--memory-of", side.word()]);
    }
    let output = command.stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err(format!("measuring {configuration} failed: {}", output.status).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// How long the engine may take for a save through the tool besides asking the store. Microseconds.
const ENGINE_AT_MOST: f64 = 30.0;

fn print_engine(all: &[Results]) {
    println!(
        "tool_save without the store: dispatch, grounding and planning, CPU of its thread in the quickest quarter of \
         groups of 25 saves, and in all of them, without the looks at the clock (about {} each)",
        report::time(measure::micros(measure::clock_cost()))
    );
    let heads = [
        "measured",
        "p50",
        "p50 of all",
        "p95 of all",
        "at most",
        "verdict",
    ];
    let mut table = Table::new(&[0], &heads);
    for results in all {
        let (figures, of_all) = (&results.engine_alone, &results.engine_alone_of_all);
        let verdict = if figures.p50 <= ENGINE_AT_MOST {
            "ok"
        } else {
            "missed"
        };
        table.add(vec![
            results.configuration.to_string(),
            report::time(figures.p50),
            report::time(of_all.p50),
            report::time(of_all.p95),
            report::time(ENGINE_AT_MOST),
            verdict.to_owned(),
        ]);
    }
    table.print();
}

fn goals(all: &[Results]) -> Vec<Goal> {
    let mut goals = Vec::new();
    let mut add = |goal: &str, results: &Results, what, to, at_most| {
        goals.push(results.goal(goal, what, to, at_most));
    };
    let by_hand = (Operation::Insert, Side::HandPostings);
    for results in all {
        let commit = "durable commit of one memory ÷ the same row and index entries by hand";
        add(
            commit,
            results,
            (Operation::Commit, Side::Sqlite),
            by_hand,
            2.0,
        );
        let whole = "… with loading and planning";
        add(
            whole,
            results,
            (Operation::Insert, Side::Sqlite),
            by_hand,
            2.0,
        );
    }
    for results in all
        .iter()
        .filter(|results| results.configuration == TEN_THOUSAND)
    {
        let fts5 = (Operation::Search, Side::HandFts5);
        add(
            "keyword search, SQLite ÷ FTS5",
            results,
            (Operation::Search, Side::Sqlite),
            fts5,
            0.5,
        );
        add(
            "keyword search, in memory ÷ FTS5",
            results,
            (Operation::Search, Side::Memory),
            fts5,
            0.1,
        );
        let scan = (Operation::Scan, Side::HandFts5);
        let vectors = Operation::SearchVectors;
        add(
            "vector search, SQLite ÷ plain scan",
            results,
            (vectors, Side::Sqlite),
            scan,
            1.2,
        );
        add(
            "vector search, in memory ÷ plain scan",
            results,
            (vectors, Side::Memory),
            scan,
            1.2,
        );
    }
    for results in all
        .iter()
        .filter(|results| results.configuration == TEN_THOUSAND)
    {
        let by_hand = (Operation::Recall, Side::HandFts5);
        add(
            "recall by words and meaning, SQLite ÷ FTS5 + scan",
            results,
            (Operation::Recall, Side::Sqlite),
            by_hand,
            0.3,
        );
        let cold = Operation::ColdRecall;
        add(
            "cold open + first recall by both ÷ reading the vectors by hand",
            results,
            (cold, Side::Sqlite),
            (cold, Side::HandFts5),
            2.0,
        );
    }
    for results in all {
        let cold = Operation::ColdSearch;
        let goal = "cold open + first search ÷ by hand";
        add(
            goal,
            results,
            (cold, Side::Sqlite),
            (cold, Side::HandFts5),
            3.0,
        );
    }
    goals
}
