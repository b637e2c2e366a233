//! What the SQLite store does with files: made for one user, refused when not ours, left alone when damaged.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use keepmind::conformance::fixtures::{Scribe, claim, save};
use keepmind::store::Selection;
use keepmind::store::sqlite::{OpenCheck, SqliteOptions};
use keepmind::{Claim, ErrorKind, MemoryStore, SqliteStore};
use tempfile::TempDir;

/// A closed file with some facts in it.
async fn written(folder: &TempDir) -> PathBuf {
    let path = folder.path().join("memories.db");
    let store: Arc<dyn MemoryStore> = Arc::new(SqliteStore::open(&path).await.unwrap());
    let mut alice = Scribe::new(&store, "alice");
    for place in 0..40 {
        alice
            .note(&format!(
                "fact number {place} is worth some bytes of the file"
            ))
            .await;
    }
    store.close().await.unwrap();
    path
}

fn names(folder: &TempDir) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Fails unless opening is refused as `kind` and the file keeps every byte.
async fn assert_refused_untouched(path: &Path, kind: ErrorKind) {
    let before = fs::read(path).unwrap();
    let error = SqliteStore::open(path)
        .await
        .expect_err("it must be refused");
    assert_eq!(error.kind(), kind, "{error}");
    assert!(fs::read(path).unwrap() == before, "the file was changed");
}

#[tokio::test]
async fn every_file_is_readable_by_its_user_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memories.db");
    let store: Arc<dyn MemoryStore> = Arc::new(SqliteStore::open(&path).await.unwrap());
    Scribe::new(&store, "alice")
        .note("the user lives in Ghent")
        .await;
    let found = names(&folder);
    assert_eq!(found, ["memories.db", "memories.db-shm", "memories.db-wal"]);
    for name in found {
        let mode = fs::metadata(folder.path().join(&name))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    store.close().await.unwrap();
}

#[tokio::test]
async fn closing_leaves_one_file() {
    let folder = tempfile::tempdir().unwrap();
    written(&folder).await;
    assert_eq!(names(&folder), ["memories.db"]);
}

#[tokio::test]
async fn dropping_without_closing_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memories.db");
    let store: Arc<dyn MemoryStore> = Arc::new(SqliteStore::open(&path).await.unwrap());
    let mut alice = Scribe::new(&store, "alice");
    alice.note("the user lives in Ghent").await;
    drop((alice, store));
    let store: Arc<dyn MemoryStore> = Arc::new(SqliteStore::open(&path).await.unwrap());
    let alice = Scribe::new(&store, "alice");
    assert_eq!(
        alice.found("ghent", Selection::All).await,
        ["the user lives in Ghent"]
    );
    store.close().await.unwrap();
}

#[test]
fn a_store_may_be_dropped_outside_any_runtime() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memories.db");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let store = runtime.block_on(SqliteStore::open(&path)).unwrap();
    drop(runtime);
    drop(store);
}

#[tokio::test]
async fn a_text_file_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    fs::write(
        &path,
        "dear diary, this is not a database at all\n".repeat(200),
    )
    .unwrap();
    assert_refused_untouched(&path, ErrorKind::Foreign).await;
    assert_eq!(names(&folder), ["notes.txt"]);
}

/// Where SQLite keeps these in its header, four bytes each.
const USER_VERSION: usize = 60;
const APPLICATION_ID: usize = 68;

#[tokio::test]
async fn another_applications_database_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(&folder).await;
    let mut bytes = fs::read(&path).unwrap();
    bytes[APPLICATION_ID..APPLICATION_ID + 4].copy_from_slice(b"else");
    fs::write(&path, &bytes).unwrap();
    assert_refused_untouched(&path, ErrorKind::Foreign).await;
}

#[tokio::test]
async fn a_newer_schema_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(&folder).await;
    let mut bytes = fs::read(&path).unwrap();
    bytes[USER_VERSION..USER_VERSION + 4].copy_from_slice(&999_u32.to_be_bytes());
    fs::write(&path, &bytes).unwrap();
    assert_refused_untouched(&path, ErrorKind::Newer).await;
}

