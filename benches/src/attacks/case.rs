//! What a case says: the rows that are there, the chat, what the model writes, and what must come of it.

use keepmind::{MessageOrigin, Push, Role};
use serde::Deserialize;
use serde_json::Value;

use crate::attacks::expand::expand;
use crate::stage::Tier;

/// One case, its tokens expanded.
#[derive(Debug, Clone, Deserialize)]
pub struct Case {
    pub id: String,
    pub surface: Surface,
    pub session_user: String,
    #[serde(default)]
    pub given: Vec<Given>,
    #[serde(default)]
    pub transcript: Vec<Turn>,
    /// The raw string, byte for byte.
    #[serde(rename = "malicious_model_output", default)]
    pub output: String,
    pub expected: Expected,
    /// One of these must be among the codes reported.
    #[serde(default)]
    pub code: Vec<String>,
    /// What must come of each operation, where they differ.
    #[serde(default)]
    pub expected_ops: Vec<Expected>,
    #[serde(default)]
    pub config: Config,
    #[serde(default)]
    pub post: Post,
    /// No rule reaches the right answer: expected to fail.
    #[serde(default)]
    pub known_gap: bool,
}

/// Where the model's words come in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Surface {
    /// The model's answer when a chat is closed.
    Extract,
    /// A tool call.
    ToolCall,
    /// The block.
    Render,
}

/// A row in the store.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Given {
    pub id: String,
    pub user: String,
    pub tier: Tier,
    pub status: Status,
    pub content: String,
    /// The number shown to the model.
    pub n: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Active,
    Trashed,
}

/// A message of the chat.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    pub role: Role,
    pub text: String,
    pub origin: Option<MessageOrigin>,
    /// Ranges of code points.
    #[serde(default)]
    untrusted: Vec<(usize, usize)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expected {
    /// Nothing is written.
    Reject,
    Accept,
    /// Nothing is written, and nothing is wrong.
    Skip,
    /// Written after cleaning; for the block, within its budget.
    Sanitize,
}

/// What differs from the default policy without any consent.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Domains with consent.
    pub sensitive_opt_in: Vec<String>,
    pub block_budget_chars: Option<u32>,
}

/// What must hold afterwards.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Post {
    /// Contents of live facts of the user.
    pub stored: Vec<String>,
    /// Given rows that are as they were.
    pub unchanged: Vec<String>,
    /// Given rows that are no longer live.
    pub trashed: Vec<String>,
    /// Given rows that have a new version.
    pub updated: Vec<String>,
    /// How many live facts the user has.
    pub count: Option<usize>,
    /// How many facts the reply shows.
    pub results: Option<usize>,
    /// Of what tier everything new is.
    pub tier: Option<Tier>,
    pub block_max_chars: Option<usize>,
    pub block_must_contain: Vec<String>,
    pub block_must_not_contain: Vec<String>,
    pub no_broken_grapheme: bool,
    /// What stands in no reply and no record of the call.
    pub log_must_not_contain: Vec<String>,
}

/// A line of the file.
#[derive(Debug)]
pub enum Read {
    Case(Box<Case>),
    Broken { id: String, why: String },
}

pub fn read(line: &str) -> Read {
    let mut id = "?".to_owned();
    match read_value(line, &mut id) {
        Ok(read) => read,
        Err(why) => Read::Broken { id, why },
    }
}

fn read_value(line: &str, id: &mut String) -> Result<Read, String> {
    let mut value: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    if let Some(given) = value["id"].as_str() {
        given.clone_into(id);
    }
    expand(&mut value)?;
    let case = serde_json::from_value(value).map_err(|error| error.to_string())?;
    Ok(Read::Case(Box::new(case)))
}

impl Turn {
    /// The message as a host hands it over.
    pub fn push(&self) -> Result<Push, String> {
        let mut push = Push::new(self.role, self.text.as_str());
        if let Some(origin) = self.origin {
            push.origin = origin;
        }
        for &(start, end) in &self.untrusted {
            let (start, end) = byte_span(&self.text, start, end)?;
            push = push.untrusted(start, end);
        }
        Ok(push)
    }
}

/// A range of code points as one of bytes.
fn byte_span(text: &str, start: usize, end: usize) -> Result<(u32, u32), String> {
    let mut borders = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    let wrong = || format!("the text has no code points {start} to {end}");
    if start > end {
        return Err(wrong());
    }
    let first = borders.clone().nth(start).ok_or_else(wrong)?;
    let last = borders.nth(end).ok_or_else(wrong)?;
    let byte = |at: usize| u32::try_from(at).map_err(|_| wrong());
    Ok((byte(first)?, byte(last)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_code_points_become_ranges_of_bytes() {
        let text = "né👍 x";
        assert_eq!(byte_span(text, 0, 5), Ok((0, 9)));
        assert_eq!(byte_span(text, 1, 3), Ok((1, 7)));
        assert_eq!(byte_span(text, 5, 5), Ok((9, 9)));
        assert!(byte_span(text, 3, 6).is_err());
        assert!(byte_span(text, 2, 1).is_err());
    }

    #[test]
    fn a_turn_is_pushed_as_the_host_marked_it() {
        let turn: Turn = serde_json::from_str(
            r#"{"role": "user", "text": "é: page", "origin": "prefill", "untrusted": [[3, 7]]}"#,
        )
        .unwrap();
        let push = turn.push().unwrap();
        assert_eq!(push.origin, MessageOrigin::Prefill);
        let span = push.untrusted[0];
        assert_eq!(
            &push.content[span.start as usize..span.end as usize],
            "page"
        );
    }

    #[test]
    fn what_is_not_known_breaks_a_case_by_name() {
        let line = |post: &str| {
            format!(
                r#"{{"id": "x-1", "surface": "tool_call", "session_user": "alice", "expected": "reject", "post": {post}}}"#
            )
        };
        assert!(matches!(read(&line(r#"{"count": 1}"#)), Read::Case(_)));
        let Read::Broken { id, why } = read(&line(r#"{"colour": 1}"#)) else {
            panic!("an unknown check passes");
        };
        assert!(id == "x-1" && why.contains("colour"), "{id}: {why}");
        assert!(matches!(read("nonsense"), Read::Broken { .. }));
    }
}
