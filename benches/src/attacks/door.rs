//! How a case reaches the engine that it is run against: as a host in Rust does, or (`c_door`) as one in C.

use std::sync::Arc;

use async_trait::async_trait;
use keepmind::export;
use keepmind::testing::{Scripted, ScriptedModel};
use keepmind::{
    Clock, EventKind, Fate, Keepmind, ModelByTask, PlugError, Policy, Push, SessionHandle,
    SystemClock, Task, TimeOrderedIds,
};
use tempfile::TempDir;

use crate::Result;
use crate::arguments::StoreKind;
use crate::stage;

/// Why a model that is only there to learn from chats does not answer.
pub const ONLY_EXTRACTS: &str = "only asked to extract";

/// An engine, with what a case needs of it.
#[async_trait(?Send)]
pub trait Door {
    /// Everything of a user.
    async fn export(&self, user: &str) -> Result<String>;
    /// Brings everything of a user back.
    async fn restore(&self, user: &str, lines: &str) -> Result<()>;
    async fn consent(&self, user: &str, domain: &str) -> Result<()>;
    async fn open_chat(&self, user: &str) -> Result<Box<dyn Chat>>;
    async fn close(&self) -> Result<()>;
}

/// A chat.
#[async_trait(?Send)]
pub trait Chat {
    async fn block(&self) -> Result<String>;
    async fn push(&self, push: Push) -> Result<()>;
    async fn call_tool(&self, call: &str) -> Result<Called>;
    /// The name of the tool that was called.
    async fn called_tool(&self) -> Result<String>;
    async fn close(&self) -> Result<Learned>;
}

/// What a tool call was answered with.
#[derive(Debug)]
pub struct Called {
    pub message: String,
    pub is_error: bool,
    pub event: Option<EventKind>,
    pub codes: Vec<String>,
    /// How many facts the message shows.
    pub shown: usize,
}

/// What was made of a chat.
#[derive(Debug)]
pub struct Learned {
    pub lessons: Vec<Lesson>,
    /// The whole report, for whoever logs it.
    pub report: String,
    pub failure: Option<String>,
}

#[derive(Debug)]
pub struct Lesson {
    pub fate: Fate,
    pub codes: Vec<String>,
}

pub struct RustDoor(Keepmind);

impl RustDoor {
    /// With a model that says `answer`, where there is one.
    pub async fn open(
        store: StoreKind,
        folder: &TempDir,
        policy: Policy,
        answer: Option<String>,
    ) -> Result<Self> {
        let store = stage::store(store, folder).await?;
        let mut builder = Keepmind::builder(store).policy(policy);
        if let Some(answer) = answer {
            let failing = Scripted::Fails(PlugError::lasting(ONLY_EXTRACTS));
            let answers = ScriptedModel::new([Scripted::Answers(answer)]);
            let model = ModelByTask::new(Arc::new(ScriptedModel::new([failing])))
                .with(Task::Extract, Arc::new(answers));
            builder = builder.model(Arc::new(model));
        }
        Ok(RustDoor(builder.build()?))
    }
}

#[async_trait(?Send)]
impl Door for RustDoor {
    async fn export(&self, user: &str) -> Result<String> {
        let user = self.0.user(user)?;
        Ok(export::export(self.0.store().as_ref(), user.owner()).await?)
    }

    async fn restore(&self, user: &str, lines: &str) -> Result<()> {
        let user = self.0.user(user)?;
        let mut ids = TimeOrderedIds::at(SystemClock.now());
        let store = self.0.store();
        export::restore(store.as_ref(), user.owner(), lines, &SystemClock, &mut ids).await?;
        Ok(())
    }

    async fn consent(&self, user: &str, domain: &str) -> Result<()> {
        self.0.user(user)?.consent(domain, true).await?;
        Ok(())
    }

    async fn open_chat(&self, user: &str) -> Result<Box<dyn Chat>> {
        let session = self.0.user(user)?.open_session().await?;
        Ok(Box::new(RustChat(session)))
    }

    async fn close(&self) -> Result<()> {
        Ok(self.0.close().await?)
    }
}

struct RustChat(SessionHandle);

#[async_trait(?Send)]
impl Chat for RustChat {
    async fn block(&self) -> Result<String> {
        Ok(self.0.block().await?)
    }

    async fn push(&self, push: Push) -> Result<()> {
        self.0.push(push).await?;
        Ok(())
    }

    async fn call_tool(&self, call: &str) -> Result<Called> {
        let reply = self.0.call_tool_json(call).await?;
        Ok(Called {
            message: reply.message,
            is_error: reply.is_error,
            event: reply.event.map(|event| event.kind),
            codes: reply.codes.iter().map(ToString::to_string).collect(),
            shown: reply.shown.len(),
        })
    }

    async fn called_tool(&self) -> Result<String> {
        // Asking for the records writes those that wait.
        let called = self.0.traces(None, 1).await?.items.pop();
        Ok(called.map(|trace| trace.tool).unwrap_or_default())
    }

    async fn close(&self) -> Result<Learned> {
        let closed = self.0.close().await?;
        let lessons = closed.report.lessons.iter().map(|lesson| Lesson {
            fate: lesson.fate,
            codes: lesson.codes.iter().map(ToString::to_string).collect(),
        });
        Ok(Learned {
            lessons: lessons.collect(),
            report: serde_json::to_string(&closed.report)?,
            failure: closed.failure.map(|failure| failure.message),
        })
    }
}
