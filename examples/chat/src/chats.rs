//! The user's chats: listed by how long ago they were, opened again, searched, named, thrown away.

use std::collections::BTreeMap;

use keepmind::store::{MessageQuery, SessionQuery};
use keepmind::{Error, Recency, Result, Role, SessionId, SessionLine, SessionList, SessionStatus};

use crate::chat::{Chat, day};
use crate::screen::Page;

/// The headings of the list, in order.
const GROUPS: [&str; 5] = ["Today", "Yesterday", "Previous 7 days", "Older", "Archived"];
/// How many chats a search shows.
const HITS: usize = 10;
/// How many messages are shown of a chat that is opened again, and of each how much.
const SHOWN: usize = 4;
const SHOWN_CHARACTERS: usize = 80;
/// How many messages are read for them: a turn may have many messages of tools.
const READ: usize = 100;

pub(crate) async fn list(chat: &Chat, page: &mut Page) -> Result<()> {
    let numbers = numbers(chat).await?;
    let here = chat.session.id();
    let mut lines = all(chat, false).await?;
    // A start and an end with nothing between them is not worth a line.
    lines.retain(|line| line.title.is_some() || line.id == here);
    for group in GROUPS {
        let mut lines = lines
            .iter()
            .filter(|line| heading(line) == group)
            .peekable();
        if lines.peek().is_some() {
            page.heading(group);
        }
        for line in lines {
            page.line(&named(chat, line, &numbers));
        }
    }
    let trashed = all(chat, true).await?;
    if !trashed.is_empty() {
        page.heading("In the trash");
    }
    for line in &trashed {
        page.line(&named(chat, line, &numbers));
        let number = numbered(&numbers, line.id);
        let since = line.deleted_at.map(day).unwrap_or_default();
        page.detail(&format!("since {since} · /restore-chat {number}"));
    }
    Ok(())
}

fn heading(line: &SessionLine) -> &'static str {
    match (line.status, line.recency) {
        (SessionStatus::Archived, _) => "Archived",
        (_, Recency::Today) => "Today",
        (_, Recency::Yesterday) => "Yesterday",
        (_, Recency::PreviousSevenDays) => "Previous 7 days",
        (_, _) => "Older",
    }
}

/// `2  Make that retirement at 55   (this chat)`
fn named(chat: &Chat, line: &SessionLine, numbers: &BTreeMap<SessionId, usize>) -> String {
    let number = numbered(numbers, line.id);
    let title = line.title.as_deref().unwrap_or("Nothing said yet");
    let here = if line.id == chat.session.id() {
        "   (this chat)"
    } else {
        ""
    };
    format!("{number}  {title}{here}")
}

pub(crate) async fn open(chat: &mut Chat, given: &str, page: &mut Page) -> Result<()> {
    let id = meant(chat, given).await?;
    if id == chat.session.id() {
        page.line("You are in that chat.");
        return Ok(());
    }
    let session = chat.memory.session(id).await?;
    // First, so that a chat which cannot be opened leaves this one as it is.
    session.resume().await?;
    chat.close(page).await?;
    chat.enter(session).await?;
    let opened = chat.session.record().await?.opened_at;
    page.rule(&format!("chat {given} · {}, resumed", day(opened)));
    show_recent(chat, page).await
}

/// The last things said in the chat.
async fn show_recent(chat: &Chat, page: &mut Page) -> Result<()> {
    let query = MessageQuery {
        newest_first: true,
        ..MessageQuery::of(chat.session.id(), READ)
    };
    let store = chat.keepmind.store();
    let read = store.messages(chat.memory.owner(), &query).await?;
    let mut spoken: Vec<_> = read
        .items
        .into_iter()
        .map(|message| message.utterance)
        .filter(|said| matches!(said.role, Role::User | Role::Assistant))
        .filter(|said| !said.content.is_empty())
        .collect();
    if spoken.len() > SHOWN || read.next.is_some() {
        page.note("…");
    }
    spoken.truncate(SHOWN);
    for said in spoken.iter().rev() {
        match said.role {
            Role::User => page.you(&beginning(&said.content)),
            _ => page.advisor(&beginning(&said.content)),
        }
    }
    Ok(())
}

