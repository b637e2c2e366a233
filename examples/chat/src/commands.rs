//! The slash commands: one table that is also the help.

use keepmind::command::Recall;
use keepmind::{Error, Proposal, ProposedOperation, Push, Result, Row, RowId};

use crate::chat::{Chat, day};
use crate::screen::Page;
use crate::{chats, compress, consent, files, layers, memory_page, past};

/// Every command: its name, what it takes (in brackets what may be left out), what it does.
const COMMANDS: &[(&str, &str, &str)] = &[
    (
        "memory",
        "",
        "what is known about you, and what was forgotten",
    ),
    (
        "undo",
        "",
        "take the last write back; again for the one before",
    ),
    ("redo", "", "take the last /undo back"),
    ("forget", "#n", "end a memory; it can be restored"),
    ("trash", "#n", "put a memory in the trash"),
    ("restore", "#n", "bring back what was forgotten or trashed"),
    ("history", "#n", "every version of a memory"),
    (
        "timeline",
        "#n",
        "a picture of a memory's life, and what it used to be",
    ),
    (
        "lineage",
        "#n",
        "what a memory was made from, and what was made from it",
    ),
    (
        "consolidate",
        "",
        "make one memory of many: candidates, duplicates, contradictions, habits",
    ),
    (
        "digests",
        "",
        "what is known in short, with what each line cites",
    ),
    ("as-of", "DATE", "what was true on a day, as in 2026-03-05"),
    (
        "recall",
        "WORDS",
        "search all memories, and say why each was found",
    ),
    ("pending", "", "what waits for your word"),
    ("accept", "n", "accept number n of /pending"),
    (
        "edit",
        "n TEXT",
        "accept number n of /pending in words of your own",
    ),
    ("reject", "n", "turn number n of /pending down"),
    (
        "consent",
        "[DOMAIN [off]]",
        "what may be kept only if you say so; say so, or take it back",
    ),
    (
        "paste",
        "TEXT",
        "say something in words that are not yours: a page, a mail",
    ),
    (
        "block",
        "",
        "what the assistant was told about you when this chat began",
    ),
    ("calls", "", "the tool calls of this chat"),
    ("why", "", "which memories this chat used, and how"),
    ("stats", "", "how much is kept, and how well it does"),
    ("health", "", "what of your memory wants a look"),
    (
        "review",
        "[done]",
        "what is known, new and doubtful; say done when you are through",
    ),
    (
        "confirm",
        "#n",
        "say that a memory is right, also one not believed yet",
    ),
    ("new", "", "close this chat and begin the next"),
    ("chats", "", "your chats, by how long ago they were"),
    ("open", "n", "close this chat and go on in chat n"),
    ("search", "WORDS", "chats by what was said in them"),
    ("rename", "TITLE", "call this chat something else"),
    (
        "trash-chat",
        "[n]",
        "put this chat, or chat n, in the trash",
    ),
    ("restore-chat", "n", "bring chat n back from the trash"),
    (
        "compress",
        "[TOKENS]",
        "what of this chat is sent to the assistant; try a smaller budget",
    ),
    (
        "export",
        "FILE",
        "a new .jsonl of everything, or an .md or folder/ to read and edit",
    ),
    (
        "import",
        "[dry] FILE",
        "take over what a .jsonl holds, or what you edited; /undo takes it back",
    ),
    ("help", "", "this"),
    (
        "quit",
        "",
        "close this chat and leave; Ctrl-D and Ctrl-C do too",
    ),
];

