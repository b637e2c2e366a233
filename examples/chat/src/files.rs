//! `/export` and `/import`: everything of the user as a file of JSON Lines, and what another one holds.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};

use keepmind::{Error, ErrorKind, ImportFate, Result};

use crate::chat::Chat;
use crate::screen::Page;

/// How much of a file is read: more than a lifetime of chats.
const LARGEST: u64 = 256 << 20;

/// Writes everything of the user to a new file.
pub(crate) async fn export(chat: &Chat, name: &str, page: &mut Page) -> Result<()> {
    check_name(name)?;
    let lines = chat.memory.export().await?;
    written(name, &lines).map_err(|error| failed("export", &error))?;
    page.status(&format!("Wrote {} lines.", lines.lines().count()));
    page.note("What you have erased here stays in such a file: keep it safe.");
    Ok(())
}

/// Takes over what a file holds, and says what became of it.
pub(crate) async fn import(chat: &mut Chat, name: &str, page: &mut Page) -> Result<()> {
    check_name(name)?;
    let lines = read(name).map_err(|error| failed("import", &error))?;
    let report = chat.memory.import_export(lines).await?;
    for line in &report.lines {
        if matches!(line.fate, ImportFate::Refused | ImportFate::Proposed) {
            page.detail(&format!("line {}: {}", line.line, line.reason));
        }
    }
    match &report.event {
        Some(event) => chat.show_write(event, page),
        None => page.status(&format!("Nothing was taken over: {}", report.line())),
    }
    Ok(())
}

/// So that nothing else is written over, or read, by a slip of the hand.
fn check_name(name: &str) -> Result<()> {
    match name.ends_with(".jsonl") {
        true => Ok(()),
        false => Err(Error::invalid("file", "Name a file that ends in .jsonl.")),
    }
}

fn written(name: &str, lines: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(name)?;
    file.write_all(lines.as_bytes())?;
    file.sync_all()
}

fn read(name: &str) -> io::Result<String> {
    if !fs::metadata(name)?.is_file() {
        return Err(io::Error::other("this is no file"));
    }
    let mut lines = String::new();
    File::open(name)?.take(LARGEST).read_to_string(&mut lines)?;
    Ok(lines)
}

fn failed(operation: &'static str, error: &io::Error) -> Error {
    Error::new(ErrorKind::Io, operation, error.to_string())
}
