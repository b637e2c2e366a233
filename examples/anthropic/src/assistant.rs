//! A chat whose model has the memory tool: the loop between the user, the model and its calls.

use std::error::Error;

use keepmind::{Closed, Keepmind, MemoryEvent, Push, SessionHandle, UserMemory};
use serde_json::{Value, json};

use crate::answer;
use crate::client::Anthropic;
use crate::memory_tool::MemoryTool;

/// A model that calls tools for ever is stopped after so many rounds.
const MOST_ROUNDS: usize = 12;
/// How long one of its messages may be, in tokens.
const MOST_TOKENS: u32 = 4_096;

/// What went wrong: the model's server, or the store.
pub type Failure = Box<dyn Error + Send + Sync>;

/// What the assistant said.
#[derive(Debug)]
pub struct Spoken {
    /// Its words.
    pub text: String,
    /// What its memory tool wrote on the way, each with its undo.
    pub events: Vec<MemoryEvent>,
}

/// A chat with a model that has the memory tool.
#[derive(Debug)]
pub struct Assistant {
    client: Anthropic,
    session: SessionHandle,
    tool: MemoryTool,
    /// The chat in the provider's shape, where calls stand with their arguments.
    messages: Vec<Value>,
    /// What was written that the host has not been told yet.
    events: Vec<MemoryEvent>,
}

impl Assistant {
    /// Opens a chat. What is known about the user goes into the system prompt; the files are for what is more.
    pub async fn open(
        client: Anthropic,
        keepmind: &Keepmind,
        memory: &UserMemory,
    ) -> Result<Self, Failure> {
        let session = memory.open_session().await?;
        Ok(Assistant {
            client,
            tool: MemoryTool::new(keepmind, session.clone()),
            session,
            messages: Vec::new(),
            events: Vec::new(),
        })
    }

    /// The chat, as the library holds it.
    pub fn session(&self) -> &SessionHandle {
        &self.session
    }

    /// Says something, and waits for the answer. Where the server fails, or the answer is cut or declined, the same can
    /// be said again; what was written until then is told with the next answer.
    pub async fn say(&mut self, text: &str) -> Result<Spoken, Failure> {
        let before = self.messages.len();
        self.session.push(Push::user(text)).await?;
        self.messages.push(json!({"role": "user", "content": text}));
        match self.turn().await {
            Ok(text) => Ok(Spoken {
                text,
                events: std::mem::take(&mut self.events),
            }),
            Err(error) => {
                self.messages.truncate(before);
                Err(error)
            }
        }
    }

    /// Closes the chat, which learns from it.
    pub async fn close(self) -> Result<Closed, Failure> {
        Ok(self.session.close().await?)
    }

    async fn turn(&mut self) -> Result<String, Failure> {
        for _ in 0..MOST_ROUNDS {
            let mut body = json!({
                "max_tokens": MOST_TOKENS,
                "messages": self.messages,
                "tools": [MemoryTool::definition()],
            });
            // Asked for each time: what the user withdrew consent for, or purged, is in it no longer.
            let system = self.session.block().await?;
            if !system.is_empty() {
                body["system"] = json!(system);
            }
            let message = self.client.message(body).await?;
            answer::check_end(&message)?;
            let words = answer::words(&message);
            let content = message["content"].clone();
            let calls: Vec<&Value> = content
                .as_array()
                .into_iter()
                .flatten()
                .filter(|block| block["type"] == "tool_use")
                .collect();
            let mut said = Push::assistant(words.as_str());
            let ids = calls.iter().filter_map(|call| call["id"].as_str());
            said.calls = ids.map(str::to_owned).collect();
            self.session.push(said).await?;
            self.messages
                .push(json!({"role": "assistant", "content": content}));
            if calls.is_empty() {
                self.session.cite(&words).await?;
                return Ok(words);
            }
            let mut results = Vec::new();
            for call in calls {
                results.push(self.run(call).await?);
            }
            self.messages
                .push(json!({"role": "user", "content": results}));
        }
        Err("the model calls tools without end".into())
    }

    /// Runs a call, and answers it.
    async fn run(&mut self, call: &Value) -> Result<Value, Failure> {
        let id = call["id"].as_str().unwrap_or_default();
        if call["name"] != MemoryTool::NAME {
            let text = "Error: There is no such tool";
            return Ok(
                json!({"type": "tool_result", "tool_use_id": id, "content": text, "is_error": true}),
            );
        }
        let answer = self.tool.run(id, &call["input"]).await?;
        self.events.extend(answer.events);
        self.session
            .push(Push::tool(id, answer.text.as_str()))
            .await?;
        Ok(json!({
            "type": "tool_result", "tool_use_id": id, "content": answer.text, "is_error": answer.is_error,
        }))
    }
}
