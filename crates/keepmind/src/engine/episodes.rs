//! What an episode is told from: messages of a chat, and what the library served there. What becomes of it is
//! planned.

use std::collections::BTreeSet;

use crate::change::Slice;
use crate::engine::Engine;
use crate::engine::ending::Ending;
use crate::error::Error;
use crate::ids::{MessageNumber, Number, SessionId};
use crate::memory::{Evidence, Layer};
use crate::message::{Message, MessageOrigin, Role};
use crate::order::Gather;
use crate::owner::Owner;
use crate::plan::{self, Findings, Happened, Retold, Said, Turn};
use crate::policy::CategoryKind;
use crate::row::MemoryRow;
use crate::session::Session;
use crate::store::{Filter, MAX_LIMIT, MessageQuery, Selection, TraceQuery};

/// How many messages are read at once.
const CHUNK: usize = 256;

/// How many messages are told of, the first of them: a chat may be as long as it likes,
const MOST_MESSAGES: usize = 2_000;

/// and how much of what was said, in bytes.
const MOST_SAID: usize = 1 << 20;

impl Engine {
    /// Whether the policy has a place for episodes.
    pub(crate) fn keeps_episodes(&self) -> bool {
        let mut categories = self.policy.categories.iter();
        categories.any(|category| category.kind == CategoryKind::Episode)
    }

    /// The last message that an episode of a chat tells of, whatever became of the episode.
    pub(crate) async fn told_through(
        &self,
        owner: &Owner,
        session: &Session,
    ) -> Result<Option<MessageNumber>, Error> {
        let last = |row: &MemoryRow| plan::told_of(&row.body.claim).map(|(_, last)| last);
        let sessions: BTreeSet<SessionId> = [session.id].into_iter().gather();
        let open = self.told_in(owner, &sessions).await?;
        let told = open.iter().filter_map(last).max();
        // Nothing that has ended can tell more than all.
        if told.is_some() && told == session.extracted_through {
            return Ok(told);
        }
        let mut filter = Filter::new(Selection::All);
        filter.layers.insert(Layer::Episode);
        filter.sessions = sessions;
        let all = self.rows(owner, filter).await?;
        Ok(all.iter().filter_map(last).max())
    }

    /// The episodes of a chat, whatever became of them.
    pub(crate) async fn episodes_in(
        &self,
        owner: &Owner,
        session: SessionId,
    ) -> Result<BTreeSet<Number>, Error> {
        let mut filter = Filter::new(Selection::All);
        filter.layers.insert(Layer::Episode);
        filter.sessions.insert(session);
        let rows = self.rows(owner, filter).await?;
        Ok(rows.iter().map(|row| row.body.number).gather())
    }

