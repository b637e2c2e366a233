//! One user's memory as all of their clients share it: one chat for the tool calls, one look at the change feed.

use std::sync::{Arc, Weak};
use std::time::Duration;

use keepmind::command::{Changes, List};
use keepmind::tools::definitions;
use keepmind::{
    Code, Error, ErrorKind, Keepmind, Result, Revision, SessionHandle, SessionId, ToolReply,
    ToolShape, UserMemory,
};
use rmcp::model::Tool;
use serde_json::Value;
use tokio::sync::{Mutex, Notify, watch};

/// How many calls one chat holds: the library keeps the ids of a chat's calls at hand as long as it is used.
const MOST_CALLS: usize = 1_000;

/// One user's memory, shared by their clients.
#[derive(Debug)]
pub struct Host {
    memory: UserMemory,
    tools: Vec<Tool>,
    /// Opened by the first tool call: a client that only reads leaves no chat behind.
    chat: Mutex<Option<(SessionHandle, usize)>>,
    /// Counts how often something new was in the change feed.
    changes: watch::Sender<u64>,
    written: Notify,
}

impl Host {
    /// The memory of that user, whose change feed is looked at that often, and after each write made here.
    ///
    /// Other processes may write to the same file: what they write is found by looking.
    pub async fn open(keepmind: &Keepmind, user: &str, every: Duration) -> Result<Arc<Self>> {
        let tools = definitions(keepmind.policy(), ToolShape::Mcp);
        let tools = tools.into_iter().map(serde_json::from_value);
        let host = Arc::new(Host {
            memory: keepmind.user(user)?,
            tools: tools
                .collect::<serde_json::Result<_>>()
                .map_err(|error| Error::new(ErrorKind::Unsupported, "tools", error))?,
            chat: Mutex::default(),
            changes: watch::Sender::new(0),
            written: Notify::new(),
        });
        let mut one = List::default();
        one.limit = Some(1);
        let since = host.memory.list(one).await?.revision;
        tokio::spawn(follow(Arc::downgrade(&host), since, every));
        Ok(host)
    }

    /// The user's memory.
    pub fn memory(&self) -> &UserMemory {
        &self.memory
    }

    /// The tools of the policy.
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// Tells when something has changed from now on, whoever changed it.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Runs a tool call. What it wrote is told to everyone who listens.
    pub async fn call(&self, tool: &str, arguments: &Value) -> Result<ToolReply> {
        let chat = self.chat(None).await?;
        let mut reply = chat.call_tool(None, tool, arguments).await?;
        if reply.codes.contains(&Code::NotFound) && is_gone(&chat).await {
            // The user has thrown the chat away, not the memory.
            let chat = self.chat(Some(chat.id())).await?;
            reply = chat.call_tool(None, tool, arguments).await?;
        }
        if reply.event.is_some() {
            self.written.notify_one();
        }
        Ok(reply)
    }

    /// The chat of the tool calls; another one in the place of one that is gone, or has had enough of them.
    async fn chat(&self, gone: Option<SessionId>) -> Result<SessionHandle> {
        let mut current = self.chat.lock().await;
        if let Some((chat, calls)) = current.as_mut()
            && Some(chat.id()) != gone
            && *calls < MOST_CALLS
        {
            *calls += 1;
            return Ok(chat.clone());
        }
        let opened = self.memory.open_session().await?;
        let before = current.replace((opened.clone(), 1));
        drop(current);
        closed(before).await?;
        Ok(opened)
    }

    /// Closes the chat, which writes the records that wait.
    pub async fn close(&self) -> Result<()> {
        let chat = self.chat.lock().await.take();
        closed(chat).await
    }

    async fn news(&self, since: Revision) -> Result<(Revision, bool)> {
        let mut changes = Changes::default();
        changes.since = Some(since);
        let feed = self.memory.changes(changes).await?;
        Ok((feed.next, feed.restarted || !feed.entries.is_empty()))
    }
}

async fn closed(chat: Option<(SessionHandle, usize)>) -> Result<()> {
    match chat {
        Some((chat, _)) if !is_gone(&chat).await => {
            chat.flush().await?;
            chat.close().await.map(drop)
        }
        _ => Ok(()),
    }
}

async fn is_gone(chat: &SessionHandle) -> bool {
    let status = chat.status().await;
    status.is_err_and(|error| error.kind() == ErrorKind::NotFound)
}

/// Looks at the change feed until nobody needs the host any more.
async fn follow(host: Weak<Host>, mut since: Revision, every: Duration) {
    while let Some(host) = host.upgrade() {
        // Whatever keeps the store from answering, the next look begins where the last one ended.
        let _ = tokio::time::timeout(every, host.written.notified()).await;
        match host.news(since).await {
            Ok((next, is_new)) => {
                since = next;
                if is_new {
                    host.changes.send_modify(|count| *count += 1);
                }
            }
            Err(error) if error.kind() == ErrorKind::Closed => return,
            Err(_) => {}
        }
    }
}
