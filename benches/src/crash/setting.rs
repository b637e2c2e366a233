//! What both processes agree on: the file, the clock, the policy, and who uses it when.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use keepmind::policy::ExtractionMode;
use keepmind::store::sqlite::{OpenCheck, SqliteOptions};
use keepmind::{
    Clock, Keepmind, KeepmindBuilder, MemoryStore, Patience, Policy, SqliteStore, SystemClock,
    Timestamp,
};

use crate::Result;
use crate::workload::Random;

pub const FILE: &str = "crash.db";
/// Tasks at once for each user.
pub const LANES: usize = 2;
/// The users of a generation.
const NAMES: [&str; 3] = ["ada", "ben", "cleo"];
/// After so many cycles others come, and those who were there are erased: the file stays small, however
/// long it runs.
const GENERATION: u64 = 25;
/// How far the clock is moved on from cycle to cycle. Longer than a lease, so that whoever comes next
/// finds what the dead have left expired.
const STEP: Duration = Duration::from_secs(7_200);
/// After so many cycles without a message the sweep closes a chat: three hours.
pub const STALE_CYCLES: u64 = 2;
/// After so many cycles the sweep archives chats and empties the trash: a day.
pub const DAY_CYCLES: u64 = 12;
/// The longest that anybody may keep others from a chat.
pub const LEASE: Duration = Duration::from_secs(120);
/// A model that takes longer has failed.
const PATIENCE: Duration = Duration::from_millis(500);

/// Who uses the memory in a cycle.
pub fn users(cycle: u64) -> Vec<String> {
    let generation = cycle / GENERATION;
    let name = |name: &&str| format!("{name}-{generation}");
    NAMES.iter().map(name).collect()
}

/// The machine's clock, moved on.
#[derive(Debug)]
pub struct MovedClock(Duration);

impl MovedClock {
    /// The clock of a cycle.
    pub fn of(cycle: u64) -> Self {
        MovedClock(Duration::from_secs(cycle * STEP.as_secs()))
    }

    /// A clock that is that many cycles ahead.
    pub fn ahead(self, cycles: u32) -> Self {
        MovedClock(self.0 + STEP * cycles)
    }
}

impl Clock for MovedClock {
    fn now(&self) -> Timestamp {
        SystemClock.now().saturating_add(self.0)
    }
}

/// Whether chats are learned from turn by turn in that cycle.
pub fn learns_every_turn(seed: u64, cycle: u64) -> bool {
    Random::of(&[seed, cycle, 1]).below(4) == 0
}

/// Whether the child sweeps in that cycle.
pub fn sweeps(seed: u64, cycle: u64) -> bool {
    Random::of(&[seed, cycle, 2]).below(5) < 2
}

/// Opens the store, reading through the whole file first.
pub async fn open(path: &Path) -> Result<Arc<dyn MemoryStore>> {
    let options = SqliteOptions::new(path).check(OpenCheck::Always);
    Ok(Arc::new(SqliteStore::open_with(options).await?))
}

/// The engine on that store; the child may add a model.
pub fn engine(store: Arc<dyn MemoryStore>, clock: MovedClock, policy: Policy) -> KeepmindBuilder {
    Keepmind::builder(store)
        .policy(policy)
        .clock(Arc::new(clock))
        .patience(Patience::default().model(PATIENCE).retries(0, PATIENCE))
}

/// Closes and tries again as told above, and lets nothing go.
pub fn closing_policy() -> Policy {
    let mut policy = Policy::default();
    policy.close.lease_seconds = LEASE.as_secs() as u32;
    policy.close.stale_after_seconds = 10_800;
    policy.close.backoff_seconds = 60;
    policy.close.backoff_limit_seconds = 600;
    policy
}

/// The policy of a child: after a day chats are archived and the trash is emptied.
pub fn policy(every_turn: bool) -> Policy {
    let mut policy = closing_policy();
    policy.retention.archive_after_idle_days = 1;
    policy.retention.session_trash_days = 1;
    policy.retention.trash_days = 1;
    if every_turn {
        policy.extraction.mode = ExtractionMode::EveryTurn;
    }
    policy
}
