//! What is asked of one chat: everything that a handle does, as JSON.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::command::{ContextRequest, Recall, UsedAs};
use crate::error::{Error, Result};
use crate::ids::MessageNumber;
use crate::request::hits::Hits;
use crate::request::{REQUEST, written};
use crate::sessions::{Push, SessionHandle};
use crate::store::{Cursor, MAX_LIMIT};
use crate::strict::no_fields;
use crate::tools::{ToolReply, ToolShape};

/// Everything of a chat. In JSON: `{"request":"push","role":"user","content":"…"}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "snake_case")]
#[non_exhaustive]
pub enum SessionRequest {
    /// Appends a message.
    Push(Push),
    /// What goes into the system prompt.
    #[serde(deserialize_with = "no_fields")]
    Block,
    /// What to send to the model.
    View(Room),
    /// Facts that fit, as the query `recall`, which a chat is answered again without a search.
    Recall(Recall),
    /// How often this chat recalled, and how often without a search.
    #[serde(deserialize_with = "no_fields")]
    RecallStats,
    /// What to tell the model with a message.
    Context(ContextRequest),
    /// Records what a fact was used for.
    Used(UsedAs),
    /// Finds which memories an answer cites, and records it.
    Cite(Cite),
    /// The tools that the policy offers.
    Tools(Tools),
    /// Runs a tool call of the model's.
    CallTool(CallTool),
    /// The tool calls that have not finished.
    #[serde(deserialize_with = "no_fields")]
    Running,
    /// The records of finished tool calls, oldest first.
    Traces(Traces),
    /// Writes the records that wait.
    #[serde(deserialize_with = "no_fields")]
    Flush,
    /// The chat's record: where it is in its life, its title, its running summary.
    #[serde(deserialize_with = "no_fields")]
    Record,
    /// What was said, oldest first.
    Messages(Messages),
    /// Closes the chat: learns from what is new in it.
    #[serde(deserialize_with = "no_fields")]
    Close,
    /// Talks on: a new block.
    #[serde(deserialize_with = "no_fields")]
    Resume,
    /// Puts it aside.
    #[serde(deserialize_with = "no_fields")]
    Archive,
    /// Puts it in the trash.
    #[serde(deserialize_with = "no_fields")]
    Trash,
    /// Takes it out of the trash.
    #[serde(deserialize_with = "no_fields")]
    Restore,
    /// Where a reply presumes what the user thinks, instead of telling what they said.
    CheckPhrasing(Reply),
    /// Gives it a title.
    Rename(Rename),
    /// It is gone for good, with its messages.
    #[serde(deserialize_with = "no_fields")]
    Purge,
}

/// How much room a view has.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Room {
    /// In tokens; the policy's budget when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<u32>,
}

/// An answer that may cite memories.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Cite {
    /// What the model answered.
    pub answer: String,
}

/// In which shape the tools are wanted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Tools {
    /// `openai`, `anthropic` or `mcp`.
    pub shape: ToolShape,
}

/// A tool call of the model's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct CallTool {
    /// The id that the model's provider gave the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// The tool.
    pub name: String,
    /// An object, or a string that holds one as JSON.
    #[serde(default)]
    pub arguments: Value,
}

/// Which records of tool calls.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Traces {
    /// Where the last page ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Cursor>,
    /// How many at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// Which messages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Messages {
    /// Those after this one; from the beginning when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<MessageNumber>,
    /// The last ones instead of the first.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub recent: bool,
    /// How many at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// What the assistant would say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Reply {
    /// The words.
    pub reply: String,
}

/// A chat's new title.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Rename {
    /// The title.
    pub title: String,
}

impl ToolReply {
    /// As JSON, as requests are answered.
    pub fn to_json(&self) -> Result<String> {
        written(self)
    }
}

impl SessionHandle {
    pub(super) async fn answer_request(&self, request: SessionRequest) -> Result<String> {
        let most = self.memory().engine.policy.limits.results as usize;
        let page = |limit: Option<usize>| match limit {
            Some(0) => Err(Error::invalid(REQUEST, "a limit is at least 1")),
            limit => Ok(limit.unwrap_or(most).min(MAX_LIMIT)),
        };
        match request {
            SessionRequest::Push(push) => written(&self.push(push).await?),
            SessionRequest::Block => written(&json!({"block": self.block().await?})),
            SessionRequest::View(room) => written(&self.view_within(room.budget).await?),
            SessionRequest::Tools(tools) => written(&json!({"tools": self.tools(tools.shape)})),
            SessionRequest::CallTool(call) => {
                let reply = self.call_tool(call.call.as_deref(), &call.name, &call.arguments);
                reply.await?.to_json()
            }
            SessionRequest::Recall(recall) => {
                let hits = self.recall_as_json(&recall).await?;
                written(&Hits::of(&hits))
            }
            SessionRequest::RecallStats => {
                let stats = self.recall_stats();
                written(&json!({
                    "recalls": stats.recalls,
                    "cached": stats.cached,
                    "hit_rate": stats.hit_rate(),
                }))
            }
            SessionRequest::Context(asked) => written(&self.context(asked).await?),
            SessionRequest::Used(used) => self.used(used).await.and_then(done),
            SessionRequest::Cite(cite) => {
                written(&json!({"citations": self.cite(&cite.answer).await?}))
            }
            SessionRequest::Running => written(&json!({"calls": self.running()})),
            SessionRequest::Traces(traces) => {
                let page = self.traces(traces.after, page(traces.limit)?).await?;
                written(&json!({"traces": page.items, "next": page.next}))
            }
            SessionRequest::Flush => self.flush().await.and_then(done),
            SessionRequest::Record => written(&self.record().await?),
            SessionRequest::Messages(wanted) if wanted.recent && wanted.after.is_some() => {
                let message = "`recent` asks for the last messages: leave `after` out";
                Err(Error::invalid(REQUEST, message))
            }
            SessionRequest::Messages(wanted) if wanted.recent => {
                let messages = self.recent_messages(page(wanted.limit)?).await?;
                written(&json!({"messages": messages}))
            }
            SessionRequest::Messages(wanted) => {
                let page = self.messages(wanted.after, page(wanted.limit)?).await?;
                let last = page.items.last().map(|message| message.number);
                let next = page.next.and(last);
                written(&json!({"messages": page.items, "next": next}))
            }
            SessionRequest::Close => written(&self.close().await?),
            SessionRequest::Resume => written(&json!({"block": self.resume().await?})),
            SessionRequest::Archive => self.archive().await.and_then(done),
            SessionRequest::Trash => self.trash().await.and_then(done),
            SessionRequest::Restore => self.restore().await.and_then(done),
            SessionRequest::CheckPhrasing(asked) => {
                written(&json!({"findings": self.check_phrasing(asked.reply).await?}))
            }
            SessionRequest::Rename(name) => self.rename(name.title).await.and_then(done),
            SessionRequest::Purge => self.purge().await.and_then(done),
        }
    }
}

/// The answer where there is nothing to say.
fn done((): ()) -> Result<String> {
    Ok("{}".to_owned())
}
