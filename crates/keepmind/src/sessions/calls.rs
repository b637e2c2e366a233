//! The tool calls of a chat: running them in their turn, and their records.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde_json::Value;

use crate::error::Result;
use crate::event::EventKind;
use crate::sessions::SessionHandle;
use crate::sessions::transcript::Own;
use crate::store::{Cursor, Page, TraceQuery};
use crate::timestamp::Timestamp;
use crate::tools::{self, ToolReply, ToolShape};
use crate::trace::{Trace, TraceKey, TraceOutcome};

/// A tool call that has not finished.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RunningCall {
    /// The call's id.
    pub call: String,
    /// The tool's name.
    pub tool: String,
    /// When it began.
    pub started_at: Timestamp,
}

/// The calls of a chat that have not finished.
#[derive(Debug, Default)]
pub(super) struct Running(Mutex<BTreeMap<String, RunningCall>>);

impl Running {
    /// Puts a call on the list until what it returns is dropped.
    fn begin(&self, call: RunningCall) -> Finished<'_> {
        let id = call.call.clone();
        self.calls().insert(id.clone(), call);
        Finished {
            running: self,
            call: id,
        }
    }

    fn calls(&self) -> MutexGuard<'_, BTreeMap<String, RunningCall>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes a call off the list when it ends, also when its caller went away.
struct Finished<'a> {
    running: &'a Running,
    call: String,
}

impl Drop for Finished<'_> {
    fn drop(&mut self) {
        self.running.calls().remove(&self.call);
    }
}

impl SessionHandle {
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
        let offset = self.memory.local.offset;
        let request = tools::parse(&self.engine().policy, offset, name, arguments);
        self.run(call, name, arguments, request).await
    }

    /// Runs a tool call as the model's provider wrote it: OpenAI's, Anthropic's, or
    /// `{"name":…,"arguments":…}`.
    pub async fn call_tool_json(&self, text: &str) -> Result<ToolReply> {
        match tools::parse_text(&self.engine().policy, text) {
            Ok(call) => {
                let request = call.request(&self.engine().policy, self.memory.local.offset);
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
        let (turn, since, record_name) = {
            let mut transcript = self.shared.transcript.lock().await;
            let since = transcript.catch_up(&self.memory, self.id).await?;
            let record_name = transcript.record_name(&call);
            if is_known {
                transcript.answered(&record_name, Own::Tool);
            }
            (Arc::clone(&transcript.turn), since, record_name)
        };
        let _finished = self.shared.running.begin(RunningCall {
            call: call.clone(),
            tool: tool.clone(),
            started_at,
        });

        let key = TraceKey {
            session: self.id,
            call: record_name.clone(),
        };
        let record = |reply: &ToolReply, done: Option<EventKind>| Trace {
            key: key.clone(),
            tool: tool.clone(),
            arguments: reply.recordable(
                done,
                tools::recorded_arguments(arguments),
                &self.engine().policy,
            ),
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
            Ok(request) => {
                let called = tools::dispatch(&self.memory, &turn, request, &record);
                self.memory.measured("call_tool", called).await?
            }
            Err(refusal) => ToolReply::refused(&refusal),
        };
        if !is_known {
            let answer = Own::Exactly(reply.message.clone());
            let mut transcript = self.shared.transcript.lock().await;
            transcript.answered(&record_name, answer);
        }
        self.told(std::mem::take(&mut reply.found));
        self.note_decision(reply.event.as_ref());
        reply.call.clone_from(&call);
        if reply.event.is_none() && self.shared.records.add(record(&reply, None), since) {
            self.flush().await?;
        }
        Ok(reply)
    }

    /// The calls that have not finished.
    pub fn running(&self) -> Vec<RunningCall> {
        self.shared.running.calls().values().cloned().collect()
    }

    /// The records of finished calls, oldest first, from the beginning or after a page. A call whose id
    /// was used before in the chat is named with a count after it: `call_0~2`.
    pub async fn traces(&self, after: Option<Cursor>, limit: usize) -> Result<Page<Trace>> {
        self.flush().await?;
        let query = TraceQuery {
            session: Some(self.id),
            limit,
            after,
        };
        self.engine().store.traces(&self.memory.owner, &query).await
    }

    /// Writes the records that wait, and what was used. Those of calls that wrote are written with what they
    /// wrote; those of reads and refusals travel with the next message, and a crash before that loses them.
    pub async fn flush(&self) -> Result<()> {
        if !self.shared.records.is_empty() {
            self.shared.records.append(&self.memory, |_| {}).await?;
        }
        self.engine().write_uses(&self.memory.owner).await
    }
}
