//! Keeping what was learned from a part of a chat: one commit for all of it, how far it reaches, and what becomes
//! of the chat.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::attempt::{Attempt, until_done};
use crate::change::{Expected, LeaseChange, SessionEdit};
use crate::error::Result;
use crate::ids::{GroupId, MessageNumber, Number};
use crate::memory::Span;
use crate::plan::learn::{self, Learning};
use crate::plan::{self, Happened, Transition};
use crate::refusal::Code;
use crate::report::Lesson;
use crate::session::{Lease, Recap, Session, SessionStatus};
use crate::sessions::SessionHandle;
use crate::sessions::close::Ends;
use crate::sessions::learn::{Found, forgotten_in};
use crate::timestamp::Timestamp;

/// A part of a chat that was learned from.
pub(super) struct Part {
    pub last: MessageNumber,
    pub has_more: bool,
    pub found: Found,
    /// What had been forgotten of the chat before it was read.
    pub forgotten: BTreeSet<(MessageNumber, Span)>,
    /// The running summary that it was learned with.
    pub recap: Option<Recap>,
    /// What an episode is to be told of.
    pub happened: Option<Happened>,
}

impl Part {
    /// What becomes of the chat with it.
    fn edit(&self, session: &Session, lease: Lease, is_idle: bool, now: Timestamp) -> SessionEdit {
        // What a close that was put off has left is due until all of it is done.
        let is_due = self.has_more && session.status != SessionStatus::Active;
        let becomes_idle = is_idle && session.status == SessionStatus::Active;
        SessionEdit {
            expect_last_message: is_idle.then_some(Some(self.last)),
            expect_deleted: Some(false),
            lease: Some(LeaseChange {
                expected: Some(lease),
                to: None,
            }),
            status: becomes_idle.then_some(SessionStatus::Idle),
            extracted_through: Some(self.last),
            attempts: Some(0),
            retry_at: Some(is_due.then_some(now)),
            // A purge may have taken the old one away: what was made of it goes too.
            recap: (session.recap == self.recap)
                .then(|| self.found.recap.clone())
                .flatten()
                .map(Some),
            ..SessionEdit::default()
        }
    }
}

/// What was kept of a part.
pub(super) struct Kept {
    pub lessons: Vec<Lesson>,
    /// Whether anything of it can be undone.
    pub is_any: bool,
    pub episode: Option<Number>,
    pub is_idle: bool,
}

impl SessionHandle {
    /// Commits what was learned together with how far, and gives the lease back; nothing where the lease
    /// was lost.
    pub(super) async fn keep(
        &self,
        lease: Lease,
        part: &Part,
        ends: Ends,
        group: GroupId,
    ) -> Result<Option<Kept>> {
        let engine = self.engine();
        let owner = &self.memory.owner;
        let found = &part.found;
        let in_play = self.shared.in_play.rows();
        let _queue = engine.queue(owner).await;
        until_done("close", || async {
            let is_newest = self.last_message().await? == Some(part.last);
            let standing = engine.standing(owner).await?;
            let near = engine
                .near(owner, &found.candidates, &found.vectors, &standing)
                .await?;
            let mut learning = Learning {
                candidates: &found.candidates,
                near: &near,
                embedder: engine.embedder_id(),
                happened: part.happened.as_ref(),
                told: None,
                edit: SessionEdit::default(),
                group,
                in_play: &in_play,
            };
            let slice = learn::reads(&learning, &found.turn);
            let seen = engine.load(owner, &slice).await?;
            if seen.state().revision != standing.revision {
                return Ok(Attempt::Overtaken);
            }
            let Some(session) = seen.session(self.id) else {
                return Ok(Attempt::Done(None));
            };
            if session.lease != Some(lease) {
                return Ok(Attempt::Done(None));
            }
            let now = engine.now();
            let closes = plan::transition(session, Transition::Close, &engine.policy, now);
            if let Err(refusal) = closes {
                // Put into the trash meanwhile: nothing is learned from it there.
                self.give_back(lease).await?;
                return Err(refusal.into_error("close"));
            }
            let is_idle = ends == Ends::Idle && is_newest && !part.has_more;
            learning.edit = part.edit(session, lease, is_idle, now);
            // What was told before something was forgotten may tell it still.
            let is_whole = forgotten_in(&seen).is_subset(&part.forgotten);
            if !is_whole {
                learning.edit.recap = None;
            }
            if is_whole {
                learning.told = found.episode.as_deref();
            }
            let mut ids = engine.plan_ids(now);
            let time = (now, self.memory.local.offset);
            let turn = &found.turn;
            let learned = learn::learn(&learning, turn, &engine.policy, &seen, time, &mut ids);
            let learned = match learned {
                Ok(learned) => learned,
                // Whatever a model found to break a rule that nobody foresaw, the chat is done with, and
                // it is told.
                Err(objection) => {
                    let nothing = Learning {
                        candidates: &[],
                        near: &[],
                        happened: None,
                        ..learning
                    };
                    let bare = learn::learn(&nothing, turn, &engine.policy, &seen, time, &mut ids);
                    let mut bare = bare.map_err(|objection| objection.into_error("close"))?;
                    let reason = objection.into_error("close").message().to_owned();
                    bare.lessons
                        .push(Lesson::unusable(vec![Code::Schema], reason));
                    bare
                }
            };
            let expected = Expected::At(seen.state().revision);
            let changes = Arc::new(learned.changes);
            let committed = engine.commit_with_uses(owner, expected, &changes).await;
            Ok(Attempt::of(committed)?.map(|receipt| {
                let from = seen.state().revision;
                engine.moved_on(owner, from, &changes, receipt.revision);
                Some(Kept {
                    lessons: learned.lessons,
                    is_any: learned.is_any,
                    episode: learned.episode,
                    is_idle: is_idle || ends == Ends::Turn,
                })
            }))
        })
        .await
    }
}
