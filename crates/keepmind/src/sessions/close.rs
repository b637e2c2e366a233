//! Closing a chat: round by round until nothing is new, and, where the model fails, another try later. The right
//! to do so is in `lease`, the commit in `keeping`.

use serde::Serialize;

use crate::change::{Expected, LeaseChange, SessionEdit};
use crate::error::{ErrorKind, Result};
use crate::event::UndoToken;
use crate::ids::{GroupId, MessageNumber};
use crate::model::PlugError;
use crate::plan::{self, Moved, Transition};
use crate::report::Report;
use crate::session::{Lease, Session, SessionStatus};
use crate::sessions::SessionHandle;
use crate::sessions::keeping::Part;
use crate::sessions::learn::{By, Unlearned};
use crate::store::MessageQuery;
use crate::timestamp::Timestamp;

/// What closing a chat did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Closed {
    /// How it ended.
    pub closing: Closing,
    /// From how many messages was learned.
    pub messages: usize,
    /// Why the model did not answer, where it did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<PlugError>,
    /// When the sweep tries again, where it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_at: Option<Timestamp>,
    /// What became of everything that was found.
    pub report: Report,
    /// Takes back what was learned, all of it; nothing where nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undo: Option<UndoToken>,
    /// How many turns were not learned from as they came, since the chat was closed last: the queue was
    /// full, and this close made up for them.
    pub dropped_turns: u64,
}

/// How closing a chat ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Closing {
    /// There was nothing that had not been learned from; the chat is idle.
    NothingNew,
    /// Everything new was learned from; the chat is idle.
    Learned,
    /// Messages came meanwhile: everything before them was learned from, and the chat is still active.
    StillActive,
    /// The model failed. The chat is idle, and the sweep tries again.
    Deferred,
    /// The model failed for the last time: code did what it can, and the chat is idle.
    WithoutModel,
    /// Somebody else is closing it.
    ByAnother,
}

impl Closed {
    pub(super) fn new(closing: Closing) -> Self {
        Closed {
            closing,
            messages: 0,
            failure: None,
            retry_at: None,
            report: Report::default(),
            undo: None,
            dropped_turns: 0,
        }
    }

    /// Takes in what the parts before the last one came to.
    fn after(mut self, parts: Parts) -> Self {
        self.messages += parts.messages;
        if parts.messages > 0 && self.closing == Closing::NothingNew {
            self.closing = Closing::Learned;
        }
        if parts.failure.is_some() {
            self.failure = self.failure.or(parts.failure);
            if self.closing == Closing::Learned {
                self.closing = Closing::WithoutModel;
            }
        }
        self.report.lessons.splice(0..0, parts.report.lessons);
        self.report.episode = self.report.episode.or(parts.report.episode);
        self.undo = self.undo.or(parts.undo);
        self
    }
}

/// What the parts of a chat that were learned from so far came to.
#[derive(Default)]
pub(super) struct Parts {
    messages: usize,
    /// Why the model did not answer, where code learned instead.
    failure: Option<PlugError>,
    report: Report,
    undo: Option<UndoToken>,
}

impl Parts {
    fn add(&mut self, more: Parts) {
        self.messages += more.messages;
        self.failure = self.failure.take().or(more.failure);
        self.report.lessons.extend(more.report.lessons);
        self.undo = self.undo.or(more.undo);
    }
}

/// What a round of learning led to.
pub(super) enum Round {
    /// There is more to learn from.
    Again(Parts),
    Over(Closed),
}

impl SessionHandle {
    /// Closes the chat: learns from what is new in it, and makes it idle.
    ///
    /// Safe to call twice, from several processes, and while messages come in; what is not finished is
    /// left to the sweep. A model that fails costs nothing but time: the chat is idle, and asked about
    /// again later.
    pub async fn close(&self) -> Result<Closed> {
        if !self.shared.records.is_empty() {
            self.shared.records.append(&self.memory, |_| {}).await?;
        }
        let dropped_turns = self.shared.turns.drained().await;
        let learning = self.learn_all(Ends::Idle);
        let mut closed = self.memory.measured("close", learning).await?;
        closed.dropped_turns = dropped_turns;
        // What did not travel with what was learned. The chat is closed whether it can be written or not.
        drop(self.engine().write_uses(&self.memory.owner).await);
        Ok(closed)
    }

