//! The provider's memory tool (`memory_20250818`): its six commands, answered in the words of its documentation.

use keepmind::command::List;
use keepmind::policy::Tool;
use keepmind::{Error, EventKind, Keepmind, MemoryEvent, MemoryRow, Policy, Result, SessionHandle};
use serde_json::{Value, json};

use crate::commands::Command;
use crate::files::{self, File};
use crate::views::{existing, missing, numbered, view};
use crate::writes::{self, Writer, Written};

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

/// Why a command was not done: the model is told what it did wrong, or the store failed.
#[derive(Debug)]
pub(crate) enum Wrong {
    Told(String),
    Failed(Error),
}

impl From<String> for Wrong {
    fn from(told: String) -> Self {
        Wrong::Told(told)
    }
}

impl From<Error> for Wrong {
    fn from(error: Error) -> Self {
        Wrong::Failed(error)
    }
}

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
    /// Whatever the model wrote, the answer is a message for it; only the store failing is an error, and not where
    /// something had been written before: its events are in the answer.
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
        let answered = self.answer(input, &mut writer).await;
        told(answered, writer.written)
    }

    async fn answer(&self, input: &Value, writer: &mut Writer<'_>) -> Result<String, Wrong> {
        let command = Command::read(input)?;
        let files = files::load(self.session.memory()).await?;
        match command {
            Command::View { path, view_range } => Ok(view(&files, &path, view_range)?),
            Command::Create { path, file_text } => {
                let file = missing(&files, &path)?;
                let lines = files::items(&file_text);
                if lines.is_empty() {
                    let told = "Error: There is no memory in it: write one on each line";
                    return Err(Wrong::Told(told.to_owned()));
                }
                writer.edit(file, &lines).await?;
                Ok(format!("File created successfully at: {path}"))
            }
            Command::StrReplace {
                path,
                old_str,
                new_str,
            } => {
                let file = existing(&files, &path)?;
                let text = replaced(&file.text(), &old_str, &new_str, &path)?;
                self.edited(file, &text, writer).await
            }
            Command::Insert {
                path,
                insert_line,
                insert_text,
            } => {
                let file = existing(&files, &path)?;
                let most = file.lines.len();
                let place = usize::try_from(insert_line).ok();
                let place = place.filter(|place| *place <= most).ok_or_else(|| {
                    format!(
                        "Error: Invalid `insert_line` parameter: {insert_line}. It should be within the range of \
                         lines of the file: [0, {most}]"
                    )
                })?;
                // A detail stays below its own memory.
                let below = file.lines[place..].iter().map(String::as_str);
                let below = below.take_while(|line| files::is_detail(line)).count();
                let below = if files::is_detail(&insert_text) {
                    0
                } else {
                    below
                };
                let mut lines = file.lines.clone();
                lines.insert(place + below, insert_text);
                self.edited(file, &lines.join("\n"), writer).await
            }
            Command::Delete { path } => {
                let rows = self.rows(existing(&files, &path)?).await?;
                writer.forget(&rows).await?;
                Ok(format!("Successfully deleted {path}"))
            }
            Command::Rename { old_path, new_path } => {
                let (old, new) = (existing(&files, &old_path)?, missing(&files, &new_path)?);
                let rows = self.rows(old).await?;
                let category = new.category.as_deref().unwrap_or_default();
                writer.transfer(&rows, category).await?;
                Ok(format!("Successfully renamed {old_path} to {new_path}"))
            }
        }
    }

    /// Writes an edit, and shows how the lines that it changed stand there now.
    async fn edited(
        &self,
        file: &File,
        text: &str,
        writer: &mut Writer<'_>,
    ) -> Result<String, Wrong> {
        let text = file.without_remains(text).join("\n");
        writer.edit(file, &files::items(&text)).await?;
        let now = files::load(self.session.memory()).await?;
        let now = now.iter().find(|now| now.name == file.name);
        let changed = writer.written.events.iter().filter_map(|event| {
            let (now, number) = (now?, event.after.as_ref()?.body.number);
            let place = now.line_of(number)?;
            Some(numbered(place, &now.lines[place - 1]))
        });
        let changed: Vec<String> = changed.collect();
        let mut told = "The memory file has been edited.".to_owned();
        if !changed.is_empty() {
            told.push_str(" Here is the snippet showing the change (with line numbers):\n");
            told.push_str(&changed.join("\n"));
        }
        Ok(told)
    }

    /// All that a file shows, as rows.
    async fn rows(&self, file: &File) -> Result<Vec<MemoryRow>, Wrong> {
        let Some(category) = &file.category else {
            return Err(Wrong::Told(writes::compiled(&file.name)));
        };
        let mut list = List::default();
        list.category = Some(category.clone());
        let mut rows = Vec::new();
        loop {
            let page = self.session.memory().list(list.clone()).await?;
            // What is compiled may have the category too; it stands in another file.
            let is_there = |row: &MemoryRow| file.line_of(row.body.number).is_some();
            rows.extend(page.rows.into_iter().filter(is_there));
            writes::check_count(rows.len())?;
            match page.next {
                Some(next) => list.after = Some(next),
                None => return Ok(rows),
            }
        }
    }
}