    /// A part of a chat, read from the store; nothing where it is gone.
    pub(crate) async fn happened(
        &self,
        owner: &Owner,
        session: SessionId,
        (first, last): (MessageNumber, MessageNumber),
    ) -> Result<Option<Happened>, Error> {
        let seen = self.load(owner, &Slice::session(session)).await?;
        let Some(record) = seen.session(session) else {
            return Ok(None);
        };
        let mut messages: Vec<Message> = Vec::new();
        let mut after = MessageNumber::new(first.get() - 1);
        let mut size = 0;
        'pages: while after < Some(last) && messages.len() < MOST_MESSAGES {
            let query = MessageQuery {
                after_number: after,
                ..MessageQuery::of(session, CHUNK)
            };
            let page = self.store.messages(owner, &query).await?;
            for message in page.items {
                size += message.utterance.content.len();
                if message.number > last || size > MOST_SAID && !messages.is_empty() {
                    break 'pages;
                }
                after = Some(message.number);
                messages.push(message);
            }
            if page.next.is_none() {
                break;
            }
        }
        let served = self.served_in(owner, record).await?;
        let mut happened = happened_in(session, &messages, served, Said::new);
        if let Some(happened) = &mut happened {
            // All of it is told of, also where it was too much to read.
            happened.messages = (first, last);
        }
        Ok(happened)
    }

    /// The lines that the library itself put into a chat: of blocks, and of answers to tool calls.
    pub(crate) async fn served_in(
        &self,
        owner: &Owner,
        session: &Session,
    ) -> Result<BTreeSet<String>, Error> {
        let mut served = session.served.clone();
        let mut after = None;
        loop {
            let query = TraceQuery {
                session: Some(session.id),
                limit: MAX_LIMIT,
                after,
            };
            let page = self.store.traces(owner, &query).await?;
            for trace in page.items {
                served.extend(trace.result.lines().map(str::to_owned));
            }
            after = page.next;
            if after.is_none() {
                return Ok(served);
            }
        }
    }

    /// Finds the episodes that the end of a fact has told anew, or that make way for one that comes back.
    pub(super) async fn find_retold(
        &self,
        owner: &Owner,
        (target, ending): (Number, Ending),
        findings: &mut Findings,
    ) -> Result<(), Error> {
        if !self.keeps_episodes() {
            return Ok(());
        }
        let trail = findings.trails.get(&target).cloned().unwrap_or_default();
        let slice = Slice {
            rows: trail.absorbed,
            ..Slice::number(target)
        };
        let seen = self.load(owner, &slice).await?;
        let mut versions: Vec<MemoryRow> = seen.versions(target).cloned().collect();
        let Some(newest) = versions.last().cloned() else {
            return Ok(());
        };
        let absorbed = slice.rows.iter().filter_map(|id| seen.memory(*id));
        versions.extend(absorbed.cloned());
        let is_episode = newest.body.claim.layer == Layer::Episode;
        let sessions = sessions_of(&versions);
        let episodes = match (is_episode, ending) {
            (true, Ending::Forgotten) | (false, Ending::Restored) => return Ok(()),
            (true, Ending::Restored) => {
                let told = plan::told_of(&newest.body.claim);
                let mut others = self.told_in(owner, &sessions).await?;
                others.retain(|row| {
                    let other = plan::told_of(&row.body.claim);
                    let (Some(one), Some(other)) = (told, other) else {
                        return false;
                    };
                    row.body.number != target && one.0 <= other.1 && other.0 <= one.1
                });
                findings.episodes = others.iter().map(|row| row.body.number).collect();
                return Ok(());
            }
            (true, Ending::Thrown) => {
                let mut rows: Vec<MemoryRow> =
                    versions.into_iter().filter(|row| row.is_open()).collect();
                rows.extend(self.open_among(owner, &findings.episodes, target).await?);
                rows
            }
            (false, Ending::Thrown) if !findings.episodes.is_empty() => {
                self.open_among(owner, &findings.episodes, target).await?
            }
            (false, _) => {
                let mut told = self.told_in(owner, &sessions).await?;
                told.retain(|row| plan::is_retold_for(&row.body.claim, &versions));
                told
            }
        };
        let is_found = |number: Number, findings: &Findings| {
            let mut retold = findings.retold.iter();
            retold.any(|retold| retold.number == number)
        };
        for row in episodes {
            if is_found(row.body.number, findings) {
                continue;
            }
            let claim = &row.body.claim;
            let (Some(session), Some(range)) = (claim.session, plan::told_of(claim)) else {
                continue;
            };
            if let Some(happened) = self.happened(owner, session, range).await? {
                let number = row.body.number;
                findings.retold.push(Retold { number, happened });
            }
        }
        Ok(())
    }

    /// The open rows of these episodes, but of one.
    async fn open_among(
        &self,
        owner: &Owner,
        numbers: &[Number],
        but: Number,
    ) -> Result<Vec<MemoryRow>, Error> {
        let slice = Slice {
            numbers: numbers.iter().copied().filter(|one| *one != but).gather(),
            ..Slice::default()
        };
        let seen = self.load(owner, &slice).await?;
        let open = slice.numbers.iter();
        Ok(open
            .filter_map(|number| seen.open_version(*number).cloned())
            .collect())
    }

    /// The episodes of chats that are in force.
    async fn told_in(
        &self,
        owner: &Owner,
        sessions: &BTreeSet<SessionId>,
    ) -> Result<Vec<MemoryRow>, Error> {
        if sessions.is_empty() {
            return Ok(Vec::new());
        }
        let (_, rows) = self.at_one_moment(owner).await?;
        let is_told = |row: &&MemoryRow| {
            let session = row.body.claim.session.as_ref();
            session.is_some_and(|id| sessions.contains(id))
        };
        Ok(rows.of(Layer::Episode).filter(is_told).cloned().collect())
    }
}

/// The chats that a fact comes from.
pub(super) fn sessions_of(versions: &[MemoryRow]) -> BTreeSet<SessionId> {
    let cited = versions.iter().flat_map(|row| {
        let quoted = row.body.claim.evidence.iter();
        let quoted = quoted.filter_map(|piece| match piece {
            Evidence::Quote { session, .. } => Some(*session),
            Evidence::Observation { .. } => None,
        });
        quoted.chain(row.body.claim.session)
    });
    cited.gather()
}

/// What happened in messages of a chat, which follow each other; nothing where there are none.
pub(crate) fn happened_in(
    session: SessionId,
    messages: &[Message],
    served: BTreeSet<String>,
    said: impl Fn(MessageNumber, &str, &[crate::memory::Span]) -> Said,
) -> Option<Happened> {
    let (first, last) = (messages.first()?, messages.last()?);
    let typed = messages.iter().filter(|message| is_users(message));
    let said = typed.map(|message| {
        let utterance = &message.utterance;
        said(message.number, &utterance.content, &utterance.untrusted)
    });
    Some(Happened {
        messages: (first.number, last.number),
        time: (first.utterance.at, last.utterance.at),
        turn: Turn {
            session,
            said: said.collect(),
            untrusted: false,
        },
        served,
    })
}

/// Whether a message is the user's own, by hand.
pub(crate) fn is_users(message: &Message) -> bool {
    let utterance = &message.utterance;
    utterance.role == Role::User && utterance.origin == MessageOrigin::Typed
}
