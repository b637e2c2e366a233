//! A chat as a host holds it: open, push, the frozen block, tool calls and their records.
//! Closing, resuming and learning from a chat are not here.

mod push;
mod records;
mod transcript;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use crate::change::{Expected, SessionChange, SessionEdit, Slice};
use crate::engine::UserMemory;
use crate::error::{Error, ErrorKind, Result};
use crate::ids::{MessageNumber, SessionId};
use crate::message::Message;
use crate::session::{Session, SessionStatus};
use crate::store::{MessageQuery, Page, TraceQuery};
use crate::timestamp::Timestamp;
use crate::tools::{self, ToolReply, ToolShape};
use crate::trace::{Trace, TraceKey, TraceOutcome};

pub use push::Push;

use records::Records;
use transcript::{Own, Transcript};

/// How often a block is made anew because another process wrote meanwhile.
const RENDERINGS: usize = 100;

/// One chat of one user. Cheap to clone; clones share what the chat has seen.
///
/// A host opens one for each chat, puts [`SessionHandle::block`] into the system prompt, pushes every
/// message as it is said, and hands every memory tool call of its model to
/// [`SessionHandle::call_tool`].
#[derive(Debug, Clone)]
pub struct SessionHandle {
    memory: UserMemory,
    id: SessionId,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    transcript: tokio::sync::Mutex<Transcript>,
    running: Mutex<BTreeMap<String, RunningCall>>,
    records: Records,
}

/// A tool call that has not finished.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunningCall {
    /// The call's id.
    pub call: String,
    /// The tool's name.
    pub tool: String,
    /// When it began.
    pub started_at: Timestamp,
}

impl UserMemory {
    /// Opens a chat: renders the block, and freezes it with the chat.
    pub async fn open_session(&self) -> Result<SessionHandle> {
        let _queue = self.engine.queue(&self.owner).await;
        for _ in 0..RENDERINGS {
            let rendered = self.engine.render(&self.owner, &|_| false).await?;
            let id = SessionId::new(self.engine.new_id());
            let mut session = Session::open(id, self.engine.now());
            session.block = Some(rendered.frozen());
            session.served = rendered.lines();
            // A fact that is purged before this is written must not be in it.
            let expected = Expected::At(rendered.revision);
            let opened = self.engine.append(&self.owner, expected, |changes| {
                let change = SessionChange::Open(session.clone());
                changes.sessions.insert(id, change);
            });
            match opened.await {
                Err(error) if error.kind() == ErrorKind::Conflict => {}
                opened => return opened.map(|_| self.handle(id)),
            }
        }
        let message = "other processes keep writing to this user's memory: call again";
        Err(Error::new(ErrorKind::Busy, "open_session", message))
    }

    /// A chat that was opened before, here or in another process.
    pub async fn session(&self, id: SessionId) -> Result<SessionHandle> {
        let handle = self.handle(id);
        handle.load().await?;
        Ok(handle)
    }

    fn handle(&self, id: SessionId) -> SessionHandle {
        SessionHandle {
            memory: self.clone(),
            id,
            shared: Arc::default(),
        }
    }
}

impl SessionHandle {
    /// Which chat.
    pub fn id(&self) -> SessionId {
        self.id
    }

    /// Whose memory it uses.
    pub fn memory(&self) -> &UserMemory {
        &self.memory
    }

    /// What goes into the system prompt: byte for byte the same while the chat is active, but for
    /// withdrawn consent and purged facts.
    pub async fn block(&self) -> Result<String> {
        let session = self.load().await?;
        Ok(session.block.map(|block| block.text).unwrap_or_default())
    }

    /// Where the chat is in its life.
    pub async fn status(&self) -> Result<SessionStatus> {
        Ok(self.load().await?.status)
    }

    /// The chat's record.
    pub async fn record(&self) -> Result<Session> {
        self.load().await
    }

    /// Appends a message. Every message of the chat belongs here, tools' answers too: what the user
    /// wrote is evidence, and everything else decides how far a tool call may be trusted.
    pub async fn push(&self, push: impl Into<Push>) -> Result<MessageNumber> {
        let now = self.engine().now();
        let longest = self.engine().policy.limits.message_bytes as usize;
        let message = push.into().into_message(self.id, now, longest)?;
        let receipt = self
            .shared
            .records
            .append(&self.memory, |changes| {
                changes.messages.push(message.clone());
                let edit = SessionEdit {
                    active_at: Some(now),
                    ..SessionEdit::default()
                };
                changes.sessions.insert(self.id, SessionChange::Edit(edit));
            })
            .await?;
        let place = receipt.places.first().ok_or_else(|| {
            Error::new(
                ErrorKind::NotFound,
                "push",
                "the store gave the message no place",
            )
        })?;
        Ok(place.number)
    }

    /// What was said, from the beginning or after a message.
    pub async fn messages(
        &self,
        after: Option<MessageNumber>,
        limit: usize,
    ) -> Result<Page<Message>> {
        let query = MessageQuery {
            after_number: after,
            ..MessageQuery::of(self.id, limit)
        };
        self.engine()
            .store
            .messages(&self.memory.owner, &query)
            .await
    }

