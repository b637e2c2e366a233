//! What a chat used: the rows that were told in it, what became of them, and which of them an answer cites.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::command::UsedAs;
use crate::engine::Use;
use crate::error::Result;
use crate::event::{EventKind, MemoryEvent};
use crate::govern::{Citation, SessionUsage, citations};
use crate::ids::RowId;
use crate::memory::Trust;
use crate::sessions::SessionHandle;
use crate::usage::UsageKind;

/// How many rows of a chat are remembered as told.
const MOST_ROWS: usize = 10_000;

/// The rows that were told in a chat, as far as this process knows.
#[derive(Debug, Default)]
pub(super) struct InPlay(Mutex<Told>);

#[derive(Debug, Default)]
struct Told {
    rows: BTreeSet<RowId>,
    /// What was told before this process came to know the chat is among them.
    is_complete: bool,
}

impl InPlay {
    pub(super) fn add(&self, rows: impl IntoIterator<Item = RowId>) {
        let mut told = self.told();
        for row in rows {
            if told.rows.len() < MOST_ROWS {
                told.rows.insert(row);
            }
        }
    }

    pub(super) fn holds(&self, row: RowId) -> bool {
        self.told().rows.contains(&row)
    }

    pub(super) fn rows(&self) -> BTreeSet<RowId> {
        self.told().rows.clone()
    }

    /// From now on nothing that was told before is missing.
    pub(super) fn complete(&self) {
        self.told().is_complete = true;
    }

    fn is_complete(&self) -> bool {
        self.told().is_complete
    }

    fn told(&self) -> MutexGuard<'_, Told> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionHandle {
    /// Records what a fact was used for in this chat: that it shaped an action (`applied`), was named (`cited`),
    /// spoke against something (`conflicted`), or that the user decided otherwise (`overridden`). What was
    /// retrieved is recorded by itself.
    ///
    /// It is written when the chat or the engine is closed, or somebody asks for it.
    pub async fn used(&self, used: UsedAs) -> Result<()> {
        let in_play = self.shared.in_play.rows();
        let noted = self
            .engine()
            .use_of(&self.memory.owner, Some(self.id), &used, |row| {
                in_play.contains(&row)
            })
            .await;
        let noted = noted.map_err(|objection| objection.into_error("used"))?;
        self.memory.note([noted]);
        Ok(())
    }

    /// Finds which of the memories that were told in this chat an answer of the model's cites, and records
    /// it: by their numbers (`#12`), or because one sentence holds all names and numbers of a memory and most
    /// of its words, denied where it denies them. What it misses a host can say with [`SessionHandle::used`].
    pub async fn cite(&self, answer: &str) -> Result<Vec<Citation>> {
        self.memory.measured("cite", self.cited(answer)).await
    }

    async fn cited(&self, answer: &str) -> Result<Vec<Citation>> {
        let engine = self.engine();
        let owner = &self.memory.owner;
        if !self.shared.in_play.is_complete() {
            self.load().await?;
            let uses = engine.uses_in(owner, self.id).await?;
            self.shared
                .in_play
                .add(uses.iter().map(|usage| usage.memory));
            self.shared.in_play.complete();
        }
        let rows = engine.rows_of(owner, self.shared.in_play.rows()).await?;
        let found = citations(answer, &rows);
        self.memory.note(found.iter().map(|citation| Use {
            session: Some(self.id),
            memory: citation.row,
            kind: UsageKind::Cited,
            influence: Some(citation.by.influence().to_owned()),
        }));
        Ok(found)
    }

    /// What was used in this chat, by memory: how, how often, and what it changed.
    pub async fn why(&self) -> Result<SessionUsage> {
        self.memory.why(self.id).await
    }

    /// Rows were told in the chat.
    pub(super) fn told(&self, rows: impl IntoIterator<Item = RowId>) {
        let rows: Vec<RowId> = rows.into_iter().collect();
        self.shared.in_play.add(rows.iter().copied());
        self.memory.note_retrieved(Some(self.id), rows);
    }

    /// What the chat was told and the user now says otherwise, or wants forgotten, was overridden.
    pub(super) fn note_decision(&self, event: Option<&MemoryEvent>) {
        let Some(event) = event else { return };
        let is_users = match (event.kind, &event.after) {
            (EventKind::Updated, Some(after)) => after.body.claim.trust == Trust::User,
            (EventKind::Forgotten, _) => true,
            _ => false,
        };
        let before = event.before.as_ref().filter(|_| is_users);
        let Some(row) = before.filter(|row| self.shared.in_play.holds(row.id)) else {
            return;
        };
        self.memory.note([Use {
            session: Some(self.id),
            memory: row.id,
            kind: UsageKind::Overridden,
            influence: None,
        }]);
    }
}
