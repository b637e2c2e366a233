//! Anthropic's Messages API for keepmind: [`Anthropic`] is a model that the library asks (what to learn from a chat,
//! how to sum it up), [`MemoryTool`] serves the provider's own memory tool from the user's memories, and [`Assistant`]
//! is a chat that has both. The library itself opens no connection: this is what a host writes.
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use keepmind::{InMemoryStore, Keepmind};
//! use keepmind_example_anthropic::{Anthropic, Assistant};
//!
//! # async fn chat() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
//! let model = Anthropic::new("https://api.anthropic.com", "a key", "claude-sonnet-4-5")?;
//! let keepmind = Keepmind::builder(Arc::new(InMemoryStore::new()))
//!     .model(Arc::new(model.clone()))
//!     .build()?;
//! let mut assistant = Assistant::open(model, &keepmind, &keepmind.user("alice")?).await?;
//! let said = assistant.say("I only fly by day. What do you know about me?").await?;
//! println!("{}", said.text);
//! for event in said.events {
//!     println!("{}", event.line); // what its memory tool wrote, each with its undo
//! }
//! assistant.close().await?; // learns from the chat, by the same model
//! # Ok(())
//! # }
//! ```

mod answer;
mod assistant;
mod client;
mod commands;
mod files;
mod memory_tool;
mod paths;
mod views;
mod writes;

pub use assistant::{Assistant, Failure, Spoken};
pub use client::Anthropic;
pub use memory_tool::{MemoryTool, ToolAnswer};
