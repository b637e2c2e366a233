//! Each operation in keepmind's own words: one request, as `docs/REQUESTS.md` shows it. What it means, what it may
//! hold and what is refused is decided there.

use serde_json::{Value, json};

use crate::problem::Problem;
use crate::route::Asked;

/// How many memories a list answers when it is not said.
const PAGE: u64 = 50;

type Request = Result<Value, Problem>;

/// A fact is named by its number or a row's id. A path is no place for its words: 99 is #99, or nothing.
fn target(asked: &Asked) -> Result<String, Problem> {
    let id = asked.id.as_str();
    let digits = id.strip_prefix('#').unwrap_or(id);
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(format!("#{digits}"));
    }
    let is_id_like = |byte: u8| byte == b'-' || byte.is_ascii_hexdigit();
    if id.len() == 36 && id.bytes().all(is_id_like) {
        return Ok(id.to_owned());
    }
    Err(Problem::not_found(
        "a memory is named by its number, as in 12, or by the id of a row",
    ))
}

fn about(asked: Asked, mut request: Value) -> Request {
    request["target"] = target(&asked)?.into();
    Ok(asked.with(request))
}

/// `cursor` is what keepmind calls `after`.
fn page(mut asked: Asked, mut request: Value) -> Request {
    if let Some(cursor) = asked.take("cursor") {
        request["after"] = cursor;
    }
    Ok(asked.with(request))
}

/// `HARD` and `SOFT` are what keepmind calls a rule and a note.
fn authority(asked: &mut Asked, request: &mut Value) {
    match asked.text("type").as_deref() {
        Some("HARD") => request["authority"] = "rule".into(),
        Some("SOFT") => request["authority"] = "note".into(),
        _ => {}
    }
}

pub(crate) fn list(mut asked: Asked) -> Request {
    let mut request = json!({"query": "list"});
    match asked.text("status").as_deref() {
        Some("PROPOSED") if asked.fields.is_empty() => return Ok(json!({"query": "pending"})),
        Some("PROPOSED") => {
            let message = "what is PROPOSED is answered all at once: leave the other filters out";
            return Err(Problem::invalid(message));
        }
        Some(status) => request["status"] = status.to_lowercase().into(),
        None => {}
    }
    authority(&mut asked, &mut request);
    if let Some(text) = asked.take("search") {
        request["text"] = text;
    }
    request["limit"] = asked.take("limit").unwrap_or_else(|| PAGE.into());
    page(asked, request)
}

/// The words of a new memory. A structured `content` is its value, and is told as `key: value`.
fn claim(asked: &mut Asked, request: &mut Value) {
    authority(asked, request);
    let content = asked.take("content").unwrap_or_default();
    if let Value::String(_) = content {
        request["content"] = content;
        return;
    }
    let told = match asked.fields.get("key").and_then(Value::as_str) {
        Some(key) => format!("{key}: {}", told(&content)),
        None => told(&content),
    };
    request["content"] = told.into();
    request["value"] = content;
}

/// A value in a line.
fn told(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(told).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

pub(crate) fn create(mut asked: Asked) -> Request {
    let mut request = json!({"command": "save"});
    claim(&mut asked, &mut request);
    Ok(asked.with(request))
}

pub(crate) fn propose(mut asked: Asked) -> Request {
    let mut change = json!({"change": "save"});
    claim(&mut asked, &mut change);
    let reasoning = asked.take("reasoning");
    let change = asked.with(change);
    Ok(json!({"command": "propose", "change": change, "reasoning": reasoning}))
}

pub(crate) fn retrieve(mut asked: Asked) -> Request {
    let message = asked.text("query").unwrap_or_default();
    Ok(asked.with(json!({"request": "context", "message": message})))
}

pub(crate) fn get(asked: Asked) -> Request {
    about(asked, json!({"query": "get"}))
}

pub(crate) fn update(asked: Asked) -> Request {
    about(asked, json!({"command": "update"}))
}

pub(crate) fn trash(asked: Asked) -> Request {
    about(asked, json!({"command": "trash"}))
}

pub(crate) fn forget(asked: Asked) -> Request {
    about(asked, json!({"command": "forget"}))
}

pub(crate) fn restore(asked: Asked) -> Request {
    about(asked, json!({"command": "restore"}))
}

pub(crate) fn timeline(asked: Asked) -> Request {
    about(asked, json!({"query": "timeline"}))
}

pub(crate) fn history(asked: Asked) -> Request {
    about(asked, json!({"query": "history"}))
}

pub(crate) fn lineage(asked: Asked) -> Request {
    about(asked, json!({"query": "lineage"}))
}

pub(crate) fn confirm(mut asked: Asked) -> Request {
    let is_accepted = asked.take("confirm") == Some(true.into());
    let proposal = std::mem::take(&mut asked.id);
    let command = if is_accepted { "accept" } else { "reject" };
    if !is_accepted && !asked.fields.is_empty() {
        let message = "a proposal that is turned down needs no other words";
        return Err(Problem::invalid(message));
    }
    Ok(asked.with(json!({"command": command, "proposal": proposal})))
}

pub(crate) fn pending(_: Asked) -> Request {
    Ok(json!({"query": "pending"}))
}

pub(crate) fn forgotten(asked: Asked) -> Request {
    page(asked, json!({"query": "forgotten"}))
}

pub(crate) fn as_of(asked: Asked) -> Request {
    page(asked, json!({"query": "as_of"}))
}

pub(crate) fn chats(asked: Asked) -> Request {
    page(asked, json!({"request": "sessions"}))
}

pub(crate) fn search_chats(asked: Asked) -> Request {
    Ok(asked.with(json!({"request": "search_sessions"})))
}

fn in_chat(asked: Asked, mut request: Value) -> Request {
    request["session"] = asked.id.as_str().into();
    page(asked, request)
}

pub(crate) fn messages(asked: Asked) -> Request {
    in_chat(asked, json!({"request": "messages", "recent": true}))
}

pub(crate) fn traces(asked: Asked) -> Request {
    in_chat(asked, json!({"request": "traces"}))
}

pub(crate) fn why(asked: Asked) -> Request {
    in_chat(asked, json!({"query": "why"}))
}

pub(crate) fn stats(_: Asked) -> Request {
    Ok(json!({"query": "stats"}))
}

pub(crate) fn metrics(_: Asked) -> Request {
    Ok(json!({"query": "metrics"}))
}

pub(crate) fn health(_: Asked) -> Request {
    Ok(json!({"query": "health"}))
}

pub(crate) fn review(_: Asked) -> Request {
    Ok(json!({"query": "review"}))
}

pub(crate) fn undo(asked: Asked) -> Request {
    Ok(asked.with(json!({"command": "undo"})))
}

pub(crate) fn redo(asked: Asked) -> Request {
    Ok(asked.with(json!({"command": "redo"})))
}

/// A command as it is, and nothing but a command: whose it is and in which chat is not its to say.
pub(crate) fn command(mut asked: Asked) -> Request {
    let command = asked.take("command").unwrap_or_default();
    let is_command = command.get("command").is_some();
    let says_more = ["user", "session", "offset_minutes", "query", "request"]
        .iter()
        .any(|name| command.get(name).is_some());
    if !is_command || says_more {
        let message =
            "`command` is one of docs/REQUESTS.md, as in {\"command\": \"confirm\", \"target\": 2}";
        return Err(Problem::invalid(message));
    }
    Ok(command)
}
