//! The memory page: everything that is known about the user, how it is known, and what was forgotten.

use std::collections::BTreeMap;

use keepmind::command::{Forgotten, List};
use keepmind::{Evidence, MemoryRow, Result, SessionId, Source, Trust, Why};

use crate::chat::{Chat, day};
use crate::chats;
use crate::screen::Page;

/// How many of the forgotten are shown.
const FORGOTTEN: usize = 5;

pub(crate) async fn show(chat: &Chat, page: &mut Page) -> Result<()> {
    let known = all(chat).await?;
    let chats = chats::numbers(chat).await?;
    if known.is_empty() {
        page.line("Nothing is known about you.");
    }
    for category in &chat.keepmind.policy().categories {
        let mut rows = known
            .iter()
            .filter(|row| row.body.claim.category == category.name)
            .peekable();
        if rows.peek().is_some() {
            page.heading(&category.title);
        }
        for row in rows {
            page.line(&format!("{} {}", row.body.number, row.body.claim.content));
            page.detail(&provenance(row, &chats));
        }
    }
    let asked = Forgotten::default().limit(FORGOTTEN);
    let forgotten = chat.memory.forgotten(asked).await?.rows;
    if !forgotten.is_empty() {
        page.heading("Recently forgotten");
    }
    for row in &forgotten {
        let number = row.body.number;
        let on = row.end.map(|end| day(end.at)).unwrap_or_default();
        let word = match row.end.map(|end| end.why) {
            Some(Why::Trashed) => "in the trash since",
            _ => "forgotten",
        };
        page.line(&format!("{number} {}", row.body.claim.content));
        page.detail(&format!("{word} {on} · /restore {number}"));
    }
    let waiting = chat.memory.pending().await?.len();
    if waiting > 0 {
        page.note(&format!("{waiting} more waiting for your word: /pending"));
    }
    Ok(())
}

/// All that is live, page by page.
async fn all(chat: &Chat) -> Result<Vec<MemoryRow>> {
    let mut list = List::default();
    let mut rows = Vec::new();
    loop {
        let page = chat.memory.list(list.clone()).await?;
        rows.extend(page.rows);
        list.after = page.next;
        if list.after.is_none() {
            return Ok(rows);
        }
    }
}

/// `stated · assistant, chat 1 · since 2026-03-02 · “I only buy funds.”`
fn provenance(row: &MemoryRow, chats: &BTreeMap<SessionId, usize>) -> String {
    let claim = &row.body.claim;
    let sure = match (row.marks.confidence, claim.trust) {
        (Some(confidence), _) => format!("tentative, {confidence:.2}"),
        (None, Trust::User) => "stated".to_owned(),
        (None, _) => "the assistant's words".to_owned(),
    };
    let source = match claim.source {
        Source::User => "you",
        Source::Agent => "assistant",
        Source::Extracted => "read from a chat",
        Source::Derived => "concluded",
        Source::Imported => "imported",
        _ => "from elsewhere",
    };
    let chat = claim
        .session
        .and_then(|id| chats.get(&id))
        .map(|number| format!(", chat {number}"));
    let mut line = format!(
        "{sure} · {source}{} · since {}",
        chat.unwrap_or_default(),
        day(claim.valid_from)
    );
    if let Some(confirmed) = row.marks.last_confirmed_at {
        line.push_str(&format!(" · confirmed {}", day(confirmed)));
    }
    for piece in &claim.evidence {
        if let Evidence::Quote { quote, .. } = piece {
            line.push_str(&format!(" · “{quote}”"));
        }
    }
    line
}
