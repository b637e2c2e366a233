//! The folder and its files as the model is shown them, in the words of the tool's documentation.

use crate::files::File;
use crate::paths::{self, Place};

/// How many lines are shown at once.
const MOST_LINES: usize = 1_000;

/// A file that is there: one whose category has memories.
pub(crate) fn existing<'f>(files: &'f [File], path: &str) -> Result<&'f File, String> {
    let Place::File(name) = paths::read(path)? else {
        return Err(format!(
            "Error: {path} is the folder itself, and stays as it is"
        ));
    };
    let mut there = files.iter().filter(|file| !file.lines.is_empty());
    let file = there.find(|file| file.name == name);
    file.ok_or_else(|| format!("The path {path} does not exist. Please provide a valid path."))
}

/// A file that has no memory yet: there is one for each category, and none can be added.
pub(crate) fn missing<'f>(files: &'f [File], path: &str) -> Result<&'f File, String> {
    let Place::File(name) = paths::read(path)? else {
        return Err(format!("Error: {path} is the folder itself"));
    };
    match files.iter().find(|file| file.name == name) {
        Some(file) if !file.lines.is_empty() => Err(format!("Error: File {path} already exists")),
        Some(file) if file.category.is_some() => Ok(file),
        _ => {
            let names = files.iter().filter(|file| file.category.is_some());
            let names: Vec<&str> = names.map(|file| file.name.as_str()).collect();
            Err(format!(
                "Error: {path} cannot be made. Memories are kept in one of these files: {}",
                names.join(", ")
            ))
        }
    }
}

/// What a path shows.
pub(crate) fn view(files: &[File], path: &str, range: Option<[i64; 2]>) -> Result<String, String> {
    match paths::read(path)? {
        Place::Folder => Ok(folder(files, path)),
        Place::File(_) => lines(existing(files, path)?, path, range),
    }
}

fn folder(files: &[File], path: &str) -> String {
    let there = files.iter().filter(|file| !file.lines.is_empty());
    let bytes = there.clone().map(|file| file.text().len()).sum();
    let mut lines = vec![format!("{}\t{}", size(bytes), path.trim_end_matches('/'))];
    lines.extend(
        there.map(|file| format!("{}\t{}", size(file.text().len()), paths::path(&file.name))),
    );
    let empty = files.iter().filter(|file| file.lines.is_empty());
    let empty: Vec<&str> = empty.map(|file| file.name.as_str()).collect();
    if !empty.is_empty() {
        lines.push(format!(
            "(These have no memory yet and can be created: {})",
            empty.join(", ")
        ));
    }
    format!(
        "Here're the files and directories up to 2 levels deep in {path}, excluding hidden items and node_modules:\n{}",
        lines.join("\n")
    )
}

fn lines(file: &File, path: &str, range: Option<[i64; 2]>) -> Result<String, String> {
    let last = file.lines.len();
    let (from, to) = match range {
        None => (1, last),
        Some([from, to]) => {
            let from = usize::try_from(from)
                .ok()
                .filter(|from| (1..=last).contains(from));
            let to = match to {
                -1 => Some(last),
                to => usize::try_from(to).ok().map(|to| to.min(last)),
            };
            let range = from.zip(to).filter(|(from, to)| from <= to);
            range.ok_or_else(|| {
                format!("Error: Invalid `view_range`: it should be within the lines of the file: [1, {last}]")
            })?
        }
    };
    let shown = file.lines[from - 1..to].iter().take(MOST_LINES);
    let mut lines: Vec<String> = (from..)
        .zip(shown)
        .map(|(place, line)| numbered(place, line))
        .collect();
    if to - from >= MOST_LINES {
        lines.push(format!(
            "(There are more lines, {to} in all: ask for them with view_range)"
        ));
    }
    Ok(format!(
        "Here's the content of {path} with line numbers:\n{}",
        lines.join("\n")
    ))
}

/// A line as it is shown.
pub(crate) fn numbered(place: usize, line: &str) -> String {
    format!("{place:>6}\t{line}")
}

fn size(bytes: usize) -> String {
    match bytes {
        0..1024 => format!("{bytes}B"),
        _ => format!("{:.1}K", bytes as f64 / 1024.0),
    }
}
