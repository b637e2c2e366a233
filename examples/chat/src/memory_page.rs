//! The memory page: everything that is known about the user, how it is known, and what was forgotten.

use std::collections::{BTreeMap, BTreeSet};

use keepmind::command::List;
use keepmind::store::{Filter, Selection};
use keepmind::{Evidence, MemoryRow, Number, Result, SessionId, Source, Trust, Why};

use crate::chat::{Chat, day};
use crate::chats;
use crate::screen::Page;

/// How many of the forgotten are shown.
const FORGOTTEN: usize = 5;

pub(crate) async fn show(chat: &Chat, page: &mut Page) -> Result<()> {
    let known = all(chat, None).await?;
    let ended = all(chat, Some(Filter::new(Selection::Ended))).await?;
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
    let live: BTreeSet<Number> = known.iter().map(|row| row.body.number).collect();
    let forgotten = forgotten(&ended, &live);
    if !forgotten.is_empty() {
        page.heading("Recently forgotten");
    }
    for (row, word, on) in forgotten.iter().take(FORGOTTEN) {
        let number = row.body.number;
        page.line(&format!("{number} {}", row.body.claim.content));
        page.detail(&format!("{word} {on} · /restore {number}"));
    }
    let waiting = chat.memory.pending().await?.len();
    if waiting > 0 {
        page.note(&format!("{waiting} more waiting for your word: /pending"));
    }
    Ok(())
}

/// Every row of a list, page by page.
async fn all(chat: &Chat, filter: Option<Filter>) -> Result<Vec<MemoryRow>> {
    let mut list = List::default();
    list.filter = filter;
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

/// The facts that were forgotten or trashed and have not come back, the latest first.
fn forgotten<'r>(
    ended: &'r [MemoryRow],
    live: &BTreeSet<Number>,
) -> Vec<(&'r MemoryRow, &'static str, String)> {
    // Rows come in order of version: the last one says what became of the fact.
    let last: BTreeMap<Number, &MemoryRow> =
        ended.iter().map(|row| (row.body.number, row)).collect();
    let mut found: Vec<_> = last
        .into_values()
        .filter(|row| !live.contains(&row.body.number))
        .filter_map(|row| {
            let end = row.end?;
            let word = match end.why {
                Why::Forgotten => "forgotten",
                Why::Trashed => "in the trash since",
                _ => return None,
            };
            Some((end.at, row, word))
        })
        .collect();
    found.sort_by_key(|(at, row, _)| std::cmp::Reverse((*at, row.body.number)));
    found
        .into_iter()
        .map(|(at, row, word)| (row, word, day(at)))
        .collect()
}
