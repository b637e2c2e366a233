//! What one configuration came to, and how its figures compare.

use serde::{Deserialize, Serialize};

use crate::arguments::Configuration;
use crate::measure::Figures;
use crate::operation::{Operation, Side};
use crate::report::{self, Goal, Table};

/// All figures of one configuration.
#[derive(Debug, Serialize, Deserialize)]
pub struct Results {
    pub configuration: Configuration,
    pub sides: Vec<SideResults>,
    pub operations: Vec<OperationResults>,
    /// Of the ten that keepmind finds by words, how many FTS5 finds too, on average.
    pub shared_hits: f64,
    /// The size of a page in each database file.
    pub page_bytes: Vec<(Side, u64)>,
    /// What the engine takes for a save through the tool besides asking its store. Microseconds.
    pub engine_alone: Figures,
    pub engine_alone_of_all: Figures,
}

/// What a side took besides time.
#[derive(Debug, Serialize, Deserialize)]
pub struct SideResults {
    pub side: Side,
    pub fill_seconds: f64,
    /// The closed file after filling.
    pub file_bytes: Option<u64>,
    /// The most memory of a process that opens the file and does every read once or more.
    pub peak_memory: Option<u64>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct OperationResults {
    pub operation: Operation,
    pub side: Side,
    /// Microseconds.
    pub figures: Figures,
    /// Medians as multiples of what is written by hand.
    pub ratios: Vec<Ratio>,
}

/// A median as a multiple of another.
#[derive(Debug, Serialize, Deserialize)]
pub struct Ratio {
    pub to: Side,
    pub to_operation: Operation,
    pub ratio: f64,
}

impl Results {
    pub fn figures(&self, operation: Operation, side: Side) -> Option<&Figures> {
        self.operations
            .iter()
            .find(|results| results.operation == operation && results.side == side)
            .map(|results| &results.figures)
    }

    /// One median as a multiple of another; nothing where either was not measured.
    pub fn ratio(&self, what: (Operation, Side), to: (Operation, Side)) -> Option<f64> {
        self.ratio_of(what, to, |figures| figures.p50)
    }

    /// How far a goal was reached.
    pub fn goal(
        &self,
        goal: &str,
        what: (Operation, Side),
        to: (Operation, Side),
        at_most: f64,
    ) -> Goal {
        let waiting = [what, to]
            .into_iter()
            .filter_map(|(operation, side)| self.figures(operation, side));
        Goal {
            goal: goal.to_owned(),
            measured: self.configuration.to_string(),
            reached: self.ratio(what, to),
            reached_by_cpu: self.ratio_of(what, to, |figures| figures.cpu),
            waiting: waiting.map(|figures| figures.waiting).fold(0.0, f64::max),
            at_most,
        }
    }

    fn ratio_of(
        &self,
        what: (Operation, Side),
        to: (Operation, Side),
        of: impl Fn(&Figures) -> f64,
    ) -> Option<f64> {
        let what = of(self.figures(what.0, what.1)?);
        let to = of(self.figures(to.0, to.1)?);
        (to > 0.0).then_some(what / to)
    }

    /// Fills in the ratios, once all figures are there.
    pub fn compare(&mut self) {
        let ratios: Vec<Vec<Ratio>> = self
            .operations
            .iter()
            .map(|results| {
                references(results.operation)
                    .iter()
                    .filter(|to| **to != (results.operation, results.side))
                    .filter_map(|&(to_operation, to)| {
                        let ratio =
                            self.ratio((results.operation, results.side), (to_operation, to))?;
                        Some(Ratio {
                            to,
                            to_operation,
                            ratio,
                        })
                    })
                    .collect()
            })
            .collect();
        for (results, ratios) in self.operations.iter_mut().zip(ratios) {
            results.ratios = ratios;
        }
    }

