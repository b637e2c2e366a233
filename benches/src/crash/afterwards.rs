//! After a kill: the file is opened, everything that must hold is looked for, and what must still work is
//! tried.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use keepmind::{
    Keepmind, MemoryStore, Owner, SessionStatus, Slice, Snapshot, UndoToken, UserMemory,
};

use crate::Result;
use crate::crash::chats::check_close;
use crate::crash::facts::Standing;
use crate::crash::findings::{Findings, Wrong};
use crate::crash::setting::{self, MovedClock};
use crate::crash::world::World;

/// How far the clock of the last sweep is ahead: every lease has run out, every chat is stale, every
/// attempt is due.
const AHEAD: u32 = 3;
const COPY: &str = "copy.db";

/// Looks at everything. Returns how many writes were undone and redone.
pub async fn check(
    file: &Path,
    cycle: u64,
    is_last: bool,
    world: &mut World,
    findings: &mut Findings,
) -> Result<u64> {
    // Before anything is opened: opening may already clean up.
    look_into_files(file, &world.purged_now, findings)?;
    let store = match setting::open(file).await {
        Ok(store) => store,
        Err(error) => {
            findings.add(Wrong::Failed, format!("the file cannot be opened: {error}"));
            return Err(error);
        }
    };
    let clock = MovedClock::of(cycle);
    let keepmind = setting::engine(Arc::clone(&store), clock, setting::policy(false)).build()?;
    let mut undone = 0;
    let names = world.names(is_last);
    for name in &names {
        let memory = keepmind.user(name.as_str())?;
        let snapshot = store.load(memory.owner(), &Slice::everything()).await?;
        world.settle(name, &snapshot, findings);
        let user = &world.users[name];
        let export = keepmind::export::export(store.as_ref(), memory.owner()).await?;
        user.look_for_purged(&export, is_last, findings);
        undone += undo_and_redo(&keepmind, &memory, world, findings).await?;
        block_shows_what_is_live(&memory, &snapshot, findings).await;
    }
    keepmind.close().await?;
    sweep_copy(file, cycle, &names, findings).await?;
    Ok(undone)
}

/// No byte of any file may hold what was purged, once that was acknowledged.
fn look_into_files(file: &Path, texts: &[String], findings: &mut Findings) -> Result<()> {
    if texts.is_empty() {
        return Ok(());
    }
    let folder = file.parent().ok_or("the file has no folder")?;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let bytes = fs::read(&path)?;
        let held = String::from_utf8_lossy(&bytes);
        for text in texts.iter().filter(|text| held.contains(text.as_str())) {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            findings.add(
                Wrong::Leaked,
                format!("{text:?} was purged and is in {name}"),
            );
        }
    }
    Ok(())
}

/// The last acknowledged write that nothing has overtaken can be taken back, and that too.
async fn undo_and_redo(
    keepmind: &Keepmind,
    memory: &UserMemory,
    world: &World,
    findings: &mut Findings,
) -> Result<u64> {
    let user = &world.users[memory.owner().as_str()];
    let Some((number, token, before, after)) = user.facts.last_write() else {
        return Ok(0);
    };
    for (is_redo, expected) in [(false, before), (true, after)] {
        let done = match is_redo {
            false => memory.undo(token).await,
            true => memory.redo(token).await,
        };
        if let Err(error) = done {
            findings.add(Wrong::Failed, format!("{}: {error}", told(token, is_redo)));
            return Ok(0);
        }
        let snapshot = keepmind
            .store()
            .load(memory.owner(), &Slice::number(number))
            .await?;
        let stored = Standing::stored(&snapshot, number);
        findings.expect(stored.as_ref() == Some(expected), Wrong::Failed, || {
            format!(
                "{} left {number} {stored:?}, not {expected:?}",
                told(token, is_redo)
            )
        });
    }
    Ok(1)
}

fn told(token: UndoToken, is_redo: bool) -> String {
    format!("{} of {token}", if is_redo { "redo" } else { "undo" })
}

/// The block renders, and every row in it is live.
async fn block_shows_what_is_live(
    memory: &UserMemory,
    snapshot: &Snapshot,
    findings: &mut Findings,
) {
    match memory.block().await {
        Ok(block) => {
            findings.expect(!block.prompt().is_empty(), Wrong::Failed, || {
                "the block is empty".to_owned()
            });
            for line in &block.lines {
                let is_live = snapshot
                    .memories()
                    .any(|row| row.is_open() && line.contains(&row.body.claim.content));
                findings.expect(is_live, Wrong::Failed, || {
                    format!("the block shows {line:?}")
                });
            }
        }
        Err(error) => findings.add(Wrong::Failed, format!("the block does not render: {error}")),
    }
}

/// Whatever the dead left half closed, a sweep finishes once their leases have run out: tried on a copy,
/// so that the next child still finds it as it was left. The copy also shows that every page is sound.
async fn sweep_copy(
    file: &Path,
    cycle: u64,
    names: &[String],
    findings: &mut Findings,
) -> Result<()> {
    let copy = file.with_file_name(COPY);
    // Nobody has the file open, and closing it has left no log beside it.
    fs::copy(file, &copy)?;
    let store = setting::open(&copy).await?;
    let clock = MovedClock::of(cycle).ahead(AHEAD);
    // Emptying the trash rewrites the file for every fact, and that is not what is looked at here.
    let policy = setting::closing_policy();
    let keepmind = setting::engine(Arc::clone(&store), clock, policy).build()?;
    let report = keepmind.sweep().await?;
    for failure in &report.failures {
        findings.add(
            Wrong::Failed,
            format!("sweep, {}: {}", failure.step, failure.error),
        );
    }
    for name in names {
        check_swept(store.as_ref(), &Owner::new(name.as_str())?, findings).await?;
    }
    keepmind.close().await?;
    let connection = rusqlite::Connection::open(&copy)?;
    let verdict: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
    drop(connection);
    fs::remove_file(&copy)?;
    if verdict != "ok" {
        return Err(format!("the file is damaged: {verdict}").into());
    }
    Ok(())
}

/// After a sweep no chat is half closed.
async fn check_swept(
    store: &dyn MemoryStore,
    owner: &Owner,
    findings: &mut Findings,
) -> Result<()> {
    let snapshot = store.load(owner, &Slice::everything()).await?;
    for session in snapshot
        .sessions()
        .filter(|session| session.deleted_at.is_none())
    {
        let last = snapshot.last_message(session.id);
        check_close(session, last.map_or(0, |last| last.get()), findings);
        let is_closed = session.status != SessionStatus::Active
            && session.lease.is_none()
            && session.retry_at.is_none()
            && session.extracted_through == last;
        findings.expect(is_closed, Wrong::HalfApplied, || {
            format!(
                "the sweep left chat {} {:?}, with lease {:?}, retry {:?}, learned from up to {:?} of {last:?}",
                session.id, session.status, session.lease, session.retry_at, session.extracted_through,
            )
        });
    }
    Ok(())
}
