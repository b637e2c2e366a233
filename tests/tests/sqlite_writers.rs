//! Many writers at once, in one process and in several: nothing is lost, and no lock reaches a caller.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use keepmind::conformance::fixtures::{claim, header, owner, save};
use keepmind::store::{Filter, KeywordQuery, Selection};
use keepmind::{
    Clock as _, Draft, ErrorKind, Expected, MemoryStore, Slice, SqliteStore, SystemClock,
    TimeOrderedIds,
};

/// Saves a fact, planning again whenever another writer came first.
async fn save_fact(store: &dyn MemoryStore, name: &str, content: &str) {
    let owner = owner(name);
    loop {
        let base = store.load(&owner, &Slice::default()).await.unwrap();
        let mut ids = TimeOrderedIds::at(SystemClock.now());
        let mut draft = Draft::new(&base, SystemClock.now(), &mut ids).unwrap();
        save(&mut draft, claim(content)).unwrap();
        let changes = draft.finish(header()).unwrap();
        match store
            .commit(&owner, Expected::At(base.state().revision), changes.into())
            .await
        {
            Ok(_) => return,
            Err(error) if error.kind() == ErrorKind::Conflict => {}
            Err(error) => panic!("no other error may reach a caller: {error}"),
        }
    }
}

async fn contents(store: &dyn MemoryStore, name: &str) -> BTreeSet<String> {
    let all = store
        .load(&owner(name), &Slice::everything())
        .await
        .unwrap();
    all.memories()
        .map(|row| row.body.claim.content.clone())
        .collect()
}

fn query(words: &str) -> KeywordQuery {
    KeywordQuery::new(words, Filter::new(Selection::All), 1_000)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sixty_four_writers_and_sixteen_readers_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memories.db");
    let store = Arc::new(SqliteStore::open(&path).await.unwrap());
    let mut tasks = Vec::new();
    for writer in 0..64 {
        let store = Arc::clone(&store);
        tasks.push(tokio::spawn(async move {
            for place in 0..6 {
                let name = format!("owner {}", writer % 8);
                save_fact(&*store, &name, &format!("writer {writer} said {place}")).await;
            }
        }));
    }
    for reader in 0..16 {
        let store = Arc::clone(&store);
        tasks.push(tokio::spawn(async move {
            let owner = owner(&format!("owner {}", reader % 8));
            let mut seen = 0;
            for _ in 0..30 {
                let found = store.search(&owner, &query("writer")).await.unwrap().len();
                assert!(
                    found >= seen,
                    "a reader saw {seen} facts and then only {found}"
                );
                seen = found;
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    let mut total = 0;
    for owner in 0..8 {
        total += contents(&*store, &format!("owner {owner}")).await.len();
    }
    assert_eq!(total, 64 * 6);
    store.close().await.unwrap();
}

/// Another process that will save `count` facts as soon as it is told to start.
fn process(path: &Path, owner: &str, prefix: &str, count: usize) -> Child {
    Command::new(env!("CARGO_BIN_EXE_process"))
        .arg(path)
        .args([owner, prefix, &count.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

fn start(child: &mut Child) {
    child.stdin.take().unwrap().write_all(b"start\n").unwrap();
}

/// What the process was told is durable, once it has ended well.
fn acknowledged(mut child: Child) -> Vec<String> {
    let output = BufReader::new(child.stdout.take().unwrap());
    let lines = output
        .lines()
        .map(|line| line.unwrap().strip_prefix("kept ").unwrap().to_owned())
        .collect();
    assert!(child.wait().unwrap().success(), "a process failed");
    lines
}

#[tokio::test]
async fn four_processes_make_one_file_and_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memories.db");
    let mut children: Vec<Child> = (0..4)
        .map(|place| process(&path, "shared", &format!("process {place} said"), 25))
        .collect();
    children.iter_mut().for_each(start);
    let acknowledged: BTreeSet<String> = children.into_iter().flat_map(acknowledged).collect();
    assert_eq!(acknowledged.len(), 100);

    let store = SqliteStore::open(&path).await.unwrap();
    assert_eq!(contents(&store, "shared").await, acknowledged);
    let state = *store
        .load(&owner("shared"), &Slice::default())
        .await
        .unwrap()
        .state();
    assert_eq!(state.revision.count, 100);
    assert_eq!(state.next_number, 101);
    store.close().await.unwrap();
}

#[tokio::test]
async fn what_another_process_saved_is_found_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memories.db");
    let store = SqliteStore::open(&path).await.unwrap();
    let shared = owner("shared");
    for round in 1..=3 {
        save_fact(&store, "shared", &format!("own word {round}")).await;
        let mut child = process(&path, "shared", "foreign word", 2);
        start(&mut child);
        acknowledged(child);
        assert_eq!(
            store
                .search(&shared, &query("foreign"))
                .await
                .unwrap()
                .len(),
            2 * round
        );
        assert_eq!(
            store.search(&shared, &query("word")).await.unwrap().len(),
            3 * round
        );
    }
    store.close().await.unwrap();
}
