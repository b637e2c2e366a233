//! What is made of a chat without touching a store: which messages a model still sees, what is said of the
//! others, what the chat is called, how a search shows it, and how long ago it was.
//!
//! Pure functions of their arguments. When they are asked, and where the answers go, lives with the sessions.

mod answer;
mod asking;
mod borders;
mod cut;
mod echo;
mod episode;
mod extractive;
mod markup;
mod recency;
mod snippet;
mod spoken;
mod title;
mod transcript;
mod words;

#[cfg(test)]
mod fixtures;

pub(crate) use answer::{spoken_answer, summary_from_answer};
pub(crate) use asking::{EARLIER, summary_request, title_request};
pub(crate) use borders::shortened;
pub(crate) use cut::{Cut, Recent, Room, cut};
pub(crate) use echo::is_echo;
pub(crate) use episode::{Quoted, narrated, topics, weight};
pub(crate) use extractive::summarise;
pub(crate) use recency::{LocalTime, recency};
pub(crate) use snippet::snippet;
pub(crate) use spoken::{own_words, readable_line};
pub(crate) use title::{from_answer, from_first_message};
pub(crate) use transcript::{Section, bounded, fenced, fenced_sections, plainly};

pub use recency::Recency;
pub use snippet::Snippet;
