//! `keepmind-bench`: keepmind's stores beside SQLite written by hand, on the same rows, in one run.
//!
//! Modules in reading order: the rows (`workload`), the clocks (`measure`), the words of the
//! comparison (`operation`), its sides (`baseline`, `ours`, `subject`), what is printed (`report`), and
//! the two benchmarks (`ops`, `scale`).

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
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("keepmind-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<()> {
    // The runtime a host has: `#[tokio::main]` makes the same.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    match command {
        Command::Help => {
            println!("{USAGE}");
            Ok(())
        }
        Command::Ops(options) => ops::run(&options),
        Command::Child(options) => runtime.block_on(ops::run_child(&options)),
        Command::Scale(options) => runtime.block_on(scale::run(&options)),
    }
}
