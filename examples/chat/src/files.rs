//! `/export` and `/import`: everything of the user as a file of JSON Lines, and what another one holds; or what is
//! known as Markdown, and what was edited in it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

use keepmind::export::{EditedMarkdown, Import, MarkdownFile, Reader};
use keepmind::{Error, ErrorKind, ImportFate, MarkdownFate, Result};

use crate::chat::Chat;
use crate::screen::Page;

/// How much of a file is read: more than a lifetime of chats.
const LARGEST: u64 = 256 << 20;
/// What comes before a name to only see what would happen.
const DRY: &str = "dry ";

/// What a name asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// JSON Lines: everything, for another store.
    Lines,
    /// One Markdown document.
    Document,
    /// A folder of Markdown files.
    Folder,
}

/// Writes everything of the user to a new file, or what is known to new Markdown.
pub(crate) async fn export(chat: &Chat, name: &str, page: &mut Page) -> Result<()> {
    let form = form(name)?;
    let at = chat.folder.join(name);
    let failed = |error| failed("export", &error);
    let told = match form {
        Form::Lines => {
            let lines = chat.memory.export().await?;
            written(&at, &lines).map_err(failed)?;
            format!("Wrote {} lines.", lines.lines().count())
        }
        Form::Document => {
            written(&at, &chat.memory.markdown(Reader::User).await?).map_err(failed)?;
            format!("Wrote {name}: edit it, and /import it again.")
        }
        Form::Folder => {
            let files = chat.memory.markdown_files(Reader::User).await?;
            fs::create_dir(&at).map_err(failed)?;
            for file in &files {
                written(&at.join(&file.name), &file.text).map_err(failed)?;
            }
            let count = files.len();
            format!("Wrote {count} files to {name}: edit them, and /import it again.")
        }
    };
    page.status(&told);
    page.note("What you have erased here stays in such a file: keep it safe.");
    Ok(())
}

/// Takes over what a file holds, or makes what was edited in it so, and says what became of it.
pub(crate) async fn import(chat: &mut Chat, given: &str, page: &mut Page) -> Result<()> {
    let dry = given.strip_prefix(DRY);
    let name = dry.unwrap_or(given).trim_start();
    let form = form(name)?;
    let at = chat.folder.join(name);
    let failed = |error| failed("import", &error);
    let files = match form {
        Form::Lines => {
            let mut import = Import::new(read(&at).map_err(failed)?);
            import.dry_run = dry.is_some();
            return import_lines(chat, import, page).await;
        }
        Form::Document => vec![MarkdownFile::new(name, read(&at).map_err(failed)?)],
        Form::Folder => read_folder(&at).map_err(failed)?,
    };
    let mut edited = EditedMarkdown::new(files);
    edited.dry_run = dry.is_some();
    read_markdown(chat, edited, page).await
}

async fn import_lines(chat: &mut Chat, import: Import, page: &mut Page) -> Result<()> {
    let report = chat.memory.import_export(import).await?;
    for line in &report.lines {
        if matches!(line.fate, ImportFate::Refused | ImportFate::Proposed) {
            page.detail(&format!("line {}: {}", line.line, line.reason));
        }
    }
    match &report.event {
        Some(event) => chat.show_write(event, page),
        None if report.dry_run => page.status(&format!("That would be: {}", report.line())),
        None => page.status(&format!("Nothing was taken over: {}", report.line())),
    }
    Ok(())
}

async fn read_markdown(chat: &mut Chat, edited: EditedMarkdown, page: &mut Page) -> Result<()> {
    let report = chat.memory.read_markdown(edited).await?;
    for line in &report.lines {
        let number = line.number.map(|number| format!(" {number}"));
        let about = number.unwrap_or_default();
        let words = match (&line.before, &line.after) {
            (Some(before), Some(after)) if before != after => format!("{before} → {after}"),
            (Some(words), None) | (_, Some(words)) => words.clone(),
            (None, None) => format!("line {}: {}", line.line, line.reason),
        };
        let fate = match line.fate {
            MarkdownFate::Conflict => "conflict",
            fate => fate.word(),
        };
        page.detail(&format!("{fate}{about}: {words}"));
    }
    match &report.event {
        Some(event) => chat.show_write(event, page),
        None if !report.applies => {
            page.trouble(&format!("Nothing was changed: {}", report.line()));
        }
        None if report.dry_run => page.status(&format!("That would be: {}", report.line())),
        None => page.status(&format!("Nothing was changed: {}", report.line())),
    }
    Ok(())
}

/// So that nothing else is written over, or read, by a slip of the hand.
fn form(name: &str) -> Result<Form> {
    if name.ends_with(".jsonl") {
        Ok(Form::Lines)
    } else if name.ends_with(".md") {
        Ok(Form::Document)
    } else if name.ends_with('/') {
        Ok(Form::Folder)
    } else {
        let message = "Name a file that ends in .jsonl or .md, or a folder that ends in /.";
        Err(Error::invalid("file", message))
    }
}

fn written(at: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(at)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

fn read(at: &Path) -> io::Result<String> {
    if !fs::metadata(at)?.is_file() {
        return Err(io::Error::other("this is no file"));
    }
    let mut text = String::new();
    File::open(at)?.take(LARGEST).read_to_string(&mut text)?;
    Ok(text)
}

/// The Markdown of a folder, by name.
fn read_folder(at: &Path) -> io::Result<Vec<MarkdownFile>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(at)? {
        let path = entry?.path();
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        if let Some(name) = name.filter(|name| name.ends_with(".md")) {
            files.push(MarkdownFile::new(name, read(&path)?));
        }
    }
    files.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(files)
}

fn failed(operation: &'static str, error: &io::Error) -> Error {
    Error::new(ErrorKind::Io, operation, error.to_string())
}
