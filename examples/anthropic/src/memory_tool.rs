//! The provider's memory tool (`memory_20250818`): its six commands, answered in the words of its documentation.

use keepmind::command::List;
use keepmind::policy::Tool;
use keepmind::{Keepmind, MemoryEvent, MemoryRow, Policy, Result, SessionHandle};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::files::{self, File};
use crate::paths::{self, Place};
use crate::writes::{self, Writer, Written};

/// How many lines are shown at once.
const MOST_LINES: usize = 1_000;
/// How long the texts of one command may be.
const MOST_BYTES: usize = 256 << 10;

/// What the model asks for.
#[derive(Debug, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case", deny_unknown_fields)]
enum Command {
    View {
        path: String,
        #[serde(default)]
        view_range: Option<[i64; 2]>,
    },
    Create {
        path: String,
        file_text: String,
    },
    StrReplace {
        path: String,
        old_str: String,
        new_str: String,
    },
    Insert {
        path: String,
        insert_line: i64,
        insert_text: String,
    },
    Delete {
        path: String,
    },
    Rename {
        old_path: String,
        new_path: String,
    },
}

/// What a command is answered with.
#[derive(Debug)]
pub struct ToolAnswer {
    /// For the model.
    pub text: String,
    /// Whether the command failed, or a part of it was refused.
    pub is_error: bool,
    /// For the host: what was written, each with its undo.
    pub events: Vec<MemoryEvent>,
}

/// The memory tool of one chat.
#[derive(Debug, Clone)]
pub struct MemoryTool {
    session: SessionHandle,
    policy: Policy,
}

/// An answer, or what the model did wrong.
type Answered = Result<std::result::Result<String, String>>;

impl MemoryTool {
    /// What the provider calls it.
    pub const NAME: &str = "memory";

    /// The tool for a chat of that memory's.
    pub fn new(keepmind: &Keepmind, session: SessionHandle) -> Self {
        MemoryTool {
            session,
            policy: keepmind.policy().clone(),
        }
    }

    /// How it is offered to the model.
    pub fn definition() -> Value {
        json!({"type": "memory_20250818", "name": Self::NAME})
    }

    /// Runs a command. `call` is the id of the model's `tool_use`; push the answer with it.
    ///
    /// Whatever the model wrote, the answer is a message for it; only the store failing is an error.
    pub async fn run(&self, call: &str, input: &Value) -> Result<ToolAnswer> {
        let mut writer = Writer {
            session: &self.session,
            policy: &self.policy,
            call,
            written: Written::default(),
        };
        // Every command reads: so the library knows what the model was told, and that the answer is its own.
        let list = self.policy.tool_name(Tool::List);
        self.session
            .call_tool(Some(call), &list, &json!({}))
            .await?;
        let answered = match self.command(input) {
            Ok(command) => self.answer(command, &mut writer).await?,
            Err(wrong) => Err(wrong),
        };
        let Written {
            told,
            events,
            refused,
        } = writer.written;
        let is_error = answered.is_err() || refused > 0;
        let answered = match answered {
            Ok(_) if refused > 0 && events.is_empty() => "Error: Nothing was written.".to_owned(),
            Ok(text) | Err(text) => text,
        };
        let text = [answered]
            .into_iter()
            .chain(told)
            .collect::<Vec<_>>()
            .join("\n");
        Ok(ToolAnswer {
            text,
            is_error,
            events,
        })
    }

    fn command(&self, input: &Value) -> std::result::Result<Command, String> {
        let texts = input
            .as_object()
            .into_iter()
            .flat_map(|input| input.values());
        let bytes: usize = texts.filter_map(Value::as_str).map(str::len).sum();
        if bytes > MOST_BYTES {
            return Err(format!("Error: A command has at most {MOST_BYTES} bytes"));
        }
        Command::deserialize(input).map_err(|_| {
            "Error: The command must be view, create, str_replace, insert, delete or rename, with its own arguments \
             and no others"
                .to_owned()
        })
    }