/// Runs a command, without its slash. True when it is time to leave.
pub(crate) async fn run(chat: &mut Chat, command: &str, page: &mut Page) -> Result<bool> {
    let (name, given) = command
        .split_once(char::is_whitespace)
        .unwrap_or((command, ""));
    let given = given.trim();
    let Some((name, takes, _)) = COMMANDS.iter().find(|(known, _, _)| *known == name) else {
        let known: Vec<String> = COMMANDS
            .iter()
            .map(|(name, _, _)| format!("/{name}"))
            .collect();
        page.trouble(&format!(
            "There is no such command. There are: {}",
            known.join(" ")
        ));
        return Ok(false);
    };
    let is_optional = takes.starts_with('[');
    if !is_optional && takes.is_empty() != given.is_empty() {
        page.trouble(format!("Write it like this: /{name} {takes}").trim_end());
        return Ok(false);
    }
    match *name {
        "memory" => memory_page::show(chat, page).await?,
        "undo" => undo(chat, page).await?,
        "redo" => redo(chat, page).await?,
        "forget" => {
            let done = chat.memory.forget(given).await?;
            chat.show_outcome(&done, page);
        }
        "trash" => {
            let done = chat.memory.trash(given).await?;
            chat.show_outcome(&done, page);
        }
        "restore" => {
            let done = chat.memory.restore(given).await?;
            chat.show_outcome(&done, page);
        }
        "history" => past::history(chat, given, page).await?,
        "timeline" => page.verbatim(&chat.memory.timeline(given).await?.to_string()),
        "lineage" => page.verbatim(&chat.memory.lineage(given).await?.to_string()),
        "consolidate" => layers::consolidate(chat, page).await?,
        "digests" => layers::digests(chat, page).await?,
        "as-of" => past::as_of(chat, given, page).await?,
        "recall" => recall(chat, given, page).await?,
        "pending" => pending(chat, page).await?,
        "accept" => {
            let proposal = proposal(chat, given).await?;
            let done = chat.memory.accept(proposal).await?;
            chat.show_outcome(&done, page);
        }
        "edit" => edit(chat, given, page).await?,
        "consent" => consent::run(chat, given, page).await?,
        "reject" => {
            let proposal = proposal(chat, given).await?;
            let done = chat.memory.reject(proposal).await?;
            chat.show_outcome(&done, page);
        }
        "paste" => {
            let whole = u32::try_from(given.len()).unwrap_or(u32::MAX);
            chat.say(Push::user(given).untrusted(0, whole), page)
                .await?;
        }
        "block" => {
            page.note(
                "Frozen when this chat began: what was written since is not in it until /new.",
            );
            page.verbatim(&chat.session.block().await?);
        }
        "calls" => calls(chat, page).await?,
        "why" => page.verbatim(&chat.session.why().await?.to_string()),
        "stats" => {
            page.verbatim(&chat.memory.stats().await?.to_string());
            page.verbatim(&chat.memory.metrics().await?.to_string());
            page.verbatim(&chat.keepmind.metrics().to_string());
        }
        "health" => page.verbatim(&chat.memory.health().await?.to_string()),
        "review" => past::review(chat, given, page).await?,
        "confirm" => {
            let done = chat.memory.confirm(given).await?;
            chat.show_outcome(&done, page);
        }
        "new" => {
            chat.close(page).await?;
            chat.begin_next(page).await?;
        }
        "chats" => chats::list(chat, page).await?,
        "open" => chats::open(chat, given, page).await?,
        "search" => chats::search(chat, given, page).await?,
        "rename" => chats::rename(chat, given, page).await?,
        "trash-chat" => chats::trash(chat, given, page).await?,
        "restore-chat" => chats::restore(chat, given, page).await?,
        "compress" => compress::show(chat, given, page).await?,
        "export" => files::export(chat, given, page).await?,
        "import" => files::import(chat, given, page).await?,
        "help" => help(page),
        "quit" => return Ok(true),
        _ => {}
    }
    Ok(false)
}

fn help(page: &mut Page) {
    page.line(
        "Say something, for example: I only buy funds. Actually, make that 55. Forget the funds.",
    );
    for (name, takes, does) in COMMANDS {
        let command = format!("/{name} {takes}");
        page.line(&format!("{command:23} {does}"));
    }
    page.line("!!                      the last line again; !3 the third; ! shows them");
}

async fn undo(chat: &mut Chat, page: &mut Page) -> Result<()> {
    let Some(token) = chat.writes.done.pop() else {
        page.trouble("There is nothing to undo.");
        return Ok(());
    };
    match chat.memory.undo(token).await {
        Ok(undone) => {
            chat.writes.undone.push(token);
            let line = undone.event.map_or(undone.line, |event| event.line);
            page.status(&format!("{line}   /redo"));
            Ok(())
        }
        Err(error) => {
            // What a rule refuses stays refused; what the store could not do may work the next time.
            if error.is_retryable() {
                chat.writes.done.push(token);
            }
            Err(error)
        }
    }
}

