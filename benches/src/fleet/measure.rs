//! What a fleet of one size costs: what owners wait for who talk, what a sweep takes, and how often the server is
//! asked for it.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use keepmind::{MemoryStore, Timestamp, text};
use keepmind_tests::proxy::Proxy;
use serde::Serialize;

use crate::Result;
use crate::fleet::fill;
use crate::fleet::owners::{Draw, Population};
use crate::fleet::shards::{Fleet, shard_of};
use crate::measure::{Figures, Meter, Timings, micros};
use crate::ours::Host;
use crate::workload::{self, Workload};

/// How many owners talk in a turn, and how many are swept.
const TALKING: usize = 100;
const SWEPT: usize = 100;
/// How many are asked first, so that every statement is prepared.
const WARMING: usize = 8;
/// How many are asked by way of somebody who counts.
const COUNTED: usize = 20;
/// How many owners a sweep asks for at once, and how many such pages are asked for in a turn.
pub const PAGE: usize = 256;
const PAGES: usize = 20;
/// From here on turns are for settling and counting, not for timing.
const ASIDE: u64 = 1 << 32;

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    Open,
    Push,
    Save,
    FirstRecall,
    NextRecall,
    Sweep,
    DueSweep,
    Page,
    Bare,
}

pub const ACTS: [Act; 9] = [
    Act::Open,
    Act::Push,
    Act::Save,
    Act::FirstRecall,
    Act::NextRecall,
    Act::Sweep,
    Act::DueSweep,
    Act::Page,
    Act::Bare,
];

impl Act {
    pub fn title(self) -> &'static str {
        match self {
            Act::Open => "open a chat, block included",
            Act::Push => "push a message",
            Act::Save => "tool save",
            Act::FirstRecall => "recall 10, the first of an owner",
            Act::NextRecall => "recall 10, the next",
            Act::Sweep => "sweep of an owner, nothing due",
            Act::DueSweep => "sweep of an owner, to consolidate",
            Act::Page => "page of 256 owners",
            Act::Bare => "SELECT 1, how slow the machine was",
        }
    }

    /// Whether it is to cost the same whatever the number of owners. A page is not full in a small fleet.
    pub fn is_flat(self) -> bool {
        !matches!(self, Act::DueSweep | Act::Page | Act::Bare)
    }
}

/// What one act costs in a fleet of one size.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Point {
    pub act: Act,
    pub figures: Figures,
    /// Wall time on average, in microseconds: what many of them take one after another.
    pub mean: f64,
    /// How often the server is asked and waited for.
    pub round_trips: Option<f64>,
}

/// Measures a fleet that has so many owners, against owners like those among the fewest.
pub struct Measuring<'a> {
    pub fleet: &'a Fleet,
    pub workload: &'a Workload,
    pub population: &'a Population,
    /// How many owners there are.
    pub owners: usize,
    /// How many there are in the smallest fleet.
    pub fewest: usize,
    /// Who was swept so far: the first time there is something to consolidate, and not again on that day.
    pub swept: &'a RefCell<HashSet<usize>>,
}

#[derive(Default)]
struct Acts {
    timings: BTreeMap<Act, Timings>,
    /// How often each was done, and how often the server was asked meanwhile.
    asked: BTreeMap<Act, (u64, u64)>,
}

impl Acts {
    /// Does something, timed or counted.
    async fn act<T>(
        &mut self,
        act: Act,
        counting: Option<&Proxy>,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let before = counting.map(Proxy::requests);
        let begun = Instant::now();
        let done = work.await?;
        let took = begun.elapsed();
        match (counting, before) {
            (Some(proxy), Some(before)) => {
                let (times, asked) = self.asked.entry(act).or_default();
                (*times, *asked) = (*times + 1, *asked + proxy.requests() - before);
            }
            _ => self.timings.entry(act).or_default().add(took),
        }
        Ok(done)
    }

    fn points(&self) -> Vec<Point> {
        let point = |act: Act| {
            let timings = self.timings.get(&act)?;
            let figures = timings.figures();
            let asked = self.asked.get(&act);
            Some(Point {
                act,
                figures,
                mean: micros(timings.total()) / figures.samples.max(1) as f64,
                round_trips: asked.map(|(times, asked)| *asked as f64 / (*times).max(1) as f64),
            })
        };
        ACTS.into_iter().filter_map(point).collect()
    }
}

