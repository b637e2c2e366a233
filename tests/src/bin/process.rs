//! Another process on the same file: waits for a line, then saves facts and says each one it was told is durable.
//!
//! `process FILE OWNER PREFIX COUNT` reads a line before it opens the file, so that several can start at
//! one moment; it prints `kept`, `refused` or `unknown` and the fact for each one that it tried to save.
//! With `COUNT!` it goes on after the file has failed.

#![allow(clippy::print_stdout, reason = "what it prints is what the test reads")]

use std::io::Write as _;
use std::sync::Arc;

use keepmind::conformance::fixtures::{claim, header, save};
use keepmind::{
    Clock as _, Draft, ErrorKind, Expected, MemoryStore, Owner, Slice, SqliteStore, SystemClock,
    TimeOrderedIds,
};

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, owner, prefix, count] = arguments.as_slice() else {
        panic!("usage: process FILE OWNER PREFIX COUNT");
    };
    let goes_on = count.ends_with('!');
    let count: usize = count.trim_end_matches('!').parse().expect("a count");
    let owner = Owner::new(owner.as_str()).expect("an owner");
    let mut line = String::new();
    std::io::stdin()
        .read_line(&mut line)
        .expect("a line to start at");

    let store: Arc<dyn MemoryStore> =
        Arc::new(SqliteStore::open(file).await.expect("the file opens"));
    for place in 0..count {
        let content = format!("{prefix} {place}");
        let outcome = loop {
            let base = match store.load(&owner, &Slice::default()).await {
                Ok(base) => base,
                Err(_) if goes_on => break "refused",
                Err(error) => panic!("a load: {error}"),
            };
            let mut ids = TimeOrderedIds::at(SystemClock.now());
            let mut draft = Draft::new(&base, SystemClock.now(), &mut ids).expect("a draft");
            save(&mut draft, claim(&content)).expect("a fact");
            let changes = draft.finish(header()).expect("a plan");
            match store
                .commit(&owner, Expected::At(base.state().revision), changes.into())
                .await
            {
                Ok(_) => break "kept",
                Err(error) if error.kind() == ErrorKind::Conflict => {}
                Err(error) if goes_on && error.kind() == ErrorKind::OutcomeUnknown => {
                    break "unknown";
                }
                Err(_) if goes_on => break "refused",
                Err(error) => panic!("no other error may reach a caller: {error}"),
            }
        };
        println!("{outcome} {content}");
        std::io::stdout().flush().expect("the pipe is open");
    }
    let closed = store.close().await;
    assert!(closed.is_ok() || goes_on, "the store closes");
}
