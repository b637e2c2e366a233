//! What is asked of one user's memory beside commands and queries: chats, export, erasure.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::command::{ContextRequest, Observe, UsedAs};
use crate::engine::UserMemory;
use crate::error::{Error, Result};
use crate::export::{EditedMarkdown, Import, MarkdownFile, Reader};
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
    /// Makes one memory of many: candidates, duplicates, contradictions, habits, digests.
    #[serde(deserialize_with = "no_fields")]
    Consolidate,
    /// What is known, in short.
    #[serde(deserialize_with = "no_fields")]
    Digests,
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
    /// What is live of the user, as one Markdown document.
    Markdown(WriteMarkdown),
    /// What is live of the user, as a folder of Markdown files.
    MarkdownFiles(WriteMarkdown),
    /// Makes what was edited in such Markdown so.
    ReadMarkdown(ReadMarkdown),
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

/// Whom Markdown is written for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct WriteMarkdown {
    /// Who reads it; the user when left out.
    pub reader: Reader,
}

/// Markdown that was edited: a document, or files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct ReadMarkdown {
    /// What `markdown` answered, edited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What `markdown_files` answered, edited; those that were edited are enough.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<MarkdownFile>>,
    /// Only says what would become of each difference.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// Who edited it, the user when left out. What a model edited is read with `dry_run` only.
    #[serde(skip_serializing_if = "Reader::is_user")]
    pub reader: Reader,
}

impl ReadMarkdown {
    fn edited(self) -> Result<EditedMarkdown> {
        let mut edited = match (self.text, self.files) {
            (Some(text), None) => EditedMarkdown::from(text),
            (None, Some(files)) => EditedMarkdown::from(files),
            _ => {
                let message = "give the edited Markdown as `text` or as `files`, one of them";
                return Err(Error::invalid("read_markdown", message));
            }
        };
        edited.dry_run = self.dry_run;
        edited.reader = self.reader;
        Ok(edited)
    }
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
            UserRequest::Consolidate => written(&self.consolidate().await?),
            UserRequest::Digests => written(&json!({"digests": self.digests().await?})),
            UserRequest::Sweep => written(&self.sweep().await?),
            UserRequest::Export => written(&json!({"lines": self.export().await?})),
            UserRequest::RestoreExport(restored) => {
                let receipt = self.restore_export(&restored.lines).await?;
                written(&json!({"revision": receipt.revision}))
            }
            UserRequest::ImportExport(import) => written(&self.import_export(import).await?),
            UserRequest::Markdown(WriteMarkdown { reader }) => {
                written(&json!({"text": self.markdown(reader).await?}))
            }
            UserRequest::MarkdownFiles(WriteMarkdown { reader }) => {
                written(&json!({"files": self.markdown_files(reader).await?}))
            }
            UserRequest::ReadMarkdown(read) => written(&self.read_markdown(read.edited()?).await?),
            UserRequest::Erase => written(&json!({"erased": self.erase().await?})),
        }
    }
}
