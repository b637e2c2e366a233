//! Messages for the tests of this module.

use crate::ids::{MessageNumber, MessageOrdinal, SessionId};
use crate::message::{Message, Role, Utterance};
use crate::timestamp::Timestamp;

/// A chat of these words, numbered from `first`.
pub(super) fn chat_from(first: u64, said: &[(Role, &str)]) -> Vec<Message> {
    said.iter()
        .zip(first..)
        .map(|(&(role, content), number)| Message {
            session: SessionId::new(uuid::Uuid::nil()),
            number: MessageNumber::new(number).unwrap(),
            ordinal: MessageOrdinal::new(number).unwrap(),
            utterance: Utterance::new(role, content, Timestamp::UNIX_EPOCH),
        })
        .collect()
}

/// A chat of these words, from its beginning.
pub(super) fn chat(said: &[(Role, &str)]) -> Vec<Message> {
    chat_from(1, said)
}