    async fn answer(&self, command: Command, writer: &mut Writer<'_>) -> Answered {
        let files = files::load(self.session.memory()).await?;
        match command {
            Command::View { path, view_range } => Ok(self.view(&files, &path, view_range)),
            Command::Create { path, file_text } => {
                let file = match self.to_be_made(&files, &path) {
                    Ok(file) => file,
                    Err(wrong) => return Ok(Err(wrong)),
                };
                let lines = files::items(&file_text);
                if lines.is_empty() {
                    return Ok(Err(
                        "Error: There is no memory in it: write one on each line".to_owned(),
                    ));
                }
                let edited = writer.edit(file, &lines).await?;
                Ok(edited.map(|()| format!("File created successfully at: {path}")))
            }
            Command::StrReplace {
                path,
                old_str,
                new_str,
            } => {
                let file = match existing(&files, &path) {
                    Ok(file) => file,
                    Err(wrong) => return Ok(Err(wrong)),
                };
                let text = file.text();
                let found: Vec<usize> = match old_str.is_empty() {
                    true => Vec::new(),
                    false => text
                        .match_indices(&old_str)
                        .map(|(place, _)| place)
                        .collect(),
                };
                let [_] = found[..] else {
                    let line =
                        |place: &usize| (text[..*place].matches('\n').count() + 1).to_string();
                    let lines: Vec<String> = found.iter().map(line).collect();
                    return Ok(Err(match lines.is_empty() {
                        true => format!(
                            "No replacement was performed, old_str `{old_str}` did not appear verbatim in {path}."
                        ),
                        false => format!(
                            "No replacement was performed. Multiple occurrences of old_str `{old_str}` in lines: {}. \
                             Please ensure it is unique",
                            lines.join(", ")
                        ),
                    }));
                };
                let lines = files::items(&text.replacen(&old_str, &new_str, 1));
                self.edited(file, &lines, writer).await
            }
            Command::Insert {
                path,
                insert_line,
                insert_text,
            } => {
                let file = match existing(&files, &path) {
                    Ok(file) => file,
                    Err(wrong) => return Ok(Err(wrong)),
                };
                let most = file.lines.len();
                let Some(place) = usize::try_from(insert_line)
                    .ok()
                    .filter(|place| *place <= most)
                else {
                    return Ok(Err(format!(
                        "Error: Invalid `insert_line` parameter: {insert_line}. It should be within the range of \
                         lines of the file: [0, {most}]"
                    )));
                };
                let mut lines = file.lines.clone();
                lines.splice(place..place, [insert_text]);
                let lines = files::items(&lines.join("\n"));
                self.edited(file, &lines, writer).await
            }
            Command::Delete { path } => {
                let file = match existing(&files, &path) {
                    Ok(file) => file,
                    Err(wrong) => return Ok(Err(wrong)),
                };
                let rows = match self.rows(file).await? {
                    Ok(rows) => rows,
                    Err(wrong) => return Ok(Err(wrong)),
                };
                writer.forget(&rows).await?;
                Ok(Ok(format!("Successfully deleted {path}")))
            }
            Command::Rename { old_path, new_path } => {
                let ends = existing(&files, &old_path)
                    .and_then(|old| Ok((old, self.to_be_made(&files, &new_path)?)));
                let (old, new) = match ends {
                    Ok(ends) => ends,
                    Err(wrong) => return Ok(Err(wrong)),
                };
                let rows = match self.rows(old).await? {
                    Ok(rows) => rows,
                    Err(wrong) => return Ok(Err(wrong)),
                };
                writer
                    .transfer(&rows, new.category.as_deref().unwrap_or_default())
                    .await?;
                Ok(Ok(format!("Successfully renamed {old_path} to {new_path}")))
            }
        }
    }

