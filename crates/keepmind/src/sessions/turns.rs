//! Learning from a chat turn by turn, off its path: a bounded queue with one worker for each chat.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::runtime::Handle;
use tokio::sync::Notify;

use crate::sessions::SessionHandle;
use crate::sessions::close::Ends;

/// The turns of a chat that wait to be learned from.
#[derive(Debug, Default)]
pub(super) struct Turns {
    state: Mutex<State>,
    finished: Notify,
}

#[derive(Debug, Default)]
struct State {
    waiting: u32,
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

    /// Takes everything that waits. False when there is nothing: then the work is over.
    fn take(&self) -> bool {
        let mut state = self.state();
        let is_any = std::mem::take(&mut state.waiting) > 0;
        state.is_working = is_any;
        is_any
    }

    /// A worker leaves: because nothing was left, or before its work was over.
    fn leave(&self, is_over: bool) {
        // Once nothing was left, somebody else may be at work already.
        if !is_over {
            let mut state = self.state();
            state.is_working = false;
            // Nobody would begin again while the queue is full of what was left.
            state.dropped += u64::from(std::mem::take(&mut state.waiting));
        }
        self.finished.notify_waiters();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        let most = self.engine().policy.extraction.queue_turns;
        if !self.shared.turns.add(most) {
            return;
        }
        let working = Working {
            session: self.clone(),
            is_over: false,
        };
        runtime.spawn(async move {
            while working.session.shared.turns.take() {
                // The close learns from what this could not.
                drop(working.session.learn_all(Ends::Turn).await);
            }
            working.over();
        });
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
        assert!(turns.take());
        assert!(!turns.add(2), "somebody is at work");
        assert!(turns.take());
        assert!(!turns.take());
        assert_eq!(turns.drained().await, 1);
        assert_eq!(turns.drained().await, 0);
        assert!(turns.add(2));
    }

    #[test]
    fn a_worker_that_leaves_does_not_end_the_work_of_the_next() {
        let turns = Turns::default();
        assert!(turns.add(2));
        assert!(turns.take());
        assert!(!turns.take());
        assert!(turns.add(2), "the second begins before the first is gone");
        turns.leave(true);
        assert!(turns.state().is_working);
    }

    #[tokio::test]
    async fn what_a_broken_worker_leaves_does_not_fill_the_queue() {
        let turns = Turns::default();
        assert!(turns.add(1));
        assert!(turns.take());
        assert!(!turns.add(1));
        turns.leave(false);
        assert_eq!(turns.drained().await, 1);
        assert!(turns.add(1), "somebody has to begin again");
    }
}
