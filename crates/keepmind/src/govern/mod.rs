//! What keeps a memory answerable: what was used and why, how much there is, how well it does, what wants a look,
//! and where a reply presumes what the user thinks. Pure: from rows and counts to data and a readable report; reading them is the engine's.

mod citation;
mod health;
mod latency;
mod lineage;
mod metrics;
mod past;
mod phrasing;
mod review;
mod stats;
mod timeline;
mod used;
mod words;

pub(crate) use citation::citations;
pub use citation::{Citation, CitedBy};
pub use health::{BlockPressure, Concern, ConcernKind, Health};
pub(crate) use health::{Examined, health};
pub(crate) use latency::Histogram;
pub use latency::Latency;
pub(crate) use lineage::{DEEPEST, Kin, MOST_ROWS, Way};
pub use lineage::{
    LineageChat, LineageObservation, LineageQuote, LineageRow, LineageStep, LineageTree, Seen,
};
pub use metrics::{ExtractionCounts, Metrics, TokenUse, UserMetrics};
pub(crate) use past::before;
pub use phrasing::{Phrasing, PhrasingKind, check_phrasing};
pub use review::{Doubt, DoubtKind, Known, KnownCategory, Review, ReviewAction, Sureness};
pub(crate) use review::{ReviewDates, Reviewed, review};
pub(crate) use stats::Settled;
pub use stats::{ProposalCounts, SessionCounts, Sizes, Stats};
pub(crate) use timeline::timeline;
pub use timeline::{Timeline, TimelineEvent, TimelineVersion};
pub(crate) use used::session_usage;
pub use used::{KindUsage, MemoryUsage, SessionUsage, UsagePage};
