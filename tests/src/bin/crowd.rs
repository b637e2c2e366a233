//! One of many processes on one store: tasks that save, update, close chats and sweep, all at once.
//!
//! `crowd PLACE SCHEMA PROCESS OWNERS MICROS` opens the store, says `ready`, waits for a line, and then says a line for
//! everything that it was told is done, and for every question to its model. The clock stands at that moment.

#![allow(clippy::print_stdout, reason = "what it prints is what the test reads")]

use std::sync::Arc;

use async_trait::async_trait;
use keepmind::command::Update;
use keepmind::{
    ErrorKind, Keepmind, ManualClock, Model, ModelRequest, PlugError, Result, Timestamp, UserMemory,
};
use keepmind_tests::backends::Address;

const TASKS: usize = 8;
const SAVES: usize = 3;
const UPDATES: usize = 2;

/// Says which chat it is asked about, and has nothing to add.
#[derive(Debug)]
struct Telling;

#[async_trait]
impl Model for Telling {
    async fn complete(&self, request: &ModelRequest) -> std::result::Result<String, PlugError> {
        let told = request.prompt.split(|letter: char| letter.is_whitespace());
        let mut words = told.map(|word| word.trim_end_matches('.'));
        let chat = words.rfind(|word| word.starts_with("locker-"));
        println!("asked {:?} {}", request.task, chat.unwrap_or("nothing"));
        // Others get a chance to ask the same.
        tokio::task::yield_now().await;
        Ok(r#"{"ops": [], "recap": "They spoke of lockers."}"#.to_owned())
    }
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [place, schema, process, owners, micros] = arguments.as_slice() else {
        panic!("usage: crowd PLACE SCHEMA PROCESS OWNERS MICROS");
    };
    let process: usize = process.parse().expect("a number");
    let owners: usize = owners.parse().expect("a number");
    let now = Timestamp::from_micros(micros.parse().expect("a number")).expect("a moment");
    let keepmind = Keepmind::builder(Address::of(place, schema).open().await)
        .clock(Arc::new(ManualClock::new(now)))
        .model(Arc::new(Telling))
        .build()
        .expect("an engine");
    println!("ready");
    let mut line = String::new();
    let read = std::io::stdin().read_line(&mut line);
    read.expect("a line to start at");

    let mut tasks = Vec::new();
    for task in 0..TASKS {
        let owner = (process * TASKS + task) % owners;
        let user = keepmind.user(format!("owner {owner}")).expect("a name");
        tasks.push(tokio::spawn(work(user, owner, process * TASKS + task)));
    }
    for task in tasks {
        task.await.expect("no task fails");
    }
    keepmind.close().await.expect("a close");
    println!("done");
}

async fn work(user: UserMemory, owner: usize, task: usize) {
    for place in 0..SAVES {
        let content = format!("Task {task} saved {place}");
        until_done(|| user.save(content.as_str())).await;
        println!("saved {owner} {content}");
    }
    for place in 0..UPDATES {
        let content = format!("Counted by {task} to {place}");
        until_done(|| user.update(Update::new("#1", content.as_str()))).await;
        println!("updated {owner} {content}");
    }
    let chats = until_done(|| user.sessions(Default::default())).await;
    for chat in chats.sessions {
        let session = until_done(|| user.session(chat.id)).await;
        until_done(|| session.close()).await;
    }
    let swept = until_done(|| user.sweep()).await;
    for (step, count) in &swept.done {
        println!("swept {owner} {step} {count}");
    }
    for failure in &swept.failures {
        assert!(failure.error.is_retryable(), "{failure:?}");
    }
}

/// Who was overtaken too often is told to call again, and nothing else.
async fn until_done<T, F: Future<Output = Result<T>>>(call: impl Fn() -> F) -> T {
    loop {
        match call().await {
            Ok(done) => return done,
            Err(error) => assert_eq!(error.kind(), ErrorKind::Busy, "{error}"),
        }
    }
}