async fn redo(chat: &mut Chat, page: &mut Page) -> Result<()> {
    let Some(token) = chat.writes.undone.pop() else {
        page.trouble("There is nothing to redo.");
        return Ok(());
    };
    match chat.memory.redo(token).await {
        Ok(redone) => {
            let (line, again) = match redone.event {
                Some(event) => (event.line, event.undo),
                None => (redone.line, None),
            };
            // From here on it is the redo that stands: undoing it is undoing the write again.
            chat.writes.done.push(again.unwrap_or(token));
            page.status(&format!("{line}   /undo"));
            Ok(())
        }
        Err(error) => {
            if error.is_retryable() {
                chat.writes.undone.push(token);
            }
            Err(error)
        }
    }
}

async fn recall(chat: &Chat, words: &str, page: &mut Page) -> Result<()> {
    let hits = chat.memory.recall(Recall::new(words)).await?;
    if hits.is_empty() {
        page.line("Nothing fits that.");
    }
    for hit in hits {
        page.line(&format!(
            "{} {}",
            hit.row.body.number, hit.row.body.claim.content
        ));
        page.detail(&hit.why());
    }
    Ok(())
}

async fn pending(chat: &mut Chat, page: &mut Page) -> Result<()> {
    let waiting = chat.memory.pending().await?;
    chat.shown_proposals = waiting.iter().map(|row| row.id).collect();
    if waiting.is_empty() {
        page.line("Nothing waits for your word.");
        return Ok(());
    }
    for (number, row) in (1..).zip(&waiting) {
        page.line(&format!("{number}  {}", asked(row)));
        let until = row
            .body
            .expires_at
            .map(|at| format!(" · until {}", day(at)));
        page.detail(&format!(
            "{}{}",
            row.body.reasoning,
            until.unwrap_or_default()
        ));
    }
    page.note("/accept n keeps it as your own word, /edit n TEXT in other words, /reject n turns it down.");
    Ok(())
}

async fn edit(chat: &mut Chat, given: &str, page: &mut Page) -> Result<()> {
    let Some((number, words)) = given.split_once(char::is_whitespace) else {
        page.trouble("Write it like this: /edit n TEXT");
        return Ok(());
    };
    let proposal = proposal(chat, number).await?;
    let done = chat.memory.accept_as(proposal, words.trim()).await?;
    chat.show_outcome(&done, page);
    Ok(())
}

/// What a proposal asks.
pub(crate) fn asked(row: &Row<Proposal>) -> String {
    let words = row
        .body
        .claim()
        .map_or("", |(claim, _)| claim.content.as_str());
    match &row.body.operation {
        ProposedOperation::Save { .. } => format!("Save: {words}"),
        ProposedOperation::Update { target, .. } => format!("Change {} to: {words}", target.number),
        ProposedOperation::Forget { target } => format!("Forget {}", target.number),
        ProposedOperation::Choose { target, .. } => {
            format!("Which is true: {} as it stands, or: {words}", target.number)
        }
        _ => format!("Decide: {words}"),
    }
}

/// The proposal of a number, as it was last shown.
async fn proposal(chat: &mut Chat, given: &str) -> Result<RowId> {
    if chat.shown_proposals.is_empty() {
        chat.shown_proposals = chat
            .memory
            .pending()
            .await?
            .iter()
            .map(|row| row.id)
            .collect();
    }
    let index = given
        .trim_start_matches('#')
        .parse::<usize>()
        .ok()
        .and_then(|number| number.checked_sub(1));
    let named = index.and_then(|index| chat.shown_proposals.get(index));
    named.copied().ok_or_else(|| {
        Error::invalid(
            "proposal",
            "There is no such proposal: /pending shows them.",
        )
    })
}

async fn calls(chat: &Chat, page: &mut Page) -> Result<()> {
    let traces = chat.session.traces(None, 100).await?.items;
    if traces.is_empty() {
        page.line("No tool was called in this chat.");
    }
    for trace in traces {
        // OpenAI's providers write the arguments as text; others as an object.
        let arguments = match trace.arguments.as_str() {
            Some(text) => text.to_owned(),
            None => trace.arguments.to_string(),
        };
        page.line(&format!("{}  {} {arguments}", trace.key.call, trace.tool));
        page.detail(&trace.result);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
