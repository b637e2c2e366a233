//! `attacks`: cases in which a model writes what it must not, each against an engine of its own.
//!
//! Modules in reading order: what a case says (`expand`, `case`), how it reaches the engine (`door`,
//! `c_door`), what happened (`run`), whether that is what should have (`post`, `judge`), and what is printed
//! (`report`). With `--mutate` other forms of
//! each case come besides: their letters (`letters`), the forms (`mutate`), and running them (`mutated`).

mod c_door;
mod case;
mod door;
mod expand;
mod judge;
mod letters;
mod mutate;
mod mutated;
mod post;
mod report;
mod run;

use crate::Result;
use crate::arguments::AttacksOptions;
use crate::attacks::case::Read;
use crate::attacks::report::{CaseReport, Summary};

/// Runs every case of a file. False when one failed that should not have.
pub async fn run(options: &AttacksOptions) -> Result<bool> {
    let text = std::fs::read_to_string(&options.cases)
        .map_err(|error| format!("{} cannot be read: {error}", options.cases.display()))?;
    let mut summary = Summary::default();
    let mut forms = mutated::Summary::default();
    for line in text.split('\n').filter(|line| !line.trim().is_empty()) {
        let report = one(line, options).await;
        summary.count(&report);
        println!("{}", serde_json::to_string(&report)?);
        if let (true, Read::Case(case)) = (options.mutate > 0, case::read(line)) {
            mutated::run(&case, options, &mut forms).await?;
        }
    }
    println!("{}", serde_json::to_string(&summary)?);
    if options.mutate > 0 {
        println!("{}", serde_json::to_string(&forms)?);
    }
    Ok(summary.failed == 0 && forms.held == forms.mutations)
}

async fn one(line: &str, options: &AttacksOptions) -> CaseReport {
    let case = match case::read(line) {
        Read::Case(case) => case,
        Read::Broken { id, why } => return CaseReport::broken(id, why),
    };
    match run::run(&case, options.store, options.through).await {
        Ok(seen) => {
            let objections = judge::judge(&case, &seen);
            CaseReport::of(&case, &seen, objections)
        }
        Err(error) => CaseReport::broken(case.id, error.to_string()),
    }
}
