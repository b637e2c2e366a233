//! One host on one store, and what it tells of a step.

use std::sync::Arc;

use keepmind::{
    Clock as _, CountingIds, EventKind, Keepmind, ManualClock, MemoryEvent, Policy, Query,
    SessionHandle, Slice, Snapshot, Timestamp, UserMemory, Verdict,
};
use keepmind_tests::Backend;
use tempfile::TempDir;

use crate::steps::Step;

/// A host.
pub struct Side {
    pub name: &'static str,
    pub keepmind: Keepmind,
    pub user: UserMemory,
    pub sessions: Vec<SessionHandle>,
    clock: Arc<ManualClock>,
    _folder: TempDir,
}

/// What became of a step.
#[derive(Debug)]
pub struct Told {
    /// Everything the host was told, as text.
    pub told: String,
    /// Whether rows were written.
    pub wrote: bool,
    /// What was written, where something was.
    pub event: Option<MemoryEvent>,
}

impl Told {
    fn plain(told: impl Into<String>) -> Self {
        Told {
            told: told.into(),
            wrote: false,
            event: None,
        }
    }

    fn of(told: serde_json::Result<String>, event: Option<MemoryEvent>) -> Self {
        Told {
            told: told.expect("what is told can be written down"),
            wrote: event.is_some(),
            event,
        }
    }

    pub fn kind(&self) -> Option<EventKind> {
        self.event.as_ref().map(|event| event.kind)
    }
}

impl Side {
    pub async fn open(backend: Backend, policy: Policy) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let start = Timestamp::parse("2026-03-01T09:00:00Z").expect("a moment");
        let clock = Arc::new(ManualClock::new(start));
        let keepmind = Keepmind::builder(backend.open(folder.path()).await)
            .policy(policy)
            .clock(clock.clone())
            .ids(CountingIds::after(1 << 64))
            .build()
            .expect("a sound policy");
        Side {
            name: backend.name,
            user: keepmind.user("alice").expect("a good name"),
            keepmind,
            sessions: Vec::new(),
            clock,
            _folder: folder,
        }
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub async fn everything(&self) -> Snapshot {
        let all = self
            .keepmind
            .store()
            .load(self.user.owner(), &Slice::everything())
            .await;
        all.expect("a load is answered")
    }

    /// Takes a step and says what came of it. Only rules may refuse.
    pub async fn take(&mut self, step: &Step) -> Told {
        match step {
            Step::Clock(moment) => {
                self.clock.set(*moment);
                Told::plain("")
            }
            Step::Open => {
                let session = self
                    .user
                    .open_session()
                    .await
                    .expect("a chat can be opened");
                let told = session.id().to_string();
                self.sessions.push(session);
                Told::plain(told)
            }
            Step::Push { session, push } => {
                let pushed = self.sessions[*session].push(push.clone()).await;
                Told::plain(format!("{pushed:?}"))
            }
            Step::Tool {
                session,
                call,
                name,
                arguments,
            } => {
                let session = &self.sessions[*session];
                let reply = session.call_tool(call.as_deref(), name, arguments).await;
                let reply = reply.expect("whatever the model writes is answered");
                assert!(
                    !reply.is_error || reply.event.is_none(),
                    "a refusal wrote: {reply:?}"
                );
                Told::of(serde_json::to_string(&reply), reply.event.clone())
            }
            Step::Host(command) => match self.user.execute(command.clone()).await {
                Ok(outcome) => {
                    let wrote = outcome.verdict != Verdict::Unchanged;
                    assert_eq!(outcome.event.is_some(), wrote, "{outcome:?}");
                    Told::of(serde_json::to_string(&outcome), outcome.event.clone())
                }
                Err(error) => {
                    assert!(error.code().is_some(), "no rule refused this: {error:?}");
                    Told::plain(format!("{error:?}"))
                }
            },
        }
    }

    /// Answers a question, as text.
    pub async fn ask(&self, question: &Query) -> String {
        match self.user.query(question.clone()).await {
            Ok(answer) => serde_json::to_string(&answer).expect("an answer can be written down"),
            Err(error) => {
                assert!(error.code().is_some(), "no rule refused this: {error:?}");
                format!("{error:?}")
            }
        }
    }

    /// The block of each chat.
    pub async fn blocks(&self) -> Vec<String> {
        let mut blocks = Vec::new();
        for session in &self.sessions {
            blocks.push(session.block().await.expect("a chat that is there"));
        }
        blocks
    }
}