/// As much of a message as reminds of it.
fn beginning(text: &str) -> String {
    let mut characters = text.chars();
    let mut beginning: String = characters.by_ref().take(SHOWN_CHARACTERS).collect();
    if characters.next().is_some() {
        beginning.truncate(beginning.trim_end().len());
        beginning.push('…');
    }
    beginning
}

pub(crate) async fn search(chat: &Chat, words: &str, page: &mut Page) -> Result<()> {
    let hits = chat.memory.search_sessions(words, HITS).await?;
    if hits.is_empty() {
        page.line("Nothing like that was said.");
        return Ok(());
    }
    let numbers = numbers(chat).await?;
    for hit in &hits {
        page.line(&named(chat, &hit.session, &numbers));
        let who = if hit.role == Role::User {
            "you"
        } else {
            "advisor"
        };
        let lead = format!("{} · {who}: ", day(hit.at));
        page.found(&lead, &hit.snippet.text, &hit.snippet.highlights);
    }
    page.note("/open n goes on in one of them.");
    Ok(())
}

pub(crate) async fn rename(chat: &Chat, title: &str, page: &mut Page) -> Result<()> {
    chat.session.rename(title).await?;
    let title = chat.session.record().await?.title;
    let title = title.map(|title| title.text).unwrap_or_default();
    page.status(&format!("This chat is called “{title}” now."));
    Ok(())
}

/// Puts a chat in the trash: the one of a number, or this one, and then the next begins.
pub(crate) async fn trash(chat: &mut Chat, given: &str, page: &mut Page) -> Result<()> {
    let here = chat.session.id();
    let id = match given {
        "" => here,
        given => meant(chat, given).await?,
    };
    let session = chat.memory.session(id).await?;
    let number = number(chat, id).await?;
    // Not closed before: what is thrown away is not learned from.
    session.trash().await?;
    let days = chat.keepmind.policy().retention.session_trash_days;
    page.status(&format!(
        "Chat {number} is in the trash for {days} days   /restore-chat {number}"
    ));
    if id == here {
        chat.begin_next(page).await?;
    }
    Ok(())
}

pub(crate) async fn restore(chat: &Chat, given: &str, page: &mut Page) -> Result<()> {
    let session = chat.memory.session(meant(chat, given).await?).await?;
    if session.record().await?.deleted_at.is_none() {
        page.line("That chat is not in the trash.");
        return Ok(());
    }
    session.restore().await?;
    page.status(&format!("Chat {given} is back   /open {given}"));
    Ok(())
}

/// The chat of a number.
async fn meant(chat: &Chat, given: &str) -> Result<SessionId> {
    let wanted = given.parse::<usize>().ok();
    let numbers = numbers(chat).await?;
    let found = numbers.iter().find(|(_, number)| Some(**number) == wanted);
    found
        .map(|(id, _)| *id)
        .ok_or_else(|| Error::invalid("chats", "There is no such chat: /chats shows them."))
}

/// The number of a chat.
pub(crate) async fn number(chat: &Chat, id: SessionId) -> Result<usize> {
    Ok(numbered(&numbers(chat).await?, id))
}

fn numbered(numbers: &BTreeMap<SessionId, usize>, id: SessionId) -> usize {
    numbers.get(&id).copied().unwrap_or_default()
}

/// The chats of the user, counted in the order they were opened. Those in the trash count, so that a number
/// does not become another chat's.
pub(crate) async fn numbers(chat: &Chat) -> Result<BTreeMap<SessionId, usize>> {
    let mut opened = Vec::new();
    let mut query = SessionQuery {
        deleted: None,
        ..SessionQuery::recent(500)
    };
    loop {
        let store = chat.keepmind.store();
        let page = store.sessions(chat.memory.owner(), &query).await?;
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

/// Every chat, page by page, the most recently active first.
async fn all(chat: &Chat, trashed: bool) -> Result<Vec<SessionLine>> {
    let mut list = SessionList::default();
    list.trashed = trashed;
    let mut lines = Vec::new();
    loop {
        let page = chat.memory.sessions(list.clone()).await?;
        lines.extend(page.sessions);
        list.after = page.next;
        if list.after.is_none() {
            return Ok(lines);
        }
    }
}

#[cfg(test)]
mod tests;
