//! `scale`: what the operations of one owner cost, and how its searches rank, while the number of
//! other owners in the same file grows. It should make no difference.

mod ranking;
mod sessions;

use std::path::Path;
use std::time::Instant;

use serde::Serialize;
use serde_json::json;

use crate::Result;
use crate::arguments::ScaleOptions;
use crate::baseline::Baseline;
use crate::measure::{Figures, Timings};
use crate::operation::{Input, Operation, Side};
use crate::report::{self, Goal, Table};
use crate::subject::Subject;
use crate::workload::{self, Workload};

/// Whose reads are measured; nothing of it ever changes.
const READER: usize = 0;
/// Whose writes are measured: the first of the others.
const WRITER: usize = 1;
const SIDES: [Side; 2] = [Side::Sqlite, Side::HandFts5];
/// What is measured, and how many in a turn.
const OPERATIONS: [(Operation, usize); 5] = [
    (Operation::Search, 40),
    (Operation::Recall, 40),
    (Operation::List, 30),
    (Operation::Get, 100),
    (Operation::Insert, 20),
];
/// From here on, inputs are for settling what was opened, not for timing.
const SETTLING: usize = 1 << 20;
const AT_MOST: f64 = 1.3;

/// One file of one side, with so many other owners in it.
struct Place {
    others: usize,
    side: Side,
    fill_seconds: f64,
    file_bytes: u64,
    subject: Subject,
    timings: Vec<Timings>,
}

/// What is written to the JSON file for one operation.
#[derive(Debug, Serialize)]
struct Point {
    operation: Operation,
    side: Side,
    others: usize,
    figures: Figures,
    /// The median as a multiple of the one with the fewest other owners.
    ratio: f64,
    /// The same of the CPU time.
    cpu_ratio: f64,
    /// The larger of the shares of time that the two waited for a core.
    waiting: f64,
}

pub async fn run(options: &ScaleOptions) -> Result<()> {
    if let Some(sessions) = options.sessions {
        return sessions::run(options, sessions).await;
    }
    let start = Instant::now();
    println!(
        "SQLite {}; {} facts of each owner, a tenth of them superseded",
        Baseline::engine(),
        options.facts,
    );
    report::warn_if_busy(std::thread::available_parallelism().map_or(0, usize::from));
    let workload = Workload::new();
    let folder = tempfile::Builder::new()
        .prefix("keepmind-bench-")
        .tempdir_in(&options.directory)?;
    let mut places = Vec::new();
    for &others in &options.owners {
        for side in SIDES {
            let directory = folder.path().join(others.to_string());
            std::fs::create_dir_all(&directory)?;
            places.push(fill(&workload, side, others, options.facts, &directory).await?);
        }
    }
    print_fill(&places);

    let alone = ranking::alone(&workload, options.facts).await?;
    let by_hand = ranking::check(&mut places, &workload, options.facts, &alone).await?;
    for turn in 0..options.repeat {
        for (operation, &(what, count)) in OPERATIONS.iter().enumerate() {
            let inputs = inputs(&workload, what, options.facts, turn * count, count)?;
            let mut order: Vec<usize> = (0..places.len()).collect();
            if turn % 2 == 1 {
                order.reverse();
            }
            for place in order {
                let place = &mut places[place];
                let timings = place.subject.time(what, &inputs).await?;
                place.timings[operation].extend(timings);
            }
        }
    }
    ranking::check(&mut places, &workload, options.facts, &alone).await?;

    let points = points(&places);
    print_points(&points, &options.owners);
    let hits: usize = alone.iter().map(Vec::len).sum();
    let queries = ranking::QUERIES;
    let (fewest, most) = (places[0].others, places[places.len() - 1].others);
    println!(
        "Ranking: {queries} queries with {hits} hits give the same rows and the same bits of every score\n\
         with {} other owners, before and after the writes, and alone in memory.\n\
         By hand, FTS5 ranks {by_hand} of {queries} queries differently with {most} other owners than with {fewest}.\n",
        list(&options.owners),
    );
    let goals = goals(&points, &options.owners);
    report::print_goals(&goals);
    let seconds = start.elapsed().as_secs_f64();
    println!("Measured in {seconds:.0} s.");
    for place in places {
        place.subject.close().await?;
    }
    match &options.json {
        Some(path) => report::write_json(
            path,
            &json!({
                "benchmark": "scale",
                "sqlite": Baseline::engine(),
                "facts_of_each_owner": options.facts,
                "repeat": options.repeat,
                "seconds": seconds,
                "points": points,
                "ranking": {
                    "queries": queries,
                    "hits": hits,
                    "identical": true,
                    "changed_by_hand": by_hand,
                },
                "goals": goals,
            }),
        ),
        None => Ok(()),
    }
}

