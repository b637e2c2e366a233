//! Finding a chat again: by how recent it is, and by what was said in it.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::change::Slice;
use crate::conversation::{Recency, Snippet, recency, snippet};
use crate::engine::UserMemory;
use crate::error::{Error, Result};
use crate::ids::{MessageNumber, SessionId};
use crate::message::Role;
use crate::order::Gather;
use crate::session::{Session, SessionStatus};
use crate::store::{Cursor, MAX_LIMIT, MessageHit, MessageSearch, SessionQuery};
use crate::text;
use crate::timestamp::Timestamp;

/// How many messages are looked at first for each chat that is wanted: several hits may be in one.
const HITS_PER_SESSION: usize = 8;
/// How many times as many are looked at where that was too few.
const MORE_HITS: usize = 8;

/// How much of a message a snippet is looked for in, in bytes.
const LONGEST_SHOWN: usize = 64 << 10;

/// Which chats to list.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct SessionList {
    /// In one of these states; empty for all.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub statuses: BTreeSet<SessionStatus>,
    /// Those in the trash instead of the others.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub trashed: bool,
    /// How many at most; the policy's `limits.results` when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// Where the last page ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Cursor>,
}

/// A page of chats, the most recently active first.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SessionPage {
    /// The chats.
    pub sessions: Vec<SessionLine>,
    /// Where it ended, when there may be more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<Cursor>,
}

/// A chat in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SessionLine {
    /// Which chat.
    pub id: SessionId,
    /// What it is called; nothing before anything was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Where it is in its life.
    pub status: SessionStatus,
    /// How long ago it was active, in days of the user's.
    pub recency: Recency,
    /// When it was opened.
    pub opened_at: Timestamp,
    /// When it was last active.
    pub active_at: Timestamp,
    /// When it was put in the trash, where it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Timestamp>,
}

/// A chat in which something was said that fits.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SessionHit {
    /// The chat.
    pub session: SessionLine,
    /// The message that fits best.
    pub message: MessageNumber,
    /// Who said it.
    pub role: Role,
    /// When.
    pub at: Timestamp,
    /// What was said, around the words that fit.
    pub snippet: Snippet,
    /// How well it fits.
    pub score: f64,
}

impl UserMemory {
    /// The user's chats, the most recently active first, each with how long ago that was. A host shows
    /// archived ones apart.
    pub async fn sessions(&self, list: SessionList) -> Result<SessionPage> {
        let most = self.engine.policy.limits.results as usize;
        let limit = list.limit.unwrap_or(most).min(most);
        if limit == 0 {
            return Err(Error::invalid("sessions", "a limit is at least 1"));
        }
        let query = SessionQuery {
            statuses: list.statuses,
            deleted: Some(list.trashed),
            after: list.after,
            ..SessionQuery::recent(limit)
        };
        let page = self.engine.store.sessions(&self.owner, &query).await?;
        Ok(SessionPage {
            sessions: page
                .items
                .iter()
                .map(|session| self.line(session))
                .collect(),
            next: page.next,
        })
    }

    /// The user's chats in which something was said that fits the words, best first: what the user and
    /// the assistant said, not what is in the trash.
    pub async fn search_sessions(
        &self,
        query: impl AsRef<str>,
        limit: usize,
    ) -> Result<Vec<SessionHit>> {
        let cleaned = text::passage(query.as_ref());
        let cleaned = cleaned.map_err(|error| Error::invalid("search_sessions", error))?;
        let policy = &self.engine.policy;
        if limit == 0 {
            return Err(Error::invalid("search_sessions", "a limit is at least 1"));
        }
        let limit = limit.min(policy.limits.results as usize);
        let longest = policy.limits.query_characters as usize;
        let mut search = MessageSearch {
            text: cleaned.chars().take(longest).collect(),
            session: None,
            roles: [Role::User, Role::Assistant].into_iter().gather(),
            limit: limit.saturating_mul(HITS_PER_SESSION).min(MAX_LIMIT),
        };
        loop {
            let hits = self.engine.store.search_messages(&self.owner, &search);
            let hits = hits.await?;
            let is_all = hits.len() < search.limit || search.limit == MAX_LIMIT;
            let found = self.best_of_each(hits, limit).await?;
            // One chat, or the trash, may have had all the best hits.
            if found.len() == limit || is_all {
                return Ok(found);
            }
            search.limit = search.limit.saturating_mul(MORE_HITS).min(MAX_LIMIT);
        }
    }

    /// The best hit of each chat that is not in the trash, for as many chats as are wanted.
    async fn best_of_each(&self, hits: Vec<MessageHit>, limit: usize) -> Result<Vec<SessionHit>> {
        let slice = Slice {
            sessions: hits.iter().map(|hit| hit.message.session).gather(),
            ..Slice::default()
        };
        let seen = self.engine.load(&self.owner, &slice).await?;
        let lines: BTreeMap<SessionId, SessionLine> = seen
            .sessions()
            .filter(|session| session.deleted_at.is_none())
            .map(|session| (session.id, self.line(session)))
            .gather();
        let mut shown = BTreeSet::new();
        let mut found = Vec::new();
        for hit in hits {
            let session = hit.message.session;
            let Some(line) = lines.get(&session) else {
                continue;
            };
            if found.len() < limit && shown.insert(session) {
                let utterance = &hit.message.utterance;
                found.push(SessionHit {
                    session: line.clone(),
                    message: hit.message.number,
                    role: utterance.role,
                    at: utterance.at,
                    snippet: snippet(beginning(&utterance.content), &hit.matched),
                    score: hit.score,
                });
            }
        }
        Ok(found)
    }

    fn line(&self, session: &Session) -> SessionLine {
        let title = session.title.as_ref();
        SessionLine {
            id: session.id,
            title: title.map(|title| title.text.clone()),
            status: session.status,
            recency: recency(session.active_at, self.engine.now(), &self.local),
            opened_at: session.opened_at,
            active_at: session.active_at,
            deleted_at: session.deleted_at,
        }
    }
}

/// As much of a message as a snippet is looked for in: what is longer was pasted.
fn beginning(content: &str) -> &str {
    &content[..content.floor_char_boundary(LONGEST_SHOWN)]
}
