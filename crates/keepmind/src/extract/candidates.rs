//! From what a model answered, or code read, to candidates: each with the place of its words in the chat.

use crate::command::Save;
use crate::extract::ground::{Chat, Ground, Place, place};
use crate::extract::reply::Operation;
use crate::extract::spoken::{Said, Statement, StatementKind};
use crate::ids::SessionId;
use crate::memory::{Evidence, Span};
use crate::message::Message;
use crate::plan::learn::{About, Candidate, Grounds, Verb};
use crate::policy::Policy;
use crate::refusal::Code;
use crate::text;

/// How sure code is of what it reads, and of what it was asked to remember.
const READ: f64 = 0.9;
const REMEMBERED: f64 = 0.95;

/// The most bytes of a message that are evidence of one thing. A quote is short; what it skips over, blanks
/// for instance, may not be.
const LONGEST_QUOTE: usize = 4 << 10;

/// What a model proposes.
pub(crate) fn proposed(
    operations: Vec<Operation>,
    chat: Chat<'_>,
    session: SessionId,
    policy: &Policy,
) -> Vec<Candidate> {
    let ground = Ground::of(chat);
    let mut candidates: Vec<Candidate> = operations
        .into_iter()
        .map(|operation| candidate(operation, chat, &ground, session))
        .collect();
    drop_crowds(&mut candidates, policy.limits.operations_per_quote as usize);
    candidates
}

fn candidate(
    operation: Operation,
    chat: Chat<'_>,
    ground: &Ground<'_>,
    session: SessionId,
) -> Candidate {
    let quote = operation.quote.as_deref().unwrap_or_default();
    let grounds = match place(quote, ground) {
        _ if quote.trim().is_empty() => Grounds::Missing,
        Place::Said { message, span } => said(&chat.messages[message], span, session),
        Place::Foreign => Grounds::Foreign,
        Place::Served => Grounds::Served,
        Place::Nowhere => Grounds::Nowhere,
    };
    Candidate {
        verb: operation.verb,
        about: operation.id.map_or(About::Nothing, About::Number),
        save: Save {
            content: operation.content.unwrap_or_default(),
            category: operation.category,
            domain: operation.domain,
            key: operation.key,
            value: operation.value,
            authority: operation.authority,
            importance: operation.importance,
            since: operation.since,
            ttl: operation.time_to_live,
            authorises_action: operation.authorises_action,
            ..Save::default()
        },
        confidence: operation.confidence,
        correction: operation.correction,
        grounds,
        context: None,
        codes: operation.codes,
    }
}

fn said(message: &Message, span: Span, session: SessionId) -> Grounds {
    let words = &message.utterance.content[span.start as usize..span.end as usize];
    if words.len() > LONGEST_QUOTE {
        return Grounds::Nowhere;
    }
    if !text::weighs(words) {
        return Grounds::TooShort;
    }
    Grounds::Said {
        evidence: Evidence::Quote {
            session,
            message: message.number,
            span,
            quote: words.to_owned(),
        },
        at: message.utterance.at,
    }
}

/// How much of the longer of two quotes must be common for them to be one quote.
const SAME_QUOTE: f64 = 0.6;

/// Many things read out of the same few words are invented: all of them go.
fn drop_crowds(candidates: &mut [Candidate], most: usize) {
    let crowded: Vec<bool> = candidates
        .iter()
        .map(|one| {
            let shares = |other: &&Candidate| other.verb.writes() && is_same_quote(one, other);
            one.verb.writes() && candidates.iter().filter(shares).count() > most
        })
        .collect();
    for (candidate, _) in candidates.iter_mut().zip(crowded).filter(|(_, is)| *is) {
        candidate.codes.push(Code::Limit);
    }
}

/// Whether two candidates rest on nearly the same words: a word more or less makes no other quote.
fn is_same_quote(one: &Candidate, other: &Candidate) -> bool {
    let place = |grounds: &Grounds| match grounds {
        Grounds::Said {
            evidence: Evidence::Quote { message, span, .. },
            ..
        } => Some((*message, *span)),
        _ => None,
    };
    let (Some((message, first)), Some((other, second))) =
        (place(&one.grounds), place(&other.grounds))
    else {
        return false;
    };
    let common = first
        .end
        .min(second.end)
        .saturating_sub(first.start.max(second.start));
    let longer = (first.end - first.start).max(second.end - second.start);
    message == other && f64::from(common) >= SAME_QUOTE * f64::from(longer)
}

