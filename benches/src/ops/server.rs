//! `ops --store postgres`: keepmind on a PostgreSQL server of its own, beside SQL written by hand and pgbench on the
//! same server, and beside keepmind on SQLite; in turns.

mod by_hand;
mod crowd;

use std::sync::Arc;
use std::time::{Duration, Instant};

use keepmind_tests::cluster::{self, Cluster};
use serde_json::json;

use crate::Result;
use crate::arguments::OpsOptions;
use crate::measure::{Figures, Meter, Timings};
use crate::ours::Ours;
use crate::report::{self, Goal, Table};
use crate::stage;
use crate::workload::{self, Workload};

use by_hand::ByHand;
use crowd::{CONNECTIONS, CrowdByHand, OWNERS, Pgbench, Write};

/// As a server is run: what was answered is on the disk.
const SETTINGS: &str = "-c fsync=on -c synchronous_commit=on -c full_page_writes=on -c autovacuum=on \
                        -c shared_buffers=256MB -c max_wal_size=4GB";
/// How many facts the owner has who is asked.
const FACTS: usize = 10_000;
/// How many of each in a turn.
const COMMITS: usize = 50;
const RECALLS: usize = 40;
/// Six in ten of what pgbench does with as many clients.
const MOST_UPDATES: f64 = 1.67;
/// How long everybody writes at once, in a turn.
const SPAN: Duration = Duration::from_secs(4);

/// What was measured.
#[derive(Default)]
struct Measured {
    commit: Timings,
    insert: Timings,
    by_hand: Timings,
    recall: Timings,
    recall_sqlite: Timings,
    saves: Vec<f64>,
    saves_by_hand: Vec<f64>,
    pushes: Vec<f64>,
    /// As pgbench comes,
    updates: Vec<f64>,
    /// with its statements prepared,
    prepared: Vec<f64>,
    /// and with as many clients as a store has connections.
    prepared_of_few: Vec<f64>,
}

pub async fn run(options: &OpsOptions) -> Result<()> {
    let start = Instant::now();
    let (Some(server), Some(binaries)) = (
        Cluster::start_in(&options.directory, SETTINGS),
        cluster::binaries(),
    ) else {
        return Err(stage::NO_SERVER.into());
    };
    let url = server.url();
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let workload = Arc::new(Workload::new());
    let mut ours = Ours::postgres(&url, CONNECTIONS as u32, 0).await?;
    let engine = ours.store().info().await?.engine;
    println!("{engine}, {cores} cores, on the same machine");
    report::warn_if_busy(cores);

    let folder = tempfile::Builder::new()
        .prefix("keepmind-bench-")
        .tempdir_in(&options.directory)?;
    let mut sqlite = Ours::sqlite(&folder.path().join("sqlite.db"), true, 0).await?;
    let mut by_hand = ByHand::open(&url).await?;
    ours.fill(&workload, 0, FACTS, true).await?;
    sqlite.fill(&workload, 0, FACTS, true).await?;
    by_hand.fill(&workload, 0, FACTS).await?;
    let crowd_by_hand = CrowdByHand::open(&url).await?;
    let pgbench = Pgbench {
        binaries: &binaries,
        port: server.port(),
    };
    pgbench.fill()?;

    let mut measured = Measured::default();
    for turn in 0..options.repeat {
        measured.recalls(&ours, &sqlite, &workload, turn).await?;
        measured
            .commits(&mut ours, &mut by_hand, &workload, turn)
            .await?;
        for place in turn..turn + 6 {
            let crowd = |write| crowd::all_at_once(&ours, &workload, (turn, write), SPAN);
            match place % 6 {
                0 => measured.saves.push(crowd(Write::Fact).await?),
                1 => measured.pushes.push(crowd(Write::Message).await?),
                2 => {
                    let by_hand = crowd_by_hand.all_at_once(&workload, turn, SPAN);
                    measured.saves_by_hand.push(by_hand.await?);
                }
                3 => {
                    let updates = pgbench.simple_updates("prepared", CONNECTIONS, SPAN)?;
                    measured.prepared_of_few.push(updates);
                }
                4 => {
                    let updates = pgbench.simple_updates("prepared", OWNERS, SPAN)?;
                    measured.prepared.push(updates);
                }
                _ => {
                    let updates = pgbench.simple_updates("simple", OWNERS, SPAN)?;
                    measured.updates.push(updates);
                }
            }
        }
    }
    ours.close().await?;
    sqlite.close().await?;
    measured.tell(options, &engine, start.elapsed())
}

impl Measured {
    /// The ten best by words and meaning, of ten thousand: on the server, and in a file.
    async fn recalls(
        &mut self,
        ours: &Ours,
        sqlite: &Ours,
        workload: &Workload,
        turn: usize,
    ) -> Result<()> {
        let owner = workload::owner(0)?;
        for (host, timings) in in_turns(
            turn,
            (ours, &mut self.recall),
            (sqlite, &mut self.recall_sqlite),
        ) {
            let ask = async |index: u64| {
                let query = workload.query(0, FACTS, index);
                let vector = workload::query_vector(index);
                host.recall(&owner, &query, &vector).await
            };
            ask(u64::MAX >> 8).await?;
            let meter = Meter::start();
            for place in 0..RECALLS {
                let begun = Instant::now();
                std::hint::black_box(ask((turn * RECALLS + place) as u64).await?);
                timings.add(begun.elapsed());
            }
            timings.spend(meter.spent_besides(Duration::ZERO));
        }
        Ok(())
    }

