//! The transitions of a chat that the user asks for: resume, archive, trash, restore, purge, rename.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::attempt::{Attempt, until_done};
use crate::change::{Expected, SessionChange, SessionEdit, Slice};
use crate::error::{Error, Result};
use crate::plan::{self, Moved, Transition};
use crate::session::{Session, Title};
use crate::sessions::SessionHandle;
use crate::text;

/// The longest title a user may give a chat.
const TITLE_CHARACTERS: usize = 120;
const PURGE: &str = "purge";

impl SessionHandle {
    /// Talks in the chat again: a closed or archived one is active from now on, with a new block, which
    /// is returned; of one that is active, the block it has.
    pub async fn resume(&self) -> Result<String> {
        match self.wake(Transition::Resume, "resume").await? {
            Some(block) => Ok(block),
            None => self.block().await,
        }
    }

    /// Puts a closed chat far aside. The sweep does so with those that are idle for long.
    pub async fn archive(&self) -> Result<()> {
        self.take(Transition::Archive, "archive", |_| {}).await
    }

    /// Deletes the chat; it can be restored for the policy's days. Nothing is learned from it while it is
    /// there; what was learned before stays. Where the policy keeps no trash, the chat is gone for good.
    pub async fn trash(&self) -> Result<()> {
        self.take(Transition::Trash, "trash", |_| {}).await
    }

    /// Brings the chat back from the trash.
    pub async fn restore(&self) -> Result<()> {
        self.take(Transition::Restore, "restore", |_| {}).await
    }

    /// Names the chat. The user's name for it stays, whatever a model would call it.
    pub async fn rename(&self, title: impl AsRef<str>) -> Result<()> {
        let line = text::line(title.as_ref());
        let cleaned = line.map_err(|error| Error::invalid("rename", error))?;
        text::limit(&cleaned, TITLE_CHARACTERS).map_err(|error| Error::invalid("rename", error))?;
        let title = Title {
            text: cleaned,
            by_user: true,
        };
        let named = |edit: &mut SessionEdit| edit.title = Some(Some(title.clone()));
        self.take(Transition::Rename, "rename", named).await?;
        self.shared.titled.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// The chat is gone for good, with its messages, the records of its calls and the episodes that tell of
    /// it. Facts that were learned from it stay, and say where they came from; that place is empty now.
    pub async fn purge(&self) -> Result<()> {
        self.load().await?;
        self.remove().await
    }

    /// Purges the chat where it was in the trash for long enough. Whether it was.
    pub(crate) async fn purge_if_lost(&self) -> Result<bool> {
        let session = self.load().await?;
        let engine = self.engine();
        let is_lost = plan::is_lost(&session, &engine.policy, engine.now());
        if is_lost {
            self.remove().await?;
        }
        Ok(is_lost)
    }

    /// With the chat goes what was told of it.
    async fn remove(&self) -> Result<()> {
        let (engine, owner) = (self.engine(), &self.memory.owner);
        until_done(PURGE, || async {
            let at = engine.standing(owner).await?.revision;
            let episodes = engine.episodes_in(owner, self.id).await?;
            let slice = Slice {
                numbers: episodes.clone(),
                ..Slice::default()
            };
            let seen = engine.load(owner, &slice).await?;
            if seen.state().revision != at {
                return Ok(Attempt::Overtaken);
            }
            let now = engine.now();
            let mut ids = engine.plan_ids(now);
            let planned = plan::purge_chat(&seen, self.id, &episodes, now, &mut ids);
            let changes = planned.map_err(|objection| objection.into_error(PURGE))?;
            let changes = Arc::new(changes);
            let done = engine.commit(owner, Expected::At(at), &changes).await;
            if let Ok(receipt) = &done {
                engine.moved_on(owner, at, &changes, receipt.revision);
            }
            Attempt::of(done.map(drop))
        })
        .await
    }

    /// Takes the chat through a transition, where it may be.
    async fn take(
        &self,
        transition: Transition,
        operation: &'static str,
        fill: impl Fn(&mut SessionEdit),
    ) -> Result<()> {
        until_done(operation, || async {
            let session = self.load().await?;
            match self.planned(&session, transition, operation)? {
                Moved::Nothing => Ok(Attempt::Done(())),
                Moved::To(mut edit) => {
                    fill(&mut edit);
                    Attempt::of(self.edit(Expected::Any, *edit).await)
                }
                Moved::Gone => Attempt::of(self.remove().await),
            }
        })
        .await
    }

    /// Makes a chat that was put aside active, with a new block. Nothing where it is active.
    pub(super) async fn wake(
        &self,
        transition: Transition,
        operation: &'static str,
    ) -> Result<Option<String>> {
        let _queue = self.engine().queue(&self.memory.owner).await;
        until_done(operation, || async {
            let (session, revision) = self.load_at().await?;
            let Moved::To(mut edit) = self.planned(&session, transition, operation)? else {
                return Ok(Attempt::Done(None));
            };
            let rendered = self.engine().render(&self.memory.owner, &|_| false).await?;
            // What was purged between would come back with what the chat was served before.
            if rendered.revision != revision {
                return Ok(Attempt::Overtaken);
            }
            let mut served = session.served;
            served.append(&mut rendered.lines());
            edit.served = Some(served);
            edit.block = Some(Some(rendered.frozen()));
            edit.active_at = Some(self.engine().now());
            let woken = self.edit(Expected::At(revision), *edit).await;
            Ok(Attempt::of(woken)?.map(|()| {
                self.told(rendered.block.rows.iter().copied());
                let frozen = Some(rendered.frozen());
                self.engine().count_block(&frozen);
                frozen.map(|block| block.text)
            }))
        })
        .await
    }

    /// What a transition would do to the chat.
    fn planned(
        &self,
        session: &Session,
        transition: Transition,
        operation: &'static str,
    ) -> Result<Moved> {
        let engine = self.engine();
        plan::transition(session, transition, &engine.policy, engine.now())
            .map_err(|refusal| refusal.into_error(operation))
    }

    /// Commits an edit that moves no revision.
    pub(super) async fn edit(&self, expected: Expected, edit: SessionEdit) -> Result<()> {
        let edited = self
            .engine()
            .append(&self.memory.owner, expected, |changes| {
                changes.sessions.insert(self.id, SessionChange::Edit(edit));
            });
        edited.await.map(drop)
    }
}
