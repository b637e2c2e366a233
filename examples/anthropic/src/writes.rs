//! What an edit comes to: ordinary calls of the library's own tools, so that each is judged, recorded and undone as if
//! the model had called it.

use keepmind::export::EditedMarkdown;
use keepmind::policy::Tool;
use keepmind::{
    Authority, MarkdownFate, MarkdownLine, MemoryEvent, MemoryRow, Policy, Result, SessionHandle,
};
use serde_json::{Value, json};

use crate::files::File;
use crate::memory_tool::Wrong;

/// How many memories one command may change.
const MOST_CHANGES: usize = 100;

/// What was written, and what was said about it.
#[derive(Debug, Default)]
pub(crate) struct Written {
    pub told: Vec<String>,
    pub events: Vec<MemoryEvent>,
    /// How many of the calls were refused.
    pub refused: usize,
}

/// Runs the library's tools under the id of the provider's call.
pub(crate) struct Writer<'a> {
    pub session: &'a SessionHandle,
    pub policy: &'a Policy,
    pub call: &'a str,
    pub written: Written,
}

impl Writer<'_> {
    /// Calls a tool; whether it did what it was asked for.
    pub async fn call(&mut self, tool: Tool, arguments: Value) -> Result<bool> {
        let name = self.policy.tool_name(tool);
        let reply = self
            .session
            .call_tool(Some(self.call), &name, &arguments)
            .await?;
        let is_done = !reply.is_error && reply.codes.is_empty();
        self.written.refused += usize::from(reply.is_error);
        self.written.told.push(reply.message);
        self.written.events.extend(reply.event);
        Ok(is_done)
    }

    /// Makes a file be those lines. Where a line cannot be, nothing is written and the model is told why.
    pub async fn edit(&mut self, file: &File, lines: &[String]) -> Result<(), Wrong> {
        let Some(category) = file.category.as_deref() else {
            return Err(Wrong::Told(compiled(&file.name)));
        };
        if let Some(line) = file.foreign_mark(lines) {
            return Err(Wrong::Told(format!(
                "Error: Line {line}: what stands in brackets is not edited; write a new memory as `- words`"
            )));
        }
        let dry = EditedMarkdown::new([file.edited(lines)]).dry_run();
        let report = self.session.memory().read_markdown(dry).await?;
        let changes = |line: &&MarkdownLine| {
            use MarkdownFate::{Forgotten, Saved, Updated};
            matches!(line.fate, Saved | Updated | Forgotten)
        };
        check_count(report.lines.iter().filter(changes).count())?;
        let place = |line: &MarkdownLine| (line.line as usize).saturating_sub(file.lines_before());
        let said = |line: &MarkdownLine| format!("Line {}: {}", place(line), line.reason);
        if !report.applies {
            let refused = report
                .lines
                .iter()
                .filter(|line| line.fate.blocks())
                .map(said);
            let refused: Vec<String> = refused.collect();
            return Err(Wrong::Told(format!(
                "Error: Nothing was written.\n{}",
                refused.join("\n")
            )));
        }
        for line in &report.lines {
            let target = line.number.map(|number| number.to_string());
            let after = line.after.as_deref();
            match line.fate {
                MarkdownFate::Saved => {
                    let written = lines.get(place(line).wrapping_sub(1));
                    let written = written.map(|line| line.to_lowercase());
                    let mut save = json!({"content": after, "category": category});
                    if written.is_some_and(|line| line.starts_with("- [rule]")) {
                        save["authority"] = json!(Authority::Rule);
                    }
                    self.call(Tool::Save, save).await?;
                }
                MarkdownFate::Updated if line.before != line.after => {
                    let update = json!({"id_or_substring": target, "new_content": after});
                    self.call(Tool::Update, update).await?;
                }
                MarkdownFate::Forgotten => {
                    self.call(Tool::Forget, json!({"id_or_substring": target}))
                        .await?;
                }
                _ => self.written.told.push(said(line)),
            }
        }
        Ok(())
    }

    /// Forgets all of a category's.
    pub async fn forget(&mut self, rows: &[MemoryRow]) -> Result<()> {
        for row in rows {
            let target = row.body.number.to_string();
            self.call(Tool::Forget, json!({"id_or_substring": target}))
                .await?;
        }
        Ok(())
    }

    /// Moves memories to another category: each is saved there, and where that was done forgotten here.
    pub async fn transfer(&mut self, rows: &[MemoryRow], category: &str) -> Result<()> {
        for row in rows {
            let claim = &row.body.claim;
            let mut save =
                json!({"content": claim.content, "category": category, "since": claim.valid_from});
            if claim.authority == Authority::Rule {
                save["authority"] = json!(claim.authority);
            }
            for (field, value) in [
                ("detail", json!(claim.body)),
                ("domain", json!(claim.domain)),
                ("key", json!(claim.key)),
                ("value", json!(claim.value)),
            ] {
                if !value.is_null() {
                    save[field] = value;
                }
            }
            if self.call(Tool::Save, save).await? {
                let target = row.body.number.to_string();
                self.call(Tool::Forget, json!({"id_or_substring": target}))
                    .await?;
            }
        }
        Ok(())
    }
}

/// One command changes a bounded number of memories.
pub(crate) fn check_count(count: usize) -> Result<(), Wrong> {
    match count > MOST_CHANGES {
        true => Err(Wrong::Told(format!(
            "Error: One command changes at most {MOST_CHANGES} memories: edit the file in parts"
        ))),
        false => Ok(()),
    }
}

/// The answer where a file is not the model's to edit.
pub(crate) fn compiled(name: &str) -> String {
    format!("Error: {name} is made from other memories, and is not edited")
}
