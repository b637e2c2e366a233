//! What keeps a memory answerable: what was used and why, how much there is, how well it does, what wants a look,
//! and where a reply presumes what the user thinks. Pure: from rows and counts to data and a readable report; reading them is the engine's.

mod citation;
mod health;
mod latency;
mod metrics;
mod phrasing;
mod stats;
mod used;

pub(crate) use citation::citations;
pub use citation::{Citation, CitedBy};
pub use health::{BlockPressure, Concern, ConcernKind, Health};
pub(crate) use health::{Examined, health};
pub(crate) use latency::Histogram;
pub use latency::Latency;
pub use metrics::{ExtractionCounts, Metrics, TokenUse, UserMetrics};
pub use phrasing::{Phrasing, PhrasingKind, check_phrasing};
pub(crate) use stats::Settled;
pub use stats::{ProposalCounts, SessionCounts, Sizes, Stats};
pub(crate) use used::session_usage;
pub use used::{KindUsage, MemoryUsage, SessionUsage, UsagePage};
