//! Enumerations as the words they are stored by, so that a person can read the file.

use crate::journal::Who;
use crate::memory::{Authority, Layer, Source, Trust};
use crate::message::{MessageOrigin, Role};
use crate::session::SessionStatus;
use crate::trace::TraceOutcome;
use crate::usage::UsageKind;

/// Something stored as one of a few words. A word's meaning never changes.
pub(crate) trait Word: Sized {
    fn word(&self) -> &'static str;
    fn read(word: &str) -> Option<Self>;
}

macro_rules! words {
    ($($kind:ident { $($variant:ident = $word:literal),+ $(,)? })+) => {$(
        impl Word for $kind {
            fn word(&self) -> &'static str {
                match self {
                    $($kind::$variant => $word,)+
                }
            }

            fn read(word: &str) -> Option<Self> {
                match word {
                    $($word => Some($kind::$variant),)+
                    _ => None,
                }
            }
        }
    )+};
}

words! {
    Layer { Episode = "episode", Fact = "fact", Digest = "digest" }
    Authority { Note = "note", Rule = "rule" }
    Source { User = "user", Agent = "agent", Extracted = "extracted", Derived = "derived", Imported = "imported" }
    Trust { Derived = "derived", Extracted = "extracted", Agent = "agent", User = "user" }
    Who { User = "user", Agent = "agent", Extractor = "extractor", Consolidator = "consolidator", Sweep = "sweep", Host = "host" }
    SessionStatus { Active = "active", Idle = "idle", Archived = "archived" }
    Role { System = "system", User = "user", Assistant = "assistant", Tool = "tool" }
    MessageOrigin { Typed = "typed", Prefill = "prefill" }
    TraceOutcome { Complete = "complete", Failed = "failed" }
    UsageKind { Retrieved = "retrieved", Applied = "applied", Cited = "cited", Conflicted = "conflicted", Overridden = "overridden" }
}
