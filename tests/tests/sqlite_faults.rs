//! When the disk is full: an error, nothing half-written, and the store goes on. When somebody takes the log away: an
//! error, and nothing is acknowledged that nobody would find.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::Arc;

use keepmind::conformance::fixtures::{Planned, Scribe, claim, save};
use keepmind::store::sqlite::SqliteOptions;
use keepmind::{Claim, Draft, ErrorKind, MemoryStore, Slice, SqliteStore};

/// A fact that takes some room.
fn large(place: usize) -> Claim {
    let body = format!("detail {place} ")
        .repeat(2_000)
        .trim_end()
        .to_owned();
    Claim {
        body: Some(body),
        ..claim(&format!("fact {place}"))
    }
}

#[tokio::test]
async fn a_full_disk_is_an_error_that_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memories.db");
    let options = SqliteOptions::new(&path).max_bytes(1 << 20);
    let store: Arc<dyn MemoryStore> = Arc::new(SqliteStore::open_with(options).await.unwrap());
    let mut alice = Scribe::new(&store, "alice");

    let mut saved = 0;
    let planned: Planned = loop {
        let (_, planned) = alice.plan(|draft| save(draft, large(saved))).await;
        match alice.commit(planned.clone()).await {
            Ok(_) => saved += 1,
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Full, "{error}");
                assert!(error.is_retryable());
                break planned;
            }
        }
        assert!(saved < 1_000, "the limit was never met");
    };
    assert!(saved > 3);
    let again = alice.commit(planned).await;
    assert_eq!(again.unwrap_err().kind(), ErrorKind::Full);
    store.close().await.unwrap();

    // Commits that wait together share a transaction: one that does not fit must not take another along. There is
    // room for a small one now, and for no larger one, however little was left before.
    let options = SqliteOptions::new(&path).max_bytes((1 << 20) + (64 << 10));
    let store: Arc<dyn MemoryStore> = Arc::new(SqliteStore::open_with(options).await.unwrap());
    alice.store = Arc::clone(&store);
    let many = |draft: &mut Draft| {
        (saved..saved + 10).try_for_each(|place| save(draft, large(place)).map(drop))
    };
    let refused = alice.plan(many).await.1;
    let mut bob = Scribe::new(&store, "bob");
    let small = bob
        .plan(|draft| save(draft, claim("a fact that fits")))
        .await
        .1;
    let (full, fits) = tokio::join!(alice.commit(refused), bob.commit(small));
    assert_eq!(full.unwrap_err().kind(), ErrorKind::Full);
    fits.unwrap();
    assert_eq!(bob.everything().await.memories().count(), 1);

    let all = alice.everything().await;
    assert_eq!(all.memories().count(), saved);
    assert_eq!(all.journal().count(), saved);
    store.close().await.unwrap();

    let store: Arc<dyn MemoryStore> = Arc::new(SqliteStore::open(&path).await.unwrap());
    let mut alice = Scribe {
        store: Arc::clone(&store),
        ..alice
    };
    assert_eq!(alice.everything().await, all);
    alice.save(large(saved)).await;
    assert_eq!(alice.everything().await.memories().count(), saved + 1);
    store.close().await.unwrap();
}