    fn view(
        &self,
        files: &[File],
        path: &str,
        range: Option<[i64; 2]>,
    ) -> std::result::Result<String, String> {
        if paths::read(path)? == Place::Folder {
            let there = files.iter().filter(|file| !file.lines.is_empty());
            let sizes = there.clone().map(|file| file.text().len());
            let mut lines = vec![format!(
                "{}\t{}",
                size(sizes.sum()),
                path.trim_end_matches('/')
            )];
            lines.extend(
                there.map(|file| {
                    format!("{}\t{}", size(file.text().len()), paths::path(&file.name))
                }),
            );
            let empty = files.iter().filter(|file| file.lines.is_empty());
            let empty: Vec<&str> = empty.map(|file| file.name.as_str()).collect();
            if !empty.is_empty() {
                lines.push(format!(
                    "(These have no memory yet and can be created: {})",
                    empty.join(", ")
                ));
            }
            return Ok(format!(
                "Here're the files and directories up to 2 levels deep in {path}, excluding hidden items and \
                 node_modules:\n{}",
                lines.join("\n")
            ));
        }
        let file = existing(files, path)?;
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

    /// Writes an edit, and shows how the lines that it changed stand there now.
    async fn edited(&self, file: &File, lines: &[String], writer: &mut Writer<'_>) -> Answered {
        if let Err(wrong) = writer.edit(file, lines).await? {
            return Ok(Err(wrong));
        }
        let now = files::load(self.session.memory()).await?;
        let now = now.iter().find(|now| now.name == file.name);
        let changed = writer.written.events.iter().filter_map(|event| {
            let (now, number) = (now?, event.after.as_ref()?.body.number);
            let place = now.line_of(number)?;
            Some(numbered(place, &now.lines[place - 1]))
        });
        let changed: Vec<String> = changed.collect();
        let mut text = "The memory file has been edited.".to_owned();
        if !changed.is_empty() {
            text.push_str(" Here is the snippet showing the change (with line numbers):\n");
            text.push_str(&changed.join("\n"));
        }
        Ok(Ok(text))
    }

    /// A file that has no memory yet: there is one for each category, and none can be added.
    fn to_be_made<'f>(
        &self,
        files: &'f [File],
        path: &str,
    ) -> std::result::Result<&'f File, String> {
        let Place::File(name) = paths::read(path)? else {
            return Err(format!("Error: {path} is the folder itself"));
        };
        match files.iter().find(|file| file.name == name) {
            Some(file) if !file.lines.is_empty() => {
                Err(format!("Error: File {path} already exists"))
            }
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

    /// All that a file shows, as rows.
    async fn rows(&self, file: &File) -> Result<std::result::Result<Vec<MemoryRow>, String>> {
        let Some(category) = &file.category else {
            return Ok(Err(writes::compiled(&file.name)));
        };
        let mut list = List::default();
        list.category = Some(category.clone());
        let mut rows = Vec::new();
        loop {
            let page = self.session.memory().list(list.clone()).await?;
            // What is compiled may have the category too; it stands in another file.
            let is_there = |row: &MemoryRow| file.line_of(row.body.number).is_some();
            rows.extend(page.rows.into_iter().filter(is_there));
            if writes::is_too_many(rows.len()) {
                return Ok(Err(writes::too_many()));
            }
            match page.next {
                Some(next) => list.after = Some(next),
                None => return Ok(Ok(rows)),
            }
        }
    }
}

/// A file that is there.
fn existing<'f>(files: &'f [File], path: &str) -> std::result::Result<&'f File, String> {
    let Place::File(name) = paths::read(path)? else {
        return Err(format!(
            "Error: {path} is the folder itself, and stays as it is"
        ));
    };
    let mut there = files.iter().filter(|file| !file.lines.is_empty());
    let file = there.find(|file| file.name == name);
    file.ok_or_else(|| format!("The path {path} does not exist. Please provide a valid path."))
}

fn numbered(place: usize, line: &str) -> String {
    format!("{place:>6}\t{line}")
}

fn size(bytes: usize) -> String {
    match bytes {
        0..1024 => format!("{bytes}B"),
        _ => format!("{:.1}K", bytes as f64 / 1024.0),
    }
}
