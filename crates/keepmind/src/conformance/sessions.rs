//! Chats: opened, edited column by column, leased, purged; and the pages they come in.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::change::{Expected, LeaseChange, SessionChange, SessionEdit, Slice};
use crate::conformance::fixtures::{Planned, Scribe, claim, moment, save};
use crate::conformance::furnish::furnish;
use crate::error::ErrorKind;
use crate::ids::{LeaseHolder, MessageNumber, RowId, SessionId};
use crate::session::{FrozenBlock, Lease, Recap, Session, SessionStatus, Title};
use crate::store::{Cursor, MemoryStore, MessageQuery, SessionQuery};

impl Scribe {
    fn edit(&mut self, session: SessionId, edit: SessionEdit) -> Planned {
        let mut changes = self.unchecked();
        changes.sessions.insert(session, SessionChange::Edit(edit));
        Planned {
            expected: Expected::Any,
            changes,
        }
    }

    async fn session(&self, id: SessionId) -> Session {
        let part = self.load(&Slice::session(id)).await;
        part.session(id).cloned().expect("the chat is there")
    }
}

/// Each column is set by itself and leaves the others as they are.
pub async fn a_session_is_edited_column_by_column(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let id = scribe.open_session().await;
    scribe.say(id, "hello").await;
    let holder = LeaseHolder::new(scribe.new_id());
    let lease = Some(Lease {
        holder,
        until: moment(9),
    });
    let none = SessionEdit::default;
    let edits = [
        SessionEdit {
            active_at: Some(moment(5)),
            ..none()
        },
        SessionEdit {
            status: Some(SessionStatus::Archived),
            ..none()
        },
        SessionEdit {
            deleted_at: Some(Some(moment(6))),
            ..none()
        },
        SessionEdit {
            title: Some(Some(Title {
                text: "Tea".to_owned(),
                by_user: false,
            })),
            ..none()
        },
        SessionEdit {
            attempts: Some(u32::MAX),
            ..none()
        },
        SessionEdit {
            retry_at: Some(Some(moment(7))),
            ..none()
        },
        SessionEdit {
            recap: Some(Some(Recap {
                text: "tea".to_owned(),
                through: MessageNumber::FIRST,
            })),
            ..none()
        },
        SessionEdit {
            block: Some(Some(FrozenBlock {
                text: "# x\n".to_owned(),
                revision: 3,
                rows: vec![RowId::new(id.uuid())],
            })),
            ..none()
        },
        SessionEdit {
            served: Some(["a".to_owned(), "b".to_owned()].into()),
            ..none()
        },
        SessionEdit {
            lease: Some(LeaseChange {
                expected: None,
                to: lease,
            }),
            ..none()
        },
        SessionEdit {
            deleted_at: Some(None),
            ..none()
        },
        SessionEdit {
            title: Some(None),
            ..none()
        },
        SessionEdit {
            retry_at: Some(None),
            recap: Some(None),
            ..none()
        },
        SessionEdit {
            block: Some(None),
            served: Some(BTreeSet::new()),
            ..none()
        },
        SessionEdit {
            lease: Some(LeaseChange {
                expected: lease,
                to: None,
            }),
            ..none()
        },
        none(),
    ];
    for edit in edits {
        let mut expected = scribe.session(id).await;
        edit.apply(&mut expected);
        let planned = scribe.edit(id, edit.clone());
        scribe.commit(planned).await.expect("an edit of a chat");
        assert_eq!(scribe.session(id).await, expected, "{edit:?}");
    }
    assert_eq!(
        scribe.everything().await.state().revision.count,
        0,
        "none of these is checked"
    );
}

