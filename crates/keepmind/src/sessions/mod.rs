//! A chat as a host holds it: opened, talked in, put aside, found again.

mod asking;
mod calls;
mod citing;
mod close;
mod keeping;
mod learn;
mod lease;
mod life;
mod list;
mod phrasing;
mod push;
mod recalling;
mod records;
mod say;
mod telling;
mod transcript;
mod turns;
mod view;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::attempt::{Attempt, until_done};
use crate::change::{Expected, SessionChange, Slice};
use crate::engine::{Engine, UserMemory};
use crate::error::{Error, ErrorKind, Result};
use crate::ids::{MessageNumber, SessionId};
use crate::message::Message;
use crate::owner::Revision;
use crate::session::{Session, SessionStatus};
use crate::store::{MessageQuery, Page};

pub use calls::RunningCall;
pub use close::{Closed, Closing};
pub use list::{SessionHit, SessionLine, SessionList, SessionPage};
pub use push::Push;
pub use say::Pushed;
pub use view::View;

use calls::Running;
use citing::InPlay;
use records::Records;
use transcript::Transcript;
use turns::Turns;

/// One chat of one user. Cheap to clone; all handles of a chat share what it has seen.
///
/// A host opens one for each chat, puts [`SessionHandle::block`] into the system prompt, pushes every
/// message as it is said, sends [`SessionHandle::view`] to its model, hands every memory tool call of the
/// model to [`SessionHandle::call_tool`], and closes the chat when the user moves on.
#[derive(Debug, Clone)]
pub struct SessionHandle {
    memory: UserMemory,
    id: SessionId,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    transcript: tokio::sync::Mutex<Transcript>,
    running: Running,
    records: Records,
    turns: Turns,
    in_play: InPlay,
    /// The chat has a title: it is named after its first message only.
    titled: AtomicBool,
}

impl UserMemory {
    /// Opens a chat: renders the block, and freezes it with the chat.
    pub async fn open_session(&self) -> Result<SessionHandle> {
        self.measured("open_session", self.opened()).await
    }

    async fn opened(&self) -> Result<SessionHandle> {
        let _queue = self.engine.queue(&self.owner).await;
        until_done("open_session", || async {
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
            Ok(Attempt::of(opened.await)?.map(|_| {
                let handle = self.handle(id);
                // Nothing was used in it before.
                handle.shared.in_play.complete();
                handle.told(rendered.block.rows.iter().copied());
                self.engine.count_block(&session.block);
                handle
            }))
        })
        .await
    }

    /// A chat that was opened before, here or in another process.
    pub async fn session(&self, id: SessionId) -> Result<SessionHandle> {
        let handle = self.handle(id);
        let session = handle.load().await?;
        if session.title.is_some() {
            handle.shared.titled.store(true, Ordering::Relaxed);
        }
        let rows = session.block.iter().flat_map(|block| &block.rows);
        handle.shared.in_play.add(rows.copied());
        Ok(handle)
    }

    pub(crate) fn handle(&self, id: SessionId) -> SessionHandle {
        SessionHandle {
            memory: self.clone(),
            id,
            shared: self.engine.shared(&self.owner, id, Shared::default),
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

    fn engine(&self) -> &Engine {
        &self.memory.engine
    }

    /// What was said last, oldest first.
    pub async fn recent_messages(&self, limit: usize) -> Result<Vec<Message>> {
        let query = MessageQuery {
            newest_first: true,
            ..MessageQuery::of(self.id, limit)
        };
        let store = &self.engine().store;
        let mut page = store.messages(&self.memory.owner, &query).await?;
        page.items.reverse();
        Ok(page.items)
    }

    async fn load(&self) -> Result<Session> {
        self.load_at().await.map(|(session, _)| session)
    }

    /// The chat's record, and where the owner's data stood when it was read.
    async fn load_at(&self) -> Result<(Session, Revision)> {
        let seen = self
            .engine()
            .load(&self.memory.owner, &Slice::session(self.id))
            .await?;
        let session = seen.session(self.id).cloned().ok_or_else(|| {
            Error::new(
                ErrorKind::NotFound,
                "session",
                "this user has no session of that id",
            )
        })?;
        Ok((session, seen.state().revision))
    }
}
