//! `peer`: keepmind as one of the libraries that are run side by side, over JSON lines.
//!
//! A command a line on stdin, an answer a line on stdout; the driver is not part of this repository.
//! Times are taken here, around the library's calls alone.

mod library;
mod workload;

use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};

use crate::Result;
use crate::measure::{anonymous_memory, cpu_time, micros};
use crate::peer::library::{Id, Library};
use crate::peer::workload::{Line, Workload};

/// At least so many operations are run, however little time there is.
const AT_LEAST: usize = 3;
/// How many facts a bulk writes.
const BULK: usize = 1_000;

#[derive(Debug, Deserialize)]
#[serde(tag = "cmd", rename_all = "snake_case")]
enum Command {
    /// Opens a database, and fills it where that is asked for.
    Init {
        workload: PathBuf,
        db: PathBuf,
        #[serde(default)]
        prefill: bool,
    },
    /// Opens a filled database and searches once.
    Cold {
        workload: PathBuf,
        db: PathBuf,
    },
    Op(Batch),
    Rss,
    /// Everything that is live.
    Texts,
    /// Saves, and says so, until it is killed.
    KillLoop,
    Close,
}

/// One operation, again and again.
#[derive(Debug, Deserialize)]
struct Batch {
    op: String,
    n: usize,
    budget_s: f64,
    #[serde(default)]
    seq: usize,
    #[serde(default)]
    db: PathBuf,
}

#[derive(Default)]
struct Peer {
    open: Option<Open>,
}

struct Open {
    workload: Workload,
    library: Library,
    /// What was filled in, in the workload's order.
    filled: Vec<Id>,
    /// What was saved since, oldest first.
    saved: std::collections::VecDeque<Id>,
    /// How many of the workload's further facts were used.
    used: usize,
}

pub async fn run() -> Result<()> {
    let mut peer = Peer::default();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let command = serde_json::from_str(&line);
        let is_last = matches!(command, Ok(Command::Close));
        let answer = match command {
            Ok(command) => peer.answer(command).await,
            Err(error) => Err(error.into()),
        };
        say(&answer.unwrap_or_else(|error| json!({"err": error.to_string()})))?;
        if is_last {
            break;
        }
    }
    Ok(())
}

fn say(answer: &Value) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{answer}")?;
    Ok(out.flush()?)
}

impl Peer {
    async fn answer(&mut self, command: Command) -> Result<Value> {
        match command {
            Command::Init {
                workload,
                db,
                prefill,
            } => self.init(&workload, &db, prefill).await,
            Command::Cold { workload, db } => self.cold(&workload, &db).await,
            Command::Op(batch) => self.opened()?.run(&batch).await,
            Command::Rss => Ok(json!({"kb": anonymous_memory() / 1_024})),
            Command::Texts => Ok(json!({"texts": self.opened()?.library.texts().await?})),
            Command::KillLoop => self.opened()?.save_until_killed().await,
            Command::Close => {
                if let Some(open) = self.open.take() {
                    open.library.close().await?;
                }
                Ok(json!({"ok": 1}))
            }
        }
    }

    fn opened(&mut self) -> Result<&mut Open> {
        Ok(self
            .open
            .as_mut()
            .ok_or("nothing is open: send init first")?)
    }

    /// Opens the database and says how long that took.
    async fn start(&mut self, workload: Workload, db: &Path) -> Result<(&mut Open, Duration)> {
        let start = Instant::now();
        let library = Library::open(db, &workload).await?;
        let took = start.elapsed();
        let open = self.open.insert(Open {
            workload,
            library,
            filled: Vec::new(),
            saved: std::collections::VecDeque::new(),
            used: 0,
        });
        Ok((open, took))
    }

    async fn init(&mut self, workload: &Path, db: &Path, prefill: bool) -> Result<Value> {
        let workload = Workload::load(workload)?;
        // The workload and its vectors are the benchmark's, not the library's.
        let before = anonymous_memory();
        let (open, opening) = self.start(workload, db).await?;
        let mut filling = None;
        if prefill {
            let start = Instant::now();
            open.filled = open.library.bulk(&open.workload.facts).await?;
            filling = Some(start.elapsed().as_secs_f64());
        }
        Ok(json!({
            "ok": 1,
            "open_s": opening.as_secs_f64(),
            "prefill_s": filling,
            "caps": library::CAPABILITIES,
            "durability": library::DURABILITY,
            "rss_delta_kb": (anonymous_memory() as i64 - before as i64) / 1_024,
        }))
    }

