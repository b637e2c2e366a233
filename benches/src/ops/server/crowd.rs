//! Many owners at once, beside the tool that PostgreSQL measures itself with, on the same server.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::Result;
use crate::ours::Ours;
use crate::workload::{self, Workload};

/// How many owners write at once.
pub const OWNERS: usize = 64;
/// The first of them: those before have facts already.
const FIRST: usize = 100;
/// How large the tables of pgbench are, in its own measure.
const SCALE: &str = "10";

/// What everybody writes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Write {
    /// A fact with its index entries: what the owner has is read, and the change planned.
    Fact,
    /// A message of a chat.
    Message,
}

/// How many of them are written in a second, each by a commit of its own, while all owners write at once.
pub async fn all_at_once(
    ours: &Ours,
    workload: &Arc<Workload>,
    (turn, write): (usize, Write),
    span: Duration,
) -> Result<f64> {
    let (is_over, saved) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicU64::new(0)),
    );
    let mut opened = Vec::new();
    for place in 0..OWNERS {
        let ids = (turn as u128 * 2 + write as u128 + 1) << 90 | (place as u128) << 70;
        let mut host = ours.beside(ids)?;
        let owner = workload::owner(FIRST + place)?;
        let chat = match write {
            Write::Fact => None,
            Write::Message => Some(host.open_chat(&owner, workload::written_at(0)).await?),
        };
        opened.push((place, host, owner, chat));
    }
    let start = Instant::now();
    let mut tasks = Vec::new();
    for (place, mut host, owner, chat) in opened {
        let (is_over, saved) = (Arc::clone(&is_over), Arc::clone(&saved));
        let workload = Arc::clone(workload);
        tasks.push(tokio::spawn(async move {
            for number in 0.. {
                if is_over.load(Ordering::Relaxed) {
                    break;
                }
                let fact = workload.fact(FIRST + place, number, turn as u64);
                let at = workload::written_at(number);
                let done = match chat {
                    None => host.insert(&owner, &[fact], at).await,
                    Some(chat) => host.say(&owner, chat, &fact.content, at).await,
                };
                done.map_err(|error| error.to_string())?;
                saved.fetch_add(1, Ordering::Relaxed);
            }
            Ok::<(), String>(())
        }));
    }
    tokio::time::sleep(span).await;
    let count = saved.load(Ordering::Relaxed);
    let elapsed = start.elapsed();
    is_over.store(true, Ordering::Relaxed);
    for task in tasks {
        task.await??;
    }
    Ok(count as f64 / elapsed.as_secs_f64())
}

/// pgbench on a server, by its port.
pub struct Pgbench<'a> {
    pub binaries: &'a Path,
    pub port: u16,
}

impl Pgbench<'_> {
    /// Makes its tables.
    pub fn fill(&self) -> Result<()> {
        self.run(&["-i", "-q", "-s", SCALE]).map(drop)
    }

    /// How many of its simple updates are done in a second, by as many clients as there are owners.
    pub fn simple_updates(&self, span: Duration) -> Result<f64> {
        let (clients, seconds) = (OWNERS.to_string(), span.as_secs().max(1).to_string());
        let arguments = [
            "-N", "-n", "-M", "prepared", "-j", "2", "-c", &clients, "-T", &seconds,
        ];
        let told = self.run(&arguments)?;
        let line = told.lines().find_map(|line| line.strip_prefix("tps = "));
        let number = line.and_then(|line| line.split(' ').next());
        let number = number.ok_or("pgbench does not say how many it did")?;
        Ok(number.parse()?)
    }

    fn run(&self, arguments: &[&str]) -> Result<String> {
        let output = Command::new(self.binaries.join("pgbench"))
            .args([
                "-h",
                "127.0.0.1",
                "-p",
                &self.port.to_string(),
                "-U",
                "keepmind",
            ])
            .args(arguments)
            .arg("postgres")
            .output()?;
        if !output.status.success() {
            return Err(format!("pgbench: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
        Ok(String::from_utf8(output.stdout)?)
    }
}
