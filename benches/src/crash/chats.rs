//! What must hold of chats: every acknowledged message in its place, and no close half done.

use std::collections::BTreeMap;
use std::time::Duration;

use keepmind::{Message, Session, SessionStatus, Timestamp};

use crate::crash::findings::{Findings, Wrong};
use crate::crash::lines::{Answered, Asked, Closing};
use crate::crash::setting::{DAY_CYCLES, LEASE, STALE_CYCLES};

/// No child lives as long.
const LONGEST_LIFE: Duration = Duration::from_secs(120);

/// What went on around a chat in a cycle.
#[derive(Debug, Clone, Copy)]
pub struct Around {
    pub cycle: u64,
    /// The sweep has begun, and may have closed, archived or purged what was due.
    pub swept: bool,
    /// Chats are learned from as they go on.
    pub every_turn: bool,
    /// What the clock showed when the child was started.
    pub begun_at: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Active,
    /// Closed, perhaps long ago.
    Aside,
    /// Pushed to while it was closed: whichever came last.
    Either,
}

/// One chat as what was acknowledged left it.
#[derive(Debug)]
pub struct Chat {
    messages: BTreeMap<u64, String>,
    stage: Stage,
    /// The last cycle in which it was talked in, and the last one before that.
    touched: u64,
    touched_before: u64,
    /// At least so far it has been learned from.
    through: u64,
    /// The model had failed when the cycle began, so that the sweep tries again.
    was_deferred: bool,
    /// Somebody who was killed may have left a lease.
    may_be_leased: bool,
    trashed_in: Option<u64>,
    is_purged: bool,
    /// The last things that were asked for overlapped.
    raced: bool,
}

impl Chat {
    pub fn opened(cycle: u64) -> Self {
        Chat {
            messages: BTreeMap::new(),
            stage: Stage::Active,
            touched: cycle,
            touched_before: cycle,
            through: 0,
            was_deferred: false,
            may_be_leased: false,
            trashed_in: None,
            is_purged: false,
            raced: false,
        }
    }

    /// Something is about to be asked for, maybe while something else is still on its way.
    pub fn announced(&mut self, overlaps: bool) {
        self.raced = overlaps;
    }

    /// Everything that was said in it.
    pub fn said(&self) -> impl Iterator<Item = &String> {
        self.messages.values()
    }

    /// Something was acknowledged.
    pub fn acknowledged(
        &mut self,
        asked: &Asked,
        answered: &Answered,
        around: Around,
        findings: &mut Findings,
    ) {
        let active = if self.raced {
            Stage::Either
        } else {
            Stage::Active
        };
        match (asked, answered) {
            (_, Answered::Missing) => {}
            (Asked::Push { content, .. }, Answered::Pushed { number, .. }) => {
                let other = self.messages.insert(*number, content.clone());
                findings.expect(other.is_none(), Wrong::Failed, || {
                    format!("two messages have the place {number}")
                });
                self.touch(active, around.cycle);
            }
            (
                Asked::Close { .. },
                Answered::Closed {
                    closing, through, ..
                },
            ) => {
                self.closed(*closing, *through, around, findings);
            }
            (Asked::Resume { .. }, Answered::Done) => {
                self.touch(active, around.cycle);
            }
            (Asked::TrashSession { .. }, Answered::Done) => self.trashed_in = Some(around.cycle),
            (Asked::RestoreSession { .. }, Answered::Done) => self.trashed_in = None,
            (Asked::PurgeSession { .. }, Answered::Done) => self.is_purged = true,
            _ => findings.add(
                Wrong::Failed,
                format!("{} was answered with {answered:?}", asked.word()),
            ),
        }
    }

    fn touch(&mut self, stage: Stage, cycle: u64) {
        self.stage = stage;
        if self.touched != cycle {
            self.touched_before = std::mem::replace(&mut self.touched, cycle);
        }
    }

