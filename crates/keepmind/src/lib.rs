//! Long-term memory for LLM assistants, as a library.
//!
//! A host application has a chat and a model. It links this crate and its assistant remembers what users
//! say: kept, visible, correctable, undoable, bounded in the prompt, and never another user's. Code
//! decides what is kept, every memory has evidence, and nothing is ever overwritten.
//!
//! Begin with [`Keepmind`]: built on a [`MemoryStore`], it gives each user's [`UserMemory`], which opens
//! a [`SessionHandle`] for each chat.
//!
//! Modules are listed in reading order: each uses only those above it.

#![forbid(unsafe_code)]

mod attempt;
mod error;
mod json;
mod order;
mod strict;
mod timestamp;

mod ids;
mod owner;

mod consent;
mod consolidated;
mod digest;
mod edited;
mod embedding;
mod event;
mod imported;
mod journal;
mod link;
mod memory;
mod message;
mod observation;
mod proposal;
mod refusal;
mod report;
mod row;
mod session;
mod tombstone;
mod trace;
mod usage;

pub mod text;

pub mod policy;

pub mod visibility;

pub mod confidence;

mod markdown;

mod model;

pub mod testing;

mod change;

mod conversation;

mod search;

pub mod store;

pub mod command;

mod plan;

mod extract;

mod condense;

pub mod inject;

mod recall;

pub mod govern;

mod engine;

pub mod tools;

mod sessions;

mod sweep;

pub mod export;

pub mod request;

#[cfg(feature = "conformance")]
pub mod conformance;

pub use change::{
    Alteration, ChangeSet, Direction, Draft, EmbeddingChange, EntryHeader, Expected, LeaseChange,
    NewMessage, Place, Receipt, RowChange, SessionChange, SessionEdit, Slice, Snapshot,
    TraceChange, limits,
};
pub use command::{Command, Query};
pub use consent::Consent;
pub use consolidated::{Consolidated, Grade, Settled, Settling};
pub use conversation::{Recency, Snippet};
pub use digest::{Digest, DigestKind, DigestLine};
pub use edited::{MarkdownFate, MarkdownLine, MarkdownReport};
pub use embedding::{EmbeddingKey, Vector, VectorError};
pub use engine::{
    Answer, Fact, Feed, Keepmind, KeepmindBuilder, Memories, Observations, Patience, RecallStats,
    Recalled, UserMemory,
};
pub use error::{Error, ErrorKind, Result};
pub use event::{EventKind, MemoryEvent, Outcome, UndoToken, UndoTokenError, Verdict};
pub use govern::{
    BlockPressure, Citation, CitedBy, Concern, ConcernKind, Doubt, DoubtKind, ExtractionCounts,
    Health, KindUsage, Known, KnownCategory, Latency, LineageChat, LineageObservation,
    LineageQuote, LineageRow, LineageStep, LineageTree, MemoryUsage, Metrics, Phrasing,
    PhrasingKind, ProposalCounts, Review, ReviewAction, Seen, SessionCounts, SessionUsage, Sizes,
    Stats, Sureness, Timeline, TimelineEvent, TimelineVersion, TokenUse, UsagePage, UserMetrics,
};
pub use ids::{
    CountError, Epoch, GroupId, LeaseHolder, MessageNumber, MessageOrdinal, Number, ObservationId,
    OperationId, Origin, RowId, SessionId, UsageId, Version,
};
pub use imported::{ImportFate, ImportReport, ImportedLine};
pub use journal::{Effect, JournalEntry, Who};
pub use link::Link;
pub use memory::{Authority, Claim, Evidence, Layer, Lineage, Marks, Memory, Source, Span, Trust};
pub use message::{Message, MessageOrigin, Role, Utterance};
pub use model::{
    ApproximateTokens, Clock, CountingIds, Embedder, IdSource, ManualClock, Model, ModelByTask,
    ModelChain, ModelRequest, PlugError, SystemClock, Task, TimeOrderedIds, TokenCounter,
};
pub use observation::Observation;
pub use owner::{Owner, OwnerError, OwnerState, Revision};
pub use policy::Policy;
pub use proposal::{Proposal, ProposedOperation, Rival, Target};
pub use recall::{Context, Item, LeftOut, LeftOutReason, Tier, Used, recall_limit};
pub use refusal::{Candidate, Code, Refusal};
pub use report::{Fate, Lesson, Report};
pub use row::{Body, End, Kind, MemoryRow, Row, State, Why};
pub use search::Around;
pub use session::{FrozenBlock, Lease, Recap, Session, SessionStatus, Title};
pub use sessions::{
    Closed, Closing, Push, Pushed, RunningCall, SessionHandle, SessionHit, SessionLine,
    SessionList, SessionPage, View,
};
pub use store::MemoryStore;
pub use store::in_memory::InMemoryStore;
#[cfg(feature = "postgres")]
pub use store::postgres::PostgresStore;
#[cfg(feature = "sqlite")]
pub use store::sqlite::SqliteStore;
pub use sweep::{SweepFailure, SweepProgress, SweepReport};
pub use timestamp::{Timestamp, TimestampError};
pub use tombstone::Tombstone;
pub use tools::{ToolReply, ToolShape};
pub use trace::{Trace, TraceKey, TraceOutcome};
pub use usage::{Usage, UsageKind};
pub use uuid::Uuid;
