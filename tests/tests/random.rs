//! The same random operations on every store, comparing every outcome and every answer; and drafts at
//! random, comparing what undo and redo leave with what was there.
//!
//! `KEEPMIND_SEED` and `KEEPMIND_OPERATIONS` choose another run; a failure says which run it was.

#[path = "random/bends.rs"]
mod bends;
#[path = "random/filters.rs"]
mod filters;
#[path = "random/operations.rs"]
mod operations;
#[path = "random/questions.rs"]
mod questions;
#[path = "random/records.rs"]
mod records;
#[path = "random/undo.rs"]
mod undo;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use keepmind::export::{CopyOptions, CopyProgress, copy, export, restore};
use keepmind::{CountingIds, ManualClock, MemoryStore, Owner, Slice, Snapshot, Timestamp};
use keepmind_tests::invariants::{assert_sound, assert_unchanged};
use keepmind_tests::random::setting;
use keepmind_tests::{Backend, Random, compared};
use tempfile::TempDir;

use operations::{Operation, World};
use questions::ask;

/// A store under comparison.
pub struct Opened {
    backend: Backend,
    folder: TempDir,
    store: Arc<dyn MemoryStore>,
}

/// Says which run it was when a comparison fails, wherever it does.
struct Witness {
    seed: u64,
    step: usize,
    operation: Option<Operation>,
}

impl Drop for Witness {
    #[expect(clippy::print_stderr, reason = "a failure must say how to repeat it")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            let Witness {
                seed,
                step,
                operation,
            } = self;
            eprintln!("KEEPMIND_SEED={seed}, at step {step}, after:\n{operation:#?}");
        }
    }
}

#[tokio::test]
#[expect(
    clippy::print_stdout,
    reason = "how much was compared is the point of the run"
)]
async fn every_store_answers_alike() {
    let seed = setting("KEEPMIND_SEED", 20_260_101);
    let operations = setting("KEEPMIND_OPERATIONS", 3_000) as usize;
    let mut witness = Witness {
        seed,
        step: 0,
        operation: None,
    };
    let mut opened = Vec::new();
    for backend in compared() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = backend.open(folder.path()).await;
        opened.push(Opened {
            backend,
            folder,
            store,
        });
    }
    let mut world = World::new(seed);
    let mut asking = Random::new(!seed);
    let mut data = BTreeMap::new();
    for owner in world.owners() {
        data.insert(owner.clone(), everything(&opened[0], owner).await);
    }
    let mut outcomes = 0;
    let mut answers = 0;
    for step in 0..operations {
        let operation = world.next(&data);
        witness.step = step;
        witness.operation = Some(operation.clone());
        outcomes += usize::from(carry_out(&mut opened, &operation).await);
        if let Operation::MoveAll = operation {
            for (owner, data) in &mut data {
                *data = everything(&opened[0], owner).await;
                assert_sound(data);
            }
        }
        if let Some(owner) = operation.owner() {
            let after = everything(&opened[0], owner).await;
            assert_sound(&after);
            assert_unchanged(&data[owner], &after);
            data.insert(owner.clone(), after);
        }
        let is_last = step + 1 == operations;
        if is_last || asking.chance(7) {
            for (owner, data) in &data {
                answers += questions::compare(&opened, owner, data, &mut asking).await;
            }
            answers += questions::compare_owners(&opened, &mut asking).await;
        }
    }
    for Opened { store, .. } in &opened {
        store.close().await.expect("a store can be closed");
    }
    let names: Vec<&str> = opened.iter().map(|opened| opened.backend.name).collect();
    println!(
        "compared {} on {operations} operations ({outcomes} were done, the others refused alike) \
         and {answers} answers; seed {seed}",
        names.join(" and "),
    );
}

/// Copies every store into a new one of the kind of the next, and gives back those.
async fn moved(opened: &[Opened]) -> Vec<Opened> {
    let mut copies = Vec::new();
    for (place, from) in opened.iter().enumerate() {
        let backend = opened[(place + 1) % opened.len()].backend;
        let folder = tempfile::tempdir().expect("a folder");
        let store = backend.open(folder.path()).await;
        // The same ids for all: the lives that owners begin in their new stores are compared too.
        let mut ids = CountingIds::after(1 << 101);
        let clock = ManualClock::new(Timestamp::UNIX_EPOCH);
        for again in [false, true] {
            let going_on = |_: &CopyProgress| ControlFlow::Continue(());
            let options = CopyOptions::default();
            let report = copy(&*from.store, &*store, options, &clock, &mut ids, going_on);
            let report = report.await.expect("a copy");
            let owners = store.info().await.expect("what it is").owners;
            assert!(report.is_complete() && report.owners == owners);
            assert_eq!(report.copied, if again { 0 } else { owners });
        }
        from.store.close().await.expect("a store can be closed");
        copies.push(Opened {
            backend,
            folder,
            store,
        });
    }
    copies
}

async fn everything(opened: &Opened, owner: &Owner) -> Snapshot {
    opened
        .store
        .load(owner, &Slice::everything())
        .await
        .expect("a load is answered")
}

/// Does the same on every store, and fails unless it comes out alike. Whether it was done.
async fn carry_out(opened: &mut Vec<Opened>, operation: &Operation) -> bool {
    match operation {
        Operation::Commit {
            owner,
            expected,
            changes,
        } => {
            let commit = async |store: Arc<dyn MemoryStore>| {
                store
                    .commit(owner, *expected, (**changes).clone().into())
                    .await
            };
            ask(opened, &"the commit", commit).await.is_ok()
        }
        Operation::Retain { owner, retention } => {
            let retain = async |store: Arc<dyn MemoryStore>| store.retain(owner, retention).await;
            ask(opened, &retention, retain).await.is_ok()
        }
        Operation::Erase { owner } => {
            let erase = async |store: Arc<dyn MemoryStore>| store.erase(owner).await;
            ask(opened, &"the erasure", erase).await.is_ok()
        }
        Operation::MoveOut { owner } => {
            let export = async |store: Arc<dyn MemoryStore>| export(&*store, owner).await;
            let lines = ask(opened, &"the export", export).await.expect("an export");
            let return_home = async |store: Arc<dyn MemoryStore>| {
                store.erase(owner).await?;
                let clock = ManualClock::new(Timestamp::UNIX_EPOCH);
                restore(
                    &*store,
                    owner,
                    &lines,
                    &clock,
                    &mut CountingIds::after(1 << 100),
                )
                .await
            };
            ask(opened, &"the restore", return_home)
                .await
                .expect("a restore");
            let again =
                async |store: Arc<dyn MemoryStore>| keepmind::export::export(&*store, owner).await;
            let again = ask(opened, &"the second export", again)
                .await
                .expect("an export");
            assert!(again == lines, "an export that was restored has changed");
            true
        }
        Operation::MoveAll => {
            *opened = moved(opened).await;
            true
        }
        Operation::Reopen { is_closed } => {
            for Opened {
                backend,
                folder,
                store,
            } in opened
            {
                if backend.is_lasting {
                    if *is_closed {
                        store.close().await.expect("a store can be closed");
                    }
                    *store = backend.open(folder.path()).await;
                }
            }
            true
        }
    }
}
