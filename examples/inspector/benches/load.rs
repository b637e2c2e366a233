//! Many clients at once, on the real program and a file: no error, how long the slowest wait, and that memory stays
//! as it is: `cargo bench -p keepmind-example-inspector --bench load`, for `LOAD_SECONDS` (60) with `LOAD_CLIENTS` (64), of
//! the program that `KEEPMIND_INSPECTOR` names where it is set. Eight users have `LOAD_FACTS` (2000) each before it begins:
//! nothing is ever overwritten, so every write makes the file longer, and in a small one the caches would still be
//! filling up.

#![allow(clippy::print_stdout, reason = "it measures, and says what")]

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use ureq::Agent;
use ureq::http::Request;

const USERS: u64 = 8;

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn setting(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |value| value.parse().unwrap())
}

/// What the program takes of the machine's memory, in kB.
fn resident(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

struct Client {
    agent: Agent,
    url: String,
    token: String,
}

impl Client {
    /// One of many, each a user's.
    fn of(shown: &[(String, String)], number: u64) -> Self {
        let (url, token) = shown[number as usize % shown.len()].clone();
        let config = Agent::config_builder().http_status_as_error(false);
        let agent = config.build().new_agent();
        Client { agent, url, token }
    }

    fn ask(&self, method: &str, path: &str, body: Option<Value>) -> (u16, Value) {
        let request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.url))
            .header("authorization", format!("Bearer {}", self.token))
            .header("content-type", "application/json");
        let body = body.map(|body| body.to_string()).unwrap_or_default();
        let mut answer = self.agent.run(request.body(body).unwrap()).unwrap();
        let text = answer.body_mut().read_to_string().unwrap();
        (
            answer.status().as_u16(),
            serde_json::from_str(&text).unwrap_or_default(),
        )
    }
}

/// What a user has when it begins.
fn fill(client: &Client, number: u64, facts: u64) {
    for count in 0..facts {
        let content = format!(
            "Box {count} of shelf {} in the room of client {number}",
            count % 97
        );
        let (status, answer) = client.ask("POST", "/api/memory", Some(json!({"content": content})));
        assert_eq!(status, 200, "{answer}");
    }
}

/// What one client does again and again: it looks, writes, changes its mind, and asks.
fn turn(client: &Client, number: u64, count: u64, took: &mut Vec<Duration>) -> u64 {
    let mut errors = 0;
    let mut step = |method: &str, path: &str, body: Option<Value>| {
        let begun = Instant::now();
        let (status, answer) = client.ask(method, path, body);
        took.push(begun.elapsed());
        errors += u64::from(status != 200);
        answer
    };
    step("GET", "/api/memory?limit=50", None);
    let content = format!("Thing {count} on the desk of client {number}");
    let saved = step("POST", "/api/memory", Some(json!({"content": content})));
    step(
        "GET",
        &format!("/api/memory?search=desk%20{number}&limit=5"),
        None,
    );
    let asked = json!({"query": "What is on the desk?"});
    step("POST", "/api/memory/retrieve", Some(asked));
    step("GET", "/api/block", None);
    let token = json!({"token": saved["event"]["undo"]});
    step("POST", "/api/undo", Some(token));
    errors
}

fn main() {
    let (clients, seconds) = (setting("LOAD_CLIENTS", 64), setting("LOAD_SECONDS", 60));
    let folder = tempfile::tempdir().unwrap();
    let built = env!("CARGO_BIN_EXE_keepmind-example-inspector");
    let program = std::env::var_os("KEEPMIND_INSPECTOR").unwrap_or_else(|| built.into());
    let mut command = Command::new(program);
    command.arg("--db").arg(folder.path().join("load.db"));
    command.args(["--port", "0"]);
    for number in 0..USERS {
        command.args(["--user", &format!("user {number}")]);
    }
    let mut child = Running(command.stdout(Stdio::piped()).spawn().unwrap());
    let lines = BufReader::new(child.0.stdout.take().unwrap()).lines();
    let shown: Vec<(String, String)> = lines
        .take(USERS as usize)
        .map(|line| {
            let line = line.unwrap();
            let (_, address) = line.split_once(": ").unwrap();
            let (url, token) = address.split_once("/#token=").unwrap();
            (url.to_owned(), token.to_owned())
        })
        .collect();

    let facts = setting("LOAD_FACTS", 2_000);
    std::thread::scope(|scope| {
        for number in 0..clients {
            let client = Client::of(&shown, number);
            scope.spawn(move || fill(&client, number, facts * USERS / clients));
        }
    });
    let begun = Instant::now();
    let until = begun + Duration::from_secs(seconds);
    let errors = AtomicU64::new(0);
    let process = child.0.id();
    let (mut took, sizes) = std::thread::scope(|scope| {
        let running: Vec<_> = (0..clients)
            .map(|number| {
                let client = Client::of(&shown, number);
                let errors = &errors;
                scope.spawn(move || {
                    let mut took = Vec::new();
                    let mut count = 0;
                    while Instant::now() < until {
                        let failed = turn(&client, number, count, &mut took);
                        errors.fetch_add(failed, Ordering::Relaxed);
                        count += 1;
                    }
                    took
                })
            })
            .collect();
        // From when everything is warm on it shall not grow with what is asked.
        let sizes: Vec<u64> = (1..=10)
            .map(|part| {
                let at = begun + Duration::from_secs(seconds) * part / 10;
                std::thread::sleep(at.saturating_duration_since(Instant::now()));
                resident(process)
            })
            .collect();
        let took = running
            .into_iter()
            .flat_map(|client| client.join().unwrap());
        (took.collect::<Vec<_>>(), sizes)
    });
    took.sort_unstable();
    let at = |share: f64| took[((took.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    println!(
        "{clients} clients, {seconds} s: {} answers ({:.0} a second), {} errors; p50 {:.1} ms, p90 {:.1} ms, p99 {:.1} ms, longest {:.1} ms; resident {sizes:?} kB",
        took.len(),
        took.len() as f64 / seconds as f64,
        errors.load(Ordering::Relaxed),
        at(0.5),
        at(0.9),
        at(0.99),
        at(1.0),
    );
    assert_eq!(errors.load(Ordering::Relaxed), 0);
    let (warm, last) = (sizes[2], sizes[9]);
    assert!(last < warm + warm / 10, "memory grows: {sizes:?} kB");
}