#[tokio::test]
async fn a_damaged_file_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(&folder).await;
    let sound = fs::read(&path).unwrap();
    let pages = sound.len() / 4_096;
    for page in [1, pages / 2, pages - 1] {
        let mut bytes = sound.clone();
        bytes[page * 4_096..(page + 1) * 4_096].fill(0xa5);
        fs::write(&path, &bytes).unwrap();
        assert_refused_untouched(&path, ErrorKind::Damaged).await;
    }
    fs::write(&path, &sound[..sound.len() / 2]).unwrap();
    assert_refused_untouched(&path, ErrorKind::Damaged).await;
    fs::write(&path, &sound).unwrap();
    SqliteStore::open(&path)
        .await
        .unwrap()
        .close()
        .await
        .unwrap();
}

#[tokio::test]
async fn a_check_of_the_header_alone_can_be_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(&folder).await;
    let mut bytes = fs::read(&path).unwrap();
    let last = bytes.len() - 4_096;
    bytes[last..].fill(0xa5);
    fs::write(&path, &bytes).unwrap();
    let options = SqliteOptions::new(&path).check(OpenCheck::Header);
    SqliteStore::open_with(options)
        .await
        .unwrap()
        .close()
        .await
        .unwrap();
    let options = SqliteOptions::new(&path).check(OpenCheck::Always);
    let error = SqliteStore::open_with(options).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Damaged);
}

#[tokio::test]
async fn an_empty_file_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memories.db");
    fs::write(&path, b"").unwrap();
    let store = SqliteStore::open(&path).await.unwrap();
    assert_eq!(store.info().await.unwrap().owners, 0);
    store.close().await.unwrap();
}

#[tokio::test]
async fn a_path_that_cannot_be_a_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("no/such/folder/memories.db");
    let a_folder = folder.path().to_path_buf();
    let a_socket = folder.path().join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&a_socket).unwrap();
    for (path, kind) in [
        (a_socket, ErrorKind::Unsupported),
        (PathBuf::from("/dev/null"), ErrorKind::Unsupported),
        (PathBuf::from(":memory:"), ErrorKind::Invalid),
        (PathBuf::new(), ErrorKind::Invalid),
        (missing, ErrorKind::Unsupported),
        (a_folder, ErrorKind::Unsupported),
    ] {
        let error = SqliteStore::open(&path)
            .await
            .expect_err("it must be refused");
        assert_eq!(error.kind(), kind, "{}: {error}", path.display());
    }
}

#[tokio::test]
async fn a_file_opened_twice_in_one_process_serves_both() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memories.db");
    let one: Arc<dyn MemoryStore> = Arc::new(SqliteStore::open(&path).await.unwrap());
    let two: Arc<dyn MemoryStore> = Arc::new(SqliteStore::open(&path).await.unwrap());
    let mut writer = Scribe::new(&one, "alice");
    let reader = Scribe::new(&two, "alice");
    for place in 0..5 {
        writer.note(&format!("the user keeps {place} bees")).await;
        assert_eq!(reader.found("bees", Selection::All).await.len(), place + 1);
    }
    one.close().await.unwrap();
    assert_eq!(reader.found("bees", Selection::All).await.len(), 5);
    two.close().await.unwrap();
    assert_eq!(names(&folder), ["memories.db"]);
}

#[tokio::test]
async fn nothing_is_written_to_a_large_file_before_it_was_read_through() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memories.db");
    let store: Arc<dyn MemoryStore> = Arc::new(SqliteStore::open(&path).await.unwrap());
    let mut alice = Scribe::new(&store, "alice");
    for place in 0..90 {
        let body = format!("detail {place} ")
            .repeat(2_500)
            .trim_end()
            .to_owned();
        let claim = Claim {
            body: Some(body),
            ..claim(&format!("large fact {place}"))
        };
        alice.save(claim).await;
    }
    let (_, planned) = alice.plan(|draft| save(draft, claim("one more"))).await;
    store.close().await.unwrap();
    let mut bytes = fs::read(&path).unwrap();
    assert!(
        bytes.len() > 2 << 20,
        "it must be too large to be read through at once"
    );
    let last = bytes.len() - 4_096;
    bytes[last..].fill(0xa5);
    fs::write(&path, &bytes).unwrap();

    let store: Arc<dyn MemoryStore> = Arc::new(SqliteStore::open(&path).await.unwrap());
    let alice = Scribe {
        store: Arc::clone(&store),
        ..alice
    };
    for _ in 0..2 {
        let refused = alice.commit(planned.clone()).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Damaged);
    }
    assert_eq!(
        store.erase(&alice.owner).await.unwrap_err().kind(),
        ErrorKind::Damaged
    );
    store.close().await.unwrap();
    assert!(fs::read(&path).unwrap() == bytes, "the file was changed");
}
