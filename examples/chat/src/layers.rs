//! `/consolidate` and `/digests`: what is made of many memories, and what is known in short.

use keepmind::{Result, Settling};

use crate::chat::Chat;
use crate::screen::Page;

/// Consolidates, and tells what became of each row.
pub async fn consolidate(chat: &mut Chat, page: &mut Page) -> Result<()> {
    let done = chat.memory.consolidate().await?;
    for one in &done.settled {
        let number = one
            .number
            .map_or(String::new(), |number| format!(" {number}"));
        let other = one
            .other
            .map_or(String::new(), |other| format!(" ({other})"));
        if one.fate != Settling::Compiled {
            page.line(&format!(
                "{}{number}: {}{other}",
                one.fate.word(),
                one.reason
            ));
        }
    }
    match done.event.as_ref().and_then(|event| event.undo) {
        None => page.status(&done.line()),
        Some(token) => {
            chat.writes.done.push(token);
            page.status(&format!("{}   /undo", done.line()));
        }
    }
    Ok(())
}

/// Shows what is known in short, with the memories that each line cites.
pub async fn digests(chat: &Chat, page: &mut Page) -> Result<()> {
    let digests = chat.memory.digests().await?;
    if digests.is_empty() {
        page.note("Nothing is known yet.");
    }
    for digest in digests {
        let mut text = format!("{}\n", digest.title);
        for line in &digest.lines {
            let cites: Vec<String> = line.cites.iter().map(ToString::to_string).collect();
            text.push_str(&format!("- {} [{}]\n", line.text, cites.join(" ")));
        }
        page.verbatim(&text);
    }
    Ok(())
}
