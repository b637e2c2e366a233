//! What is learned from a part of a chat: the step of a close that may ask a model. It writes nothing.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::change::{Slice, Snapshot};
use crate::conversation;
use crate::embedding::Vector;
use crate::engine::is_users;
use crate::extract::{self, Chat, Question, Reply};
use crate::ids::MessageNumber;
use crate::memory::Span;
use crate::message::Message;
use crate::model::{ModelRequest, PlugError};
use crate::order::{self, Gather};
use crate::plan::Turn;
use crate::plan::learn::Candidate;
use crate::refusal::{Code, Refusal};
use crate::report::{Lesson, Report};
use crate::session::{Recap, Session};
use crate::sessions::SessionHandle;

/// How many messages are read at once: each may be large, and few of those fit into a transcript.
const CHUNK: usize = 64;

/// What stands around a transcript in a question, and around each of its messages, in tokens and at most.
const AROUND: usize = 2_000;
const AROUND_EACH: usize = 10;
/// How much of what was said is looked for among the memories, in characters.
const LONGEST_SEARCH: usize = 2_000;

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
        let is_asked = by == By::Model && engine.has_model();
        let (candidates, episode, summary) = if is_asked {
            let served = engine.served_in(&self.memory.owner, session);
            let served = served.await.map_err(unread)?;
            let reply = self.ask(&before, messages, recap.as_ref()).await?;
            let chat = Chat {
                messages,
                served: &served,
            };
            let policy = &engine.policy;
            let candidates = extract::proposed(reply.operations, chat, self.id, policy);
            (candidates, reply.episode, reply.recap)
        } else {
            let all: Vec<Message> = before.iter().chain(messages).cloned().collect();
            let statements = extract::statements(&all);
            let candidates = extract::read_from(statements, messages, self.id, &engine.policy);
            (candidates, None, None)
        };
        let heard = Arc::clone(&self.shared.transcript.lock().await.turn);
        Ok(Found {
            vectors: engine.vectors_of(&candidates).await,
            candidates,
            episode,
            recap: self.recap_with(recap, messages, summary),
            turn: Turn {
                session: self.id,
                said: before
                    .iter()
                    .chain(messages)
                    .filter(|message| is_users(message))
                    .map(|message| {
                        let utterance = &message.utterance;
                        heard.said(message.number, &utterance.content, &utterance.untrusted)
                    })
                    .collect(),
                untrusted: false,
            },
        })
    }

    /// Asks the model, and once more where it failed in passing or its answer cannot be used.
    async fn ask(
        &self,
        before: &[Message],
        messages: &[Message],
        recap: Option<&Recap>,
    ) -> Result<Reply, Unlearned> {
        let engine = self.engine();
        let request = self.question(before, messages, recap).await?;
        let again = match self.answer_to(&request).await? {
            Ok(reply) => return Ok(reply),
            Err(Wanting::Answer(refusal)) => extract::again(request, &refusal),
            Err(Wanting::Model(failure)) if !failure.retryable => return Err(failure.into()),
            Err(Wanting::Model(_)) => {
                engine.pause().await;
                request
            }
        };
        match self.answer_to(&again).await? {
            Ok(reply) => Ok(reply),
            Err(Wanting::Answer(refusal)) => Err(refusal.into()),
            Err(Wanting::Model(failure)) => Err(failure.into()),
        }
    }

    async fn answer_to(&self, request: &ModelRequest) -> Result<Result<Reply, Wanting>, PlugError> {
        let engine = self.engine();
        let Some(answer) = engine.complete_once(request).await else {
            return Err(PlugError::lasting("there is no model"));
        };
        Ok(match answer {
            Err(failure) => Err(Wanting::Model(failure)),
            Ok(answer) => {
                let offset = self.memory.local.offset;
                extract::read_reply(&answer, &engine.policy, offset).map_err(Wanting::Answer)
            }
        })
    }

    async fn question(
        &self,
        before: &[Message],
        messages: &[Message],
        recap: Option<&Recap>,
    ) -> Result<ModelRequest, PlugError> {
        let engine = self.engine();
        let tokens = engine.tokens.as_ref();
        let known = engine
            .known_for(&self.memory.owner, &searched(messages))
            .await
            .map_err(|_| PlugError::passing("the memories could not be read"))?;
        let transcript = engine.policy.extraction.transcript_tokens as usize;
        // A part that was taken whole is shown whole: what stands around it comes on top.
        let lines: usize = known.iter().map(|(_, line)| tokens.count(line)).sum();
        let around = recap.map_or(0, |recap| tokens.count(&recap.text))
            + AROUND
            + lines
            + (messages.len() + before.len() + known.len()).saturating_mul(AROUND_EACH);
        let question = Question {
            before,
            messages,
            recap: recap.map(|recap| recap.text.as_str()),
            known: &known,
            recap_tokens: self.summary_tokens(),
            longest_tokens: transcript.saturating_add(transcript / 2 + around),
        };
        Ok(extract::request(&question, &engine.policy, tokens))
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
    fn summary_tokens(&self) -> usize {
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

/// What is wanting in an answer.
enum Wanting {
    Model(PlugError),
    Answer(Refusal),
}

/// What the user said, to look for what is known about it: the newest.
fn searched(messages: &[Message]) -> String {
    let mut said = String::new();
    for message in messages.iter().rev().filter(|message| is_users(message)) {
        for words in conversation::own_words(&message.utterance) {
            let room = LONGEST_SEARCH.saturating_sub(said.chars().count());
            said.extend(words.chars().take(room));
            said.push(' ');
        }
    }
    said
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
