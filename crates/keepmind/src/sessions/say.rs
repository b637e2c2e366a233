//! Saying something in a chat: appended at once, and a chat that was put aside is talked in again.

use std::sync::atomic::Ordering;

use serde::Serialize;

use crate::attempt::{ATTEMPTS, busy};
use crate::change::{NewMessage, SessionChange, SessionEdit};
use crate::conversation;
use crate::error::{Error, ErrorKind, Result};
use crate::ids::MessageNumber;
use crate::message::{MessageOrigin, Role};
use crate::plan::Transition;
use crate::policy::ExtractionMode;
use crate::session::{SessionStatus, Title};
use crate::sessions::turns::FIRST_MESSAGES;
use crate::sessions::{Push, SessionHandle};
use crate::timestamp::Timestamp;

/// What became of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Pushed {
    /// Its place in the chat.
    pub number: MessageNumber,
    /// The new block, where the message resumed the chat: it goes into the system prompt from now on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<String>,
}

impl SessionHandle {
    /// Appends a message. Every message of the chat belongs here, tools' answers too: what the user
    /// wrote is evidence, and everything else decides how far a tool call may be trusted.
    ///
    /// A chat that was closed or archived is resumed by it.
    pub async fn push(&self, push: impl Into<Push>) -> Result<Pushed> {
        let push = push.into();
        self.memory.measured("push", self.pushed(push)).await
    }

    async fn pushed(&self, push: Push) -> Result<Pushed> {
        let now = self.engine().now();
        let policy = &self.engine().policy;
        let longest = policy.limits.message_bytes as usize;
        let message = push.into_message(self.id, now, longest)?;
        let mut block = None;
        for _ in 0..ATTEMPTS {
            match self.append(&message, now).await {
                Ok(number) => {
                    // Whoever is calling a tool meanwhile reads it from the store.
                    if let Ok(mut transcript) = self.shared.transcript.try_lock() {
                        transcript.hear(number, &message.utterance);
                    }
                    let ends_turn = message.utterance.role == Role::Assistant;
                    if ends_turn && number.get() <= FIRST_MESSAGES as u64 {
                        self.name_later(number);
                    }
                    if ends_turn && policy.extraction.mode == ExtractionMode::EveryTurn {
                        self.learn_later();
                    }
                    return Ok(Pushed { number, block });
                }
                Err(error) if error.kind() == ErrorKind::Conflict => {
                    block = self.wake(Transition::Push, "push").await?.or(block);
                }
                Err(error) => return Err(error),
            }
        }
        Err(busy("push"))
    }

    /// Appends a message to a chat that is being talked in.
    async fn append(&self, message: &NewMessage, now: Timestamp) -> Result<MessageNumber> {
        let title = self.title_of(message).await?;
        let receipt = self
            .shared
            .records
            .append(&self.memory, |changes| {
                changes.messages.push(message.clone());
                let edit = SessionEdit {
                    expect_status: Some(SessionStatus::Active),
                    expect_deleted: Some(false),
                    active_at: Some(now),
                    // A model may name it meanwhile: its name is the better one.
                    expect_titled: title.as_ref().map(|_| false),
                    title: title.clone().map(Some),
                    ..SessionEdit::default()
                };
                changes.sessions.insert(self.id, SessionChange::Edit(edit));
            })
            .await?;
        if title.is_some() {
            self.shared.titled.store(true, Ordering::Relaxed);
        }
        let place = receipt.places.first().ok_or_else(|| {
            Error::new(
                ErrorKind::NotFound,
                "push",
                "the store gave the message no place",
            )
        })?;
        Ok(place.number)
    }

    /// What a chat without a name is called after this message of the user's.
    async fn title_of(&self, message: &NewMessage) -> Result<Option<Title>> {
        let utterance = &message.utterance;
        let is_first = !self.shared.titled.load(Ordering::Relaxed);
        let is_users = utterance.role == Role::User && utterance.origin == MessageOrigin::Typed;
        if !is_first || !is_users {
            return Ok(None);
        }
        let named = conversation::own_words(utterance).find_map(conversation::from_first_message);
        let Some(text) = named else {
            return Ok(None);
        };
        // Another handle may have named it, or a model.
        if self.load().await?.title.is_some() {
            self.shared.titled.store(true, Ordering::Relaxed);
            return Ok(None);
        }
        Ok(Some(Title {
            text,
            by_user: false,
        }))
    }
}