    async fn cold(&mut self, workload: &Path, db: &Path) -> Result<Value> {
        let (open, opening) = self.start(Workload::load(workload)?, db).await?;
        let query = open.workload.queries.first().ok_or("there is no query")?;
        let start = Instant::now();
        let found = open.library.recall_text(query.user, &query.text).await?;
        let took = start.elapsed();
        Ok(json!({
            "open_ms": micros(opening) / 1e3,
            "first_ms": micros(took) / 1e3,
            "hit": found.contains(&query.target),
        }))
    }
}

impl Open {
    async fn run(&mut self, batch: &Batch) -> Result<Value> {
        let mut tally = Tally::default();
        let begun = Instant::now();
        let cpu = cpu_time();
        for place in 0..batch.n {
            let is_over = begun.elapsed().as_secs_f64() > batch.budget_s;
            if (is_over && place >= AT_LEAST) || !self.once(batch, place, &mut tally).await? {
                break;
            }
        }
        let cpu = cpu_time().saturating_sub(cpu);
        let samples = tally.times.len();
        let times = tally
            .times
            .iter()
            .map(|time| (micros(*time) * 10.0).round() / 10.0);
        Ok(json!({
            "lat_us": times.collect::<Vec<_>>(),
            "hit": tally.hits,
            "nres": tally.results,
            "hits_n": samples,
            "cpu_us": micros(cpu) / samples.max(1) as f64,
        }))
    }

    /// One operation. False when there is nothing left to do it with.
    async fn once(&mut self, batch: &Batch, place: usize, tally: &mut Tally) -> Result<bool> {
        match batch.op.as_str() {
            "save" => {
                let fact = self.next_fact();
                let start = Instant::now();
                let id = self.library.save(fact.user, &fact.text).await?;
                tally.times.push(start.elapsed());
                self.saved.push_back(id);
            }
            "update" => {
                let fact = self.next_fact();
                let all = self.filled.len().max(1);
                let which = (batch.seq * 7_919 + place * 104_729) % all;
                let id = *self.filled.get(which).ok_or("nothing was filled in")?;
                let start = Instant::now();
                self.library.update(id, &fact.text).await?;
                tally.times.push(start.elapsed());
            }
            "delete" => {
                let Some(id) = self.saved.pop_front() else {
                    return Ok(false);
                };
                let start = Instant::now();
                self.library.forget(id).await?;
                tally.times.push(start.elapsed());
            }
            "list" => {
                let user = (batch.seq + place) % self.workload.users;
                let start = Instant::now();
                let found = self.library.list(user).await?;
                tally.times.push(start.elapsed());
                let apart = found.len().abs_diff(self.workload.facts_of_each);
                tally.hits += usize::from(apart <= self.saved.len());
            }
            "bulk" => tally.times.push(self.bulk(&batch.db).await?),
            "recall_text" | "recall_vec" | "hybrid" => {
                let queries = &self.workload.queries;
                let query = &queries[(batch.seq + place) % queries.len().max(1)];
                let start = Instant::now();
                let found = match batch.op.as_str() {
                    "recall_text" => self.library.recall_text(query.user, &query.text).await?,
                    "hybrid" => self.library.recall_both(query.user, &query.text).await?,
                    _ => self.library.recall_vector(query.user, &query.text).await?,
                };
                tally.times.push(start.elapsed());
                tally.results += found.len();
                tally.hits += usize::from(found.contains(&query.target));
            }
            other => return Err(format!("{other:?} is no operation").into()),
        }
        Ok(true)
    }

    /// Writes many facts of one user into a database of their own.
    async fn bulk(&self, db: &Path) -> Result<Duration> {
        let mut folder = db.as_os_str().to_owned();
        folder.push("_bulk");
        let folder = PathBuf::from(folder);
        if folder.exists() {
            std::fs::remove_dir_all(&folder)?;
        }
        let library = Library::open(&folder, &self.workload).await?;
        let further = self.workload.further.iter().take(BULK);
        let facts: Vec<Line> = further
            .map(|fact| Line {
                user: 0,
                ..fact.clone()
            })
            .collect();
        let start = Instant::now();
        library.bulk(&facts).await?;
        let took = start.elapsed();
        library.close().await?;
        std::fs::remove_dir_all(&folder)?;
        Ok(took)
    }

    async fn save_until_killed(&mut self) -> Result<Value> {
        let facts = self.workload.further.len().max(1);
        for place in 0.. {
            let mut text = self.workload.further[place % facts].text.clone();
            if place >= facts {
                text = format!("{text} r{}", place / facts);
            }
            self.library.save(0, &text).await?;
            say(&json!({"ack": text}))?;
        }
        Ok(Value::Null)
    }

