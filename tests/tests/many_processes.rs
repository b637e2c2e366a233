//! Eight processes of eight tasks each on one store: nothing is lost, nobody pays a model twice for a chat, and what
//! is due is done once.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;

use keepmind::command::Save;
use keepmind::policy::TimeToLive;
use keepmind::{
    Clock as _, Keepmind, Layer, ManualClock, Push, SessionStatus, Slice, Snapshot, Timestamp,
    UserMemory, Who, Why,
};
use keepmind_tests::invariants::assert_sound;
use keepmind_tests::{Backend, lasting};

const PROCESSES: usize = 8;
const TASKS: usize = 8;
const CHATS: usize = 4;
const PASSING: usize = 3;

struct Process {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Process {
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("a line");
        line.trim_end().to_owned()
    }

    /// What it said until it was done.
    fn ended(mut self) -> Vec<String> {
        let mut said = Vec::new();
        loop {
            let line = self.line();
            assert!(!line.is_empty(), "a process ended before it was done");
            if line == "done" {
                assert!(self.child.wait().expect("an end").success());
                return said;
            }
            said.push(line);
        }
    }
}

/// Something to lose, to learn from and to sweep.
async fn furnish(user: &UserMemory, owner: usize) {
    user.save("Counted by nobody").await.unwrap();
    for chat in 0..CHATS {
        let session = user.open_session().await.unwrap();
        let said = format!("My things are in locker-{owner}-{chat}.");
        session.push(Push::user(said)).await.unwrap();
    }
    for place in 0..PASSING {
        let mut save = Save::new(format!("Passing {place}"));
        save.ttl = Some(TimeToLive::Temporary);
        user.save(save).await.unwrap();
    }
}

#[tokio::test]
async fn eight_processes_on_one_owner_and_on_many() {
    for backend in lasting() {
        for owners in [1, 16] {
            run(backend, owners).await;
        }
    }
}

async fn run(backend: Backend, owners: usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let start = Timestamp::parse("2026-03-01T09:00:00Z").expect("a moment");
    let clock = Arc::new(ManualClock::new(start));
    let keepmind = Keepmind::builder(backend.open(folder.path()).await)
        .clock(clock.clone())
        .build()
        .expect("an engine");
    for owner in 0..owners {
        furnish(&keepmind.user(format!("owner {owner}")).unwrap(), owner).await;
    }
    // Chats are stale by then, and what was passing has passed.
    let later = start.saturating_add(std::time::Duration::from_secs(3 * 86_400));
    clock.set(later);

    let address = backend.address(folder.path());
    let mut processes: Vec<Process> = (0..PROCESSES)
        .map(|process| {
            let mut child = Command::new(env!("CARGO_BIN_EXE_crowd"))
                .args(address.words())
                .args([process.to_string(), owners.to_string()])
                .arg(clock.now().as_micros().to_string())
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .expect("a process");
            let output = BufReader::new(child.stdout.take().expect("its output"));
            Process { child, output }
        })
        .collect();
    for process in &mut processes {
        assert_eq!(process.line(), "ready");
    }
    for process in &mut processes {
        let mut input = process.child.stdin.take().expect("its input");
        input.write_all(b"start\n").expect("it listens");
    }
    let said: Vec<String> = processes.into_iter().flat_map(Process::ended).collect();

    for owner in 0..owners {
        let user = keepmind.user(format!("owner {owner}")).unwrap();
        let everything = Slice::everything();
        let data = keepmind.store().load(user.owner(), &everything);
        let data = data.await.expect("a load");
        assert_sound(&data);
        nothing_is_lost(&data, owner, &said);
        nothing_is_learned_twice(&data, owner, &said);
        what_is_due_is_done_once(&data, owner, &said);
    }
    let writes = said.iter().filter(|line| line.starts_with("saved")).count();
    assert_eq!(writes, PROCESSES * TASKS * 3, "{}", backend.name);
}

/// What was said of an owner, behind a word.
fn told<'a>(said: &'a [String], word: &str, owner: usize) -> Vec<&'a str> {
    let head = format!("{word} {owner} ");
    let lines = said.iter();
    lines.filter_map(|line| line.strip_prefix(&head)).collect()
}

fn nothing_is_lost(data: &Snapshot, owner: usize, said: &[String]) {
    let contents: Vec<&str> = data
        .memories()
        .map(|row| row.body.claim.content.as_str())
        .collect();
    for saved in told(said, "saved", owner) {
        let found = contents.iter().filter(|content| **content == saved);
        assert_eq!(found.count(), 1, "{saved}");
    }
    // Every update is a version of its own, and each follows on the one before.
    let first = data.memories().next().expect("the first fact").body.number;
    let versions: Vec<_> = data.versions(first).collect();
    let updates: BTreeSet<&str> = told(said, "updated", owner).into_iter().collect();
    assert_eq!(versions.len(), updates.len() + 1);
    for (old, new) in versions.iter().zip(&versions[1..]) {
        assert!(updates.contains(new.body.claim.content.as_str()));
        let by = old.end.and_then(|end| end.why.successor());
        assert_eq!(by, Some(new.origin), "an update was lost");
    }
}

fn nothing_is_learned_twice(data: &Snapshot, owner: usize, said: &[String]) {
    let mut asked: BTreeMap<&str, usize> = BTreeMap::new();
    let head = format!("locker-{owner}-");
    for line in said {
        let chat = line.strip_prefix("asked Extract ");
        if let Some(chat) = chat.filter(|chat| chat.starts_with(&head)) {
            *asked.entry(chat).or_default() += 1;
        }
    }
    assert_eq!(asked.len(), CHATS, "{asked:?}");
    assert!(asked.values().all(|times| *times == 1), "{asked:?}");
    for session in data.sessions() {
        assert_eq!(session.status, SessionStatus::Idle);
        assert!(session.extracted_through.is_some() && session.lease.is_none());
        let episodes = data.memories().filter(|row| {
            row.body.claim.layer == Layer::Episode && row.body.claim.session == Some(session.id)
        });
        assert_eq!(episodes.count(), 1, "a chat is told of once");
    }
}

fn what_is_due_is_done_once(data: &Snapshot, owner: usize, said: &[String]) {
    let expired = data
        .memories()
        .filter(|row| matches!(row.end.map(|end| end.why), Some(Why::Expired { .. })));
    assert_eq!(expired.count(), PASSING);
    let mut done: BTreeMap<&str, u64> = BTreeMap::new();
    for line in told(said, "swept", owner) {
        let (step, count) = line.split_once(' ').expect("a step and how often");
        *done.entry(step).or_default() += count.parse::<u64>().expect("a number");
    }
    assert_eq!(done.get("expire"), Some(&(PASSING as u64)), "{done:?}");
    // One may be two entries: what it settled, and the digests that it compiled.
    let consolidated = data
        .journal()
        .filter(|entry| entry.who == Who::Consolidator);
    let groups: BTreeSet<_> = consolidated.map(|entry| entry.group).collect();
    assert_eq!(groups.len(), 1, "consolidated as often: {groups:?}");
}
