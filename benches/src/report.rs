//! What is printed: tables, amounts a person can read, and goals with what was reached.

use std::path::Path;

use serde::Serialize;

use crate::Result;
use crate::measure;

/// A table. Columns of text are aligned left, columns of numbers right.
pub struct Table {
    heads: Vec<String>,
    text_columns: &'static [usize],
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table in which those columns hold text, and the others numbers.
    pub fn new(text_columns: &'static [usize], heads: &[&str]) -> Self {
        let heads = heads.iter().map(|head| (*head).to_owned()).collect();
        Table {
            heads,
            text_columns,
            rows: Vec::new(),
        }
    }

    pub fn add(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    pub fn print(&self) {
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells
                .chain(self.heads.get(column))
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.heads.len()).map(width).collect();
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells
                .iter()
                .zip(&widths)
                .enumerate()
                .map(
                    |(column, (cell, &width))| match self.text_columns.contains(&column) {
                        true => format!("{cell:<width$}"),
                        false => format!("{cell:>width$}"),
                    },
                )
                .collect();
            println!("{}", cells.join("  ").trim_end());
        };
        line(&self.heads);
        line(
            &widths
                .iter()
                .map(|width| "-".repeat(*width))
                .collect::<Vec<_>>(),
        );
        self.rows.iter().for_each(|row| line(row));
        println!();
    }
}

/// When threads wait for a core this share of the time, other processes are measured too: a thread that
/// wakes up after a sync waits for its turn, and durable writes seem alike on every side.
const DISTURBED: f64 = 0.25;

/// What is aimed at, and what was reached.
#[derive(Debug, Clone, Serialize)]
pub struct Goal {
    pub goal: String,
    pub measured: String,
    /// The ratio reached; nothing where it was not measured.
    pub reached: Option<f64>,
    /// The same ratio of CPU times, which other processes disturb less.
    pub reached_by_cpu: Option<f64>,
    /// The larger of the shares of time that the two sides waited for a core.
    pub waiting: f64,
    pub at_most: f64,
}

impl Goal {
    /// By the medians; in doubt where other processes were measured too and CPU time says otherwise.
    fn verdict(&self) -> &'static str {
        let Some(reached) = self.reached else {
            return "not measured";
        };
        let is_reached = reached <= self.at_most;
        let by_cpu = self.reached_by_cpu.is_none_or(|cpu| cpu <= self.at_most);
        match is_reached {
            _ if self.waiting > DISTURBED && by_cpu != is_reached => "in doubt",
            true => "ok",
            false => "missed",
        }
    }
}

pub fn print_goals(goals: &[Goal]) {
    println!("Goals (ratios of medians of this run)");
    let mut table = Table::new(
        &[0, 1],
        &[
            "goal", "measured", "reached", "by CPU", "waited", "at most", "verdict",
        ],
    );
    for goal in goals {
        table.add(vec![
            goal.goal.clone(),
            goal.measured.clone(),
            goal.reached.map_or("-".to_owned(), ratio),
            goal.reached_by_cpu.map_or("-".to_owned(), ratio),
            share(goal.waiting),
            format!("{}×", goal.at_most),
            goal.verdict().to_owned(),
        ]);
    }
    table.print();
}

/// Says so when other processes keep the machine busy.
pub fn warn_if_busy(cores: usize) {
    if let Some(load) = measure::load().filter(|load| *load > cores as f64 / 2.0) {
        println!(
            "The machine is busy (load {load:.1}): figures that waited for a core say little."
        );
    }
    println!();
}

/// A time in microseconds, in the unit that reads best.
pub fn time(micros: f64) -> String {
    match micros {
        ..10.0 => format!("{micros:.2} µs"),
        ..1_000.0 => format!("{micros:.0} µs"),
        ..10_000.0 => format!("{:.2} ms", micros / 1e3),
        ..1_000_000.0 => format!("{:.0} ms", micros / 1e3),
        _ => format!("{:.1} s", micros / 1e6),
    }
}

pub fn ratio(ratio: f64) -> String {
    match ratio {
        ..0.1 => format!("{ratio:.3}×"),
        ..10.0 => format!("{ratio:.2}×"),
        _ => format!("{ratio:.0}×"),
    }
}

pub fn share(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

pub fn bytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

pub fn write_json(path: &Path, figures: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(figures)?;
    std::fs::write(path, text + "\n")
        .map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
    println!("Every figure is in {}.", path.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_read_well() {
        assert_eq!(time(0.5), "0.50 µs");
        assert_eq!(time(250.0), "250 µs");
        assert_eq!(time(1_500.0), "1.50 ms");
        assert_eq!(time(2_500_000.0), "2.5 s");
        assert_eq!(ratio(0.0456), "0.046×");
        assert_eq!(ratio(1.234), "1.23×");
        assert_eq!(bytes(1_500_000), "1.5 MB");
    }

    #[test]
    fn a_goal_is_reached_missed_or_in_doubt() {
        let verdict = |reached, by_cpu, waiting| {
            Goal {
                goal: String::new(),
                measured: String::new(),
                reached,
                reached_by_cpu: Some(by_cpu),
                waiting,
                at_most: 2.0,
            }
            .verdict()
        };
        assert_eq!(verdict(Some(2.0), 1.9, 0.1), "ok");
        assert_eq!(verdict(Some(2.1), 2.2, 0.9), "missed");
        assert_eq!(verdict(Some(1.0), 3.0, 0.1), "ok");
        assert_eq!(verdict(Some(1.0), 3.0, 0.9), "in doubt");
        assert_eq!(verdict(None, 1.0, 0.1), "not measured");
    }
}
