//! Chats in processes of their own, which are killed, told to stop, or run out of input.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use keepmind::{
    Clock, Keepmind, ManualClock, Session, SessionList, SessionStatus, SqliteStore, SystemClock,
};
use keepmind_example_chat::chat::Chat;
use keepmind_example_chat::policy::policy;
use keepmind_example_chat::screen::Style;

/// A chat that is running.
struct Running {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Running {
    /// Starts a chat and says something in it that is saved.
    fn with_something_said(file: &Path) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_keepmind-example-chat"))
            .args(["--user", "ann", "--db"])
            .arg(file)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = process.stdin.take().unwrap();
        input.write_all(b"I only buy funds.\n").unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        let mut chat = Running {
            process,
            input: Some(input),
            output,
        };
        chat.wait_for("Saved #1: Only buys funds");
        chat
    }

    fn wait_for(&mut self, wanted: &str) {
        let mut line = String::new();
        while !line.contains(wanted) {
            line.clear();
            let read = self.output.read_line(&mut line).unwrap();
            assert!(read > 0, "it ended before it said {wanted}");
        }
    }

    /// What it still says until it ends by itself, in peace.
    fn ended(mut self) -> String {
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).unwrap();
        assert!(self.process.wait().unwrap().success(), "{rest}");
        rest
    }
}

/// Starts again an hour later, in this process: what it shows first, and the first chat as it then is.
fn next_start(file: &Path) -> (String, Session) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let later = SystemClock.now().saturating_add(Duration::from_secs(3_600));
        let keepmind = Keepmind::builder(Arc::new(SqliteStore::open(file).await.unwrap()))
            .policy(policy())
            .clock(Arc::new(ManualClock::new(later)))
            .build()
            .unwrap();
        let (mut chat, welcome) = Chat::open(&keepmind, "ann", Style::default())
            .await
            .unwrap();
        let memory = keepmind.user("ann").unwrap();
        let chats = memory.sessions(SessionList::default()).await.unwrap();
        let first = chats
            .sessions
            .iter()
            .map(|line| (line.opened_at, line.id))
            .min();
        let first = memory.session(first.unwrap().1).await.unwrap();
        let record = first.record().await.unwrap();
        chat.leave().await.unwrap();
        keepmind.close().await.unwrap();
        (welcome, record)
    })
}

/// Closed: put aside, learned from to the end, and summarised.
fn assert_closed(session: &Session) {
    assert_eq!(session.status, SessionStatus::Idle);
    assert!(session.extracted_through.is_some());
    let recap = session.recap.as_ref().expect("a summary");
    assert!(recap.text.contains("I only buy funds."), "{}", recap.text);
}

#[test]
fn a_killed_chat_is_finished_by_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("chat.db");
    let mut chat = Running::with_something_said(&file);
    chat.process.kill().unwrap();
    assert!(!chat.process.wait().unwrap().success());

    let (welcome, session) = next_start(&file);
    assert!(
        welcome.contains("· Closed a chat that was left open."),
        "{welcome}"
    );
    assert_closed(&session);
}

#[test]
fn a_chat_that_is_told_to_stop_is_closed() {
    for signal in ["-TERM", "-INT", "-HUP"] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("chat.db");
        let chat = Running::with_something_said(&file);
        let kill = format!("kill {signal} {}", chat.process.id());
        let sent = Command::new("sh").args(["-c", &kill]).status().unwrap();
        assert!(sent.success());
        let rest = chat.ended();
        assert!(rest.contains("· Closed chat 1: "), "{signal}: {rest}");

        let (welcome, session) = next_start(&file);
        assert!(!welcome.contains("left open"), "{signal}: {welcome}");
        assert_closed(&session);
    }
}

#[test]
fn a_chat_whose_input_ends_is_closed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("chat.db");
    let mut chat = Running::with_something_said(&file);
    chat.input = None;
    let rest = chat.ended();
    assert!(rest.contains("· Closed chat 1: "), "{rest}");
    assert_closed(&next_start(&file).1);
}