    fn next_fact(&mut self) -> Line {
        let further = &self.workload.further;
        let fact = further[self.used % further.len().max(1)].clone();
        self.used += 1;
        fact
    }
}

#[derive(Default)]
struct Tally {
    times: Vec<Duration>,
    hits: usize,
    results: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// Two users with three facts each, as the driver writes them.
    fn write_workload(folder: &Path) {
        let line = |user: usize, place: usize| format!("user {user} likes thing{place} since may");
        let mut facts = String::new();
        for (user, place) in (0..2).flat_map(|user| (0..3).map(move |place| (user, place))) {
            let text = line(user, place);
            facts.push_str(&format!("{}\n", json!({"u": user, "i": place, "t": text})));
        }
        let further: String = (0..4)
            .map(|place| {
                format!(
                    "{}\n",
                    json!({"u": place % 2, "i": place, "t": line(place % 2, place + 10)})
                )
            })
            .collect();
        let query = json!({"u": 1, "q": "thing1", "target": line(1, 1)});
        let vectors = |count: usize| -> Vec<u8> {
            let unit = |place: usize| {
                (0..workload::DIMENSIONS).map(move |at| if at == place { 1.0_f32 } else { 0.0 })
            };
            (0..count)
                .flat_map(unit)
                .flat_map(f32::to_le_bytes)
                .collect()
        };
        let query_vector = vectors(5).split_off(4 * workload::DIMENSIONS * 4);
        fs::create_dir_all(folder).unwrap();
        fs::write(
            folder.join("meta.json"),
            json!({"U": 2, "M": 3}).to_string(),
        )
        .unwrap();
        fs::write(folder.join("facts.jsonl"), facts).unwrap();
        fs::write(folder.join("facts.f32"), vectors(6)).unwrap();
        fs::write(folder.join("extra.jsonl"), further).unwrap();
        fs::write(folder.join("extra.f32"), vectors(4)).unwrap();
        fs::write(folder.join("queries.jsonl"), query.to_string()).unwrap();
        fs::write(folder.join("queries.f32"), query_vector).unwrap();
    }

    async fn ask(peer: &mut Peer, command: Value) -> Value {
        let command = serde_json::from_value(command).unwrap();
        peer.answer(command).await.unwrap()
    }

    #[tokio::test]
    async fn the_protocol_is_spoken_as_the_driver_expects() {
        let folder = tempfile::tempdir().unwrap();
        let (work, db) = (folder.path().join("w"), folder.path().join("db"));
        write_workload(&work);
        let mut peer = Peer::default();
        let init = json!({"cmd": "init", "workload": work, "db": db, "prefill": true});
        let answer = ask(&mut peer, init).await;
        assert_eq!(
            (&answer["ok"], &answer["caps"][0]),
            (&json!(1), &json!("recall_text"))
        );
        assert!(answer["prefill_s"].is_number() && answer["rss_delta_kb"].is_number());

        let op = |op: &str, n: usize| json!({"cmd": "op", "op": op, "n": n, "budget_s": 1, "seq": 0, "db": db});
        for search in ["recall_text", "recall_vec", "hybrid"] {
            let answer = ask(&mut peer, op(search, 2)).await;
            assert_eq!(
                (&answer["hit"], &answer["hits_n"]),
                (&json!(2), &json!(2)),
                "{search}"
            );
        }
        for write in ["save", "update", "delete", "list"] {
            let answer = ask(&mut peer, op(write, 2)).await;
            assert_eq!(
                answer["lat_us"].as_array().map(Vec::len),
                Some(2),
                "{write}"
            );
        }
        assert_eq!(ask(&mut peer, op("delete", 5)).await["hits_n"], 0);
        assert_eq!(ask(&mut peer, op("bulk", 1)).await["hits_n"], 1);
        let texts = ask(&mut peer, json!({"cmd": "texts"})).await;
        let texts: Vec<&str> = texts["texts"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        assert_eq!(texts.len(), 6);
        assert!(
            texts.contains(&"user 0 likes thing12 since may"),
            "{texts:?}"
        );
        assert!(ask(&mut peer, json!({"cmd": "rss"})).await["kb"].as_u64() > Some(0));
        assert_eq!(
            ask(&mut peer, json!({"cmd": "close"})).await,
            json!({"ok": 1})
        );

        let cold = ask(
            &mut peer,
            json!({"cmd": "cold", "workload": work, "db": db}),
        )
        .await;
        assert_eq!(cold["hit"], true, "{cold}");
        ask(&mut peer, json!({"cmd": "close"})).await;
    }
}