    /// The tools that the policy offers, in the shape of the host's model.
    pub fn tools(&self, shape: ToolShape) -> Vec<Value> {
        tools::definitions(&self.engine().policy, shape)
    }

    /// Runs a tool call of the model's. Whatever the model wrote, the answer is a message for it; only
    /// the store failing is an error.
    ///
    /// `arguments` is an object, or a string that holds one as JSON. `call` is the id that the model's
    /// provider gave the call; push the tool's answer with the id that the reply names.
    pub async fn call_tool(
        &self,
        call: Option<&str>,
        name: &str,
        arguments: &Value,
    ) -> Result<ToolReply> {
        let offset = self.memory.offset;
        let request = tools::parse(&self.engine().policy, offset, name, arguments);
        self.run(call, name, arguments, request).await
    }

    /// Runs a tool call as the model's provider wrote it: OpenAI's, Anthropic's, or
    /// `{"name":…,"arguments":…}`.
    pub async fn call_tool_json(&self, text: &str) -> Result<ToolReply> {
        match tools::parse_text(&self.engine().policy, text) {
            Ok(call) => {
                let request = call.request(&self.engine().policy, self.memory.offset);
                self.run(call.id.as_deref(), &call.name, &call.arguments, request)
                    .await
            }
            Err(refusal) => self.run(None, "?", &Value::Null, Err(refusal)).await,
        }
    }

    async fn run(
        &self,
        call: Option<&str>,
        name: &str,
        arguments: &Value,
        request: Result<tools::ToolRequest, crate::refusal::Refusal>,
    ) -> Result<ToolReply> {
        let started_at = self.engine().now();
        let call = tools::call_id(call).unwrap_or_else(|| self.engine().new_id().to_string());
        let tool = tools::plain_name(name);
        let is_known = self.engine().policy.tools.by_name(name).is_some();
        let (turn, since) = {
            let mut transcript = self.shared.transcript.lock().await;
            let since = transcript.catch_up(&self.memory, self.id).await?;
            if is_known {
                transcript.own.insert(call.clone(), Own::Tool);
            }
            (Arc::clone(&transcript.turn), since)
        };
        let running = RunningCall {
            call: call.clone(),
            tool: tool.clone(),
            started_at,
        };
        lock(&self.shared.running).insert(call.clone(), running);
        let _finished = Finished {
            running: &self.shared.running,
            call: &call,
        };

        let key = TraceKey {
            session: self.id,
            call: call.clone(),
        };
        let arguments = tools::recorded_arguments(arguments);
        let record = |reply: &ToolReply| Trace {
            key: key.clone(),
            tool: tool.clone(),
            arguments: reply.recordable(&arguments),
            result: reply.message.clone(),
            outcome: if reply.is_error {
                TraceOutcome::Failed
            } else {
                TraceOutcome::Complete
            },
            started_at,
            finished_at: self.engine().now(),
        };
        let mut reply = match request {
            Ok(request) => tools::dispatch(&self.memory, &turn, request, &record).await?,
            Err(refusal) => ToolReply::refused(&refusal),
        };
        if !is_known {
            let answer = Own::Exactly(reply.message.clone());
            let mut transcript = self.shared.transcript.lock().await;
            transcript.own.insert(call.clone(), answer);
        }
        reply.call.clone_from(&call);
        if reply.event.is_none() && self.shared.records.add(record(&reply), since) {
            self.flush().await?;
        }
        Ok(reply)
    }

    /// The calls that have not finished.
    pub fn running(&self) -> Vec<RunningCall> {
        lock(&self.shared.running).values().cloned().collect()
    }

    /// The records of finished calls, oldest first.
    pub async fn traces(&self, limit: usize) -> Result<Page<Trace>> {
        self.flush().await?;
        let query = TraceQuery {
            session: Some(self.id),
            limit,
            after: None,
        };
        self.engine().store.traces(&self.memory.owner, &query).await
    }

    /// Writes the records that wait. Those of calls that wrote are written with what they wrote; those
    /// of reads and refusals travel with the next message, and a crash before that loses them.
    pub async fn flush(&self) -> Result<()> {
        if self.shared.records.is_empty() {
            return Ok(());
        }
        let flushed = self.shared.records.append(&self.memory, |_| {}).await;
        flushed.map(drop)
    }

    fn engine(&self) -> &crate::engine::Engine {
        &self.memory.engine
    }

    async fn load(&self) -> Result<Session> {
        let seen = self
            .engine()
            .load(&self.memory.owner, &Slice::session(self.id))
            .await?;
        seen.session(self.id).cloned().ok_or_else(|| {
            Error::new(
                ErrorKind::NotFound,
                "session",
                "this user has no session of that id",
            )
        })
    }
}

/// Takes a call off the list when it ends, also when its caller went away.
struct Finished<'a> {
    running: &'a Mutex<BTreeMap<String, RunningCall>>,
    call: &'a str,
}

impl Drop for Finished<'_> {
    fn drop(&mut self) {
        lock(self.running).remove(self.call);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
