//! What is learned from a part of a chat: the step of a close that may ask a model. It writes nothing.

use crate::change::{Slice, Snapshot};
use crate::conversation;
use crate::ids::MessageNumber;
use crate::memory::Span;
use crate::message::Message;
use crate::model::PlugError;
use crate::session::{Recap, Session, Title};
use crate::sessions::SessionHandle;

/// How many messages are read at once: each may be large, and few of those fit into a transcript.
const CHUNK: usize = 64;

/// What stands around a transcript in a question, and around each of its messages, in tokens and at most.
const AROUND: usize = 1_000;
const AROUND_EACH: usize = 10;

/// Who learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// The model, where one is plugged in; code where none is.
    Model,
    /// Code alone.
    Code,
}

/// What was learned.
#[derive(Debug, Default)]
pub(super) struct Learned {
    pub recap: Option<Recap>,
    pub title: Option<Title>,
}

impl SessionHandle {
    /// Learns from messages of a chat, which follow each other.
    pub(super) async fn learn(
        &self,
        session: &Session,
        messages: &[Message],
        by: By,
    ) -> Result<Learned, PlugError> {
        let recap = self
            .recap_up_to(session.recap.clone(), messages, by)
            .await?;
        let is_first = session.extracted_through.is_none();
        let is_free = session.title.as_ref().is_none_or(|title| !title.by_user);
        let title = if by == By::Model && is_first && is_free {
            self.suggested_title(messages).await
        } else {
            None
        };
        Ok(Learned { recap, title })
    }

    /// The running summary with these messages in it, and whatever lies between that it does not reach,
    /// as after a purge. Nothing where it reaches that far already.
    async fn recap_up_to(
        &self,
        recap: Option<Recap>,
        messages: &[Message],
        by: By,
    ) -> Result<Option<Recap>, PlugError> {
        let reach = |recap: &Option<Recap>| recap.as_ref().map_or(0, |recap| recap.through.get());
        let first = messages.first().map_or(0, |message| message.number.get());
        let before = first.checked_sub(1).and_then(MessageNumber::new);
        let recap = match before {
            Some(before) if reach(&recap) < before.get() => {
                let caught_up = self.caught_up(recap, before, by).await;
                caught_up.map_err(|_| PlugError::passing("the chat could not be read"))?
            }
            _ => recap,
        };
        self.recapped(recap.as_ref(), messages, by).await
    }

    /// The running summary brought up to a message, part by part. What the model does not say, code says,
    /// of all parts.
    pub(super) async fn caught_up(
        &self,
        mut recap: Option<Recap>,
        through: MessageNumber,
        mut by: By,
    ) -> crate::error::Result<Option<Recap>> {
        loop {
            let after = recap.as_ref().map(|recap| recap.through);
            let (part, has_more) = self.part_after(after, Some(through)).await?;
            let next = match self.recapped(recap.as_ref(), &part, by).await {
                Ok(next) => next,
                Err(_) => {
                    by = By::Code;
                    let said = self.recapped(recap.as_ref(), &part, by).await;
                    said.unwrap_or_default()
                }
            };
            let last = part.last().map(|message| message.number);
            match (next, last) {
                (Some(next), _) => recap = Some(next),
                // Nothing to say about this part: the summary reaches past it all the same.
                (None, Some(last)) => {
                    let text = recap.map(|recap| recap.text).unwrap_or_default();
                    recap = Some(Recap {
                        text,
                        through: last,
                    });
                }
                (None, None) => return Ok(recap),
            }
            if !has_more {
                return Ok(recap);
            }
        }
    }

    /// The running summary, with these messages in it. Nothing where it reaches that far already.
    async fn recapped(
        &self,
        recap: Option<&Recap>,
        messages: &[Message],
        by: By,
    ) -> Result<Option<Recap>, PlugError> {
        let covered = recap.map(|recap| recap.through);
        let first = messages
            .iter()
            .position(|message| Some(message.number) > covered);
        let fresh = &messages[first.unwrap_or(messages.len())..];
        let Some(through) = fresh.last().map(|message| message.number) else {
            return Ok(None);
        };
        let earlier = recap.map(|recap| recap.text.as_str());
        let text = self.summary(earlier, fresh, by).await?;
        Ok(Some(text)
            .filter(|text| !text.is_empty())
            .map(|text| Recap { text, through }))
    }

