//! What a message is given to remember with, as pure functions: how many memories, in which order a model
//! puts them, which domains it speaks of, and what of it all fits. Reading rows is the engine's.

mod context;
mod domain_words;
mod limit;
mod message_words;
mod offers;
mod repeats;
pub(crate) mod rerank;
mod routes;

pub use context::{Context, Item, LeftOut, LeftOutReason, Tier, Used};
pub(crate) use context::{Material, Room, assemble};
pub use limit::recall_limit;
pub(crate) use offers::{Fitting, Sections, of_domains, recalled, said};
pub(crate) use repeats::{Seen, facts_first, repeated};
pub(crate) use routes::domains;
