//! `fleet`: very many owners on several PostgreSQL servers, few of whom talk much. What an owner takes on the disk,
//! what owners wait for who talk, and what a sweep costs, while the number of owners grows; it should make no
//! difference. From that, what a million take.
//!
//! Modules in reading order: the owners (`owners`), the servers (`shards`), `fill`, `measure`, and the arithmetic
//! (`sizing`).

mod fill;
mod measure;
mod owners;
mod shards;
mod sizing;

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;
use serde_json::json;

use crate::Result;
use crate::arguments::FleetOptions;
use crate::report::{self, Goal, Table};
use crate::workload::Workload;

use measure::{ACTS, Measuring, Point};
use owners::Population;
use shards::{Fleet, TableSize};
use sizing::{Sizing, grouped, servers};

/// How much dearer anything may be in the largest fleet than in the smallest.
const AT_MOST: f64 = 1.3;
/// Tables that take less than this share of all bytes are told of together.
const SMALL: f64 = 0.02;

/// A fleet of one size.
#[derive(Debug, Serialize)]
struct Look {
    owners: usize,
    fill_seconds: f64,
    bytes: u64,
    tables: Vec<TableSize>,
    points: Vec<Point>,
    /// How long threads waited for a core while it was measured, as a share of the time.
    waiting: f64,
}

/// A fleet on so many servers, as it grew.
#[derive(Debug, Serialize)]
struct Grown {
    clusters: usize,
    looks: Vec<Look>,
    /// For a million owners.
    sizing: Option<Sizing>,
}

pub async fn run(options: &FleetOptions) -> Result<()> {
    let start = Instant::now();
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let workload = Arc::new(Workload::new());
    let population = Arc::new(Population::new(options.seed, options.owners));
    println!(
        "{} owners, {}",
        grouped(options.owners as u64),
        population.told(options.owners)
    );
    let (mut all, mut engine) = (Vec::new(), String::new());
    for &clusters in &options.clusters {
        let fleet = Fleet::start(clusters, &options.directory)?;
        if engine.is_empty() {
            engine = fleet.engine().await?;
            println!(
                "{engine}, {cores} cores for servers and client alike, {}",
                build()
            );
            println!("Filled with synchronous_commit=off; measured with every commit on the disk.");
            report::warn_if_busy(cores);
        }
        let grown = grow(options, &fleet, &workload, &population).await?;
        grown.print();
        all.push(grown);
    }
    let goals: Vec<Goal> = all.iter().flat_map(Grown::goals).collect();
    report::print_goals(&goals);
    println!("Measured in {:.0} s.", start.elapsed().as_secs_f64());
    match &options.json {
        Some(path) => report::write_json(
            path,
            &json!({
                "benchmark": "fleet",
                "engine": engine,
                "build": build(),
                "seed": options.seed,
                "repeat": options.repeat,
                "fleets": all,
                "goals": goals,
            }),
        ),
        None => Ok(()),
    }
}

fn build() -> &'static str {
    if cfg!(debug_assertions) {
        "debug build"
    } else {
        "release build"
    }
}

/// Fills a fleet, and measures it at every size on the way.
async fn grow(
    options: &FleetOptions,
    fleet: &Fleet,
    workload: &Arc<Workload>,
    population: &Arc<Population>,
) -> Result<Grown> {
    let sizes = owners::sizes(options.owners);
    let (mut looks, mut filled) = (Vec::new(), 0);
    let swept = RefCell::default();
    for &size in &sizes {
        let begun = Instant::now();
        let stores = fleet.hasty_stores().await?;
        fill::fill(&stores, workload, population, filled..size).await?;
        for store in stores {
            store.close().await?;
        }
        fleet.settle().await?;
        let fill_seconds = begun.elapsed().as_secs_f64();
        println!(
            "{} of {} owners on {}, filled in {fill_seconds:.0} s ...",
            grouped(size as u64),
            grouped(options.owners as u64),
            servers(fleet.len())
        );
        filled = size;
        let tables = fleet.tables().await?;
        let measuring = Measuring {
            fleet,
            workload,
            population,
            owners: size,
            fewest: sizes[0],
            swept: &swept,
        };
        let (points, waiting) = measuring.run(options.repeat).await?;
        looks.push(Look {
            owners: size,
            fill_seconds,
            bytes: tables.iter().map(|table| table.bytes).sum(),
            points,
            waiting,
            tables,
        });
    }
    println!();
    let sizing = looks
        .last()
        .map(|look| Sizing::from(look.owners as u64, &look.tables, &look.points));
    Ok(Grown {
        clusters: fleet.len(),
        looks,
        sizing,
    })
}

impl Look {
    fn point(&self, act: measure::Act) -> Option<&Point> {
        self.points.iter().find(|point| point.act == act)
    }

    fn bytes_of_an_owner(&self) -> u64 {
        self.bytes / self.owners as u64
    }
}

impl Grown {
    fn print(&self) {
        self.print_bytes();
        self.print_times();
        self.print_curve();
        if let Some(sizing) = &self.sizing {
            sizing.print(self.clusters);
        }
    }

