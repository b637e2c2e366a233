//! The host: one chat after another with one user. This is what an application writes around the library.

use std::path::PathBuf;

use keepmind::{
    Closed, ErrorKind, EventKind, Fate, Keepmind, MemoryEvent, Outcome, Push, Result, RowId,
    SessionHandle, UndoToken, UserMemory,
};

use crate::screen::{Page, Style};
use crate::sent::{self, Calls};
use crate::stand_in::{self, Step};
use crate::{chats, commands};

/// A model that calls tools for ever is stopped after so many rounds.
const MOST_ROUNDS: usize = 4;

/// A chat with a user, and what the screen must remember of it.
#[derive(Debug)]
pub struct Chat {
    pub(crate) keepmind: Keepmind,
    pub(crate) memory: UserMemory,
    pub(crate) session: SessionHandle,
    pub(crate) writes: Writes,
    /// The proposals as they were numbered when they were last shown.
    pub(crate) shown_proposals: Vec<RowId>,
    /// What may be sent to the model, in tokens, where the user has tried another budget than the policy's.
    pub(crate) budget: Option<u32>,
    pub(crate) style: Style,
    /// Where files are written and read, unless a name says otherwise.
    pub(crate) folder: PathBuf,
    /// The calls of this chat as the model wrote them: messages only name them.
    pub(crate) calls: Calls,
    /// How many messages the user was last told are summarised.
    pub(crate) told_replaced: u64,
}

/// The writes that `/undo` takes back, latest last, and those that `/redo` brings again.
#[derive(Debug, Default)]
pub(crate) struct Writes {
    pub done: Vec<UndoToken>,
    pub undone: Vec<UndoToken>,
}

/// What a line was answered with.
#[derive(Debug)]
pub struct Reply {
    /// For the screen.
    pub text: String,
    /// The user wants to leave.
    pub leave: bool,
}

impl Chat {
    /// Finishes what an earlier run left open, and opens a chat; also answers what to show first.
    pub async fn open(keepmind: &Keepmind, user: &str, style: Style) -> Result<(Self, String)> {
        let mut page = Page::new(style);
        finish_abandoned(keepmind, &mut page).await?;
        let memory = keepmind.user(user)?;
        let session = memory.open_session().await?;
        let mut chat = Chat {
            keepmind: keepmind.clone(),
            memory,
            session,
            writes: Writes::default(),
            shown_proposals: Vec::new(),
            budget: None,
            style,
            folder: PathBuf::new(),
            calls: Calls::new(),
            told_replaced: 0,
        };
        chat.greet(&mut page).await?;
        Ok((chat, page.text))
    }

    /// Takes a line: a command, or something said. What goes wrong is shown, and the chat goes on.
    pub async fn take(&mut self, line: &str) -> Reply {
        let mut page = Page::new(self.style);
        let line = line.trim();
        let taken = match line.strip_prefix('/') {
            _ if line.is_empty() => Ok(false),
            Some(command) => commands::run(self, command, &mut page).await,
            None => self.say(Push::user(line), &mut page).await.map(|()| false),
        };
        let leave = taken.unwrap_or_else(|error| {
            page.trouble(error.message());
            false
        });
        let text = page.text;
        Reply { text, leave }
    }

    /// Closes the chat, and answers what to show. A host does so whenever the user moves on: to another
    /// chat, or away.
    pub async fn leave(&mut self) -> Result<String> {
        let mut page = Page::new(self.style);
        self.close(&mut page).await?;
        Ok(page.text)
    }

