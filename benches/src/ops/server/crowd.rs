//! Many owners at once, beside the same rows by hand and the tool that PostgreSQL measures itself with, on the same
//! server.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use keepmind::{Owner, SessionId};
use tokio::sync::Mutex;

use crate::Result;
use crate::ops::server::by_hand::ByHand;
use crate::ours::Ours;
use crate::workload::{self, Fact, Workload};

/// How many owners write at once.
pub const OWNERS: usize = 64;
/// The first of them: those before have facts already.
const FIRST: usize = 100;
/// Through how many connections, ours and by hand: as many as a store opens unless told.
pub const CONNECTIONS: usize = 16;
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
    let mut writers = Vec::new();
    for place in 0..OWNERS {
        let ids = (turn as u128 * 2 + write as u128 + 1) << 90 | (place as u128) << 70;
        let mut host = ours.beside(ids)?;
        let owner = workload::owner(FIRST + place)?;
        let chat = match write {
            Write::Fact => None,
            Write::Message => Some(host.open_chat(&owner, workload::written_at(0)).await?),
        };
        writers.push(OneOfMany {
            host,
            owner,
            chat,
            facts: Facts::new(workload, place, turn),
        });
    }
    rate(writers, span).await
}

/// What an owner writes, one after another.
struct Facts {
    workload: Arc<Workload>,
    owner: usize,
    turn: u64,
}

impl Facts {
    fn new(workload: &Arc<Workload>, place: usize, turn: usize) -> Self {
        Facts {
            workload: Arc::clone(workload),
            owner: FIRST + place,
            turn: turn as u64,
        }
    }

    fn get(&self, number: u64) -> Fact {
        self.workload.fact(self.owner, number, self.turn)
    }
}

/// Whoever writes once after another.
trait Writer: Send + 'static {
    fn write(&mut self, number: u64) -> impl Future<Output = Result<()>> + Send;
}

struct OneOfMany {
    host: Ours,
    owner: Owner,
    chat: Option<SessionId>,
    facts: Facts,
}

impl Writer for OneOfMany {
    async fn write(&mut self, number: u64) -> Result<()> {
        let (fact, at) = (self.facts.get(number), workload::written_at(number));
        match self.chat {
            None => self.host.insert(&self.owner, &[fact], at).await,
            Some(chat) => self.host.say(&self.owner, chat, &fact.content, at).await,
        }
    }
}

struct OneByHand {
    line: Arc<Mutex<ByHand>>,
    facts: Facts,
}

impl Writer for OneByHand {
    async fn write(&mut self, number: u64) -> Result<()> {
        let (fact, at) = (self.facts.get(number), workload::written_at(number));
        let mut line = self.line.lock().await;
        let owner = self.facts.owner as i64;
        line.insert(owner, &[fact], at.as_micros()).await
    }
}

/// The same facts by hand: their rows and keywords, and nothing read before.
pub struct CrowdByHand(Vec<Arc<Mutex<ByHand>>>);

impl CrowdByHand {
    pub async fn open(url: &str) -> Result<Self> {
        let mut lines = Vec::new();
        for _ in 0..CONNECTIONS {
            lines.push(Arc::new(Mutex::new(ByHand::beside(url).await?)));
        }
        for place in 0..OWNERS {
            let mut line = lines[place % CONNECTIONS].lock().await;
            line.add_owner((FIRST + place) as i64).await?;
        }
        Ok(CrowdByHand(lines))
    }

    /// How many of them are written in a second, each in a transaction of its own, while all owners write at once.
    pub async fn all_at_once(
        &self,
        workload: &Arc<Workload>,
        turn: usize,
        span: Duration,
    ) -> Result<f64> {
        let writers = (0..OWNERS).map(|place| OneByHand {
            line: Arc::clone(&self.0[place % CONNECTIONS]),
            facts: Facts::new(workload, place, turn),
        });
        rate(writers, span).await
    }
}

/// How many writes all of them do in a second.
async fn rate(writers: impl IntoIterator<Item = impl Writer>, span: Duration) -> Result<f64> {
    let is_over = Arc::new(AtomicBool::new(false));
    let saved = Arc::new(AtomicU64::new(0));
    let start = Instant::now();
    let mut tasks = Vec::new();
    for mut writer in writers {
        let (is_over, saved) = (Arc::clone(&is_over), Arc::clone(&saved));
        tasks.push(tokio::spawn(async move {
            for number in 0.. {
                if is_over.load(Ordering::Relaxed) {
                    break;
                }
                let done = writer.write(number).await;
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

    /// How many of its simple updates are done in a second by so many clients, each with a connection of its own.
    /// `protocol` is how its statements travel: `simple`, as when nothing else is said, or `prepared`.
    pub fn simple_updates(&self, protocol: &str, clients: usize, span: Duration) -> Result<f64> {
        let (clients, seconds) = (clients.to_string(), span.as_secs().max(1).to_string());
        let arguments = [
            "-N", "-n", "-M", protocol, "-j", "2", "-c", &clients, "-T", &seconds,
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