/// How far a chat was learned from moves with a revision, as what was learned does.
pub async fn the_watermark_is_checked(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let id = scribe.open_session().await;
    let through = scribe.say(id, "I drink tea").await.number;
    let edit = SessionEdit {
        extracted_through: Some(through),
        ..SessionEdit::default()
    };
    let unchecked = scribe.edit(id, edit.clone());
    scribe
        .assert_unwritten(
            unchecked,
            ErrorKind::Invalid,
            "a watermark in an unchecked set",
        )
        .await;
    scribe
        .write(|draft| {
            draft
                .others()
                .sessions
                .insert(id, SessionChange::Edit(edit));
            save(draft, claim("drinks tea"))
        })
        .await;
    assert_eq!(scribe.session(id).await.extracted_through, Some(through));
    assert_eq!(scribe.everything().await.state().revision.count, 1);
}

/// Taking, renewing and giving back a lease needs the lease that was seen.
pub async fn a_lease_is_a_compare_and_set(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let id = scribe.open_session().await;
    let mine = Lease {
        holder: LeaseHolder::new(scribe.new_id()),
        until: moment(5),
    };
    let theirs = Lease {
        holder: LeaseHolder::new(scribe.new_id()),
        until: moment(5),
    };
    let later = Lease {
        until: moment(6),
        ..mine
    };
    let steps = [
        (Some(mine), Some(theirs), None),
        (None, Some(mine), Some(mine)),
        (None, Some(theirs), None),
        (Some(theirs), Some(theirs), None),
        (Some(later), None, None),
        (Some(mine), Some(later), Some(later)),
        (Some(mine), None, None),
        (Some(later), None, Some(mine)),
    ];
    for (expected, to, succeeds) in steps {
        let lease = Some(LeaseChange { expected, to });
        let edit = SessionEdit {
            lease,
            attempts: Some(7),
            ..SessionEdit::default()
        };
        let planned = scribe.edit(id, edit);
        if succeeds.is_some() {
            scribe
                .commit(planned)
                .await
                .expect("the lease that was seen");
            assert_eq!(scribe.session(id).await.lease, to);
        } else {
            let what = format!("from {expected:?} to {to:?}");
            scribe
                .assert_unwritten(planned, ErrorKind::Conflict, &what)
                .await;
        }
    }
}

/// A set that expects a chat's state conflicts when it has another.
pub async fn expect_state_conflicts(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let id = scribe.open_session().await;
    let expecting = |status: SessionStatus, deleted: bool| SessionEdit {
        expect_status: Some(status),
        expect_deleted: Some(deleted),
        active_at: Some(moment(7)),
        ..SessionEdit::default()
    };
    let states = [
        (SessionStatus::Active, None),
        (SessionStatus::Idle, Some(moment(6))),
        (SessionStatus::Archived, None),
    ];
    for (status, deleted_at) in states {
        let edit = SessionEdit {
            status: Some(status),
            deleted_at: Some(deleted_at),
            ..SessionEdit::default()
        };
        let edited = scribe.edit(id, edit);
        scribe.commit(edited).await.expect("an edit");
        for (expected, _) in states {
            for deleted in [false, true] {
                let planned = scribe.edit(id, expecting(expected, deleted));
                if expected == status && deleted == deleted_at.is_some() {
                    scribe.commit(planned).await.expect("the state it has");
                } else {
                    scribe
                        .assert_unwritten(planned, ErrorKind::Conflict, "another state")
                        .await;
                }
            }
        }
    }
}

/// A set that expects a chat to have a title, or none, conflicts where that is not so.
pub async fn expect_titled_conflicts(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let id = scribe.open_session().await;
    let expecting = |titled: bool| SessionEdit {
        expect_titled: Some(titled),
        active_at: Some(moment(7)),
        ..SessionEdit::default()
    };
    for by_user in [None, Some(false), Some(true)] {
        let title = by_user.map(|by_user| Title {
            text: "tea".to_owned(),
            by_user,
        });
        let edit = SessionEdit {
            title: Some(title),
            ..SessionEdit::default()
        };
        let edited = scribe.edit(id, edit);
        scribe.commit(edited).await.expect("an edit");
        let is_titled = by_user.is_some();
        let right = scribe.edit(id, expecting(is_titled));
        scribe.commit(right).await.expect("as it is");
        let wrong = scribe.edit(id, expecting(!is_titled));
        scribe
            .assert_unwritten(wrong, ErrorKind::Conflict, "another title")
            .await;
    }
}

