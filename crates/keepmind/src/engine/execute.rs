//! Load a slice, plan, commit; again when another process was faster.

use std::sync::Arc;

use time::UtcOffset;

use crate::attempt::{Attempt, until_done};
use crate::change::{ChangeSet, EmbeddingChange, Expected, RowChange, Slice, Snapshot};
use crate::command::Command;
use crate::embedding::{EmbeddingKey, Vector};
use crate::engine::Engine;
use crate::engine::ahead::Basis;
use crate::error::{Error, ErrorKind};
use crate::event::Outcome;
use crate::ids::{OperationId, RowId};
use crate::memory::Evidence;
use crate::model::IdSource;
use crate::owner::{Owner, Revision};
use crate::plan::{self, Entry, Objection, Planned, Setting, Wording};
use crate::row::{Body, MemoryRow};
use crate::text;
use crate::trace::Trace;

/// How often a commit whose outcome is unknown is asked for again.
const ASKS: usize = 3;

/// What is known of a command before the owner's data is looked at.
pub(super) struct Known {
    /// What a tool would write, where it can be cleaned.
    pub wording: Option<Wording>,
    /// Where what it writes stands in the user's words, forgotten or not.
    pub grounds: Option<Vec<Evidence>>,
    /// The vector of what it writes, and whose it is.
    pub vector: Option<(String, Vector)>,
}

/// Who asks, in which surroundings.
pub(crate) struct Request<'a> {
    pub owner: &'a Owner,
    pub command: &'a Command,
    pub entry: Entry<'a>,
    pub offset: UtcOffset,
    /// Makes the record of the tool call that asks, once it is known what it will answer.
    pub trace: Option<&'a Recording<'a>>,
}

/// From what a command did to the record of the call that asked for it.
pub(crate) type Recording<'a> = dyn Fn(&Outcome) -> Trace + Sync + 'a;

impl Engine {
    /// Runs a command: all of it, or nothing.
    pub(crate) async fn execute(&self, request: Request<'_>) -> Result<Outcome, Objection> {
        // What needs nothing of the owner's comes before anything is locked: the longest of it is the
        // host's own code.
        let (wording, grounds) = match (request.entry, request.command.content()) {
            (Entry::Tool(turn), Some(content)) => {
                let wording = Wording::of(content);
                let grounds = wording
                    .as_ref()
                    .and_then(|wording| plan::grounds_of(wording, turn));
                (wording, grounds)
            }
            _ => (None, None),
        };
        let known = Known {
            wording,
            grounds,
            vector: match self.embedder {
                Some(_) => Box::pin(self.vector_for(&request)).await,
                None => None,
            },
        };
        let (outcome, changes) = {
            let _queue = self.locks.of(request.owner).await;
            self.plan_and_commit(&request, &known).await?
        };
        if let Some(changes) = changes.filter(|_| self.embedder.is_some()) {
            Box::pin(self.embed_rest(request.owner, &changes)).await;
        }
        Ok(outcome)
    }

    async fn plan_and_commit(
        &self,
        request: &Request<'_>,
        known: &Known,
    ) -> Result<(Outcome, Option<Arc<ChangeSet>>), Objection> {
        let owner = request.owner;
        until_done(request.command.name(), || async {
            let ahead = self
                .read_ahead(owner, request.command, request.entry, request.offset)
                .await?;
            // What is looked for is much, and rarely all of it: kept off the stack, or every caller's grows with it.
            let (findings, served) = Box::pin(self.find(request, known, ahead.as_ref())).await?;
            let now = self.now();
            let setting = Setting {
                policy: &self.policy,
                entry: request.entry,
                findings: &findings,
                clock: now,
                offset: request.offset,
            };
            let Basis { seen, is_ahead } =
                self.look(owner, request.command, &setting, ahead).await?;
            // What was found out and what was loaded must be of one moment: another process may have
            // written between.
            if findings.at.is_some_and(|at| at != seen.state().revision) {
                return Ok(Attempt::Overtaken);
            }
            let mut ids = self.plan_ids(now);
            let planned = plan::plan(request.command, &setting, &seen, &mut ids);
            let writes = matches!(&planned, Ok(planned) if planned.changes.is_some());
            // A commit finds out whether somebody wrote meanwhile. Where there is none to make, it is asked.
            if is_ahead && !writes {
                let standing = self.standing(owner).await?;
                if standing.revision != seen.state().revision {
                    return Ok(Attempt::Overtaken);
                }
            }
            let Planned {
                changes,
                mut outcome,
            } = planned?;
            let Some(mut changes) = changes else {
                return Ok(Attempt::Done((outcome, None)));
            };
            if let Some(record) = request.trace {
                let trace = record(&outcome);
                let key = trace.key.clone();
                let change = crate::change::TraceChange::Record(trace);
                changes.traces.insert(key, change);
            }
            let changes = Arc::new(changes);
            let expected = Expected::At(seen.state().revision);
            match self.commit(owner, expected, &changes).await {
                Ok(receipt) => {
                    let from = seen.state().revision;
                    self.moved_on(owner, from, &changes, receipt.revision);
                    if let Some(event) = &mut outcome.event {
                        event.revision = receipt.revision;
                    }
                    if let Some(gone) = served {
                        Box::pin(self.clear_late(owner, gone)).await?;
                    }
                    Ok(Attempt::Done((outcome, Some(changes))))
                }
                Err(error) if error.kind() == ErrorKind::Conflict => Ok(Attempt::Overtaken),
                // A chat that was to be edited was purged meanwhile.
                Err(error)
                    if error.kind() == ErrorKind::NotFound && !changes.sessions.is_empty() =>
                {
                    Ok(Attempt::Overtaken)
                }
                Err(error) => Err(error.into()),
            }
        })
        .await
    }

