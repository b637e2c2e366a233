//! What the tests of keepmind share: the stores to be tested, numbers without a pattern, plans made at
//! random, and answers worked out the slow way.

pub mod answers;
pub mod backends;
pub mod chats;
pub mod claims;
pub mod cluster;
pub mod drafts;
pub mod fuzzed;
pub mod history;
pub mod host;
pub mod invariants;
pub mod learned;
pub mod listener;
pub mod moody;
pub mod naive;
mod planner;
pub mod pooler;
pub mod proxy;
pub mod random;

pub use backends::{Backend, compared, lasting, stores};
pub use random::Random;