/// The user's own title stays when an automatic one comes after it.
pub async fn the_users_title_stays(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let id = scribe.open_session().await;
    let titled = |text: &str, by_user: bool| {
        Some(Title {
            text: text.to_owned(),
            by_user,
        })
    };
    for (title, shown) in [
        (titled("Tea", false), "Tea"),
        (titled("Mine", true), "Mine"),
        (titled("Kettles", false), "Mine"),
        (titled("Still mine", true), "Still mine"),
        (None, ""),
        (titled("Tea", false), "Tea"),
    ] {
        let edit = SessionEdit {
            title: Some(title),
            ..SessionEdit::default()
        };
        let edited = scribe.edit(id, edit);
        scribe.commit(edited).await.expect("an edit");
        let now = scribe.session(id).await.title;
        assert_eq!(now.map(|title| title.text).unwrap_or_default(), shown);
    }
}

/// A running summary that reaches less far leaves the one that is there; taking it away is allowed.
pub async fn a_recap_does_not_go_back(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let id = scribe.open_session().await;
    let reaching = |text: &str, through: u64| {
        Some(Recap {
            text: text.to_owned(),
            through: MessageNumber::new(through).expect("a number"),
        })
    };
    for (recap, kept) in [
        (reaching("first", 3), "first"),
        (reaching("short", 2), "first"),
        (reaching("again", 3), "again"),
        (reaching("long", 9), "long"),
        (None, ""),
        (reaching("short", 2), "short"),
    ] {
        let edit = SessionEdit {
            recap: Some(recap),
            ..SessionEdit::default()
        };
        let edited = scribe.edit(id, edit);
        scribe.commit(edited).await.expect("an edit");
        let now = scribe.session(id).await.recap;
        assert_eq!(now.map(|recap| recap.text).unwrap_or_default(), kept);
    }
}

/// A set that expects the chat's last message conflicts when another was said.
pub async fn expect_last_message_conflicts(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let id = scribe.open_session().await;
    let expecting = |last: Option<MessageNumber>| SessionEdit {
        expect_last_message: Some(last),
        status: Some(SessionStatus::Idle),
        ..SessionEdit::default()
    };
    let early = scribe.edit(id, expecting(Some(MessageNumber::FIRST)));
    scribe
        .assert_unwritten(early, ErrorKind::Conflict, "a message that was not said")
        .await;
    let empty = scribe.edit(id, expecting(None));
    scribe
        .commit(empty.clone())
        .await
        .expect("nothing was said yet");
    let last = scribe.say(id, "hello").await.number;
    let late = scribe.edit(id, expecting(None));
    scribe
        .assert_unwritten(late, ErrorKind::Conflict, "something was said meanwhile")
        .await;
    let right = scribe.edit(id, expecting(Some(last)));
    scribe.commit(right).await.expect("the last message");
    scribe
        .commit(empty)
        .await
        .expect("a repeated operation is not checked again");
}

/// What is not there is not edited or purged; what is there is not opened again.
pub async fn a_session_is_opened_once(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let id = scribe.open_session().await;
    let missing = SessionId::new(uuid::Uuid::max());
    let open = |id| SessionChange::Open(Session::open(id, moment(0)));
    for (what, key, change, kind) in [
        ("opened twice", id, open(id), ErrorKind::Invalid),
        (
            "opened under another id",
            missing,
            open(id),
            ErrorKind::Invalid,
        ),
        (
            "edited",
            missing,
            SessionChange::Edit(SessionEdit::default()),
            ErrorKind::NotFound,
        ),
        ("purged", missing, SessionChange::Purge, ErrorKind::NotFound),
    ] {
        let mut changes = scribe.unchecked();
        changes.sessions.insert(key, change);
        let planned = Planned {
            expected: Expected::Any,
            changes,
        };
        scribe.assert_unwritten(planned, kind, what).await;
    }
}

