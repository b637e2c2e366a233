//! What is learned from a part of a chat: the step of a close that may ask a model. It writes nothing.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::change::{Slice, Snapshot};
use crate::conversation;
use crate::embedding::Vector;
use crate::engine::is_users;
use crate::extract;
use crate::ids::MessageNumber;
use crate::memory::Span;
use crate::message::Message;
use crate::model::PlugError;
use crate::order::{self, Gather};
use crate::plan::Turn;
use crate::plan::learn::Candidate;
use crate::refusal::{Code, Refusal};
use crate::report::{Lesson, Report};
use crate::session::{Recap, Session};
use crate::sessions::SessionHandle;
use crate::sessions::asking::{Answered, Asking};

/// How many messages are read at once: each may be large, and few of those fit into a transcript.
const CHUNK: usize = 64;

/// What stands around a transcript in a question, and around each of its messages, in tokens and at most.
pub(super) const AROUND: usize = 2_000;
pub(super) const AROUND_EACH: usize = 10;

/// Who learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// The model, where one is plugged in; code where none is.
    Model,
    /// Code alone.
    Code,
}

/// What was found.
#[derive(Debug)]
pub(super) struct Found {
    pub candidates: Vec<Candidate>,
    /// The vector of each candidate, where there is one.
    pub vectors: Vec<Option<Vector>>,
    pub episode: Option<String>,
    pub recap: Option<Recap>,
    /// What the user said, for whoever judges.
    pub turn: Turn,
}

impl Found {
    /// Nothing, of a chat that was learned from before.
    pub(super) fn nothing(turn: Turn) -> Self {
        Found {
            candidates: Vec::new(),
            vectors: Vec::new(),
            episode: None,
            recap: None,
            turn,
        }
    }
}

/// Why nothing was learned.
#[derive(Debug)]
pub(super) struct Unlearned {
    pub failure: PlugError,
    pub report: Report,
}

impl From<PlugError> for Unlearned {
    fn from(failure: PlugError) -> Self {
        Unlearned {
            failure,
            report: Report::default(),
        }
    }
}

impl From<Refusal> for Unlearned {
    /// The answer came, and nothing in it can be used.
    fn from(refusal: Refusal) -> Self {
        let codes: Vec<Code> = refusal.codes().collect();
        let message = format!("the model's answer could not be used: {}", refusal.message);
        let lesson = Lesson::unusable(codes, refusal.message);
        Unlearned {
            failure: PlugError::passing(message),
            report: Report {
                lessons: vec![lesson],
                episode: None,
            },
        }
    }
}

impl SessionHandle {
    /// Learns from messages of a chat, which follow each other.
    pub(super) async fn learn(
        &self,
        session: &Session,
        messages: &[Message],
        by: By,
    ) -> Result<Found, Unlearned> {
        let engine = self.engine();
        let unread = |_| PlugError::passing("the chat could not be read");
        let first = messages.first().map(|message| message.number);
        let before = self.before(first).await.map_err(unread)?;
        let recap = self.recap_before(session.recap.clone(), first).await;
        let recap = recap.map_err(unread)?;
        let heard = Arc::clone(&self.shared.transcript.lock().await.turn);
        let users = before.iter().chain(messages);
        let turn = Turn {
            session: self.id,
            said: users
                .filter(|message| is_users(message))
                .map(|message| {
                    let utterance = &message.utterance;
                    heard.said(message.number, &utterance.content, &utterance.untrusted)
                })
                .collect(),
            untrusted: false,
        };
        let is_asked = by == By::Model && engine.has_model();
        let Answered {
            candidates,
            episode,
            recap: summary,
        } = if is_asked {
            let served = engine.served_in(&self.memory.owner, session);
            let asking = Asking {
                before: &before,
                messages,
                recap: recap.as_ref(),
                served: &served.await.map_err(unread)?,
                turn: &turn,
            };
            self.ask(&asking).await?
        } else {
            let all: Vec<Message> = before.iter().chain(messages).cloned().collect();
            let statements = extract::statements(&all);
            let candidates = extract::read_from(statements, messages, self.id, &engine.policy);
            Answered {
                candidates,
                episode: None,
                recap: None,
            }
        };
        Ok(Found {
            vectors: engine.vectors_of(&candidates).await,
            candidates,
            episode,
            recap: self.recap_with(recap, messages, summary),
            turn,
        })
    }

