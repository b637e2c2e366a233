//! Questions about the past: every version of a memory, what was true on a day, and looking through all of it.

use keepmind::command::AsOfQuery;
use keepmind::{Error, MemoryRow, Result, Timestamp, Why};

use crate::chat::{Chat, day};
use crate::screen::Page;

pub(crate) async fn history(chat: &Chat, target: &str, page: &mut Page) -> Result<()> {
    for row in chat.memory.history(target).await?.rows {
        let body = &row.body;
        page.line(&format!(
            "{} v{}  {}  ({})",
            body.number,
            body.version.get(),
            body.claim.content,
            life(&row)
        ));
    }
    Ok(())
}

/// `2026-03-02 to 2026-03-09, then replaced`.
fn life(row: &MemoryRow) -> String {
    let from = day(row.body.claim.valid_from);
    let came_back = if row.id.uuid() == row.origin.uuid() {
        ""
    } else {
        ", brought back"
    };
    let Some(end) = row.end else {
        return format!("since {from}{came_back}");
    };
    let until = day(end.why.valid_until().unwrap_or(end.at));
    let ended = match end.why {
        Why::Superseded { .. } => "then replaced",
        Why::Corrected { .. } => "then corrected",
        Why::Forgotten => "then forgotten",
        Why::Trashed => "then trashed",
        Why::Expired { .. } => "then expired",
        Why::Undone => "then undone",
        Why::Faded { .. } => "then faded",
        Why::Done { .. } => "then done",
        _ => "then ended",
    };
    format!("{from} to {until}{came_back}, {ended}")
}

pub(crate) async fn as_of(chat: &Chat, given: &str, page: &mut Page) -> Result<()> {
    let moment = moment(given).ok_or_else(|| {
        Error::invalid(
            "as_of",
            "Write a day or a moment, as in 2026-03-05 or 2026-03-05T09:30:00Z.",
        )
    })?;
    let mut question = AsOfQuery::at(moment);
    let mut is_empty = true;
    loop {
        let then = chat.memory.as_of(question.clone()).await?;
        for row in &then.rows {
            is_empty = false;
            page.line(&format!("{} {}", row.body.number, row.body.claim.content));
        }
        question.after = then.next;
        if question.after.is_none() {
            break;
        }
    }
    if is_empty {
        page.line("Nothing was known to be true then.");
    }
    Ok(())
}

/// Shows what to look through; `done` says that the user has.
pub(crate) async fn review(chat: &mut Chat, given: &str, page: &mut Page) -> Result<()> {
    match given {
        "" => {
            page.verbatim(&chat.memory.review().await?.to_markdown());
            page.note(
                "/confirm, /forget and /accept act on it; /review done when you are through.",
            );
        }
        "done" => {
            let done = chat.memory.reviewed().await?;
            chat.show_outcome(&done, page);
        }
        _ => page.trouble("Write it like this: /review, or /review done"),
    }
    Ok(())
}

/// A moment, or the end of a day in UTC: on a day, what was true when it was over.
fn moment(given: &str) -> Option<Timestamp> {
    let text = match given.len() {
        10 => format!("{given}T23:59:59.999999Z"),
        _ => given.to_owned(),
    };
    Timestamp::parse(&text).ok()
}
