//! One configuration, in a process of its own: filled, checked for equal answers, then timed in turns.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Instant;

use crate::Result;
use crate::arguments::{ChildOptions, Configuration};
use crate::measure::{Figures, Timings, peak_memory};
use crate::operation::{Input, Operation, Side};
use crate::ops::alone::Alone;
use crate::ops::results::{OperationResults, Results, SideResults};
use crate::ops::{check, cold};
use crate::ours::Ours;
use crate::subject::Subject;
use crate::workload::{self, Workload};

/// At most this many owners are asked, spread over all.
const ASKED_OWNERS: usize = 8;

/// The sides that are in files.
const FILES: [Side; 3] = [Side::Sqlite, Side::HandFts5, Side::HandPostings];
/// From here on, inputs are for settling what was opened, not for timing.
const SETTLING: usize = 1 << 20;

/// Reads, and how many in a turn. They come first, while the stores are as large as they were filled.
const READS: [(Operation, usize); 8] = [
    (Operation::Get, 200),
    (Operation::List, 50),
    (Operation::AsOf, 50),
    (Operation::Search, 60),
    (Operation::SearchVectors, 40),
    (Operation::Recall, 40),
    (Operation::Scan, 40),
    (Operation::Block, 20),
];
/// Cold starts in a turn.
const COLD_STARTS: usize = 4;
/// Writes and what follows on them, and how many in a turn: the same on every side.
const WRITES: [(Operation, usize); 9] = [
    (Operation::Insert, 25),
    (Operation::Commit, 25),
    (Operation::InsertHundred, 3),
    (Operation::Supersede, 25),
    (Operation::SearchAfterInsert, 10),
    (Operation::SearchVectorsAfterInsert, 10),
    (Operation::ToolSave, 25),
    (Operation::ToolRecall, 40),
    (Operation::Undo, 25),
];
/// Groups of saves of the engine by itself after each turn of a write, and how many each has.
const GROUPS_ALONE: usize = 2;
const SAVES_ALONE: usize = 25;

struct Run<'a> {
    configuration: Configuration,
    directory: &'a Path,
    workload: Workload,
    subjects: Vec<(Side, Subject)>,
    /// How often files were opened: each time, new ids are made.
    openings: u64,
    /// What the block of each owner that is asked shows, while nothing is written.
    shown: BTreeMap<usize, Vec<u64>>,
    timings: Vec<(Operation, Side, Timings)>,
}

/// Measures one configuration, or one side's memory, and prints the results as JSON.
pub async fn run(options: &ChildOptions) -> Result<()> {
    let mut run = Run {
        configuration: options.configuration,
        directory: &options.directory,
        workload: Workload::new(),
        subjects: Vec::new(),
        openings: 0,
        shown: BTreeMap::new(),
        timings: Vec::new(),
    };
    let answer = match &options.memory_of {
        Some(word) => {
            let side = Side::ALL.into_iter().find(|side| side.word() == word);
            serde_json::to_string(&run.memory_of(side.ok_or("no such side")?).await?)?
        }
        None => serde_json::to_string(&run.measure(options.repeat).await?)?,
    };
    println!("{answer}");
    Ok(())
}

