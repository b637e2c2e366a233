//! Writers of one owner in this process take turns: so what is known of the owner is what the last one wrote.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::Duration;

use tokio::sync::{Mutex, MutexGuard};

use crate::error::{Error, ErrorKind, Result};
use crate::owner::Owner;

/// How many owners can be written to at once; of more, some wait for each other.
const STRIPES: usize = 4_096;

pub(super) struct Turns(Vec<Mutex<()>>);

impl Turns {
    pub(super) fn new() -> Self {
        Turns((0..STRIPES).map(|_| Mutex::default()).collect())
    }

    /// Waits for a turn, but no longer than that.
    pub(super) async fn take(
        &self,
        owner: &Owner,
        operation: &'static str,
        patience: Option<Duration>,
    ) -> Result<MutexGuard<'_, ()>> {
        let mut hasher = DefaultHasher::new();
        owner.hash(&mut hasher);
        let stripe = hasher.finish() % STRIPES as u64;
        let turn = self.0[stripe as usize].lock();
        match patience {
            None => Ok(turn.await),
            Some(patience) => tokio::time::timeout(patience, turn).await.map_err(|_| {
                Error::new(
                    ErrorKind::Busy,
                    operation,
                    "other writers of the same owner took too long: call again, or allow more time",
                )
            }),
        }
    }
}
