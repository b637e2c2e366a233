//! Learning memories from a chat: what a model is asked, how its answer is read, where its words stand in
//! the chat, and what code reads by itself where there is no model. What becomes of it is `plan::learn`'s.

mod ask;
mod candidates;
mod ground;
mod reply;
mod spoken;

#[cfg(test)]
mod fixtures;

pub(crate) use ask::{MADE_UP, Question, again, request};
pub(crate) use candidates::{proposed, read as read_from};
pub(crate) use ground::Chat;
pub(crate) use reply::{Reply, answered_object, read as read_reply};
pub(crate) use spoken::statements;
