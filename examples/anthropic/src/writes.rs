//! What an edit comes to: ordinary calls of the library's own tools, so that each is judged, recorded and undone as if
//! the model had called it.

use std::collections::BTreeSet;

use keepmind::export::EditedMarkdown;
use keepmind::policy::Tool;
use keepmind::{
    Authority, EventKind, MarkdownFate, MarkdownLine, MemoryEvent, MemoryRow, Number, Policy,
    Result, SessionHandle,
};
use serde_json::{Value, json};

use crate::files::{self, File};
use crate::memory_tool::Wrong;

/// How many memories one command may change.
const MOST_CHANGES: usize = 100;

/// What was written, and what was said about it.
#[derive(Debug, Default)]
pub(crate) struct Written {
    pub told: Vec<String>,
    pub events: Vec<MemoryEvent>,
    pub calls: usize,
    /// How many of the calls were refused.
    pub refused: usize,
    /// How many memories stay because nothing took their place.
    pub left: usize,
}

/// What a call came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Came {
    /// It was done; the fact that says so now, where one does.
    Done(Option<Number>),
    /// It was refused, waits for the user's word, or there was nothing to do.
    NotDone,
}

/// Runs the library's tools under the id of the provider's call.
pub(crate) struct Writer<'a> {
    pub session: &'a SessionHandle,
    pub policy: &'a Policy,
    pub call: &'a str,
    pub written: Written,
}

