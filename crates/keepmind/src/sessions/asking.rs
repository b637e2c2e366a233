//! Asking the model what is worth remembering of a part of a chat, and once more where nothing in its answer can be
//! used.

use std::collections::BTreeSet;

use crate::conversation;
use crate::engine::is_users;
use crate::extract::{self, Chat, Question, Reply};
use crate::ids::Number;
use crate::message::Message;
use crate::model::{ModelRequest, PlugError};
use crate::plan::Turn;
use crate::plan::learn::{Candidate, is_made_up};
use crate::refusal::Refusal;
use crate::session::Recap;
use crate::sessions::SessionHandle;
use crate::sessions::learn::{AROUND, AROUND_EACH, Unlearned};

/// How much of what was said is looked for among the memories, in characters.
const LONGEST_SEARCH: usize = 2_000;

/// What the model is asked about.
pub(super) struct Asking<'a> {
    /// What was said just before, for context.
    pub before: &'a [Message],
    pub messages: &'a [Message],
    pub recap: Option<&'a Recap>,
    /// What the library put into the chat.
    pub served: &'a BTreeSet<String>,
    /// What the user said.
    pub turn: &'a Turn,
}

/// What it answered.
pub(super) struct Answered {
    pub candidates: Vec<Candidate>,
    pub episode: Option<String>,
    pub recap: Option<String>,
}

/// What is wanting in an answer.
enum Wanting {
    Model(PlugError),
    Answer(Refusal),
    /// It can be read, and all that it would keep is made up.
    Truth(Answered),
}

impl SessionHandle {
    /// Asks the model, and once more where it failed in passing or nothing in its answer can be used.
    pub(super) async fn ask(&self, asking: &Asking<'_>) -> Result<Answered, Unlearned> {
        let (request, shown) = self.question(asking).await?;
        let (again, made_up) = match self.answer_to(&request, &shown, asking).await? {
            Ok(answered) => return Ok(answered),
            Err(Wanting::Truth(answered)) => {
                (extract::again(request, extract::MADE_UP), Some(answered))
            }
            Err(Wanting::Answer(refusal)) => (extract::again(request, &refusal.message), None),
            Err(Wanting::Model(failure)) if !failure.retryable => return Err(failure.into()),
            Err(Wanting::Model(_)) => {
                self.engine().pause().await;
                (request, None)
            }
        };
        match (self.answer_to(&again, &shown, asking).await?, made_up) {
            (Ok(answered), _) => Ok(answered),
            // What was made up is refused one by one, and the report says why.
            (Err(_), Some(answered)) | (Err(Wanting::Truth(answered)), None) => Ok(answered),
            (Err(Wanting::Answer(refusal)), None) => Err(refusal.into()),
            (Err(Wanting::Model(failure)), None) => Err(failure.into()),
        }
    }

    async fn answer_to(
        &self,
        request: &ModelRequest,
        shown: &[(Number, String)],
        asking: &Asking<'_>,
    ) -> Result<Result<Answered, Wanting>, PlugError> {
        let engine = self.engine();
        let policy = &engine.policy;
        let Some(answer) = engine.complete_once(request).await else {
            return Err(PlugError::lasting("there is no model"));
        };
        let answer = match answer {
            Ok(answer) => answer,
            Err(failure) => return Ok(Err(Wanting::Model(failure))),
        };
        let Reply {
            operations,
            episode,
            recap,
        } = match extract::read_reply(&answer, policy, self.memory.local.offset) {
            Ok(reply) => reply,
            Err(refusal) => return Ok(Err(Wanting::Answer(refusal))),
        };
        let chat = Chat {
            messages: asking.messages,
            served: asking.served,
        };
        let answered = Answered {
            candidates: extract::proposed(operations, chat, self.id, policy),
            episode,
            recap,
        };
        Ok(match is_made_up(&answered.candidates, shown, asking.turn) {
            true => Err(Wanting::Truth(answered)),
            false => Ok(answered),
        })
    }

    /// The question, and the memories that are shown with it.
    async fn question(
        &self,
        asking: &Asking<'_>,
    ) -> Result<(ModelRequest, Vec<(Number, String)>), PlugError> {
        let Asking {
            before,
            messages,
            recap,
            ..
        } = asking;
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
        let request = extract::request(&question, &engine.policy, tokens);
        Ok((request, known))
    }
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
