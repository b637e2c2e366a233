//! A chat in the terminal whose assistant remembers: the library as a host uses it.
//!
//! [`chat`] is the part to read first: it is what a host writes. [`stand_in`] plays the model, so that
//! no key and no network is needed; [`chat::Chat`] calls it in one place, where a host calls its own.
//!
//! A chat is closed when the user moves on: to another chat, or away, also by Ctrl-C and `kill`. One whose
//! process had no time for that is closed by the next start.

pub mod arguments;
pub mod chat;
mod chats;
mod commands;
mod compress;
mod consent;
pub mod demo;
mod files;
#[cfg(test)]
mod harness;
pub mod input;
mod layers;
pub mod lines;
mod memory_page;
mod past;
pub mod policy;
pub mod screen;
mod sent;
pub mod stand_in;

/// The snippet in the README is compiled with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
