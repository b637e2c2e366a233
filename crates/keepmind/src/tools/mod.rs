//! The tools that a model is offered: their definitions in the shapes of OpenAI, Anthropic and MCP, and
//! reading a model's call into typed arguments.
//!
//! What tools there are and what they take stands once, in `schema`: a definition is written from it and
//! a call is held against it. All of it is pure; nothing here runs a tool or looks at a memory.
//!
//! A call is untrusted input. It is read exactly or refused with a message that says how to call it
//! right: a name that is almost right never runs, and an argument that is not known is never ignored.

mod arguments;
mod call;
mod definitions;
mod dispatch;
mod names;
mod readings;
mod record;
mod schema;
mod wording;

#[cfg(test)]
mod tests;

pub(crate) use arguments::{ProposeArguments, SaveArguments, ToolRequest, UpdateArguments};
pub use call::MAX_CALL_BYTES;
pub(crate) use call::{parse, parse_text};
pub use definitions::{ToolShape, definitions};
pub use dispatch::ToolReply;
pub(crate) use dispatch::dispatch;
pub(crate) use record::{call_id, plain_name, recorded_arguments};

use std::fmt::Display;

use crate::refusal::{Code, Refusal};

/// The most characters of a message to a model.
const MESSAGE_CHARACTERS: usize = 400;

/// A no to a model: one line, never longer than a model should have to read.
fn refuse(code: Code, message: impl Display) -> Refusal {
    Refusal::new(code, cut(&message.to_string(), MESSAGE_CHARACTERS))
}

/// The names, divided by commas, as many as fit.
fn listed<'a>(names: impl IntoIterator<Item = &'a str>, characters: usize) -> String {
    let list = names.into_iter().collect::<Vec<_>>().join(", ");
    cut(&list, characters)
}

fn cut(text: &str, characters: usize) -> String {
    if text.chars().count() <= characters {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(characters - 1).collect();
    short.push('…');
    short
}
