//! What was said in a chat. Appended, never rewritten.

use serde::{Deserialize, Serialize};

use crate::ids::{MessageNumber, MessageOrdinal, SessionId};
use crate::memory::Span;
use crate::timestamp::Timestamp;

/// One message. Appended, never rewritten; gone only with its session or its owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// The chat it belongs to.
    pub session: SessionId,
    /// Its place in the chat.
    pub number: MessageNumber,
    /// Its place among all messages of the owner.
    pub ordinal: MessageOrdinal,
    /// What was said, by whom and when.
    pub utterance: Utterance,
}

/// What was said, by whom and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Utterance {
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
    /// Parts of the content that are not the speaker's own words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub untrusted: Vec<Span>,
    /// The ids of the tool calls this message makes or answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<String>,
    /// When.
    pub at: Timestamp,
}

impl Utterance {
    /// Plain words of a speaker at a moment.
    pub fn new(role: Role, content: impl Into<String>, at: Timestamp) -> Self {
        Utterance {
            role,
            content: content.into(),
            hidden: None,
            origin: MessageOrigin::Typed,
            untrusted: Vec::new(),
            calls: Vec::new(),
            at,
        }
    }
}

/// Who spoke.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The instructions of the host.
    System,
    /// The user: the only one whose words are evidence.
    User,
    /// The assistant.
    Assistant,
    /// A tool's answer.
    Tool,
}

/// How a message's words got there.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MessageOrigin {
    /// The speaker wrote them.
    #[default]
    Typed,
    /// They were filled in for the speaker, by a link or a button: never evidence.
    Prefill,
}
