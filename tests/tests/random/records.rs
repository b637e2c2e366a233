//! Chats, messages, observations, traces, usage and embeddings at random, some of them for what is not there.

use keepmind::{
    ChangeSet, EmbeddingChange, EmbeddingKey, FrozenBlock, IdSource, Lease, LeaseChange,
    LeaseHolder, MessageNumber, MessageOrdinal, NewMessage, Observation, ObservationId, Place,
    Recap, Role, RowId, Session, SessionChange, SessionEdit, SessionId, SessionStatus, Snapshot,
    Title, Trace, TraceChange, TraceKey, TraceOutcome, Usage, UsageId, UsageKind, Utterance, Uuid,
};
use keepmind_tests::claims::{any_moment, value, vector, words};

use crate::operations::World;

const STATUSES: &[SessionStatus] = &[
    SessionStatus::Active,
    SessionStatus::Idle,
    SessionStatus::Archived,
];

impl World {
    /// Puts a few records into a set.
    pub(crate) fn add_records(&mut self, data: &Snapshot, changes: &mut ChangeSet) {
        let sessions: Vec<SessionId> = data.sessions().map(|session| session.id).collect();
        let memories: Vec<RowId> = data.memories().map(|row| row.id).collect();
        for _ in 0..1 + self.random.below(3) {
            match self.random.below(10) {
                0 => self.open_session(&sessions, changes),
                1 | 2 => self.edit_session(data, &sessions, changes),
                3 if self.random.chance(15) => {
                    let id = self.session(&sessions);
                    changes.sessions.insert(id, SessionChange::Purge);
                }
                3..6 => self.say(&sessions, changes),
                6 => self.observe(data, changes),
                7 => self.trace(&sessions, changes),
                8 => self.use_memory(data, &memories, &sessions, changes),
                _ => self.embed(&memories, changes),
            }
        }
    }

    /// A chat that is there, rarely one that is not.
    fn session(&mut self, sessions: &[SessionId]) -> SessionId {
        let missing = SessionId::new(self.ids.next_id());
        self.random
            .pick(sessions)
            .filter(|_| !self.random.chance(5))
            .unwrap_or(missing)
    }

    /// A memory that is there, rarely one that is not.
    fn memory(&mut self, memories: &[RowId]) -> RowId {
        let missing = RowId::new(self.ids.next_id());
        self.random
            .pick(memories)
            .filter(|_| !self.random.chance(8))
            .unwrap_or(missing)
    }

    fn open_session(&mut self, sessions: &[SessionId], changes: &mut ChangeSet) {
        let known = self.random.pick(sessions).filter(|_| self.random.chance(5));
        let id = known.unwrap_or(SessionId::new(self.ids.next_id()));
        let at = any_moment(&mut self.random);
        let session = Session {
            status: self.random.one_of(STATUSES),
            title: self.random.sometimes(30, |random| Title {
                text: words(random),
                by_user: random.chance(50),
            }),
            ..Session::open(id, at)
        };
        changes.sessions.insert(id, SessionChange::Open(session));
        if self.random.chance(60) {
            let utterance = Utterance::new(Role::User, words(&mut self.random), at);
            changes.messages.push(NewMessage {
                session: id,
                place: None,
                utterance,
            });
        }
    }

    fn edit_session(&mut self, data: &Snapshot, sessions: &[SessionId], changes: &mut ChangeSet) {
        let id = self.session(sessions);
        let random = &mut self.random;
        let seen = data.session(id).and_then(|session| session.lease);
        let lease = random.sometimes(30, |random| LeaseChange {
            expected: if random.chance(70) { seen } else { None },
            to: random.sometimes(70, |random| Lease {
                holder: LeaseHolder::new(Uuid::from_u128(random.below(3) as u128)),
                until: any_moment(random),
            }),
        });
        let last = data.last_message(id);
        let expect_last_message =
            random.sometimes(20, |random| if random.chance(70) { last } else { None });
        let block = |random: &mut keepmind_tests::Random| FrozenBlock {
            text: words(random),
            revision: random.below(9) as u64,
            rows: vec![RowId::new(Uuid::from_u128(random.below(9) as u128))],
        };
        let edit = SessionEdit {
            expect_last_message,
            expect_status: random.sometimes(15, |random| random.one_of(STATUSES)),
            expect_deleted: random.sometimes(15, |random| random.chance(20)),
            expect_titled: random.sometimes(15, |random| random.chance(50)),
            lease,
            active_at: random.sometimes(40, any_moment),
            status: random.sometimes(30, |random| random.one_of(STATUSES)),
            deleted_at: random.sometimes(20, |random| random.sometimes(50, any_moment)),
            title: random.sometimes(20, |random| {
                random.sometimes(70, |random| Title {
                    text: words(random),
                    by_user: random.chance(50),
                })
            }),
            // The one checked column: refused unless the set has a journal entry.
            extracted_through: random.sometimes(10, |_| last.unwrap_or(MessageNumber::FIRST)),
            attempts: random.sometimes(20, |random| random.below(5) as u32),
            retry_at: random.sometimes(20, |random| random.sometimes(50, any_moment)),
            recap: random.sometimes(20, |random| {
                random.sometimes(70, |random| Recap {
                    text: words(random),
                    through: MessageNumber::FIRST,
                })
            }),
            block: random.sometimes(20, |random| random.sometimes(70, block)),
            served: random.sometimes(20, |random| {
                (0..random.below(3)).map(|_| words(random)).collect()
            }),
        };
        changes.sessions.insert(id, SessionChange::Edit(edit));
    }