    /// Commits; where it is unknown whether it was written, asks again with the same operation.
    pub(crate) async fn commit(
        &self,
        owner: &Owner,
        expected: Expected,
        changes: &Arc<ChangeSet>,
    ) -> Result<crate::change::Receipt, Error> {
        let mut asked = 1;
        loop {
            match self
                .store
                .commit(owner, expected, Arc::clone(changes))
                .await
            {
                Err(error) if error.kind() == ErrorKind::OutcomeUnknown && asked < ASKS => {
                    asked += 1;
                }
                answer => return answer,
            }
        }
    }

    /// Takes a commit of this process along into what is kept at hand.
    pub(crate) fn moved_on(
        &self,
        owner: &Owner,
        from: Revision,
        changes: &ChangeSet,
        to: Revision,
    ) {
        self.open_rows.advance(owner, from, changes, to);
        // What was recalled before can never be served again: it need not stay in memory.
        self.recall_cache.forget_answers(owner);
    }

    /// Commits what moves no revision: messages, traces, chats, embeddings.
    pub(crate) async fn append(
        &self,
        owner: &Owner,
        expected: Expected,
        fill: impl FnOnce(&mut ChangeSet),
    ) -> Result<crate::change::Receipt, Error> {
        let now = self.now();
        let mut changes = ChangeSet::new(OperationId::new(self.plan_ids(now).next_id()), now);
        fill(&mut changes);
        self.commit(owner, expected, &Arc::new(changes)).await
    }

    /// The vector of what a command would write. Without one memory is found by words only.
    async fn vector_for(&self, request: &Request<'_>) -> Option<(String, Vector)> {
        let embedder = self.embedder.as_ref()?;
        let content = text::line(request.command.content()?).ok()?;
        // What will be refused is nobody's to see.
        let is_tool = matches!(request.entry, Entry::Tool(_));
        if is_tool && !plan::is_fit(&content, &self.policy) {
            return None;
        }
        let vector = self.vectors(&[&content]).await?.pop()??;
        Some((embedder.id().to_owned(), vector))
    }

    /// Rows that came back under a new id need their vector again. What fails here is found by words.
    pub(super) async fn embed_rest(&self, owner: &Owner, changes: &ChangeSet) {
        if self.embedder.is_none() {
            return;
        }
        let bare: Vec<(RowId, &str)> = changes
            .rows
            .iter()
            .filter_map(|(id, change)| match change {
                RowChange::Insert(row) if row.is_open() => match &row.body {
                    Body::Memory(memory) => Some((*id, memory.claim.content.as_str())),
                    _ => None,
                },
                _ => None,
            })
            .filter(|(id, _)| !changes.embeddings.keys().any(|key| key.memory == *id))
            .collect();
        if bare.is_empty() {
            return;
        }
        let texts: Vec<&str> = bare.iter().map(|(_, text)| *text).collect();
        let Some(vectors) = self.vectors(&texts).await else {
            return;
        };
        let keyed = self.keyed(bare.iter().map(|(id, _)| *id), vectors);
        let stored = self
            .append(owner, Expected::Any, |changes| {
                changes.embeddings.extend(keyed);
            })
            .await;
        // The sweep embeds what has no vector; a failure here must not fail a write that stands.
        drop(stored);
    }

    /// Gives rows their vectors; of how many the embedder knew one.
    pub(crate) async fn embed(&self, owner: &Owner, rows: &[MemoryRow]) -> Result<u64, Error> {
        if rows.is_empty() {
            return Ok(0);
        }
        let contents = rows.iter().map(|row| row.body.claim.content.as_str());
        let texts: Vec<&str> = contents.collect();
        let Some(vectors) = self.vectors(&texts).await else {
            let message = "the embedder gave no vectors: what it was asked for is found by words until it does";
            return Err(Error::new(ErrorKind::Io, "embed", message));
        };
        let keyed = self.keyed(rows.iter().map(|row| row.id), vectors);
        let embedded = keyed.len() as u64;
        if embedded > 0 {
            self.append(owner, Expected::Any, |changes| {
                changes.embeddings.extend(keyed);
            })
            .await?;
        }
        Ok(embedded)
    }

    /// What is to be written for rows that got a vector.
    fn keyed(
        &self,
        rows: impl Iterator<Item = RowId>,
        vectors: Vec<Option<Vector>>,
    ) -> Vec<(EmbeddingKey, EmbeddingChange)> {
        let Some(embedder) = &self.embedder else {
            return Vec::new();
        };
        let keyed = |(memory, vector): (RowId, Option<Vector>)| {
            let embedder = embedder.id().to_owned();
            let key = EmbeddingKey { memory, embedder };
            Some((key, EmbeddingChange::Set(vector?)))
        };
        rows.zip(vectors).filter_map(keyed).collect()
    }

    /// Waits for this process's writers of the owner that came before.
    pub(crate) async fn queue(&self, owner: &Owner) -> impl Drop {
        self.locks.of(owner).await
    }

    /// Everything of an owner is gone for good.
    pub(crate) async fn erase(&self, owner: &Owner) -> Result<bool, Error> {
        let _queue = self.locks.of(owner).await;
        let erased = self.store.erase(owner).await;
        // After, not before: whoever read meanwhile may have put them back.
        self.open_rows.let_go(owner);
        self.recall_cache.let_go(owner);
        self.ledger.let_go(owner);
        erased
    }

    /// The slice a plan would load: for callers that only read.
    pub(crate) async fn load(&self, owner: &Owner, slice: &Slice) -> Result<Snapshot, Error> {
        self.store.load(owner, slice).await
    }
}