/// The answer to a command, with all that was written on the way.
fn told(answered: Result<String, Wrong>, written: Written) -> Result<ToolAnswer> {
    let is_written = |event: &MemoryEvent| event.kind != EventKind::Proposed;
    let is_partial = written.refused > 0 || written.left > 0;
    let (answered, is_error) = match answered {
        Ok(_) if is_partial && written.events.iter().any(is_written) => {
            ("Error: Only a part was written.".to_owned(), true)
        }
        Ok(_) if is_partial => ("Error: Nothing was written.".to_owned(), true),
        Ok(answered) => (answered, false),
        Err(Wrong::Told(told)) => (told, true),
        Err(Wrong::Failed(error)) if written.events.is_empty() => return Err(error),
        // The host must be able to take back what was written until then.
        Err(Wrong::Failed(_)) => {
            let told = "Error: The memory failed on the way. This was done before:";
            (told.to_owned(), true)
        }
    };
    let text: Vec<String> = [answered].into_iter().chain(written.told).collect();
    Ok(ToolAnswer {
        text: text.join("\n"),
        is_error,
        events: written.events,
    })
}

/// A text with other words in the one place where they stood.
fn replaced(text: &str, old: &str, new: &str, path: &str) -> Result<String, String> {
    let found: Vec<usize> = match old.is_empty() {
        true => Vec::new(),
        false => text.match_indices(old).map(|(place, _)| place).collect(),
    };
    let line = |place: &usize| (text[..*place].matches('\n').count() + 1).to_string();
    let lines: Vec<String> = found.iter().map(line).collect();
    match lines.len() {
        0 => Err(format!(
            "No replacement was performed, old_str `{old}` did not appear verbatim in {path}."
        )),
        1 => Ok(text.replacen(old, new, 1)),
        _ => Err(format!(
            "No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {}. Please ensure it is \
             unique",
            lines.join(", ")
        )),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use keepmind::command::Save;
    use keepmind::{ErrorKind, InMemoryStore};

    use super::*;

    #[tokio::test]
    async fn what_was_written_before_the_store_failed_is_told_with_its_undo() {
        let keepmind = Keepmind::builder(Arc::new(InMemoryStore::new()))
            .build()
            .unwrap();
        let alice = keepmind.user("alice").unwrap();
        let saved = alice.save(Save::new("Sails")).await.unwrap();
        let failed = || Err(Wrong::Failed(Error::new(ErrorKind::Busy, "save", "disk")));
        let written = Written {
            told: vec!["Saved #1: Sails.".to_owned()],
            events: saved.event.into_iter().collect(),
            calls: 2,
            ..Written::default()
        };
        let answer = told(failed(), written).unwrap();
        assert!(answer.is_error && answer.text.ends_with("Saved #1: Sails."));
        assert!(!answer.text.contains("disk"));
        alice.undo(answer.events[0].undo.unwrap()).await.unwrap();
        assert!(told(failed(), Written::default()).is_err());
    }
}
