//! The right to learn from a chat, so that two do not both pay the model.

use std::time::Duration;

use crate::attempt::{Attempt, until_done};
use crate::change::{Expected, LeaseChange, SessionEdit, Slice};
use crate::error::{ErrorKind, Result};
use crate::ids::LeaseHolder;
use crate::session::{Lease, Session};
use crate::sessions::SessionHandle;

/// How many times longer than one's own a lease of another process may be: its policy may differ.
const LEASES_APART: u32 = 10;

impl SessionHandle {
    /// For how long a lease is given: whoever waits for the model must still have it when the answer comes, and
    /// time to keep it.
    fn granted(&self) -> Duration {
        let engine = self.engine();
        let seconds = Duration::from_secs(u64::from(engine.policy.close.lease_seconds));
        seconds.saturating_add(engine.longest_wait())
    }

    /// Whether somebody still has a lease.
    pub(super) fn is_held(&self, lease: Lease) -> bool {
        let now = self.engine().now();
        // One that runs far longer than any was given by a clock that went wrong.
        let longest = now.saturating_add(self.granted().saturating_mul(LEASES_APART));
        lease.until > now && lease.until <= longest
    }

    /// The right to learn from the chat; nothing while somebody else has it.
    pub(super) async fn take_lease(&self, session: &Session) -> Result<Option<Lease>> {
        let engine = self.engine();
        if session.lease.is_some_and(|lease| self.is_held(lease)) {
            return Ok(None);
        }
        let lease = Lease {
            holder: LeaseHolder::new(engine.new_id()),
            until: engine.now().saturating_add(self.granted()),
        };
        let edit = SessionEdit {
            lease: Some(LeaseChange {
                expected: session.lease,
                to: Some(lease),
            }),
            ..SessionEdit::default()
        };
        // Where somebody was faster there is nothing left to have the right to: a lease on a chat that is
        // learned from already would be found by nobody if this process ended now. How far it was learned
        // from moves the revision.
        until_done("close", || async {
            let slice = Slice::session(self.id);
            let seen = engine.load(&self.memory.owner, &slice).await?;
            let is_as_before = seen.session(self.id).is_some_and(|now| {
                now.lease == session.lease
                    && now.status == session.status
                    && now.extracted_through == session.extracted_through
            });
            if !is_as_before {
                return Ok(Attempt::Done(None));
            }
            let expected = Expected::At(seen.state().revision);
            let taken = Attempt::of(self.edit(expected, edit.clone()).await)?;
            Ok(taken.map(|()| Some(lease)))
        })
        .await
    }

    /// Gives back the right to learn from the chat, unless somebody else has it by now.
    pub(super) async fn give_back(&self, lease: Lease) -> Result<()> {
        let edit = SessionEdit {
            lease: Some(LeaseChange {
                expected: Some(lease),
                to: None,
            }),
            ..SessionEdit::default()
        };
        match self.edit(Expected::Any, edit).await {
            Err(error) if error.kind() != ErrorKind::Conflict => Err(error),
            _ => Ok(()),
        }
    }
}
