//! Everything that must hold: put together from what the child said, held against what is stored.

use std::collections::{BTreeMap, BTreeSet};

use keepmind::{SessionId, Snapshot};

use crate::crash::chats::{Around, Chat};
use crate::crash::facts::Facts;
use crate::crash::findings::{Findings, Wrong};
use crate::crash::lines::{Answered, Asked, Line};
use crate::crash::structure;

/// How many of the last purged texts are looked for in every cycle. All of them are at the end.
const LOOKED_FOR: usize = 40;

/// What must hold of one user's memory.
#[derive(Debug, Default)]
pub struct User {
    pub facts: Facts,
    chats: BTreeMap<SessionId, Chat>,
    /// Texts that are gone for good.
    purged: Vec<String>,
    is_erased: bool,
    /// The erasure was looked at after a kill.
    is_settled: bool,
}

/// What must hold of everybody's.
#[derive(Debug)]
pub struct World {
    around: Around,
    pub users: BTreeMap<String, User>,
    /// What was announced and not answered.
    in_flight: BTreeMap<u64, (String, Asked)>,
    /// Texts that were purged in this cycle, acknowledged: no byte of any file may hold them.
    pub purged_now: Vec<String>,
    /// How many were announced and not answered, in the cycles before.
    interrupted: u64,
    /// How often each thing was acknowledged.
    pub counts: BTreeMap<&'static str, u64>,
}

impl World {
    /// A world in which nothing has happened.
    pub fn new(around: Around) -> Self {
        World {
            around,
            users: BTreeMap::new(),
            in_flight: BTreeMap::new(),
            purged_now: Vec::new(),
            interrupted: 0,
            counts: BTreeMap::new(),
        }
    }

    /// Another child begins. What was on its way when the last one was killed has been settled.
    pub fn begin(&mut self, around: Around) {
        self.around = around;
        self.interrupted += self.in_flight.len() as u64;
        self.in_flight.clear();
        self.purged_now.clear();
    }

    /// How many were announced and not answered so far.
    pub fn interrupted(&self) -> u64 {
        self.interrupted + self.in_flight.len() as u64
    }

    /// Whose memory is looked at; at the end also those who are gone for long.
    pub fn names(&self, is_last: bool) -> Vec<String> {
        let users = self.users.iter();
        let users = users.filter(|(_, user)| is_last || !user.is_settled);
        users.map(|(name, _)| name.clone()).collect()
    }

    /// A line of the child's.
    pub fn hear(&mut self, line: Line, findings: &mut Findings) {
        match line {
            Line::Ready { .. } => {}
            Line::Announced {
                announce,
                user,
                asked,
            } => {
                self.announced(&user, &asked);
                self.in_flight.insert(announce, (user, asked));
            }
            Line::Acknowledged { ack, answered } => match self.in_flight.remove(&ack) {
                Some((user, asked)) => {
                    *self.counts.entry(asked.word()).or_default() += 1;
                    self.acknowledged(&user, &asked, &answered, findings);
                }
                None => findings.add(
                    Wrong::Failed,
                    format!("{ack} was answered and not announced"),
                ),
            },
            Line::Failed { fail, message } => {
                let asked = self.in_flight.remove(&fail);
                findings.add(Wrong::Failed, format!("{asked:?}: {message}"));
            }
        }
    }

    fn announced(&mut self, name: &str, asked: &Asked) {
        if *asked == Asked::Sweep {
            self.around.swept = true;
            return;
        }
        // Also somebody who was never answered is looked at.
        let user = self.users.entry(name.to_owned()).or_default();
        let Some(session) = asked.session() else {
            return;
        };
        let mut others = self.in_flight.values();
        let overlaps = others.any(|(_, other)| other.session() == Some(session));
        if let Some(chat) = user.chats.get_mut(&session) {
            chat.announced(overlaps);
        }
    }

