//! What is asked of one user's memory beside commands and queries: chats, export, erasure.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::command::{ContextRequest, Observe, UsedAs};
use crate::engine::UserMemory;
use crate::error::Result;
use crate::export::Import;
use crate::govern::check_phrasing;
use crate::request::written;
use crate::sessions::SessionList;
use crate::strict::no_fields;

/// Everything of a user that is neither a command nor a query. In JSON: `{"request":"sessions"}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "snake_case")]
#[non_exhaustive]
pub enum UserRequest {
    /// Opens a chat: its id, and the block for the system prompt.
    #[serde(deserialize_with = "no_fields")]
    OpenSession,
    /// The user's chats, the most recently active first.
    Sessions(SessionList),
    /// The chats in which something was said that fits.
    SearchSessions(SearchSessions),
    /// The block as a chat that is opened now would get it.
    #[serde(deserialize_with = "no_fields")]
    Block,
    /// What to tell a model with a message, outside of any chat.
    Context(ContextRequest),
    /// Records what a fact was used for, outside of any chat.
    Used(UsedAs),
    /// Keeps behaviour that the host saw.
    Observe(Observe),
    /// Where a reply presumes what the user thinks, outside of any chat.
    CheckPhrasing(SpokenReply),
    /// Does everything that is due for this user.
    #[serde(deserialize_with = "no_fields")]
    Sweep,
    /// Everything of the user, as JSON Lines.
    #[serde(deserialize_with = "no_fields")]
    Export,
    /// Brings an export back, for a user of whom nothing is known.
    RestoreExport(RestoreExport),
    /// Takes over what an export holds in force, beside what is known already.
    ImportExport(Import),
    /// Everything of the user is gone for good.
    #[serde(deserialize_with = "no_fields")]
    Erase,
}

/// Which chats to look for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SearchSessions {
    /// What was said: plain words in any script.
    pub text: String,
    /// How many at most; the policy's `limits.results` when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// What an assistant would say, and what the user said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SpokenReply {
    /// The reply.
    pub reply: String,
    /// The user's messages, whose words may be repeated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub said: Vec<String>,
}

/// An export to bring back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct RestoreExport {
    /// What `export` answered.
    pub lines: String,
}

impl UserMemory {
    pub(super) async fn answer_request(&self, request: UserRequest) -> Result<String> {
        match request {
            UserRequest::OpenSession => {
                let session = self.open_session().await?;
                let block = session.block().await?;
                written(&json!({"session": session.id(), "block": block}))
            }
            UserRequest::Sessions(list) => written(&self.sessions(list).await?),
            UserRequest::SearchSessions(search) => {
                let most = self.engine.policy.limits.results as usize;
                let limit = search.limit.unwrap_or(most);
                let hits = self.search_sessions(search.text, limit).await?;
                written(&json!({"hits": hits}))
            }
            UserRequest::Block => {
                let block = self.block().await?;
                written(&json!({
                    "prompt": block.prompt(),
                    "text": block.text,
                    "standing": block.standing,
                    "rows": block.rows,
                    "left_out": block.left_out,
                }))
            }
            UserRequest::Context(asked) => written(&self.context(asked).await?),
            UserRequest::Observe(seen) => written(&self.observe(seen).await?),
            UserRequest::Used(used) => {
                self.used(used).await?;
                Ok("{}".to_owned())
            }
            UserRequest::CheckPhrasing(asked) => {
                let said: Vec<&str> = asked.said.iter().map(String::as_str).collect();
                written(&json!({"findings": check_phrasing(&asked.reply, &said)}))
            }
            UserRequest::Sweep => written(&self.sweep().await?),
            UserRequest::Export => written(&json!({"lines": self.export().await?})),
            UserRequest::RestoreExport(restored) => {
                let receipt = self.restore_export(&restored.lines).await?;
                written(&json!({"revision": receipt.revision}))
            }
            UserRequest::ImportExport(import) => written(&self.import_export(import).await?),
            UserRequest::Erase => written(&json!({"erased": self.erase().await?})),
        }
    }
}
