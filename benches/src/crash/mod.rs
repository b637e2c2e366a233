//! `crash`: a child writes to one file and is killed in the middle of it, again and again; after every kill
//! the file must hold everything that was acknowledged, and nothing by halves.
//!
//! Modules in reading order: what both processes agree on (`setting`, `lines`); the child (`plan`, `voice`,
//! `lane`, `child`); and the parent: killing (`victim`), what must hold (`findings`, `facts`, `chats`,
//! `structure`, `world`), looking whether it does (`afterwards`), and what is printed (`report`).

mod setting;

mod lines;

mod plan;
mod voice;

mod lane;

mod child;

mod victim;

mod findings;

mod chats;
mod facts;
mod structure;

mod world;

mod afterwards;
mod report;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::time::Instant;

use keepmind::Clock as _;

use crate::Result;
use crate::arguments::CrashOptions;
use crate::crash::chats::Around;
use crate::crash::findings::Findings;
use crate::crash::report::Summary;
use crate::crash::setting::MovedClock;
use crate::crash::world::World;

pub use child::run as run_child;

/// Kills as often as told. False when something was lost.
pub async fn run(options: &CrashOptions) -> Result<bool> {
    if !cfg!(unix) {
        return Err("crash needs SIGKILL: run it on Linux, macOS or another Unix".into());
    }
    let start = Instant::now();
    let folder = match &options.store_directory {
        Some(directory) => {
            std::fs::create_dir_all(directory)?;
            tempfile::Builder::new()
                .prefix("crash-")
                .tempdir_in(directory)?
        }
        None => tempfile::tempdir()?,
    };
    let file = folder.path().join(setting::FILE);
    let mut findings = Findings::default();
    let mut world = World::new(around(options.seed, 0));
    let mut summary = Summary::new(options.seed);
    for cycle in 0..options.cycles {
        let is_last = cycle + 1 == options.cycles;
        let known = findings.len();
        let ended = one(
            &file,
            options.seed,
            cycle,
            is_last,
            &mut world,
            &mut summary,
            &mut findings,
        );
        let ended = ended.await;
        for finding in findings.since(known) {
            eprintln!("cycle {cycle}: {finding}");
        }
        if let Err(error) = ended {
            eprintln!("cycle {cycle}: {error}");
            summary.integrity = error.to_string();
            break;
        }
    }
    summary.finish(&world, &findings, start.elapsed());
    summary.print()?;
    if !summary.is_good() {
        // Kept, so that it can be looked at.
        eprintln!("the file is in {}", folder.keep().display());
        return Ok(false);
    }
    Ok(true)
}

async fn one(
    file: &Path,
    seed: u64,
    cycle: u64,
    is_last: bool,
    world: &mut World,
    summary: &mut Summary,
    findings: &mut Findings,
) -> Result<()> {
    world.begin(around(seed, cycle));
    let heard = victim::run(file, seed, cycle)?;
    summary.cycles += 1;
    summary.kills += u64::from(heard.was_killed);
    for line in heard.lines {
        world.hear(line, findings);
    }
    if !heard.was_killed {
        return Err("the child ended before it was killed".into());
    }
    summary.undone += afterwards::check(file, cycle, is_last, world, findings).await?;
    Ok(())
}

fn around(seed: u64, cycle: u64) -> Around {
    Around {
        cycle,
        swept: false,
        every_turn: setting::learns_every_turn(seed, cycle),
        begun_at: MovedClock::of(cycle).now(),
    }
}
