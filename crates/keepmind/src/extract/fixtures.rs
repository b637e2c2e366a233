//! Chats for tests.

use crate::ids::{MessageNumber, MessageOrdinal, SessionId};
use crate::message::{Message, Role, Utterance};
use crate::timestamp::Timestamp;

pub(super) fn chat(said: &[(Role, &str)]) -> Vec<Message> {
    (1..)
        .zip(said)
        .map(|(number, (role, content))| Message {
            session: SessionId::new(uuid::Uuid::nil()),
            number: MessageNumber::new(number).unwrap(),
            ordinal: MessageOrdinal::FIRST,
            utterance: Utterance::new(*role, *content, Timestamp::UNIX_EPOCH),
        })
        .collect()
}
