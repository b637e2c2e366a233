//! Memories as Markdown that a person, or a model, edits: one line a memory, under its category's heading. Writing
//! and reading of text only; what a difference means for the data is judged in `plan/edit`.
//!
//! A line carries the fact's number and version, in brackets before its words: `- [#12 v3] Lives in Lyon`. What
//! follows the words in a comment, and the quoted lines below, are shown and not edited. A section that was
//! written here ends with a comment that names it, so that one that was cut is told from one that was emptied.

mod escape;
mod read;
mod write;

use serde::{Deserialize, Serialize};

use crate::ids::{Number, Version};
use crate::memory::{Authority, Layer};
use crate::timestamp::Timestamp;

pub(crate) use read::read;
pub(crate) use write::{Shown, details, document, files, quoted};

/// The form that is written; what is newer is not read.
const FORMAT: u32 = 1;

/// What stands behind the form of a copy that was written for a model.
const FOR_MODEL: &str = " for a model";

/// How much Markdown is read at once.
pub(crate) const MOST_BYTES: usize = 8 << 20;
/// How long one line may be: longer than the longest that is written.
const LONGEST_LINE: usize = 256 << 10;
/// How many files, and how many sections, are read at once.
const MOST_FILES: usize = 1_000;

/// One file of Markdown, in a folder or alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct MarkdownFile {
    /// What it is called: of those that are written, letters, digits, `_`, `-`, and `.md` at the end.
    pub name: String,
    /// All of it.
    pub text: String,
}

impl MarkdownFile {
    /// A file of that name.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        MarkdownFile {
            name: name.into(),
            text: text.into(),
        }
    }
}

/// Who reads a copy.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Reader {
    /// The user: all that is live, also what their assistant is not told for want of consent.
    #[default]
    User,
    /// A model: only what it may be told, without what consent was withdrawn for, and without digests, which
    /// repeat what other memories say. What a model edited is not the user's word: its copy is read as
    /// [`by_model`](crate::export::EditedMarkdown::by_model), which says what was edited, and tools write that.
    Model,
}

impl Reader {
    pub(crate) fn is_user(&self) -> bool {
        *self == Reader::User
    }
}

/// A file as it was read.
#[derive(Debug)]
pub(crate) struct Page {
    pub name: String,
    /// The owner's last stamp when it was written: what was recorded later cannot be in it.
    pub as_of: Timestamp,
    /// What had expired by then is not in it either; never before `as_of`.
    pub expired_by: Timestamp,
    /// Whom it was written for.
    pub reader: Reader,
    pub sections: Vec<Section>,
    /// Lines that are nothing that can be read, and why.
    pub problems: Vec<(u64, &'static str)>,
}

/// What stands under one heading.
#[derive(Debug)]
pub(crate) struct Section {
    pub part: Part,
    /// The line of the comment that ends it, where there is one: only then is what it lacks known to be taken out.
    pub end: Option<u64>,
    pub items: Vec<Item>,
}

/// Which part of the memory a section shows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    /// The facts of a category.
    Category(String),
    /// What the library makes of other rows.
    Compiled(Layer),
}

/// A line of a list.
#[derive(Debug)]
pub(crate) struct Item {
    /// Which line of the file, from 1.
    pub line: u64,
    /// Which row it says it is.
    pub mark: Option<(Number, Version)>,
    /// What it is marked as.
    pub authority: Authority,
    /// The words, not yet cleaned.
    pub text: String,
    /// What stands in the comment behind the words.
    pub details: Option<String>,
    /// The quoted lines below.
    pub quoted: Vec<String>,
}