async fn fill(
    workload: &Workload,
    side: Side,
    others: usize,
    facts: usize,
    directory: &Path,
) -> Result<Place> {
    let start = Instant::now();
    let mut subject = Subject::open(side, directory, false, 0).await?;
    for owner in 0..=others {
        subject.fill(workload, owner, facts, true).await?;
    }
    subject.close().await?;
    let fill_seconds = start.elapsed().as_secs_f64();
    let file_bytes = side.file_bytes(directory).unwrap_or(0);
    let mut subject = Subject::open(side, directory, true, 1).await?;
    // Whatever a store still does after opening is done once it has written.
    for input in inputs(workload, Operation::Insert, facts, SETTLING, 1)? {
        subject.answer(Operation::Insert, &input, None).await?;
    }
    Ok(Place {
        others,
        side,
        fill_seconds,
        file_bytes,
        subject,
        timings: OPERATIONS.iter().map(|_| Timings::default()).collect(),
    })
}

fn inputs(
    workload: &Workload,
    operation: Operation,
    facts: usize,
    first: usize,
    count: usize,
) -> Result<Vec<Input>> {
    let owner = if operation == Operation::Insert {
        WRITER
    } else {
        READER
    };
    (first as u64..(first + count) as u64)
        .map(|index| {
            Ok(Input {
                owner: workload::owner(owner)?,
                number: 1 + (index * 7_919) % facts as u64,
                query: workload.query(owner, facts, index),
                vector: workload::query_vector(index),
                facts: vec![workload.fact(owner, 1 << 32 | index, 3)],
                at: workload::written_at(index),
                shown: Vec::new(),
            })
        })
        .collect()
}

fn points(places: &[Place]) -> Vec<Point> {
    let mut points = Vec::new();
    for (place, &(operation, _)) in OPERATIONS.iter().enumerate() {
        for side in SIDES {
            let mut first: Option<Figures> = None;
            for measured in places.iter().filter(|measured| measured.side == side) {
                let figures = measured.timings[place].figures();
                let first = first.get_or_insert(figures);
                points.push(Point {
                    operation,
                    side,
                    others: measured.others,
                    figures,
                    ratio: figures.p50 / first.p50,
                    cpu_ratio: figures.cpu / first.cpu,
                    waiting: figures.waiting.max(first.waiting),
                });
            }
        }
    }
    points
}

fn goals(points: &[Point], owners: &[usize]) -> Vec<Goal> {
    points
        .iter()
        .filter(|point| point.side == Side::Sqlite && Some(&point.others) == owners.last())
        .map(|point| Goal {
            goal: format!(
                "{} among most other owners ÷ among fewest",
                point.operation.title()
            ),
            measured: format!("{} → {}", owners.first().unwrap_or(&0), point.others),
            reached: Some(point.ratio),
            reached_by_cpu: Some(point.cpu_ratio),
            waiting: point.waiting,
            at_most: AT_MOST,
        })
        .collect()
}

fn print_fill(places: &[Place]) {
    let mut table = Table::new(&[0], &["side", "other owners", "filled in", "file"]);
    for place in places {
        table.add(vec![
            place.side.title().to_owned(),
            place.others.to_string(),
            format!("{:.1} s", place.fill_seconds),
            report::bytes(place.file_bytes),
        ]);
    }
    table.print();
}

fn print_points(points: &[Point], owners: &[usize]) {
    println!(
        "p50 of one owner's operations among so many other owners, and as multiples of the first\n"
    );
    let heads: Vec<String> = owners
        .iter()
        .map(|others| format!("{others} others"))
        .collect();
    let heads: Vec<&str> = ["operation", "side"]
        .into_iter()
        .chain(heads.iter().map(String::as_str))
        .collect();
    let mut table = Table::new(&[0, 1], &heads);
    for curve in points.chunks(owners.len()) {
        let cells = curve.iter().map(|point| {
            format!(
                "{} {:>6}",
                report::time(point.figures.p50),
                report::ratio(point.ratio)
            )
        });
        let titles = [
            curve[0].operation.title().to_owned(),
            curve[0].side.title().to_owned(),
        ];
        table.add(titles.into_iter().chain(cells).collect());
    }
    table.print();
}

fn list(owners: &[usize]) -> String {
    owners
        .iter()
        .map(usize::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}
