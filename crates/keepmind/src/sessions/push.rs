//! A message as a host hands it over, and the form in which it is kept.

use serde::{Deserialize, Serialize};

use crate::change::{NewMessage, limits};
use crate::error::{Error, Result};
use crate::ids::SessionId;
use crate::memory::Span;
use crate::message::{MessageOrigin, Role, Utterance};
use crate::text;
use crate::timestamp::Timestamp;
use crate::tools;

/// A message to append to a chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Push {
    /// Who spoke.
    pub role: Role,
    /// The words.
    pub content: String,
    /// A part sent to the model and never shown, titled or used as evidence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden: Option<String>,
    /// How the words got there.
    #[serde(default)]
    pub origin: MessageOrigin,
    /// Ranges of bytes of `content` that are not the speaker's own words: a pasted page, a file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub untrusted: Vec<Span>,
    /// The ids of the tool calls that this message makes or answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<String>,
}

impl Push {
    /// Words of a speaker.
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        Push {
            role,
            content: content.into(),
            hidden: None,
            origin: MessageOrigin::Typed,
            untrusted: Vec::new(),
            calls: Vec::new(),
        }
    }

    /// The user's words.
    pub fn user(content: impl Into<String>) -> Self {
        Push::new(Role::User, content)
    }

    /// The assistant's words.
    pub fn assistant(content: impl Into<String>) -> Self {
        Push::new(Role::Assistant, content)
    }

    /// A tool's answer to a call.
    pub fn tool(call: impl Into<String>, content: impl Into<String>) -> Self {
        Push {
            calls: vec![call.into()],
            ..Push::new(Role::Tool, content)
        }
    }

    /// With a part that the model sees and nobody is shown: the host's own words. What somebody else
    /// wrote belongs into the content, marked as untrusted, or into a message of its own.
    #[must_use]
    pub fn hidden(mut self, hidden: impl Into<String>) -> Self {
        self.hidden = Some(hidden.into());
        self
    }

    /// Filled in for the speaker, by a link or a button.
    #[must_use]
    pub fn prefilled(mut self) -> Self {
        self.origin = MessageOrigin::Prefill;
        self
    }

    /// With a range of bytes that are not the speaker's own words.
    #[must_use]
    pub fn untrusted(mut self, start: u32, end: u32) -> Self {
        self.untrusted.push(Span { start, end });
        self
    }

    pub(super) fn into_message(
        self,
        session: SessionId,
        at: Timestamp,
        longest: usize,
    ) -> Result<NewMessage> {
        let hidden = self.hidden.as_deref().map_or(0, str::len);
        let length = self.content.len() + hidden;
        if length > longest {
            let message = format!(
                "the message has {length} bytes, at most {longest} are kept: the policy's limits.message_bytes says so"
            );
            return Err(Error::invalid("push", message));
        }
        if self.untrusted.len() > limits::EVIDENCE {
            let message = format!("at most {} untrusted ranges are kept", limits::EVIDENCE);
            return Err(Error::invalid("push", message));
        }
        let content = text::storable(&self.content);
        let is_same = content == self.content;
        let mut spans = Vec::new();
        for span in &self.untrusted {
            // Looking for where a range went reads the whole message: not for each of thousands.
            let span = match is_same {
                true => checked(*span, &content)?,
                false => moved(*span, &self.content, &content)?,
            };
            // A range of nothing, or of what is not kept, says nothing.
            if span.start < span.end {
                spans.push(span);
            }
        }
        Ok(NewMessage {
            session,
            place: None,
            utterance: Utterance {
                role: self.role,
                untrusted: spans,
                hidden: self.hidden.as_deref().map(text::storable),
                origin: self.origin,
                calls: self.calls.into_iter().map(plain_call).collect(),
                at,
                content,
            },
        })
    }
}

impl From<(Role, &str)> for Push {
    fn from((role, content): (Role, &str)) -> Self {
        Push::new(role, content)
    }
}

/// A call's id as its record has it.
fn plain_call(given: String) -> String {
    tools::call_id(Some(&given)).unwrap_or(given)
}

fn off_borders() -> Error {
    let message = "an untrusted range is not one of the content's, on character borders";
    Error::invalid("push", message)
}

/// A range of what is kept as it was given.
fn checked(span: Span, content: &str) -> Result<Span> {
    let range = span.start as usize..span.end as usize;
    content.get(range).map(|_| span).ok_or_else(off_borders)
}

/// Where a range of what was given stands in what is kept. Normalising can join what stands on both
/// sides of a border; then the range grows, never shrinks.
fn moved(span: Span, given: &str, kept: &str) -> Result<Span> {
    checked(span, given)?;
    let before = text::storable(&given[..span.start as usize]);
    let after = text::storable(&given[span.end as usize..]);
    let shared_start = common(before.chars(), kept.chars());
    let shared_end = common(after.chars().rev(), kept.chars().rev());
    let place = |offset: usize| u32::try_from(offset).map_err(|_| off_borders());
    Ok(Span {
        start: place(shared_start)?,
        end: place(kept.len().saturating_sub(shared_end).max(shared_start))?,
    })
}

/// How many bytes two texts have in common from where they begin.
fn common(one: impl Iterator<Item = char>, other: impl Iterator<Item = char>) -> usize {
    one.zip(other)
        .take_while(|(one, other)| one == other)
        .map(|(character, _)| character.len_utf8())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(content: &str, start: u32, end: u32) -> Result<(String, Span)> {
        let push = Push::user(content).untrusted(start, end);
        let session = SessionId::new(uuid::Uuid::nil());
        let message = push.into_message(session, Timestamp::UNIX_EPOCH, 1_000)?;
        Ok((message.utterance.content, message.utterance.untrusted[0]))
    }

    #[test]
    fn ranges_follow_the_text_into_its_kept_form() {
        let (content, span) = kept("ab cd ef", 3, 5).unwrap();
        assert_eq!(&content[span.start as usize..span.end as usize], "cd");
        let (content, span) = kept("cafe\u{301} PAGE cafe\u{301}", 7, 11).unwrap();
        assert_eq!(&content[span.start as usize..span.end as usize], "PAGE");
        let (content, span) = kept("a\0PAGE\0", 2, 6).unwrap();
        assert_eq!(
            (content.as_str(), span),
            ("a PAGE ", Span { start: 2, end: 6 })
        );
    }

    #[test]
    fn a_border_inside_a_letter_widens_the_range() {
        let (content, span) = kept("xe\u{301}y", 2, 5).unwrap();
        assert_eq!(content, "xéy");
        assert_eq!(&content[span.start as usize..span.end as usize], "éy");
    }

    #[test]
    fn bad_ranges_and_sizes_are_refused() {
        for (start, end) in [(3, 1), (0, 99), (99, 99)] {
            assert!(kept("short", start, end).is_err());
        }
        assert!(kept("é", 1, 2).is_err());
        assert!(kept("e\u{301}", 0, 2).is_err());
        let many = (0..=limits::EVIDENCE).fold(Push::user("tea"), |push, _| push.untrusted(0, 3));
        let session = SessionId::new(uuid::Uuid::nil());
        let refused = many.into_message(session, Timestamp::UNIX_EPOCH, 1_000);
        assert_eq!(refused.unwrap_err().operation(), "push");
        let long = Push::user("x".repeat(11));
        let session = SessionId::new(uuid::Uuid::nil());
        assert!(
            long.into_message(session, Timestamp::UNIX_EPOCH, 10)
                .is_err()
        );
    }
}