impl Run<'_> {
    async fn measure(&mut self, repeat: usize) -> Result<Results> {
        let mut sides = Vec::new();
        for side in Side::ALL {
            sides.push(self.fill(side).await?);
        }
        let page_bytes = Side::ALL
            .into_iter()
            .filter_map(|side| Some((side, page_bytes(&side.file(self.directory))?)))
            .collect();
        self.open_files().await?;
        self.look_at_blocks().await?;
        let inputs = self.inputs(Operation::Search, 0, check::INPUTS)?;
        let shared_hits = check::answers(&mut self.subjects, &inputs).await?;

        for turn in 0..repeat {
            for (operation, count) in READS {
                self.time(operation, turn, count).await?;
            }
        }
        self.close_files().await?;
        for turn in 0..repeat {
            self.time_cold_starts(turn).await?;
        }
        self.open_files().await?;
        let mut alone = self.alone().await?;
        let mut groups = Vec::new();
        for turn in 0..repeat {
            for (operation, count) in WRITES {
                self.time(operation, turn, count).await?;
                groups.extend(self.save_alone(&mut alone, groups.len()).await?);
            }
        }
        self.close_files().await?;
        let (engine_alone, engine_alone_of_all) = quickest_and_all(groups);

        let operations = self
            .timings
            .iter()
            .map(|(operation, side, timings)| OperationResults {
                operation: *operation,
                side: *side,
                figures: timings.figures(),
                ratios: Vec::new(),
            });
        let mut results = Results {
            configuration: self.configuration,
            sides,
            operations: operations.collect(),
            shared_hits,
            page_bytes,
            engine_alone,
            engine_alone_of_all,
        };
        results.compare();
        Ok(results)
    }

    /// Fills a side and closes it, but for the one in memory, which stays open.
    async fn fill(&mut self, side: Side) -> Result<SideResults> {
        let start = Instant::now();
        let mut subject = Subject::open(side, self.directory, false, 0).await?;
        for owner in 0..self.configuration.owners {
            subject
                .fill(&self.workload, owner, self.configuration.facts, true)
                .await?;
        }
        if side == Side::Memory {
            self.subjects.push((side, subject));
        } else {
            subject.close().await?;
        }
        Ok(SideResults {
            side,
            fill_seconds: start.elapsed().as_secs_f64(),
            file_bytes: side.file_bytes(self.directory),
            peak_memory: None,
        })
    }

    /// What blocks show, so that by hand the same rows can be fetched.
    async fn look_at_blocks(&mut self) -> Result<()> {
        let inputs = self.inputs(Operation::Block, 0, ASKED_OWNERS)?;
        let (_, subject) = &mut self.subjects[0];
        for (place, input) in inputs.iter().enumerate() {
            let found = subject.answer(Operation::Block, input, None).await?;
            let numbers = found.iter().map(|found| found.number).collect();
            self.shown
                .insert(asked_owner(self.configuration, place), numbers);
        }
        Ok(())
    }

    /// The engine on a store in memory of its own, with the facts of those who are asked.
    async fn alone(&self) -> Result<Alone> {
        let mut ours = Ours::in_memory()?;
        let owners = (0..ASKED_OWNERS).map(|place| asked_owner(self.configuration, place));
        for owner in owners.collect::<BTreeSet<usize>>() {
            let facts = self.configuration.facts;
            ours.fill(&self.workload, owner, facts, true).await?;
        }
        Alone::new(&ours)
    }

    /// The engine's own share of a few saves through the tool. Some at a time, all through the run: what else the
    /// machine does comes and goes in seconds.
    async fn save_alone(&self, alone: &mut Alone, before: usize) -> Result<Vec<Timings>> {
        let mut groups = Vec::new();
        // The first warms and does not count.
        for group in 0..=GROUPS_ALONE {
            let settled = before / GROUPS_ALONE * (GROUPS_ALONE + 1);
            let first = SETTLING + (settled + group) * SAVES_ALONE;
            let inputs = self.inputs(Operation::ToolSave, first, SAVES_ALONE)?;
            groups.push(alone.save(&inputs).await?);
        }
        Ok(groups.split_off(1))
    }

    /// One turn of an operation: every side, now in this order, now in the other.
    async fn time(&mut self, operation: Operation, turn: usize, count: usize) -> Result<()> {
        let inputs = self.inputs(operation, turn * count, count)?;
        let mut order: Vec<usize> = (0..self.subjects.len()).collect();
        if turn % 2 == 1 {
            order.reverse();
        }
        for place in order {
            let (side, subject) = &mut self.subjects[place];
            let side = *side;
            if side.does(operation) {
                let timings = subject.time(operation, &inputs).await?;
                self.record(operation, side, timings);
            }
        }
        Ok(())
    }

    async fn time_cold_starts(&mut self, turn: usize) -> Result<()> {
        for operation in [
            Operation::ColdSearch,
            Operation::ColdRecall,
            Operation::ColdInsert,
        ] {
            for input in self.inputs(operation, turn * COLD_STARTS, COLD_STARTS)? {
                for side in FILES.into_iter().filter(|side| side.does(operation)) {
                    self.openings += 1;
                    let start =
                        cold::start(side, self.directory, self.openings, operation, &input).await?;
                    self.record(Operation::ColdOpen, side, start.opening);
                    self.record(operation, side, start.whole);
                }
            }
        }
        Ok(())
    }

    /// Opens what is in files, and writes once everywhere: whatever a store still does after opening
    /// is done then.
    async fn open_files(&mut self) -> Result<()> {
        self.openings += 1;
        for side in FILES {
            let subject = Subject::open(side, self.directory, true, self.openings).await?;
            self.subjects.push((side, subject));
        }
        let first = SETTLING + self.openings as usize;
        for input in self.inputs(Operation::Insert, first, 1)? {
            for (_, subject) in &mut self.subjects {
                subject.answer(Operation::Insert, &input, None).await?;
            }
        }
        Ok(())
    }

    async fn close_files(&mut self) -> Result<()> {
        let (files, others): (Vec<_>, Vec<_>) = self
            .subjects
            .drain(..)
            .partition(|(side, _)| FILES.contains(side));
        self.subjects = others;
        for (_, subject) in files {
            subject.close().await?;
        }
        Ok(())
    }

    /// Files timings in the order in which they are shown: by operation, then by side.
    fn record(&mut self, operation: Operation, side: Side, timings: Timings) {
        let place = self
            .timings
            .iter()
            .position(|known| known.0 == operation && known.1 == side);
        match place {
            Some(place) => self.timings[place].2.extend(timings),
            None => {
                let last = self.timings.iter().rposition(|known| known.0 == operation);
                let place = last.map_or(self.timings.len(), |last| last + 1);
                self.timings.insert(place, (operation, side, timings));
            }
        }
    }

    /// The inputs of one turn: the same for every side, others in every turn.
    fn inputs(&self, operation: Operation, first: usize, count: usize) -> Result<Vec<Input>> {
        let facts = self.configuration.facts;
        (first..first + count)
            .map(|index| {
                let owner = asked_owner(self.configuration, index);
                let new_facts = if operation == Operation::InsertHundred {
                    100
                } else {
                    1
                };
                let seed = (operation as u64) << 32 | index as u64;
                Ok(Input {
                    owner: workload::owner(owner)?,
                    number: 1 + (index as u64 * 7_919) % facts as u64,
                    query: self.workload.query(owner, facts, seed),
                    vector: workload::query_vector(seed),
                    facts: (0..new_facts)
                        .map(|place| self.workload.fact(owner, seed << 8 | place, 3))
                        .map(|fact| match operation {
                            Operation::ToolSave | Operation::Undo => fact.plain(),
                            _ => fact,
                        })
                        .collect(),
                    at: workload::written_at(index as u64),
                    shown: self.shown.get(&owner).cloned().unwrap_or_default(),
                })
            })
            .collect()
    }

    /// The most memory a process needs that opens the file (or, in memory, makes the rows) and reads.
    async fn memory_of(&mut self, side: Side) -> Result<Option<u64>> {
        let mut subject = if side == Side::Memory {
            self.fill(side).await?;
            self.subjects.remove(0).1
        } else {
            Subject::open(side, self.directory, true, 1_000).await?
        };
        for (operation, count) in READS {
            if side.does(operation) {
                subject
                    .time(operation, &self.inputs(operation, 0, count)?)
                    .await?;
            }
        }
        subject.close().await?;
        Ok(peak_memory())
    }
}

/// The bound is a time, and on a busy machine everything takes longer: the quickest quarter by itself too.
fn quickest_and_all(mut groups: Vec<Timings>) -> (Figures, Figures) {
    groups.sort_by_key(Timings::total);
    let others = groups.split_off(groups.len().div_ceil(4));
    let mut all = Timings::default();
    groups.into_iter().for_each(|timings| all.extend(timings));
    let quickest = all.figures();
    others.into_iter().for_each(|timings| all.extend(timings));
    (quickest, all.figures())
}

/// Whose turn it is: at most so many owners are asked, spread over all.
fn asked_owner(configuration: Configuration, index: usize) -> usize {
    let asked = configuration.owners.min(ASKED_OWNERS);
    index % asked * (configuration.owners / asked)
}

/// The size of a page, as the head of a database file says; read while nobody has it open.
fn page_bytes(path: &Path) -> Option<u64> {
    let mut head = [0; 18];
    File::open(path).ok()?.read_exact(&mut head).ok()?;
    let size = u16::from_be_bytes([head[16], head[17]]);
    Some(if size == 1 { 65_536 } else { u64::from(size) })
}