    fn print_bytes(&self) {
        let mut table = Table::new(
            &[],
            &[
                "owners",
                "servers",
                "filled in",
                "bytes",
                "an owner",
                "÷ first",
            ],
        );
        for look in &self.looks {
            let first = self.looks[0].bytes_of_an_owner();
            let of_one = look.bytes_of_an_owner();
            table.add(vec![
                grouped(look.owners as u64),
                self.clusters.to_string(),
                format!("{:.0} s", look.fill_seconds),
                report::bytes(look.bytes),
                grouped(of_one),
                report::ratio(of_one as f64 / first as f64),
            ]);
        }
        table.print();
        let Some(look) = self.looks.last() else {
            return;
        };
        let heads = [
            "table, indexes included",
            "rows of an owner",
            "bytes of a row",
            "bytes of an owner",
            "share",
        ];
        let mut table = Table::new(&[0], &heads);
        let (mut rest, owners) = (0, look.owners as f64);
        for size in &look.tables {
            let share = size.bytes as f64 / look.bytes.max(1) as f64;
            if share < SMALL {
                rest += size.bytes;
                continue;
            }
            table.add(vec![
                size.table.clone(),
                format!("{:.2}", size.rows as f64 / owners),
                format!("{:.0}", size.bytes as f64 / size.rows.max(1) as f64),
                format!("{:.0}", size.bytes as f64 / owners),
                report::share(share),
            ]);
        }
        table.add(vec![
            "the others".to_owned(),
            "-".to_owned(),
            "-".to_owned(),
            format!("{:.0}", rest as f64 / owners),
            report::share(rest as f64 / look.bytes.max(1) as f64),
        ]);
        table.print();
    }

    fn print_times(&self) {
        let heads = [
            "one at a time",
            "owners",
            "p50",
            "p95",
            "mean",
            "÷ first",
            "round trips",
            "samples",
        ];
        let mut table = Table::new(&[0], &heads);
        for act in ACTS {
            for look in &self.looks {
                let Some(point) = look.point(act) else {
                    continue;
                };
                table.add(vec![
                    act.title().to_owned(),
                    grouped(look.owners as u64),
                    report::time(point.figures.p50),
                    report::time(point.figures.p95),
                    report::time(point.mean),
                    self.ratio(look, act).map_or("-".to_owned(), report::ratio),
                    point
                        .round_trips
                        .map_or("-".to_owned(), |asked| format!("{asked:.1}")),
                    point.figures.samples.to_string(),
                ]);
            }
        }
        table.print();
    }

    fn print_curve(&self) {
        println!(
            "p50 as multiples of that among {} owners, {}",
            grouped(self.looks[0].owners as u64),
            servers(self.clusters)
        );
        for act in ACTS.into_iter().filter(|act| act.is_flat()) {
            for (place, look) in self.looks.iter().enumerate() {
                let title = if place == 0 { act.title() } else { "" };
                let Some(ratio) = self.ratio(look, act) else {
                    continue;
                };
                println!(
                    "{title:<34}{:>9} {:>6} {}",
                    grouped(look.owners as u64),
                    report::ratio(ratio),
                    sizing::bar(ratio)
                );
            }
        }
        println!();
    }

    /// The median of an act as a multiple of the one in the smallest fleet.
    fn ratio(&self, look: &Look, act: measure::Act) -> Option<f64> {
        let first = self.looks.first()?.point(act)?.figures.p50;
        Some(look.point(act)?.figures.p50 / first)
    }

    fn goals(&self) -> Vec<Goal> {
        // One size alone is compared with nothing.
        let [first, .., last] = self.looks.as_slice() else {
            return Vec::new();
        };
        let flat = ACTS.into_iter().filter(|act| act.is_flat());
        flat.map(|act| Goal {
            goal: format!("{} among most owners ÷ among fewest", act.title()),
            measured: format!(
                "{} → {} owners, {}",
                grouped(first.owners as u64),
                grouped(last.owners as u64),
                servers(self.clusters)
            ),
            reached: self.ratio(last, act),
            reached_by_cpu: None,
            waiting: first.waiting.max(last.waiting),
            at_most: AT_MOST,
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWNERS: usize = 60;

    /// In short what `fleet` does; without PostgreSQL there is nothing to do it on.
    #[tokio::test]
    async fn a_small_fleet_is_filled_and_measured() -> Result<()> {
        if keepmind_tests::cluster::shared().is_none() {
            return Ok(());
        }
        let fleet = Fleet::start(2, &std::env::temp_dir())?;
        let (workload, population) = (
            Arc::new(Workload::new()),
            Arc::new(Population::new(1, OWNERS)),
        );
        let stores = fleet.hasty_stores().await?;
        fill::fill(&stores, &workload, &population, 0..OWNERS).await?;
        let mut met = 0;
        for (shard, store) in stores.iter().enumerate() {
            for summary in store.owners(None, OWNERS).await? {
                assert_eq!(shards::shard_of(&summary.owner, stores.len()), shard);
                met += 1;
            }
            store.close().await?;
        }
        assert_eq!(met, OWNERS);

        let tables = fleet.tables().await?;
        let facts: u32 = (0..OWNERS).map(|owner| population.facts(owner)).sum();
        let counted = tables.iter().find(|size| size.table == "memory");
        assert_eq!(counted.map(|size| size.rows), Some(u64::from(facts)));

        let measuring = Measuring {
            fleet: &fleet,
            workload: &workload,
            population: &population,
            owners: OWNERS,
            fewest: OWNERS,
            swept: &RefCell::default(),
        };
        let (points, _) = measuring.run(1).await?;
        let acts: Vec<_> = points.iter().map(|point| point.act).collect();
        assert_eq!(acts, ACTS);
        Ok(())
    }
}