    /// Learns from everything new, part by part.
    pub(super) async fn learn_all(&self, ends: Ends) -> Result<Closed> {
        let mut parts = Parts::default();
        let group = GroupId::new(self.engine().new_id());
        loop {
            // A model that failed for the last time is not asked about the rest either.
            let by = match parts.failure {
                Some(_) => By::Code,
                None => By::Model,
            };
            match self.round(ends, by, group).await? {
                Round::Again(more) => parts.add(more),
                Round::Over(closed) => {
                    let closed = closed.after(parts);
                    self.engine().measures.count_lessons(&closed.report);
                    return Ok(closed);
                }
            }
        }
    }

    async fn round(&self, ends: Ends, mut by: By, group: GroupId) -> Result<Round> {
        let engine = self.engine();
        let session = self.load().await?;
        let moved = plan::transition(&session, Transition::Close, &engine.policy, engine.now());
        let moved = moved.map_err(|refusal| refusal.into_error("close"))?;
        if moved == Moved::Nothing {
            // Closed before: that nobody asks sooner than was said, nor for nothing.
            match session.retry_at {
                None => return Ok(Round::Over(Closed::new(Closing::NothingNew))),
                Some(at) if at > engine.now() => {
                    return Ok(Round::Over(Closed {
                        retry_at: Some(at),
                        ..Closed::new(Closing::Deferred)
                    }));
                }
                Some(_) => {}
            }
        }
        let forgotten = self.forgotten().await?;
        let (messages, has_more) = self.part_after(session.extracted_through, None).await?;
        let Some(last) = messages.last().map(|message| message.number) else {
            if let Some(over) = self.tell_turns(&session, ends, group).await? {
                return Ok(over);
            }
            return self.put_aside(&session, ends).await;
        };
        // The last one so far, of all parts: what comes after it was said meanwhile.
        let newest = match has_more {
            true => self.last_message().await?.unwrap_or(last),
            false => last,
        };
        let Some(lease) = self.take_lease(&session).await? else {
            return Ok(Round::Over(Closed::new(Closing::ByAnother)));
        };
        // Somebody may have learned from it before the lease was free: nobody pays for it again.
        let seen = session.extracted_through;
        let session = self.load().await?;
        if session.extracted_through != seen || session.lease != Some(lease) {
            self.give_back(lease).await?;
            return Ok(Round::Again(Parts::default()));
        }
        let mut failure = None;
        let mut report = Report::default();
        let found = match self.learn(&session, &messages, by).await {
            Ok(found) => found,
            Err(unlearned) => {
                let attempts = session.attempts.saturating_add(1);
                if ends == Ends::Turn || attempts < engine.policy.close.attempts {
                    return self.defer(&session, lease, newest, unlearned, ends).await;
                }
                by = By::Code;
                report = unlearned.report;
                failure = Some(unlearned.failure);
                match self.learn(&session, &messages, By::Code).await {
                    Ok(found) => found,
                    // Only the store can be at fault: what was to be learned is still there.
                    Err(unlearned) => {
                        return self.defer(&session, lease, newest, unlearned, ends).await;
                    }
                }
            }
        };
        let happened = match ends == Ends::Idle && !has_more {
            true => {
                let is_whole = forgotten.is_empty();
                let at_hand = is_whole.then_some((&messages[..], &found.turn));
                self.untold(&session, last, at_hand).await?
            }
            false => None,
        };
        let part = Part {
            last,
            has_more,
            found,
            forgotten,
            recap: session.recap.clone(),
            happened,
        };
        let Some(kept) = self.keep(lease, &part, ends, group).await? else {
            return Ok(Round::Over(Closed::new(Closing::ByAnother)));
        };
        report.lessons.extend(kept.lessons);
        report.episode = kept.episode;
        let undo = kept.is_any.then_some(UndoToken::Group(group));
        if has_more {
            return Ok(Round::Again(Parts {
                messages: messages.len(),
                failure,
                report,
                undo,
            }));
        }
        let closing = match (kept.is_idle, by) {
            (false, _) => Closing::StillActive,
            (true, By::Model) => Closing::Learned,
            (true, By::Code) => Closing::WithoutModel,
        };
        Ok(Round::Over(Closed {
            messages: messages.len(),
            failure,
            report,
            undo,
            ..Closed::new(closing)
        }))
    }

