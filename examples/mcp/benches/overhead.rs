//! What the protocol adds to a tool call: the same calls of the engine, over stdio and over HTTP, side by side.
//!
//! `cargo bench -p keepmind-example-mcp --bench overhead` prints a table. With `-- storm SECONDS CLIENTS` as many
//! clients call over HTTP for that long, and the times, errors and the server's memory are printed.

#[path = "../tests/support/mod.rs"]
mod support;

use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use keepmind::{Keepmind, SqliteStore};
use serde_json::{Value, json};
use support::{Client, program};
use tokio::runtime::Runtime;
use ureq::Agent;

const CALLS: usize = 1_000;
/// How many go before, so that what is cached is warm.
const WARM: usize = 50;
const FACTS: usize = 500;
const TOKEN: &str = "alice-0123456789abcdef";
type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome {
    let given: Vec<String> = std::env::args()
        .skip(1)
        .filter(|one| one != "--bench")
        .collect();
    match given.first().map(String::as_str) {
        Some("storm") => {
            let count =
                |place: usize, otherwise| given.get(place).map_or(Ok(otherwise), |one| one.parse());
            storm(Duration::from_secs(count(1, 60)?), count(2, 64)?)
        }
        _ => table(),
    }
}

/// A call of each kind, with words that differ from call to call.
fn call(kind: &str, round: usize) -> (&'static str, Value) {
    match kind {
        "list" => ("list_memories", json!({})),
        "recall" => (
            "recall_memories",
            json!({"query": format!("which street number {}?", round % FACTS)}),
        ),
        _ => (
            "save_memory",
            json!({"content": format!("Has crossed bridge number {round}")}),
        ),
    }
}

fn table() -> Outcome {
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "median and 99th percentile of {CALLS} calls each, {FACTS} facts, µs; added: the difference of medians"
    )?;
    writeln!(
        out,
        "{:<8}{:>18}{:>18}{:>9}{:>18}{:>9}",
        "", "engine", "stdio", "added", "http", "added"
    )?;
    for kind in ["recall", "list", "save"] {
        let [engine, stdio, http] = beside_each_other(kind)?;
        let shown = |times: &[u64]| format!("{} {:>8}", at(times, 50), at(times, 99));
        let added = |times: &[u64]| at(times, 50) as i64 - at(&engine, 50) as i64;
        writeln!(
            out,
            "{kind:<8}{:>18}{:>18}{:>9}{:>18}{:>9}",
            shown(&engine),
            shown(&stdio),
            added(&stdio),
            shown(&http),
            added(&http)
        )?;
    }
    Ok(())
}

fn at(sorted: &[u64], percent: usize) -> u64 {
    sorted
        .get(sorted.len() * percent / 100)
        .copied()
        .unwrap_or_default()
}

/// The same call three ways, one after the other, each on a file of its own: whatever else the machine does, it does
/// to all three.
fn beside_each_other(kind: &str) -> Outcome<[Vec<u64>; 3]> {
    let folder = tempfile::tempdir()?;
    let files = ["engine.db", "stdio.db", "http.db"].map(|name| folder.path().join(name));
    for db in &files {
        filled(db)?;
    }
    let [engine, stdio, http] = &files;
    let runtime = Runtime::new()?;
    let keepmind = runtime.block_on(async {
        Keepmind::builder(Arc::new(SqliteStore::open(engine).await?)).build()
    })?;
    let session = runtime.block_on(async { keepmind.user("alice")?.open_session().await })?;
    let mut client = Client::start(stdio, "alice");
    let served = Served::start(http)?;
    let agent = Agent::new_with_defaults();

    let mut times: [Vec<u64>; 3] = Default::default();
    for round in 0..CALLS + WARM {
        let (tool, arguments) = call(kind, round);
        let began = Instant::now();
        let reply = runtime.block_on(session.call_tool(None, tool, &arguments))?;
        let by_engine = began.elapsed();
        let (is_error, said) = client.call(tool, arguments.clone());
        let by_stdio = began.elapsed() - by_engine;
        post(&agent, &served.url, tool, &arguments)?;
        let by_http = began.elapsed() - by_engine - by_stdio;
        assert!(!reply.is_error && !is_error, "{said}");
        if round >= WARM {
            for (times, took) in times.iter_mut().zip([by_engine, by_stdio, by_http]) {
                times.push(took.as_micros() as u64);
            }
        }
    }
    times.iter_mut().for_each(|times| times.sort_unstable());
    runtime.block_on(keepmind.close())?;
    Ok(times)
}

