//! What is done off the chat's path: learning from it turn by turn, in a bounded queue, and naming it after
//! its first exchange. One worker for each chat.

use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::runtime::Handle;
use tokio::sync::Notify;

use crate::change::{Expected, SessionEdit};
use crate::conversation;
use crate::error::Result;
use crate::ids::MessageNumber;
use crate::message::{Message, Role};
use crate::session::{Session, Title};
use crate::sessions::SessionHandle;
use crate::sessions::close::Ends;

/// From how many messages at most a chat is named.
pub(super) const FIRST_MESSAGES: usize = 4;

/// The turns of a chat that wait to be learned from.
#[derive(Debug, Default)]
pub(super) struct Turns {
    state: Mutex<State>,
    finished: Notify,
}

#[derive(Debug, Default)]
struct State {
    waiting: u32,
    /// The first answer that the chat may be named after.
    answer: Option<MessageNumber>,
    is_working: bool,
    dropped: u64,
}

impl Turns {
    /// Waits until nothing is being learned any more, and says how many turns were dropped since.
    pub(super) async fn drained(&self) -> u64 {
        loop {
            let finished = self.finished.notified();
            {
                let mut state = self.state();
                if !state.is_working {
                    return std::mem::take(&mut state.dropped);
                }
            }
            finished.await;
        }
    }

    /// Lets a turn wait, or drops it where too many do. True when somebody has to begin working.
    fn add(&self, most: u32) -> bool {
        let mut state = self.state();
        if state.waiting >= most {
            state.dropped += 1;
            return false;
        }
        state.waiting += 1;
        !std::mem::replace(&mut state.is_working, true)
    }

    /// Lets the chat's name wait. True when somebody has to begin working.
    fn add_title(&self, answer: MessageNumber) -> bool {
        let mut state = self.state();
        state.answer = Some(state.answer.map_or(answer, |other| other.min(answer)));
        !std::mem::replace(&mut state.is_working, true)
    }

    /// Takes everything that waits. Nothing when there is none: then the work is over.
    fn take(&self) -> Option<Work> {
        let mut state = self.state();
        let work = Work {
            turns: std::mem::take(&mut state.waiting) > 0,
            answer: state.answer.take(),
        };
        state.is_working = work.turns || work.answer.is_some();
        state.is_working.then_some(work)
    }

    /// A worker leaves: because nothing was left, or before its work was over.
    fn leave(&self, is_over: bool) {
        // Once nothing was left, somebody else may be at work already.
        if !is_over {
            let mut state = self.state();
            state.is_working = false;
            state.answer = None;
            // Nobody would begin again while the queue is full of what was left.
            state.dropped += u64::from(std::mem::take(&mut state.waiting));
        }
        self.finished.notify_waiters();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a worker takes up at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Work {
    turns: bool,
    answer: Option<MessageNumber>,
}

/// A worker. Says that its work is over, also when it panicked or was thrown away with its runtime.
struct Working {
    session: SessionHandle,
    is_over: bool,
}

impl Working {
    /// Nothing was left to do.
    fn over(mut self) {
        self.is_over = true;
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        self.session.shared.turns.leave(self.is_over);
    }
}

impl SessionHandle {
    /// Learns from the turn that ended, without anybody waiting for it. What fails or does not fit into
    /// the queue is left to the close.
    pub(super) fn learn_later(&self) {
        let most = self.engine().policy.extraction.queue_turns;
        self.work_on(|turns| turns.add(most));
    }

    /// Names the chat after its first exchange, where a model is plugged in and this answer ends it.
    pub(super) fn name_later(&self, answer: MessageNumber) {
        if self.engine().has_model() {
            self.work_on(|turns| turns.add_title(answer));
        }
    }

    fn work_on(&self, add: impl FnOnce(&Turns) -> bool) {
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        if !add(&self.shared.turns) {
            return;
        }
        let working = Working {
            session: self.clone(),
            is_over: false,
        };
        runtime.spawn(async move {
            let session = &working.session;
            while let Some(work) = session.shared.turns.take() {
                if let Some(answer) = work.answer {
                    // It has the name of its first message.
                    drop(session.name_by_model(answer).await);
                }
                if work.turns {
                    // The close learns from what this could not.
                    drop(session.learn_all(Ends::Turn).await);
                }
            }
            working.over();
        });
    }

    async fn name_by_model(&self, answer: MessageNumber) -> Result<()> {
        let is_named = |session: Session| session.title.is_some_and(|title| title.by_user);
        if is_named(self.load().await?) {
            return Ok(());
        }
        let first = self.messages(None, FIRST_MESSAGES).await?;
        // Whoever pushed an earlier answer has asked, in whichever process: nobody pays twice.
        let is_earlier = |message: &Message| {
            message.number < answer && message.utterance.role == Role::Assistant
        };
        if first.items.iter().any(is_earlier) {
            return Ok(());
        }
        let request = conversation::title_request(&first.items);
        let answer = match self.engine().complete(&request).await {
            Some(Ok(answer)) => answer,
            Some(Err(_)) | None => return Ok(()),
        };
        let Some(text) = conversation::from_answer(&answer) else {
            return Ok(());
        };
        let title = Title {
            text,
            by_user: false,
        };
        let edit = SessionEdit {
            title: Some(Some(title)),
            ..SessionEdit::default()
        };
        self.edit(Expected::Any, edit).await?;
        self.shared.titled.store(true, Ordering::Relaxed);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn turns_wait_up_to_a_bound_and_the_rest_is_counted() {
        let turns = Turns::default();
        assert!(turns.add(2), "the first begins the work");
        assert!(!turns.add(2));
        assert!(!turns.add(2), "there is no room");
        assert!(turns.take().is_some());
        assert!(!turns.add(2), "somebody is at work");
        assert!(turns.take().is_some());
        assert!(turns.take().is_none());
        assert_eq!(turns.drained().await, 1);
        assert_eq!(turns.drained().await, 0);
        assert!(turns.add(2));
    }

    #[test]
    fn a_worker_that_leaves_does_not_end_the_work_of_the_next() {
        let turns = Turns::default();
        assert!(turns.add(2));
        assert!(turns.take().is_some());
        assert!(turns.take().is_none());
        assert!(turns.add(2), "the second begins before the first is gone");
        turns.leave(true);
        assert!(turns.state().is_working);
    }

    #[tokio::test]
    async fn what_a_broken_worker_leaves_does_not_fill_the_queue() {
        let turns = Turns::default();
        assert!(turns.add(1));
        assert!(turns.take().is_some());
        assert!(!turns.add(1));
        turns.leave(false);
        assert_eq!(turns.drained().await, 1);
        assert!(turns.add(1), "somebody has to begin again");
    }
}
