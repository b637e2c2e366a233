//! What was said: numbered by the store, appended, never rewritten; read from either end.

use std::sync::Arc;

use crate::change::{Expected, NewMessage, Place, SessionChange};
use crate::conformance::fixtures::assert_refused;
use crate::conformance::fixtures::{Planned, Scribe, moment};
use crate::error::ErrorKind;
use crate::ids::{MessageNumber, MessageOrdinal, SessionId};
use crate::message::{Message, Role, Utterance};
use crate::session::Session;
use crate::store::{Cursor, MemoryStore, MessageQuery};

fn message(session: SessionId, place: Option<Place>, words: &str) -> NewMessage {
    NewMessage {
        session,
        place,
        utterance: Utterance::new(Role::User, words, moment(0)),
    }
}

fn place(number: u64, ordinal: u64) -> Place {
    Place {
        number: MessageNumber::new(number).expect("a number"),
        ordinal: MessageOrdinal::new(ordinal).expect("an ordinal"),
    }
}

async fn read(scribe: &Scribe, query: &MessageQuery) -> Vec<Message> {
    let mut query = query.clone();
    let mut shown = Vec::new();
    loop {
        let page = scribe
            .store
            .messages(&scribe.owner, &query)
            .await
            .expect("a page");
        shown.extend(page.items);
        let Some(cursor) = page.next else {
            return shown;
        };
        query.after = Some(Cursor::from(cursor.to_string()));
    }
}

/// Messages get the next number in their chat and the next place among all, in the order of the set.
pub async fn messages_are_numbered_by_the_store(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let first = scribe.open_session().await;
    let second = SessionId::new(scribe.new_id());
    let mut changes = scribe.unchecked();
    changes.sessions.insert(
        second,
        SessionChange::Open(Session::open(second, moment(0))),
    );
    for (session, words) in [(second, "a"), (first, "b"), (second, "c")] {
        changes.messages.push(message(session, None, words));
    }
    let receipt = scribe.put(changes).await;
    assert_eq!(receipt.places, [place(1, 1), place(1, 2), place(2, 3)]);
    assert_eq!(scribe.say(first, "d").await, place(2, 4));

    let everything = scribe.everything().await;
    let said: Vec<&str> = everything
        .messages()
        .map(|message| message.utterance.content.as_str())
        .collect();
    assert_eq!(said, ["a", "b", "c", "d"]);
    assert_eq!(everything.last_message(second), MessageNumber::new(2));
}

/// A message that brings its place keeps it, and the next ones follow it.
pub async fn a_message_may_bring_its_place(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let session = scribe.open_session().await;
    let mut changes = scribe.unchecked();
    changes
        .messages
        .push(message(session, Some(place(5, 50)), "far"));
    changes.messages.push(message(session, None, "after"));
    changes
        .messages
        .push(message(session, Some(place(2, 20)), "near"));
    let receipt = scribe.put(changes).await;
    assert_eq!(receipt.places, [place(5, 50), place(6, 51), place(2, 20)]);
    assert_eq!(scribe.say(session, "last").await, place(7, 52));

    for taken in [place(5, 99), place(99, 50), place(7, 52)] {
        let mut changes = scribe.unchecked();
        changes
            .messages
            .push(message(session, Some(taken), "again"));
        let planned = Planned {
            expected: Expected::Any,
            changes,
        };
        scribe
            .assert_unwritten(planned, ErrorKind::Invalid, &format!("{taken:?} is taken"))
            .await;
    }
    for pair in [[place(8, 60), place(8, 61)], [place(8, 60), place(9, 60)]] {
        let mut changes = scribe.unchecked();
        changes
            .messages
            .extend(pair.map(|place| message(session, Some(place), "twice")));
        let planned = Planned {
            expected: Expected::Any,
            changes,
        };
        scribe
            .assert_unwritten(planned, ErrorKind::Invalid, &format!("{pair:?} in one set"))
            .await;
    }
    let mut changes = scribe.unchecked();
    let end = Place {
        number: MessageNumber::LAST,
        ordinal: MessageOrdinal::LAST,
    };
    changes
        .messages
        .push(message(session, Some(end), "the end"));
    scribe.put(changes).await;
    let mut changes = scribe.unchecked();
    changes.messages.push(message(session, None, "beyond"));
    let planned = Planned {
        expected: Expected::Any,
        changes,
    };
    scribe
        .assert_unwritten(planned, ErrorKind::Invalid, "a message after the last one")
        .await;
}

/// A message needs a chat, and one that is purged in the same set is none.
pub async fn a_message_needs_its_session(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let session = scribe.open_session().await;
    let missing = SessionId::new(uuid::Uuid::max());
    let mut nowhere = scribe.unchecked();
    nowhere.messages.push(message(missing, None, "hello"));
    let mut leaving = scribe.unchecked();
    leaving.sessions.insert(session, SessionChange::Purge);
    leaving.messages.push(message(session, None, "bye"));
    for changes in [nowhere, leaving] {
        let planned = Planned {
            expected: Expected::Any,
            changes,
        };
        scribe
            .assert_unwritten(planned, ErrorKind::NotFound, "a message without its chat")
            .await;
    }
}

/// Of one chat or all, from a number on, from either end, page by page exactly once.
pub async fn messages_are_read_in_both_directions(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let sessions = [scribe.open_session().await, scribe.open_session().await];
    for turn in 0..11 {
        scribe
            .say(sessions[turn % 3 % 2], &format!("turn {turn}"))
            .await;
    }
    let all: Vec<Message> = scribe.everything().await.messages().cloned().collect();
    assert_eq!(all.len(), 11);
    for session in [
        None,
        Some(sessions[0]),
        Some(sessions[1]),
        Some(SessionId::new(uuid::Uuid::max())),
    ] {
        let numbers = if session.is_some() {
            vec![None, Some(1), Some(4), Some(99)]
        } else {
            vec![None]
        };
        for after_number in numbers {
            let after_number = after_number.and_then(MessageNumber::new);
            for newest_first in [false, true] {
                for limit in [1, 2, 3, 100] {
                    let query = MessageQuery {
                        session,
                        after_number,
                        newest_first,
                        limit,
                        after: None,
                    };
                    let mut expected: Vec<Message> = all
                        .iter()
                        .filter(|message| query.matches(message))
                        .cloned()
                        .collect();
                    if newest_first {
                        expected.reverse();
                    }
                    assert_eq!(read(&scribe, &query).await, expected, "{query:?}");
                }
            }
        }
    }
}

/// A number means nothing without its chat.
pub async fn a_message_number_needs_its_session(store: Arc<dyn MemoryStore>) {
    let scribe = Scribe::new(&store, "alice");
    let query = MessageQuery {
        session: None,
        after_number: Some(MessageNumber::FIRST),
        newest_first: false,
        limit: 10,
        after: None,
    };
    let answer = store.messages(&scribe.owner, &query).await;
    assert_refused(answer, ErrorKind::Invalid, "a number without its chat");
}