/// A file with some facts.
fn filled(db: &Path) -> Outcome {
    Runtime::new()?.block_on(async {
        let keepmind = Keepmind::builder(Arc::new(SqliteStore::open(db).await?)).build()?;
        let alice = keepmind.user("alice")?;
        for number in 0..FACTS {
            alice
                .save(format!("Lives in street number {number}").as_str())
                .await?;
        }
        Ok(keepmind.close().await?)
    })
}

/// The program over HTTP, with its address; killed when it is dropped.
struct Served {
    server: Child,
    url: String,
}

impl Served {
    fn start(db: &Path) -> Outcome<Self> {
        let tokens = db.with_extension("tokens");
        std::fs::write(&tokens, format!("{TOKEN} alice\n"))?;
        let mut command: Command = program(db);
        command
            .args(["--http", "127.0.0.1:0", "--tokens"])
            .arg(&tokens);
        let mut server = command.stderr(Stdio::piped()).spawn()?;
        let mut line = String::new();
        let told = server.stderr.take().ok_or("no output")?;
        BufReader::new(told).read_line(&mut line)?;
        let url = line
            .split_whitespace()
            .last()
            .ok_or("no address")?
            .to_owned();
        Ok(Served { server, url })
    }

    fn memory_kib(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.server.id())).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
        line.split_whitespace().nth(1)?.parse().ok()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// A call over HTTP in the protocol that needs no session.
fn post(agent: &Agent, url: &str, tool: &str, arguments: &Value) -> Outcome {
    let version = "2026-07-28";
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": tool, "arguments": arguments,
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    }});
    let mut response = agent
        .post(url)
        .header("authorization", format!("Bearer {TOKEN}"))
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", version)
        .header("mcp-method", "tools/call")
        .header("mcp-name", tool)
        .send(body.to_string())?;
    let text = response.body_mut().read_to_string()?;
    match text.contains("\"isError\":false") {
        true => Ok(()),
        false => Err(text.into()),
    }
}

fn storm(length: Duration, clients: u64) -> Outcome {
    let folder = tempfile::tempdir()?;
    let db = folder.path().join("m.db");
    filled(&db)?;
    let served = Served::start(&db)?;
    let (is_over, errors) = (AtomicBool::new(false), AtomicU64::new(0));
    let mut memory = Vec::new();
    let mut times: Vec<u64> = std::thread::scope(|scope| {
        let each: Vec<_> = (0..clients)
            .map(|client| {
                let (url, is_over, errors) = (&served.url, &is_over, &errors);
                scope.spawn(move || {
                    let agent = Agent::new_with_defaults();
                    let mut times = Vec::new();
                    let mut round = client as usize;
                    while !is_over.load(Ordering::Relaxed) {
                        // One call in ten writes, and what it wrote is known the next time round.
                        let kind = if round.is_multiple_of(10) {
                            "save"
                        } else {
                            "recall"
                        };
                        let (tool, arguments) = call(kind, round % 1_000);
                        let began = Instant::now();
                        if post(&agent, url, tool, &arguments).is_err() {
                            errors.fetch_add(1, Ordering::Relaxed);
                        }
                        times.push(began.elapsed().as_micros() as u64);
                        round += 1;
                    }
                    times
                })
            })
            .collect();
        for _ in 0..6 {
            std::thread::sleep(length / 6);
            memory.extend(served.memory_kib());
        }
        is_over.store(true, Ordering::Relaxed);
        each.into_iter()
            .flat_map(|one| one.join().unwrap_or_default())
            .collect()
    });
    times.sort_unstable();
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "{clients} clients for {} s: {} calls, {} errors; µs: median {}, p99 {}, longest {}; the server's memory, KiB: {memory:?}",
        length.as_secs(),
        times.len(),
        errors.into_inner(),
        at(&times, 50),
        at(&times, 99),
        times.last().copied().unwrap_or_default()
    )?;
    Ok(())
}