    fn say(&mut self, sessions: &[SessionId], changes: &mut ChangeSet) {
        let session = self.session(sessions);
        for _ in 0..1 + self.random.below(3) {
            let random = &mut self.random;
            let role = random.one_of(&[
                Role::User,
                Role::User,
                Role::Assistant,
                Role::Tool,
                Role::System,
            ]);
            let utterance = Utterance {
                hidden: random.sometimes(10, words),
                calls: random
                    .sometimes(10, |_| "call".to_owned())
                    .into_iter()
                    .collect(),
                ..Utterance::new(role, words(random), any_moment(random))
            };
            let place = random.sometimes(6, |random| Place {
                number: MessageNumber::new(1 + random.below(60) as u64)
                    .unwrap_or(MessageNumber::FIRST),
                ordinal: MessageOrdinal::new(1 + random.below(200) as u64)
                    .unwrap_or(MessageOrdinal::FIRST),
            });
            changes.messages.push(NewMessage {
                session,
                place,
                utterance,
            });
        }
    }

    fn observe(&mut self, data: &Snapshot, changes: &mut ChangeSet) {
        let known: Vec<ObservationId> = data.observations().map(|seen| seen.id).collect();
        let known = self.random.pick(&known).filter(|_| self.random.chance(15));
        let id = known.unwrap_or(ObservationId::new(self.ids.next_id()));
        let source = self.random.one_of(&["phone", "watch"]).to_owned();
        let payload = value(&mut self.random);
        let at = any_moment(&mut self.random);
        changes.observations.insert(
            id,
            Observation {
                id,
                source,
                payload,
                at,
            },
        );
    }

    fn trace(&mut self, sessions: &[SessionId], changes: &mut ChangeSet) {
        let key = TraceKey {
            session: self.session(sessions),
            call: format!("call {}", self.random.below(12)),
        };
        if self.random.chance(12) {
            changes.traces.insert(key, TraceChange::Purge);
            return;
        }
        let random = &mut self.random;
        let trace = Trace {
            key: key.clone(),
            tool: "save".to_owned(),
            arguments: value(random),
            result: words(random),
            outcome: random.one_of(&[TraceOutcome::Complete, TraceOutcome::Failed]),
            started_at: any_moment(random),
            finished_at: any_moment(random),
        };
        changes.traces.insert(key, TraceChange::Record(trace));
    }

    fn use_memory(
        &mut self,
        data: &Snapshot,
        memories: &[RowId],
        sessions: &[SessionId],
        changes: &mut ChangeSet,
    ) {
        let known: Vec<UsageId> = data.usage().map(|usage| usage.id).collect();
        let known = self.random.pick(&known).filter(|_| self.random.chance(10));
        let id = known.unwrap_or(UsageId::new(self.ids.next_id()));
        let memory = self.memory(memories);
        let random = &mut self.random;
        let usage = Usage {
            id,
            at: any_moment(random),
            session: random.pick(sessions).filter(|_| random.chance(60)),
            memory,
            kind: random.one_of(&[UsageKind::Cited, UsageKind::Applied, UsageKind::Overridden]),
            influence: random.sometimes(30, words),
        };
        changes.usage.insert(id, usage);
    }

    fn embed(&mut self, memories: &[RowId], changes: &mut ChangeSet) {
        for _ in 0..1 + self.random.below(4) {
            let embedder = if self.random.chance(80) {
                "small"
            } else {
                "large"
            }
            .to_owned();
            let key = EmbeddingKey {
                memory: self.memory(memories),
                embedder,
            };
            let change = match self.random.chance(85) {
                true => EmbeddingChange::Set(vector(&mut self.random)),
                false => EmbeddingChange::Remove,
            };
            changes.embeddings.insert(key, change);
        }
    }
}