    fn closed(&mut self, closing: Closing, through: u64, around: Around, findings: &mut Findings) {
        let is_finished = matches!(
            closing,
            Closing::NothingNew | Closing::Learned | Closing::WithoutModel
        );
        if is_finished && !self.raced {
            let last = self.messages.len() as u64;
            findings.expect(through == last, Wrong::HalfApplied, || {
                format!("closed ({closing:?}), and learned from {through} of {last} messages")
            });
        }
        if closing == Closing::ByAnother {
            // Leases of the dead have run out: only somebody alive can be in the way.
            findings.expect(around.swept || around.every_turn, Wrong::Failed, || {
                "nobody else can be closing this chat".to_owned()
            });
        } else {
            self.may_be_leased = false;
        }
        self.through = self.through.max(through);
        self.stage = match closing {
            _ if self.raced => Stage::Either,
            Closing::StillActive | Closing::ByAnother | Closing::Unknown => Stage::Either,
            _ => Stage::Aside,
        };
    }

    /// Holds the chat against what is stored, and takes over what is stored. True when it has been purged
    /// since.
    pub fn settle(
        &mut self,
        stored: Option<(&Session, Vec<&Message>)>,
        in_flight: &[&Asked],
        around: Around,
        findings: &mut Findings,
    ) -> bool {
        let Some((session, messages)) = stored else {
            return self.settle_missing(in_flight, around, findings);
        };
        if self.is_purged {
            findings.add(Wrong::Lost, format!("the purge of chat {}", session.id));
            return false;
        }
        self.settle_messages(session, &messages, in_flight, findings);
        self.settle_stage(session, in_flight, around, findings);
        self.settle_lease(session, in_flight, around, findings);

        let is_trashed = session.deleted_at.is_some();
        let turned = in_flight.iter().any(|asked| {
            matches!(
                asked,
                Asked::TrashSession { .. } | Asked::RestoreSession { .. }
            )
        });
        findings.expect(
            is_trashed == self.trashed_in.is_some() || turned,
            Wrong::Lost,
            || format!("chat {}: in the trash is {is_trashed}", session.id),
        );
        self.trashed_in = is_trashed.then(|| self.trashed_in.unwrap_or(around.cycle));
        check_close(session, messages.len() as u64, findings);
        // What a chat that was put aside was served goes with a fact of it that is purged.
        let is_active = session.status == SessionStatus::Active;
        findings.expect(
            session.block.is_some() || !is_active,
            Wrong::HalfApplied,
            || format!("chat {} is active without a block", session.id),
        );
        self.through = session.extracted_through.map_or(0, |last| last.get());
        self.was_deferred = session.retry_at.is_some();
        false
    }

    fn settle_missing(
        &mut self,
        in_flight: &[&Asked],
        around: Around,
        findings: &mut Findings,
    ) -> bool {
        if self.is_purged {
            return false;
        }
        let is_asked = in_flight
            .iter()
            .any(|asked| matches!(asked, Asked::PurgeSession { .. }));
        let since = self.trashed_in.map(|cycle| cycle + DAY_CYCLES);
        let is_swept = around.swept && since.is_some_and(|since| around.cycle >= since);
        findings.expect(is_asked || is_swept, Wrong::Lost, || {
            format!("a chat with {} messages", self.messages.len())
        });
        self.is_purged = true;
        true
    }

    fn settle_messages(
        &mut self,
        session: &Session,
        messages: &[&Message],
        in_flight: &[&Asked],
        findings: &mut Findings,
    ) {
        let id = session.id;
        let mut announced: Vec<&str> = in_flight
            .iter()
            .filter_map(|asked| match asked {
                Asked::Push { content, .. } => Some(content.as_str()),
                _ => None,
            })
            .collect();
        let mut stored = BTreeMap::new();
        for (place, message) in messages.iter().enumerate() {
            let number = message.number.get();
            let content = message.utterance.content.as_str();
            findings.expect(number == place as u64 + 1, Wrong::HalfApplied, || {
                format!("chat {id}: message {number} stands in place {}", place + 1)
            });
            if !self.messages.contains_key(&number) {
                let asked = announced.iter().position(|one| *one == content);
                findings.expect(asked.is_some(), Wrong::HalfApplied, || {
                    format!("chat {id}: nobody said message {number}, {content:?}")
                });
                asked.map(|place| announced.remove(place));
            }
            stored.insert(number, content.to_owned());
        }
        for (number, content) in &self.messages {
            findings.expect(stored.get(number) == Some(content), Wrong::Lost, || {
                format!("chat {id}: message {number}, {content:?}")
            });
        }
        self.messages = stored;
    }

