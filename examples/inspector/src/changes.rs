//! The change feed, as a page shows it: a line, who, when, which facts, and the token that takes it back.

use keepmind::command::{Changes, Get, List};
use keepmind::{
    Answer, JournalEntry, Kind, Query, Result, Revision, Timestamp, UndoToken, UserMemory,
};
use serde_json::{Value, json};

/// Of a write that touched more facts than this a page is not told which: it reads everything anew.
const MOST_FACTS: usize = 16;
/// How many entries are read at once.
const PAGE: usize = 100;

/// Where the owner's data stands.
pub async fn now(memory: &UserMemory) -> Result<Revision> {
    let mut list = List::default();
    list.limit = Some(1);
    Ok(memory.list(list).await?.revision)
}

/// What was written since, oldest first, and where to go on from.
pub async fn since(memory: &UserMemory, since: Revision) -> Result<(Vec<Value>, Revision)> {
    let mut changes = Changes::default();
    changes.since = Some(since);
    changes.limit = Some(PAGE);
    let feed = memory.changes(changes).await?;
    let mut told = Vec::new();
    for entry in &feed.entries {
        told.push(tell(memory, entry).await);
    }
    Ok((told, feed.next))
}

/// The last ones, the latest first.
pub async fn latest(memory: &UserMemory, limit: usize) -> Result<Vec<Value>> {
    let now = now(memory).await?;
    let before = now.count.saturating_sub(limit as u64);
    let mut from = Revision {
        count: before,
        ..now
    };
    let mut told = Vec::new();
    loop {
        let (more, next) = since(memory, from).await?;
        let is_all = more.is_empty();
        told.extend(more);
        from = next;
        if is_all || told.len() >= limit {
            break;
        }
    }
    told.truncate(limit);
    told.reverse();
    Ok(told)
}

/// When the first one was written.
pub async fn first(memory: &UserMemory) -> Result<Option<Timestamp>> {
    let mut changes = Changes::default();
    changes.limit = Some(1);
    let feed = memory.changes(changes).await?;
    Ok(feed.entries.first().map(|entry| entry.stamp))
}

async fn tell(memory: &UserMemory, entry: &JournalEntry) -> Value {
    let token = match entry.group {
        Some(group) => UndoToken::Group(group),
        None => UndoToken::Operation(entry.operation),
    };
    let mut told = json!({
        "revision": entry.revision,
        "line": entry.line,
        "who": entry.who,
        "at": entry.stamp,
        "session": entry.session,
        "undo": (!entry.effects.is_empty()).then_some(token),
        "is_undo": !entry.undoes.is_empty(),
    });
    if let Some(facts) = facts(memory, entry).await {
        told["facts"] = facts.into();
    }
    told
}

/// The facts it touched, where they are few and still kept.
async fn facts(memory: &UserMemory, entry: &JournalEntry) -> Option<Vec<u64>> {
    let touched = entry.effects.iter();
    let rows: Vec<_> = touched
        .filter(|effect| effect.kind == Kind::Memory)
        .map(|effect| effect.origin.to_string())
        .collect();
    if rows.len() > MOST_FACTS {
        return None;
    }
    let mut facts = Vec::new();
    for row in rows {
        match memory.query(Query::Visibility(Get::new(row))).await {
            Ok(Answer::Visibility { number, .. }) => facts.push(number.get()),
            _ => return None,
        }
    }
    facts.sort_unstable();
    facts.dedup();
    Some(facts)
}