/// A purged chat takes its messages and traces; its memories stay.
pub async fn purging_a_session_takes_messages_and_traces(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let furnished = furnish(&mut scribe).await;
    let other = scribe.open_session().await;
    scribe.say(other, "I live here").await;
    let before = scribe.everything().await;
    let mut changes = scribe.unchecked();
    changes
        .sessions
        .insert(furnished.session, SessionChange::Purge);
    scribe.put(changes).await;
    let after = scribe.everything().await;
    assert_eq!(
        after
            .sessions()
            .map(|session| session.id)
            .collect::<Vec<_>>(),
        [other]
    );
    assert_eq!((after.messages().count(), after.traces().count()), (1, 0));
    assert!(after.memories().eq(before.memories()), "memories stay");
    assert!(after.usage().eq(before.usage()), "and so does their ledger");
    let search = crate::store::MessageSearch {
        text: "live".to_owned(),
        session: None,
        roles: BTreeSet::new(),
        limit: 10,
    };
    let hits = store
        .search_messages(&scribe.owner, &search)
        .await
        .expect("a search");
    assert_eq!(
        hits.iter()
            .map(|hit| hit.message.session)
            .collect::<Vec<_>>(),
        [other]
    );
    let query = MessageQuery::of(furnished.session, 10);
    assert_eq!(
        store
            .messages(&scribe.owner, &query)
            .await
            .expect("messages")
            .items,
        []
    );
}

/// The most recently active first, ties too, filtered, page by page exactly once.
pub async fn sessions_come_most_recent_first(store: Arc<dyn MemoryStore>) {
    let mut scribe = Scribe::new(&store, "alice");
    let statuses = [
        SessionStatus::Active,
        SessionStatus::Idle,
        SessionStatus::Archived,
    ];
    let mut all = Vec::new();
    for place in 0..12 {
        let id = SessionId::new(scribe.new_id());
        let session = Session {
            active_at: moment(place / 3),
            status: statuses[place as usize % 3],
            deleted_at: (place % 4 == 0).then(|| moment(1)),
            retry_at: (place % 2 == 0).then(|| moment(place)),
            ..Session::open(id, moment(0))
        };
        let mut changes = scribe.unchecked();
        changes
            .sessions
            .insert(id, SessionChange::Open(session.clone()));
        scribe.put(changes).await;
        all.push(session);
    }
    all.sort_by_key(|session| std::cmp::Reverse((session.active_at, session.id)));
    let any = SessionQuery {
        deleted: None,
        ..SessionQuery::recent(100)
    };
    let queries = [
        any.clone(),
        SessionQuery::recent(100),
        SessionQuery {
            deleted: Some(true),
            ..any.clone()
        },
        SessionQuery {
            statuses: [SessionStatus::Idle, SessionStatus::Archived].into(),
            ..any.clone()
        },
        SessionQuery {
            inactive_since: Some(moment(2)),
            ..any.clone()
        },
        SessionQuery {
            retry_due: Some(moment(4)),
            ..any.clone()
        },
    ];
    for query in queries {
        let expected: Vec<&Session> = all
            .iter()
            .filter(|session| query.matches(session))
            .collect();
        for limit in [1, 2, 5, 100] {
            let mut query = SessionQuery {
                limit,
                ..query.clone()
            };
            let mut shown = Vec::new();
            loop {
                let page = store.sessions(&scribe.owner, &query).await.expect("a page");
                shown.extend(page.items);
                let Some(cursor) = page.next else { break };
                query.after = Some(Cursor::from(cursor.to_string()));
            }
            assert_eq!(shown.iter().collect::<Vec<_>>(), expected, "{query:?}");
        }
    }
}
