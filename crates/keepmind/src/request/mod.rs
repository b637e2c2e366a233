//! Everything as JSON: what a host that is not written in Rust asks for, and is answered with.
//! What the commands and queries mean is in `command`; this is the reading, and the rest of the table.

mod hits;
mod read;
mod session;
mod user;

use serde::{Deserialize, Serialize};

use crate::command::{Command, Query};
use crate::engine::{Keepmind, UserMemory};
use crate::error::{Error, ErrorKind, Result};
use crate::ids::SessionId;
use crate::json;
use crate::sessions::SessionHandle;
use crate::strict::no_fields;

use hits::Hits;
use read::Fields;

pub use session::{CallTool, Cite, Messages, Rename, Reply, Room, SessionRequest, Tools, Traces};
pub use user::{
    ReadMarkdown, RestoreExport, SearchSessions, SpokenReply, UserRequest, WriteMarkdown,
};

/// What errors of reading a request say was being done.
const REQUEST: &str = "request";

impl Keepmind {
    /// Runs a request for the user that its field `user` names, in the chat that `session` names where
    /// there is one: [`UserMemory::request`] and [`SessionHandle::request`] for a host that keeps no
    /// handles. `offset_minutes` says how far the user's clock is ahead of UTC.
    ///
    /// Without a user there is `{"request":"sweep"}`, `{"request":"policy"}` and `{"request":"metrics"}`.
    pub async fn request(&self, json: &str) -> Result<String> {
        let mut fields = Fields::read(json)?;
        let offset: Option<i32> = fields.take("offset_minutes")?;
        let session: Option<SessionId> = fields.take("session")?;
        let Some(user) = fields.take::<String>("user")? else {
            if offset.is_some() || session.is_some() {
                let message = "`session` and `offset_minutes` need a `user`";
                return Err(Error::invalid(REQUEST, message));
            }
            if fields.table()? != Table::Request {
                let message = "commands and queries are of a user: name it in the field `user`";
                return Err(Error::invalid(REQUEST, message));
            }
            return match fields.typed::<HostRequest>("request")? {
                HostRequest::Sweep => written(&self.sweep().await?),
                HostRequest::Policy => written(self.policy()),
                HostRequest::Metrics => written(&self.metrics()),
            };
        };
        let memory = self.user(user)?.at_offset(offset.unwrap_or(0))?;
        match session {
            None => memory.answer_fields(fields).await,
            Some(id) => memory.session(id).await?.answer_fields(fields).await,
        }
    }
}

/// What is asked of the whole memory, for no user.
#[derive(Debug, Deserialize)]
#[serde(tag = "request", rename_all = "snake_case")]
enum HostRequest {
    #[serde(deserialize_with = "no_fields")]
    Sweep,
    #[serde(deserialize_with = "no_fields")]
    Policy,
    #[serde(deserialize_with = "no_fields")]
    Metrics,
}

impl UserMemory {
    /// Runs a request that was written as JSON, as the user's own word, and answers with JSON:
    ///
    /// - `{"command": …}` is a [`Command`], answered with its [`Outcome`](crate::Outcome);
    /// - `{"query": …}` is a [`Query`], answered with its [`Answer`](crate::Answer);
    /// - `{"request": …}` is a [`UserRequest`].
    ///
    /// Every one is shown in `docs/REQUESTS.md`. Nothing unusual passes: an unknown field, a field given
    /// twice or a wrong type is an error that says where, and nothing was done.
    pub async fn request(&self, json: &str) -> Result<String> {
        self.answer_fields(Fields::read(json)?).await
    }

    async fn answer_fields(&self, fields: Fields) -> Result<String> {
        match fields.table()? {
            Table::Command => {
                let command: Command = fields.typed("command")?;
                written(&self.execute(command).await?)
            }
            Table::Query => self.answer_query(fields.typed("query")?).await,
            Table::Request => self.answer_request(fields.typed("request")?).await,
        }
    }

    async fn answer_query(&self, query: Query) -> Result<String> {
        match &query {
            Query::Recall(recall) => {
                let hits = self.recall_as_json(recall).await?;
                written(&Hits::answering(&hits))
            }
            _ => written(&self.query(query).await?),
        }
    }
}

impl SessionHandle {
    /// Runs a request of this chat that was written as JSON, a [`SessionRequest`], and answers with JSON.
    /// A command or a query is one of its user's; see [`UserMemory::request`].
    pub async fn request(&self, json: &str) -> Result<String> {
        self.answer_fields(Fields::read(json)?).await
    }

    async fn answer_fields(&self, fields: Fields) -> Result<String> {
        match fields.table()? {
            Table::Command => self.memory().answer_fields(fields).await,
            Table::Query => {
                let query: Query = fields.typed("query")?;
                let query = query.in_session(self.id());
                self.memory().answer_query(query).await
            }
            Table::Request => self.answer_request(fields.typed("request")?).await,
        }
    }
}

/// Which table a request is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Table {
    Command,
    Query,
    Request,
}

/// An answer as JSON, as requests are answered: for a binding that calls a typed function and hands on what that
/// answered.
///
/// Fails where a map in it has a key that is neither text, number nor truth value.
pub fn written(answer: &impl Serialize) -> Result<String> {
    json::write(answer).map_err(|_| {
        let message = "the answer cannot be written as JSON";
        Error::new(ErrorKind::Damaged, REQUEST, message)
    })
}