impl Writer<'_> {
    async fn call(&mut self, tool: Tool, arguments: Value) -> Result<Came> {
        self.written.calls += 1;
        let name = self.policy.tool_name(tool);
        let reply = self
            .session
            .call_tool(Some(self.call), &name, &arguments)
            .await?;
        let after = reply.event.as_ref().and_then(|event| event.after.as_ref());
        let came = match &reply.event {
            _ if reply.is_error || !reply.codes.is_empty() => Came::NotDone,
            None => Came::NotDone,
            Some(event) if event.kind == EventKind::Proposed => Came::NotDone,
            Some(_) if after.is_some_and(|row| row.body.claim.held) => Came::NotDone,
            Some(_) => Came::Done(after.map(|row| row.body.number)),
        };
        self.written.refused += usize::from(reply.is_error);
        self.written.told.push(reply.message);
        self.written.events.extend(reply.event);
        Ok(came)
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
        let dry = EditedMarkdown::new([file.edited(&files::without_details(lines))]).by_model();
        let report = self.session.memory().read_markdown(dry).await?;
        let of = |fate: MarkdownFate| report.lines.iter().filter(move |line| line.fate == fate);
        let mut details = file.changed_details(lines);
        let changed: BTreeSet<Option<Number>> = of(MarkdownFate::Updated)
            .map(|line| line.number)
            .chain(details.keys().copied().map(Some))
            .collect();
        let others = of(MarkdownFate::Saved).chain(of(MarkdownFate::Forgotten));
        check_count(changed.len() + others.count())?;
        let place = |line: &MarkdownLine| (line.line as usize).saturating_sub(file.lines_before());
        let said = |line: &MarkdownLine| format!("Line {}: {}", place(line), line.reason);
        let blocking = report.lines.iter().filter(|line| line.fate.blocks());
        let mut against: Vec<String> = blocking.map(said).collect();
        let is_reworded =
            |number: Number| of(MarkdownFate::Updated).any(|line| line.number == Some(number));
        let taken_out = details
            .iter()
            .filter(|(number, detail)| detail.text.is_none() && !is_reworded(**number));
        against.extend(taken_out.map(|(_, detail)| {
            format!(
                "Line {}: a detail is taken out only where its memory gets other words",
                detail.line
            )
        }));
        if !report.applies || !against.is_empty() {
            return Err(Wrong::Told(format!(
                "Error: Nothing was written.\n{}",
                against.join("\n")
            )));
        }
        // What is new comes after what changes, which may have said it; what is taken out comes last, once something
        // stands in its place.
        let mut is_all_done = true;
        for line in of(MarkdownFate::Updated) {
            let (Some(number), Some(after)) = (line.number, line.after.as_deref()) else {
                continue;
            };
            let row = self.session.memory().get(number).await?.row;
            let detail = match details.remove(&number) {
                Some(detail) => detail.text,
                None => row.body.claim.body.clone(),
            };
            is_all_done &= self.update(&row, after, detail).await?;
        }
        for (number, detail) in details {
            let row = self.session.memory().get(number).await?.row;
            let content = &row.body.claim.content;
            is_all_done &= self.update(&row, content, detail.text).await?;
        }
        let mut saved = BTreeSet::new();
        for line in of(MarkdownFate::Saved) {
            let written = lines.get(place(line).wrapping_sub(1));
            let written = written.map(|line| line.to_lowercase());
            let mut save = json!({"content": line.after, "category": category});
            if written.is_some_and(|line| line.starts_with("- [rule]")) {
                save["authority"] = json!(Authority::Rule);
            }
            match self.call(Tool::Save, save).await? {
                Came::Done(number) => saved.extend(number),
                // The fact that says so already may be one whose line was taken out.
                Came::NotDone => is_all_done = false,
            }
        }
        for line in of(MarkdownFate::Forgotten) {
            // A line that was written anew, to bind more, is the same fact.
            let Some(number) = line.number.filter(|number| !saved.contains(number)) else {
                continue;
            };
            match is_all_done {
                true => {
                    let forget = json!({"id_or_substring": number.to_string()});
                    self.call(Tool::Forget, forget).await?;
                }
                false => self.leave(number),
            }
        }
        for line in &report.lines {
            use MarkdownFate::{Forgotten, Known, Saved, Updated};
            let is_shown = |number: Number| file.line_of(number).is_some();
            match line.fate {
                Saved | Updated | Forgotten => {}
                // What says so is not for the model to know of.
                Known if !line.number.is_some_and(is_shown) => {
                    let told = format!("Line {}: it is not written", place(line));
                    self.written.told.push(told);
                }
                _ => self.written.told.push(said(line)),
            }
        }
        match self.written.calls {
            0 => Err(Wrong::Told("Error: Nothing was written.".to_owned())),
            _ => Ok(()),
        }
    }

    /// Gives a fact other words, or another detail; whether that was done.
    async fn update(
        &mut self,
        row: &MemoryRow,
        content: &str,
        detail: Option<String>,
    ) -> Result<bool> {
        let (number, claim) = (row.body.number, &row.body.claim);
        let mut update = json!({"id_or_substring": number.to_string(), "new_content": content});
        if let Some(detail) = detail {
            update["detail"] = json!(detail);
        }
        if claim.content == content {
            update["since"] = json!(claim.valid_from);
        }
        let is_done = matches!(self.call(Tool::Update, update).await?, Came::Done(_));
        // The library's tool takes neither: they were said of the old version.
        let beside = [
            claim.value.as_ref().map(|_| "value"),
            claim.summary.as_ref().map(|_| "short form"),
        ];
        for beside in beside.into_iter().flatten().filter(|_| is_done) {
            let told = format!("The {beside} of {number} went with what it said before.");
            self.written.told.push(told);
        }
        Ok(is_done)
    }

    /// Tells that a fact stays, because nothing took its place.
    fn leave(&mut self, number: Number) {
        self.written.left += 1;
        let told = format!("{number} stays as it was: nothing took its place.");
        self.written.told.push(told);
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

    /// Moves memories to another category: each is saved there, and forgotten here where another fact says it now.
    pub async fn transfer(&mut self, rows: &[MemoryRow], category: &str) -> Result<()> {
        for row in rows {
            let (number, claim) = (row.body.number, &row.body.claim);
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
            match self.call(Tool::Save, save).await? {
                // The rule of a key is one fact wherever it stands: it has moved.
                Came::Done(saved) if saved == Some(number) => {}
                Came::Done(Some(_)) => {
                    let forget = json!({"id_or_substring": number.to_string()});
                    self.call(Tool::Forget, forget).await?;
                }
                Came::Done(None) | Came::NotDone => self.leave(number),
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
