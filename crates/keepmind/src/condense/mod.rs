//! Having a model say many facts in few lines: what it is asked, and how its answer is read. Whether a line
//! may stand is `plan::consolidate`'s.

mod ask;
mod reply;

pub(crate) use ask::{Question, request};
pub(crate) use reply::read;