    pub fn print(&self) {
        let Configuration { owners, facts } = self.configuration;
        let total = owners * facts;
        let noun = if owners == 1 { "owner" } else { "owners" };
        println!(
            "{owners} {noun} × {facts} facts = {total} facts, with {} superseded rows besides",
            total / 10
        );
        let mut table = Table::new(
            &[0, 1, 6],
            &[
                "operation",
                "side",
                "p50",
                "p95",
                "CPU",
                "waited",
                "÷ by hand",
            ],
        );
        let mut last = None;
        for results in &self.operations {
            let OperationResults {
                operation,
                side,
                figures,
                ratios,
            } = results;
            let title = if last == Some(*operation) {
                ""
            } else {
                operation.title()
            };
            last = Some(*operation);
            let ratios: Vec<String> = ratios.iter().map(Ratio::text).collect();
            table.add(vec![
                title.to_owned(),
                side.title().to_owned(),
                report::time(figures.p50),
                report::time(figures.p95),
                report::time(figures.cpu),
                report::share(figures.waiting),
                ratios.join(", "),
            ]);
        }
        table.print();

        let mut table = Table::new(&[0], &["side", "filled in", "file", "peak memory"]);
        for results in &self.sides {
            table.add(vec![
                results.side.title().to_owned(),
                format!("{:.1} s", results.fill_seconds),
                results.file_bytes.map_or("-".to_owned(), report::bytes),
                results.peak_memory.map_or("-".to_owned(), report::bytes),
            ]);
        }
        table.print();
        println!(
            "Of the ten best by words, {:.1} are the same in keepmind and FTS5.\n",
            self.shared_hits
        );
    }
}

impl Ratio {
    fn text(&self) -> String {
        let ratio = report::ratio(self.ratio);
        match (self.to, self.to_operation) {
            (Side::HandPostings, _) => format!("{ratio} with postings"),
            (
                _,
                Operation::Insert
                | Operation::InsertHundred
                | Operation::Supersede
                | Operation::ColdInsert
                | Operation::ToolSave,
            ) => {
                format!("{ratio} with FTS5")
            }
            (_, Operation::Scan) => format!("{ratio} the plain scan"),
            _ => ratio,
        }
    }
}

/// What an operation is compared with.
fn references(operation: Operation) -> &'static [(Operation, Side)] {
    use Operation as Op;
    const FTS5: Side = Side::HandFts5;
    const POSTINGS: Side = Side::HandPostings;
    match operation {
        Op::Get => &[(Op::Get, FTS5)],
        Op::List => &[(Op::List, FTS5)],
        Op::AsOf => &[(Op::AsOf, FTS5)],
        Op::Search => &[(Op::Search, FTS5)],
        Op::SearchVectors => &[(Op::SearchVectors, FTS5), (Op::Scan, FTS5)],
        Op::Recall => &[(Op::Recall, FTS5)],
        Op::Scan => &[],
        Op::ColdOpen => &[(Op::ColdOpen, FTS5)],
        Op::ColdSearch => &[(Op::ColdSearch, FTS5)],
        Op::ColdRecall => &[(Op::ColdRecall, FTS5)],
        Op::ColdInsert => &[(Op::ColdInsert, POSTINGS), (Op::ColdInsert, FTS5)],
        Op::Insert | Op::Commit => &[(Op::Insert, POSTINGS), (Op::Insert, FTS5)],
        Op::InsertHundred => &[(Op::InsertHundred, POSTINGS), (Op::InsertHundred, FTS5)],
        Op::Supersede => &[(Op::Supersede, POSTINGS), (Op::Supersede, FTS5)],
        Op::SearchAfterInsert => &[(Op::SearchAfterInsert, FTS5)],
        Op::SearchVectorsAfterInsert => &[(Op::SearchVectorsAfterInsert, FTS5)],
        Op::ToolSave => &[(Op::ToolSave, POSTINGS), (Op::ToolSave, FTS5)],
        Op::ToolRecall => &[(Op::ToolRecall, FTS5)],
        Op::Block => &[(Op::Block, FTS5)],
        Op::Undo => &[(Op::Undo, FTS5)],
    }
}
