//! What is printed at the end: a line of JSON for machines, and a small table.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use crate::Result;
use crate::crash::findings::{Findings, Wrong};
use crate::crash::world::World;

#[derive(Debug, Serialize)]
pub struct Summary {
    pub seed: u64,
    pub cycles: u64,
    pub kills: u64,
    acknowledged: u64,
    /// Announced and on its way when the child was killed.
    in_flight: u64,
    lost: usize,
    half_applied: usize,
    leaked: usize,
    failed: usize,
    pub integrity: String,
    pub undone: u64,
    seconds: f64,
    #[serde(skip)]
    counts: BTreeMap<&'static str, u64>,
}

impl Summary {
    pub fn new(seed: u64) -> Self {
        Summary {
            seed,
            cycles: 0,
            kills: 0,
            acknowledged: 0,
            in_flight: 0,
            lost: 0,
            half_applied: 0,
            leaked: 0,
            failed: 0,
            integrity: "ok".to_owned(),
            undone: 0,
            seconds: 0.0,
            counts: BTreeMap::new(),
        }
    }

    pub fn finish(&mut self, world: &World, findings: &Findings, time: Duration) {
        self.counts.clone_from(&world.counts);
        self.acknowledged = self.counts.values().sum();
        self.in_flight = world.interrupted();
        self.lost = findings.count(Wrong::Lost);
        self.half_applied = findings.count(Wrong::HalfApplied);
        self.leaked = findings.count(Wrong::Leaked);
        self.failed = findings.count(Wrong::Failed);
        self.seconds = (time.as_secs_f64() * 10.0).round() / 10.0;
    }

    /// Whether nothing was found. A run in which nothing was acknowledged has shown nothing.
    pub fn is_good(&self) -> bool {
        self.integrity == "ok"
            && self.acknowledged > 0
            && self.lost + self.half_applied + self.leaked + self.failed == 0
    }

    pub fn print(&self) -> Result<()> {
        println!("{:<18}{:>12}", "acknowledged", "times");
        for (word, count) in &self.counts {
            println!("{word:<18}{count:>12}");
        }
        println!("{}", serde_json::to_string(self)?);
        Ok(())
    }
}
