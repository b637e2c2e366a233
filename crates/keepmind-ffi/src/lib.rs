//! keepmind for every language with a C foreign-function interface. The header, `include/keepmind.h`, is
//! made from this crate and says what each function promises.
//!
//! Layers, each on those above it: `status`, `guard` (fork, callbacks, panics), `handles`, `strings`, `error`,
//! `boundary` (what every call goes through); then one thin file for each C type. Every export is a guard around one call.

#![allow(non_camel_case_types)]

#[cfg(panic = "abort")]
compile_error!("keepmind-ffi needs panic = \"unwind\": a panic is caught and becomes a status");

mod status;

mod guard;
mod handles;

mod strings;

mod error;

mod boundary;

mod callback;
mod log;
mod progress;
mod reply;

mod embedder;
mod model;

mod config;

mod copy;
mod engine;

mod user;

mod session;

mod version;

#[cfg(feature = "host")]
#[doc(hidden)]
pub mod host;

#[cfg(test)]
mod tests;

pub use boundary::KM_STACK_BYTES;
pub use callback::*;
pub use config::*;
pub use copy::*;
pub use embedder::*;
pub use engine::*;
pub use error::*;
pub use log::*;
pub use model::*;
pub use progress::*;
pub use reply::*;
pub use session::*;
pub use status::*;
pub use strings::*;
pub use user::*;
pub use version::*;