    fn acknowledged(
        &mut self,
        name: &str,
        asked: &Asked,
        answered: &Answered,
        findings: &mut Findings,
    ) {
        let around = self.around;
        if *asked == Asked::Sweep {
            return;
        }
        let user = self.users.entry(name.to_owned()).or_default();
        match answered {
            Answered::Written {
                number,
                content,
                token,
            } => {
                user.facts.written(
                    asked,
                    *number,
                    content.as_deref(),
                    *token,
                    around.cycle,
                    findings,
                );
                if matches!(asked, Asked::Purge { .. }) {
                    self.purged_now.extend(user.facts.said(*number).cloned());
                    user.purged.extend(user.facts.said(*number).cloned());
                }
            }
            Answered::Opened { session } => {
                user.chats.insert(*session, Chat::opened(around.cycle));
            }
            Answered::Done if *asked == Asked::Erase => {
                let said = user
                    .facts
                    .all_said()
                    .chain(user.chats.values().flat_map(Chat::said));
                self.purged_now.extend(said.take(LOOKED_FOR).cloned());
                *user = User {
                    is_erased: true,
                    ..User::default()
                };
            }
            _ => {
                let Some(chat) = asked.session().and_then(|id| user.chats.get_mut(&id)) else {
                    findings.add(
                        Wrong::Failed,
                        format!("{asked:?} was answered with {answered:?}"),
                    );
                    return;
                };
                chat.acknowledged(asked, answered, around, findings);
                if (asked.word(), answered) == ("purge session", &Answered::Done) {
                    self.purged_now.extend(chat.said().cloned());
                    user.purged.extend(chat.said().cloned());
                }
            }
        }
    }

    /// Holds one user's memory against what is stored, and takes over what is stored.
    pub fn settle(&mut self, name: &str, snapshot: &Snapshot, findings: &mut Findings) {
        let around = self.around;
        let in_flight = self.in_flight.values().filter(|(user, _)| user == name);
        let in_flight: Vec<&Asked> = in_flight.map(|(_, asked)| asked).collect();
        let user = self.users.entry(name.to_owned()).or_default();
        let is_erasing = in_flight.contains(&&Asked::Erase);
        if user.is_erased || (is_erasing && is_empty(snapshot)) {
            findings.expect(is_empty(snapshot), Wrong::Lost, || {
                format!("the erasure of {name}")
            });
            *user = User {
                is_erased: true,
                is_settled: true,
                ..User::default()
            };
            return;
        }
        let gone = user
            .facts
            .settle(snapshot, &in_flight, around.swept, around.cycle, findings);
        user.purged.extend(gone);
        user.settle_chats(snapshot, &in_flight, around, findings);
        structure::check(snapshot, findings);
    }
}

impl User {
    fn settle_chats(
        &mut self,
        snapshot: &Snapshot,
        in_flight: &[&Asked],
        around: Around,
        findings: &mut Findings,
    ) {
        for (id, chat) in &mut self.chats {
            let about: Vec<&Asked> = in_flight
                .iter()
                .filter(|asked| asked.session() == Some(*id))
                .copied()
                .collect();
            let stored = snapshot.session(*id);
            let stored = stored.map(|session| (session, snapshot.messages_of(*id).collect()));
            if chat.settle(stored, &about, around, findings) {
                self.purged.extend(chat.said().cloned());
            }
        }
        let mut opens = in_flight
            .iter()
            .filter(|asked| ***asked == Asked::Open)
            .count();
        for session in snapshot.sessions() {
            if self.chats.contains_key(&session.id) {
                continue;
            }
            let is_new = snapshot.last_message(session.id).is_none() && session.block.is_some();
            findings.expect(opens > 0 && is_new, Wrong::HalfApplied, || {
                format!("nobody opened chat {}", session.id)
            });
            opens = opens.saturating_sub(1);
            self.chats.insert(session.id, Chat::opened(around.cycle));
        }
        let known: BTreeSet<SessionId> = snapshot.sessions().map(|session| session.id).collect();
        for message in snapshot
            .messages()
            .filter(|message| !known.contains(&message.session))
        {
            findings.add(
                Wrong::HalfApplied,
                format!("a message of no chat: {}", message.session),
            );
        }
    }

    /// Looks for what was purged, lately or ever.
    pub fn look_for_purged(&self, export: &str, ever: bool, findings: &mut Findings) {
        let looked_for = if ever { usize::MAX } else { LOOKED_FOR };
        for text in self.purged.iter().rev().take(looked_for) {
            let line = export.lines().find(|line| line.contains(text.as_str()));
            findings.expect(line.is_none(), Wrong::Leaked, || {
                format!("{text:?} was purged and is in the export: {line:?}")
            });
        }
    }
}

fn is_empty(snapshot: &Snapshot) -> bool {
    snapshot.memories().next().is_none()
        && snapshot.sessions().next().is_none()
        && snapshot.messages().next().is_none()
        && snapshot.journal().next().is_none()
        && snapshot.tombstones().next().is_none()
}