/// What code read.
pub(crate) fn read(
    statements: Vec<Statement>,
    messages: &[Message],
    session: SessionId,
    policy: &Policy,
) -> Vec<Candidate> {
    let candidates = statements.into_iter().filter_map(|statement| {
        let message = messages
            .iter()
            .find(|message| message.number == statement.message)?;
        let (verb, about) = match (statement.wants_forgotten, statement.move_) {
            (true, _) => (Verb::Forget, About::Nearest),
            (false, Said::New) => (Verb::Add, About::Nothing),
            (false, Said::Correction) => (Verb::Add, About::Nearest),
            (false, Said::Confirmation) => (Verb::Confirm, About::Nearest),
        };
        Some(Candidate {
            verb,
            about,
            save: Save {
                content: statement.content,
                category: category(statement.kind, policy),
                ..Save::default()
            },
            confidence: Some(if statement.remembered {
                REMEMBERED
            } else {
                READ
            }),
            correction: false,
            grounds: said(message, statement.span, session),
            context: (about == About::Nearest).then(|| message.utterance.content.clone()),
            codes: Vec::new(),
        })
    });
    candidates.collect()
}

/// The policy's category for a kind of statement: the first of the usual names that it has. Otherwise its
/// default one.
fn category(kind: StatementKind, policy: &Policy) -> Option<String> {
    let names: &[&str] = match kind {
        StatementKind::Profile => &["profile", "identity"],
        StatementKind::Preference => &["preference"],
        StatementKind::Relationship => &["relationship", "profile", "identity"],
        StatementKind::Work => &["work", "profile", "identity"],
        StatementKind::Task => &["task", "project", "context"],
        StatementKind::Style => &["response_style", "preference"],
        StatementKind::Fact => &["fact"],
    };
    let has = |name: &&&str| policy.writable_categories().any(|one| one.name == **name);
    names.iter().find(has).map(|name| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use uuid::Uuid;

    use super::*;
    use crate::extract::fixtures::chat;
    use crate::extract::reply;
    use crate::message::Role;

    /// The codes of adds that quote these words.
    fn codes(said: &str, quotes: &[&str]) -> Vec<Vec<Code>> {
        let operations: Vec<serde_json::Value> = quotes
            .iter()
            .map(|quote| {
                serde_json::json!({"op": "add", "content": "User is so", "quote": quote, "confidence": 1})
            })
            .collect();
        let policy = Policy::default();
        let answer = serde_json::json!({ "ops": operations }).to_string();
        let reply = reply::read(&answer, &policy, time::UtcOffset::UTC).unwrap();
        let (messages, served) = (chat(&[(Role::User, said)]), BTreeSet::new());
        let chat = Chat {
            messages: &messages,
            served: &served,
        };
        let session = SessionId::new(Uuid::nil());
        let found = proposed(reply.operations, chat, session, &policy);
        found.into_iter().map(|candidate| candidate.codes).collect()
    }

    #[test]
    fn more_than_three_on_one_quote_drop_all() {
        let said = "I really like green tea. I like jazz, I like chess and I like polka.";
        let crowd = [
            "I really like green tea",
            "really like green tea",
            "I really like green",
            "I really like green tea.",
        ];
        assert_eq!(codes(said, &crowd), vec![vec![Code::Limit]; 4]);
        assert_eq!(codes(said, &crowd[..3]), vec![vec![]; 3]);
        let apart = [
            "I like jazz",
            "I like chess",
            "I like polka",
            "I really like green tea",
        ];
        assert_eq!(codes(said, &apart), vec![vec![]; 4]);
    }

    #[test]
    fn a_quote_must_weigh_something() {
        let (messages, served) = (chat(&[(Role::User, "yes")]), BTreeSet::new());
        let operation = Operation {
            verb: Verb::Add,
            quote: Some("yes".to_owned()),
            ..Operation::default()
        };
        let chat = Chat {
            messages: &messages,
            served: &served,
        };
        let session = SessionId::new(Uuid::nil());
        let [candidate] = &proposed(vec![operation], chat, session, &Policy::default())[..] else {
            panic!("one operation is one candidate");
        };
        assert_eq!(candidate.grounds, Grounds::TooShort);
    }
}