    fn settle_stage(
        &mut self,
        session: &Session,
        in_flight: &[&Asked],
        around: Around,
        findings: &mut Findings,
    ) {
        let is_closing = in_flight
            .iter()
            .any(|asked| matches!(asked, Asked::Close { .. }));
        let is_waking = in_flight
            .iter()
            .any(|asked| matches!(asked, Asked::Push { .. } | Asked::Resume { .. }));
        // A sweep that has found a chat stale closes it, also when it is talked in meanwhile.
        let since = match self.touched == around.cycle {
            true => self.touched_before,
            false => self.touched,
        };
        let is_stale = around.cycle >= since + STALE_CYCLES;
        let is_swept = around.swept && (is_stale || self.was_deferred);
        let is_active = session.status == SessionStatus::Active;
        let holds = match self.stage {
            Stage::Either => true,
            Stage::Active => is_active || is_closing || is_swept,
            Stage::Aside => !is_active || is_waking,
        };
        findings.expect(holds, Wrong::Lost, || {
            format!(
                "chat {} is {:?}, and was left {:?}",
                session.id, session.status, self.stage
            )
        });
        let through = session.extracted_through.map_or(0, |last| last.get());
        findings.expect(through >= self.through, Wrong::Lost, || {
            format!(
                "chat {} was learned from up to {}, not {through}",
                session.id, self.through
            )
        });
        let stage = if is_active {
            Stage::Active
        } else {
            Stage::Aside
        };
        self.touch(stage, around.cycle);
        if session.active_at < around.begun_at {
            // Killed before it was talked in, or only resumed where it was active already.
            self.touched = self.touched_before;
        }
    }

    fn settle_lease(
        &mut self,
        session: &Session,
        in_flight: &[&Asked],
        around: Around,
        findings: &mut Findings,
    ) {
        let is_closing = in_flight
            .iter()
            .any(|asked| matches!(asked, Asked::Close { .. }));
        let may_be = self.may_be_leased || is_closing || around.swept || around.every_turn;
        findings.expect(
            session.lease.is_none() || may_be,
            Wrong::HalfApplied,
            || format!("chat {} has a lease and nobody closes it", session.id),
        );
        let latest = around.begun_at.saturating_add(LEASE + LONGEST_LIFE);
        let ends = session.lease.is_none_or(|lease| lease.until <= latest);
        findings.expect(ends, Wrong::HalfApplied, || {
            format!("the lease of chat {} never ends", session.id)
        });
        self.may_be_leased = session.lease.is_some();
    }
}

/// What always holds of a chat, whoever died while closing it: how far it was learned from, the summary
/// and the next attempt are written together or not at all.
pub fn check_close(session: &Session, last: u64, findings: &mut Findings) {
    let id = session.id;
    let through = session.extracted_through.map_or(0, |last| last.get());
    let recap = session
        .recap
        .as_ref()
        .map_or(0, |recap| recap.through.get());
    findings.expect(through <= last, Wrong::HalfApplied, || {
        format!("chat {id} has {last} messages and was learned from up to {through}")
    });
    findings.expect(recap <= through, Wrong::HalfApplied, || {
        format!("chat {id} was learned from up to {through}, and is summarised up to {recap}")
    });
    let is_deferred = session.retry_at.is_some();
    findings.expect(
        is_deferred == (session.attempts > 0),
        Wrong::HalfApplied,
        || {
            format!(
                "chat {id}: {} attempts, the next at {:?}",
                session.attempts, session.retry_at
            )
        },
    );
    let is_aside = session.status != SessionStatus::Active;
    findings.expect(
        !is_aside || is_deferred || through == last,
        Wrong::HalfApplied,
        || {
            format!(
                "chat {id} is {:?} and was learned from up to {through} of {last}",
                session.status
            )
        },
    );
}
