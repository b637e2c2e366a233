//! Clocks, percentiles, memory and the cost of a sync: how everything is measured.

use std::fs::{self, DirEntry, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

use crate::Result;

/// How long one operation took, again and again.
#[derive(Debug, Default)]
pub struct Timings {
    wall: Vec<Duration>,
    spent: Spent,
}

/// What a process has spent, between two moments or since it began.
#[derive(Debug, Default, Clone, Copy)]
pub struct Spent {
    elapsed: Duration,
    /// CPU time of all threads.
    cpu: Duration,
    /// How long threads were ready to run and waited for a core.
    waited: Duration,
}

/// What is said of an operation's timings. Microseconds.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Figures {
    pub p50: f64,
    pub p95: f64,
    /// CPU time of the whole process for one operation, on average: background threads count.
    pub cpu: f64,
    /// How long threads waited for a core, as a share of the time that all samples took. Much of it
    /// means that other processes were measured too.
    pub waiting: f64,
    pub samples: usize,
}

impl Timings {
    pub fn add(&mut self, wall: Duration) {
        self.wall.push(wall);
    }

    /// Counts what was spent, for all samples together.
    pub fn spend(&mut self, spent: Spent) {
        self.spent.elapsed += spent.elapsed;
        self.spent.cpu += spent.cpu;
        self.spent.waited += spent.waited;
    }

    /// Counts what another was spent on, too.
    pub fn spend_also(&mut self, other: &Timings) {
        self.spend(other.spent);
    }

    /// All samples together.
    pub fn total(&self) -> Duration {
        self.wall.iter().sum()
    }

    pub fn extend(&mut self, other: Timings) {
        self.wall.extend(other.wall);
        self.spend(other.spent);
    }

    pub fn figures(&self) -> Figures {
        let mut sorted = self.wall.clone();
        sorted.sort_unstable();
        let at = |share: f64| {
            let place = (sorted.len() as f64 * share) as usize;
            sorted
                .get(place.min(sorted.len().saturating_sub(1)))
                .map_or(0.0, |wall| micros(*wall))
        };
        let elapsed = micros(self.spent.elapsed).max(f64::MIN_POSITIVE);
        Figures {
            p50: at(0.50),
            p95: at(0.95),
            cpu: micros(self.spent.cpu) / sorted.len().max(1) as f64,
            waiting: micros(self.spent.waited) / elapsed,
            samples: sorted.len(),
        }
    }
}

/// Counts what the process spends from when it is made.
pub struct Meter {
    begun: Instant,
    cpu: Duration,
    waited: Duration,
}

impl Meter {
    pub fn start() -> Self {
        Meter {
            waited: waited(),
            cpu: cpu_time(),
            begun: Instant::now(),
        }
    }

    pub fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// What was spent so far, without the CPU time that does not count.
    pub fn spent_besides(&self, uncounted_cpu: Duration) -> Spent {
        Spent {
            elapsed: self.begun.elapsed(),
            cpu: cpu_time().saturating_sub(self.cpu + uncounted_cpu),
            waited: waited().saturating_sub(self.waited),
        }
    }
}

pub fn micros(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}

/// CPU time that all threads of this process have used so far.
pub fn cpu_time() -> Duration {
    since_start(ClockId::ProcessCPUTime)
}

/// CPU time that this thread has used so far.
pub fn thread_cpu_time() -> Duration {
    since_start(ClockId::ThreadCPUTime)
}

/// What asking [`thread_cpu_time`] takes: it is a call to the system, and on virtual machines a slow one. Whoever
/// asks often in the middle of what is measured takes it off.
pub fn clock_cost() -> Duration {
    const ASKED: usize = 1_001;
    let mut costs: Vec<Duration> = (0..ASKED)
        .map(|_| {
            let begun = thread_cpu_time();
            thread_cpu_time().saturating_sub(begun)
        })
        .collect();
    costs.sort_unstable();
    costs[ASKED / 2]
}

fn since_start(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let nanos = u64::try_from(time.tv_nsec).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_nanos(nanos)
}

/// How long the threads of this process have waited for a core so far; nothing where the system does
/// not say.
fn waited() -> Duration {
    let of_thread = |thread: DirEntry| -> Option<u64> {
        let status = fs::read_to_string(thread.path().join("schedstat")).ok()?;
        status.split_whitespace().nth(1)?.parse().ok()
    };
    let threads = fs::read_dir("/proc/self/task");
    let nanos = threads
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(of_thread);
    Duration::from_nanos(nanos.sum())
}

/// How many processes wanted to run in the last minute, on average.
pub fn load() -> Option<f64> {
    fs::read_to_string("/proc/loadavg")
        .ok()?
        .split(' ')
        .next()?
        .parse()
        .ok()
}

/// The most memory this process has had, in bytes; `None` where the system does not say.
pub fn peak_memory() -> Option<u64> {
    memory("VmHWM:")
}

/// The memory this process has that is no file's, in bytes; 0 where the system does not say.
pub fn anonymous_memory() -> u64 {
    memory("RssAnon:").unwrap_or(0)
}

fn memory(name: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes * 1_024)
}

/// What one write of a page and a sync costs where the databases are, in microseconds: the floor
/// under every durable commit.
pub fn sync_cost(directory: &Path) -> Result<f64> {
    let path = directory.join("sync");
    let mut file = File::create(&path)?;
    let mut timings = Timings::default();
    for place in 0..100 {
        file.seek(SeekFrom::Start(place * 4_096))?;
        let start = Instant::now();
        file.write_all(&[1; 4_096])?;
        file.sync_data()?;
        timings.add(start.elapsed());
    }
    drop(file);
    fs::remove_file(path)?;
    Ok(timings.figures().p50)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_what_was_measured() {
        let mut timings = Timings::default();
        (1..=100).for_each(|micros| timings.add(Duration::from_micros(micros)));
        timings.spend(Spent {
            elapsed: Duration::from_micros(1_000),
            cpu: Duration::from_micros(500),
            waited: Duration::from_micros(250),
        });
        let figures = timings.figures();
        assert_eq!(
            (figures.p50, figures.p95, figures.samples),
            (51.0, 96.0, 100)
        );
        assert!((figures.cpu - 5.0).abs() < 1e-9);
        assert!((figures.waiting - 0.25).abs() < 1e-9);
        assert_eq!(Timings::default().figures().p50, 0.0);
    }
}
