//! The host: one chat after another with one user. This is what an application writes around the library.

use std::collections::BTreeMap;

use keepmind::store::SessionQuery;
use keepmind::{
    EventKind, Keepmind, MemoryEvent, Outcome, Push, Result, RowId, SessionHandle, SessionId,
    ToolShape, UndoToken, UserMemory,
};
use serde_json::Value;

use crate::commands;
use crate::screen::{Page, Style};
use crate::stand_in::{self, Conversation, Said, Step};

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
    pub(crate) style: Style,
    conversation: Conversation,
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
    /// Opens a chat; also answers what to show first.
    pub async fn open(keepmind: &Keepmind, user: &str, style: Style) -> Result<(Self, String)> {
        let memory = keepmind.user(user)?;
        let session = memory.open_session().await?;
        let mut chat = Chat {
            keepmind: keepmind.clone(),
            memory,
            session,
            writes: Writes::default(),
            shown_proposals: Vec::new(),
            style,
            conversation: Conversation::default(),
        };
        let mut page = Page::new(style);
        chat.begin(&mut page).await?;
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

    /// Leaves the chat: what waits to be recorded is written.
    pub async fn leave(&self) -> Result<()> {
        self.session.flush().await
    }

    /// Leaves this chat and opens the next, whose block knows what was saved in this one.
    pub(crate) async fn start_next(&mut self, page: &mut Page) -> Result<()> {
        self.leave().await?;
        self.session = self.memory.open_session().await?;
        self.begin(page).await
    }

    async fn begin(&mut self, page: &mut Page) -> Result<()> {
        self.conversation = Conversation {
            // The block is frozen: asking for it again would give the same bytes.
            system: self.session.block().await?,
            tools: self.session.tools(ToolShape::OpenAi),
            messages: Vec::new(),
        };
        let record = self.session.record().await?;
        let number = self
            .chat_numbers()
            .await?
            .get(&record.id)
            .copied()
            .unwrap_or(1);
        page.rule(&format!("chat {number} · {}", day(record.opened_at)));
        let Step::Say(greeting) = stand_in::next(&self.conversation) else {
            return Ok(());
        };
        self.session
            .push(Push::assistant(greeting.as_str()))
            .await?;
        page.advisor(&greeting);
        self.conversation.messages.push(Said::Assistant(greeting));
        Ok(())
    }

    /// Something the user said, and the assistant's turn after it.
    pub(crate) async fn say(&mut self, said: Push, page: &mut Page) -> Result<()> {
        self.conversation
            .messages
            .push(Said::User(said.content.clone()));
        if let Err(error) = self.session.push(said).await {
            self.conversation.messages.pop();
            return Err(error);
        }
        let mut events = Vec::new();
        for _ in 0..MOST_ROUNDS {
            // Here a host calls its model: this is the only line that knows of the stand-in.
            match stand_in::next(&self.conversation) {
                Step::Call(calls) => self.run_tools(calls, &mut events).await?,
                Step::Say(words) => {
                    self.session.push(Push::assistant(words.as_str())).await?;
                    page.advisor(&words);
                    self.conversation.messages.push(Said::Assistant(words));
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
        let ids: Vec<String> = calls.iter().map(|call| call_id(call)).collect();
        let mut calling = Push::assistant("");
        calling.calls = ids.clone();
        self.session.push(calling).await?;
        self.conversation.messages.push(Said::Calls(calls.clone()));
        for (text, call) in calls.iter().zip(ids) {
            // Whatever the model wrote, the answer is a message for it.
            let reply = self.session.call_tool_json(text).await?;
            self.session
                .push(Push::tool(call.as_str(), reply.message.as_str()))
                .await?;
            self.conversation.messages.push(Said::Tool {
                call,
                content: reply.message,
            });
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
    fn show_write(&mut self, event: &MemoryEvent, page: &mut Page) {
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

    /// The chats of the user, counted in the order they were opened.
    pub(crate) async fn chat_numbers(&self) -> Result<BTreeMap<SessionId, usize>> {
        let mut opened = Vec::new();
        let mut query = SessionQuery::recent(500);
        loop {
            let page = self
                .keepmind
                .store()
                .sessions(self.memory.owner(), &query)
                .await?;
            opened.extend(
                page.items
                    .into_iter()
                    .map(|session| (session.opened_at, session.id)),
            );
            query.after = page.next;
            if query.after.is_none() {
                break;
            }
        }
        opened.sort_unstable();
        Ok(opened.into_iter().map(|(_, id)| id).zip(1..).collect())
    }
}

/// The id that the model's provider gave a call.
fn call_id(call: &str) -> String {
    let call: Value = serde_json::from_str(call).unwrap_or_default();
    call["id"].as_str().unwrap_or_default().to_owned()
}

/// The day of a moment, in UTC.
pub(crate) fn day(moment: keepmind::Timestamp) -> String {
    moment.to_string().chars().take(10).collect()
}