/// The system itself refuses to let any file grow: writes to the log fail in the middle of a commit, where
/// SQLite rolls back by itself and the connection must not be used again.
#[tokio::test]
async fn a_file_that_cannot_grow_keeps_what_was_acknowledged_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memories.db");
    SqliteStore::open(&path)
        .await
        .unwrap()
        .close()
        .await
        .unwrap();
    let mut child = Command::new("bash")
        .args(["-c", "trap '' XFSZ && ulimit -f 700 && exec \"$0\" \"$@\""])
        .arg(env!("CARGO_BIN_EXE_process"))
        .arg(&path)
        .args(["alice", "fact", "200!"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"start\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "the process must survive");
    let lines = String::from_utf8(output.stdout).unwrap();
    let told = |word: &str| -> BTreeSet<&str> {
        lines
            .lines()
            .filter_map(|line| line.strip_prefix(word))
            .collect()
    };
    let (kept, refused) = (told("kept "), told("refused "));
    assert!(kept.len() > 5, "the limit was met too soon: {lines}");
    assert!(refused.len() > 5, "the limit was never met: {lines}");

    let store: Arc<dyn MemoryStore> = Arc::new(SqliteStore::open(&path).await.unwrap());
    let alice = Scribe::new(&store, "alice");
    let all = alice.everything().await;
    let contents: BTreeSet<&str> = all
        .memories()
        .map(|row| row.body.claim.content.as_str())
        .collect();
    assert!(kept.is_subset(&contents), "an acknowledged fact is lost");
    assert!(refused.is_disjoint(&contents), "a refused fact was kept");
    assert_eq!(all.journal().count(), contents.len());
    store.close().await.unwrap();
}

/// Whoever removes it: a second SQLite in the process, which does not know of the first one's locks, or a person. What is
/// committed after that would be in a file without a name.
#[cfg(unix)]
#[tokio::test]
async fn what_goes_into_a_log_that_was_taken_away_is_not_acknowledged() {
    for is_replaced in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("memories.db");
        let log = folder.path().join("memories.db-wal");
        let open = async || {
            let store: Arc<dyn MemoryStore> = Arc::new(SqliteStore::open(&path).await.unwrap());
            store
        };
        // Closing puts it into the file.
        let store = open().await;
        let mut alice = Scribe::new(&store, "alice");
        alice.note("the user lives in Lisbon").await;
        store.close().await.unwrap();

        let store = open().await;
        alice.store = Arc::clone(&store);
        // Only in the log.
        Scribe::new(&store, "bob").note("the user drinks tea").await;
        fs::remove_file(&log).unwrap();
        if is_replaced {
            fs::write(&log, "of another process").unwrap();
        }
        let planned = alice.plan(|draft| save(draft, claim("lost"))).await.1;
        for error in [
            alice.commit(planned.clone()).await.unwrap_err(),
            alice.commit(planned).await.unwrap_err(),
            store.erase(&alice.owner).await.unwrap_err(),
            // What is there is what nobody else finds.
            store
                .load(&alice.owner, &Slice::everything())
                .await
                .unwrap_err(),
        ] {
            assert_eq!(error.kind(), ErrorKind::Io, "{error}");
            assert!(error.message().contains("open it again"), "{error}");
        }
        store.close().await.unwrap();
        if is_replaced {
            let kept = fs::read_to_string(&log).unwrap();
            assert_eq!(kept, "of another process");
            fs::remove_file(&log).unwrap();
        }

        let store = open().await;
        alice.store = Arc::clone(&store);
        let all = alice.everything().await;
        let told: Vec<&str> = all
            .memories()
            .map(|row| row.body.claim.content.as_str())
            .collect();
        assert_eq!(told, ["the user lives in Lisbon"]);
        // Nobody had put that into the file but the close.
        let bob = Scribe::new(&store, "bob").everything().await;
        assert_eq!(bob.memories().count(), usize::from(!is_replaced));
        alice.note("the user has moved to Porto").await;
        store.close().await.unwrap();
    }
}

/// Also between opening and the first thing that is written, whether the file was read through by then or not.
#[cfg(unix)]
#[tokio::test]
async fn what_takes_the_log_away_before_anything_is_written_is_noticed() {
    for facts in [1, 60] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("memories.db");
        let open = async || {
            let store: Arc<dyn MemoryStore> = Arc::new(SqliteStore::open(&path).await.unwrap());
            store
        };
        let store = open().await;
        let mut alice = Scribe::new(&store, "alice");
        let many = |draft: &mut Draft| {
            (0..facts).try_for_each(|place| save(draft, large(place)).map(drop))
        };
        let planned = alice.plan(many).await.1;
        alice.commit(planned).await.unwrap();
        store.close().await.unwrap();

        let store = open().await;
        alice.store = Arc::clone(&store);
        fs::remove_file(folder.path().join("memories.db-wal")).unwrap();
        let planned = alice.plan(|draft| save(draft, claim("lost"))).await.1;
        let error = alice.commit(planned).await.unwrap_err();
        assert!(error.message().contains("open it again"), "{error}");
        store.close().await.unwrap();

        let store = open().await;
        alice.store = Arc::clone(&store);
        alice.note("the user drinks tea").await;
        assert_eq!(alice.everything().await.memories().count(), facts + 1);
        store.close().await.unwrap();

        // Where nothing is written at all, nothing is lost.
        let moved = folder.path().join("moved.db");
        let store = open().await;
        fs::rename(&path, &moved).unwrap();
        store.close().await.unwrap();
        fs::rename(&moved, &path).unwrap();
        let store = open().await;
        alice.store = Arc::clone(&store);
        assert_eq!(alice.everything().await.memories().count(), facts + 1);
        store.close().await.unwrap();
    }
}
