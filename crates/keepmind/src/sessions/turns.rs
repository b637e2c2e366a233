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

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Says that the work is over, also when the worker was thrown away with its runtime.
struct Working(SessionHandle);

impl Drop for Working {
    fn drop(&mut self) {
        let turns = &self.0.shared.turns;
        turns.state().is_working = false;
        turns.finished.notify_waiters();
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
        let working = Working(self.clone());
        runtime.spawn(async move {
            let session = &working.0;
            while session.shared.turns.take() {
                // The close learns from what this could not.
                drop(session.learn_all(Ends::Turn).await);
            }
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
}