    pub(crate) async fn close(&mut self, page: &mut Page) -> Result<()> {
        let closed = match self.session.close().await {
            Ok(closed) => closed,
            // Another window has deleted it: nothing is left to close, and that must not keep anyone here.
            Err(error) if matches!(error.kind(), ErrorKind::Refused | ErrorKind::NotFound) => {
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        self.show_report(&closed, page);
        if let Some(title) = self.session.record().await?.title {
            let number = chats::number(self, self.session.id()).await?;
            page.status(&format!(
                "Closed chat {number}: {}   /open {number}",
                title.text
            ));
        }
        Ok(())
    }

    /// What was learned from the chat, and its undo. A chat that taught nothing is closed without a word.
    fn show_report(&mut self, closed: &Closed, page: &mut Page) {
        if let Some(failure) = &closed.failure {
            page.trouble(&format!("The model did not help: {}.", failure.message));
        }
        if closed.report.lessons.is_empty() {
            return;
        }
        let mut line = format!("From this chat: {}", closed.report.line());
        if closed.report.count(Fate::Proposed) > 0 {
            line.push_str("   /pending");
        }
        if let Some(token) = closed.undo {
            self.writes.done.push(token);
            self.writes.undone.clear();
            line.push_str("   /undo");
        }
        page.status(&line);
        for lesson in &closed.report.lessons {
            if let (Fate::Learned | Fate::Updated, Some(number), Some(content)) =
                (lesson.fate, lesson.number, &lesson.content)
            {
                page.status(&format!("  {number} {content}"));
            }
        }
    }

    /// Opens the next chat, whose block knows what was saved in this one.
    pub(crate) async fn begin_next(&mut self, page: &mut Page) -> Result<()> {
        let session = self.memory.open_session().await?;
        self.enter(session).await?;
        self.greet(page).await
    }

    /// From here on this is the chat.
    pub(crate) async fn enter(&mut self, session: SessionHandle) -> Result<()> {
        self.calls = sent::calls(&session).await?;
        self.session = session;
        self.budget = None;
        self.told_replaced = 0;
        Ok(())
    }

    /// The assistant speaks first.
    async fn greet(&mut self, page: &mut Page) -> Result<()> {
        let record = self.session.record().await?;
        let number = chats::number(self, record.id).await?;
        page.rule(&format!("chat {number} · {}", day(record.opened_at)));
        self.answer(page).await
    }

    /// Something the user said, and the assistant's turn after it.
    pub(crate) async fn say(&mut self, said: Push, page: &mut Page) -> Result<()> {
        self.session.push(said).await?;
        self.answer(page).await
    }

    /// The assistant's turn.
    async fn answer(&mut self, page: &mut Page) -> Result<()> {
        let mut events = Vec::new();
        for _ in 0..MOST_ROUNDS {
            let view = self.session.view_within(self.budget).await?;
            if view.replaced > self.told_replaced {
                self.told_replaced = view.replaced;
                page.note(&view.notice.clone().unwrap_or_default());
            }
            let conversation = sent::conversation(&self.session, view, &self.calls).await?;
            // Here a host calls its model: this is the only line that knows of the stand-in.
            match stand_in::next(&conversation) {
                Step::Call(calls) => self.run_tools(calls, &mut events).await?,
                Step::Say(words) => {
                    self.session.push(Push::assistant(words.as_str())).await?;
                    // So that /why can tell which memories the answer rests on.
                    self.session.cite(&words).await?;
                    page.advisor(&words);
                    for found in self.session.check_phrasing(&words).await? {
                        let instead = &found.suggestion;
                        page.note(&format!("It presumes what you think: better “{instead} …”"));
                    }
                    break;
                }
            }
        }
        for event in &events {
            self.show_write(event, page);
        }
        Ok(())
    }

    /// Runs the model's calls and hands it the answers.
    async fn run_tools(&mut self, calls: Vec<String>, events: &mut Vec<MemoryEvent>) -> Result<()> {
        let mut calling = Push::assistant("");
        calling.calls = calls.iter().map(|call| sent::call_id(call)).collect();
        let ids = calling.calls.clone();
        self.session.push(calling).await?;
        for (text, call) in calls.into_iter().zip(ids) {
            // Whatever the model wrote, the answer is a message for it.
            let reply = self.session.call_tool_json(&text).await?;
            self.session
                .push(Push::tool(call.as_str(), reply.message.as_str()))
                .await?;
            self.calls.insert(call, text);
            events.extend(reply.event);
        }
        Ok(())
    }

    /// Shows what a command of the user's did.
    pub(crate) fn show_outcome(&mut self, outcome: &Outcome, page: &mut Page) {
        match &outcome.event {
            Some(event) => self.show_write(event, page),
            None => page.status(&format!("Nothing to do: {}", outcome.line)),
        }
    }

    /// The quiet line after a write, and its undo.
    pub(crate) fn show_write(&mut self, event: &MemoryEvent, page: &mut Page) {
        let mut line = event.line.clone();
        if event.kind == EventKind::Proposed {
            line.push_str("   /pending");
        }
        if let Some(token) = event.undo {
            self.writes.done.push(token);
            self.writes.undone.clear();
            line.push_str("   /undo");
        }
        page.status(&line);
    }
}

/// Does what is due, above all: a chat whose process was killed is closed now.
async fn finish_abandoned(keepmind: &Keepmind, page: &mut Page) -> Result<()> {
    let swept = keepmind.sweep().await?;
    for failure in &swept.failures {
        page.trouble(failure.error.message());
    }
    match swept.of("close_stale") {
        0 => {}
        1 => page.status("Closed a chat that was left open."),
        chats => page.status(&format!("Closed {chats} chats that were left open.")),
    }
    Ok(())
}

/// The day of a moment, in UTC.
pub(crate) fn day(moment: keepmind::Timestamp) -> String {
    moment.to_string().chars().take(10).collect()
}
