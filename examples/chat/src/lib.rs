//! A chat in the terminal whose assistant remembers: the library as a host uses it.
//!
//! [`chat`] is the part to read first: it is what a host writes. [`stand_in`] plays the model, so that
//! no key and no network is needed; [`chat::Chat`] calls it in one place, where a host calls its own.

pub mod arguments;
pub mod chat;
mod commands;
pub mod demo;
pub mod lines;
mod memory_page;
mod past;
pub mod screen;
pub mod stand_in;

/// The snippet in the README is compiled with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;
