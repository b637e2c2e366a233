//! Writers of one owner in this process take turns: so what is known of the owner is what the last one wrote.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use tokio::sync::{Mutex, MutexGuard};

use crate::owner::Owner;

/// How many owners can be written to at once; of more, some wait for each other.
const STRIPES: usize = 4_096;

pub(super) struct Turns(Vec<Mutex<()>>);

impl Turns {
    pub(super) fn new() -> Self {
        Turns((0..STRIPES).map(|_| Mutex::default()).collect())
    }

    pub(super) async fn take(&self, owner: &Owner) -> MutexGuard<'_, ()> {
        let mut hasher = DefaultHasher::new();
        owner.hash(&mut hasher);
        let stripe = hasher.finish() % STRIPES as u64;
        self.0[stripe as usize].lock().await
    }
}
