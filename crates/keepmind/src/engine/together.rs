//! What handles of one chat have in common in this process, for as long as one of them lives.

use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::ids::SessionId;
use crate::owner::Owner;

/// From how many on it is looked through for those that nobody holds any more.
const FEW: usize = 64;

/// What is held together, by owner and chat.
#[derive(Default)]
pub(super) struct Together(Mutex<Held>);

#[derive(Default)]
struct Held {
    chats: HashMap<(Owner, SessionId), Weak<dyn Any + Send + Sync>>,
    /// How many were held when it was last looked through.
    looked: usize,
}

impl fmt::Debug for Together {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Together")
    }
}

impl Together {
    /// What the other handles of the chat have, or something new where there is none.
    pub(super) fn of<T>(&self, owner: &Owner, session: SessionId, new: impl FnOnce() -> T) -> Arc<T>
    where
        T: Any + Send + Sync,
    {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (owner.clone(), session);
        let known = held.chats.get(&key).and_then(Weak::upgrade);
        if let Some(known) = known.and_then(|known| known.downcast::<T>().ok()) {
            return known;
        }
        if held.chats.len() >= 2 * held.looked.max(FEW) {
            held.chats.retain(|_, held| held.strong_count() > 0);
            held.looked = held.chats.len();
        }
        let made = Arc::new(new());
        let shared: Arc<dyn Any + Send + Sync> = Arc::clone(&made) as _;
        held.chats.insert(key, Arc::downgrade(&shared));
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_lasts_as_long_as_somebody_holds_it_and_no_longer() {
        let together = Together::default();
        let owner = Owner::new("alice").unwrap();
        let chat = |number| SessionId::new(uuid::Uuid::from_u128(number));
        let first = together.of(&owner, chat(1), || 1);
        assert_eq!(*together.of(&owner, chat(1), || 2), 1);
        drop(first);
        assert_eq!(*together.of(&owner, chat(1), || 3), 3);
        for number in 0..10_000 {
            together.of(&owner, chat(number), || 0);
        }
        assert!(together.0.lock().unwrap().chats.len() < 3 * FEW);
    }
}
