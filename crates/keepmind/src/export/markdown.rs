//! A user's memory as Markdown that they edit, and the edited copy back.

use crate::edited::MarkdownReport;
use crate::engine::UserMemory;
use crate::error::Result;
use crate::markdown::{MarkdownFile, Reader, document, files};

/// What the one file is called that holds everything.
const DOCUMENT: &str = "memory.md";

/// Markdown that a person has edited: all files of a folder, some of them, or one document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EditedMarkdown {
    /// The files.
    pub files: Vec<MarkdownFile>,
    /// Only says what would become of each difference.
    pub dry_run: bool,
    /// Who edited it: the one that the copy was written for.
    pub reader: Reader,
}

impl EditedMarkdown {
    /// Those files.
    pub fn new(files: impl IntoIterator<Item = MarkdownFile>) -> Self {
        EditedMarkdown {
            files: files.into_iter().collect(),
            dry_run: false,
            reader: Reader::User,
        }
    }

    /// Writes nothing, and says what it would.
    #[must_use]
    pub fn dry_run(mut self) -> Self {
        self.dry_run = true;
        self
    }

    /// A model edited its copy: it is only said what that would come to. The copy's own head is the model's to forge,
    /// so it is for the host to say.
    #[must_use]
    pub fn by_model(mut self) -> Self {
        self.reader = Reader::Model;
        self.dry_run()
    }
}

impl From<&str> for EditedMarkdown {
    fn from(text: &str) -> Self {
        EditedMarkdown::from(text.to_owned())
    }
}

impl From<String> for EditedMarkdown {
    fn from(text: String) -> Self {
        EditedMarkdown::new([MarkdownFile::new(DOCUMENT, text)])
    }
}

impl From<Vec<MarkdownFile>> for EditedMarkdown {
    fn from(files: Vec<MarkdownFile>) -> Self {
        EditedMarkdown::new(files)
    }
}

impl UserMemory {
    /// Everything that is live of this user and may be told to the reader, as one Markdown document to read and edit.
    ///
    /// One memory a line, under its category's heading, in the policy's order and then by number; the same data
    /// gives the same bytes. A line begins with the fact's number and version, `- [#12 v3] Lives in Lyon`. How
    /// it is known, its key, value and expiry stand in a comment behind the words, a long detail is quoted
    /// below; neither is edited there. Episodes and, for the user, digests come last, marked as compiled.
    pub async fn markdown(&self, reader: Reader) -> Result<String> {
        let written = self.engine.write_markdown(&self.owner, reader, document);
        written.await
    }

    /// The same as a folder: a file for each category, and for what is compiled. Names hold letters, digits, `_`
    /// and `-`, and end in `.md`. Writing the files is the host's.
    pub async fn markdown_files(&self, reader: Reader) -> Result<Vec<MarkdownFile>> {
        let written = self.engine.write_markdown(&self.owner, reader, files);
        written.await
    }

    /// Makes what was edited in a copy so: one write, the user's own word, taken back by one token.
    ///
    /// - Other words, another heading, or `rule` put into its brackets or taken out, are a new version of the fact; a line without a mark is a new fact of
    ///   the category it stands under; a line that was taken out is forgotten.
    /// - A line only counts as taken out of a section whose heading and closing comment are there: a file that is
    ///   missing has nothing forgotten, and one that was cut is refused.
    /// - A fact that has changed since the copy was made stays as it is now where its line was not edited.
    ///   Where it was, that is a conflict.
    /// - One conflict, or one line that cannot be (damaged, twice there, of a fact that never was there, too long),
    ///   and nothing is written at all. The report names every one, and everything that is not edited here.
    ///
    /// A model's copy is only read as a dry run, and as [`EditedMarkdown::by_model`]: what it edited is for tools to
    /// write, which hold it against what the user said. Of what was kept back from it nothing is told, and nothing
    /// counts as taken out.
    ///
    /// Words are cleaned and limited as those of [`UserMemory::save`] are. What is no copy of this user's, has a
    /// newer format, an unknown section, or is too large is an error.
    pub async fn read_markdown(&self, edited: impl Into<EditedMarkdown>) -> Result<MarkdownReport> {
        let EditedMarkdown {
            files,
            dry_run,
            reader,
        } = edited.into();
        let read = self.engine.read_markdown(self, &files, reader, dry_run);
        read.await
    }
}
