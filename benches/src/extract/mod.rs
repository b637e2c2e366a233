//! `extract`: what is kept of labelled chats by code alone, without a model.
//!
//! Modules in reading order: what a case says (`case`), what was kept of it (`run`), and how right that
//! is (`score`).

mod case;
mod run;
mod score;

use std::fmt::Write as _;

use crate::Result;
use crate::arguments::ExtractOptions;
use crate::extract::score::Score;

/// Runs every case of a file, and writes what was kept.
pub async fn run(options: &ExtractOptions) -> Result<()> {
    let mut kept = String::new();
    let mut score = Score::default();
    for case in case::all(&options.cases)? {
        let operations = run::run(&case, options.store)
            .await
            .map_err(|error| format!("{}: {error}", case.id))?;
        score.add(&case, &operations);
        for operation in &operations {
            writeln!(kept, "{}", serde_json::to_string(operation)?)?;
        }
    }
    std::fs::write(&options.out, kept)
        .map_err(|error| format!("{} cannot be written: {error}", options.out.display()))?;
    print!("{score}");
    Ok(())
}