    /// The last messages before one, for context: what they say was learned before.
    async fn before(&self, first: Option<MessageNumber>) -> crate::error::Result<Vec<Message>> {
        let most = u64::from(self.engine().policy.extraction.context_messages);
        let earlier = first.map_or(0, |first| first.get() - 1);
        let shown = earlier.min(most);
        if shown == 0 {
            return Ok(Vec::new());
        }
        // Numbers of a chat follow each other.
        let after = MessageNumber::new(earlier - shown);
        let page = self
            .messages(after, usize::try_from(shown).unwrap_or(0))
            .await?;
        let seen = self.tombstones().await?;
        let shown = page.items.into_iter();
        Ok(shown
            .map(|message| without_forgotten(message, &seen))
            .collect())
    }

    /// The running summary up to just before a message, with whatever lies between that it does not
    /// reach, as after a purge.
    async fn recap_before(
        &self,
        recap: Option<Recap>,
        first: Option<MessageNumber>,
    ) -> crate::error::Result<Option<Recap>> {
        let reach = recap.as_ref().map_or(0, |recap| recap.through.get());
        let before = first.and_then(|first| MessageNumber::new(first.get() - 1));
        match before {
            // Nobody pays a model for what was said before.
            Some(before) if reach < before.get() => self.caught_up(recap, before, By::Code).await,
            _ => Ok(recap),
        }
    }

    /// The running summary with these messages in it: a model's, or code's. Nothing where it reaches that
    /// far already.
    fn recap_with(
        &self,
        recap: Option<Recap>,
        messages: &[Message],
        summary: Option<String>,
    ) -> Option<Recap> {
        let through = messages.last()?.number;
        if recap.as_ref().is_some_and(|recap| recap.through >= through) {
            return None;
        }
        let tokens = self.engine().tokens.as_ref();
        let most = self.summary_tokens();
        let told =
            summary.and_then(|summary| conversation::summary_from_answer(&summary, most, tokens));
        let text = told.unwrap_or_else(|| {
            let covered = recap.as_ref().map(|recap| recap.through);
            let fresh = messages
                .iter()
                .position(|message| Some(message.number) > covered);
            let fresh = &messages[fresh.unwrap_or(messages.len())..];
            let earlier = recap.as_ref().map(|recap| recap.text.as_str());
            conversation::summarise(earlier, fresh, most, tokens)
        });
        Some(Recap { text, through }).filter(|recap| !recap.text.is_empty())
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

    /// How long the running summary may be.
    pub(super) fn summary_tokens(&self) -> usize {
        let (most, _) = self.engine().policy.compression.room(None);
        summary_room(most)
    }

    /// What of the chat was forgotten.
    async fn tombstones(&self) -> crate::error::Result<Snapshot> {
        let slice = Slice {
            tombstones: [self.id].into_iter().gather(),
            ..Slice::default()
        };
        self.engine().load(&self.memory.owner, &slice).await
    }

    /// What of the chat is forgotten by now.
    pub(super) async fn forgotten(&self) -> crate::error::Result<BTreeSet<(MessageNumber, Span)>> {
        Ok(forgotten_in(&self.tombstones().await?))
    }

    /// The part of a chat after a message that can be learned from at once, and whether there is more.
    pub(super) async fn part_after(
        &self,
        after: Option<MessageNumber>,
        through: Option<MessageNumber>,
    ) -> crate::error::Result<(Vec<Message>, bool)> {
        let engine = self.engine();
        let room = engine.policy.extraction.transcript_tokens as usize;
        let seen = self.tombstones().await?;
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

/// What of a chat was forgotten: which messages, and where in them.
pub(super) fn forgotten_in(seen: &Snapshot) -> BTreeSet<(MessageNumber, Span)> {
    let open = seen.tombstones().filter(|row| row.is_open());
    open.map(|row| (row.body.message, row.body.span)).gather()
}

/// A message without the words that were forgotten or purged: nothing is learned from them again, and no
/// summary repeats them.
fn without_forgotten(mut message: Message, seen: &Snapshot) -> Message {
    let mut spans: Vec<Span> = seen
        .tombstones()
        .filter(|row| row.is_open() && row.body.message == message.number)
        .map(|row| row.body.span)
        .collect();
    order::sort_by(&mut spans, Ord::cmp);
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