    /// A chat in which nothing is new is idle, unless something is said meanwhile.
    async fn put_aside(&self, session: &Session, ends: Ends) -> Result<Round> {
        if ends == Ends::Turn || session.status != SessionStatus::Active {
            return Ok(Round::Over(Closed::new(Closing::NothingNew)));
        }
        let again = Round::Again(Parts::default());
        // Not simply how far was learned: a chat that was imported may say more than it holds.
        let last = self.last_message().await?;
        if last > session.extracted_through {
            return Ok(again);
        }
        let edit = SessionEdit {
            expect_last_message: Some(last),
            expect_status: Some(session.status),
            expect_deleted: Some(false),
            status: Some(SessionStatus::Idle),
            // One that ran out is of somebody who is gone, and nobody looks at the chat again.
            lease: session
                .lease
                .filter(|lease| !self.is_held(*lease))
                .map(|lease| LeaseChange {
                    expected: Some(lease),
                    to: None,
                }),
            ..SessionEdit::default()
        };
        match self.edit(Expected::Any, edit).await {
            Ok(()) => Ok(Round::Over(Closed::new(Closing::NothingNew))),
            Err(error) if error.kind() == ErrorKind::Conflict => Ok(again),
            Err(error) => Err(error),
        }
    }

    /// The model failed: the chat is idle as far as nothing new is said, and tried again later.
    async fn defer(
        &self,
        session: &Session,
        lease: Lease,
        newest: MessageNumber,
        unlearned: Unlearned,
        ends: Ends,
    ) -> Result<Round> {
        let engine = self.engine();
        let attempts = session.attempts.saturating_add(1);
        let given_back = LeaseChange {
            expected: Some(lease),
            to: None,
        };
        let delay = plan::retry_delay(&engine.policy.close, attempts);
        let retry_at = engine.now().saturating_add(delay);
        let mut edit = SessionEdit {
            lease: Some(given_back),
            ..SessionEdit::default()
        };
        if ends == Ends::Idle {
            edit.attempts = Some(attempts);
            edit.retry_at = Some(Some(retry_at));
            edit.expect_last_message = Some(Some(newest));
            edit.status = (session.status == SessionStatus::Active).then_some(SessionStatus::Idle);
        }
        let closed = |closing| Closed {
            failure: Some(unlearned.failure.clone()),
            retry_at: (ends == Ends::Idle).then_some(retry_at),
            report: unlearned.report.clone(),
            ..Closed::new(closing)
        };
        match self.edit(Expected::Any, edit.clone()).await {
            Ok(()) => return Ok(Round::Over(closed(Closing::Deferred))),
            Err(error) if error.kind() == ErrorKind::Conflict => {}
            Err(error) => return Err(error),
        }
        // Something was said meanwhile, or the lease is somebody else's.
        edit.expect_last_message = None;
        edit.status = None;
        match self.edit(Expected::Any, edit).await {
            Ok(()) => Ok(Round::Over(closed(Closing::StillActive))),
            Err(error) if error.kind() == ErrorKind::Conflict => {
                Ok(Round::Over(closed(Closing::ByAnother)))
            }
            Err(error) => Err(error),
        }
    }

    pub(super) async fn last_message(&self) -> Result<Option<MessageNumber>> {
        let query = MessageQuery {
            newest_first: true,
            ..MessageQuery::of(self.id, 1)
        };
        let store = &self.engine().store;
        let page = store.messages(&self.memory.owner, &query).await?;
        Ok(page.items.first().map(|message| message.number))
    }
}

/// What learning from a chat ends in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
    /// The chat is put aside.
    Idle,
    /// The chat goes on.
    Turn,
}
