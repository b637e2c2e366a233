//! `keepmind-bench`: keepmind's stores beside SQLite written by hand, on the same rows, in one run.
//!
//! Modules in reading order: the rows (`workload`), the clocks (`measure`), the words of the
//! comparison (`operation`), its sides (`baseline`, `ours`, `subject`), what is printed (`report`), and
//! the two benchmarks (`ops`, `scale`). Apart from these stand those on learning from chats: `attacks`
//! measures what is refused, `extract` what is kept without a model, `reconcile` what becomes of facts that
//! change, `junk` what a bad model leaves behind, `year` what
//! becomes of a memory in a year, `close` what it costs. `crash` kills a process that writes,
//! `fleet` spreads many owners over several servers,
//! `retrieval` looks for memories on labelled sets, and `peer` answers the driver that compares libraries.

#![forbid(unsafe_code)]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program that prints what it measured"
)]

mod arguments;

mod workload;

mod measure;
mod operation;

mod baseline;
mod ours;
mod subject;

mod report;

mod ops;
mod scale;
mod through;

mod known;
mod stage;

mod attacks;
mod close;
mod extract;
mod junk;
mod reconcile;

mod crash;
mod fleet;
mod peer;
mod retrieval;
mod year;

use std::process::ExitCode;

use crate::arguments::{Command, USAGE};

/// What goes wrong ends the run with its message: there is nothing to recover.
type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    let command = match arguments::read(std::env::args().skip(1)) {
        Ok(command) => command,
        Err(wrong) => {
            eprintln!("{wrong}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match run(command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("keepmind-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

/// False when it ran and found a failure.
fn run(command: Command) -> Result<bool> {
    // The runtime a host has: `#[tokio::main]` makes the same.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    match command {
        Command::Help => {
            println!("{USAGE}");
        }
        Command::Ops(options) => runtime.block_on(ops::run(&options))?,
        Command::Through(options) => through::run(&options)?,
        Command::Child(options) => runtime.block_on(ops::run_child(&options))?,
        Command::Scale(options) => runtime.block_on(scale::run(&options))?,
        Command::Attacks(options) => return runtime.block_on(attacks::run(&options)),
        Command::Extract(options) => runtime.block_on(extract::run(&options))?,
        Command::Reconcile(options) => runtime.block_on(reconcile::run(&options))?,
        Command::Junk(options) => return runtime.block_on(junk::run(&options)),
        Command::Year(options) => return runtime.block_on(year::run(&options)),
        Command::Retrieval(options) => runtime.block_on(retrieval::run(&options))?,
        Command::Close(options) => close::run(&options)?,
        Command::Crash(options) => return runtime.block_on(crash::run(&options)),
        Command::CrashChild(options) => runtime.block_on(crash::run_child(&options))?,
        Command::Fleet(options) => runtime.block_on(fleet::run(&options))?,
        Command::Peer => runtime.block_on(peer::run())?,
    }
    Ok(true)
}