impl Measuring<'_> {
    /// What was measured, and how long threads waited for a core meanwhile, as a share of the time.
    pub async fn run(&self, repeat: usize) -> Result<(Vec<Point>, f64)> {
        let mut acts = Acts::default();
        let meter = Meter::start();
        for turn in 0..repeat as u64 {
            self.talk(&mut acts, turn).await?;
            self.sweep(&mut acts, turn).await?;
        }
        let mut whole = Timings::default();
        whole.spend(meter.spent_besides(Duration::ZERO));
        self.count(&mut acts).await?;
        Ok((acts.points(), whole.figures().waiting))
    }

    /// So many owners as are met, on caches that know nobody.
    fn met(&self, draw: Draw, count: usize, turn: u64) -> Vec<usize> {
        let count = count.min(self.fewest / 2);
        let facts = self.population.drawn(self.fewest, count, draw);
        self.population.like(&facts, self.owners, turn)
    }

    /// A host for each server, whose ids are nobody else's.
    async fn hosts(&self, turn: u64) -> Result<Vec<Host>> {
        let stores = self.fleet.stores().await?;
        stores
            .into_iter()
            .map(|store| self.host(store, turn))
            .collect()
    }

    fn host(&self, store: Arc<dyn MemoryStore>, turn: u64) -> Result<Host> {
        let last_id = (self.owners as u128) << 104 | u128::from(turn + 1) << 72;
        Host::new(store, last_id)
    }

    /// Owners open a chat, say something, have it saved, and ask, each once.
    async fn talk(&self, acts: &mut Acts, turn: u64) -> Result<()> {
        let mut hosts = self.hosts(2 * turn).await?;
        let mut aside = Acts::default();
        let talking = self.met(Draw::ByFacts, TALKING, turn);
        // Nobody who is measured afterwards: in a small fleet few know as much, and the same would be drawn.
        let mut warming = self.met(Draw::ByFacts, WARMING * self.fleet.len(), turn + ASIDE);
        warming.retain(|owner| !talking.contains(owner));
        for (place, owner) in warming.into_iter().enumerate() {
            let place = (turn + 100) << 16 | place as u64;
            self.chat(&mut aside, &mut hosts, owner, place, None)
                .await?;
        }
        hosts.iter_mut().for_each(Host::leave_chats);
        let mut connections = self.fleet.connections().await?;
        for (place, owner) in talking.into_iter().enumerate() {
            // Sizes are measured minutes apart. What costs the same at every size tells how busy the machine was.
            let connection = &mut connections[place % self.fleet.len()];
            let bare = async { Ok(sqlx::query("SELECT 1").execute(connection).await?) };
            acts.act(Act::Bare, None, bare).await?;
            let place = turn << 16 | place as u64;
            self.chat(acts, &mut hosts, owner, place, None).await?;
        }
        close(hosts).await
    }

    async fn chat(
        &self,
        acts: &mut Acts,
        hosts: &mut [Host],
        index: usize,
        place: u64,
        proxy: Option<&Proxy>,
    ) -> Result<()> {
        let owner = workload::owner(index)?;
        let host = &mut hosts[shard_of(&owner, self.fleet.len())];
        let at = workload::written_at(place);
        // Said once in a fleet: what is said again is not saved again.
        let number = (self.owners as u64) << 32 | place;
        let fact = self.workload.fact(index, number, 3).plain();
        acts.act(Act::Open, proxy, host.chat(&owner, at)).await?;
        let chat = acts
            .act(Act::Push, proxy, host.said(&owner, &fact, at))
            .await?;
        acts.act(Act::Save, proxy, host.tool_save(&chat, &fact))
            .await?;
        for (question, act) in [(0, Act::FirstRecall), (1, Act::NextRecall)] {
            let query = self.query(index, place << 1 | question);
            let asked = acts.act(act, proxy, host.tool_recall(&chat, &query));
            std::hint::black_box(asked.await?);
        }
        Ok(())
    }

    /// Up to three words of one of the owner's facts.
    fn query(&self, owner: usize, place: u64) -> String {
        let number = 1 + place % u64::from(self.population.facts(owner));
        let fact = self.workload.fact(owner, number, fill::VERSION);
        let words = fact.content.split([' ', '.']);
        let words =
            words.filter(|word| !word.is_empty() && !text::is_stop_word(&word.to_lowercase()));
        let words: Vec<&str> = words.collect();
        let kept = words.len().saturating_sub(3) as u64;
        let first = (place % (kept + 1)) as usize;
        words
            .iter()
            .skip(first)
            .take(3)
            .copied()
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Owners are swept, first by one process and then by another that knows nobody, who finds nothing due.
    async fn sweep(&self, acts: &mut Acts, turn: u64) -> Result<()> {
        let swept = self.met(Draw::Evenly, SWEPT, turn);
        let mut warming = self.met(Draw::Evenly, WARMING * self.fleet.len(), turn + ASIDE);
        warming.retain(|owner| !swept.contains(owner));
        for pass in 0..2 {
            let hosts = self.hosts(2 * turn + 1 + (pass << 20)).await?;
            for &owner in &warming {
                self.swept(&hosts, owner).await?;
            }
            for &owner in &swept {
                let (is_due, took) = self.swept(&hosts, owner).await?;
                // In the first pass who was swept in a turn before is known to nobody either, and is left out:
                // all are met by the second.
                let act = match (pass, is_due) {
                    (0, true) => Act::DueSweep,
                    (0, false) => continue,
                    _ => Act::Sweep,
                };
                acts.timings.entry(act).or_default().add(took);
            }
            if pass == 1 {
                self.pages(acts, &hosts).await?;
            }
            close(hosts).await?;
        }
        Ok(())
    }

    /// Whether anything was due for an owner, and how long it took.
    async fn swept(&self, hosts: &[Host], index: usize) -> Result<(bool, Duration)> {
        let owner = workload::owner(index)?;
        let user = hosts[shard_of(&owner, self.fleet.len())].user(&owner, swept_at())?;
        let begun = Instant::now();
        let report = user.sweep().await?;
        let took = begun.elapsed();
        if let Some(failure) = report.failures.first() {
            return Err(format!("{}: {}", failure.step, failure.error).into());
        }
        let is_due = self.swept.borrow_mut().insert(index);
        if !is_due && !report.done.is_empty() {
            return Err(format!("a second sweep found something to do: {:?}", report.done).into());
        }
        Ok((is_due, took))
    }

    /// The pages of owners that a sweep goes through.
    async fn pages(&self, acts: &mut Acts, hosts: &[Host]) -> Result<()> {
        for host in hosts {
            let store = host.store();
            let mut after = None;
            for _ in 0..PAGES {
                let work = async { Ok(store.owners(after.as_ref(), PAGE).await?) };
                let owners = acts.act(Act::Page, None, work).await?;
                if owners.len() < PAGE {
                    break;
                }
                after = owners.last().map(|summary| summary.owner.clone());
            }
        }
        Ok(())
    }

    /// The same on the first server, by way of somebody who counts.
    async fn count(&self, acts: &mut Acts) -> Result<()> {
        let (store, proxy) = self.fleet.counted().await?;
        let mut hosts = vec![self.host(store, ASIDE >> 1)?];
        let is_first = |owner: &usize| {
            workload::owner(*owner).is_ok_and(|owner| shard_of(&owner, self.fleet.len()) == 0)
        };
        let many = (WARMING + COUNTED) * (self.fleet.len() + 1);
        let talking = self.met(Draw::ByFacts, many, 2 * ASIDE);
        let talking = talking.into_iter().filter(is_first).take(WARMING + COUNTED);
        let mut aside = Acts::default();
        for (place, owner) in talking.enumerate() {
            let kept = if place < WARMING {
                &mut aside
            } else {
                &mut *acts
            };
            let place = 200 << 16 | place as u64;
            self.chat(kept, &mut hosts, owner, place, Some(&proxy))
                .await?;
        }
        let swept = self.met(Draw::Evenly, many, 2 * ASIDE);
        let swept = swept.into_iter().filter(is_first).take(WARMING + COUNTED);
        for (place, owner) in swept.enumerate() {
            for pass in 0..2 {
                let before = proxy.requests();
                let (is_due, _) = self.swept(&hosts, owner).await?;
                let asked = proxy.requests() - before;
                if place >= WARMING && (pass == 1 || is_due) {
                    let act = if is_due { Act::DueSweep } else { Act::Sweep };
                    let counted = acts.asked.entry(act).or_default();
                    *counted = (counted.0 + 1, counted.1 + asked);
                }
            }
        }
        close(hosts).await
    }
}

/// Hours after everything was said, and before a chat of which nothing was heard since is taken for left.
fn swept_at() -> Timestamp {
    workload::written_at(4 * 3_600_000)
}

async fn close(hosts: Vec<Host>) -> Result<()> {
    for host in hosts {
        host.store().close().await?;
    }
    Ok(())
}
