//! Writers of one owner in this process queue here; the revision check is for other processes.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use tokio::sync::{Mutex, MutexGuard};

use crate::owner::Owner;

const STRIPES: usize = 64;

/// A fixed number of locks, shared by all owners.
#[derive(Debug)]
pub(super) struct Locks {
    hasher: RandomState,
    stripes: Vec<Mutex<()>>,
}

impl Default for Locks {
    fn default() -> Self {
        Locks {
            hasher: RandomState::new(),
            stripes: (0..STRIPES).map(|_| Mutex::new(())).collect(),
        }
    }
}

impl Locks {
    /// Waits for those of the same owner that came before.
    pub(super) async fn of(&self, owner: &Owner) -> MutexGuard<'_, ()> {
        let hash = usize::try_from(self.hasher.hash_one(owner) % STRIPES as u64).unwrap_or(0);
        self.stripes[hash].lock().await
    }
}