    async fn summary(
        &self,
        earlier: Option<&str>,
        messages: &[Message],
        by: By,
    ) -> Result<String, PlugError> {
        let engine = self.engine();
        let tokens = engine.tokens.as_ref();
        let most = self.summary_tokens();
        if by == By::Model {
            let transcript = engine.policy.extraction.transcript_tokens as usize;
            // A part that was taken whole is shown whole: what stands around it comes on top.
            let around = earlier.map_or(0, |earlier| tokens.count(earlier))
                + AROUND
                + messages.len().saturating_mul(AROUND_EACH);
            let longest = transcript.saturating_add(transcript / 4 + around);
            let request = conversation::summary_request(earlier, messages, most, longest, tokens);
            if let Some(answer) = engine.complete(&request).await {
                let summary = conversation::summary_from_answer(&answer?, most, tokens);
                return summary.ok_or_else(|| PlugError::passing("the summary is empty"));
            }
        }
        Ok(conversation::summarise(earlier, messages, most, tokens))
    }

    async fn suggested_title(&self, messages: &[Message]) -> Option<Title> {
        let request = conversation::title_request(messages);
        let answer = self.engine().complete(&request).await?.ok()?;
        let text = conversation::from_answer(&answer)?;
        Some(Title {
            text,
            by_user: false,
        })
    }

    /// How long the running summary may be.
    fn summary_tokens(&self) -> usize {
        let (most, _) = self.engine().policy.compression.room(None);
        summary_room(most)
    }

    /// The part of a chat after a message that can be learned from at once, and whether there is more.
    pub(super) async fn part_after(
        &self,
        after: Option<MessageNumber>,
        through: Option<MessageNumber>,
    ) -> crate::error::Result<(Vec<Message>, bool)> {
        let engine = self.engine();
        let room = engine.policy.extraction.transcript_tokens as usize;
        let slice = Slice {
            tombstones: [self.id].into(),
            ..Slice::default()
        };
        let seen = engine.load(&self.memory.owner, &slice).await?;
        let mut part: Vec<Message> = Vec::new();
        let mut cost = 0;
        loop {
            let last = part.last().map(|message| message.number).or(after);
            let page = self.messages(last, CHUNK).await?;
            for message in page.items {
                if through.is_some_and(|through| message.number > through) {
                    return Ok((part, false));
                }
                cost += engine.tokens.count(&message.utterance.content);
                if cost > room && !part.is_empty() {
                    return Ok((part, true));
                }
                part.push(without_forgotten(message, &seen));
            }
            if page.next.is_none() {
                return Ok((part, false));
            }
        }
    }
}

/// A message without the words that were forgotten or purged: nothing is learned from them again, and no
/// summary repeats them.
fn without_forgotten(mut message: Message, seen: &Snapshot) -> Message {
    let mut spans: Vec<Span> = seen
        .tombstones()
        .filter(|row| row.is_open() && row.body.message == message.number)
        .map(|row| row.body.span)
        .collect();
    spans.sort();
    spans.dedup();
    let content = &mut message.utterance.content;
    for span in spans {
        let range = span.start as usize..span.end as usize;
        if let Some(words) = content.get(range.clone()) {
            // As long as before, so that other ranges stay where they are.
            content.replace_range(range, &" ".repeat(words.len()));
        }
    }
    message
}

/// The least a summary gets: with less it would say nothing.
const SHORTEST_SUMMARY: usize = 16;

/// How much of the room of a view its summary may take.
pub(super) fn summary_room(most: usize) -> usize {
    (most / 8).max(SHORTEST_SUMMARY)
}