    /// One fact in one commit: its plan made before, with loading and planning, and by hand.
    async fn commits(
        &mut self,
        ours: &mut Ours,
        by_hand: &mut ByHand,
        workload: &Workload,
        turn: usize,
    ) -> Result<()> {
        let owner = workload::owner(0)?;
        for place in 0..COMMITS {
            let index = (turn * COMMITS + place) as u64;
            let fact = |side: u64| [workload.fact(0, index << 8 | side, 3)];
            let at = workload::written_at(index);
            // In turns: what one leaves behind, in caches and on the disk, all have to bear.
            for side in 0..3 {
                let side = (side + index) % 3;
                let facts = fact(side);
                match side {
                    0 => {
                        let plan = ours.plan_insert(&owner, &facts, at).await?;
                        let begun = Instant::now();
                        ours.commit(&owner, plan).await?;
                        self.commit.add(begun.elapsed());
                    }
                    1 => {
                        let begun = Instant::now();
                        by_hand.insert(0, &facts, at.as_micros()).await?;
                        self.by_hand.add(begun.elapsed());
                    }
                    _ => {
                        let begun = Instant::now();
                        ours.insert(&owner, &facts, at).await?;
                        self.insert.add(begun.elapsed());
                    }
                }
            }
        }
        Ok(())
    }

    fn tell(&self, options: &OpsOptions, engine: &str, took: Duration) -> Result<()> {
        let sides = [
            ("commit of one memory", self.commit.figures()),
            ("... with loading and planning", self.insert.figures()),
            ("the same row and keywords by hand", self.by_hand.figures()),
            ("recall, 10 of 10,000", self.recall.figures()),
            ("... keepmind, SQLite", self.recall_sqlite.figures()),
        ];
        let mut table = Table::new(&[0], &["one at a time", "p50", "p95", "samples"]);
        for (name, figures) in &sides {
            table.add(vec![
                (*name).to_owned(),
                report::time(figures.p50),
                report::time(figures.p95),
                figures.samples.to_string(),
            ]);
        }
        table.print();
        let few = format!("... prepared, by {CONNECTIONS}");
        let crowds = [
            ("saves, an owner each", &self.saves),
            ("the same rows and keywords by hand", &self.saves_by_hand),
            ("messages, an owner each", &self.pushes),
            ("pgbench, simple updates", &self.updates),
            ("... prepared", &self.prepared),
            (few.as_str(), &self.prepared_of_few),
        ];
        let medians @ [saves, _, pushes, updates, ..] = crowds.map(|(_, figures)| median(figures));
        let mut table = Table::new(&[0], &[&head(), "a second", "of pgbench's"]);
        for ((name, _), figure) in crowds.into_iter().zip(medians) {
            let share = format!("{:.0} %", 100.0 * figure / updates);
            table.add(vec![name.to_owned(), format!("{figure:.0}"), share]);
        }
        table.print();
        let [(_, commit), _, (_, by_hand), (_, recall), (_, sqlite)] = &sides;
        let goals = [
            goal(
                "durable commit of one memory ÷ by hand",
                commit,
                by_hand,
                2.0,
            ),
            goal("recall, PostgreSQL ÷ SQLite", recall, sqlite, 3.0),
            crowded("messages", updates / pushes),
            crowded("facts", updates / saves),
        ];
        report::print_goals(&goals);
        println!("Measured in {:.0} s.", took.as_secs_f64());
        let Some(path) = &options.json else {
            return Ok(());
        };
        let figures: Vec<_> = sides
            .iter()
            .map(|(name, figures)| json!({"name": name, "figures": figures}))
            .collect();
        report::write_json(
            path,
            &json!({
                "benchmark": "ops --store postgres",
                "engine": engine,
                "repeat": options.repeat,
                "operations": figures,
                "saves_a_second": self.saves,
                "saves_by_hand_a_second": self.saves_by_hand,
                "messages_a_second": self.pushes,
                "pgbench_a_second": self.updates,
                "pgbench_prepared_a_second": self.prepared,
                "pgbench_prepared_of_few_a_second": self.prepared_of_few,
                "goals": goals,
            }),
        )
    }
}

/// Two, now in this order, now in the other.
fn in_turns<T>(turn: usize, one: T, other: T) -> [T; 2] {
    match turn % 2 {
        0 => [one, other],
        _ => [other, one],
    }
}

fn goal(goal: &str, what: &Figures, to: &Figures, at_most: f64) -> Goal {
    Goal {
        goal: goal.to_owned(),
        measured: "1x10000".to_owned(),
        reached: Some(what.p50 / to.p50),
        reached_by_cpu: None,
        waiting: what.waiting.max(to.waiting),
        at_most,
    }
}

/// How much more often a simple update is done than one of these.
fn crowded(what: &str, reached: f64) -> Goal {
    Goal {
        goal: format!("pgbench's simple updates ÷ {what} of {OWNERS} owners"),
        measured: head(),
        reached: Some(reached),
        reached_by_cpu: None,
        waiting: 0.0,
        at_most: MOST_UPDATES,
    }
}

fn head() -> String {
    format!("{OWNERS} at once")
}

fn median(figures: &[f64]) -> f64 {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
}
