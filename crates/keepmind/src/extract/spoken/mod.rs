//! The built-in extractor: reads lasting facts out of what the user said, without a model.
//!
//! A message is cut into sentences and clauses. What is not the speaker's, asks, supposes, plays, reports,
//! denies or mocks is left out; what is left is read by subject, verb and what follows, from tables. Silence
//! is always right: what is not surely said and surely lasting is not kept. A language is a table.

mod answers;
mod bounds;
mod clauses;
mod english;
mod frame;
mod frames;
mod french;
mod german;
mod language;
mod languages;
mod opening;
mod own;
mod phrases;
mod screen;
mod sentence;
mod sound;
mod spanish;
mod words;

#[cfg(test)]
mod tests;

use crate::ids::MessageNumber;
use crate::memory::Span;
use crate::message::{Message, MessageOrigin, Role};

use screen::Cover;
use sentence::Said as SaidSentence;

/// Something lasting that the user said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Statement {
    /// The message it stands in.
    pub(crate) message: MessageNumber,
    /// Where: the words it rests on, verbatim, in the message's content.
    pub(crate) span: Span,
    /// The same in the third person, on one line.
    pub(crate) content: String,
    pub(crate) kind: StatementKind,
    /// What it does to what was known.
    pub(crate) move_: Said,
    /// The user asks that this be forgotten: a proposal, never an operation.
    pub(crate) wants_forgotten: bool,
    /// The user asks that this be remembered.
    pub(crate) remembered: bool,
}

/// What a statement is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum StatementKind {
    /// Who the user is.
    Profile,
    /// What the user likes, avoids, does by habit.
    Preference,
    /// Close people and pets.
    Relationship,
    /// Job, trade, studies.
    Work,
    /// A plan or a date.
    Task,
    /// How the user wants to be served.
    Style,
    /// Anything else.
    Fact,
}

/// What a statement does to what was known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Said {
    /// It adds to it.
    New,
    /// It puts something right: "actually", "no longer".
    Correction,
    /// It says that something holds as before.
    Confirmation,
}

/// More statements than this from one message are not talk: nothing of it is kept.
const MOST_FROM_A_MESSAGE: usize = 24;

/// What the user said of themselves and their close ones in these messages, in order.
///
/// Only typed messages of the user count, and of those only the user's own words. What the assistant asked
/// just before is looked at where the answer is a word or two.
pub(crate) fn statements(messages: &[Message]) -> Vec<Statement> {
    let mut found: Vec<Statement> = Vec::new();
    let mut cover = Cover::default();
    let mut asked: Option<&str> = None;
    for message in messages {
        let utterance = &message.utterance;
        match utterance.role {
            Role::Assistant => asked = Some(&utterance.content),
            Role::User if utterance.origin == MessageOrigin::Typed => {
                cover.message = false;
                let said = read(message, asked.take(), &mut cover, &found);
                found.extend(said);
            }
            Role::User | Role::System | Role::Tool => {}
        }
    }
    found
}

fn read(
    message: &Message,
    asked: Option<&str>,
    cover: &mut Cover,
    earlier: &[Statement],
) -> Vec<Statement> {
    let content = message.utterance.content.as_str();
    if mocks(content) {
        return Vec::new();
    }
    let foreign = own::foreign(&message.utterance);
    let sentences = words::sentences(content, &foreign);
    let mut said: Vec<SaidSentence> = Vec::new();
    if let Some(asked) = asked
        && !cover.chat
        && let [sentence] = &sentences[..]
        && foreign.is_empty()
        && let Some(answer) = answers::answer(asked, sentence)
    {
        said.push(answer);
    } else if let Some(ready) = languages::of(&sentences) {
        for sentence in &sentences {
            let nearest = earlier.len().saturating_sub(MOST_FROM_A_MESSAGE);
            let known: Vec<&str> = earlier[nearest..]
                .iter()
                .map(|statement| statement.content.as_str())
                .chain(said.iter().map(|said| said.content.as_str()))
                .collect();
            let more = sentence::read(sentence, ready, cover, &known);
            said.extend(more);
            if said.len() > MOST_FROM_A_MESSAGE {
                return Vec::new();
            }
        }
    }
    said.into_iter()
        .filter_map(|said| {
            Some(Statement {
                message: message.number,
                span: Span {
                    start: u32::try_from(said.place.start).ok()?,
                    end: u32::try_from(said.place.end).ok()?,
                },
                content: without_now(said.content),
                kind: said.kind,
                move_: said.move_,
                wants_forgotten: said.wants_forgotten,
                remembered: said.remembered,
            })
        })
        .collect()
}

/// A content without a "now" at its end: once kept, it speaks of then.
fn without_now(content: String) -> String {
    match content.strip_suffix(" now") {
        Some(lasting) => lasting.to_owned(),
        None => content,
    }
}

/// Whether a message says by a sign that it does not mean what it says, or acts a part.
fn mocks(content: &str) -> bool {
    let trimmed = content.trim();
    let acts = trimmed
        .strip_prefix('*')
        .is_some_and(|rest| rest.starts_with(char::is_alphabetic) && rest.contains('*'));
    acts || trimmed.ends_with("/s") || content.contains(['🙄', '😒', '🤡', '🙃'])
}
