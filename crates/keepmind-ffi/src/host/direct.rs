//! The calls of a host's loop as a host in Rust makes them, on an engine that others reach through C: what theirs cost more
//! is measured beside these.

use keepmind::{Keepmind, Push, Result, SessionHandle, UserMemory};
use tokio::runtime::{Builder, Runtime};

/// What is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// A fact is saved.
    Save,
    /// A fact is looked up by its number.
    Get,
    /// Facts are looked for.
    Recall,
    /// A message is appended.
    Push,
    /// A model's call of the tool that saves, as JSON.
    ToolSave,
    /// The block is asked for.
    Block,
}

impl Call {
    /// All of them. Not a constant: those of the crate stand in its header.
    pub fn all() -> [Call; 6] {
        [
            Call::Save,
            Call::Get,
            Call::Recall,
            Call::Push,
            Call::ToolSave,
            Call::Block,
        ]
    }

    /// What it goes by.
    pub fn name(self) -> &'static str {
        match self {
            Call::Save => "save",
            Call::Get => "get",
            Call::Recall => "recall",
            Call::Push => "push",
            Call::ToolSave => "tool_save",
            Call::Block => "block",
        }
    }
}

/// One user of an engine, talking in one chat.
#[derive(Debug)]
pub struct Direct {
    runtime: Runtime,
    user: UserMemory,
    chat: SessionHandle,
}

impl Direct {
    /// A user in a chat of theirs.
    pub fn open(keepmind: &Keepmind, user: &str) -> Result<Self> {
        // As many threads as the C interface gives an engine.
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_time()
            .build()
            .expect("a thread can be started");
        let user = keepmind.user(user)?;
        let chat = runtime.block_on(user.open_session())?;
        Ok(Direct {
            runtime,
            user,
            chat,
        })
    }

    /// What is said from now on belongs to another chat.
    pub fn new_chat(&mut self) -> Result<()> {
        self.chat = self.runtime.block_on(self.user.open_session())?;
        Ok(())
    }

    /// Makes a call.
    pub fn call(&self, call: Call, told: &str) -> Result<()> {
        let (user, chat) = (&self.user, &self.chat);
        self.runtime.block_on(async {
            match call {
                Call::Save => drop(user.save(told).await?),
                Call::Get => drop(user.get("#1").await?),
                Call::Recall => drop(user.recall(told).await?),
                Call::Push => drop(chat.push(Push::user(told)).await?),
                Call::ToolSave => drop(chat.call_tool_json(told).await?),
                Call::Block => drop(chat.block().await?),
            }
            Ok(())
        })
    }
}
